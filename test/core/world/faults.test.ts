import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as FaultedWorld from "../../../packages/core/src/world/FaultedWorld.ts"
import * as Faults from "@sandtable/core/Faults"
import * as MockWorld from "@sandtable/core/MockWorld"
import * as Randomness from "@sandtable/core/Randomness"
import type { Fault } from "../../../packages/core/src/task/Plan.ts"
import type { Session } from "@sandtable/core/World"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import { begin, shop, task } from "./worlds.ts"

const id = "#W2611340"
const of = task({ plan: { entity: { tool: "cancel_pending_order", argument: "order_id", id } } })
const faulted = (faults: ReadonlyArray<Fault>, settings: Partial<FaultedWorld.Settings> = {}) =>
  FaultedWorld.wrap(
    MockWorld.resume(begin(of)),
    { faults },
    { realDelays: false, tools: ToolSet.make(shop), ...settings }
  )
const read = (session: Session) => session.call({ tool: "get_order_details", arguments: { order_id: id } })
const cancel = (session: Session) =>
  session.call({ tool: "cancel_pending_order", arguments: { order_id: id, reason: "no longer needed" } })

describe("Faults", () => {
  it("plans what the cell says: one or two calls that fail, or a permission that stays missing", () => {
    const counts = new Set<number | undefined>()
    for (let i = 0; i < 50; i++) {
      const [fault] = Faults.plan("timeout", "refund", Randomness.make(i).stream(["fault"]))
      expect(fault).toMatchObject({ tool: "refund", mode: "timeout" })
      counts.add(fault?.count)
    }
    expect([...counts].sort()).toEqual([1, 2])
    const draws = Randomness.make(1).stream([])
    expect(Faults.plan("permission_denied", "refund", draws)).toEqual([
      { tool: "refund", mode: "permission_denied", always: true }
    ])
    expect(Faults.plan("malformed_result", "refund", draws)[0]?.mode).toBe("malformed")
    expect(Faults.plan("stale_result", "refund", draws)[0]?.mode).toBe("stale")
    for (const none of ["success", "unspecified", undefined, "constructor"])
      expect(Faults.plan(none, "refund", draws)).toEqual([])
  })
})

