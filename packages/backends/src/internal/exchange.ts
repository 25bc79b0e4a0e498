/**
 * One request over HTTP and what comes back: JSON read whole, or a stream put together to the body it stands for.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ErrorText from "@sandtable/core/ErrorText"
import { redirected, type Endpoint } from "./endpoint.ts"
import { failure, type Answer, type Failure } from "./failure.ts"
import { parse } from "./json.ts"
import type { Assembly } from "./protocol.ts"
import * as Sse from "./sse.ts"

/** Redirects that are followed: more are a loop. */
const mostRedirects = 3
/** How long a stream may take to end once all it had to say was there, in milliseconds: its connection can be used again. */
const endingMillis = 1000

export interface Exchange {
  readonly client: HttpClient.HttpClient
  readonly endpoint: Endpoint
  /** Longest silence of a stream, in milliseconds. */
  readonly idle: number
}

/** Sends a body; fails where no answer came. An interruption aborts the request. */
export const send = (
  { client, endpoint, idle }: Exchange,
  body: string,
  assembly: Assembly
): Effect.Effect<Answer, Failure> => {
  const post = (url: string, redirects: number): Effect.Effect<Answer, Failure> => {
    const request = HttpClientRequest.make("POST")(url, {
      headers: endpoint.headers,
      body: HttpBody.text(body, "application/json")
    })
    return Effect.flatMap(Effect.mapError(execute(client, request), unsent), (response) => {
      const { headers, status } = response
      const location = status >= 300 && status < 400 ? headers["location"] : undefined
      if (location === undefined) return answerOf(response, assembly, idle)
      const next = redirected(url, location)
      if (next !== null && redirects < mostRedirects) return post(next, redirects + 1)
      const where = URL.canParse(location, url) ? new URL(location, url).origin : location
      return Effect.fail(
        failure(
          "bad_request",
          next === null
            ? `the endpoint redirects to another host (${where}), which gets neither the key nor the request; set baseUrl to where it should go`
            : "the endpoint redirects without end; check baseUrl"
        )
      )
    })
  }
  return post(endpoint.url, 0)
}

/** Redirects are ours to follow, whichever client it is. */
const execute = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientResponse, HttpClientError> =>
  Effect.provideService(client.execute(request), FetchHttpClient.RequestInit, manual)

const manual: RequestInit = { redirect: "manual" }

const answerOf = (response: HttpClientResponse, assembly: Assembly, idle: number): Effect.Effect<Answer, Failure> => {
  const { headers, status } = response
  if (status < 300 && (headers["content-type"] ?? "").includes("text/event-stream")) {
    return Effect.map(streamed(response, assembly, idle), (body) => ({ status, headers, body }))
  }
  return Effect.map(Effect.mapError(response.text, cut), (text) => ({ status, headers, body: parse(text) ?? text }))
}

/** The body that the stream stands for. */
const streamed = (response: HttpClientResponse, assembly: Assembly, idle: number): Effect.Effect<unknown, Failure> =>
  Effect.clockWith((clock) => {
    const decoder = Sse.decoder()
    let spoken = clock.unsafeCurrentTimeMillis()
    const take = (events: ReadonlyArray<Sse.SseEvent>): void => {
      for (const event of events) if (assembly.take(event)) spoken = clock.unsafeCurrentTimeMillis()
    }
    const read = Effect.map(
      Stream.runForEach(response.stream, (bytes) => Effect.sync(() => take(decoder.push(bytes)))),
      () => take(decoder.end())
    )
    const watch: Effect.Effect<void, Failure> = Effect.suspend(() => {
      const left = spoken + (assembly.done() ? endingMillis : idle) - clock.unsafeCurrentTimeMillis()
      if (left > 0) return Effect.zipRight(Effect.sleep(assembly.done() ? left : Math.min(left, endingMillis)), watch)
      if (assembly.done()) return Effect.void
      return Effect.fail(
        failure("unavailable", `the stream was silent for ${idle / 1000} s`, { usage: assembly.usage() })
      )
    })
    return Effect.raceFirst(
      Effect.catchAll(read, (error) =>
        assembly.done() ? Effect.void : Effect.fail({ ...cut(error), usage: assembly.usage() })
      ),
      watch
    )
  }).pipe(
    Effect.flatMap(() => {
      const body = assembly.whole()
      return body === undefined
        ? Effect.fail(failure("unavailable", "the stream ended before the reply did", { usage: assembly.usage() }))
        : Effect.succeed(body)
    })
  )

/** No answer: the words of the innermost cause, such as ECONNREFUSED, and never the request, which holds the key. */
const unsent = (error: HttpClientError): Failure =>
  error.reason === "InvalidUrl" || error.reason === "Encode"
    ? failure("bad_request", "the request could not be written; check baseUrl and headers")
    : failure("unavailable", `no connection: ${causeOf(error.cause)}`)

const cut = (error: HttpClientError): Failure =>
  failure("unavailable", `the connection was cut: ${causeOf(error.cause)}`)

const causeOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code =
    typeof inner === "object" && inner !== null && "code" in inner && typeof inner.code === "string" ? inner.code : ""
  const text = ErrorText.of(inner).slice(0, 300)
  return code === "" || text.includes(code) ? text : `${text} (${code})`
}
