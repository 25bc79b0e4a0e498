import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Axes from "@sandtable/core/Axes"
import * as Cell from "../../../packages/core/src/task/Cell.ts"
import * as Options from "@sandtable/core/Options"
import type { CallStep, Step } from "@sandtable/core/Row"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"
import type * as TraceFormat from "../../../packages/core/src/traces/TraceFormat.ts"
import * as TraceMining from "../../../packages/core/src/situation/TraceMining.ts"

const id = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] })
const definitions = [
  { name: "get_order", description: "Look up an order", parameters: id("order_id") },
  { name: "refund_order", description: "Refund an order", parameters: id("order_id") },
  { name: "get_user", description: "Look up a customer", parameters: id("user_id") },
  { name: "send_invoice", description: "Send an invoice", parameters: id("order_id") }
]
const { tools } = ToolDialect.read(definitions)

const call = (tool: string, over: Partial<CallStep> = {}): CallStep => ({
  tool,
  arguments: { order_id: "W100" },
  result: { order_id: "W100", state: "sent" },
  call_id: "c1",
  status: "ok",
  answered_by: "agent",
  ...over
})
const trace = (prompt: string, steps: ReadonlyArray<Step>, over: object = {}): TraceFormat.TraceRow => ({
  prompt,
  steps: [{ user: prompt }, ...steps],
  final_text: "Done.",
  ...over
})
const mined = (...traces: ReadonlyArray<TraceFormat.TraceRow>): TraceMining.Mined => TraceMining.mine(traces, tools)

describe("mine", () => {
  it("ranks tools by failures, then calls, then their own order", () => {
    const { tools: seen } = mined(
      trace("a", [call("get_user"), call("get_order"), call("get_order"), call("other_tool")]),
      trace("b", [call("get_order"), call("refund_order", { status: "error", result: { error: "no" } })]),
      trace("c", [call("get_order", { status: "timeout", result: null })])
    )
    expect(seen).toEqual([
      { tool: "get_order", calls: 4, failures: 1, behaviors: 3 },
      { tool: "refund_order", calls: 1, failures: 1, behaviors: 1 },
      { tool: "get_user", calls: 1, failures: 0, behaviors: 1 },
      { tool: "other_tool", calls: 1, failures: 0, behaviors: 1 }
    ])
  })

  it("sees conditions in statuses, planned faults and the results themselves", () => {
    const seen = (over: Partial<CallStep>) => mined(trace("a", [call("get_order", over)])).toolConditions
    expect(seen({})).toEqual(["success"])
    expect(seen({ status: "timeout" })).toEqual(["success", "timeout"])
    expect(seen({ status: "permission_denied" })).toEqual(["success", "permission_denied"])
    expect(seen({ status: "rate_limited" })).toEqual(["success", "rate_limited"])
    expect(seen({ status: "server_error" })).toEqual(["success", "server_error"])
    expect(seen({ fault: "malformed" })).toEqual(["success", "malformed_result"])
    expect(seen({ fault: "partial" })).toEqual(["success", "partial_result"])
    expect(seen({ result: { stale: true, as_of: "2026-01-01" } })).toEqual(["success", "stale_result"])
    expect(seen({ result: '{"order_id": "W1' })).toEqual(["success", "malformed_result"])
    expect(seen({ result: "[sic] all is well" })).toEqual(["success"])
  })

  it("sees world states in what calls came to, and in rows of our own", () => {
    const seen = (over: Partial<CallStep>) => mined(trace("a", [call("get_order", over)])).worldStates
    expect(seen({})).toEqual(["exists"])
    expect(seen({ status: "not_found" })).toEqual(["exists", "missing"])
    expect(seen({ status: "already_done" })).toEqual(["exists", "already_acted_on"])
    expect(seen({ status: "error", result: "Error: multiple orders match" })).toEqual(["exists", "duplicate"])
    expect(seen({ status: "error", result: { error: "only partially refunded" } })).toEqual([
      "exists",
      "partially_completed"
    ])
    expect(mined(trace("a", [], { world_state: "unknown" })).worldStates).toEqual(["exists", "unknown"])
    expect(mined(trace("a", [], { world_state: "on fire" })).worldStates).toEqual(["exists"])
  })

  it("keeps results of calls that went well, each once", () => {
    const { payloads } = mined(
      trace("a", [
        call("get_order"),
        call("get_order", { result: { state: "sent", order_id: "W100" } }),
        call("get_order", { result: { order_id: "W2" } }),
        call("get_order", { status: "error", result: { error: "no" } }),
        call("get_order", { fault: "stale", result: { order_id: "old" } }),
        call("refund_order", { result: "" }),
        call("send_invoice", { result: "Sent." })
      ])
    )
    expect([...payloads]).toEqual([
      ["get_order", [{ order_id: "W100", state: "sent" }, { order_id: "W2" }]],
      ["send_invoice", ["Sent."]]
    ])
  })

  it("finds identifiers in arguments and results, by argument name, and none that was missing", () => {
    const { ids } = mined(
      trace("a", [
        call("get_user", {
          arguments: { user_id: "mia_7" },
          result: { user_id: "mia_7", orders: ["W201", "W202", "see below"], name: "Mia", constructor: "x" }
        }),
        call("get_order", { arguments: { order_id: "W300" } }),
        call("get_order", { arguments: { order_id: "W404" }, status: "not_found", result: { error: "no" } }),
        call("refund_order", { arguments: "broken" })
      ])
    )
    expect({ ...ids }).toEqual({ user_id: ["mia_7"], order_id: ["W300", "W201", "W202", "W100"] })
  })

  it("takes asks once, and as failing those a verdict or, without one, a failed call speaks against", () => {
    const failed = call("refund_order", { status: "timeout", result: null })
    const { asks, failing } = mined(
      trace("Refund W100", [failed], { reward: 1 }),
      trace("refund w100!", [], { reward: 1 }),
      trace("Where is it?", [call("get_order")], { reward: 0.4 }),
      trace("Half done", [call("get_order")], { reward: 0.5 }),
      trace("It hangs, order W100", [{ text: "Which?" }, { user: "W100" }, call("get_order"), failed]),
      trace("All good", [call("get_order")]),
      trace("No verdict", [call("get_order")], { reward: null }),
      trace("", [failed], { task_id: "t" })
    )
    expect(asks).toEqual(["Refund W100", "Where is it?", "Half done", "It hangs, order W100", "All good", "No verdict"])
    expect(failing.map((ask) => ({ ...ask, facts: { ...ask.facts } }))).toEqual([
      { text: "Where is it?", dimensions: { tool: "get_order" }, facts: {} },
      {
        text: "It hangs, order W100",
        dimensions: { tool: "refund_order", tool_condition: "timeout" },
        facts: { order_id: "W100" }
      }
    ])
  })

  it("counts the person's lines and where they left", () => {
    const found = mined(
      trace("a", [{ text: "Which order is it?" }, { user: "W100" }, { text: "Thanks, it is refunded." }]),
      trace("b", [{ text: "Which order is it?" }], { final_text: "Which order is it?" })
    )
    expect(found.userTurns).toEqual([2, 1])
    expect(found.patience.table).toEqual([0.5])
    expect(TraceMining.reportOf(found, 3)).toMatchObject({ threads: 2, unreadable: 3, mean_user_turns: 1.5, left: 1 })
  })

  it("finds nothing in nothing", () => {
    const report = TraceMining.reportOf(mined(), 0)
    expect(report).toMatchObject({ threads: 0, tools: [], asks: 0, mean_user_turns: null, left: 0 })
  })
})

