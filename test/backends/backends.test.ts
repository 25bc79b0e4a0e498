import * as ModelSpec from "@sandtable/backends/ModelSpec"
import * as Node from "@sandtable/backends/node"
import { describe, expect, it } from "@effect/vitest"
import { AgentSource } from "../../packages/core/src/rollout/AgentSource.ts"
import * as ModelSource from "../../packages/core/src/model/ModelSource.ts"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as FakeServer from "./FakeServer.ts"

const configured = (variables: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

const parsed = (text: string) =>
  Either.match(ModelSpec.parse(text), {
    onLeft: ({ fix, problem }) => `${problem}. ${fix}`,
    onRight: ({ model, provider, url }) => [provider.name, model, url]
  })

describe("a spec", () => {
  it.each<[string, ReadonlyArray<string | null>]>([
    ["openai:gpt-4.1-mini", ["openai", "gpt-4.1-mini", null]],
    ["openai-responses:o4-mini", ["openai-responses", "o4-mini", null]],
    ["anthropic:claude-haiku-4-5", ["anthropic", "claude-haiku-4-5", null]],
    ["ollama:llama3.2:3b", ["ollama", "llama3.2:3b", null]],
    [
      "OpenRouter: meta-llama/llama-3.3-70b-instruct:free ",
      ["openrouter", "meta-llama/llama-3.3-70b-instruct:free", null]
    ],
    ["vllm:Qwen/Qwen3-4B@http://host:8000/v1", ["vllm", "Qwen/Qwen3-4B", "http://host:8000/v1"]],
    ["gemini:models/gemini@002", ["gemini", "models/gemini@002", null]],
    ["openai:@cf/meta/llama-3-8b@http://host/v1", ["openai", "@cf/meta/llama-3-8b", "http://host/v1"]],
    ["vllm:m @ http://host:8000/v1", ["vllm", "m", "http://host:8000/v1"]],
    [
      "azure:dep@https://me.openai.azure.com/openai/v1?api-version=1",
      ["azure", "dep", "https://me.openai.azure.com/openai/v1?api-version=1"]
    ]
  ])("reads %s", (text, parts) => {
    expect(parsed(text)).toEqual(parts)
  })

  it.each<[string, ReadonlyArray<string>]>([
    ["opnai:gpt-4.1", ["a provider nobody knows", "The nearest is `openai`"]],
    ["antropic:claude", ["The nearest is `anthropic`"]],
    ["__proto__:x", ["a provider nobody knows"]],
    ["gpt-4.1-mini", ["names no provider", '"openai:gpt-4.1-mini"']],
    ["openai", ["names a provider and no model", '"openai:<model>"']],
    ["openai:", ["names no model"]],
    ["azure:dep", ["has no address"]],
    ["openai:m@http://", ["an address that is none"]],
    ["openai:m@https://me:pw@host/v1", ["a password in it", "OPENAI_API_KEY"]],
    [":m", ["names no provider", '"openai:m"']],
    ["openai/gpt-4.1", ["names no provider", '"openai:gpt-4.1"']],
    ["openai:m@", ["no http or https address", "@http://"]],
    ["vllm:m@localhost:8000/v1", ["no http or https address", "@http://"]],
    ["vllm:m@10.0.0.7:8000", ["no http or https address", "@http://"]],
    ["vllm:m@gpu/v1", ["no http or https address", "@http://"]],
    ["vllm:m@ftp://h/v1", ["no http or https address", "@http://"]]
  ])("refuses %s and says what to write", (text, parts) => {
    for (const part of parts) expect(parsed(text)).toContain(part)
    expect(parsed(text)).not.toContain("me:pw")
  })

  it("every provider is found by its own name, and none by another's", () => {
    for (const { baseUrl, name } of ModelSpec.providers) {
      expect(parsed(`${name}:m@http://h/v1`)).toEqual([name, "m", "http://h/v1"])
      expect(baseUrl === null || URL.canParse(baseUrl)).toBe(true)
    }
  })
})

const asked = (spec: string, use: ModelSource.Use = { role: "agent" }) =>
  Effect.flatMap(ModelSource.model(spec, use), (model) =>
    Effect.as(model.complete({ messages: [{ role: "user", content: "Hi" }] }), model.identity)
  )

describe("a model by its spec", () => {
  it.scopedLive(
    "is asked at the spec's address, else the configured one, with the key that was given, else configured",
    () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make([{ text: "Hello" }])
        const authorizations = () => server.received.map(({ headers }) => headers.authorization)
        const layer = Node.layerWith({ keys: { openai: Redacted.make("sk-given") } })
        const config = { OPENAI_API_KEY: "sk-configured", OPENAI_BASE_URL: `${server.url}/configured/v1` }
        yield* asked("openai:m").pipe(Effect.provide(Node.layer), configured(config))
        yield* asked(`openai:m@${server.url}/own/v1/`).pipe(Effect.provide(layer), configured(config))
        yield* asked(`vllm:m@${server.url}/v1`).pipe(Effect.provide(layer), configured(config))
        expect(server.received.map(({ path }) => path)).toEqual([
          "/configured/v1/chat/completions",
          "/own/v1/chat/completions",
          "/v1/chat/completions"
        ])
        expect(authorizations()).toEqual(["Bearer sk-configured", "Bearer sk-given", undefined])
      })
  )

  it.scopedLive("speaks its provider's protocol, and is known by provider, endpoint and model", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ text: "Hello" }])
      const specs = ["openai", "openai-responses", "anthropic"].map((name) => `${name}:m@${server.url}/v1`)
      const identities = yield* Effect.forEach(specs, (spec) => asked(spec))
      expect(server.received.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/responses", "/v1/messages"])
      expect(server.received.at(-1)?.headers["x-api-key"]).toBe("sk-ant")
      expect(identities[2]).toEqual({ name: "m", provider: "anthropic", endpoint: `${server.url}/v1`, model: "m" })
    }).pipe(Effect.provide(Node.layer), configured({ OPENAI_API_KEY: "sk", ANTHROPIC_API_KEY: "sk-ant" }))
  )

  const refusedFor = (spec: string, variables: Readonly<Record<string, string>>) =>
    ModelSource.model(spec, { role: "agent" }).pipe(
      Effect.flip,
      Effect.map(({ message }) => message),
      Effect.scoped,
      Effect.provide(Node.layer),
      configured(variables)
    )

  it.effect("needs its key where it is sold, and says which variable holds it", () =>
    Effect.gen(function* () {
      expect(yield* refusedFor("anthropic:claude", {})).toContain("ANTHROPIC_API_KEY is not set")
      expect(yield* refusedFor("openai:gpt", { OPENAI_API_KEY: "" })).toContain("OPENAI_API_KEY is not set")
      expect(yield* refusedFor("openai:gpt", { OPENAI_API_KEY: "sk 1" })).not.toContain("sk 1")
      for (const key of ["sk 1", "sk\n1", '"sk-quoted"']) {
        const message = yield* refusedFor("openai:gpt", { OPENAI_API_KEY: key })
        expect(message).toContain("reads OPENAI_API_KEY, which holds characters that no key has")
        expect(message).not.toContain(key)
      }
      expect(yield* refusedFor("openai:gpt", { OPENAI_API_KEY: " " })).toContain("OPENAI_API_KEY is not set")
      expect(yield* refusedFor("vllm:m", { VLLM_BASE_URL: "gpu:8000" })).toContain("reads VLLM_BASE_URL, which is")
      expect(yield* refusedFor("hosted", { SANDTABLE_MODEL: "m", SANDTABLE_BASE_URL: "h" })).toContain(
        "reads SANDTABLE_BASE_URL, which is"
      )
      expect(yield* refusedFor("hosted", { SANDTABLE_MODEL: "m" })).toContain("SANDTABLE_BASE_URL is not set")
    })
  )
})

describe("an agent by its name", () => {
  const agent = (named: Parameters<AgentSource["Type"]["agent"]>[0]) =>
    Effect.flatMap(AgentSource, (source) => source.agent(named)).pipe(Effect.scoped, Effect.provide(Node.layer))

  it.effect("is an endpoint or a program; what can be neither is refused before it is used", () =>
    Effect.gen(function* () {
      expect(yield* agent({ _tag: "Url", url: "http://127.0.0.1:1/chat" })).toMatchObject({
        kind: "http",
        turns: "multi"
      })
      expect(yield* agent({ _tag: "Command", command: ["node", "-e", "0"] })).toMatchObject({ kind: "command" })
      const [missing, secret] = yield* Effect.all([
        Effect.flip(agent({ _tag: "Command", command: ["no-such-program-here"] })),
        Effect.flip(agent({ _tag: "Url", url: "http://me:hunter2@127.0.0.1:1/chat" }))
      ])
      expect(missing.message).toContain("no-such-program-here")
      expect(secret.message).not.toContain("hunter2")
    })
  )
})
