import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Agent from "@sandtable/core/Agent"
import type { AgentFunction } from "@sandtable/core/Agent"
import * as Grader from "@sandtable/core/Grader"
import type * as Options from "@sandtable/core/Options"
import * as Randomness from "@sandtable/core/Randomness"
import * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }

/** Log-normal latencies with a sigma of 1 and a median of 100 ms, other ones for each salt. */
const latency = (salt: string) => {
  const random = Randomness.make(5)
  return (name: string) => {
    const draws = random.stream(["latency", salt, name])
    const radius = Math.sqrt(-2 * Math.log(1 - draws.next()))
    return Effect.sleep(100 * Math.exp(radius * Math.cos(2 * Math.PI * draws.next())))
  }
}

const callOf = (salt: string): Options.Options => {
  const wait = latency(salt)
  const agent: AgentFunction<never, Agent.CurrentWorld> = (message, { rollout }) =>
    Effect.gen(function* () {
      yield* wait(`${rollout.taskId} ${rollout.rolloutIndex}`)
      const order_id = /A\d{4}/.exec(message)?.[0]
      if (order_id === undefined) return "Which order is it? I need its number."
      const world = yield* Agent.CurrentWorld
      const answer = yield* world.call("get_order", { order_id })
      return `Order ${order_id}, ${rollout.rolloutSeed % 3 === 0 ? "in short" : "in full"}: ${JSON.stringify(answer)}.`
    })
  return {
    agent,
    tools: [{ name: "get_order", description: "Look up an order", parameters: order }],
    ids: { order_id: ["A1001", "A1002", "A1003"] },
    systemPrompt: "You are an order desk agent. Look an order up before you change it.",
    simulator: false,
    mode: "rl",
    repeats: 4,
    budget: 100,
    // a slow judge: verdicts come in an order of their own
    grader: Grader.make({
      name: "slow",
      grade: (row) => Effect.as(wait(`judge ${row.row_id}`), row.final_text.includes("in short") ? 0 : 1)
    })
  }
}

/** Plays a run whose time is moved, until it is over. */
const rowsOf = (options: Options.Options) =>
  Effect.gen(function* () {
    const running = yield* Effect.fork(Simulation.simulate(options as Simulation.InMemory))
    while ((yield* Fiber.poll(running))._tag === "None") {
      yield* TestClock.adjust("400 millis")
      yield* Effect.yieldNow()
    }
    const { meta, rows } = yield* Fiber.join(running)
    return { order: rows.map(({ row_id }) => row_id), digest: Row.digest(rows), stopped: meta.stopped_because }
  })

describe("the same rows at any concurrency and latency", () => {
  it.effect.each([
    ["in batches", true],
    ["looking ahead", { lookahead: 24 }]
  ] as const)(
    "%s",
    ([, reproducible]) =>
      Effect.gen(function* () {
        const serial = yield* rowsOf({ ...callOf("a"), reproducible, concurrency: 1 })
        expect(serial.order).toHaveLength(100)
        for (const concurrency of [1, 4, 32]) {
          expect(yield* rowsOf({ ...callOf(`b${concurrency}`), reproducible, concurrency })).toEqual(serial)
        }
      }),
    60_000
  )

  it.effect(
    "at concurrency 1 without the flag, and not at 32",
    () =>
      Effect.gen(function* () {
        const serial = yield* rowsOf({ ...callOf("a"), concurrency: 1 })
        expect(yield* rowsOf({ ...callOf("b"), concurrency: 1 })).toEqual(serial)
        expect(yield* rowsOf({ ...callOf("c"), concurrency: 32, reproducible: true })).toEqual(serial)
        const free = yield* rowsOf({ ...callOf("d"), concurrency: 32 })
        expect(free.digest).not.toBe(serial.digest)
      }),
    60_000
  )
})
