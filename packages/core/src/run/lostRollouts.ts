/**
 * The rollouts of a run that gave no row, kept as they are told of, since no row tells of them.
 */
import type { LostRollout } from "../measure/Measured.ts"
import type { RunEvent } from "../search/RunEvent.ts"

export interface LostRollouts {
  readonly hear: (event: RunEvent) => void
  /** In the order they were lost. */
  readonly lost: ReadonlyArray<LostRollout>
}

export const make = (): LostRollouts => {
  const asks = new Map<string, { readonly scenarioId: string; readonly prompt: string }>()
  const lost: Array<LostRollout> = []
  return {
    lost,
    hear: (event) => {
      if (event._tag === "TaskChosen") {
        const { id, prompt, scenarioId } = event.task
        asks.set(id, { scenarioId, prompt })
      }
      if (event._tag !== "RolloutLost" && event._tag !== "LossResumed") return
      const { evalRun, index, reason, taskId } = event
      const ask = asks.get(taskId)
      lost.push({
        task_id: taskId,
        ...(ask === undefined ? {} : { scenario_id: ask.scenarioId, prompt: ask.prompt }),
        eval_run: evalRun,
        rollout_index: index,
        reason
      })
    }
  }
}
