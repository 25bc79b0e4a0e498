/**
 * A task with one of its factors left out at a time.
 */
import * as Effect from "effect/Effect"
import type { Flip } from "../Blame.ts"
import type { TaskFactor } from "./taskFactors.ts"
import type { Spent, Trials } from "./trials.ts"

/** Rollouts of each variant, unless said otherwise. */
export const flipRepeats = 16

/** `each` rollouts of the task with these factors, and of the task without each of them. */
export const flipsOf = (
  trials: Trials,
  factors: ReadonlyArray<TaskFactor>,
  each: number
): Effect.Effect<ReadonlyArray<Flip>, Spent> => {
  const counted = (kept: ReadonlyArray<TaskFactor>) => trials.count(new Set(kept), each)
  return Effect.zipRight(
    counted(factors),
    Effect.forEach(factors, (factor) =>
      Effect.map(counted(factors.filter((one) => one !== factor)), (count) => ({ factor, ...count }))
    )
  )
}
