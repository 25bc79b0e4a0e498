/**
 * Responses of clients that are not ours, unpacked: Node's own leaves that to its caller, and fetch does it and leaves the
 * header that says what was packed.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { ResponseError } from "@effect/platform/HttpClientError"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Buffer, isUtf8 } from "node:buffer"
import { Readable } from "node:stream"
import * as Encoding from "./encoding.ts"
import * as Undici from "./undici.ts"

/** A client whose responses are unpacked, by itself or here. */
export const client = (given: HttpClient.HttpClient): HttpClient.HttpClient =>
  Undici.postOf(given) === undefined ? HttpClient.transformResponse(given, Effect.map(unpacked)) : given

const unpacked = (response: HttpClientResponse): HttpClientResponse => {
  const names = Encoding.namesIn(response.headers["content-encoding"])
  if (names.length === 0) return response
  const failed = (cause: unknown): ResponseError =>
    new ResponseError({ request: response.request, response, reason: "Decode", cause })
  const text = Effect.flatMap(response.arrayBuffer, (packed) =>
    Effect.async<string, ResponseError>((resume) => {
      const bytes = Buffer.from(packed)
      Encoding.unpack(names, bytes, (whole) => {
        const plain = whole instanceof Error ? (isUtf8(bytes) ? bytes : whole) : whole
        resume(plain instanceof Error ? Effect.fail(failed(plain)) : Effect.succeed(new TextDecoder().decode(plain)))
      })
    })
  )
  const stream = Stream.unwrap(
    Effect.map(NodeStream.toReadable(response.stream), (body) =>
      NodeStream.fromReadable<ResponseError, Uint8Array>(() => Readable.from(events(names, body)), failed)
    )
  )
  return Object.create(response, { text: { value: text }, stream: { value: stream } }) as HttpClientResponse
}

/** How an event of a stream begins. */
const beginsPlainly = /^(?:data|event|id|retry)?:/

async function* events(names: ReadonlyArray<string>, body: Readable): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  const all = async function* (): AsyncGenerator<Buffer> {
    for (let next = first; next.done !== true; next = await chunks.next()) yield next.value
  }
  const plain = first.done === true || beginsPlainly.test(Buffer.from(first.value).toString("latin1", 0, 6))
  yield* plain ? all() : (Encoding.unpacking(names, Readable.from(all())) as AsyncIterable<Buffer>)
}
