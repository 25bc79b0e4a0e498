/**
 * Runs whose roles are played by models over HTTP.
 */
import { layerUndici } from "@sandtable/backends/node"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { Fork } from "@sandtable/core/Explain"
import type { Row } from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as FakeServer from "./FakeServer.ts"
import { wires } from "./asking.ts"
import { ChatModel } from "@sandtable/core/ChatModel"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }

const base = {
  tools: [{ name: "get_order", description: "Look up an order", parameters: order }],
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent.",
  simulator: false,
  faultRate: 0
} as const

const key = "sk-verysecret-0123456789abcdef"

const agentAt = (url: string, make: (typeof wires)[number]["make"] = OpenAiCompatible.make) =>
  AgentBackend.layerModel.pipe(
    Layer.provide(Layer.effect(ChatModel, make({ model: "m", baseUrl: `${url}/v1`, apiKey: Redacted.make(key) }))),
    Layer.provide(layerUndici),
    Layer.orDie
  )

describe("a run over HTTP", () => {
  for (const { make, name } of wires) {
    it.scopedLive(`${name}: thinks, calls tools, talks, and is never refused for its threads`, () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make(({ body }) => {
          const text = JSON.stringify(body)
          const usage = { input: 100, output: 10, cached: 40 }
          if (/"(?:tool_call_id|function_call_output|tool_result)"/.test(text))
            return { text: "It is on its way.", usage }
          const order_id = /A100\d/.exec(text.slice(text.indexOf("order desk agent") + 20))?.[0] ?? "A1001"
          const call = { name: "get_order", arguments: { order_id } }
          return { reasoning: "Look it up", text: "One moment.", calls: [call, call], usage }
        })
        const data = yield* Simulation.simulate({ ...base, agent: agentAt(server.url, make), budget: 12, avgTurns: 2 })
        expect(data.rows).toHaveLength(12)
        expect(server.violations).toEqual([])
        for (const row of data.rows) {
          expect(row.model_version).toBe("m")
          expect(row.sampling).toMatchObject({ model: "m", served_model: "fake-1" })
          expect(row.usage?.agent?.input).toBeGreaterThanOrEqual(200)
          expect(JSON.stringify(row)).toContain("Look it up")
        }
        expect(JSON.stringify(data)).not.toContain(key)
      })
    )
  }

  for (const { make, name } of wires) {
    it.scopedLive(`${name}: a row goes on from any of its turns, its thread as it was, and ends as it did`, () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make(({ body }) => {
          const text = JSON.stringify(body)
          const usage = { input: 100, output: 10 }
          if (/"(?:tool_call_id|function_call_output|tool_result)"/.test(text)) {
            return { text: `It is on its way (${text.length}).`, usage }
          }
          const order_id = /A100\d/.exec(text.slice(text.indexOf("order desk agent") + 20))?.[0] ?? "A1001"
          return { text: "One moment.", calls: [{ id: "call_a", name: "get_order", arguments: { order_id } }], usage }
        })
        const run = { ...base, agent: agentAt(server.url, make), userModel: false, budget: 10, avgTurns: 2 } as const
        const { rows } = yield* Simulation.simulate(run)
        const fork = yield* Fork.of(rows, run)
        const rest = ({ row_id: _r, arm: _a, lineage: _l, timings: _t, rollout_index: _i, ...row }: Row) => row
        for (const row of rows) {
          for (let at = 0; at < row.steps.length; at += 1) {
            const { lost, rows: again } = yield* fork(row, { at })
            expect(lost).toEqual([])
            expect(again.map(rest)).toEqual([rest(row)])
          }
        }
        expect(server.violations).toEqual([])
      })
    )
  }

  const permanent: ReadonlyArray<readonly [string, FakeServer.Reply]> = [
    ["a refused key", FakeServer.refusal(401, `Incorrect API key provided: ${key}`)],
    [
      "a spent quota",
      FakeServer.refusal(429, { code: "insufficient_quota", message: "You exceeded your current quota" })
    ]
  ]
  for (const [what, reply] of permanent) {
    it.scopedLive(`${what} stops it at once, with no more calls than it had under way`, () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make([reply])
        const failed = yield* Effect.flip(
          Simulation.simulate({ ...base, agent: agentAt(server.url), budget: 200, concurrency: 5 })
        )
        expect(server.received.length).toBeLessThanOrEqual(5)
        expect(String(failed)).not.toContain(key)
        expect(JSON.stringify(failed)).not.toContain(key)
      })
    )
  }

  it.scopedLive("a quota spent in the middle stops it too, and keeps the rows there are", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(({ n }) =>
        n < 10 ? { text: "Which order is it?" } : FakeServer.refusal(402, "Insufficient Balance")
      )
      const options = { ...base, agent: agentAt(server.url), budget: 200, concurrency: 4, maxTurns: 1 }
      const data = yield* Simulation.simulate(options)
      expect(server.received.length).toBeLessThanOrEqual(14)
      expect(data.rows).toHaveLength(10)
      expect(data.stoppedBecause).toBe("quota_exceeded")
    })
  )

  it.scopedLive("a person played by another model is asked at an endpoint of their own", () =>
    Effect.gen(function* () {
      const agent = yield* FakeServer.make([{ text: "Which order is it?" }])
      const person = yield* FakeServer.make([{ text: "A1001, please." }])
      const user = UserSimulator.layerModel.pipe(
        Layer.provide(OpenAiCompatible.layer({ model: "u", baseUrl: `${person.url}/v1` })),
        Layer.provide(layerUndici),
        Layer.orDie
      )
      const data = yield* Simulation.simulate({ ...base, agent: agentAt(agent.url), budget: 6, avgTurns: 3 }).pipe(
        Effect.provide(user)
      )
      expect(data.rows.every((row) => row.user_model === "u")).toBe(true)
      expect([agent, person].flatMap(({ violations }) => violations)).toEqual([])
    })
  )
})