describe("aimOf", () => {
  const seen = mined(
    trace("a", [call("refund_order", { status: "timeout", result: null }), call("get_order")]),
    trace("b", [call("get_order", { status: "not_found", result: null }), call("stranger")]),
    trace("c", [call("refund_order", { status: "timeout", result: null })])
  )
  const settings = (over: Options.Options = {}) =>
    Either.getOrThrow(
      Options.resolve({
        agent: () => "ok",
        tools: definitions,
        simulator: false,
        systemPrompt: "Be kind to people. Never refund twice.",
        ...over
      })
    ).settings
  const axesWith = (strategy: TraceMining.Strategy, over: Options.Options = {}) =>
    Either.getOrThrowWith(
      Axes.make(settings(over), TraceMining.aimOf(seen, tools, strategy)),
      (problems) => new Error(JSON.stringify(problems))
    )
  const valuesOf = (axes: Axes.Axes, name: string) => axes.axes.find((axis) => axis.name === name)?.values

  it("ranks the tools and narrows conditions and world states, and leaves the other axes", () => {
    const aimed = axesWith("auto")
    const plain = Either.getOrThrow(Axes.make(settings()))
    expect(valuesOf(aimed, "tool")).toEqual([
      "refund_order",
      "get_order",
      "get_user",
      "send_invoice",
      "unrelated",
      "multi_tool"
    ])
    expect(valuesOf(aimed, "tool_condition")).toEqual(["success", "timeout"])
    expect(valuesOf(aimed, "world_state")).toEqual(["exists", "missing"])
    for (const name of ["rule", "stance", "history"]) expect(valuesOf(aimed, name)).toEqual(valuesOf(plain, name))
    expect(axesWith("trace")).toEqual(aimed)
  })

  it("drops what no trace shows when targeted, and aims at nothing when broad", () => {
    expect(valuesOf(axesWith("targeted"), "tool")).toEqual(["refund_order", "get_order", "multi_tool"])
    expect(axesWith("broad")).toEqual(Either.getOrThrow(Axes.make(settings())))
  })

  it("gives way to pins and to the caller's own rows", () => {
    const pinned = axesWith("targeted", {
      dimensions: { tool: ["send_invoice"], tool_condition: ["permission_denied"] },
      advanced: { fixedRows: [{ world_state: "duplicate" }] }
    })
    expect(valuesOf(pinned, "tool")).toEqual(["send_invoice"])
    expect(valuesOf(pinned, "tool_condition")).toEqual(["permission_denied"])
    expect(valuesOf(pinned, "world_state")).toEqual(["exists", "missing", "duplicate"])
    expect(Axes.grid(pinned, 2).cells[0]?.dimensions["world_state"]).toBe("duplicate")
  })

  it("lets each tier begin with the tools that fail, in rounds, and covers all the same", () => {
    const grid = Axes.grid(axesWith("auto"), 2)
    const order = ["refund_order", "get_order", "get_user", "send_invoice", "unrelated", "multi_tool"]
    for (const tier of Cell.tiers) {
      const own = grid.cells.filter(({ dimensions }) => Cell.tierOf(dimensions["stance"]) === tier)
      const firsts = [...new Set(own.map(({ dimensions }) => dimensions["tool"]))]
      expect(firsts).toEqual(order.filter((tool) => firsts.includes(tool)))
    }
    const covered = grid.cells.reduce((coverage, { dimensions }) => coverage.add(dimensions).coverage, grid.coverage)
    expect(covered.report().covered).toBe(grid.planned)
  })
})
