/**
 * One request over HTTP and what comes back: JSON read whole, or a stream put together to the body it stands for.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Deadline from "@sandtable/core/unstable/Deadline"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import * as Stopwatch from "@sandtable/core/unstable/Stopwatch"
import type { Usage } from "@sandtable/core/unstable/Usage"
import * as Encoding from "./encoding.ts"
import { redirected, type Endpoint } from "./endpoint.ts"
import { failure, proxyUser, type Answer, type Failure } from "./failure.ts"
import * as Framing from "./framing.ts"
import { parse } from "./json.ts"
import type { Assembly } from "./protocol.ts"
import type { NoAnswer, Post } from "./posting.ts"
import * as Undici from "./undici.ts"
import * as Unpacked from "./unpacked.ts"

/** Redirects that are followed: more are a loop. */
const mostRedirects = 3
/** How long a stream may take to end once all it had to say was there, in milliseconds: its connection can be used again. */
const endingMillis = 1000

export interface Exchange {
  readonly client: HttpClient.HttpClient
  /** How what is read whole is posted, where the client is ours. */
  readonly post: Post | undefined
  readonly endpoint: Endpoint
  /** Longest silence of a stream, in milliseconds. */
  readonly idle: number
}

/** Requests carry keys and prompts: no client makes spans of them, which is left to who knows what may be in a span. */
export const make = (client: HttpClient.HttpClient, endpoint: Endpoint, idle: number): Exchange => ({
  client: HttpClient.withTracerDisabledWhen(Unpacked.client(client), () => true),
  post: Undici.postOf(client),
  endpoint,
  idle
})

/** What is sent. */
export interface Sending {
  readonly body: string
  /** Seconds the whole answer may take. */
  readonly seconds: number
  readonly streaming: boolean
  readonly assemble: () => Assembly
  /** What a stream had told of tokens so far. */
  readonly usage: () => Usage
}

/** Sends a body; a failure where no answer came. An interruption aborts the request. */
export const send = (exchange: Exchange, sending: Sending): Effect.Effect<Answer | Failure> =>
  exchange.post === undefined || sending.streaming
    ? Effect.merge(sent(exchange, sending))
    : posted(exchange.endpoint, exchange.post, sending)

/** Through any client. */
const sent = ({ client, endpoint, idle }: Exchange, sending: Sending): Effect.Effect<Answer, Failure> => {
  const go = (url: string, redirects: number): Effect.Effect<Answer, Failure> => {
    const request = HttpClientRequest.make("POST")(url, {
      headers: endpoint.headers,
      body: HttpBody.text(sending.body, "application/json")
    })
    return Effect.flatMap(Effect.mapError(execute(client, request), unsent), (response) => {
      const { headers, status } = response
      const next = nextOf(url, status, headers, redirects)
      if (next === null) return answerOf(response, endpoint, sending, idle)
      // Its body is read, so that the connection is free again.
      return Effect.zipRight(
        Effect.ignore(response.text),
        next._tag === "Failure" ? Effect.fail(next) : go(next.url, redirects + 1)
      )
    })
  }
  return Deadline.within(go(endpoint.url, 0), sending.seconds).pipe(
    Effect.catchTag("DeadlineExceeded", () => Effect.fail(late(sending)))
  )
}

/** Through our own, read whole. */
const posted = (endpoint: Endpoint, post: Post, sending: Sending): Effect.Effect<Answer | Failure> => {
  const content = { headers: endpoint.headers, body: sending.body, seconds: sending.seconds }
  const go = (url: string, redirects: number): Effect.Effect<Answer | Failure> =>
    Effect.flatMap(post(url, content), (answer) => {
      if ("_tag" in answer) return Effect.succeed(unanswered(answer, sending))
      const { headers, status, text } = answer
      const next = nextOf(url, status, headers, redirects)
      return next?._tag === "Next"
        ? go(next.url, redirects + 1)
        : Effect.succeed(next ?? wholeOf(status, headers, text, endpoint, sending))
    })
  return go(endpoint.url, 0)
}

const unanswered = (none: NoAnswer, sending: Sending): Failure => {
  if (none._tag === "Late") return late(sending)
  return none._tag === "Cut" ? cut(none) : unconnected(none)
}

const late = ({ seconds, usage }: Sending): Failure =>
  failure("unavailable", `no whole reply within ${seconds} s`, { usage: usage() })

interface Next {
  readonly _tag: "Next"
  readonly url: string
}

/** Where an answer sends the request on; null for one that does not. */
const nextOf = (url: string, status: number, headers: Answer["headers"], redirects: number): Next | Failure | null => {
  const location = status >= 300 && status < 400 ? headers["location"] : undefined
  if (location === undefined) return null
  const next = redirected(url, location)
  if (next !== null && redirects < mostRedirects) return { _tag: "Next", url: next }
  const where = URL.canParse(location, url) ? new URL(location, url).origin : location
  return failure(
    "bad_request",
    next === null
      ? `the endpoint redirects to another host (${where}), which gets neither the key nor the request; set baseUrl to where it should go`
      : "the endpoint redirects without end; check baseUrl"
  )
}

/** Redirects are ours to follow, whichever client it is. */
const execute = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientResponse, HttpClientError> =>
  Effect.provideService(client.execute(request), FetchHttpClient.RequestInit, manual)

