/**
 * Two sides of rows, paired by task: means, their difference with its interval over tasks, and a permutation p.
 */
import type { Interval, Metric, Note } from "./Measured.ts"

export interface Options {
  /** `pass_at_1` by default. */
  readonly metric?: Metric | ReadonlyArray<Metric>
  /** What was changed on purpose; what a `tasks` replay recorded of itself when left out. */
  readonly changed?: string | ReadonlyArray<string>
  readonly exclude?: ReadonlyArray<string>
  /** Seed of the draws (0). */
  readonly seed?: number
}

/** Plain JSON: `b` against `a`. */
export interface Comparison {
  /** Tasks on both sides, and on one alone (dropped). */
  readonly tasks: number
  readonly only_a: number
  readonly only_b: number
  readonly metrics: ReadonlyArray<Difference>
  /** What is under test. */
  readonly changed: ReadonlyArray<string>
  /** Why the sides cannot be compared; empty when they can. */
  readonly causes: ReadonlyArray<Note>
  readonly notes: ReadonlyArray<Note>
}

export interface Difference {
  readonly metric: string
  /** Tasks with the figure on both sides. */
  readonly tasks: number
  readonly a: number | null
  readonly b: number | null
  /** b - a, with its interval over tasks. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** Where the interval is null and the figure is a rate: what the rule of three leaves possible. */
  readonly bound: Interval | null
  /** Sign-flip permutation, two-sided; and corrected for the number of metrics (Holm). */
  readonly p: number | null
  readonly p_holm: number | null
  /** `b` is higher or lower where the interval is clear of 0. */
  readonly decision: "higher" | "lower" | "no_change_detected" | "insufficient_data" | "not_measured"
  /** The smallest difference that this many tasks would show four times in five; null without a spread. */
  readonly detectable: number | null
}
