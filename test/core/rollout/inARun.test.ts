import { describe, expect, it } from "@effect/vitest"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as CurrentRollout from "@sandtable/core/CurrentRollout"
import type * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as World from "@sandtable/core/World"
import { Clock, Deferred, Effect, Exit, Fiber, type Layer, Option, TestClock } from "effect"

const tools = [{ name: "list_stores", description: "List the stores", parameters: { type: "object" } }]
const base = {
  tools,
  systemPrompt: "Help with stores.",
  simulator: false,
  faultRate: 0,
  budget: 40,
  concurrency: 8
} as const

const turn = Effect.async<void>((done) => void setImmediate(() => done(Effect.void)))

const here = Effect.map(CurrentRollout.CurrentRollout, (info) =>
  Option.match(info, { onNone: () => "", onSome: (at) => at.id })
)

/** A world that opens and answers as it is told, and whose results say in which rollout they were asked for. */
const world = (slowly: boolean): Layer.Layer<never> => {
  const answer = Effect.map(slowly ? Effect.zipRight(turn, here) : here, (id): World.Answer => ({
    result: { id },
    status: "ok",
    answeredBy: "mock",
    elapsedMs: 0
  }))
  const session: World.Session = { call: () => answer, writes: Effect.succeed([]), state: Effect.succeed(null) }
  return World.layerService({
    name: "telling",
    open: () => (slowly ? Effect.as(turn, session) : Effect.succeed(session))
  })
}

const idOf = (row: Row.Row): string => row.row_id.replace("row_", "roll_")

describe("an agent in a run", () => {
  for (const slowly of [false, true]) {
    for (const rolloutTimeout of [undefined, 60]) {
      const advanced = rolloutTimeout === undefined ? {} : { rolloutTimeout }
      const where = `in a world that answers ${slowly ? "later" : "at once"}, ${rolloutTimeout === undefined ? "without" : "with"} a limit`

      it.effect(`that is a plain function asks ${where} from its own rollout`, () =>
        Effect.gen(function* () {
          const data = yield* Simulation.simulate({
            ...base,
            advanced,
            agent: async (
              _message: string,
              context: { readonly world: { readonly call: (tool: string) => Promise<unknown> } }
            ) => {
              const answers = await Promise.all([context.world.call("list_stores"), context.world.call("list_stores")])
              return JSON.stringify([...answers, await context.world.call("list_stores")])
            }
          }).pipe(Effect.provide(world(slowly)))
          expect(data.rows).toHaveLength(40)
          for (const row of data.rows) {
            expect(JSON.parse(row.final_text)).toEqual([1, 2, 3].map(() => ({ id: idOf(row) })))
          }
        })
      )

      it.effect(`that is an effect has ${where} a rollout and a scope of its own`, () =>
        Effect.gen(function* () {
          let open = 0
          let most = 0
          const agent = AgentBackend.layerFunction(() =>
            Effect.gen(function* () {
              yield* Effect.acquireRelease(
                Effect.sync(() => (most = Math.max(most, (open += 1)))),
                () => Effect.sync(() => (open -= 1))
              )
              yield* turn
              return yield* here
            })
          )
          const data = yield* Simulation.simulate({
            ...base,
            advanced,
            agent: agent as Layer.Layer<AgentBackend.AgentBackend>
          }).pipe(Effect.provide(world(slowly)))
          expect(data.rows.map((row) => row.final_text)).toEqual(data.rows.map(idOf))
          expect(open).toBe(0)
          expect(most).toBeLessThanOrEqual(8)
        })
      )
    }
  }

  it.effect("has its moment on its row", () =>
    Effect.gen(function* () {
      const began: Array<number> = []
      const agent = AgentBackend.layerFunction(() =>
        Effect.zipRight(
          Effect.map(Clock.currentTimeMillis, (now) => began.push(now)),
          Effect.as(Effect.sleep("1737 millis"), "Done.")
        )
      )
      const fiber = yield* Effect.fork(Simulation.simulate({ ...base, concurrency: 1, budget: 10, agent }))
      yield* Effect.forEach(Array.from({ length: 10 }), () => TestClock.adjust("1737 millis"))
      const data = yield* Fiber.join(fiber)
      expect(data.rows.map((row) => row.timings)).toEqual(
        began.map((at) => ({ started_at: new Date(at).toISOString(), elapsed: 1.737 }))
      )
    })
  )

  it.effect("is given up on by the run's clock, though that shows the machine's time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const told: Array<string> = []
      const fiber = yield* Effect.fork(
        Simulation.simulate({
          ...base,
          concurrency: 1,
          budget: 2,
          timeout: 30,
          advanced: { toolTimeout: 10 },
          agent: async (_message, { rollout, world }) => {
            if (rollout.rolloutIndex === 0 && told.length === 0) return new Promise<string>(() => {})
            const { status } = (await world.call("list_stores")) as { readonly status: string }
            return status
          },
          execute: () => Effect.never,
          onEvent: (event) => event._tag === "RolloutLost" && told.push(event.reason)
        })
      )
      yield* TestClock.adjust("30 seconds")
      yield* TestClock.adjust("10 seconds")
      yield* TestClock.adjust("10 seconds")
      const { rows } = yield* Fiber.join(fiber)
      expect(told).toEqual(["timeout"])
      expect(rows.map((row) => row.final_text)).toEqual(["timeout", "timeout"])
    })
  )

  it.effect("is told when the run stops, and its calls end with it", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const signals: Array<AbortSignal> = []
      let asked = 0
      let ended = 0
      const hanging = World.layerNoop({
        call: () =>
          Effect.suspend(() => {
            if ((asked += 1) === 8) Deferred.unsafeDone(begun, Exit.void)
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => (ended += 1)))
          })
      })
      const fiber = yield* Effect.fork(
        Simulation.simulate({
          ...base,
          stop: Deferred.await(stop),
          advanced: { grace: 0 },
          agent: async (_message: string, context) => {
            signals.push(context.rollout.signal)
            return String(await context.world.call("list_stores"))
          }
        }).pipe(Effect.provide(hanging))
      )
      yield* Deferred.await(begun)
      expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map(() => false))
      yield* Deferred.succeed(stop, undefined)
      yield* Effect.yieldNow()
      const data = yield* Fiber.join(fiber)
      expect(data.stoppedBecause).toBe("interrupted")
      expect(data.report().lost_by).toEqual({ interrupted: 8 })
      expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map(() => true))
      expect(ended).toBe(8)
    })
  )
})