describe("FaultedWorld", () => {
  it.effect("fails the first call and recovers on the second", () =>
    Effect.gen(function* () {
      const session = faulted([{ tool: "get_order_details", mode: "timeout", count: 1 }])
      const first = yield* read(session)
      expect(first).toMatchObject({ status: "timeout", answeredBy: "fault", fault: "timeout", elapsedMs: 30_000 })
      expect(first.result).toEqual({ status: "timeout", error: expect.stringContaining("30 s") })
      const second = yield* read(session)
      expect(second).toMatchObject({ status: "ok", answeredBy: "mock" })
      expect(second.fault).toBeUndefined()
      const twice = faulted([{ tool: "get_order_details", mode: "timeout", count: 2 }])
      const statuses = yield* Effect.all([read(twice), read(twice), read(twice)])
      expect(statuses.map((answer) => answer.status)).toEqual(["timeout", "timeout", "ok"])
    })
  )

  it.effect("denies a permission on every try", () =>
    Effect.gen(function* () {
      const session = faulted([{ tool: "get_order_details", mode: "permission_denied", always: true }])
      for (let i = 0; i < 5; i++) expect((yield* read(session)).status).toBe("permission_denied")
      expect((yield* cancel(session)).status).toBe("ok")
    })
  )

  it.effect("fails exactly the calls that are numbered, counting each tool by itself", () =>
    Effect.gen(function* () {
      const session = faulted([
        { tool: "*", mode: "server_error", nth: [2] },
        { tool: "get_order_details", mode: "rate_limited", nth: [3] }
      ])
      const statuses: Array<string> = []
      for (let i = 0; i < 4; i++) statuses.push((yield* read(session)).status)
      expect(statuses).toEqual(["ok", "server_error", "rate_limited", "ok"])
      expect([(yield* cancel(session)).status, (yield* cancel(session)).status]).toEqual(["ok", "server_error"])
    })
  )

  it.effect("does not let a call through that it fails: nothing was written", () =>
    Effect.gen(function* () {
      for (const mode of ["timeout", "permission_denied", "rate_limited", "server_error"] as const) {
        const session = faulted([{ tool: "cancel_pending_order", mode, count: 1 }])
        yield* cancel(session)
        expect(yield* session.writes).toEqual([])
        expect((yield* cancel(session)).status).toBe("ok")
      }
    })
  )

  it.effect("garbles a real answer, and the write it spoke of was made", () =>
    Effect.gen(function* () {
      const session = faulted([{ tool: "cancel_pending_order", mode: "malformed", count: 1 }])
      const answer = yield* cancel(session)
      expect(answer).toMatchObject({ status: "ok", answeredBy: "fault", fault: "malformed" })
      expect(typeof answer.result).toBe("string")
      expect(() => JSON.parse(answer.result as string)).toThrow(SyntaxError)
      expect((yield* cancel(session)).status).toBe("already_done")
    })
  )

  it.effect("shows what was so before the rollout's writes when it is stale", () =>
    Effect.gen(function* () {
      const session = faulted([{ tool: "get_order_details", mode: "stale", nth: [2] }])
      const before = yield* read(session)
      yield* cancel(session)
      const stale = yield* read(session)
      expect(stale).toMatchObject({ status: "ok", answeredBy: "fault", fault: "stale" })
      expect(stale.result).toEqual({ ...(before.result as object), stale: true, as_of: "2025-03-13T09:00:00Z" })
      expect((yield* read(session)).result).toMatchObject({ status: "cancelled" })
    })
  )

  it.effect("gives half of an answer when it is partial", () =>
    Effect.gen(function* () {
      const session = faulted([{ tool: "get_order_details", mode: "partial", count: 1 }])
      const answer = yield* read(session)
      const whole = yield* read(session)
      expect(answer.result).toMatchObject({ partial: true })
      expect(JSON.stringify(answer.result).length).toBeLessThan(JSON.stringify(whole.result).length)
    })
  )

  it.effect("fires alike at any concurrency, decided by the order in which calls are issued", () =>
    Effect.gen(function* () {
      const faults: ReadonlyArray<Fault> = [
        { tool: "slow", mode: "timeout", nth: [2, 5] },
        { tool: "*", mode: "rate_limited", nth: [3] }
      ]
      // The later a call is issued, the sooner it is answered.
      const slow: Session = {
        call: ({ tool, arguments: { n } }) =>
          Effect.delay(
            Effect.succeed({ result: n, status: "ok", answeredBy: "execute", elapsedMs: 0 } as const),
            tool === "slow" ? 100 - Number(n) : 1
          ),
        writes: Effect.succeed([]),
        state: Effect.succeed(null)
      }
      const run = (concurrency: number) =>
        Effect.gen(function* () {
          const session = FaultedWorld.wrap(slow, { faults }, { realDelays: false })
          const calls = Array.from({ length: 12 }, (_, n) => ({
            tool: n % 2 === 0 ? "slow" : "fast",
            arguments: { n }
          }))
          const fiber = yield* Effect.fork(Effect.forEach(calls, (call) => session.call(call), { concurrency }))
          yield* TestClock.adjust("10 seconds")
          return (yield* Fiber.join(fiber)).map((answer) => answer.fault ?? answer.status)
        })
      const serial = yield* run(1)
      expect(serial).toEqual([
        "ok",
        "ok",
        "timeout",
        "ok",
        "rate_limited",
        "rate_limited",
        "ok",
        "ok",
        "timeout",
        "ok",
        "ok",
        "ok"
      ])
      expect(yield* run(32)).toEqual(serial)
      expect(yield* run(3)).toEqual(serial)
    })
  )

  it.effect("really waits only when asked to", () =>
    Effect.gen(function* () {
      const session = faulted([{ tool: "get_order_details", mode: "timeout", count: 1 }], { realDelays: true })
      const fiber = yield* Effect.fork(read(session))
      yield* TestClock.adjust("29 seconds")
      expect(yield* Fiber.poll(fiber)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 seconds")
      expect((yield* Fiber.join(fiber)).status).toBe("timeout")
    })
  )

  it("is the world itself when nothing is planned", () => {
    const session = MockWorld.resume(begin(of))
    expect(FaultedWorld.wrap(session, { faults: [] }, { realDelays: false })).toBe(session)
  })
})
