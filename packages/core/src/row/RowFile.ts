/**
 * Files of rows, one a line: reading them without ever holding a file, and mending the end of one before more is
 * appended. Lines end at byte 0x0A and nowhere else; CRLF, byte order marks and blank lines are read over; a line that is
 * no row is handed on by number with the reason, and the rest is kept.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Scope } from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as Platform from "./internal/platform.ts"
import * as Encoding from "./internal/encoding.ts"
import * as Lines from "./internal/lines.ts"
import type { TextLine } from "./internal/lines.ts"
import { asStream } from "./internal/pulled.ts"
import * as Place from "./Place.ts"
import { compare, parse, RowProblem, type Row } from "./Row.ts"
import { fromPlatform, RowFileError } from "./RowFileError.ts"

export { RowFileError } from "./RowFileError.ts"
export type { TextLine } from "./internal/lines.ts"

/**
 * A line of a file: a row, or why it is none. Lines count from 1, blank ones included.
 * @since 0.1.0
 * @category models
 */
export type Line =
  | { readonly _tag: "Row"; readonly number: number; readonly row: Row }
  | { readonly _tag: "Broken"; readonly number: number; readonly problem: RowProblem }

/**
 * A line that is no row.
 * @since 0.1.0
 * @category models
 */
export type BrokenLine = Extract<Line, { _tag: "Broken" }>

/**
 * What mending the end of a file did.
 * @since 0.1.0
 * @category models
 */
export interface Repair {
  /** Bytes of a half last line that were cut off; 0 for a whole file. */
  readonly cut: number
  /** How that half line began, at most 120 characters. */
  readonly text: string
  /** Length of the file now, in bytes: it is empty or ends with a newline. */
  readonly size: number
}

/**
 * The names of the files that stand beside the rows of a run.
 * @since 0.1.0
 * @category models
 */
export interface Beside {
  readonly lost: string
  readonly asks: string
  readonly meta: string
}

/**
 * The files that stand beside `run.jsonl`: `run.lost.jsonl`, `run.asks.jsonl`, `run.meta.json`.
 * @since 0.1.0
 * @category functions
 */
export const beside = (path: string): Beside => {
  const stem = path.endsWith(".jsonl") ? path.slice(0, -".jsonl".length) : path
  return { lost: `${stem}.lost.jsonl`, asks: `${stem}.asks.jsonl`, meta: `${stem}.meta.json` }
}

/**
 * The rows that a file of lost rollouts stands beside; null for another file.
 * @since 0.1.0
 * @category functions
 */
export const rowsOfLost = (path: string): string | null =>
  path.endsWith(".lost.jsonl") ? `${path.slice(0, -".lost.jsonl".length)}.jsonl` : null

/**
 * As `beside`, of the file a path leads to: a link to a run has nothing beside itself.
 * @since 0.1.0
 * @category functions
 */
export const around = (path: string): Effect.Effect<Beside, never, FileSystem.FileSystem> =>
  Effect.map(Place.real(path), beside)

/**
 * What a reader does with some lines, or rows, of a file. The rest is left unread when it answers `false`.
 * @since 0.1.0
 * @category models
 */
export type Take<Parts extends ReadonlyArray<unknown>, E = never, R = never> = (
  ...parts: Parts
) => Effect.Effect<unknown, E, R>

/**
 * Hands on the text of every line that is not blank, whatever it holds: the lines of a block at a time.
 * @since 0.1.0
 * @category functions
 */
export const readText = <E, R>(
  path: string,
  take: Take<[lines: ReadonlyArray<TextLine>], E, R>
): Effect.Effect<void, RowFileError | E, FileSystem.FileSystem | R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const next = yield* open(path)
      for (;;) {
        const lines = yield* next
        if (lines === null) return
        if (lines.length > 0 && (yield* take(lines)) === false) return
      }
    })
  )

/**
 * Hands on every line of a file in order, rows and broken ones, some at a time; blank lines are left out.
 * @since 0.1.0
 * @category functions
 */
export const read = <E, R>(
  path: string,
  take: Take<[lines: ReadonlyArray<Line>], E, R>
): Effect.Effect<void, RowFileError | E, FileSystem.FileSystem | R> =>
  readText(path, (lines) => take(lines.map(readLine)))

