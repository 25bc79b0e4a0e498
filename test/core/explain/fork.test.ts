import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import { Fork } from "@sandtable/core/Explain"
import type * as AgentBackend from "@sandtable/core/AgentBackend"
import * as PassAt from "@sandtable/core/PassAt"
import type * as Row from "@sandtable/core/Row"
import * as Select from "@sandtable/core/Select"
import * as Simulation from "@sandtable/core/Simulation"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as Randomness from "@sandtable/core/Randomness"
import * as Conversation from "@sandtable/core/Conversation"
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

/** Talks as a model does: words beside calls, usage and reasoning on its turns. */
const byModel = Conversation.fromModel(
  ScriptedChatModel.make(
    ({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool").length
      const order_id = idIn(messages.map(({ content }) => String(content)).join(" "))
      if (results === 0) {
        return { text: "Let me look.", toolCalls: [{ id: "c1", name: "get_order", arguments: { order_id } }] }
      }
      const lines = messages.filter(({ role }) => role === "user").length
      if (lines === 1) return `I see ${order_id}. Shall I go on?`
      if (results === 1) return { text: "", toolCalls: [{ id: "c2", name: "cancel_order", arguments: { order_id } }] }
      return "That is done."
    },
    { identity: { name: "scripted", provider: "p", endpoint: "e", model: "scripted" } }
  )
)

const runOf = (agent: AgentBackend.Service): Simulation.InMemory => ({
  agent,
  tools,
  ids,
  budget: 60,
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
    ["a chat function", byChat],
    ["a model", byModel]
  ] as const) {
    it.scoped(`gives the rest of the row again, from every step on, for ${name}`, () =>
      Effect.gen(function* () {
        const run = runOf(agent)
        const { rows } = yield* Simulation.simulate(run)
        const fork = yield* Fork.of(rows, run)
        expect(rows.length).toBe(60)
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

const oneRow = Effect.fnUntraced(function* (agent: AgentBackend.Service, has: (row: Row.Row) => boolean) {
  const run = { ...runOf(agent), faultRate: 0 }
  const { rows } = yield* Simulation.simulate(run)
  const row = rows.find(has)
  if (row === undefined) throw new Error("no row of the run is as wanted")
  return { row, fork: yield* Fork.of([row], run) }
})
const callAt = ({ steps }: Row.Row, tool: string): number =>
  steps.findIndex((step) => "tool" in step && step.tool === tool)

describe("a change", () => {
  it.scoped("answers a call otherwise, and leaves what was before", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byFunction, (row) => callAt(row, "cancel_order") > 0)
      const at = callAt(row, "cancel_order")
      const { rows } = yield* fork(row, { at, change: { reply: { weather: "fine" } } })
      expect(rows[0]?.steps.slice(0, at)).toEqual(row.steps.slice(0, at))
      expect(rows[0]?.final_text).toContain('{"weather":"fine"}')
      expect(rows[0]?.lineage?.forked_from?.change).toBe("reply")
    })
  )

  it.scoped("plans a failure for one call, and takes one away", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byFunction, (row) => callAt(row, "cancel_order") > 0)
      const at = callAt(row, "cancel_order")
      const failed = yield* fork(row, { at, change: { fault: "timeout" } })
      expect(failed.rows[0]?.steps[at]).toMatchObject({ tool: "cancel_order", status: "timeout", fault: "timeout" })
      const [lost] = failed.rows
      if (lost === undefined) throw new Error("the fork gave no row")
      const again = yield* (yield* Fork.of([{ ...lost, arm: "grid" }], { ...runOf(byFunction), faultRate: 0 }))(lost, {
        at,
        change: { fault: null }
      })
      expect(again.rows[0]?.final_text).toBe(row.final_text)
    })
  )

  it.scoped("lets the person say something else, the ask too", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byChat, ({ steps }) => steps.filter((step) => "user" in step).length > 1)
      const at = row.steps.findIndex((step, i) => i > 0 && "user" in step)
      const { rows } = yield* fork(row, { at, change: { line: "Never mind, it is A1003." } })
      expect(rows[0]?.steps[at]).toEqual({ user: "Never mind, it is A1003." })
      const asked = yield* fork(row, { at: 0, change: { line: "Cancel A1002." } })
      expect(asked.rows[0]?.steps[0]).toEqual({ user: "Cancel A1002." })
      expect(asked.rows[0]?.task_id).toBe(row.task_id)
    })
  )

  it.scoped("lets another agent go on", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byChat, ({ steps }) => steps.filter((step) => "user" in step).length > 1)
      const at = row.steps.findLastIndex((step) => "text" in step)
      const agent = Agent.chat(() => "I am somebody else.", { name: "other" })
      const { rows } = yield* fork(row, { at, change: { agent } })
      expect(rows[0]?.steps.slice(0, at)).toEqual(row.steps.slice(0, at))
      expect(rows[0]?.steps[at]).toMatchObject({ text: "I am somebody else." })
    })
  )
})

