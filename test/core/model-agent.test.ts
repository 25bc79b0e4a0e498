import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as ChatModel from "@sandtable/core/ChatModel"
import * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { ScriptedChatModel } from "@sandtable/core/testing"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: order },
  { name: "cancel_order", description: "Cancel an order", parameters: order }
]

const base = {
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent.",
  simulator: false,
  userModel: false
} as const

/** An agent whose model is the given script. */
const modelAgent = (script: ScriptedChatModel.Script, model = "scripted") =>
  Layer.provide(
    AgentBackend.layerModel,
    ScriptedChatModel.layer(script, { identity: { name: model, provider: "p", endpoint: "e", model } })
  )

describe("a model-backed agent in a run", () => {
  it.effect("calls tools, talks with the person, and records how it was sampled", () =>
    Effect.gen(function* () {
      const agent = modelAgent((request) => {
        const last = request.messages.at(-1)
        const said = request.messages.findLast(({ role }) => role === "user")?.content ?? ""
        const order_id = /A\d{4}/.exec(said)?.[0]
        if (last?.role === "user" && order_id !== undefined) {
          return { text: "Let me look.", toolCalls: [{ id: "c1", name: "get_order", arguments: { order_id } }] }
        }
        return last?.role === "tool" ? "I looked at your order." : "Which order is it?"
      })
      const data = yield* Simulation.simulate({ ...base, agent, budget: 40, avgTurns: 3, faultRate: 0 })
      expect(data.rows).toHaveLength(40)
      const called = data.rows.filter((row) => row.steps.some(Row.isCallStep))
      expect(called.length).toBeGreaterThan(20)
      for (const row of data.rows) {
        expect(row.model_version).toBe("scripted")
        expect(row.user_model).toBe("template")
        expect(row.sampling).not.toBeNull()
        const messages = row.messages ?? []
        const answered = messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []))
        const issued = messages.flatMap((message) => ("tool_calls" in message ? (message.tool_calls ?? []) : []))
        expect(answered).toEqual(issued.map(({ id }) => id))
      }
      expect(data.search.ended_on_question?.n).toBe(40)
    })
  )

  it.effect("gives one user line and one agent line at maxTurns 1", () =>
    Effect.gen(function* () {
      const agent = modelAgent(() => "Which order is it?")
      const { rows } = yield* Simulation.simulate({ ...base, agent, budget: 12, maxTurns: 1 })
      for (const row of rows) expect(row.steps.map((step) => Object.keys(step)[0])).toEqual(["user", "text"])
    })
  )

  it.effect("loses people who are asked again and again, at the odds of their patience, and the same ones twice", () =>
    Effect.gen(function* () {
      let asked = 0
      const run = (patience: "normal" | "short" | "endless") =>
        Simulation.simulate({
          ...base,
          agent: modelAgent(() => `Could you tell me your order number, please (${++asked})?`),
          budget: 120,
          patience,
          maxTurns: 6,
          reproducible: true
        })
      const left = ({ rows }: { readonly rows: ReadonlyArray<Row.Row> }) =>
        rows.filter((row) => row.ended_by === "user_left").map((row) => row.row_id)
      const [normal, again, short, endless] = [
        yield* run("normal"),
        yield* run("normal"),
        yield* run("short"),
        yield* run("endless")
      ]
      expect(left(normal).length).toBeGreaterThan(0)
      expect(left(again)).toEqual(left(normal))
      expect(left(short).length).toBeGreaterThan(left(normal).length)
      expect(left(endless)).toEqual([])
      expect(normal.search.ended_on_question?.user_left).toBe(left(normal).length)
      for (const row of normal.rows.filter(({ ended_by }) => ended_by === "user_left")) {
        expect(row.final_text).toContain("order number")
        expect(row.steps.at(-1)).toHaveProperty("text")
      }
    })
  )

  it.effect("stops at once when the endpoint refuses for good, and names the role", () =>
    Effect.gen(function* () {
      let calls = 0
      const agent = modelAgent(() => {
        calls += 1
        return new ChatModel.ModelFailed({ reason: "auth", model: "scripted", detail: "the key is not valid" })
      })
      const error = yield* Effect.flip(Simulation.simulate({ ...base, agent, budget: 200, concurrency: 8 }))
      expect(error).toMatchObject({ _tag: "RunFailed", reason: "auth_failed" })
      expect(calls).toBeLessThanOrEqual(8)
    })
  )

  it.effect("flags the same model in two roles, and not the same name at two endpoints", () =>
    Effect.gen(function* () {
      const person = (endpoint: string) =>
        UserSimulator.layer({
          identity: { name: "m", provider: "p", endpoint, model: "m" },
          react: () => Effect.succeed({ _tag: "Done" })
        })
      const run = (endpoint: string) =>
        Simulation.simulate({ ...base, agent: modelAgent(() => "Hello.", "m"), userModel: person(endpoint), budget: 4 })
      expect((yield* run("e")).degraded).toContain("same_model")
      expect((yield* run("elsewhere")).degraded).not.toContain("same_model")
    })
  )
})
