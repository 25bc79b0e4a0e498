/**
 * Whether a judge's verdicts can be believed: held against labels that people gave, and against itself. Each check is a
 * value; the sentences are made from the values.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Platform from "../row/internal/platform.ts"
import { passMark } from "../row/PassMark.ts"
import { fromPlatform, RowFileError } from "../row/RowFileError.ts"
import * as RowFile from "../row/RowFile.ts"
import { fillerFlip, repeatFlip } from "./internal/judgeFlips.ts"
import { agreement, kappaCheck, leak, lengthBias, miss, splitHalves, type Labelled } from "./internal/judgeChecks.ts"
import { labelReader, verdictOf } from "./internal/judgeLabels.ts"
import { renderTrust } from "./internal/judgeText.ts"
import type { InMemory, MeasuredRow } from "./Measured.ts"
import type { Confusion } from "./Statistics.ts"

export { leastAgreement, leastKappa, mostFlips, mostWrong } from "./internal/judgeLimits.ts"

/**
 * What somebody who read a row says of it.
 * @since 0.1.0
 * @category models
 */
export interface Label {
  /** The row's `row_id`; or its `task_id` and `rollout_index`. */
  readonly row_id?: string | null | undefined
  readonly task_id?: string | null | undefined
  readonly rollout_index?: number | null | undefined
  /** Good (true, 1) or bad (false, 0). */
  readonly label: boolean | number
  /** Who labelled: `human` when left out. A label with a `model` was made by one. */
  readonly by?: "human" | "model" | null | undefined
  readonly model?: string | null | undefined
}

/**
 * A list, or labels by `row_id`.
 * @since 0.1.0
 * @category models
 */
export type Labels = Iterable<Label> | Readonly<Record<string, boolean | number>>

/**
 * What a judge has to reach.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Counts labels that a model made (false): a model that agrees with a model proves little. */
  readonly allowModelLabels?: boolean
  /** The same rows, judged a second time by the same judge. */
  readonly repeat?: InMemory
  /** The same rows with words that say nothing added to the reply, judged by the same judge. */
  readonly filler?: InMemory
  /** The least reward the judge means as a pass (1, as everywhere). */
  readonly passAt?: number
  /** Seed of the shuffles (0). */
  readonly seed?: number
}

/**
 * The name of a check of a judge.
 * @since 0.1.0
 * @category models
 */
export type CheckName =
  | "agreement"
  | "kappa"
  | "leak"
  | "miss"
  | "split_halves"
  | "length_bias"
  | "repeat_flip"
  | "filler_flip"

/**
 * `passed`, `failed`; `low_power`: the figure is within its limit, and too few rows stand behind it; `degenerate`: the labels
 * are all of one kind, so it means nothing; `not_measured`: what it needs was not given.
 * @since 0.1.0
 * @category models
 */
export type Status = "passed" | "failed" | "low_power" | "degenerate" | "not_measured"

/**
 * What one check of a judge came to.
 * @since 0.1.0
 * @category models
 */
export interface Check {
  readonly name: CheckName
  readonly status: Status
  readonly figure: {
    /** Null where the status says there is none. */
    readonly value: number | null
    /** 95%, where one can be told. */
    readonly interval: readonly [number, number] | null
    /** Rows behind it. */
    readonly n: number
    /** The value (or the end of the interval) it is held against. */
    readonly limit: number
  }
}

/**
 * Plain JSON.
 * @since 0.1.0
 * @category models
 */
export interface Trust {
  /**
   * `trusted`: agreement and kappa passed and nothing failed. `degenerate`: the labels are all good or all bad.
   * `not_measured`: there are no labels that count.
   */
  readonly verdict: "trusted" | "not_trusted" | "degenerate" | "not_measured"
  readonly checks: ReadonlyArray<Check>
  /** Good is positive: `fp` are rows the judge passes and the labels do not. */
  readonly confusion: Confusion
  readonly labels: {
    /** Rows with a label that counts and a verdict. */
    readonly used: number
    /** Labels a model made, which do not count. */
    readonly by_model: number
    /** Labels of no row that is here; of rows the judge gave no verdict; rows whose labels contradict each other. */
    readonly unmatched: number
    readonly unjudged: number
    readonly contradictory: number
    /** Labels that are neither yes nor no. */
    readonly invalid: number
  }
  readonly rows: number
}

