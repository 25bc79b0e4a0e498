/**
 * fetch for what is built on it: through a proxy, and with a bound on what a packed answer may grow to.
 */
import { fetch as undiciFetch, type Dispatcher, type RequestInit as UndiciInit } from "@effect/platform-node/Undici"
import * as Encoding from "./encoding.ts"
import * as Proxied from "./proxied.ts"

export interface Fetching {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

/** Throws where the proxy cannot be one. */
export const make = (proxy: string | null): Fetching => {
  const dispatcher: Dispatcher | null = proxy === null ? null : Proxied.dispatcher(proxy)
  return {
    fetch: async (url, init) => {
      // The same declarations twice: Node's own and those of the package that Node has inside.
      const options = { ...init, ...(dispatcher === null ? {} : { dispatcher }) } as UndiciInit
      try {
        return bounded((await undiciFetch(url, options)) as unknown as Response)
      } catch (error) {
        throw proxy === null ? error : Proxied.along(proxy, error)
      }
    },
    close: async () => dispatcher?.destroy()
  }
}

/** fetch has unpacked the body, however much came of it. */
const bounded = (response: Response): Response => {
  const { body, headers } = response
  if (body === null || Encoding.namesIn(headers.get("content-encoding") ?? "").length === 0) return response
  const limited = body.pipeThrough(limit(/event-stream/i.test(headers.get("content-type") ?? "")))
  return Object.defineProperties(response, {
    body: { value: limited },
    text: { value: () => new Response(limited).text() },
    json: { value: () => new Response(limited).json() }
  })
}

/** Counts an answer, or each event of a stream, which may go on as long as a session does. */
const limit = (events: boolean): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > Encoding.largest) return controller.error(Encoding.grows())
      if (events && /\n\r?\n/.test(new TextDecoder("latin1").decode(chunk))) bytes = 0
      controller.enqueue(chunk)
    }
  })
}
