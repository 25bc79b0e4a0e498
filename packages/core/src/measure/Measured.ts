/**
 * What is measured: rows of a run or of anyone's log, in memory or in a file. A row needs no more than a prompt (or a task
 * id), a final text and a reward.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Platform from "../row/internal/platform.ts"
import * as RowFile from "../row/RowFile.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as Attempt from "../task/internal/attempt.ts"
import * as Lines from "./internal/jsonLines.ts"

/**
 * What measuring reads of a row; every `Row`, every `TraceRow` and plain records are one. What has the wrong type is read
 * as missing.
 * @since 0.1.0
 * @category models
 */
export interface MeasuredRow {
  /** Which situation, task and ask: `scenario_id`, else `task_id`, else the normalised prompt is the one task key. */
  readonly scenario_id?: string | undefined
  readonly task_id?: string | undefined
  readonly prompt?: string | undefined
  readonly final_text?: string | undefined
  /** A number in [0, 1], or false and true for 0 and 1; anything else is ungraded. What is below the pass mark is no pass. */
  readonly reward?: number | boolean | null | undefined
  readonly rollout_index?: number | undefined
  readonly row_id?: string | undefined
  readonly arm?: string | undefined
  readonly markers?: object | undefined
  readonly lineage?: object | undefined
  /** Who wrote, played and judged, and how it went: what tells whether two sides can be compared. */
  readonly writer_model?: unknown
  readonly user_model?: unknown
  readonly model_version?: unknown
  readonly sampling?: unknown
  readonly judge_name?: unknown
  readonly judge_meta?: unknown
  readonly judge_status?: unknown
  readonly finish_reason?: unknown
  readonly tools_used?: unknown
}

/**
 * Rows in memory: the rows themselves, or a run that holds them (`SimulationData`).
 * @since 0.1.0
 * @category models
 */
export type InMemory = Iterable<MeasuredRow> | Run

/**
 * A run: its rows, and what is known beside them.
 * @since 0.1.0
 * @category models
 */
export interface Run {
  readonly rows: Iterable<MeasuredRow>
  /** Its meta file: the k of the run is read from it, and what it had to do without. */
  readonly meta?:
    | {
        readonly options?: Readonly<Record<string, unknown>> | undefined
        readonly degraded?: ReadonlyArray<string> | undefined
      }
    | undefined
  /** Rollouts that gave no row. */
  readonly lost?: Iterable<LostRollout> | undefined
}

/**
 * Rows in memory, or the path of a JSONL file, which is streamed.
 * @since 0.1.0
 * @category models
 */
export type Source = InMemory | string

/**
 * A rollout that gave no row, as a line of `run.lost.jsonl` tells it.
 * @since 0.1.0
 * @category models
 */
export interface LostRollout {
  readonly task_id?: string | undefined
  readonly scenario_id?: string | undefined
  readonly prompt?: string | undefined
  readonly eval_run?: number | undefined
  readonly rollout_index?: number | undefined
  readonly reason?: string | undefined
}

/**
 * 95% interval, low then high.
 * @since 0.1.0
 * @category models
 */
export type Interval = readonly [number, number]

/**
 * Something a reader of a figure should know.
 * @since 0.1.0
 * @category models
 */
export interface Note {
  readonly code: string
  readonly message: string
}

/**
 * A figure per row: `pass_at_1` (1 for a reward at or above the pass mark, 0 below it), `reward` (the number itself), the name of a marker, or a path to a
 * number in the row (`n_tokens`, `timings.elapsed`, `usage.agent.output`); or a function under a name of its own.
 * @since 0.1.0
 * @category models
 */
export type Metric = string | { readonly name: string; readonly of: (row: MeasuredRow) => number | boolean | null }

/**
 * A call to measure makes no sense: each problem with its fix. Nothing was read.
 * @since 0.1.0
 * @category errors
 */
export class InvalidMeasure extends Schema.TaggedError<InvalidMeasure>()("InvalidMeasure", {
  option: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `\`${this.option}\` ${this.problem}. ${this.fix}`
  }
}

/**
 * What a measure of a run or of rows tells, as an Effect: options that make no sense are its failure, where the plain call throws
 * them. `yield* Measured.attempt(() => data.passAt({ k: 8 }))`
 * @since 0.1.0
 * @category functions
 */
export const attempt: <A>(measure: () => A) => Effect.Effect<A, InvalidMeasure> = Attempt.attempt(InvalidMeasure)

/**
 * The lost rollouts that a run kept beside its file of rows; none where there is no such file.
 * @since 0.1.0
 * @category functions
 */
export const lostBeside: (
  path: string
) => Effect.Effect<ReadonlyArray<LostRollout>, RowFileError, FileSystem.FileSystem> = Effect.fn("Measured.lostBeside")(
  function* (path: string) {
    const fs = yield* Platform.FileSystem
    const { lost } = yield* RowFile.around(path)
    if (!(yield* Effect.orElseSucceed(fs.exists(lost), () => false))) return []
    const found: Array<LostRollout> = []
    yield* Lines.forEach(lost, (record) => {
      const rollout = Schema.decodeUnknownOption(Lost)(record)
      if (rollout._tag === "Some") found.push(rollout.value)
    })
    return found
  }
)

const text = Schema.optionalWith(Schema.String, { exact: true })
const whole = Schema.optionalWith(Schema.Int, { exact: true })
const Lost = Schema.Struct({
  task_id: text,
  scenario_id: text,
  prompt: text,
  eval_run: whole,
  rollout_index: whole,
  reason: text
})
