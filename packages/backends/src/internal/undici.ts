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
import { TypeId as MessageTypeId, inspect } from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { EventEmitter } from "node:events"
import type { Connections } from "./connections.ts"
import * as Posting from "./posting.ts"

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
  return body._tag === "Stream"
    ? Effect.flatMap(NodeStream.toReadable(body.stream), (readable) =>
        dispatch(connections, request, made.right, readable)
      )
    : dispatch(connections, request, made.right, bodyOf(body))
}

type Body = Exclude<Dispatcher.RequestOptions["body"], undefined>

const dispatch = (
  connections: Connections,
  request: HttpClientRequest,
  url: URL,
  body: Body
): Effect.Effect<HttpClientResponse, HttpClientError> =>
  Effect.async((resume) => {
    // An emitter, since a signal of the platform costs as much as the rest of a request.
    const signal = new EventEmitter()
    const failed = (cause: unknown): void =>
      resume(Effect.fail(new RequestError({ request, reason: "Transport", cause })))
    try {
      connections.take(url.origin).request(
        {
          signal,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers,
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

  constructor(request: HttpClientRequest, source: Dispatcher.ResponseData) {
    super()
    this.request = request
    this.source = source
    // An error of a body that nobody reads any more is nobody's.
    source.body.on("error", () => undefined)
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
    return NodeStream.fromReadable<ResponseError, Uint8Array>(
      () => this.source.body,
      (cause) => this.error(cause)
    )
  }

  get text(): Effect.Effect<string, ResponseError> {
    return this.read((body) => body.text())
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
    return this.read((body) => body.formData() as Promise<FormData>)
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, ResponseError> {
    return this.read((body) => body.arrayBuffer())
  }

  toJSON(): unknown {
    return inspect(this, {
      _id: "@effect/platform/HttpClientResponse",
      request: this.request.toJSON(),
      status: this.status
    })
  }

  private read<A>(from: (body: Dispatcher.ResponseData["body"]) => Promise<A>): Effect.Effect<A, ResponseError> {
    return Effect.async((resume) => {
      const { body } = this.source
      from(body).then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(Effect.fail(this.error(cause)))
      )
      return Effect.sync(() => body.destroy())
    })
  }

  private error(cause: unknown): ResponseError {
    return new ResponseError({ request: this.request, response: this, reason: "Decode", cause })
  }
}
