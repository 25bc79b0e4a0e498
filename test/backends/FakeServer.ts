/**
 * A scripted model server over real HTTP on 127.0.0.1. It speaks chat completions, the Responses API and Anthropic's
 * Messages, whole or as streams, by the path and the `stream` field of what it is asked; a script says what the model says,
 * protocol-free, or answers raw where a test is about the wire itself. It holds threads to the rules of their protocol and
 * refuses those that break them, as the real servers do.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Shapes from "./fake-shapes.ts"
import { violationOf } from "./fake-rules.ts"

/** What a model says, whatever the protocol. */
export interface Said {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: unknown; readonly id?: string }>
  /** In the words of chat completions; by the content when left out. */
  readonly finish?: string
  readonly refusal?: string
  readonly usage?: {
    readonly input: number
    readonly output: number
    readonly cached?: number
    readonly reasoning?: number
  }
  readonly logprobs?: ReadonlyArray<{ readonly token: string; readonly logprob: number }>
}

/** An answer on the wire, whatever the protocol. */
export interface Raw {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
  /** Events as `data:` lines of JSON (texts as they are); ends the reply unless `open`. */
  readonly events?: ReadonlyArray<unknown>
  /** Bytes of the body, written one after the other. */
  readonly chunks?: ReadonlyArray<string | Uint8Array>
  /** Keeps the connection open after what is written. */
  readonly open?: boolean
  /** Breaks the connection after what is written. */
  readonly reset?: boolean
}

export type Reply = Said | { readonly raw: Raw }

export interface Received {
  readonly n: number
  readonly path: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Readonly<Record<string, unknown>>
  /** The body as it was sent. */
  readonly text: string
  /** The client went away before the reply was whole. */
  aborted: boolean
}

/** Replies in turn (the last one for ever), or a function of the request. */
export type Script = ReadonlyArray<Reply> | ((request: Received) => Reply | Promise<Reply>)

export interface FakeServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Threads that broke the rules of their protocol, and were refused. */
  readonly violations: ReadonlyArray<string>
  readonly inFlight: () => number
  /** Most requests that were under way at once. */
  readonly peak: () => number
  /** Resolves when so many requests are under way at once. */
  readonly reached: (inFlight: number) => Promise<void>
  /** Resolves when a client has gone away from so many requests. */
  readonly abandoned: (requests: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** A server for as long as the scope. */
export const make = (script: Script): Effect.Effect<FakeServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => listen(script)),
    (server) => Effect.promise(() => server.close())
  )

/** A server until it is closed; for what runs without Effect. */
export const listen = async (script: Script, port = 0): Promise<FakeServer> => {
  const received: Array<Received> = []
  const violations: Array<string> = []
  const waiters: Array<{ readonly met: () => boolean; readonly resolve: () => void }> = []
  let inFlight = 0
  let peak = 0

  const changed = (): void => {
    for (let i = waiters.length - 1; i >= 0; i--) {
      const waiter = waiters[i]
      if (waiter?.met() === true) {
        waiters.splice(i, 1)
        waiter.resolve()
      }
    }
  }
  const until = (met: () => boolean): Promise<void> =>
    met() ? Promise.resolve() : new Promise((resolve) => void waiters.push({ met, resolve }))

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight += 1
    peak = Math.max(peak, inFlight)
    const text = await bodyOf(request)
    const one: Received = {
      n: received.length,
      path: (request.url ?? "").split("?")[0] ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body: text === "" ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>),
      text,
      aborted: false
    }
    received.push(one)
    response.on("close", () => {
      inFlight -= 1
      if (!response.writableFinished) one.aborted = true
      changed()
    })
    changed()
    const violation = violationOf(one.path, one.body)
    if (violation !== null) {
      violations.push(violation)
      return write(response, { status: 400, json: Shapes.error(one.path, violation) })
    }
    const reply = typeof script === "function" ? await script(one) : script[Math.min(one.n, script.length - 1)]
    if (reply === undefined) throw new Error("the script has no reply")
    write(response, "raw" in reply ? reply.raw : Shapes.written(one.path, one.body["stream"] === true, reply, one.n))
  }

  const server: Server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else write(response, { status: 500, text: `the script failed: ${String(error)}` })
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", 4096, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    violations,
    inFlight: () => inFlight,
    peak: () => peak,
    reached: (wanted) => until(() => inFlight >= wanted),
    abandoned: (wanted) => until(() => received.filter(({ aborted }) => aborted).length >= wanted),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** An error in the words of OpenAI. */
export const refusal = (
  status: number,
  error: Readonly<Record<string, unknown>> | string,
  headers: Readonly<Record<string, string>> = {}
): Reply => ({
  raw: { status, headers, json: { error: typeof error === "string" ? { message: error } : error } }
})

const write = (response: ServerResponse, raw: Raw): void => {
  const { chunks, events, headers, json, open, reset, status = 200, text } = raw
  const type = events !== undefined || chunks !== undefined ? "text/event-stream" : "application/json"
  response.writeHead(status, { "content-type": text === undefined ? type : "text/plain", ...headers })
  const parts = chunks ?? (events === undefined ? [text ?? JSON.stringify(json ?? {})] : events.map(Shapes.frame))
  const last = parts.length - 1
  const next = (i: number): void => {
    if (i <= last) return void response.write(parts[i], () => setImmediate(next, i + 1))
    if (reset === true) response.destroy()
    else if (open !== true) response.end()
    else response.flushHeaders()
  }
  next(0)
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}
