/**
 * Files of rows, one a line: reading them as a stream that never holds a file, and mending the end of one before more is
 * appended. Lines end at byte 0x0A and nowhere else; CRLF, byte order marks and blank lines are read over; a line that is
 * no row is handed on by number with the reason, and the rest is kept.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Lines from "./internal/lines.ts"
import { compare, parse, RowProblem, type Row } from "./Row.ts"
import { fromPlatform, type RowFileError } from "./RowFileError.ts"

export { RowFileError } from "./RowFileError.ts"

/** A line of a file: a row, or why it is none. Lines count from 1, blank ones included. */
export type Line =
  | { readonly _tag: "Row"; readonly number: number; readonly row: Row }
  | { readonly _tag: "Broken"; readonly number: number; readonly problem: RowProblem }

/** A line that is no row. */
export type BrokenLine = Extract<Line, { _tag: "Broken" }>

/** What mending the end of a file did. */
export interface Repair {
  /** Bytes of a half last line that were cut off; 0 for a whole file. */
  readonly cut: number
  /** How that half line began, at most 120 characters. */
  readonly text: string
  /** Length of the file now, in bytes: it is empty or ends with a newline. */
  readonly size: number
}

/** The files that stand beside `run.jsonl`: `run.lost.jsonl`, `run.asks.jsonl`, `run.meta.json`. */
export const beside = (path: string): { readonly lost: string; readonly asks: string; readonly meta: string } => {
  const stem = path.endsWith(".jsonl") ? path.slice(0, -".jsonl".length) : path
  return { lost: `${stem}.lost.jsonl`, asks: `${stem}.asks.jsonl`, meta: `${stem}.meta.json` }
}

/** Every line of a file in order, rows and broken ones; blank lines are left out. */
export const read = (path: string): Stream.Stream<Line, RowFileError, FileSystem.FileSystem> =>
  Stream.map(text(path), readLine)

/** The rows of a file; `onBroken` is told of the lines that are none. */
export const readRows = (
  path: string,
  onBroken: (line: BrokenLine) => Effect.Effect<void> = () => Effect.void
): Stream.Stream<Row, RowFileError, FileSystem.FileSystem> =>
  Stream.mapChunksEffect(text(path), (lines) => {
    const rows: Array<Row> = []
    const broken: Array<BrokenLine> = []
    for (const line of lines) {
      const result = readLine(line)
      if (result._tag === "Row") rows.push(result.row)
      else broken.push(result)
    }
    return Effect.as(Effect.forEach(broken, onBroken, { discard: true }), Chunk.unsafeFromArray(rows))
  })

/** A whole file in memory: for files that are known to be small. */
export const readAll = (
  path: string
): Effect.Effect<
  { readonly rows: ReadonlyArray<Row>; readonly broken: ReadonlyArray<BrokenLine> },
  RowFileError,
  FileSystem.FileSystem
> =>
  Effect.suspend(() => {
    const broken: Array<BrokenLine> = []
    const rows = readRows(path, (line) => Effect.sync(() => void broken.push(line)))
    return Effect.map(Stream.runCollect(rows), (all) => ({ rows: Chunk.toReadonlyArray(all), broken }))
  })

/**
 * The rows of a run in the run's own order, whatever order they landed in: by eval run, task and index, tasks as the file
 * of asks beside it admitted them. Without that file the rows stand as they are.
 */
export const readRun: typeof readAll = Effect.fn("RowFile.readRun")(function* (path: string) {
  const { broken, rows } = yield* readAll(path)
  const order = yield* taskOrder(beside(path).asks)
  return { broken, rows: order.size === 0 ? rows : [...rows].sort(compare(order)) }
})

/** The text of every line of a file that is not blank, whatever it holds. */
export const text = (path: string): Stream.Stream<Lines.TextLine, RowFileError, FileSystem.FileSystem> =>
  Stream.suspend(() => {
    const splitter = Lines.make()
    return Stream.concat(
      Stream.mapChunks(bytes(path), (blocks) =>
        Chunk.flatMap(blocks, (block) => Chunk.unsafeFromArray(splitter.push(block)))
      ),
      Stream.suspend(() => Stream.fromIterable(splitter.end()))
    )
  })

/**
 * Makes a file fit to be appended to: a half last line, which a killed process may leave, is cut off. A last line that
 * only lacks its newline is a whole row and gets one.
 */
export const repair: (path: string) => Effect.Effect<Repair, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "RowFile.repair"
)(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.scoped(mendEnd(fs, path)).pipe(Effect.mapError(fromPlatform(path, "write")))
})

/** Big enough that a read costs little beside parsing it, small enough to hold many files open. */
const blockSize = 1024 * 1024

const bytes = (path: string): Stream.Stream<Uint8Array, RowFileError, FileSystem.FileSystem> =>
  FileSystem.FileSystem.pipe(
    Effect.flatMap((fs) => fs.open(path, { flag: "r" })),
    Effect.map((file) => {
      // The block is read into again and again: the splitter keeps nothing of it but copies.
      const block = new Uint8Array(blockSize)
      return Stream.repeatEffectOption(
        Effect.flatMap(Effect.mapError(file.read(block), Option.some), (size) =>
          size === FileSystem.Size(0) ? Effect.fail(Option.none()) : Effect.succeed(block.subarray(0, Number(size)))
        )
      )
    }),
    Stream.unwrapScoped,
    Stream.mapError(fromPlatform(path, "read"))
  )

const readLine = (line: Lines.TextLine): Line => {
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
    size === FileSystem.Size(0) || Number(size) === into.length
      ? Effect.void
      : readFully(file, into.subarray(Number(size)))
  )

/** The order in which tasks were admitted, where the file of asks tells it. */
const taskOrder = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const order = new Map<string, number>()
  if (!(yield* Effect.orElseSucceed(fs.exists(path), () => false))) return order
  yield* Stream.runForEach(text(path), (line) =>
    Effect.sync(() => {
      const id = line._tag === "Text" ? taskIdOf(line.text) : undefined
      if (id !== undefined && !order.has(id)) order.set(id, order.size)
    })
  )
  return order
})

const AskLine = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ task_id: Schema.String })))

const taskIdOf = (line: string): string | undefined => Option.getOrUndefined(AskLine(line))?.task_id
