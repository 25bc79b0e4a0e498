/**
 * Rows as files for others: rows without what only we need, chat examples for trainers, and a test report. Whatever is
 * hidden stays out, calls come out as they went in, and the report says what a trainer would really learn from the file.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { Note } from "../measure/Measured.ts"
import * as Place from "../row/Place.ts"
import { of as fileError, type RowFileError } from "../row/RowFileError.ts"
import * as RowSource from "../traces/RowSource.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import { ExportRefused } from "./ExportRefused.ts"
import { Book } from "./internal/book.ts"
import type { Encoder, MakeEncoder } from "./internal/encoder.ts"
import { renderReport } from "./internal/exportText.ts"
import * as Jsonl from "./internal/jsonl.ts"
import * as JUnit from "./internal/junit.ts"
import * as OpenAi from "./internal/openai.ts"
import { formats as allFormats, problemOf, settingsOf } from "./internal/settings.ts"
import * as Trl from "./internal/trl.ts"
import { writeLines } from "./internal/writeLines.ts"

export { ExportRefused } from "./ExportRefused.ts"

/**
 * `jsonl`: rows. `openai`: chat examples with `loss_mask`. `trl-sft`, `trl-dpo`, `trl-grpo`: the conversational dataset types
 * of Hugging Face TRL. `junit`: pass or fail of each ask, for continuous integration.
 * @since 0.1.0
 * @category models
 */
export type Format = "jsonl" | "openai" | "trl-sft" | "trl-dpo" | "trl-grpo" | "junit"

/**
 * Every format.
 * @since 0.1.0
 * @category constants
 */
export const formats: ReadonlyArray<Format> = allFormats

/**
 * How rows are exported.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly format: Format
  /** The agent's instructions; those of the run when left out. Training formats. */
  readonly systemPrompt?: string
  /** The agent's tools in any dialect; those of the run when left out. Training formats. */
  readonly tools?: unknown
  /** `openai`, `trl-sft`: rows below `passAt` and rows without a reward are examples too (false). */
  readonly failures?: boolean
  /** `openai`, `trl-sft`, `junit`: the least reward of a pass (1). */
  readonly passAt?: number
  /** `trl-dpo`: least difference of the rewards of a pair (0.5). */
  readonly margin?: number
  /** `trl-dpo`: most pairs of one ask (1). */
  readonly perTask?: number
  /** `openai`: writes `loss_mask` (true); false for endpoints that take `messages` and `tools` alone. */
  readonly lossMask?: boolean
  /** `jsonl`: keeps what the agent thought (false). */
  readonly reasoning?: boolean
  /** `junit`: the share of graded rollouts of an ask that must pass (1). */
  readonly passShare?: number
}

/**
 * How rows are exported to a file.
 * @since 0.1.0
 * @category models
 */
export interface WriteOptions extends Options {
  /** Replaces a file that is already there (false). */
  readonly overwrite?: boolean
}

/**
 * Messages of the lines, and their size.
 * @since 0.1.0
 * @category models
 */
export interface Share {
  readonly messages: number
  /** Of texts, names of tools and arguments. */
  readonly characters: number
  /** At four characters a token: a size, not a count. */
  readonly about_tokens: number
}

/**
 * Plain JSON.
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly format: Format
  /** Null for lines in memory. */
  readonly path: string | null
  /** Rows that were read: those used, and those skipped by reason. */
  readonly rows: number
  readonly used: number
  readonly skipped: Readonly<Record<string, number>>
  readonly lines: number
  /** Different asks among the rows used. */
  readonly asks: number
  /** What a trainer that honours the format's mask learns, and what it only reads. Both are 0 for `jsonl` and `junit`. */
  readonly targets: Share
  readonly context: Share
  readonly notes: ReadonlyArray<Note>
}

/**
 * The lines of rows in memory, without their newlines.
 * @since 0.1.0
 * @category functions
 */
export const lines = (
  source: Iterable<TraceRow> | RowSource.Run,
  options: Options
): Effect.Effect<{ readonly lines: ReadonlyArray<string>; readonly report: Report }, ExportRefused> =>
  Effect.gen(function* () {
    const { meta, rows } = RowSource.inMemory(source)
    const { book, encoder } = yield* begin(options, meta)
    const out: Array<string> = []
    for (const row of rows) out.push(...(yield* encodeRow(encoder, book, row)))
    out.push(...encoder.end())
    book.lines = out.length
    const report = yield* refuseEmpty(book.report(options.format, null))
    return { lines: out, report }
  })

