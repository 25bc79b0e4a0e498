/**
 * What this machine has to reach models with: which variables are set (never what is in them), and whether the endpoints
 * they lead to answer.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { baseUrlVariable } from "@sandtable/backends/Backends"
import { providers, type Provider } from "@sandtable/backends/ModelSpec"
import * as Proxy from "@sandtable/backends/Proxy"
import { shown } from "@sandtable/core/unstable/ModelSource"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export interface Endpoint {
  /** `hosted`, or a provider: what a spec begins with. */
  readonly name: string
  /** Without what may be secret in it. */
  readonly address: string
  /** The variable that holds its key, and whether it is set. */
  readonly key: { readonly variable: string; readonly set: boolean }
  /** The variables that led here. */
  readonly from: ReadonlyArray<string>
  /** A server that needs no configuration: told only where it answers. */
  readonly local: boolean
  /** The proxy it is reached through, without its user; null for straight. */
  readonly proxy: string | null
  readonly reply: Reply | null
}

/** What came of asking an endpoint for its models, which costs nothing. Null where nobody asked. */
export interface Reply {
  readonly status: "answers" | "refuses_key" | "no_answer"
  readonly detail: string
}

export interface Setup {
  readonly endpoints: ReadonlyArray<Endpoint>
  /** Variables of the hosted endpoint that are not set although one of them is. */
  readonly missing: ReadonlyArray<string>
  /** What HTTP_PROXY, HTTPS_PROXY and NO_PROXY come to, without users. */
  readonly proxies: Proxy.Proxies
}

/** Reads the configuration, and asks the endpoints unless told not to. */
export const read = (ask: boolean): Effect.Effect<Setup, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const hosted = yield* hostedOf
    const proxies = yield* Proxy.read("environment")
    const named = yield* Effect.forEach(providers, providerOf)
    // one key is one account, whatever names lead to it; an address of its own is told apart
    const found = Arr.dedupeWith(
      [...hosted.candidates, ...named.flat()],
      (a, b) => a.variable === b.variable && (a.address === b.address || Math.min(a.from.length, b.from.length) < 2)
    )
    const endpoints = yield* Effect.forEach(
      found,
      (candidate) =>
        Effect.map(ask ? reach(candidate) : Effect.succeed(null), (reply): Endpoint => {
          const { address, from, key, local, name, variable } = candidate
          const proxy = shownProxy(Proxy.of(proxies, address))
          return { name, address: shown(address), key: { variable, set: key !== null }, from, local, proxy, reply }
        }),
      { concurrency: 8 }
    )
    return {
      // nobody configured a local server: it is worth a word where there is one
      endpoints: endpoints.filter(({ local, reply }) => !local || reply?.status === "answers"),
      missing: hosted.missing,
      proxies: { ...proxies, http: shownProxy(proxies.http), https: shownProxy(proxies.https) }
    }
  })

const shownProxy = (proxy: string | null): string | null => (proxy === null ? null : Proxy.shown(proxy))

interface Candidate {
  readonly name: string
  readonly address: string
  readonly variable: string
  readonly key: string | null
  readonly from: ReadonlyArray<string>
  readonly local: boolean
  readonly api: Provider["api"]
  readonly header: string | null
}

const valueOf = (variable: string): Effect.Effect<string | null> =>
  Effect.map(Effect.option(Config.nonEmptyString(variable)), Option.getOrNull)

const hostedVariables = ["SANDTABLE_BASE_URL", "SANDTABLE_MODEL"] as const

const hostedOf = Effect.gen(function* () {
  const [address, model] = yield* Effect.all([valueOf(hostedVariables[0]), valueOf(hostedVariables[1])])
  const key = yield* valueOf("SANDTABLE_API_KEY")
  const missing = [...(address === null ? [hostedVariables[0]] : []), ...(model === null ? [hostedVariables[1]] : [])]
  if (address === null || model === null) {
    return { candidates: [], missing: address === null && model === null && key === null ? [] : missing }
  }
  const candidate: Candidate = {
    name: `hosted (${model})`,
    address,
    variable: "SANDTABLE_API_KEY",
    key,
    from: [...hostedVariables],
    local: false,
    api: "chat",
    header: null
  }
  return { candidates: [candidate], missing: [] }
})

/** A provider that a key or an address of the environment leads to, or a server at its usual port here. */
const providerOf = (provider: Provider): Effect.Effect<ReadonlyArray<Candidate>> =>
  Effect.gen(function* () {
    const moved = yield* valueOf(baseUrlVariable(provider.name))
    const key = yield* valueOf(provider.key)
    const address = moved ?? provider.baseUrl
    const from = [...(key === null ? [] : [provider.key]), ...(moved === null ? [] : [baseUrlVariable(provider.name)])]
    const local = !provider.needsKey && from.length === 0
    if (address === null || (from.length === 0 && !local)) return []
    return [
      {
        name: provider.name,
        address,
        variable: provider.key,
        key,
        from,
        local,
        api: provider.api,
        header: provider.keyHeader ?? null
      }
    ]
  })

/** Longest wait for an answer; a server of this machine answers at once or is not there. */
const patience = { remote: "5 seconds", local: "500 millis" } as const

const reach = (candidate: Candidate): Effect.Effect<Reply, never, HttpClient.HttpClient> => {
  const { address, api, header, key, local } = candidate
  const url = `${address.replace(/\/+$/, "")}/models`
  if (!URL.canParse(url)) return Effect.succeed({ status: "no_answer", detail: "the address is none" })
  const keyed = key === null ? {} : keyHeaders(api, header, key.trim())
  const request = HttpClientRequest.setHeaders(HttpClientRequest.get(url), keyed)
  return HttpClient.execute(request).pipe(
    Effect.map(({ status }): Reply => {
      if (status === 401 || status === 403) {
        return { status: "refuses_key", detail: `${key === null ? "wants a key" : "refuses the key"} (${status})` }
      }
      return { status: "answers", detail: status < 400 ? "answers" : `answers (${status})` }
    }),
    Effect.scoped,
    Effect.timeoutFail({
      duration: local ? patience.local : patience.remote,
      onTimeout: () => ({ message: "no answer in time" })
    }),
    Effect.catchAll((error): Effect.Effect<Reply> => {
      const cause = "cause" in error && error.cause instanceof Error ? error.cause : null
      const code = cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : null
      return Effect.succeed({ status: "no_answer", detail: code === null ? "no answer" : `no answer (${code})` })
    })
  )
}

const keyHeaders = (api: Provider["api"], header: string | null, key: string): Readonly<Record<string, string>> => {
  if (header !== null) return { [header]: key }
  return api === "messages"
    ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
    : { authorization: `Bearer ${key}` }
}