/**
 * Holds a judge's verdicts (the rewards of the rows) against labels.
 * @since 0.1.0
 * @category functions
 */
export const judgeTrust = (source: InMemory, labels: Labels, options: Options = {}): Trust => {
  const { passAt = passMark, seed = 0 } = options
  const rows: ReadonlyArray<MeasuredRow> = [...(Symbol.iterator in source ? source : source.rows)]
  const read = labelReader(labels, options.allowModelLabels ?? false)
  const labelled: Array<Labelled> = []
  let unjudged = 0
  for (const row of rows) {
    const label = read.of(row)
    if (label === null) continue
    const verdict = verdictOf(row, passAt)
    if (verdict === null) unjudged += 1
    else labelled.push({ key: label.key, label: label.good, verdict, length: row.final_text?.length ?? 0 })
  }
  labelled.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const confusion = confusionOf(labelled)
  const checks = [
    agreement(labelled),
    kappaCheck(confusion),
    leak(confusion),
    miss(confusion),
    splitHalves(labelled),
    lengthBias(labelled, seed),
    repeatFlip(rows, options.repeat, passAt),
    fillerFlip(rows, options.filler, passAt)
  ]
  return {
    verdict: verdictOn(checks, labelled.length),
    checks,
    confusion,
    labels: { used: labelled.length, unjudged, ...read.counts() },
    rows: rows.length
  }
}

/**
 * Reads labels from JSONL: lines of `{ row_id, label, by? }`, or of `{ task_id, rollout_index, label }`.
 * @since 0.1.0
 * @category functions
 */
export const readLabels: (path: string) => Effect.Effect<ReadonlyArray<Label>, RowFileError, FileSystem.FileSystem> =
  Effect.fn("JudgeTrust.readLabels")(function* (path: string) {
    yield* Effect.flatMap(Platform.FileSystem, (fs) => Effect.mapError(fs.stat(path), fromPlatform(path, "read")))
    const labels: Array<Label> = []
    yield* RowFile.readText(path, (lines) =>
      Effect.suspend(() => {
        for (const line of lines) {
          const label = line._tag === "Text" ? decodeLabel(line.text) : null
          if (label?._tag !== "Right") {
            const detail = `line ${line.number} is no label; a label is { "row_id": "...", "label": true }.`
            return new RowFileError({ path, reason: "failed", detail })
          }
          labels.push(label.right)
        }
        return Effect.void
      })
    )
    return labels
  })

/**
 * The verdict and each check as text.
 * @since 0.1.0
 * @category functions
 */
export const render: (trust: Trust) => string = renderTrust

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullishOr(schema))

const LabelLine = Schema.parseJson(
  Schema.Struct({
    row_id: optional(Schema.String),
    task_id: optional(Schema.String),
    rollout_index: optional(Schema.Int),
    label: Schema.Union(Schema.Boolean, Schema.Number),
    by: optional(Schema.Literal("human", "model")),
    model: optional(Schema.String)
  })
)

const decodeLabel = (text: string) =>
  Schema.decodeUnknownEither(LabelLine)(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

const confusionOf = (labelled: ReadonlyArray<Labelled>): Confusion => {
  const count = (label: boolean, verdict: boolean): number =>
    labelled.filter((one) => one.label === label && one.verdict === verdict).length
  return { tp: count(true, true), fp: count(false, true), fn: count(true, false), tn: count(false, false) }
}

const verdictOn = (checks: ReadonlyArray<Check>, used: number): Trust["verdict"] => {
  if (used === 0) return "not_measured"
  const is = (name: CheckName, status: Status): boolean =>
    checks.some((check) => check.name === name && check.status === status)
  if (is("kappa", "degenerate")) return "degenerate"
  const failed = checks.some(({ status }) => status === "failed")
  return !failed && is("agreement", "passed") && is("kappa", "passed") ? "trusted" : "not_trusted"
}
