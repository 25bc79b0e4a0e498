/**
 * The examples do what they say.
 */
import { describe, expect, it } from "@effect/vitest"
import { simulate } from "@sandtable/core/node"
import * as Row from "@sandtable/core/Row"
import * as Effect from "effect/Effect"
import { program } from "../examples/effect-program.ts"
import orders from "../examples/orders/agent.ts"
import { rehearse } from "../examples/promise.ts"

describe("examples/effect-program.ts", () => {
  it.effect("is an Effect of graded rows, offline", () =>
    Effect.gen(function* () {
      const data = yield* program
      expect([data.rows.length, data.stoppedBecause, data.warnings]).toEqual([40, "budget", []])
      expect(data.rows.every((row) => row.label_source === "conduct")).toBe(true)
      expect(data.report().uniques.situations).toBeGreaterThan(20)
      expect(data.rows.some((row) => /^This is what I found for order A100[123]: \{/.test(row.final_text))).toBe(true)
    })
  )
})

describe("examples/promise.ts", () => {
  it("is a Promise of graded rows, offline", async () => {
    const data = await rehearse()
    expect([data.rows.length, data.stoppedBecause, data.degraded]).toEqual([30, "budget", []])
    expect(data.rows.some((row) => row.final_text.startsWith("The forecast for "))).toBe(true)
  })
})

describe("examples/orders/agent.ts", () => {
  const rehearsed = simulate({
    ...orders,
    simulator: false,
    repeats: 4,
    repeatPolicy: "fixed",
    reproducible: true,
    budget: 200,
    grade: true
  })

  it("is right most of the time, and a rehearsal finds where it is not", async () => {
    const data = await rehearsed
    expect([data.rows.length, data.warnings]).toEqual([200, []])
    const right = data.rows.filter((row) => row.reward === 1).length / data.rows.length
    expect(right).toBeGreaterThan(0.5)
    expect(right).toBeLessThan(1)
    // It says "refunded" without a look at what the tool answered.
    const claims = data.rows.filter((row) => row.failure_class === "success_after_failure")
    expect(claims.length).toBeGreaterThan(0)
    for (const { final_text, steps } of claims) {
      expect(final_text).toContain("I have refunded")
      const refunds = steps.filter(Row.isCallStep).filter(({ tool }) => tool === "refund_order")
      expect(refunds.some(({ status }) => status !== "ok")).toBe(true)
    }
  })

  it("calls every tool it has", async () => {
    const tools = Object.values((await rehearsed).report().tools)
    expect(tools).toHaveLength(6)
    expect(tools.filter(({ calls }) => calls === 0)).toEqual([])
  })
})
