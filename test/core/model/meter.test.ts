import { describe, expect, it } from "@effect/vitest"
import type { Completion } from "@sandtable/core/ChatModel"
import * as ChatModel from "@sandtable/core/ChatModel"
import { Meter, type Options } from "../../../packages/core/src/model/Meter.ts"
import * as ModelCall from "../../../packages/core/src/model/ModelCall.ts"
import * as Prices from "../../../packages/core/src/model/Prices.ts"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"

const identity = { name: "m", provider: "p", endpoint: "http://e/v1", model: "m" }
const usage = (input: number | null, output: number | null, cached: number | null = null) => ({
  input,
  output,
  cached,
  reasoning: null
})
const completion = (spent: Completion["usage"]): Completion => ({
  text: "Hi",
  toolCalls: [],
  finishReason: "stop",
  usage: spent,
  sampling: {}
})
const failed = (reason: ChatModel.ModelFailed["reason"]) =>
  new ChatModel.ModelFailed({ reason, model: "m", detail: "" })

const make = (options: Partial<Options> = {}): Meter =>
  new Meter({ tokenBudget: null, costBudget: null, prices: {}, ...options })

const call = (meter: Meter, role: ModelCall.Role = "agent", model = identity): ModelCall.Call => {
  const begun = meter.begin(role, model)
  if (begun instanceof ChatModel.ModelFailed) throw begun
  return begun
}
const ended = (meter: Meter, spent: Completion["usage"], role: ModelCall.Role = "agent"): void =>
  call(meter, role).end(Exit.succeed(completion(spent)))

describe("what is counted", () => {
  it("counts by role; what nobody told stays null and is counted apart", () => {
    const meter = make()
    ended(meter, usage(10, 2, 4))
    ended(meter, usage(20, 3))
    ended(meter, usage(null, null), "judge")
    expect(meter.spent()).toEqual({
      agent: { input: 30, cached: 4, output: 5, reasoning: null, calls: 2, uncounted: 0, cost: null },
      judge: { ...usage(null, null), calls: 1, uncounted: 1, cost: null }
    })
  })

  it("counts requests that were sent again, and the tokens of replies that were not used", () => {
    const meter = make()
    const retried = call(meter)
    retried.sent()
    retried.spent(usage(7, 1))
    retried.sent()
    retried.sent()
    retried.end(Exit.succeed(completion(usage(7, 2))))
    expect(meter.spent().agent).toMatchObject({ calls: 3, uncounted: 1, input: 14, output: 3 })
  })

  it("counts calls that failed or were stopped", () => {
    const meter = make()
    call(meter).end(Exit.fail(failed("unavailable")))
    call(meter).end(Exit.interrupt(FiberId.none))
    expect(meter.spent().agent).toMatchObject({ calls: 2, uncounted: 2, input: null })
  })

  it("counts nothing for a reply that was kept from an earlier call", () => {
    const meter = make({ tokenBudget: 5 })
    const again = call(meter)
    again.kept()
    again.end(Exit.succeed(completion(usage(10, 2))))
    meter.told("agent", identity, usage(10, 2))
    expect(meter.spent().agent).toMatchObject({ calls: 0, uncounted: 0, input: null })
    expect(meter.reachedCap()).toBeNull()
  })

  it("takes what a role tells of itself only where its calls are not made through it", () => {
    const meter = make()
    meter.told("agent", { name: "function:desk" }, usage(5, 1))
    meter.told("agent", { name: "function:desk" }, usage(5, 1))
    ended(meter, usage(3, 1), "user")
    meter.told("user", identity, usage(3, 1))
    expect(meter.spent()).toMatchObject({
      agent: { input: 10, output: 2, calls: null },
      user: { input: 3, output: 1, calls: 1 }
    })
  })

  it("prices by provider and name before name alone, cached input at its own price", () => {
    const prices = { m: { input: 9, output: 9 }, "p:m": { input: 2, output: 10, cached: 1 } }
    const meter = make({ prices })
    ended(meter, usage(1_000_000, 100_000, 400_000))
    expect(meter.spent().agent?.cost).toBeCloseTo(0.6 * 2 + 0.4 * 1 + 0.1 * 10, 12)
    ended(meter, usage(null, 5))
    expect(meter.spent().agent?.cost).toBeNull()
  })

  it("has no price for names of the language", () => {
    expect(Prices.priceOf({}, { name: "constructor", model: "constructor" })).toBeUndefined()
  })
})

