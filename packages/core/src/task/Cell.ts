/**
 * The axes a situation is placed on, and the words for its difficulty and origin.
 */
import * as Schema from "effect/Schema"
import * as Hash from "../random/Hash.ts"

/** The axes, in their order. */
export const axisNames = ["tool", "rule", "stance", "world_state", "tool_condition", "history"] as const
export type AxisName = (typeof axisNames)[number]

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
export const worldStates = [
  "exists",
  "missing",
  "already_acted_on",
  "duplicate",
  "partially_completed",
  "unknown"
] as const
export const toolConditions = ["success", "timeout", "malformed_result", "stale_result", "permission_denied"] as const
/** Conditions that only traces put on the axis. */
export const furtherConditions = ["rate_limited", "partial_result", "server_error"] as const
export const histories = [
  "fresh",
  "prior_failure",
  "prior_partial_action",
  "contradicts_earlier",
  "repeat_visit"
] as const

/** Value of an axis that has nothing to vary (no rules, no tool that takes a reference). */
export const unspecified = "unspecified"
/** Values of `tool` beside the tools: an ask that needs none, and one that needs several. */
export const unrelated = "unrelated"
export const multiTool = "multi_tool"

export const Tier = Schema.Literal("ordinary", "ambiguous", "boundary", "adversarial")
export type Tier = typeof Tier.Type
export const tiers: ReadonlyArray<Tier> = Tier.literals
export const hardTiers: ReadonlyArray<Tier> = ["ambiguous", "boundary", "adversarial"]

/** The tier a stance belongs to. */
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

/** An axis with the values that situations may have on it. */
export interface Axis {
  readonly name: AxisName
  readonly values: ReadonlyArray<string>
}

/** Axis name to value. */
export const Dimensions = Schema.Record({ key: Schema.String, value: Schema.String })
export type Dimensions = typeof Dimensions.Type

/** One assignment of every axis. `id` hashes the assignment. */
export interface Cell {
  readonly id: string
  readonly dimensions: Dimensions
}

export const make = (dimensions: Dimensions): Cell => ({ id: Hash.id("cell", dimensions), dimensions })

/** How the search came to propose a situation. */
export const Arm = Schema.Literal(
  "seed",
  "grid",
  "open_ended",
  "behavior_targeted",
  "failure_mutation",
  "trace_variant"
)
export type Arm = typeof Arm.Type

/** The arms that place situations on the grid or off it. Seeds and traces bring their own, which are counted apart. */
export type PlacingArm = Exclude<Arm, "seed" | "trace_variant">

/** What a mutation aims at. */
export const Aim = Schema.Literal("world_fault", "graded_failure")
export type Aim = typeof Aim.Type
