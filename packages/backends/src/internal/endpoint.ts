/**
 * Where requests go and what they carry: address, key and headers, checked before the first call.
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import { InvalidEndpoint, timeouts, type Options, type Timeouts } from "../ModelEndpoint.ts"
import * as Retry from "../Retry.ts"
import * as Address from "./address.ts"
import * as Redaction from "./redaction.ts"

export interface Endpoint {
  readonly url: string
  /** The base address as it may be shown: no credentials, no query. */
  readonly shown: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly redact: Redaction.Redact
  /** Takes the endpoint's secrets out of a reply that echoes them. */
  readonly conceal: Redaction.Conceal
}

/** What a kind of endpoint has where the options say nothing. */
export interface Defaults {
  readonly provider: string
  readonly baseUrl: string
  readonly auth: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export const resolve = (options: Options, defaults: Defaults): Effect.Effect<Endpoint, InvalidEndpoint> =>
  Effect.gen(function* () {
    const provider = options.provider ?? defaults.provider
    const invalid = (option: string, problem: string, fix: string) =>
      new InvalidEndpoint({ provider, option, problem, fix })
    if (typeof options.model !== "string" || options.model.trim() === "") {
      return yield* invalid("model", "names no model", "Give the model's name as the server knows it.")
    }
    const given = options.baseUrl ?? defaults.baseUrl
    const base = URL.canParse(given) ? new URL(given) : undefined
    if (base === undefined || (base.protocol !== "http:" && base.protocol !== "https:")) {
      const problem = `is ${JSON.stringify(Redaction.make([])(given))}, which is no http or https address`
      return yield* invalid("baseUrl", problem, "Give an address such as http://localhost:8000/v1.")
    }
    const headers: Record<string, string> = {
      "content-type": "application/json",
      // Who says nothing of it takes any encoding, and replies are read as they are.
      "accept-encoding": "identity",
      ...defaults.headers
    }
    const secrets: Array<string> = []
    const { password, username } = base
    if (username !== "" || password !== "") {
      const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
      headers["authorization"] = `Basic ${Encoding.encodeBase64(pair)}`
      secrets.push(pair, decodeURIComponent(password === "" ? username : password))
      base.username = ""
      base.password = ""
    }
    const key = options.apiKey === undefined ? undefined : Redacted.value(options.apiKey).trim()
    if (key !== undefined) {
      if (key === "") return yield* invalid("apiKey", "is empty", "Give the key, or leave it out where none is needed.")
      if (!/^[\x21-\x7e]+$/.test(key) || /^(["'`]).*\1$/.test(key)) {
        return yield* invalid(
          "apiKey",
          "holds characters that no key has",
          "Look for blanks, quotes or line ends in it."
        )
      }
      const auth = options.auth ?? defaults.auth
      headers[auth === "bearer" ? "authorization" : auth.toLowerCase()] = auth === "bearer" ? `Bearer ${key}` : key
      secrets.push(key)
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
      // A header that carries credentials is secret however it was given.
      if (Redacted.isRedacted(value) || /auth|key|token|cookie|secret/i.test(name)) {
        secrets.push(text, text.replace(/^(?:Bearer|Basic)\s+/i, ""))
      }
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(text)) {
        return yield* invalid(
          "headers",
          `has ${JSON.stringify(name)}, which no request can carry`,
          "Mend it or leave it out."
        )
      }
      headers[name.toLowerCase()] = text
    }
    secrets.push(...Address.secretsOf(base))
    yield* checkNumbers(options, invalid)
    const path = base.pathname.replace(/\/+$/, "")
    const folder = path.endsWith(defaults.path) ? path.slice(0, -defaults.path.length) : path
    return {
      url: `${base.origin}${folder}${defaults.path}${base.search}`,
      shown: `${base.origin}${folder}`,
      headers,
      redact: Redaction.make([...secrets, ...Address.valuesOf(base)]),
      conceal: Redaction.concealing(secrets)
    }
  })

const checkNumbers = (
  { retry = {}, sampling = {}, timeouts = {}, contextSize }: Options,
  invalid: (option: string, problem: string, fix: string) => InvalidEndpoint
): Effect.Effect<void, InvalidEndpoint> => {
  const from = (least: number, whole: boolean, values: Readonly<Record<string, number | undefined>>) =>
    Object.entries(values).flatMap(([option, value]) =>
      value === undefined || (value >= least && Number.isFinite(value) && (!whole || Number.isInteger(value)))
        ? []
        : [invalid(option, `is ${value}`, `Give a ${whole ? "whole " : ""}number from ${least}.`)]
    )
  const wrong = [
    ...from(1, true, {
      "retry.attempts": retry.attempts,
      "retry.throttledAttempts": retry.throttledAttempts,
      "sampling.maxTokens": sampling.maxTokens,
      contextSize
    }),
    ...from(0.001, false, {
      "retry.base": retry.base,
      "retry.cap": retry.cap,
      "timeouts.request": timeouts.request,
      "timeouts.idle": timeouts.idle
    }),
    ...from(0, false, {
      "timeouts.perToken": timeouts.perToken,
      "sampling.temperature": sampling.temperature,
      "sampling.topP": sampling.topP
    })
  ]
  return wrong[0] === undefined ? Effect.void : Effect.fail(wrong[0])
}

/** Given fields over the defaults; one that is undefined is as good as left out. */
export const policyOf = ({ retry = {} }: Options): Retry.Policy => ({
  attempts: retry.attempts ?? Retry.defaults.attempts,
  throttledAttempts: retry.throttledAttempts ?? Retry.defaults.throttledAttempts,
  base: retry.base ?? Retry.defaults.base,
  cap: retry.cap ?? Retry.defaults.cap
})

export const timeoutsOf = (options: Options): Timeouts => ({
  request: options.timeouts?.request ?? timeouts.request,
  perToken: options.timeouts?.perToken ?? timeouts.perToken,
  idle: options.timeouts?.idle ?? timeouts.idle
})

/**
 * Where a redirect leads: to another address of the same host, or to the same host over TLS. Any other host gets neither
 * the request nor its key.
 */
export const redirected = (from: string, location: string): string | null => {
  if (!URL.canParse(location, from)) return null
  const [was, now] = [new URL(from), new URL(location, from)]
  const upgraded =
    was.hostname === now.hostname && was.protocol === "http:" && now.protocol === "https:" && now.port === ""
  now.username = ""
  now.password = ""
  return now.origin === was.origin || upgraded ? now.href : null
}