describe("a run that is gone on with", () => {
  it("adds what was spent before, and holds no cap against it", () => {
    const meter = make({ tokenBudget: 20, prices: { m: { input: 1, output: 1 } } })
    meter.recall("agent", { ...usage(100, 10), calls: 3, uncounted: 1, cost: 0.5 })
    meter.recall("judge", { ...usage(7, 1), calls: null, uncounted: 0, cost: null })
    ended(meter, usage(5, 5))
    expect(meter.reachedCap()).toBeNull()
    expect(meter.spent()).toMatchObject({
      agent: { input: 105, output: 15, calls: 4, uncounted: 1, cost: 0.5 + 10 / 1e6 },
      judge: { input: 7, calls: null }
    })
  })
})

describe("caps", () => {
  it.effect("is reached by the tokens of all roles, and from then on nothing is sent", () =>
    Effect.gen(function* () {
      const meter = make({ tokenBudget: 20 })
      const model = ScriptedChatModel.make([{ text: "Hi", usage: usage(6, 4) }])
      const asked = (role: ModelCall.Role) =>
        ModelCall.complete(model, role, { messages: [] }).pipe(Effect.provideService(ModelCall.ModelWatch, meter))
      yield* asked("agent")
      expect(meter.reachedCap()).toBeNull()
      yield* asked("writer")
      expect(meter.reachedCap()).toBe("token_budget")
      expect(yield* Deferred.await(meter.reached)).toBe("token_budget")
      expect(yield* Effect.flip(asked("judge"))).toMatchObject({ reason: "stopped" })
      expect(model.requests()).toHaveLength(2)
    })
  )

  it.effect("is over by what was under way when it was reached, and by no more", () =>
    Effect.gen(function* () {
      const meter = make({ tokenBudget: 10 })
      const go = yield* Deferred.make<void>()
      const model = ScriptedChatModel.make(() => Effect.as(Deferred.await(go), { text: "Hi", usage: usage(10, 0) }))
      const asked = ModelCall.complete(model, "agent", { messages: [] }).pipe(
        Effect.provideService(ModelCall.ModelWatch, meter),
        Effect.either
      )
      const calls = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 5 }, () => asked),
          { concurrency: 3 }
        )
      )
      yield* Effect.repeat(Effect.yieldNow(), { until: () => model.requests().length === 3 })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(calls)
      expect(meter.spent().agent?.input).toBe(30)
      expect(model.requests()).toHaveLength(3)
    })
  )

  it("is reached by the cost", () => {
    const meter = make({ costBudget: 1, prices: { m: { input: 1, output: 1 } } })
    ended(meter, usage(600_000, 0), "agent")
    ended(meter, usage(0, 400_000), "user")
    expect(meter.reachedCap()).toBe("cost_budget")
  })

  it("sends nothing once the run is over, nor to a model that refused for good", () => {
    const meter = make()
    call(meter).end(Exit.fail(failed("auth")))
    expect(meter.begin("agent", identity)).toMatchObject({ reason: "auth" })
    expect(meter.begin("agent", { ...identity, name: "n", model: "n" })).not.toBeInstanceOf(ChatModel.ModelFailed)
    expect(meter.begin("judge", identity)).not.toBeInstanceOf(ChatModel.ModelFailed)
    expect(meter.refusals()).toMatchObject([{ role: "agent", error: { reason: "auth" } }])
    meter.close()
    expect(meter.begin("judge", identity)).toMatchObject({ reason: "stopped" })
  })
})

describe("waiting", () => {
  it("is told when a role begins to wait, waits longer, and goes on", () => {
    const meter = make()
    const told: Array<readonly [string, number | null]> = []
    meter.listener = { spent: () => {}, waiting: (role, _, until) => void told.push([role, until]) }
    const [a, b] = [call(meter), call(meter)]
    a.waits(100)
    b.waits(90)
    b.waits(150)
    a.waits(null)
    b.end(Exit.succeed(completion(usage(1, 1))))
    call(meter, "judge").waits(200)
    expect(told).toEqual([
      ["agent", 100],
      ["agent", 150],
      ["agent", null],
      ["judge", 200]
    ])
  })
})
