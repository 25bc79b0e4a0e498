/**
 * An HTTP client over undici that costs little more than undici: no span, no registry of responses and no cache of bodies
 * stand around a call. An interruption aborts the request, also while its body is read.
 */
import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import type { HttpBody } from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import { RequestError, ResponseError, type HttpClientError } from "@effect/platform/HttpClientError"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import { TypeId as ResponseTypeId, type HttpClientResponse } from "@effect/platform/HttpClientResponse"
import { TypeId as MessageTypeId, MaxBodySize, inspect } from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Buffer } from "node:buffer"
import { EventEmitter } from "node:events"
import type { Readable } from "node:stream"
import type { Connections } from "./connections.ts"
import * as Encoding from "./encoding.ts"
import * as Posting from "./posting.ts"
import * as TraceContext from "./traceContext.ts"

export const make = (connections: Connections): HttpClient.HttpClient => {
  const client = HttpClient.makeWith<never, never, HttpClientError, never>(
    Effect.flatMap((request) => send(connections, request)),
    (request) => Effect.succeed(request)
  )
  posts.set(client, Posting.make(connections))
  return client
}

const posts = new WeakMap<HttpClient.HttpClient, Posting.Post>()

/** How a client of ours posts; undefined for any other, whose own ways must not be gone around. */
export const postOf = (client: HttpClient.HttpClient): Posting.Post | undefined => posts.get(client)

const send = (
  connections: Connections,
  request: HttpClientRequest
): Effect.Effect<HttpClientResponse, HttpClientError> => {
  const made = UrlParams.makeUrl(request.url, request.urlParams, request.hash)
  if (Either.isLeft(made)) {
    return Effect.fail(new RequestError({ request, reason: "InvalidUrl", cause: made.left }))
  }
  const { body } = request
  return Effect.withFiberRuntime((fiber) => {
    const headers = TraceContext.withTrace(fiber, request.headers)
    return body._tag === "Stream"
      ? Effect.flatMap(NodeStream.toReadable(body.stream), (readable) =>
          dispatch(connections, request, headers, made.right, readable)
        )
      : dispatch(connections, request, headers, made.right, bodyOf(body))
  })
}

type Body = Exclude<Dispatcher.RequestOptions["body"], undefined>

const dispatch = (
  connections: Connections,
  request: HttpClientRequest,
  headers: Headers.Headers,
  url: URL,
  body: Body
): Effect.Effect<HttpClientResponse, HttpClientError> =>
  Effect.async((resume) => {
    // An emitter, since a signal of the platform costs as much as the rest of a request.
    const signal = new EventEmitter()
    const failed = (cause: unknown): void =>
      resume(
        Effect.fail(new RequestError({ request, reason: "Transport", cause: connections.told(url.origin, cause) }))
      )
    try {
      connections.take(url.origin).request(
        {
          signal,
          origin: url.origin,
          method: request.method as Dispatcher.HttpMethod,
          headers,
          path: url.pathname + url.search,
          body,
          // Limits of time are the caller's.
          headersTimeout: 0,
          bodyTimeout: 0
        },
        (error, response) => {
          if (error !== null) failed(error)
          else resume(Effect.succeed(new Response(request, response)))
        }
      )
    } catch (error) {
      failed(error)
    }
    return Effect.sync(() => signal.emit("abort"))
  })

const bodyOf = (body: Exclude<HttpBody, { readonly _tag: "Stream" }>): Body => {
  switch (body._tag) {
    case "Empty":
      return null
    case "Uint8Array":
      return body.body
    case "Raw":
      // What a raw body may be is undici's to say: text, bytes, a stream of Node's.
      return body.body as Body
    case "FormData":
      // The same class by two declarations.
      return body.formData as unknown as Body
  }
}

class Response extends Inspectable.Class implements HttpClientResponse {
  readonly [MessageTypeId]: typeof MessageTypeId = MessageTypeId
  readonly [ResponseTypeId]: typeof ResponseTypeId = ResponseTypeId
  readonly request: HttpClientRequest
  private readonly source: Dispatcher.ResponseData
  /** Unpacked. */
  private readonly body: Readable

  constructor(request: HttpClientRequest, source: Dispatcher.ResponseData) {
    super()
    this.request = request
    this.source = source
    const packed = Encoding.namesIn(source.headers["content-encoding"])
    this.body = packed.length === 0 ? source.body : Encoding.unpacking(packed, source.body)
    // An error of a body that nobody reads any more is nobody's.
    for (const body of new Set([source.body, this.body])) body.on("error", () => undefined)
  }

  get status(): number {
    return this.source.statusCode
  }

  get headers(): Headers.Headers {
    return Headers.fromInput(this.source.headers)
  }

  get cookies(): Cookies.Cookies {
    return Cookies.fromSetCookie(this.source.headers["set-cookie"] ?? [])
  }

  get remoteAddress(): Option.Option<string> {
    return Option.none()
  }

  get stream(): Stream.Stream<Uint8Array, ResponseError> {
    const read = NodeStream.fromReadable<ResponseError, Uint8Array>(
      () => this.body,
      (cause) => this.error(cause)
    )
    return Stream.suspend(() => (this.body.errored === null ? read : Stream.fail(this.error(this.body.errored))))
  }

  get text(): Effect.Effect<string, ResponseError> {
    return Effect.map(this.bytes, (bytes) => new TextDecoder().decode(bytes))
  }

  get json(): Effect.Effect<unknown, ResponseError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: () => (text === "" ? null : (JSON.parse(text) as unknown)),
        catch: (cause) => this.error(cause)
      })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, ResponseError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get formData(): Effect.Effect<FormData, ResponseError> {
    const { "content-type": type = "" } = this.headers
    return Effect.flatMap(this.bytes, (bytes) =>
      Effect.tryPromise({
        try: () => new globalThis.Response(bytes, { headers: { "content-type": type } }).formData(),
        catch: (cause) => this.error(cause)
      })
    )
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, ResponseError> {
    return Effect.map(this.bytes, ({ buffer, byteLength, byteOffset }) =>
      buffer.slice(byteOffset, byteOffset + byteLength)
    )
  }

  toJSON(): unknown {
    return inspect(this, {
      _id: "@effect/platform/HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  /** All of the body, which may be as large as the caller says. */
  private get bytes(): Effect.Effect<Buffer<ArrayBuffer>, ResponseError> {
    return Effect.flatMap(MaxBodySize, (max) =>
      Effect.async((resume) => {
        const { body } = this
        if (body.errored !== null) return resume(Effect.fail(this.error(body.errored)))
        const most = Number(Option.getOrElse(max, () => Encoding.largest))
        const chunks: Array<Buffer> = []
        let length = 0
        body.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          length += chunk.length
          if (length > most) body.destroy(Encoding.tooLarge(most))
        })
        body.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
        body.once("error", (cause) => resume(Effect.fail(this.error(cause))))
        body.once("close", () => resume(Effect.fail(this.error(new Error("the body was closed")))))
        return Effect.sync(() => body.destroy())
      })
    )
  }

  private error(cause: unknown): ResponseError {
    return new ResponseError({ request: this.request, response: this, reason: "Decode", cause })
  }
}
