/**
 * The caller's `onEvent`: what it throws or rejects with is told and ends nothing, since a run is more than its listener.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { RunEvent } from "../search/RunEvent.ts"
import * as ErrorText from "../task/ErrorText.ts"
import * as Warning from "../report/Warning.ts"

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
