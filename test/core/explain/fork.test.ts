import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import { Fork } from "@sandtable/core/Explain"
import type * as AgentBackend from "@sandtable/core/AgentBackend"
import type * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: order },
  { name: "cancel_order", description: "Cancel an order", parameters: order }
]
const ids = { order_id: ["A1001", "A1002", "A1003"] }
const idIn = (text: string): string => /A\d{4}/.exec(text)?.[0] ?? "A1001"

/** Looks the order up and cancels it, by world calls. */
const byFunction = Agent.fromFunction(
  async (message, { world }) => {
    const order_id = idIn(message)
    await world.call("get_order", { order_id })
    const answer = await world.call("cancel_order", { order_id })
    return `The order ${order_id}: ${JSON.stringify(answer)}.`
  },
  { name: "calls" }
)

/** Talks: asks for the order, looks it up by a call of the harness, asks once more, cancels. */
const byChat = Agent.chat(
  (messages) => {
    const results = messages.filter(({ role }) => role === "tool").length
    const said = messages.filter(({ content, role }) => role === "assistant" && content !== "").length
    const order_id = idIn(messages.map(({ content }) => String(content)).join(" "))
    if (said === 0) return "Which order is it?"
    if (results === 0) return { text: "", toolCalls: [{ id: "", name: "get_order", arguments: { order_id } }] }
    if (said === 1) return `I see ${order_id}. Shall I cancel it?`
    if (results === 1) {
      return { text: "One moment.", toolCalls: [{ id: "", name: "cancel_order", arguments: { order_id } }] }
    }
    return `The order ${order_id} is dealt with.`
  },
  { name: "talks" }
)

const runOf = (agent: AgentBackend.Service): Simulation.InMemory => ({
  agent,
  tools,
  ids,
  budget: 24,
  rolloutsPerRequest: 2,
  repeatPolicy: "fixed",
  grade: true,
  seed: 3,
  simulator: false,
  systemPrompt: "Orders that have shipped cannot be cancelled."
})

/** What a fork has to give again, byte for byte. */
const rest = ({ row_id: _r, arm: _a, lineage: _l, timings: _t, rollout_index: _i, ...row }: Row.Row): string =>
  JSON.stringify(row)

describe("a fork without a change", () => {
  for (const [name, agent] of [
    ["a function", byFunction],
    ["a chat function", byChat]
  ] as const) {
    it.scoped(`gives the rest of the row again, from every step on, for ${name}`, () =>
      Effect.gen(function* () {
        const run = runOf(agent)
        const { rows } = yield* Simulation.simulate(run)
        const fork = yield* Fork.of(rows, run)
        expect(rows.length).toBe(24)
        for (const row of rows) {
          for (let at = 0; at < row.steps.length; at += 1) {
            const forked = yield* fork(row, { at })
            expect(forked.lost).toEqual([])
            expect(forked.rows.map(rest), `${row.row_id} at ${at}`).toEqual([rest(row)])
            const [own] = forked.rows
            expect(own?.arm).toBe("fork")
            expect(own?.lineage?.forked_from).toEqual({ row_id: row.row_id, at, change: null })
          }
        }
      })
    )
  }
})
