/**
 * What a run does, resolved: every option has its value, nothing is left to default. Plain data; who plays which role
 * is said by services.
 */
import type { Dimensions, Tier } from "../task/Cell.ts"
import type { Expected } from "../task/Expected.ts"
import type { Fault, Plan } from "../task/Plan.ts"
import type { Task } from "../task/Task.ts"
import type { ToolSet } from "../task/ToolSet.ts"
import type { SettingsOf } from "./option.ts"
import type { advancedSettings, settings } from "./settingTable.ts"

export type Mode = "explore" | "sft" | "rl" | "adaptive"
export type RepeatPolicy = "none" | "fixed" | "successive" | "adaptive"

/** The order of events a driver keeps (architecture: drivers). */
export type Order =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Batch"; readonly size: number }
  | { readonly _tag: "Lookahead"; readonly window: number }

/** A caller's opening ask. */
export interface Seed {
  readonly prompt: string
  readonly id?: string
  readonly tier?: Tier
  readonly dimensions?: Dimensions
  readonly plan?: Partial<Plan> & { readonly world_state?: string; readonly faults?: ReadonlyArray<Fault> }
  readonly reference?: unknown
  /** For graders alone, as the reference is. */
  readonly expected?: Expected
}

/** Pairs of axis values that cannot occur together. */
export interface Constraint {
  readonly forbid: Dimensions
}

/**
 * Every setting of the option table at its place, and what a call decides beside them. `tools` are those of the call and its
 * spec together. Times are in seconds, costs in US dollars; null is unset.
 *
 * @since 0.1.0
 * @category models
 */
export interface RunSettings extends SettingsOf<typeof settings & typeof advancedSettings> {
  readonly tools: ToolSet
  /** Every opener the caller gave, `advanced.seedPrompts` after `seeds`; `amplify` says whether it may be varied. */
  readonly seeds: ReadonlyArray<Seed & { readonly amplify: boolean }>
  /** Tasks of an earlier run, to be rolled again. */
  readonly tasks: ReadonlyArray<Task> | null
  /** Whether the caller set k (adaptive then runs all of it). */
  readonly repeatsGiven: boolean
  /** Option names the caller set, for notes and `report().requested`. */
  readonly given: ReadonlyArray<string>
}
