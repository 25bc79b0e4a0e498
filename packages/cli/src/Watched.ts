/**
 * A run that is watched: its progress, its Ctrl-C, and the agent's own output kept out of the data.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Engine from "./Engine.ts"
import { Interrupts } from "./Interrupts.ts"
import * as Invocation from "./Invocation.ts"
import * as Losses from "./Losses.ts"
import * as Progress from "./Progress.ts"
import type * as Settings from "./Settings.ts"
import { Stdio } from "./Stdio.ts"

/** Starts what is given and watches it to its end. */
export const watch = <A>(
  start: (hooks: Engine.Hooks) => Effect.Effect<A, Engine.Refused | Engine.Failed>,
  settings: Settings.Settings
) =>
  Effect.gen(function* () {
    const stdio = yield* Stdio
    const progress = yield* Progress.Progress
    const interrupts = yield* Interrupts
    const { debug } = yield* Invocation.Invocation
    const stop = new AbortController()
    yield* interrupts.onFirst(() => {
      progress.note("Stopping: what lands within the grace is kept. Ctrl-C again leaves at once.")
      stop.abort()
    })
    yield* stdio.capture(progress.note)
    progress.begin(settings.title)

    const { inFlags } = settings
    const losses = Losses.make()
    let requested: number | null = null
    let notes: ReadonlyArray<string> = []
    yield* Effect.forkScoped(
      Effect.delay(
        Effect.sync(() => notes.forEach(progress.note)),
        longRun
      )
    )
    const exit = yield* Effect.either(
      start({
        signal: stop.signal,
        onEvent: (event) => {
          if (event._tag === "Started") {
            requested = event.expected ?? event.budget
            const [dropped, other] = Arr.partition(event.warnings, (warning) => warning.code !== "seeds_dropped")
            dropped.forEach((warning) => progress.note(inFlags(warning.message)))
            notes = other.map((warning) => inFlags(warning.message))
          }
          losses.event(event)
          progress.event(event)
        }
      })
    ).pipe(
      Effect.provide(
        Layer.mergeAll(
          Logger.replace(Logger.defaultLogger, Logger.map(Logger.logfmtLogger, progress.note)),
          Logger.minimumLogLevel(debug ? LogLevel.Debug : LogLevel.Warning)
        )
      )
    )
    return { exit, losses, requested }
  }).pipe(Effect.scoped, (effect) =>
    Effect.flatMap(Stdio, (stdio) =>
      Effect.provide(effect, Progress.layer(styleOf(settings, stdio.err.isTerminal), settings.passAt))
    )
  )

/** A run that goes on for longer says its notes while there is time to stop it; the summary says them in any case. */
const longRun = "2 seconds"

const styleOf = (settings: Settings.Settings, terminal: boolean): Progress.Style =>
  settings.quiet ? "none" : (settings.progress ?? (terminal ? "window" : "lines"))