const manual: RequestInit = { redirect: "manual" }

const answerOf = (
  response: HttpClientResponse,
  endpoint: Endpoint,
  sending: Sending,
  idle: number
): Effect.Effect<Answer, Failure> => {
  const { headers, status } = response
  const whole = (text: string): Effect.Effect<Answer, Failure> =>
    settled(wholeOf(status, headers, text, endpoint, sending))
  // A stream that was asked for may come without a type, or under another; only JSON is no stream.
  if (!sending.streaming || status >= 300 || /\bjson\b/i.test(headers["content-type"] ?? "")) {
    return Effect.flatMap(Effect.mapError(response.text, cut), whole)
  }
  const assembly = sending.assemble()
  const framing = Framing.make(assembly.take)
  return Effect.flatMap(streamed(response, framing, assembly, idle), () => {
    const text = framing.text()
    return text === null ? settled(assembled(status, headers, endpoint, assembly)) : whole(text)
  })
}

/** JSON, or the events of a stream that nobody asked for. A server may echo the key it was sent: no reply brings it on. */
const wholeOf = (
  status: number,
  headers: Answer["headers"],
  text: string,
  endpoint: Endpoint,
  { assemble }: Sending
): Answer | Failure => {
  if (status >= 300 || !Framing.isEvents(text)) {
    return { status, headers, body: endpoint.conceal(parse(text) ?? text, text) }
  }
  const assembly = assemble()
  const framing = Framing.make(assembly.take)
  framing.push(new TextEncoder().encode(text))
  framing.end()
  return assembled(status, headers, endpoint, assembly)
}

const assembled = (
  status: number,
  headers: Answer["headers"],
  endpoint: Endpoint,
  assembly: Assembly
): Answer | Failure => {
  const body = assembly.whole()
  return body === undefined
    ? failure("unavailable", "the stream ended before the reply did", { usage: assembly.usage() })
    : { status, headers, body: endpoint.conceal(body, null) }
}

const settled = (outcome: Answer | Failure): Effect.Effect<Answer, Failure> =>
  "_tag" in outcome ? Effect.fail(outcome) : Effect.succeed(outcome)

/** Reads a stream to its end, or until all it had to say was there and nothing more came. */
const streamed = (
  response: HttpClientResponse,
  framing: Framing.Framing,
  assembly: Assembly,
  idle: number
): Effect.Effect<void, Failure> =>
  Effect.clockWith((clock) => {
    let spoken = Stopwatch.millis(clock)
    const take = (bytes: Uint8Array): void => {
      if (framing.push(bytes)) spoken = Stopwatch.millis(clock)
    }
    const read = Effect.map(
      Stream.runForEach(response.stream, (bytes) => Effect.sync(() => take(bytes))),
      () => framing.end()
    )
    const watch: Effect.Effect<void, Failure> = Effect.suspend(() => {
      const left = spoken + (assembly.done() ? endingMillis : idle) - Stopwatch.millis(clock)
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
  })

/** No answer: the words of the innermost cause, such as ECONNREFUSED, and never the request, which holds the key. */
const unsent = (error: HttpClientError): Failure =>
  error.reason === "InvalidUrl" || error.reason === "Encode"
    ? failure("bad_request", "the request could not be written; check baseUrl and headers")
    : unconnected(error)

interface Caused {
  readonly cause?: unknown
}

const unconnected = ({ cause }: Caused): Failure => {
  const said = causeOf(cause)
  if (/Proxy response \(407\)|Proxy Authentication Required/.test(said))
    return failure("auth", `no connection: ${said}`, { fix: proxyUser })
  const [, fix = null] = fixes.find(([words]) => words.test(said)) ?? []
  return failure("unavailable", `no connection: ${said}`, { fix, retry: !unsafe.test(said) })
}

/** A connection that is never made: the other side's certificate is not trusted, or it does not speak TLS. */
const unsafe = /certificate|CERT_|ERR_SSL|ERR_TLS|wrong version number/i

const fixes: ReadonlyArray<readonly [RegExp, string]> = [
  [/^through the proxy/, "Check HTTP_PROXY and HTTPS_PROXY; NO_PROXY names the hosts that are reached without one."],
  [/ECONNREFUSED/, "Is the server running, and does it listen at that port?"],
  [
    /ENOTFOUND|EAI_AGAIN/,
    "Check the name of the host, and whether it is reached by a proxy (HTTP_PROXY, HTTPS_PROXY)."
  ],
  [/wrong version number|ERR_SSL/i, "Check whether the address should begin with http:// instead of https://."],
  [/expired|altname|does not match/i, "The server needs a certificate that is valid for this address."],
  [unsafe, "Name the authority that signed it by NODE_EXTRA_CA_CERTS, a file that Node reads as it starts."]
]

const cut = ({ cause }: Caused): Failure =>
  cause instanceof Encoding.Unreadable
    ? failure("unavailable", `the answer cannot be read: ${cause.message}`, { retry: cause.again })
    : failure("unavailable", `the connection was cut: ${causeOf(cause)}`)

const causeOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code =
    typeof inner === "object" && inner !== null && "code" in inner && typeof inner.code === "string" ? inner.code : ""
  const text = ErrorText.of(inner).replace(/\s+/g, " ").trim().slice(0, 300)
  return code === "" || text.includes(code) ? text : `${text} (${code})`
}