describe("what cannot be forked", () => {
  it.scoped("says so of an agent that makes another call where one is to be answered otherwise", () =>
    Effect.gen(function* () {
      let plays = 0
      const fickle = Agent.fromFunction(
        async (_, { world }) => {
          plays += 1
          await world.call("get_order", { order_id: plays === 1 ? "A1001" : "A1002" })
          return "Done."
        },
        { name: "fickle" }
      )
      const run = { ...runOf(fickle), concurrency: 1 }
      const { rows } = yield* Simulation.simulate({ ...run, budget: 1, faultRate: 0 })
      const [row] = rows
      if (row === undefined) throw new Error("no row")
      for (const change of [{ reply: { status: "shipped" } }, { fault: "timeout" as const }]) {
        const { lost, rows } = yield* Fork.fork(row, { at: callAt(row, "get_order"), change, run })
        expect(rows).toEqual([])
        expect(lost).toEqual([{ reason: "fork_diverged", detail: expect.stringContaining("call 1 is get_order") }])
      }
    })
  )

  it.scoped("refuses repeats that are no count", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byFunction, () => true)
      for (const repeats of [0, -1, 1.5, Number.NaN]) {
        expect((yield* Effect.flip(fork(row, { at: 1, repeats }))).message).toContain("`repeats` is")
      }
    })
  )

  it.scoped("says so of an agent that does otherwise before the step", () =>
    Effect.gen(function* () {
      let plays = 0
      const fickle = Agent.fromFunction(
        async (_, { world }) => {
          plays += 1
          await world.call("get_order", { order_id: plays % 2 === 1 ? "A1001" : "A1002" })
          return "Done."
        },
        { name: "fickle" }
      )
      const run = { ...runOf(fickle), concurrency: 1 }
      const { rows } = yield* Simulation.simulate({ ...run, budget: 2 })
      const [row] = rows
      if (row === undefined) throw new Error("no row")
      plays = 1
      const { lost } = yield* Fork.fork(row, { at: 2, run })
      expect(lost).toHaveLength(1)
      expect(lost[0]?.reason).toBe("fork_diverged")
      expect(lost[0]?.detail).toContain("call 1 is get_order")
    })
  )

  it.scoped("refuses a step that is not there, and a change that does not fit", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byFunction, (row) => callAt(row, "cancel_order") > 0)
      const none = yield* Effect.flip(fork(row, { at: 99 }))
      expect(none.message).toContain(`it has steps 0 to ${row.steps.length - 1}, and \`at\` is 99`)
      const noCall = yield* Effect.flip(fork(row, { at: 0, change: { reply: 1 } }))
      expect(noCall.message).toContain("step 0 is no call")
      const noFault = yield* Effect.flip(
        fork(row, { at: callAt(row, "cancel_order"), change: JSON.parse('{"fault":"explosion"}') })
      )
      expect(noFault.message).toMatch(/no failure "explosion".*timeout/)
      const noAgent = yield* Effect.flip(fork(row, { at: 1, change: JSON.parse('{"agent":{}}') }))
      expect(noAgent.message).toContain("`agent` is no agent")
      const noLine = yield* Effect.flip(fork(row, { at: 1, change: { line: "Hm." } }))
      expect(noLine.message).toContain("step 1 is no line of the person")
    })
  )
})

describe("forked rows", () => {
  it.scoped("count for nothing unless they are asked for", () =>
    Effect.gen(function* () {
      const { fork, row } = yield* oneRow(byFunction, ({ reward }) => reward === 1)
      const { rows: forks } = yield* fork(row, { at: 1, repeats: 3 })
      const rows = [row, ...forks]
      expect(forks).toHaveLength(3)
      expect(PassAt.passAt(rows)).toMatchObject({ graded: { of: 1, graded: 1 } })
      expect(PassAt.passAt(rows, { include: ["fork"] })).toMatchObject({ graded: { of: 4, graded: 4 } })
      expect(Select.select(rows, { mode: "sft" }).rows.map(({ row_id }) => row_id)).toEqual([row.row_id])
    })
  )
})

describe("the turning point", () => {
  it.effect("is the turn of a blunder", () =>
    Effect.gen(function* () {
      // Three harmless turns of calls; the third reply decides: now and then it says the wrong thing, and is lost.
      const agent = Agent.chat(
        (messages, { rollout }) => {
          const turn = messages.filter(({ role }) => role === "assistant").length
          const order_id = idIn(String(messages.find(({ role }) => role === "user")?.content))
          if (turn < 2 || turn === 3) {
            return { text: "", toolCalls: [{ id: "", name: "get_order", arguments: { order_id, turn } }] }
          }
          if (turn === 2) {
            const blunder = Randomness.make(rollout.rolloutSeed).draw(["blunder"]) < 0.2
            const note = blunder ? "blunder" : "fine"
            return { text: "", toolCalls: [{ id: "", name: "get_order", arguments: { order_id, note } }] }
          }
          return { text: JSON.stringify(messages).includes("blunder") ? "LOST" : "won", final: true }
        },
        { name: "blunders" }
      )
      const loose = [
        {
          name: "get_order",
          description: "Look up an order",
          parameters: { type: "object", properties: order.properties }
        }
      ]
      const run = {
        ...runOf(agent),
        tools: loose,
        grade: false,
        grader: ({ final_text }: Row.Row) => (final_text === "LOST" ? 0 : 1),
        budget: 200,
        faultRate: 0
      } satisfies Simulation.InMemory
      const { rows } = yield* Simulation.simulate(run)
      const lost = rows.filter(({ reward }) => reward === 0)
      expect(lost.length).toBeGreaterThan(20)
      const found = yield* Effect.forEach(lost, (row) => Fork.values(row, { run, repeats: 12 }))
      const third = found.filter(({ turning_point }, i) => {
        const step = lost[i]?.steps[turning_point?.at ?? -1]
        return step !== undefined && "tool" in step && JSON.stringify(step.arguments).includes("blunder")
      })
      expect(third.length / lost.length).toBeGreaterThanOrEqual(0.95)
      for (const { turns } of found) expect(turns).toHaveLength(5)
    })
  )

  it.effect("is nowhere when the agent always does the same", () =>
    Effect.gen(function* () {
      const run = { ...runOf(byFunction), grade: false, grader: () => 0 } satisfies Simulation.InMemory
      const { rows } = yield* Simulation.simulate(run)
      const [row] = rows
      if (row === undefined) throw new Error("no row")
      expect((yield* Fork.values(row, { run })).turning_point).toBeNull()
    })
  )
})
