/**
 * Pass rates of rows: one rollout (pass@1), all of k (pass^k), any of k (pass@k) and the headroom between, each with its
 * interval over tasks.
 */
import type { Interval, Note } from "./Measured.ts"

export interface Options {
  /** Rollouts per ask of the k numbers, at least 2; by default the k of the run. */
  readonly k?: number
  /** Arms whose rows are left out, such as `failure_mutation`: asks the search steered to are no sample of anything. */
  readonly exclude?: ReadonlyArray<string>
  /** Seed of the bootstrap (0). */
  readonly seed?: number
}

/** Plain JSON. Rates are means over tasks; null where there is nothing to tell. */
export interface PassAt {
  /** Null when the k numbers are. */
  readonly k: number | null
  /** Tasks and groups (the rollouts of one ask in one eval run) with a verdict of 0 or 1. */
  readonly tasks: number
  readonly groups: number
  /** Lost rollouts are left out of it. */
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
  readonly pass_hat_k: number | null
  readonly pass_hat_k_interval: Interval | null
  readonly pass_at_k: number | null
  readonly pass_at_k_interval: Interval | null
  readonly headroom: number | null
  readonly headroom_interval: Interval | null
  /**
   * `exact`: estimates. `bound`: the run stopped groups early, so pass^k is at most, pass@k and headroom are at least what
   * is told. `none`: there are no k numbers.
   */
  readonly k_reading: "exact" | "bound" | "none"
  /** Tasks and groups in the k numbers. */
  readonly k_tasks: number
  readonly k_groups: number
  /** Groups with fewer than k verdicts, which are in no k number. */
  readonly small_groups: ReadonlyArray<SmallGroup>
  /** Where `pass_at_1_interval` is null: what the rule of three leaves possible. */
  readonly pass_at_1_bound: Interval | null
  readonly graded: Graded
  readonly fractional: Fractional
  readonly lost: Lost
  /** The pass rate of each arm that proposed asks, by its name; one entry where rows name no arm. */
  readonly arms: Readonly<Record<string, ArmRate>>
  /** Arms left out by `exclude`, and their rows. */
  readonly excluded: Readonly<Record<string, number>>
  readonly notes: ReadonlyArray<Note>
}

/** Graded m of n, and why the others are not, by reason. */
export interface Graded {
  readonly graded: number
  readonly of: number
  readonly ungraded_by: Readonly<Record<string, number>>
  /** Graded rows beyond the probe of groups whose length depends on verdicts: in no rate. */
  readonly beyond_probe: number
}

/** Rows whose reward is neither 0 nor 1: in no pass rate. */
export interface Fractional {
  readonly rows: number
  readonly tasks: number
  readonly mean: number | null
  readonly mean_interval: Interval | null
}

/** Rollouts that gave no row, read as failures of their asks. */
export interface Lost {
  readonly rollouts: number
  readonly lost_by: Readonly<Record<string, number>>
  /** The pass rate with each of them as a failure; equal to `pass_at_1` when none was lost. */
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
}

export interface SmallGroup {
  readonly task: string
  readonly ask: string
  readonly eval_run: number
  readonly rollouts: number
}

export interface ArmRate {
  readonly rows: number
  readonly tasks: number
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
}
