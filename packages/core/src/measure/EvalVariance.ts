/**
 * How much a mean moves between eval runs of the same tasks.
 */
import type { Metric, Note } from "./Measured.ts"

export interface Options {
  readonly metric?: Metric
  readonly exclude?: ReadonlyArray<string>
}

export interface EvalVariance {
  readonly metric: string
  /** What tells the runs apart; `one_run` when nothing does. */
  readonly split_by: "eval_run" | "scoring_run_id" | "given" | "one_run"
  readonly runs: ReadonlyArray<{
    readonly run: string
    readonly rows: number
    readonly tasks: number
    readonly mean: number | null
  }>
  /** Tasks in every run: the means are over them. */
  readonly tasks: number
  readonly mean: number | null
  /** Standard deviation of the runs' means (n - 1); null under two runs. */
  readonly run_std: number | null
  readonly df: number | null
  /** Two evaluations of as many runs each differ by less than this 95 times in 100 though nothing changed. */
  readonly band: number | null
  readonly notes: ReadonlyArray<Note>
}
