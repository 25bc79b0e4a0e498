/**
 * The two streams of the command: data on one, everything else on the other. Everything the command prints goes through
 * here, so that a test can read it and a redrawn window is never torn by somebody else's line.
 */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { fstatSync, writeSync } from "node:fs"
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
  /** What kept data from being written (a full disk); null while nothing did. A reader that left early is no failure. */
  readonly failure: () => Error | null
}

export class Stdio extends Context.Tag("@sandtable/cli/Stdio")<Stdio, Service>() {}

/** What is needed of a process: a test can hand in another. */
export interface ProcessLike {
  /** With `fd` where it is a file that is written on the spot. */
  readonly stdout: NodeJS.WriteStream & { readonly fd?: number }
  readonly stderr: NodeJS.WriteStream & { readonly fd?: number }
  readonly stdin: { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The streams of a Node process. Under `CI`, `NO_COLOR` or a dumb terminal nothing is redrawn and nothing is coloured. */
export const fromProcess = (process: ProcessLike): Service => {
  const { env } = process
  const bare = isSet(env["NO_COLOR"]) || isSet(env["CI"]) || env["TERM"] === "dumb"
  let failure: Error | null = null
  const failed = (error: Error): void => {
    if (!isCode(error, "EPIPE")) failure ??= error
  }
  // Without a listener it would pass for an error of the agent's.
  process.stdout.on("error", failed)
  // There is nowhere to tell of it.
  const lost = (): void => {}
  process.stderr.on("error", lost)
  const sink = (stream: ProcessLike["stdout"], onError: (error: Error) => void): Sink => {
    const isTerminal = stream.isTTY === true && !bare
    const write = writerOf(stream, onError)
    return {
      write,
      isTerminal,
      style: isTerminal ? Style.ansi : Style.plain,
      columns: () => (stream.isTTY === true ? stream.columns || defaultColumns : defaultColumns)
    }
  }
  const out = sink(process.stdout, failed)
  const err = sink(process.stderr, lost)
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
    },
    failure: () => failure
  }
}

/** Writes to a stream, as it is now. Node's own writer to files takes a part for the whole where the disk gets full. */
const writerOf = (stream: ProcessLike["stdout"], onError: (error: Error) => void): ((text: string) => void) => {
  const { fd } = stream
  const write = stream.write.bind(stream)
  if (fd === undefined || !isFile(fd)) {
    // The stream's own event comes too late for a process that is about to end.
    return (text) =>
      void write(text, (error) => {
        if (error) onError(error)
      })
  }
  return (text) => {
    try {
      for (let left = Buffer.from(text); left.length > 0;) left = left.subarray(writeSync(fd, left))
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

const isFile = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

const isCode = (error: unknown, code: string): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === code

export const layer = (process: ProcessLike): Layer.Layer<Stdio> => Layer.sync(Stdio, () => fromProcess(process))

/** What is told when data could not be written, in a sentence. */
export const unwritten = (error: Error): string => `the output could not be written: ${error.message}`

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
    service: {
      out: sink("out"),
      err: sink("err"),
      interactive: false,
      capture: () => Effect.void,
      restore: () => {},
      failure: () => null
    },
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
