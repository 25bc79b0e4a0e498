/**
 * Plays single tasks of a run outside its search: what looks into a failure rolls a task as often as it needs, with the
 * run's own roles and grader. Nothing is written.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import { ModelWatch } from "../model/ModelCall.ts"
import type { Recorded } from "../rollout/internal/recorded.ts"
import type * as AgentBackend from "../rollout/AgentBackend.ts"
import * as Rollout from "../rollout/Rollout.ts"
import type * as Row from "../row/Row.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import type * as World from "../world/World.ts"
import * as Handlers from "./handlers.ts"
import type { RunPlan } from "./runPlan.ts"

/** What one play does otherwise than the run would. */
export interface Changes {
  readonly agent?: AgentBackend.Service
  readonly settings?: RunSettings
  /** Goes over the run's world, planned faults included. */
  readonly world?: (world: World.Service) => World.Service
  readonly recorded?: Recorded
}

export interface TaskPlayer {
  readonly plan: RunPlan
  /** Plays a task once: its row with the verdict, or how it was lost. */
  readonly play: (task: Task, index: number, changes?: Changes) => Effect.Effect<Row.Row | Rollout.FailedRollout>
}

export const isLost = (played: Row.Row | Rollout.FailedRollout): played is Rollout.FailedRollout => "_tag" in played

export const make = Effect.fnUntraced(function* (plan: RunPlan) {
  const { cast, meter } = plan
  const imagined = cast.payloads === null ? new Map<string, ReadonlyArray<unknown>>() : yield* cast.payloads
  const world = cast.world(imagined)
  const play: TaskPlayer["play"] = (task, index, changes = {}) => {
    const { agent = cast.agent, recorded, settings = plan.settings } = changes
    const key: RolloutKey = { taskId: task.id, index, evalRun: 0 }
    const stage: Rollout.Stage = {
      ...Handlers.stageOf(plan, changes.world === undefined ? world : changes.world(world), 0),
      settings,
      agent,
      ...(recorded === undefined ? {} : { recorded })
    }
    return Rollout.play(stage, task, key, (effect) => effect).pipe(
      Effect.flatMap((played): Effect.Effect<Row.Row | Rollout.FailedRollout> =>
        played._tag === "Lost" ? Effect.succeed(played) : graded(plan, played)
      ),
      Effect.provideService(ModelWatch, meter)
    )
  }
  return { plan, play } satisfies TaskPlayer
})

const graded = (plan: RunPlan, played: Rollout.CompletedRollout): Effect.Effect<Row.Row> => {
  const { cast, settings } = plan
  const { results, row } = played
  const conduct = Handlers.conductSettingsOf(plan)
  const marked = (row: Row.Row): Row.Row =>
    settings.conduct ? Handlers.withConduct(row, Option.isSome(cast.grader), conduct, results) : row
  if (Option.isNone(cast.grader) || !Grader.isGradable(row, settings.gradeTruncated)) return Effect.succeed(marked(row))
  const grader = Grader.withTimeout(cast.grader.value, settings.timeouts.grader)
  return Effect.map(Effect.exit(Handlers.gradeOf(grader, conduct, played, row)), (exit) =>
    marked(Exit.isSuccess(exit) ? Grader.apply(row, exit.value, { grader, scoringRunId: null }) : row)
  )
}
