/**
 * Whoever a run names instead of giving a service: models by their specs, the endpoint of the environment, agents behind an
 * address or a command. What a run needs of this package is `layer`; each protocol is loaded when it is first named.
 */
import { HttpClient } from "@effect/platform/HttpClient"
import { AgentSource, type Named, type Service as Agents } from "@sandtable/core/unstable/AgentSource"
import type * as ChatModel from "@sandtable/core/ChatModel"
import type * as AgentBackend from "@sandtable/core/AgentBackend"
import {
  hosted,
  masked,
  ModelSource,
  shown,
  SpecRefused,
  type Service as Models,
  type Use
} from "@sandtable/core/unstable/ModelSource"
import type { Role } from "@sandtable/core/unstable/ModelCall"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Limits from "./Limits.ts"
import type * as ModelEndpoint from "./ModelEndpoint.ts"
import * as ModelSpec from "./ModelSpec.ts"

/**
 * What all endpoints are told the same way; the rest is in the specs.
 * @since 0.1.0
 * @category models
 */
export interface Options extends Pick<ModelEndpoint.Options, "retry" | "timeouts" | "streaming" | "sampling"> {
  /** By provider; they win over the configuration, which by itself is the environment. */
  readonly keys?: Readonly<Record<string, Redacted.Redacted>>
  /** What is put before every model, such as `Cache.wrap` with a store. */
  readonly wrap?: (model: ChatModel.Service, role: Role) => ChatModel.Service
  /** By provider: where its models are when a spec has no address of its own. */
  readonly baseUrls?: Readonly<Record<string, string>>
}

/**
 * Models, addresses and commands by name, as the given options say.
 * @since 0.1.0
 * @category layers
 */
export const layerWith = (options: Options): Layer.Layer<never, never, HttpClient> =>
  Layer.effectContext(
    Effect.map(HttpClient, (client) =>
      Context.make(ModelSource, modelsOf(options, client)).pipe(Context.add(AgentSource, agentsOf(client)))
    )
  )

/**
 * Models, addresses and commands by name.
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, HttpClient> = layerWith({})

const modelsOf = (options: Options, client: HttpClient): Models => ({
  model: (spec, use) =>
    Effect.flatMap(spec === hosted ? hostedEndpoint : endpointOf(spec, options), (endpoint) =>
      Effect.flatMap(limitOf(use), (limit) => made({ ...endpoint, ...limit, ...told(options) }, spec))
    ).pipe(
      Effect.map((model) => options.wrap?.(model, use.role) ?? model),
      Effect.provideService(HttpClient, client)
    )
})

type Endpoint = Pick<ModelEndpoint.Options, "model" | "baseUrl" | "apiKey" | "auth"> & {
  readonly provider: string
  readonly api: ModelSpec.Api
  /** The variables that options were read from. */
  readonly read: { readonly apiKey?: string; readonly baseUrl?: string }
}

const told = ({ retry, sampling, streaming, timeouts }: Options): Partial<ModelEndpoint.Options> => ({
  ...(retry === undefined ? {} : { retry }),
  ...(sampling === undefined ? {} : { sampling }),
  ...(streaming === undefined ? {} : { streaming }),
  ...(timeouts === undefined ? {} : { timeouts })
})

const endpointOf = Effect.fnUntraced(function* (spec: string, { baseUrls = {}, keys = {} }: Options) {
  const { model, provider, url } = yield* ModelSpec.parse(spec)
  const own = Object.hasOwn(baseUrls, provider.name)
    ? baseUrls[provider.name]
    : yield* textOf(baseUrlVariable(provider.name))
  const baseUrl = url ?? own ?? provider.baseUrl
  const given = Object.hasOwn(keys, provider.name)
  const apiKey = given ? keys[provider.name] : yield* keyOf(provider.key)
  if (apiKey === undefined && provider.needsKey && baseUrl === provider.baseUrl) {
    return yield* new SpecRefused({
      spec: shown(spec),
      problem: `needs a key, and ${provider.key} is not set`,
      fix: `Set ${provider.key} in the environment (no .env file is read by itself), or give the key to \`Backends.layerWith\`.`
    })
  }
  const endpoint: Endpoint = {
    api: provider.api,
    provider: provider.name,
    model,
    read: {
      ...(given ? {} : { apiKey: provider.key }),
      ...(url === null && !Object.hasOwn(baseUrls, provider.name) && { baseUrl: baseUrlVariable(provider.name) })
    },
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(provider.keyHeader === undefined ? {} : { auth: provider.keyHeader })
  }
  return endpoint
})

