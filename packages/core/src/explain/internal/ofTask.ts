/**
 * What one task's failure hangs on, by playing it without each of its factors.
 */
import * as Effect from "effect/Effect"
import type { Options } from "../../options/Options.ts"
import type { SimulationError } from "../../result/runFailed.ts"
import * as PassMark from "../../row/PassMark.ts"
import type { Row } from "../../row/Row.ts"
import type { Count, Flip } from "../Blame.ts"
import { flipRepeats, flipsOf } from "./flips.ts"
import { ofRows } from "./playerOf.ts"
import { factored } from "./taskFactors.ts"
import { Trials } from "./trials.ts"

/**
 * A task as it is, and with one factor left out at a time.
 * @since 0.1.0
 * @category models
 */
export interface TaskBlame {
  /** Failed of graded rollouts. */
  readonly whole: Count
  readonly flips: ReadonlyArray<Flip>
}

/**
 * Plays a row's task `repeats` times (16), and as often without each of its factors: planned failures, the record's state,
 * sentences of the ask, how it is typed, and the traits and patience of a person who answers. Counts are failures of the
 * row's class, or any where it has none. Most is said by a task that was made minimal first. `run` are the options the row
 * was made with.
 * @since 0.1.0
 * @category functions
 */
export const ofTask = (
  row: Row,
  {
    passAt = PassMark.passMark,
    repeats = flipRepeats,
    run
  }: { readonly run: Options } & {
    readonly repeats?: number
    readonly passAt?: number
  }
): Effect.Effect<TaskBlame, SimulationError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const player = yield* ofRows([row], run)
      const [task] = player.plan.pinned?.tasks ?? []
      if (task === undefined) return { whole: { failed: 0, of: 0 }, flips: [] }
      const parts = factored(task, player.plan.settings, player.plan.cast.agent.turns === "multi")
      const trials = new Trials(player, parts, { failureClass: row.failure_class, passAt }, Number.POSITIVE_INFINITY)
      const flips = yield* Effect.orDie(flipsOf(trials, parts.factors, repeats))
      return { whole: trials.known(new Set(parts.factors)), flips }
    })
  )
