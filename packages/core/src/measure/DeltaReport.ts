/**
 * Did the change help? One verdict on two evaluations, that separates a change from re-run noise and refuses to compare
 * what cannot be compared.
 */
import type { Difference } from "./Compare.ts"
import type { Metric, Note } from "./Measured.ts"

export const verdicts = [
  "improved",
  "regressed",
  "improved_unreplicated",
  "regressed_unreplicated",
  "within_noise",
  "no_change_detected",
  "not_comparable",
  "insufficient_data",
  "target_not_measured"
] as const
export type Verdict = (typeof verdicts)[number]

export interface Options {
  /** `pass_at_1` by default. */
  readonly target?: Metric
  /** Figures that a change must leave as good as they were. */
  readonly mustNotRegress?: ReadonlyArray<Metric>
  /** Names of the metrics of which less is better. */
  readonly lowerIsBetter?: ReadonlyArray<string>
  /** What was changed on purpose; what a `tasks` replay recorded of itself when left out. */
  readonly changed?: string | ReadonlyArray<string>
  /** The standard deviation of the target between runs, where it is known beforehand. */
  readonly spread?: number
  readonly exclude?: ReadonlyArray<string>
  readonly seed?: number
}

/** Plain JSON. */
export interface DeltaReport {
  readonly verdict: Verdict
  /** The verdict in a sentence, and what to do where it is none. */
  readonly because: string
  /** Why it is `not_comparable`; empty otherwise. */
  readonly causes: ReadonlyArray<Note>
  readonly target: MetricDelta
  readonly must_not_regress: ReadonlyArray<MetricDelta>
  /** What is under test. */
  readonly changed: ReadonlyArray<string>
  /** Tasks on both sides, and on one alone (dropped). */
  readonly tasks: number
  readonly only_before: number
  readonly only_after: number
  readonly notes: ReadonlyArray<Note>
}

/** `a` is before, `b` is after. */
export interface MetricDelta extends Difference {
  readonly better: "higher" | "lower"
  readonly verdict: Exclude<Verdict, "not_comparable">
  readonly band: number | null
  readonly run_std: number | null
  /** Eval runs with the figure, on each side. */
  readonly runs: readonly [number, number]
}
