/**
 * The axes a situation is placed on, and the words for its difficulty and origin.
 */
import * as Schema from "effect/Schema"
import * as Hash from "../random/Hash.ts"

/**
 * The axes, in their order.
 * @since 0.1.0
 * @category constants
 */
export const axisNames = ["tool", "rule", "stance", "world_state", "tool_condition", "history"] as const

/**
 * The name of one of the six axes.
 * @since 0.1.0
 * @category models
 */
export type AxisName = (typeof axisNames)[number]

/**
 * How the person stands to the ask.
 * @since 0.1.0
 * @category constants
 */
export const stances = [
  "ordinary",
  "ambiguous",
  "boundary",
  "adversarial",
  "hurried",
  "unsure",
  "retry",
  "mistaken",
  "exploratory",
  "conflicting"
] as const

/**
 * What state the thing that is asked about is in.
 * @since 0.1.0
 * @category constants
 */
export const worldStates = [
  "exists",
  "missing",
  "already_acted_on",
  "duplicate",
  "partially_completed",
  "unknown"
] as const

/**
 * How the tools behave.
 * @since 0.1.0
 * @category constants
 */
export const toolConditions = ["success", "timeout", "malformed_result", "stale_result", "permission_denied"] as const

/**
 * Conditions that only traces put on the axis.
 * @since 0.1.0
 * @category constants
 */
export const furtherConditions = ["rate_limited", "partial_result", "server_error"] as const

/**
 * What went before the thread.
 * @since 0.1.0
 * @category constants
 */
export const histories = [
  "fresh",
  "prior_failure",
  "prior_partial_action",
  "contradicts_earlier",
  "repeat_visit"
] as const

/**
 * Value of an axis that has nothing to vary (no rules, no tool that takes a reference).
 * @since 0.1.0
 * @category constants
 */
export const unspecified = "unspecified"

/**
 * Values of `tool` beside the tools: an ask that needs none, and one that needs several.
 * @since 0.1.0
 * @category constants
 */
export const unrelated = "unrelated"

/**
 * The value of the `tool` axis that stands for asks that need several tools.
 * @since 0.1.0
 * @category constants
 */
export const multiTool = "multi_tool"

/**
 * How hard a situation is.
 * @since 0.1.0
 * @category models
 */
export const Tier = Schema.Literal("ordinary", "ambiguous", "boundary", "adversarial")
export type Tier = typeof Tier.Type

/**
 * Every tier, from the easiest.
 * @since 0.1.0
 * @category functions
 */
export const tiers: ReadonlyArray<Tier> = Tier.literals

/**
 * The tiers that `hardShare` counts.
 * @since 0.1.0
 * @category constants
 */
export const hardTiers: ReadonlyArray<Tier> = ["ambiguous", "boundary", "adversarial"]

/**
 * The tier a stance belongs to.
 * @since 0.1.0
 * @category functions
 */
export const tierOf = (stance: string | undefined): Tier => {
  switch (stance) {
    case "ambiguous":
    case "unsure":
      return "ambiguous"
    case "boundary":
    case "conflicting":
      return "boundary"
    case "adversarial":
      return "adversarial"
    default:
      return "ordinary"
  }
}

/**
 * An axis with the values that situations may have on it.
 * @since 0.1.0
 * @category models
 */
export interface Axis {
  readonly name: AxisName
  readonly values: ReadonlyArray<string>
}

/**
 * Axis name to value.
 * @since 0.1.0
 * @category models
 */
export const Dimensions = Schema.Record({ key: Schema.String, value: Schema.String })
export type Dimensions = typeof Dimensions.Type

/**
 * One assignment of every axis. `id` hashes the assignment.
 * @since 0.1.0
 * @category models
 */
export interface Cell {
  readonly id: string
  readonly dimensions: Dimensions
}

/**
 * The cell of these values; equal values give equal ids.
 * @since 0.1.0
 * @category constructors
 */
export const make = (dimensions: Dimensions): Cell => ({ id: Hash.id("cell", dimensions), dimensions })

/**
 * How the search came to propose a situation. `fork` is none of its: a row that was played again from a step on.
 * @since 0.1.0
 * @category models
 */
export const Arm = Schema.Literal(
  "seed",
  "grid",
  "open_ended",
  "behavior_targeted",
  "failure_mutation",
  "trace_variant",
  "fork"
)
export type Arm = typeof Arm.Type

/**
 * The arms that place situations on the grid or off it. Seeds and traces bring their own, which are counted apart.
 * @since 0.1.0
 * @category models
 */
export type PlacingArm = Exclude<Arm, "seed" | "trace_variant" | "fork">

/**
 * What a mutation aims at.
 * @since 0.1.0
 * @category models
 */
export const Aim = Schema.Literal("world_fault", "graded_failure")
export type Aim = typeof Aim.Type
