import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Driver from "../../../packages/core/src/search/Driver.ts"
import type * as Options from "@sandtable/core/Options"
import * as Randomness from "@sandtable/core/Randomness"
import type * as Search from "@sandtable/core/Search"
import { inputOf, plainWriter } from "./support.ts"

interface Watched {
  /** `task/index` of every rollout in the order in which the search chose them. */
  readonly chosen: ReadonlyArray<string>
  readonly state: Search.State
  readonly mostAtOnce: number
}

/** Runs a search whose rollouts and verdicts take times drawn from `latency`, on the test's clock. */
const drive = (options: Options.Options, latency: number, judged = false) =>
  Effect.gen(function* () {
    const draws = Randomness.make(latency)
    const chosen: Array<string> = []
    const landed: Array<string> = []
    let running = 0
    let mostAtOnce = 0
    const takes = (what: string, name: string) => Effect.sleep(Math.floor(draws.draw([what, name]) ** 4 * 200_000))
    const fiber = yield* Effect.fork(
      Driver.run<string>(inputOf(options, { judged }), {
        write: (slots) => Effect.succeed(slots.map(plainWriter)),
        choose: () => Effect.void,
        roll: ({ task, index }, restore) =>
          Effect.gen(function* () {
            const name = `${task.id}/${index}`
            mostAtOnce = Math.max(mostAtOnce, ++running)
            chosen.push(name)
            yield* restore(takes("roll", name))
            running -= 1
            const split = Randomness.make(1).draw(["behaviour", name]) < 0.5
            return {
              _tag: "Row",
              finished: name,
              digest: {
                signature: split ? "a" : "b",
                truncated: false,
                worldFault: task.faults.length > 0,
                handledBadly: split,
                shapes: []
              }
            }
          }),
        judge: judged
          ? (name, restore) =>
              Effect.as(restore(takes("judge", name)), [
                name,
                { reward: Randomness.make(2).draw(["reward", name]) < 0.3 ? 0 : 1 }
              ] as const)
          : null,
        land: (name) => Effect.sync(() => void landed.push(name)),
        stop: Effect.never,
        isStopped: () => false,
        clock: Effect.never,
        onStop: () => Effect.void
      })
    )
    let done = false
    yield* Effect.fork(
      Effect.zipRight(
        Fiber.await(fiber),
        Effect.sync(() => (done = true))
      )
    )
    while (!done) yield* TestClock.adjust("10 seconds")
    const state = yield* Fiber.join(fiber)
    expect(new Set(landed).size).toBe(state.landed)
    return { chosen, state, mostAtOnce } satisfies Watched
  })

describe("orders", () => {
  const options = { mode: "rl", budget: 96, faultRate: 1 } as const

  for (const reproducible of [{ batch: 16 }, { lookahead: 24 }] as const) {
    for (const judged of [false, true]) {
      const name = `${JSON.stringify(reproducible)}${judged ? " with a grader" : ""}`
      it.effect(`chooses the same at any concurrency and latency: ${name}`, () =>
        Effect.gen(function* () {
          const settings = { ...options, reproducible, ...(judged ? { grader: () => 1 } : {}) } as Options.Options
          const first = yield* drive({ ...settings, concurrency: 2 }, 1, judged)
          expect(first.chosen).toHaveLength(96)
          for (const [concurrency, latency] of [
            [2, 2],
            [5, 3],
            [16, 4]
          ] as const) {
            const other = yield* drive({ ...settings, concurrency }, latency, judged)
            expect(new Set(other.chosen)).toEqual(new Set(first.chosen))
            expect(other.state.mutations).toEqual(first.state.mutations)
            expect(other.state.closed).toEqual(first.state.closed)
            expect(other.mostAtOnce).toBe(concurrency)
          }
        })
      )
    }
  }

  it.effect("lets arrival decide when free", () =>
    Effect.gen(function* () {
      const one = yield* drive({ ...options, concurrency: 8 }, 1)
      const other = yield* drive({ ...options, concurrency: 8 }, 2)
      expect(new Set(other.chosen)).not.toEqual(new Set(one.chosen))
    })
  )

  it.effect("does not stall a look-ahead run on one slow rollout", () =>
    Effect.gen(function* () {
      const times = (reproducible: Options.Options["reproducible"]) =>
        Effect.gen(function* () {
          const begun: Array<number> = []
          const fiber = yield* Effect.fork(
            Driver.run<number>(inputOf({ budget: 64, concurrency: 4, reproducible }), {
              write: (slots) => Effect.succeed(slots.map(plainWriter)),
              choose: () => Effect.void,
              roll: ({ order }, restore) =>
                Effect.sync(() => begun.push(order)).pipe(
                  Effect.zipRight(restore(Effect.sleep(order === 0 ? "1 hour" : "1 second"))),
                  Effect.as({
                    _tag: "Row",
                    finished: order,
                    digest: { signature: "a", truncated: false, worldFault: false, handledBadly: false, shapes: [] }
                  } as const)
                ),
              judge: null,
              land: () => Effect.void,
              stop: Effect.never,
              isStopped: () => false,
              clock: Effect.never,
              onStop: () => Effect.void
            })
          )
          yield* Effect.forEach(Array.from({ length: 60 }), () => TestClock.adjust("1 second"))
          const soFar = begun.length
          yield* TestClock.adjust("2 hours")
          yield* Effect.forEach(Array.from({ length: 60 }), () => TestClock.adjust("1 second"))
          yield* Fiber.join(fiber)
          return soFar
        })
      expect(yield* times({ batch: 16 })).toBe(16)
      expect(yield* times({ lookahead: 48 })).toBe(48)
    })
  )
})

