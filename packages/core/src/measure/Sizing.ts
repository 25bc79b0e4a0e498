/**
 * How many tasks a comparison needs, and what a set of tasks can show.
 */
import type { Interval, Note } from "./Measured.ts"

export interface Options {
  /** Expected pass rate before the change (0.6). */
  readonly base?: number
  /** Rollouts per task (1). */
  readonly k?: number
  /** Chance to see an effect that is there (0.8). */
  readonly power?: number
  /** Chance to see one that is not (0.05). */
  readonly alpha?: number
  /** Standard deviation of the paired differences, where it is known. */
  readonly sd?: number
}

export interface EvalPower {
  readonly status: "usable" | "underpowered" | "saturated" | "floored" | "empty"
  readonly tasks: number
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
  /** Tasks with a rate in [0.2, 0.8]: they can move both ways. */
  readonly in_band: number
  /** Tasks whose rollouts all end alike. */
  readonly tied: number
  /** The smallest effect these tasks would show with the power asked for. */
  readonly resolvable: number | null
  /** The effect asked about, and the tasks it needs. */
  readonly effect: number
  readonly needed: number | null
  readonly notes: ReadonlyArray<Note>
}
