/**
 * The two streams of the command: data on one, everything else on the other. Everything the command prints goes through
 * here, so that a test can read it and a redrawn window is never torn by somebody else's line.
 */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as Style from "./Style.ts"

export interface Sink {
  readonly write: (text: string) => void
  /** Whether a person looks at it through a terminal that understands control codes. */
  readonly isTerminal: boolean
  readonly style: Style.Style
  readonly columns: () => number
}

export interface Service {
  /** Data. */
  readonly out: Sink
  /** Everything else. */
  readonly err: Sink
  /** Whether anybody can answer a question. */
  readonly interactive: boolean
  /** While the scope is open, what an agent's own code writes to either stream goes to the handler instead. */
  readonly capture: (handler: (text: string) => void) => Effect.Effect<void, never, Scope>
  /** Gives the terminal back as it was: for the moment before the process ends abruptly. */
  readonly restore: () => void
}

export class Stdio extends Context.Tag("@sandtable/cli/Stdio")<Stdio, Service>() {}

/** What is needed of a process: a test can hand in another. */
export interface ProcessLike {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly stdin: { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The streams of a Node process. Under `CI`, `NO_COLOR` or a dumb terminal nothing is redrawn and nothing is coloured. */
export const fromProcess = (process: ProcessLike): Service => {
  const { env } = process
  const bare = isSet(env["NO_COLOR"]) || isSet(env["CI"]) || env["TERM"] === "dumb"
  const sink = (stream: NodeJS.WriteStream): Sink => {
    const isTerminal = stream.isTTY === true && !bare
    const write = stream.write.bind(stream)
    return {
      write: (text) => void write(text),
      isTerminal,
      style: isTerminal ? Style.ansi : Style.plain,
      columns: () => (stream.isTTY === true ? stream.columns || defaultColumns : defaultColumns)
    }
  }
  const out = sink(process.stdout)
  const err = sink(process.stderr)
  return {
    out,
    err,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    capture: (handler) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => [divert(process.stdout, handler), divert(process.stderr, handler)]),
          (undo) => Effect.sync(() => undo.forEach((give) => give()))
        )
      ),
    restore: () => {
      if (err.isTerminal) err.write(showCursor)
    }
  }
}

export const layer = (process: ProcessLike): Layer.Layer<Stdio> => Layer.sync(Stdio, () => fromProcess(process))

/** Streams kept in memory, as a pipe sees them unless `terminal` is set. */
export const memory = (
  options: { readonly terminal?: boolean; readonly columns?: number } = {}
): { readonly service: Service; readonly stdout: () => string; readonly stderr: () => string } => {
  const written = { out: "", err: "" }
  const sink = (key: "out" | "err"): Sink => ({
    write: (text) => {
      written[key] += text
    },
    isTerminal: options.terminal === true,
    style: options.terminal === true ? Style.ansi : Style.plain,
    columns: () => options.columns ?? defaultColumns
  })
  return {
    service: { out: sink("out"), err: sink("err"), interactive: false, capture: () => Effect.void, restore: () => {} },
    stdout: () => written.out,
    stderr: () => written.err
  }
}

/** Runs an effect whose console prints on our streams, without control codes where they don't belong. */
export const withConsole =
  (stdio: Service) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const print =
      (sink: Sink) =>
      (...args: ReadonlyArray<unknown>): Effect.Effect<void> =>
        Effect.sync(() => {
          const text = args.map((arg) => (typeof arg === "string" ? arg : JSON.stringify(arg))).join(" ")
          sink.write(`${sink.isTerminal ? text : Style.strip(text)}\n`)
        })
    const note = print(stdio.err)
    return Effect.flatMap(Effect.console, (console) =>
      Console.withConsole(effect, {
        ...console,
        log: print(stdio.out),
        info: note,
        warn: note,
        error: note,
        debug: note
      })
    )
  }

export const hideCursor = "\u001b[?25l"
export const showCursor = "\u001b[?25h"

const defaultColumns = 100

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "false"

/** Sends what is written to a stream to the handler; the answer gives the stream back. */
const divert = (stream: NodeJS.WriteStream, handler: (text: string) => void): (() => void) => {
  const original = stream.write
  const write: NodeJS.WriteStream["write"] = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void
  ): boolean => {
    handler(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))
    const callback = typeof encoding === "function" ? encoding : done
    if (callback !== undefined) queueMicrotask(() => callback())
    return true
  }
  stream.write = write
  return () => {
    stream.write = original
  }
}
