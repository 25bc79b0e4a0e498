/**
 * Who listens to the events of a run: the caller's `onEvent`, whose failures end nothing, and the list of lost rollouts.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { RunEvent } from "../search/RunEvent.ts"
import type { LostRollout } from "../measure/Measured.ts"
import * as ErrorText from "../task/ErrorText.ts"
import * as Warning from "../report/Warning.ts"

/** The caller's `onEvent`: what it throws or rejects with becomes a warning. */
export interface Listener {
  readonly hear: (event: RunEvent) => void
  /** What went wrong so far, in one warning. */
  readonly notes: () => ReadonlyArray<Warning.Warning>
}

/** A listener for a run in the current fiber. The first failure is logged at once: it may come after the summary. */
export const make = (onEvent: (event: RunEvent) => unknown): Effect.Effect<Listener> =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    let events = 0
    let failed = 0
    let first = ""
    const fail = (event: RunEvent, cause: unknown): void => {
      failed += 1
      if (failed > 1) return
      first = `${event._tag}: ${ErrorText.of(cause)}`
      Runtime.runFork(runtime)(Effect.logWarning(`onEvent failed, and the run goes on. ${first}`))
    }
    return {
      hear: (event) => {
        events += 1
        try {
          const given = onEvent(event)
          if (Effect.isEffect(given)) fail(event, new Error("it gave back an Effect, which nobody runs"))
          else if (isThenable(given)) given.then(undefined, (cause: unknown) => fail(event, cause))
        } catch (cause) {
          fail(event, cause)
        }
      },
      notes: () =>
        failed === 0
          ? []
          : [
              Warning.make(
                "listener_failed",
                `onEvent failed on ${failed} of ${events} events so far. ${first}`,
                "Mend `onEvent`: it is a plain function of an event, and what it throws reaches nobody.",
                { failed, events }
              )
            ]
    }
  })

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** The rollouts that gave no row, kept as the events tell them, since no row does. */
export interface LostRollouts {
  readonly hear: (event: RunEvent) => void
  /** In the order they were lost. */
  readonly lost: ReadonlyArray<LostRollout>
}

export const lostRollouts = (): LostRollouts => {
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
