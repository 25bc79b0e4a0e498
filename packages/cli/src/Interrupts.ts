/**
 * Ctrl-C (and SIGTERM): the first asks the work at hand to stop, the second leaves at once. A terminal that is closed
 * (SIGHUP) asks, too; it may do so twice, by the shell and by the system, and is in no hurry.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import * as ExitStatus from "./ExitStatus.ts"
import { Stdio } from "./Stdio.ts"

export interface Service {
  /** While the scope is open, the first signal calls the handler, and a further one ends the process. */
  readonly onFirst: (handler: () => void) => Effect.Effect<void, never, Scope>
}

export class Interrupts extends Context.Tag("@sandtable/cli/Interrupts")<Interrupts, Service>() {}

export interface ProcessLike {
  readonly on: (signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void) => unknown
  readonly off: (signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void) => unknown
  readonly exit: (status: number) => void
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

export const layer = (process: ProcessLike): Layer.Layer<Interrupts, never, Stdio> =>
  Layer.effect(
    Interrupts,
    Effect.map(Stdio, (stdio) => ({
      onFirst: (handler) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => {
              let asked = false
              const listener = (signal: NodeJS.Signals): void => {
                if (asked && signal === "SIGHUP") return
                if (asked) {
                  stdio.restore()
                  process.exit(ExitStatus.interrupted)
                  return
                }
                asked = true
                handler()
              }
              for (const signal of signals) process.on(signal, listener)
              return listener
            }),
            (listener) =>
              Effect.sync(() => {
                for (const signal of signals) process.off(signal, listener)
              })
          )
        )
    }))
  )
