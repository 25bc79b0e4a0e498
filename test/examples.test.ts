/**
 * The examples do what they say.
 */
import { describe, expect, it } from "@effect/vitest"
import { simulate, type SimulationData } from "@sandtable/core/node"
import * as Row from "@sandtable/core/Row"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as aiSdk from "../examples/ai-sdk.ts"
import { program as effectAi } from "../examples/effect-ai.ts"
import { program } from "../examples/effect-program.ts"
import * as httpAgent from "../examples/http-agent.ts"
import * as mcpWorld from "../examples/mcp-world.ts"
import orders from "../examples/orders/agent.ts"
import { rehearse } from "../examples/promise.ts"
import * as pythonAgent from "../examples/python-agent/rehearse.ts"

const hasPython = ((): boolean => {
  try {
    return execFileSync("python3", ["--version"]).length > 0
  } catch {
    return false
  }
})()

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

describe("agents and worlds that are there already", () => {
  /** Every row is whole, none was lost, and the world or server answered what the last line tells of. */
  const rehearsed = (data: SimulationData, rows: number): void => {
    expect([data.rows.length, data.report().lost]).toEqual([rows, 0])
  }

  it("examples/effect-ai.ts is a LanguageModel of @effect/ai", async () => {
    const data = await Effect.runPromise(effectAi)
    rehearsed(data, 20)
    expect(data.report().models.agent).toBe("order-desk-1")
    const said = data.rows.flatMap(({ steps }) => steps.flatMap((step) => ("text" in step ? [step.text] : [])))
    expect(said.some((text) => /"order_id":"A100[123]"/.test(text))).toBe(true)
  })

  it("examples/ai-sdk.ts is a model of the AI SDK", async () => {
    const data = await aiSdk.rehearse()
    rehearsed(data, 12)
    expect(data.rows[0]).toMatchObject({ model_version: "weather-1", usage: { agent: { input: 100, output: 20 } } })
    expect(data.rows.some(({ final_text }) => final_text.includes('"temperature"'))).toBe(true)
  })

  it("examples/mcp-world.ts is the reference MCP server over stdio", async () => {
    const data = await mcpWorld.rehearse()
    rehearsed(data, 4)
    expect(data.rows[0]?.final_text).toMatch(/The sum of 19 and 23 is 42.*"temperature":36/)
  })

  it("examples/http-agent.ts is an agent behind an address", async () => {
    const data = await httpAgent.rehearse()
    rehearsed(data, 20)
    expect(data.report().models.agent).toBe("order-desk")
    expect(data.rows.some(({ final_text }) => /^Your order: \{"order_id":"A100[123]"/.test(final_text))).toBe(true)
  })

  it.skipIf(!hasPython)(
    `examples/python-agent is a program (${hasPython ? "python3" : "skipped: there is no python3"})`,
    async () => {
      const data = await pythonAgent.rehearse()
      rehearsed(data, 12)
      expect(data.report().models.agent).toBe("command:python3 agent.py")
      expect(data.rows.some(({ final_text }) => /^Your order: \{"order_id": "A100[123]"/.test(final_text))).toBe(true)
    }
  )
})
