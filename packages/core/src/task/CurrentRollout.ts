/**
 * Which rollout the running code answers: readable from `execute`, agents and graders, right under concurrency.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * What an agent may know of the rollout it plays.
 * @since 0.1.0
 * @category models
 */
export interface RolloutInfo {
  /** `roll_` and the digits of the row's id. */
  readonly id: string
  readonly prompt: string
  readonly taskId: string
  /** Place in the group, 0..k-1. */
  readonly rolloutIndex: number
  /** The run's seed. */
  readonly seed: number
  /** A seed of this rollout alone (32 bits). */
  readonly rolloutSeed: number
  readonly evalRun: number
}

/**
 * The rollout that is being played; none outside one.
 * @since 0.1.0
 * @category services
 */
export class CurrentRollout extends Context.Reference<CurrentRollout>()("@sandtable/core/CurrentRollout", {
  defaultValue: (): Option.Option<RolloutInfo> => Option.none()
}) {}

/**
 * The current rollout was asked for outside of one.
 * @since 0.1.0
 * @category errors
 */
export class NotInRollout extends Schema.TaggedError<NotInRollout>()("NotInRollout", {}) {
  override get message(): string {
    return "No rollout is running here: read the current rollout only from an agent, `execute` or a grader."
  }
}

/**
 * The rollout that is being played.
 * @since 0.1.0
 * @category functions
 */
export const get: Effect.Effect<RolloutInfo, NotInRollout> = Effect.flatMap(
  CurrentRollout,
  Option.match({ onNone: () => Effect.fail(new NotInRollout()), onSome: Effect.succeed })
)