/**
 * Hands on the rows of a file, some at a time, beside the lines among them that are none.
 * @since 0.1.0
 * @category functions
 */
export const readRows = <E, R>(
  path: string,
  take: Take<[rows: ReadonlyArray<Row>, broken: ReadonlyArray<BrokenLine>], E, R>
): Effect.Effect<void, RowFileError | E, FileSystem.FileSystem | R> =>
  readText(path, (lines) => {
    const { broken, rows } = sorted(lines)
    return take(rows, broken)
  })

/**
 * The text of the first line that is not blank; null where there is none.
 * @since 0.1.0
 * @category functions
 */
export const firstText = (path: string): Effect.Effect<TextLine | null, RowFileError, FileSystem.FileSystem> =>
  Effect.suspend(() => {
    let found: TextLine | null = null
    const take = ([line]: ReadonlyArray<TextLine>) => Effect.sync(() => (found = line ?? null) === null)
    return Effect.map(readText(path, take), () => found)
  })

/**
 * As `firstText`, read.
 * @since 0.1.0
 * @category functions
 */
export const first = (path: string): Effect.Effect<Line | null, RowFileError, FileSystem.FileSystem> =>
  Effect.map(firstText(path), (line) => (line === null ? null : readLine(line)))

/**
 * The rows of a file as a stream that reads no further than it is run; `onBroken` is told of the lines that are none.
 * @since 0.1.0
 * @category functions
 */
export const stream = (
  path: string,
  onBroken: (line: BrokenLine) => void = () => {}
): Effect.Effect<Stream.Stream<Row, RowFileError>, RowFileError, FileSystem.FileSystem | Scope> =>
  Effect.flatMap(open(path), (next) =>
    asStream(
      Effect.map(next, (lines) => {
        if (lines === null) return null
        const { broken, rows } = sorted(lines)
        broken.forEach(onBroken)
        return rows
      })
    )
  )

/**
 * A whole file in memory: for files that are known to be small.
 * @since 0.1.0
 * @category functions
 */
export const readAll = (
  path: string
): Effect.Effect<
  { readonly rows: ReadonlyArray<Row>; readonly broken: ReadonlyArray<BrokenLine> },
  RowFileError,
  FileSystem.FileSystem
> =>
  Effect.suspend(() => {
    const all = { rows: [] as Array<Row>, broken: [] as Array<BrokenLine> }
    const keep = (rows: ReadonlyArray<Row>, broken: ReadonlyArray<BrokenLine>) =>
      Effect.sync(() => {
        for (const row of rows) all.rows.push(row)
        for (const line of broken) all.broken.push(line)
      })
    return Effect.as(readRows(path, keep), all)
  })

/**
 * The rows of a run in the run's own order, whatever order they landed in: by eval run, task and index, tasks as the file
 * of asks beside it admitted them. Without that file the rows stand as they are.
 * @since 0.1.0
 * @category functions
 */
export const readRun: typeof readAll = Effect.fn("RowFile.readRun")(function* (path: string) {
  const { broken, rows } = yield* readAll(path)
  const order = yield* taskOrder((yield* around(path)).asks)
  return { broken, rows: order.size === 0 ? rows : [...rows].sort(compare(order)) }
})

/**
 * Makes a file fit to be appended to: a half last line, which a killed process may leave, is cut off. A last line that
 * only lacks its newline is a whole row and gets one.
 * @since 0.1.0
 * @category functions
 */
export const repair: (path: string) => Effect.Effect<Repair, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "RowFile.repair"
)(function* (path: string) {
  const fs = yield* Platform.FileSystem
  return yield* Effect.scoped(mendEnd(fs, path)).pipe(Effect.mapError(fromPlatform(path, "write")))
})

/** Big enough that a read costs little beside parsing it, small enough to hold many files open. */
const blockSize = 1024 * 1024

/**
 * Opens a file, and closes it with the scope. Gives the lines of the next block each time it is run, none of them where the
 * block holds no end of a line, and null after the last.
 */
