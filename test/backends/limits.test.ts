import * as Limits from "@sandtable/backends/Limits"
import { layerUndici } from "@sandtable/backends/node"
import * as Deadline from "../../packages/core/src/time/Deadline.ts"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, FastCheck as fc, Fiber, TestClock } from "effect"
import { behind, hi, noted } from "./asking.ts"
import * as FakeServer from "./FakeServer.ts"

const gateOf = () => {
  let resolve: (reply: FakeServer.Reply) => void = () => undefined
  const promise = new Promise<FakeServer.Reply>((done) => (resolve = done))
  return { promise, resolve }
}

const served = (): Limits.Outcome => "served"

describe("a limit", () => {
  it.scoped("none given, 200 calls reach the server at once", () =>
    Effect.gen(function* () {
      const gate = gateOf()
      const { model, server } = yield* behind(() => gate.promise)
      const calls = yield* Effect.forkScoped(
        Effect.all(
          Array.from({ length: 200 }, () => model.complete(hi)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.promise(() => server.reached(200))
      gate.resolve({ text: "ok" })
      expect(yield* Fiber.join(calls)).toHaveLength(200)
      expect(server.peak()).toBe(200)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is exact over everybody who shares it", () =>
    Effect.gen(function* () {
      const limit = Limits.limit("agent", { max: 7 })
      const gate = gateOf()
      const one = yield* behind(() => gate.promise, { limit })
      const other = yield* behind(() => gate.promise, { limit })
      const calls = yield* Effect.forkScoped(
        Effect.all(
          [one, other].flatMap(({ model }) => Array.from({ length: 20 }, () => model.complete(hi))),
          {
            concurrency: "unbounded"
          }
        )
      )
      yield* Effect.promise(() => one.server.reached(7))
      expect(limit.state()).toEqual({ limit: 7, inFlight: 7, waiting: 33 })
      gate.resolve({ text: "ok" })
      yield* Fiber.join(calls)
      expect(one.server.received.length + other.server.received.length).toBe(40)
      expect(Math.max(one.server.peak(), other.server.peak())).toBe(7)
      expect(limit.state()).toEqual({ limit: 7, inFlight: 0, waiting: 0 })
    }).pipe(Effect.provide(layerUndici))
  )

  it.effect("waiting for a place is charged to nobody, and comes in order", () =>
    Effect.gen(function* () {
      const limit = Limits.limit("agent", { max: 1 })
      const gate = yield* Deferred.make<void>()
      const order: Array<number> = []
      const first = yield* Effect.fork(limit.run(Deferred.await(gate), served))
      yield* Effect.yieldNow()
      const others = yield* Effect.forEach([0, 1, 2], (i) =>
        Effect.fork(
          Deadline.within(
            limit.run(
              Effect.sync(() => order.push(i)),
              served
            ),
            5
          )
        )
      )
      yield* TestClock.adjust("1 minute")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Effect.forEach(others, Fiber.join)
      expect(order).toEqual([0, 1, 2])
    })
  )

  it.effect.prop(
    "gets every place back wherever a call is interrupted",
    [fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 4 })],
    ([cuts, max]) =>
      Effect.gen(function* () {
        const limit = Limits.limit("agent", { max })
        let running = 0
        let most = 0
        const call = Effect.acquireUseRelease(
          Effect.sync(() => (most = Math.max(most, (running += 1)))),
          () => Effect.forEach([1, 2, 3], () => Effect.yieldNow()),
          () => Effect.sync(() => (running -= 1))
        )
        const fibers = yield* Effect.forEach(cuts, () => Effect.fork(limit.run(call, served)))
        yield* Effect.forEach(
          fibers,
          (fiber, i) =>
            Effect.forEach(Array.from({ length: cuts[i]! }), () => Effect.yieldNow()).pipe(
              Effect.zipRight(i % 3 === 0 ? Fiber.await(fiber) : Fiber.interrupt(fiber))
            ),
          { concurrency: "unbounded" }
        )
        expect(limit.state()).toEqual({ limit: max, inFlight: 0, waiting: 0 })
        expect(most).toBeLessThanOrEqual(max)
        expect(yield* limit.run(Effect.succeed("still here"), served)).toBe("still here")
      })
  )

  it("wants a whole number from 1", () => {
    for (const max of [0, -1, 1.5, Number.NaN]) expect(() => Limits.limit("agent", { max })).toThrow(/whole number/)
  })

  it("has one for each role", () => {
    const limits = Limits.make({ agent: 3, user: { max: 2, adaptive: false } })
    expect([limits.agent, limits.user, limits.writer, limits.judge].map((each) => each.state().limit)).toEqual([
      3,
      2,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY
    ])
  })
})

describe("an adaptive limit", () => {
  it.scoped("loses no completion to a server that takes ten at once, and settles there", () =>
    Effect.gen(function* () {
      const limit = Limits.limit("agent")
      const { model, server } = yield* behind(
        (): Promise<FakeServer.Reply> | FakeServer.Reply =>
          server.inFlight() > 10
            ? FakeServer.refusal(429, "too many")
            : new Promise((resolve) => setTimeout(resolve, 3, { text: "ok" })),
        { limit }
      )
      const seen: Array<number> = []
      const call = Effect.tap(Effect.either(model.complete(hi)), () =>
        Effect.sync(() => seen.push(limit.state().limit))
      )
      const { exit } = yield* noted(
        Effect.all(
          Array.from({ length: 600 }, () => call),
          { concurrency: 200 }
        )
      )
      expect(Exit.isSuccess(exit) && exit.value.every(Either.isRight)).toBe(true)
      for (const level of seen.slice(-60)) {
        expect(level).toBeGreaterThanOrEqual(5)
        expect(level).toBeLessThanOrEqual(16)
      }
    }).pipe(Effect.provide(layerUndici))
  )

  /** Calls in rounds of as many as the limit lets through; the server refuses beyond what it takes. */
  const rounds = (limit: Limits.Limit, count: number, takes: number, width: number) =>
    Effect.gen(function* () {
      for (let i = 0; i < count; i++) {
        let level = 0
        const call = Effect.flatMap(
          Effect.sync(() => (level += 1)),
          (mine) => Effect.as(Effect.yieldNow(), mine <= takes ? "served" : "throttled")
        )
        const fibers = yield* Effect.forEach(Array.from({ length: Math.min(width, limit.state().limit) }), () =>
          Effect.fork(limit.run(call, (outcome) => outcome as Limits.Outcome))
        )
        yield* Effect.forEach(fibers, Fiber.await)
      }
    })

  it.effect("grows again when the server takes more, up to its max", () =>
    Effect.gen(function* () {
      const limit = Limits.limit("agent", { max: 64 })
      yield* rounds(limit, 40, 10, 64)
      expect(limit.state().limit).toBeLessThanOrEqual(11)
      expect(limit.state().limit).toBeGreaterThanOrEqual(8)
      yield* rounds(limit, 100, 1000, 64)
      expect(limit.state().limit).toBe(64)
    })
  )

  it.effect("does not shrink for refusals that strike one call in ten, whatever is under way", () =>
    Effect.gen(function* () {
      const limit = Limits.limit("agent", { max: 32 })
      for (let i = 0; i < 2_000; i++) {
        yield* limit.run(Effect.succeed(i % 10 === 3), (struck): Limits.Outcome => (struck ? "throttled" : "served"))
      }
      expect(limit.state().limit).toBe(32)
    })
  )

  it.effect("stays where it is when it is told not to adapt", () =>
    Effect.gen(function* () {
      const limit = Limits.limit("agent", { max: 32, adaptive: false })
      yield* rounds(limit, 40, 2, 32)
      expect(limit.state().limit).toBe(32)
    })
  )
})