describe("stopping", () => {
  it.effect("begins nothing after the run has ended, and leaves no fiber behind", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      let begun = 0
      let interrupted = 0
      const fiber = yield* Effect.fork(
        Driver.run<number>(inputOf({ budget: 1000, concurrency: 8, advanced: { grace: 2 } }), {
          write: (slots) => Effect.succeed(slots.map(plainWriter)),
          choose: () => Effect.void,
          roll: (_, restore) =>
            Effect.gen(function* () {
              begun += 1
              const exit = yield* Effect.exit(restore(Effect.sleep("1 hour")))
              if (exit._tag === "Failure") interrupted += 1
              return { _tag: "Lost", reason: "interrupted" } as const
            }),
          judge: null,
          land: () => Effect.void,
          stop: Deferred.await(stop),
          isStopped: () => false,
          clock: Effect.never,
          onStop: () => Effect.void
        })
      )
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(stop, undefined)
      yield* TestClock.adjust("3 seconds")
      const state = yield* Fiber.join(fiber)
      expect(state.stopped).toBe("interrupted")
      expect([begun, interrupted, state.lost]).toEqual([8, 8, 8])
      yield* TestClock.adjust("1 day")
      expect(begun).toBe(8)
    })
  )

  // What is queued behind a refusal would be refused without waiting for anything, before the search hears of the first.
  for (const what of ["quota", "cap"] as const) {
    for (const reproducible of [false, { batch: 16 }, { lookahead: 24 }] as const) {
      for (const concurrency of [1, 4]) {
        const name = `${what}, ${JSON.stringify(reproducible)}, ${concurrency} at once`
        it.effect(`begins nothing once a model is out of quota or a cap is reached: ${name}`, () =>
          Effect.gen(function* () {
            let [begun, asked] = [0, 0]
            let spent = false
            const reached = yield* Deferred.make<Driver.Cap>()
            const fiber = yield* Effect.fork(
              Driver.run<number>(inputOf({ budget: 1000, concurrency, reproducible }), {
                write: (slots) => Effect.succeed(slots.map(plainWriter)),
                choose: () => Effect.void,
                roll: ({ order }, restore) =>
                  Effect.gen(function* () {
                    begun += 1
                    if (!spent) yield* restore(Effect.sleep(`${1 + (order % 3)} seconds`))
                    if (!spent && ++asked > 20) {
                      spent = true
                      if (what === "cap") yield* Deferred.succeed(reached, "token_budget")
                    }
                    if (spent) return { _tag: "Lost", reason: what === "cap" ? "interrupted" : "quota" } as const
                    const digest = { signature: "a", truncated: false, worldFault: false, handledBadly: false }
                    return { _tag: "Row", finished: order, digest: { ...digest, shapes: [] } } as const
                  }),
                judge: null,
                land: () => Effect.void,
                stop: Effect.never,
                isStopped: () => false,
                clock: Effect.never,
                cap: {
                  reached: () => (spent && what === "cap" ? "token_budget" : null),
                  wait: Deferred.await(reached)
                },
                onStop: () => Effect.void
              })
            )
            yield* Effect.forEach(Array.from({ length: 90 }), () => TestClock.adjust("1 second"))
            const state = yield* Fiber.join(fiber)
            expect(state.stopped).toBe(what === "cap" ? "token_budget" : "quota_exceeded")
            expect(state.landed).toBe(20)
            // The one that was refused, and at most those that were under way beside it.
            expect(state.lost).toBeGreaterThan(0)
            expect(state.lost).toBeLessThanOrEqual(concurrency)
            expect([state.requested, begun]).toEqual([20 + state.lost, 20 + state.lost])
          })
        )
      }
    }
  }
})