/**
 * Writes rows, a run, or a file of rows to `path`. Rows of a file are read and written as a stream; the file appears when
 * it is whole, and one that is there already is refused unless `overwrite`.
 * @since 0.1.0
 * @category functions
 */
export const write: (
  source: RowSource.Source,
  path: string,
  options: WriteOptions
) => Effect.Effect<Report, ExportRefused | RowFileError, FileSystem.FileSystem> = Effect.fn("Export.write")(function* (
  source: RowSource.Source,
  path: string,
  { overwrite = false, ...options }: WriteOptions
) {
  if (!overwrite && (yield* Place.of(path))._tag === "File") return yield* fileError(path, "exists")
  const { meta, readRows, unreadable } = yield* RowSource.open(source)
  const { book, encoder } = yield* begin(options, meta)
  return yield* writeLines(path, (write) =>
    Effect.gen(function* () {
      const counted = (lines: ReadonlyArray<string>) => {
        book.lines += lines.length
        return write(lines)
      }
      yield* readRows((rows) =>
        Effect.forEach(rows, (row) => Effect.flatMap(encodeRow(encoder, book, row), counted), { discard: true })
      )
      for (const line of encoder.end()) yield* counted([line])
      const { length } = unreadable
      if (length > 0) book.note("unreadable", `${length} lines of the source are no rows and were left out.`)
      return yield* refuseEmpty(book.report(options.format, path))
    })
  )
})

/**
 * The report in a few lines of text.
 * @since 0.1.0
 * @category functions
 */
export const render: (report: Report) => string = renderReport

const encoders: Readonly<Record<Format, MakeEncoder>> = {
  jsonl: Jsonl.make,
  openai: OpenAi.make,
  "trl-sft": Trl.makeSft,
  "trl-dpo": Trl.makeDpo,
  "trl-grpo": Trl.makeGrpo,
  junit: JUnit.make
}

const begin = Effect.fnUntraced(function* (options: Options, meta: RowSource.Loaded["meta"]) {
  const problem = problemOf(options)
  if (problem !== null) {
    const detail = `\`${problem.option}\` ${problem.problem}`
    return yield* new ExportRefused({ reason: "invalid_option", detail, fix: problem.fix })
  }
  const book = new Book()
  return { book, encoder: encoders[options.format](settingsOf(options, meta), book) }
})

const encodeRow = (encoder: Encoder, book: Book, row: TraceRow): Effect.Effect<ReadonlyArray<string>, ExportRefused> =>
  Effect.suspend(() => {
    book.rows += 1
    const result = encoder.add(row)
    return result instanceof ExportRefused ? Effect.fail(result) : Effect.succeed(result)
  })

/** A report of nothing would be taken for success. */
const refuseEmpty = (report: Report): Effect.Effect<Report, ExportRefused> => {
  if (report.used > 0) return Effect.succeed(report)
  const told = Object.entries(report.skipped).map(([reason, rows]) => `${reason} ${rows}`)
  const [most] = Object.keys(report.skipped)
  return new ExportRefused({
    reason: "empty",
    detail:
      report.rows === 0
        ? "there are no rows"
        : `none of ${report.rows} rows is fit for ${report.format} (${told.join(", ")})`,
    fix: (most === undefined ? undefined : fixes.get(most)) ?? "Check the path, or what was selected."
  })
}

const fixes = new Map<string, string>([
  ["ungraded", "Grade the rows first, or, for examples that nobody judged, set `failures`."],
  ["failed", "Lower `passAt`, or set `failures` to train on rows that did not pass."],
  ["in no pair", "Pairs need a better and a worse rollout of one ask: make rows with `repeats`, or lower `margin`."],
  ["nothing to learn", "The rows have no turn of the agent that could be learnt."],
  ["a call that could not be run", "Use `openai`, which masks single turns, or give all of the agent's `tools`."],
  ["cut by the length cap", "Raise `agentMaxTokens` where rows are made."]
])
