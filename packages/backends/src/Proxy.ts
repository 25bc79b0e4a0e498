/**
 * Proxies between here and the servers: told, or as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. The command line reads the
 * variables; the library goes straight to a server unless it is told otherwise.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * `"environment"` reads `http_proxy`, `https_proxy` and `no_proxy`, or the same in capitals (small letters win); a text is the
 * address of a proxy for everything. In an object `https` is `http` where it is left out, and `except` is what NO_PROXY holds.
 * @since 0.1.0
 * @category models
 */
export type Settings =
  | "environment"
  | (string & {})
  | { readonly http?: string; readonly https?: string; readonly except?: string }

/**
 * Which proxy takes which requests.
 * @since 0.1.0
 * @category models
 */
export interface Proxies {
  /** For addresses that begin with `http:`, and for those with `https:`; null where servers are asked straight. */
  readonly http: string | null
  readonly https: string | null
  /** Hosts that are reached without one: `example.com` (and what is below it), `.example.com`, `host:8080`, `10.0.0.0/8`, `*`. */
  readonly except: ReadonlyArray<string>
}

/**
 * No proxy for anybody.
 * @since 0.1.0
 * @category constants
 */
export const none: Proxies = { http: null, https: null, except: [] }

/**
 * What the settings come to; none where they are left out.
 * @since 0.1.0
 * @category functions
 */
export const read = (settings: Settings | undefined): Effect.Effect<Proxies> => {
  if (settings === undefined) return Effect.succeed(none)
  if (settings === "environment") return environment
  return Effect.succeed(
    typeof settings === "string"
      ? make(settings, undefined, undefined)
      : make(settings.http, settings.https, settings.except)
  )
}

const make = (http: string | undefined, https: string | undefined, except: string | undefined): Proxies => ({
  http: addressOf(http),
  https: addressOf(https) ?? addressOf(http),
  except: (except ?? "")
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== "")
})

/** What is blank is not set, and `proxy:3128` is an http proxy, as everybody has it. */
const addressOf = (text: string | undefined): string | null => {
  const given = text?.trim() ?? ""
  return given === "" ? null : given.includes("://") ? given : `http://${given}`
}

const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.option(Config.string(name)), (value) => Option.getOrElse(value, () => "").trim() || undefined)

const either = (name: string): Effect.Effect<string | undefined> =>
  Effect.flatMap(variable(name), (small) =>
    small === undefined ? variable(name.toUpperCase()) : Effect.succeed(small)
  )

const environment: Effect.Effect<Proxies> = Effect.map(
  Effect.all([either("http_proxy"), either("https_proxy"), either("no_proxy")]),
  ([http, https, except]) => make(http, https, except)
)

/**
 * The proxy that requests to an address go through; null where they go straight.
 * @since 0.1.0
 * @category constructors
 */
export const of = ({ except, http, https }: Proxies, address: string): string | null => {
  if ((http === null && https === null) || !URL.canParse(address)) return null
  const { hostname, port, protocol } = new URL(address)
  const proxy = protocol === "https:" ? https : http
  if (proxy === null) return null
  const host = bare(hostname.toLowerCase())
  const at = port === "" ? (protocol === "https:" ? "443" : "80") : port
  return except.some((entry) => excepts(entry, host, at)) ? null : proxy
}

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")

const excepts = (entry: string, host: string, port: string): boolean => {
  if (entry === "*") return true
  const block = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(entry)
  if (block !== null) return within(host, block[1] ?? "", Number(block[2]))
  const ported = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry)
  if (ported !== null && ported[2] !== port) return false
  const name = bare((ported?.[1] ?? entry).replace(/^\*?\./, ""))
  return name !== "" && (host === name || host.endsWith(`.${name}`))
}

/** Whether an IPv4 address is in a block of them. */
const within = (host: string, base: string, bits: number): boolean => {
  const [a, b] = [numberOf(host), numberOf(base)]
  if (a === null || b === null || bits > 32) return false
  const size = 2 ** (32 - bits)
  return Math.floor(a / size) === Math.floor(b / size)
}

const numberOf = (address: string): number | null =>
  /^\d+(?:\.\d+){3}$/.test(address) ? address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) : null

/**
 * A proxy as it may be shown: whose it is and what its user is called stay out.
 * @since 0.1.0
 * @category functions
 */
export const shown = (proxy: string): string => {
  if (!URL.canParse(proxy)) return "an address that is none"
  const { host, password, protocol, username } = new URL(proxy)
  return `${protocol}//${username === "" && password === "" ? "" : "<redacted>@"}${host}`
}
