import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import type * as Engine from "../../packages/cli/src/Engine.ts"
import * as Progress from "../../packages/cli/src/Progress.ts"
import * as Style from "../../packages/cli/src/Style.ts"
import * as Stdio from "../../packages/cli/src/Stdio.ts"
import { row } from "./harness.ts"

const landed = (n: number, reward: number | null = null): ReadonlyArray<Engine.Event> => [
  { _tag: "RolloutStarted" },
  { _tag: "RowLanded", row: row(n, { reward }) }
]

const begin = (progress: Progress.Service, expected: number, title = "agent.ts"): void => {
  progress.begin(title)
  progress.event({ _tag: "Started", budget: 1000, expected, warnings: [] })
}

/** Runs a watcher in a scope and gives what stood on stderr after each of its steps, and at the end. */
const watch = (
  style: Progress.Style,
  terminal: boolean,
  steps: (progress: Progress.Service, seen: () => string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const stdio = Stdio.memory({ terminal, columns: 80 })
    let at = 0
    const seen = (): string => {
      const text = stdio.stderr().slice(at)
      at = stdio.stderr().length
      return text
    }
    yield* Effect.flatMap(Progress.Progress, (progress) => steps(progress, seen)).pipe(
      Effect.provide(Layer.provide(Progress.layer(style, 1), Layer.succeed(Stdio.Stdio, stdio.service)))
    )
    return { rest: seen(), all: stdio.stderr(), stdout: stdio.stdout() }
  })

describe("lines", () => {
  it.effect("come at each tenth of the rows", () =>
    Effect.gen(function* () {
      yield* watch("lines", false, (progress, seen) =>
        Effect.sync(() => {
          begin(progress, 100)
          let lines = 0
          for (let n = 1; n <= 100; n++) {
            landed(n).forEach(progress.event)
            lines += seen().split("\n").length - 1
          }
          expect(lines).toBe(10)
        })
      )
    })
  )

  it.effect("come each ten seconds though nothing lands", () =>
    Effect.gen(function* () {
      yield* watch("lines", false, (progress, seen) =>
        Effect.gen(function* () {
          begin(progress, 100)
          progress.event({ _tag: "RolloutStarted" })
          progress.event({ _tag: "Waiting", role: "agent", who: "gpt-4.1-mini", until: 25_000 })
          yield* TestClock.adjust("9 seconds")
          expect(seen()).toBe("")
          yield* TestClock.adjust("1 seconds")
          expect(seen()).toBe("0 of 100 rows, 1 in flight, waiting for gpt-4.1-mini (agent) until 00:00:25 UTC\n")
          yield* TestClock.adjust("20 seconds")
          expect(seen()).toBe(
            "0 of 100 rows, 1 in flight, waiting for gpt-4.1-mini (agent) until 00:00:25 UTC\n0 of 100 rows, 1 in flight\n"
          )
        })
      )
    })
  )

  it.effect("say that a run stops until the next eval run of the call begins", () =>
    Effect.gen(function* () {
      yield* watch("lines", false, (progress, seen) =>
        Effect.sync(() => {
          begin(progress, 20)
          for (let n = 1; n <= 10; n++) landed(n).forEach(progress.event)
          seen()
          progress.event({ _tag: "Stopping", reason: "budget" })
          expect(seen()).toContain("10 of 20 rows, stopping")
          progress.event({ _tag: "RolloutStarted", evalRun: 1 })
          for (let n = 11; n <= 14; n++) landed(n).forEach(progress.event)
          const lines = seen()
          expect(lines).toContain("12 of 20 rows")
          expect(lines).not.toContain("stopping")
        })
      )
    })
  )

  it.effect("tell pace, passes, losses, and the time left after five rows", () =>
    Effect.gen(function* () {
      yield* watch("lines", false, (progress, seen) =>
        Effect.gen(function* () {
          begin(progress, 50)
          for (let n = 1; n <= 4; n++) landed(n, 1).forEach(progress.event)
          yield* TestClock.adjust("10 seconds")
          expect(seen()).not.toContain("left")
          landed(5, 0).forEach(progress.event)
          progress.event({ _tag: "RolloutLost", taskId: "task_1", index: 0, evalRun: 0, reason: "timeout" })
          yield* TestClock.adjust("10 seconds")
          expect(seen().trimEnd().split("\n").at(-1)).toMatchInlineSnapshot(
            `"5 of 50 rows, 0.3 rollouts/s, 0 in flight, pass 80.0% [37.6%, 96.4%] over 5 tasks, 5 rows, lost 1 (timeout 1), 3:00 left"`
          )
        })
      )
    })
  )
})

describe("the window", () => {
  it.effect("is redrawn in place, lets notes scroll above it, and gives the terminal back", () =>
    Effect.gen(function* () {
      const { rest, all } = yield* watch("window", true, (progress, seen) =>
        Effect.gen(function* () {
          begin(progress, 4)
          yield* TestClock.adjust("100 millis")
          expect(seen()).toContain("\u001b[?25l")
          landed(1, 1).forEach(progress.event)
          yield* TestClock.adjust("100 millis")
          const drawn = seen()
          expect(drawn.startsWith("\u001b[?2026h\u001b[2A\r\u001b[0J")).toBe(true)
          expect(drawn.endsWith("\u001b[?2026l")).toBe(true)
          expect(drawn).toContain("1 of 4 rows")
          expect(drawn).toContain("pass 100.0%")
          progress.note("a line of the agent")
          expect(seen()).toContain("[3A\r\u001b[0Ja line of the agent\n")
          yield* TestClock.adjust("100 millis")
        })
      )
      expect(rest.endsWith("\u001b[?25h")).toBe(true)
      expect(all.split("\u001b[?2026h").length).toBe(all.split("\u001b[?2026l").length)
    })
  )

  it.effect("never writes wider than the terminal", () =>
    Effect.gen(function* () {
      const { all } = yield* watch("window", true, (progress) =>
        Effect.gen(function* () {
          begin(progress, 4, `${"a-long-name/".repeat(20)}agent.ts`)
          for (const reason of ["timeout", "agent_error", "empty_reply", "tool_markup", "context_overflow"]) {
            progress.event({ _tag: "RolloutLost", taskId: "task_1", index: 0, evalRun: 0, reason })
          }
          yield* TestClock.adjust("100 millis")
        })
      )
      for (const line of all.split("\n")) expect(Style.strip(line).length).toBeLessThan(80)
    })
  )
})

describe("nothing", () => {
  it.effect("is said but notes", () =>
    Effect.gen(function* () {
      const { all } = yield* watch("none", false, (progress) =>
        Effect.sync(() => {
          begin(progress, 4)
          landed(1).forEach(progress.event)
          progress.note("stopping")
        })
      )
      expect(all).toBe("stopping\n")
    })
  )
})
