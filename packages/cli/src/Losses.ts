/**
 * The rollouts of a run that gave no row, kept as they are told of: rows say nothing of them.
 */
import type { LostRollout } from "@sandtable/core/Measured"
import type * as Engine from "./Engine.ts"

export interface Losses {
  readonly event: (event: Engine.Event) => void
  /** All but those that the end of the run cut: nobody failed there. */
  readonly lost: () => ReadonlyArray<LostRollout>
  /** The first ask the agent threw on. */
  readonly threwOn: () => string | null
}

export const make = (): Losses => {
  const asks = new Map<string, { readonly scenarioId: string; readonly prompt: string }>()
  const lost: Array<LostRollout> = []
  let threwOn: string | null = null
  return {
    event: (event) => {
      if (event._tag === "TaskChosen") {
        const { id, prompt, scenarioId } = event.task
        asks.set(id, { scenarioId, prompt })
      } else if (event._tag === "RolloutLost" || event._tag === "LossResumed") {
        const ask = asks.get(event.taskId)
        if (event.reason === "agent_error") threwOn ??= ask?.prompt ?? null
        if (event.reason === "interrupted") return
        const { evalRun, index, taskId } = event
        lost.push({
          task_id: taskId,
          scenario_id: ask?.scenarioId ?? taskId,
          eval_run: evalRun,
          rollout_index: index,
          reason: event.reason
        })
      }
    },
    lost: () => lost,
    threwOn: () => threwOn
  }
}
