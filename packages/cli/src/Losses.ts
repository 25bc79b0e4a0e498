/**
 * The rollouts of a run that gave no row, kept as they are told of: rows say nothing of them.
 */
import type { LostRollout } from "@sandtable/core/Measured"
import type * as Engine from "./Engine.ts"

export interface Losses {
  readonly event: (event: Engine.Event) => void
  /** All but those that the end of the run cut: nobody failed there. */
  readonly lost: () => ReadonlyArray<LostRollout>
  /** Whether the agent threw. */
  readonly threw: () => boolean
}

export const make = (): Losses => {
  const situations = new Map<string, string>()
  const lost: Array<LostRollout> = []
  return {
    event: (event) => {
      if (event._tag === "TaskChosen") {
        situations.set(event.task.id, event.task.scenarioId)
      } else if (event._tag === "RolloutLost" || event._tag === "LossResumed") {
        if (event.reason === "interrupted") return
        const { evalRun, index, taskId } = event
        lost.push({
          task_id: taskId,
          scenario_id: situations.get(taskId) ?? taskId,
          eval_run: evalRun,
          rollout_index: index,
          reason: event.reason
        })
      }
    },
    lost: () => lost,
    threw: () => lost.some(({ reason }) => reason === "agent_error")
  }
}
