/**
 * Texts posted and answers read whole, by undici's own events: no stream, promise or emitter stands between.
 */
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Deadline from "@sandtable/core/unstable/Deadline"
import * as Effect from "effect/Effect"
import type { Connections } from "./connections.ts"
import * as Encoding from "./encoding.ts"
import * as TraceContext from "./traceContext.ts"

/** An answer read whole. */
export interface Whole {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** Why there is none. */
export type NoAnswer =
  | { readonly _tag: "Late" }
  | { readonly _tag: "Unsent"; readonly cause: unknown }
  | { readonly _tag: "Cut"; readonly cause: unknown }

/** A text to post, and how many seconds the whole answer may take. */
export interface Text {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly seconds: number
}

/** Posts a text and reads its answer; an interruption aborts the request. */
export type Post = (url: string, text: Text) => Effect.Effect<Whole | NoAnswer>

export const make = (connections: Connections): Post => {
  /** Addresses are few, and taken apart once. */
  const parted = new Map<string, { readonly origin: string; readonly path: string }>()
  const partsOf = (url: string) => {
    let parts = parted.get(url)
    if (parts === undefined) {
      const { origin, pathname, search } = new URL(url)
      parted.set(url, (parts = { origin, path: pathname + search }))
    }
    return parts
  }
  return (url, { headers, body, seconds }) =>
    Effect.flatMap(Deadline.make(seconds), (limit) =>
      Effect.withFiberRuntime((fiber) =>
        Effect.async((resume) => {
          const { origin, path } = partsOf(url)
          const reading = new Reading(limit, (answer) =>
            resume(
              Effect.succeed(
                "_tag" in answer && answer._tag === "Unsent"
                  ? { ...answer, cause: connections.told(origin, answer.cause) }
                  : answer
              )
            )
          )
          limit.start(() => reading.giveUp({ _tag: "Late" }))
          // Limits of time are ours.
          const sent = { headers: TraceContext.withTrace(fiber, headers), body }
          const request = { origin, method: "POST", path, ...sent, headersTimeout: 0, bodyTimeout: 0 } as const
          try {
            connections.take(origin).dispatch(request, reading)
          } catch (cause) {
            reading.giveUp({ _tag: "Unsent", cause })
          }
          return Effect.sync(() => reading.giveUp(null))
        })
      )
    )
}

const givenUp = new Error("the request was given up")

/** One request on its way to its answer. */
class Reading implements Dispatcher.DispatchHandler {
  private readonly limit: Deadline.Limit
  private end: (answer: Whole | NoAnswer) => void
  private controller: Dispatcher.DispatchController | null = null
  private ended = false
  private status = 0
  private headers: Whole["headers"] = {}
  private packed: ReadonlyArray<string> = []
  private chunks: Array<Buffer> = []
  private bytes = 0

  constructor(limit: Deadline.Limit, end: (answer: Whole | NoAnswer) => void) {
    this.limit = limit
    this.end = end
  }

  /** Without an answer, which nobody waits for any more where nothing is said of it. */
  giveUp(error: NoAnswer | null): void {
    if (this.ended) return
    const { controller } = this
    const end = this.over()
    if (error !== null) end(error)
    controller?.abort(givenUp)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.ended) controller.abort(givenUp)
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ): void {
    this.status = status
    this.headers = flat(headers)
    this.packed = Encoding.namesIn(headers["content-encoding"])
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk)
    this.bytes += chunk.length
    if (this.bytes > Encoding.largest) this.giveUp({ _tag: "Cut", cause: Encoding.tooLarge(Encoding.largest) })
  }

  onResponseEnd(): void {
    const { chunks, packed } = this
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    if (packed.length === 0) return this.answer(bytes)
    this.chunks = []
    Encoding.unpack(packed, bytes, (unpacked) => {
      if (unpacked instanceof Error) this.settle({ _tag: "Cut", cause: unpacked })
      else this.answer(unpacked)
    })
  }

  private answer(bytes: Buffer): void {
    const { headers, status } = this
    const text = bytes.toString("utf8")
    this.settle({ status, headers, text: text.startsWith(byteOrderMark) ? text.slice(1) : text })
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.settle({ _tag: this.status === 0 ? "Unsent" : "Cut", cause })
  }

  private settle(answer: Whole | NoAnswer): void {
    if (!this.ended) this.over()(answer)
  }

  /** Lets go of all it held, and gives whom to tell: a collector moves what an old object still points at again and again. */
  private over(): Reading["end"] {
    const { end } = this
    this.ended = true
    this.limit.stop()
    this.controller = null
    this.chunks = []
    this.headers = {}
    this.end = ignore
    return end
  }
}

const ignore = (): void => undefined

const byteOrderMark = "\ufeff"

/** Of a header that came several times the first. */
const flat = (headers: Readonly<Record<string, string | Array<string> | undefined>>): Whole["headers"] => {
  const out = Object.create(null) as Record<string, string | undefined>
  for (const name in headers) {
    const value = headers[name]
    out[name] = typeof value === "string" ? value : value?.[0]
  }
  return out
}
