/**
 * Requests through a proxy: by a tunnel to servers that speak TLS, and to others as a proxy is asked for them.
 */
import { ProxyAgent, type Dispatcher } from "@effect/platform-node/Undici"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import * as Encoding from "effect/Encoding"
import { unescape } from "node:querystring"
import * as Proxy from "../Proxy.ts"

/** A dispatcher of undici that goes through a proxy; throws where the proxy has no address that can be used. */
export const dispatcher = (proxy: string): Dispatcher => {
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : null
  if (protocol !== "http:" && protocol !== "https:") {
    throw new Error(
      `the proxy is ${Proxy.shown(proxy)}, and only http: and https: are known here; see HTTP_PROXY and HTTPS_PROXY`
    )
  }
  const url = new URL(proxy)
  const pair = `${unescape(url.username)}:${unescape(url.password)}`
  url.username = ""
  url.password = ""
  return new ProxyAgent({
    uri: url.href,
    proxyTunnel: false,
    ...(pair === ":" ? {} : { token: `Basic ${Encoding.encodeBase64(pair)}` })
  }).compose(
    // It writes a host into the headers it is given, which here belong to every request.
    (dispatch) => (options, handler) => {
      const headers = { ...(options.headers as Readonly<Record<string, string>>) }
      return dispatch({ ...options, headers }, handler)
    }
  )
}

/** An error on the way to a server, with the proxy that was on it. */
export const along = (proxy: string, cause: unknown): unknown => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = typeof inner === "object" && inner !== null && "code" in inner ? { code: inner.code } : {}
  return Object.assign(new Error(`through the proxy ${Proxy.shown(proxy)}: ${ErrorText.of(inner)}`), code)
}