const hostedEndpoint = Effect.gen(function* () {
  const baseUrl = yield* textOf("SANDTABLE_BASE_URL")
  const model = yield* textOf("SANDTABLE_MODEL")
  const apiKey = yield* keyOf("SANDTABLE_API_KEY")
  if (baseUrl === undefined || model === undefined) {
    const missing = baseUrl === undefined ? "SANDTABLE_BASE_URL" : "SANDTABLE_MODEL"
    return yield* new SpecRefused({
      spec: hosted,
      problem: `is the endpoint that the environment names, and ${missing} is not set`,
      fix: "Set SANDTABLE_BASE_URL and SANDTABLE_MODEL, with SANDTABLE_API_KEY where it takes a key."
    })
  }
  const endpoint: Endpoint = {
    api: "chat",
    provider: hosted,
    model,
    read: { apiKey: "SANDTABLE_API_KEY", baseUrl: "SANDTABLE_BASE_URL" },
    baseUrl,
    ...(apiKey === undefined ? {} : { apiKey })
  }
  return endpoint
})

/** A variable of the configuration; what is blank is not set. */
const textOf = (variable: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.option(Config.string(variable)), (value) => Option.getOrElse(value, () => "").trim() || undefined)

const keyOf = (variable: string): Effect.Effect<Redacted.Redacted | undefined> =>
  Effect.map(textOf(variable), (key) => (key === undefined ? undefined : Redacted.make(key)))

/**
 * The variable that moves a provider to another address.
 * @since 0.1.0
 * @category functions
 */
export const baseUrlVariable = (provider: string): string => `${provider.toUpperCase().replaceAll("-", "_")}_BASE_URL`

const limitOf = ({ limit, role }: Use): Effect.Effect<{ readonly limit?: Limits.Limit }, SpecRefused> => {
  if (limit === undefined) return Effect.succeed({})
  if (typeof limit === "number") return Effect.succeed({ limit: Limits.limit(role, { max: limit }) })
  return isLimit(limit)
    ? Effect.succeed({ limit })
    : Effect.fail(
        new SpecRefused({
          spec: `advanced.limits.${role}`,
          problem: "is no limit",
          fix: "Give the most calls at once, or what `Limits.limit` or `Limits.make` of `@sandtable/backends` gives."
        })
      )
}

const isLimit = (value: object): value is Limits.Limit =>
  "run" in value && typeof value.run === "function" && "state" in value && typeof value.state === "function"

const made = (
  { api, read, ...endpoint }: Endpoint & Partial<ModelEndpoint.Options>,
  spec: string
): Effect.Effect<ChatModel.Service, SpecRefused, HttpClient> =>
  Effect.gen(function* () {
    switch (api) {
      case "chat":
        return yield* (yield* Effect.promise(() => import("./OpenAiCompatible.ts"))).make(endpoint)
      case "responses":
        return yield* (yield* Effect.promise(() => import("./OpenAiResponses.ts"))).make(endpoint)
      case "messages":
        return yield* (yield* Effect.promise(() => import("./Anthropic.ts"))).make(endpoint)
    }
  }).pipe(
    Effect.mapError(({ fix, option, problem }) => {
      const variable = option === "apiKey" || option === "baseUrl" ? read[option] : undefined
      const what = variable === undefined ? `has the option \`${option}\`` : `reads ${variable}`
      return new SpecRefused({ spec: shown(spec), problem: `${what}, which ${problem}`, fix })
    })
  )

const agentsOf = (client: HttpClient): Agents => ({ agent: (named) => agentOf(named, client) })

const agentOf = (named: Named, client: HttpClient): Effect.Effect<AgentBackend.Service, SpecRefused, Scope.Scope> => {
  const refused = (spec: string) => (error: { readonly problem: string }) =>
    new SpecRefused({
      spec: masked(shown(spec)),
      problem: `cannot be an agent: ${error.problem}`,
      fix: fixes[named._tag]
    })
  return Effect.gen(function* () {
    if (named._tag === "Url") {
      const { make } = yield* Effect.promise(() => import("./HttpAgent.ts"))
      return yield* Effect.mapError(
        Effect.provideService(make({ url: named.url }), HttpClient, client),
        refused(named.url)
      )
    }
    const { make } = yield* Effect.promise(() => import("./CommandAgent.ts"))
    return yield* Effect.mapError(make({ command: named.command }), refused(named.command.join(" ")))
  })
}

const fixes: Readonly<Record<Named["_tag"], string>> = {
  Url: "Give an address such as http://localhost:8000/chat, or an `HttpAgent` with headers of its own.",
  Command: 'Give a program and its arguments, such as { command: ["python", "agent.py"] }.'
}
