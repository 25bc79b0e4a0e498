import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import * as Simulation from "@sandtable/core/Simulation"
import * as Stopwatch from "../../../packages/core/src/time/Stopwatch.ts"

/** A machine on which time goes on by itself, and whose time of day is set back an hour at every look at it. */
const unsteady = (): Clock.Clock => {
  let day = 1_700_000_000_000
  let nanos = 0n
  return {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => (day -= 3_600_000),
    unsafeCurrentTimeNanos: () => (nanos += 2_000_000n),
    currentTimeMillis: Effect.sync(() => (day -= 3_600_000)),
    currentTimeNanos: Effect.sync(() => (nanos += 2_000_000n))
  }
}

describe("durations", () => {
  it("are read from a clock that is never set", () => {
    const clock = unsteady()
    const began = Stopwatch.millis(clock)
    expect(Stopwatch.secondsSince(clock, began)).toBe(0.002)
  })

  it.effect("of a run and its rollouts go on when the time of day is set back", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        agent: () => "Here it is.",
        tools: [{ name: "get_order", description: "Gets an order.", parameters: { type: "object" } }],
        simulator: false,
        budget: 4,
        timeBudget: Duration.toMillis("1 hour")
      }).pipe(Effect.withClock(unsteady()))
      const { elapsed, finished_at, started_at } = data.report().timings
      expect(elapsed).toBeGreaterThan(0)
      expect(elapsed).toBeLessThan(60)
      expect(Date.parse(finished_at ?? "")).toBeLessThan(Date.parse(started_at))
      for (const { timings } of data.rows) expect(timings?.elapsed).toBeGreaterThan(0)
    })
  )
})
