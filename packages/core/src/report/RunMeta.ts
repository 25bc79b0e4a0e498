/**
 * `run.meta.json`: what is known of a run beside its rows. Written when it starts and when it ends, each time whole
 * (a temporary file, then a rename), so that a reader never meets half of one.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Platform from "../row/internal/platform.ts"
import { jsonText } from "../json/jsonText.ts"
import { Report } from "./Report.ts"
import * as RowFile from "../row/RowFile.ts"
import { RowFileError } from "../row/RowFileError.ts"
import { SearchReport } from "./SearchReport.ts"
import { DegradedCode, Warning } from "./Warning.ts"
import * as TextFile from "../row/TextFile.ts"
import * as WholeFile from "../row/WholeFile.ts"

const unknowns = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * How far the run of a file is: `running` in the file of a run that was killed, too.
 * @since 0.1.0
 * @category models
 */
export const Status = Schema.Literal("running", "done", "failed", "interrupted")
export type Status = typeof Status.Type

/**
 * What was rehearsed. A scaffold is no part of it: exports and evals stay on the plain policy.
 * @since 0.1.0
 * @category models
 */
export const Profile = Schema.suspend(() =>
  Schema.Struct({
    /** In the one shape of `Tool`. */
    tools: Schema.Array(unknowns),
    tools_sha: Schema.String,
    policy: Schema.String,
    policy_sha: Schema.NullOr(Schema.String),
    agent: Schema.String
  }).annotations({ identifier: "Profile" })
)
export type Profile = typeof Profile.Type

/**
 * The rollouts of a run by what came of them.
 * @since 0.1.0
 * @category models
 */
export const Counts = Schema.suspend(() =>
  Schema.Struct({
    rows: Schema.Int,
    requested: Schema.Int,
    completed: Schema.Int,
    lost: Schema.Int,
    /** Rows that were on disk before this invocation. */
    resumed: Schema.Int
  }).annotations({ identifier: "Counts" })
)
export type Counts = typeof Counts.Type

/**
 * A group that a stop cut: it has fewer rollouts than its policy gives.
 * @since 0.1.0
 * @category models
 */
export const CutGroup = Schema.suspend(() =>
  Schema.Struct({
    task_id: Schema.String,
    eval_run: Schema.Int,
    have: Schema.Int,
    want: Schema.Int
  }).annotations({ identifier: "CutGroup" })
)
export type CutGroup = typeof CutGroup.Type

/**
 * What makes a run the run it is: a `checkpoint` is gone on with only when it is the same.
 * @since 0.1.0
 * @category models
 */
export const Origin = Schema.suspend(() =>
  Schema.Struct({
    /** What has to be equal, by the name of its option: short values as JSON, others by their hash. */
    same: Schema.Record({ key: Schema.String, value: Schema.String }),
    /** How much was asked for: it may grow. Null is without limit. */
    amounts: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Number) }),
    /** The order of events its driver keeps. */
    order: Schema.String
  }).annotations({ identifier: "Origin" })
)
export type Origin = typeof Origin.Type

/**
 * What the meta file beside the rows says of a run.
 * @since 0.1.0
 * @category models
 */
export const RunMeta = Schema.suspend(() =>
  Schema.Struct({
    schema_version: Schema.String,
    run_id: Schema.String,
    /** One per call: the only identity here that two equal runs do not share. */
    invocation_id: Schema.String,
    status: Status,
    /** ISO 8601, UTC. */
    started_at: Schema.String,
    finished_at: Schema.NullOr(Schema.String),
    /** Every option as resolved. */
    options: unknowns,
    /** Missing where an earlier version wrote the file. */
    origin: Schema.optionalWith(Origin, { exact: true }),
    profile: Profile,
    /** The words of the command that ran it, for who asks for the same again; missing where a program did. */
    called: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
    counts: Counts,
    stopped_because: Schema.NullOr(Schema.String),
    degraded: Schema.Array(DegradedCode),
    warnings: Schema.Array(Warning),
    search: Schema.NullOr(SearchReport),
    report: Schema.NullOr(Report),
    /** `Row.digest` of all rows of the file; null while the run goes on. */
    rows_digest: Schema.NullOr(Schema.String),
    group_cut: Schema.Array(CutGroup)
  }).annotations({ identifier: "RunMeta" })
)
export type RunMeta = typeof RunMeta.Type

/**
 * The words a run was called by, kept in its meta file: null for a program's call. They are for showing: what is secret in
 * them has to be masked by whoever provides them.
 * @since 0.1.0
 * @category services
 */
export class Called extends Context.Reference<Called>()("@sandtable/core/RunMeta/Called", {
  defaultValue: (): ReadonlyArray<string> | null => null
}) {}

/**
 * Writes the file whole, or leaves the one before it; folders that are missing are made. Where the disk is full, the file that is there still says how the run
 * ended: what fits is written over it, without the report.
 * @since 0.1.0
 * @category functions
 */
export const write: (path: string, meta: RunMeta) => Effect.Effect<void, RowFileError, FileSystem.FileSystem> =
  Effect.fn("RunMeta.write")(function* (path: string, meta: RunMeta) {
    const room = meta.status === "running" ? " ".repeat(lastWords) : ""
    const bytes = encoder.encode(`${jsonText(meta, 2)}${room}\n`)
    yield* WholeFile.write(path, (write) => write(bytes)).pipe(
      Effect.tapError(({ reason }) => (reason === "disk_full" ? Effect.ignore(writeOver(path, meta)) : Effect.void)),
      Effect.uninterruptible
    )
  })

/** Blanks at the end of the file of a running run: JSON may end in them, and words that come later find room there. */
const lastWords = 1024

const encoder = new TextEncoder()

/** Over the blocks that the file has already, where they hold it; what was there comes back when even that fails. */
const writeOver = Effect.fnUntraced(function* (path: string, meta: RunMeta) {
  const fs = yield* Platform.FileSystem
  const before = yield* fs.readFile(path)
  const size = before.length
  const short = { ...meta, search: null, report: null, group_cut: [] }
  const texts = [short, { ...short, warnings: [] }].map((each) => encoder.encode(jsonText(each, 2)))
  const text = texts.find(({ length }) => length < size)
  if (text === undefined) return
  const whole = new Uint8Array(size).fill(0x20)
  whole.set(text)
  whole[size - 1] = 0x0a
  const over = (bytes: Uint8Array) =>
    Effect.scoped(Effect.flatMap(fs.open(path, { flag: "r+" }), (file) => file.writeAll(bytes)))
  yield* Effect.catchAll(over(whole), () => over(before))
})

/**
 * Reads a meta file; keys this version does not know are let through.
 * @since 0.1.0
 * @category functions
 */
export const read: (path: string) => Effect.Effect<RunMeta, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "RunMeta.read"
)(function* (path: string) {
  const text = yield* TextFile.read(path)
  return yield* Effect.mapError(Schema.decode(Json, { onExcessProperty: "preserve" })(text), (error) => {
    const detail = `the file is no meta file of a run (${ParseResult.TreeFormatter.formatErrorSync(error)})`
    return new RowFileError({ path, reason: "failed", detail })
  })
})

/**
 * The meta file beside a file of rows; beside the file that a link leads to.
 * @since 0.1.0
 * @category functions
 */
export const readBeside = (rows: string): Effect.Effect<RunMeta, RowFileError, FileSystem.FileSystem> =>
  Effect.flatMap(RowFile.around(rows), ({ meta }) => read(meta))

const Json = Schema.parseJson(RunMeta)
