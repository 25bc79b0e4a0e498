/**
 * How a run is going, for whoever watches: a window on a terminal, lines in a pipe, JSON lines for a program, or nothing.
 * A service that is told and never asked, so that rows are the same with and without.
 */
import * as Context from "effect/Context"
import * as Stopwatch from "@sandtable/core/unstable/Stopwatch"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Engine from "./Engine.ts"
import * as Gauge from "./progress/Gauge.ts"
import * as Lines from "./progress/Lines.ts"
import * as Window from "./progress/Window.ts"
import { Stdio } from "./Stdio.ts"

export interface Service {
  /** What the run is called here. */
  readonly begin: (title: string) => void
  readonly event: (event: Engine.Event) => void
  /** Something to read that stays: a note, a log line, what the agent printed. */
  readonly note: (text: string) => void
}

export class Progress extends Context.Tag("@sandtable/cli/Progress")<Progress, Service>() {}

export type Style = "window" | "lines" | "json" | "none"

/** Nothing but notes. */
export const layerSilent: Layer.Layer<Progress, never, Stdio> = Layer.effect(
  Progress,
  Effect.map(Stdio, (stdio) => ({
    begin: () => {},
    event: () => {},
    note: (text) => stdio.err.write(ended(text))
  }))
)

/** A window at the bottom of the terminal, redrawn ten times a second; notes scroll above it. */
export const layerWindow = (passAt: number): Layer.Layer<Progress, never, Stdio> =>
  Layer.scoped(
    Progress,
    Effect.gen(function* () {
      const stdio = yield* Stdio
      const clock = yield* Effect.clock
      const gauge = Gauge.make(Stopwatch.millis(clock), passAt)
      const window = yield* Effect.acquireRelease(
        Effect.sync(() => Window.open(stdio.err)),
        (window) => Effect.sync(() => window.close())
      )
      const draw = Effect.sync(() => window.draw(Gauge.lines(gauge.read(Stopwatch.millis(clock)), stdio.err)))
      yield* Effect.forkScoped(Effect.repeat(draw, Schedule.spaced(redrawEvery)))
      return {
        begin: gauge.begin,
        event: (event) => gauge.event(event, Stopwatch.millis(clock)),
        note: (text) => window.above(ended(text))
      }
    })
  )

/** A line at least each ten seconds or each tenth of the rows. */
export const layerLines = (passAt: number): Layer.Layer<Progress, never, Stdio> =>
  layerPrinted(passAt, (reading) => Lines.sentence(reading))

/** The same moments, one JSON object a line. */
export const layerJson = (passAt: number): Layer.Layer<Progress, never, Stdio> =>
  layerPrinted(passAt, (reading) => JSON.stringify(Lines.record(reading)))

/** `passAt`: the least reward of a pass. */
export const layer = (style: Style, passAt: number): Layer.Layer<Progress, never, Stdio> => {
  switch (style) {
    case "window":
      return layerWindow(passAt)
    case "lines":
      return layerLines(passAt)
    case "json":
      return layerJson(passAt)
    case "none":
      return layerSilent
  }
}

/** Often enough to look alive, seldom enough to cost nothing. */
const redrawEvery = "100 millis"
const lineEvery = "10 seconds"

function layerPrinted(passAt: number, print: (reading: Gauge.Reading) => string): Layer.Layer<Progress, never, Stdio> {
  return Layer.scoped(
    Progress,
    Effect.gen(function* () {
      const stdio = yield* Stdio
      const clock = yield* Effect.clock
      const now = (): number => Stopwatch.millis(clock)
      const gauge = Gauge.make(now(), passAt)
      let tenth = 0
      const line = (): void => stdio.err.write(ended(print(gauge.read(now()))))
      const tick = Effect.sync(line)
      yield* Effect.forkScoped(Effect.delay(Effect.repeat(tick, Schedule.spaced(lineEvery)), lineEvery))
      return {
        begin: gauge.begin,
        event: (event) => {
          gauge.event(event, now())
          const reached = gauge.tenth()
          // rows that were there before are no progress
          if (event._tag === "RowResumed") tenth = reached
          if (reached > tenth || (event._tag === "Stopping" && reached < 10)) {
            tenth = reached
            line()
          }
        },
        note: (text) => stdio.err.write(ended(text))
      }
    })
  )
}

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)