const open = Effect.fnUntraced(function* (path: string) {
  const fs = yield* Platform.FileSystem
  const failed = fromPlatform(path, "read")
  const file = yield* Effect.mapError(fs.open(path, { flag: "r" }), failed)
  const splitter = Lines.make()
  // The block is read into again and again: the splitter keeps nothing of it but copies.
  const block = new Uint8Array(blockSize)
  let [begun, ended] = [false, false]
  return Effect.suspend((): Effect.Effect<ReadonlyArray<TextLine> | null, RowFileError> => {
    if (ended) return Effect.succeed(null)
    return Effect.flatMap(Effect.mapError(file.read(block), failed), (size) => {
      const bytes = block.subarray(0, Number(size))
      const problem = begun ? null : Encoding.wideProblem(bytes)
      if (problem !== null) return Effect.fail(new RowFileError({ path, reason: "not_text", detail: `${problem}.` }))
      begun = true
      ended = bytes.length === 0
      return Effect.succeed(ended ? splitter.end() : splitter.push(bytes))
    })
  })
})

const sorted = (lines: ReadonlyArray<TextLine>) => {
  const rows: Array<Row> = []
  const broken: Array<BrokenLine> = []
  for (const line of lines) {
    const result = readLine(line)
    if (result._tag === "Row") rows.push(result.row)
    else broken.push(result)
  }
  return { rows, broken }
}

const readLine = (line: TextLine): Line => {
  if (line._tag === "Unreadable") {
    const problem = new RowProblem({ reason: line.reason, detail: line.detail })
    return { _tag: "Broken", number: line.number, problem }
  }
  const result = parse(line.text)
  return Either.isRight(result)
    ? { _tag: "Row", number: line.number, row: result.right }
    : { _tag: "Broken", number: line.number, problem: result.left }
}

const tailBlock = 64 * 1024

const mendEnd = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  const file = yield* fs.open(path, { flag: "r+" })
  const size = Number((yield* file.stat).size)
  let start = size
  let tail = new Uint8Array(0)
  let newline = -1
  while (start > 0 && newline < 0) {
    const from = Math.max(0, start - tailBlock)
    const grown = new Uint8Array(size - from)
    yield* file.seek(from, "start")
    yield* readFully(file, grown.subarray(0, start - from))
    grown.set(tail, start - from)
    tail = grown
    start = from
    newline = tail.lastIndexOf(0x0a)
  }
  const half = tail.subarray(newline + 1)
  if (half.length === 0) return { cut: 0, text: "", size } satisfies Repair
  const halfText = new TextDecoder().decode(half)
  if (isWhole(halfText)) {
    yield* file.seek(size, "start")
    yield* file.writeAll(new Uint8Array([0x0a]))
    yield* file.sync
    return { cut: 0, text: "", size: size + 1 } satisfies Repair
  }
  yield* file.truncate(size - half.length)
  yield* file.sync
  return { cut: half.length, text: halfText.slice(0, 120), size: size - half.length } satisfies Repair
})

/** No part of a JSON object is one, so a record that can be read is whole. */
const isWhole = (record: string): boolean => {
  try {
    return typeof JSON.parse(record) === "object"
  } catch {
    return false
  }
}

const readFully = (file: FileSystem.File, into: Uint8Array): Effect.Effect<void, PlatformError> =>
  Effect.flatMap(file.read(into), (size) =>
    Number(size) === 0 || Number(size) === into.length ? Effect.void : readFully(file, into.subarray(Number(size)))
  )

/** The order in which tasks were admitted, where the file of asks tells it. */
const taskOrder = Effect.fnUntraced(function* (path: string) {
  const fs = yield* Platform.FileSystem
  const order = new Map<string, number>()
  if (!(yield* Effect.orElseSucceed(fs.exists(path), () => false))) return order
  yield* readText(path, (lines) =>
    Effect.sync(() => {
      for (const line of lines) {
        const id = line._tag === "Text" ? taskIdOf(line.text) : undefined
        if (id !== undefined && !order.has(id)) order.set(id, order.size)
      }
    })
  )
  return order
})

const taskIdOf = (line: string): string | undefined => {
  try {
    const ask: unknown = JSON.parse(line)
    const id = typeof ask === "object" && ask !== null && "task_id" in ask ? ask.task_id : undefined
    return typeof id === "string" ? id : undefined
  } catch {
    return undefined
  }
}
