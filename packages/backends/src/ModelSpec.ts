/**
 * Models as text: `openai:gpt-4.1-mini`, `vllm:Qwen/Qwen3-4B@http://host:8000/v1`. The provider says how to talk, where,
 * and which variable holds the key; an address behind the model's name is talked to instead of the provider's own.
 */
import { nearest } from "@sandtable/core/Options"
import { SpecRefused, shown } from "@sandtable/core/unstable/ModelSource"
import * as Either from "effect/Either"

/**
 * How an endpoint is talked to: chat completions, OpenAI's Responses, Anthropic's Messages.
 * @since 0.1.0
 * @category models
 */
export type Api = "chat" | "responses" | "messages"

/**
 * Somebody whose models can be named in a spec.
 * @since 0.1.0
 * @category models
 */
export interface Provider {
  readonly name: string
  readonly api: Api
  /** Where its models are unless an address is given; null where only the caller knows. */
  readonly baseUrl: string | null
  /** The variable that holds the key. */
  readonly key: string
  /** Whether its own endpoint takes nobody without a key; servers of one's own often take anybody. */
  readonly needsKey: boolean
  /** The header that carries the key as it is; without one it is a bearer token. */
  readonly keyHeader?: string
}

const paid = (name: string, baseUrl: string | null, key: string, more: Partial<Provider> = {}): Provider => ({
  name,
  api: "chat",
  baseUrl,
  key,
  needsKey: true,
  ...more
})

/** A server on this machine, at the port it has by itself. */
const local = (name: string, port: number, key: string): Provider => ({
  name,
  api: "chat",
  baseUrl: `http://127.0.0.1:${port}/v1`,
  key,
  needsKey: false
})

/**
 * Everybody who can be named; a new one that speaks chat completions is a line.
 * @since 0.1.0
 * @category constants
 */
export const providers: ReadonlyArray<Provider> = [
  paid("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
  paid("openai-responses", "https://api.openai.com/v1", "OPENAI_API_KEY", { api: "responses" }),
  paid("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", { api: "messages" }),
  paid("azure", null, "AZURE_OPENAI_API_KEY", { keyHeader: "api-key" }),
  paid("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  paid("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  paid("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  paid("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  paid("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  paid("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  paid("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
  paid("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
  local("ollama", 11434, "OLLAMA_API_KEY"),
  local("vllm", 8000, "VLLM_API_KEY"),
  local("sglang", 30000, "SGLANG_API_KEY"),
  local("tgi", 8080, "TGI_API_KEY"),
  local("llamacpp", 8080, "LLAMACPP_API_KEY"),
  local("lmstudio", 1234, "LMSTUDIO_API_KEY")
]

/**
 * What a spec such as `openai:gpt-4.1-mini` names.
 * @since 0.1.0
 * @category models
 */
export interface ModelSpec {
  readonly provider: Provider
  /** As the server knows it. */
  readonly model: string
  /** The address behind the name; null for the provider's own. */
  readonly url: string | null
}

/**
 * Reads a spec, or says what is wrong with it: the nearest provider for one that nobody has.
 * @since 0.1.0
 * @category functions
 */
export const parse = (text: string): Either.Either<ModelSpec, SpecRefused> => {
  const [named, url] = parted(text)
  const colon = named.indexOf(":")
  const names = providers.map(({ name }) => name)
  const refused = (problem: string, fix: string) => Either.left(new SpecRefused({ spec: shown(text), problem, fix }))
  if (misplaced.test(named)) {
    return refused(
      "has something behind an `@` that is no http or https address",
      'Give it as in "@http://127.0.0.1:8000/v1".'
    )
  }
  if (colon < 0) {
    const path = names.find((name) => named.toLowerCase().startsWith(`${name}/`))
    if (path !== undefined) {
      return refused("names no provider", `Write a colon behind it: "${path}:${named.slice(path.length + 1)}".`)
    }
    const near = nearest(named, names)
    return names.includes(near) && near === named.toLowerCase()
      ? refused("names a provider and no model", `Write provider and model: "${near}:<model>".`)
      : refused(
          "names no provider",
          `Write provider and model, such as "openai:${named}"; providers: ${names.join(", ")}.`
        )
  }
  const name = named.slice(0, colon).trim().toLowerCase()
  const model = named.slice(colon + 1).trim()
  const provider = providers.find((each) => each.name === name)
  if (name === "") {
    return refused("names no provider", `Write it before the colon: "openai:${model}"; providers: ${names.join(", ")}.`)
  }
  if (provider === undefined) {
    return refused(
      `has a provider nobody knows (${JSON.stringify(named.slice(0, colon))})`,
      `The nearest is \`${nearest(name, names)}\`; all: ${names.join(", ")}. Any other server that speaks chat completions: "openai:<model>@<address>".`
    )
  }
  if (model === "") return refused("names no model", `Write the model behind the colon: "${name}:<model>".`)
  if (url === null) {
    return provider.baseUrl === null
      ? refused(
          "has no address, and that provider has none of its own",
          `Give it: "${name}:${model}@https://<resource>/openai/v1".`
        )
      : Either.right({ provider, model, url })
  }
  if (!URL.canParse(url)) return refused("has an address that is none", 'Give it as in "@http://127.0.0.1:8000/v1".')
  const { password, username } = new URL(url)
  return username === "" && password === ""
    ? Either.right({ provider, model, url })
    : refused("has an address with a password in it", `Take it out, and put the key into ${provider.key}.`)
}

/** The part before an address, and the address; model names may have an `@` of their own. */
const parted = (text: string): readonly [string, string | null] => {
  const at = text.search(/@\s*https?:\/\//i)
  return at < 0 ? [text.trim(), null] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

/** An address without its scheme, with another one, or none at all: it would be taken for part of the model's name. */
const misplaced = /@\s*(?:$|[a-z][\w+.-]*:\/\/|localhost\b|[\w.-]+:\d+(?:\/|$)|\S*\/v\d+\/?$)/i
