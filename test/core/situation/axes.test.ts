import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as fs from "node:fs"
import * as Axes from "@sandtable/core/Axes"
import * as Cell from "../../../packages/core/src/task/Cell.ts"
import type { Tool } from "@sandtable/core/Tool"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"

const tool = (name: string, argument?: string, kind: Tool["kind"] = "read"): Tool => ({
  name,
  description: "",
  kind,
  destructive: false,
  parameters: {
    type: "object",
    properties: argument === undefined ? {} : { [argument]: { type: "string" } },
    required: argument === undefined ? [] : [argument]
  }
})
const tools = [
  tool("get_order", "order_id"),
  tool("cancel_order", "order_id", "delete"),
  tool("list_products"),
  tool("calculate", "expression", "compute")
]
const policy = ["Never refund twice.", "Ask for the order id first.", "Refuse requests about other people."]
const settings: Axes.Settings = {
  tools: ToolSet.make(tools),
  systemPrompt: policy.join(" "),
  dimensions: {},
  constraints: [],
  fixedRows: [],
  ruleCap: 16,
  hardShare: 0.4
}

const made = (changes: Partial<Axes.Settings> = {}): Axes.Axes =>
  Either.getOrThrowWith(Axes.make({ ...settings, ...changes }), (problems) => new Error(JSON.stringify(problems)))
const problems = (changes: Partial<Axes.Settings>): ReadonlyArray<Axes.Problem> =>
  Either.match(Axes.make({ ...settings, ...changes }), { onLeft: (found) => found, onRight: () => [] })
const valuesOf = (axes: Axes.Axes, name: Cell.AxisName): ReadonlyArray<string> =>
  axes.axes.find((axis) => axis.name === name)?.values ?? []
const cellsOf = (changes: Partial<Axes.Settings> = {}, strength = 2): ReadonlyArray<Cell.Cell> =>
  Axes.grid(made(changes), strength).cells

describe("Axes.make", () => {
  it("builds the six axes in order from tools and prompt", () => {
    const axes = made()
    expect(axes.axes.map(({ name }) => name)).toEqual([
      "tool",
      "rule",
      "stance",
      "world_state",
      "tool_condition",
      "history"
    ])
    expect(valuesOf(axes, "tool")).toEqual([
      "get_order",
      "cancel_order",
      "list_products",
      "calculate",
      "unrelated",
      "multi_tool"
    ])
    expect(axes.clauses.map(({ text }) => text)).toEqual(policy)
    expect(valuesOf(axes, "rule")).toEqual(["unspecified", ...axes.clauses.map(({ id }) => id)])
    expect(valuesOf(axes, "stance")).toEqual(Cell.stances)
    expect(valuesOf(axes, "world_state")).toEqual(Cell.worldStates)
  })

  it("collapses rule and world_state when there is nothing to vary", () => {
    const axes = made({
      tools: ToolSet.make([tool("list_products"), tool("calculate", "expression")]),
      systemPrompt: "You are a clerk."
    })
    expect(valuesOf(axes, "rule")).toEqual(["unspecified"])
    expect(valuesOf(axes, "world_state")).toEqual(["unspecified"])
  })

  it("offers multi_tool only when there are several tools", () => {
    expect(valuesOf(made({ tools: ToolSet.make([tool("get_order", "order_id")]) }), "tool")).toEqual([
      "get_order",
      "unrelated"
    ])
    expect(valuesOf(made({ tools: ToolSet.make([]) }), "tool")).toEqual(["unrelated"])
  })

  it("caps the clauses and says how many there were", () => {
    const axes = made({ ruleCap: 2 })
    expect(axes.rules).toEqual({ used: 2, found: 3 })
    expect(valuesOf(axes, "rule")).toHaveLength(3)
  })

  it("pins the named axes and keeps the others", () => {
    const axes = made({ dimensions: { stance: ["adversarial", "hurried", "adversarial"] } })
    expect(valuesOf(axes, "stance")).toEqual(["adversarial", "hurried"])
    expect(valuesOf(axes, "history")).toEqual(Cell.histories)
    expect(valuesOf(axes, "tool")).toHaveLength(6)
  })

  it("pins a clause by its text or its id, also one beyond the cap", () => {
    const clauses = made().clauses
    const rule = [clauses[2]!.text.toUpperCase(), clauses[0]!.id]
    const axes = made({ ruleCap: 1, dimensions: { rule } })
    expect(valuesOf(axes, "rule")).toEqual([clauses[2]!.id, clauses[0]!.id])
    const cells = Axes.grid(axes, 2).cells
    expect(new Set(cells.map(({ dimensions }) => dimensions["rule"]))).toEqual(new Set(valuesOf(axes, "rule")))
  })

  it("refuses unknown axes and values, listing the valid ones, all at once", () => {
    const found = problems({
      dimensions: { tier: ["boundary"], mood: ["calm"], stance: ["angry"], history: [], constructor: ["x"] },
      constraints: [{ forbid: {} }, { forbid: { tool: "nope" } }, { forbid: { __proto__x: "y" } }],
      fixedRows: [{ stance: "nope" }]
    })
    expect(found.map(({ option }) => option)).toEqual([
      "dimensions.tier",
      "dimensions.mood",
      "dimensions.stance",
      "dimensions.history",
      "dimensions.constructor",
      "advanced.constraints[0].forbid",
      "advanced.constraints[1].forbid.tool",
      "advanced.constraints[2].forbid.__proto__x",
      "advanced.fixedRows[0].stance"
    ])
    expect(found[0]?.fix).toContain("stance")
    expect(found[1]?.fix).toContain("tool, rule, stance, world_state, tool_condition, history")
    expect(found[2]?.fix).toContain("ordinary, ambiguous")
    expect(found[6]?.fix).toContain("get_order, cancel_order")
  })

  it("refuses fixed rows that cannot occur, and constraints that leave nothing", () => {
    expect(problems({ fixedRows: [{ tool: "get_order" }, { tool: "unrelated", tool_condition: "timeout" }] })).toEqual([
      expect.objectContaining({
        option: "advanced.fixedRows[1]",
        problem: expect.stringContaining("tool unrelated with tool_condition timeout")
      })
    ])
    const forbidden = problems({ dimensions: { stance: ["retry"] }, constraints: [{ forbid: { stance: "retry" } }] })
    expect(forbidden.map(({ option }) => option)).toEqual(["advanced.constraints"])
  })

  it("leaves out the stances that hardShare cannot draw; a pinned stance wins", () => {
    const hard = ["ambiguous", "boundary", "adversarial", "unsure", "conflicting"]
    expect(valuesOf(made({ hardShare: 1 }), "stance")).toEqual(hard)
    expect(valuesOf(made({ hardShare: 0 }), "stance")).toEqual(Cell.stances.filter((stance) => !hard.includes(stance)))
    expect(valuesOf(made({ hardShare: 0, dimensions: { stance: ["boundary"] } }), "stance")).toEqual(["boundary"])
  })

  it("lets a pin win over a constraint of ours, and says which values it leaves out", () => {
    const pinned = made({ dimensions: { stance: ["retry"], history: ["fresh"] } })
    expect(Axes.grid(pinned, 2).cells.length).toBeGreaterThan(0)
    const missing = made({ dimensions: { world_state: ["missing"] } })
    expect(missing.unreachable.map(({ value }) => value)).toEqual(["list_products", "calculate", "unrelated"])
  })

  it("takes tools with names of the language's own", () => {
    const axes = made({
      tools: ToolSet.make(["constructor", "__proto__", "toString", "unrelated"].map((name) => tool(name, "id")))
    })
    expect(valuesOf(axes, "tool")).toEqual(["constructor", "__proto__", "toString", "unrelated", "multi_tool"])
    expect(Axes.grid(axes, 2).cells.some(({ dimensions }) => dimensions["tool"] === "__proto__")).toBe(true)
  })
})

describe("Axes.grid", () => {
  const violates = ({ dimensions }: Cell.Cell): boolean => {
    const { history, stance, tool: name, tool_condition: condition, world_state: state } = dimensions
    const noRecord = name === "unrelated" || name === "list_products" || name === "calculate"
    return (
      (name === "unrelated" && (condition !== "success" || history === "prior_partial_action")) ||
      (noRecord && state !== "exists") ||
      (name === "calculate" && condition === "stale_result") ||
      (stance === "retry" && history === "fresh")
    )
  }

  it.each([2, 3, 4])("covers every planned tuple at strength %i with cells that can occur", (strength) => {
    const axes = made()
    const grid = Axes.grid(axes, strength)
    expect(grid.cells.filter(violates)).toEqual([])
    expect(new Set(grid.cells.map(({ id }) => id)).size).toBe(grid.cells.length)
    const coverage = grid.cells.reduce((sofar, { dimensions }) => sofar.add(dimensions).coverage, grid.coverage)
    expect(coverage.report()).toEqual({
      strength,
      planned: grid.planned,
      covered: grid.planned,
      fraction: 1,
      debt: null
    })
  })

  it("plans exactly the pairs a person would call possible", () => {
    const grid = Axes.grid(made(), 2)
    // tool x stance, world_state, condition, history, less what cannot occur; stance x the rest less retry with fresh;
    // the rest among themselves; each of three clauses with every value.
    const toolPairs = 6 * 10 + (6 * 6 - 3 * 5) + (6 * 5 - 4 - 1) + (6 * 5 - 1)
    const stancePairs = 10 * 6 + 10 * 5 + (10 * 5 - 1)
    expect(grid.planned).toBe(toolPairs + stancePairs + 6 * 5 + 6 * 5 + 5 * 5 + 3 * (6 + 10 + 6 + 5 + 5))
  })

  it("gives every clause every value of the other axes", () => {
    const { axes, cells } = Axes.grid(made(), 2)
    for (const { id } of axes.clauses) {
      const mine = cells.filter(({ dimensions }) => dimensions["rule"] === id)
      for (const axis of axes.axes.filter(({ name }) => name !== "rule")) {
        expect(new Set(mine.map(({ dimensions }) => dimensions[axis.name]))).toEqual(new Set(axis.values))
      }
    }
  })

  it("puts clauses into different company", () => {
    const { axes, cells } = Axes.grid(made(), 2)
    const company = axes.clauses.map(({ id }) =>
      cells
        .filter(({ dimensions }) => dimensions["rule"] === id)
        .map(({ dimensions }) => `${dimensions["tool"]} ${dimensions["stance"]} ${dimensions["history"]}`)
        .sort()
    )
    expect(company[0]).not.toEqual(company[1])
  })

  it("changes only a clause's own cells when its text is edited, added or taken out", () => {
    const before = cellsOf()
    const rules = made().clauses
    const edited = cellsOf({ systemPrompt: [policy[0], "Ask for the order number first.", policy[2]].join(" ") })
    const without = cellsOf({ systemPrompt: [policy[0], policy[2]].join(" ") })
    const others = (cells: ReadonlyArray<Cell.Cell>, ids: ReadonlyArray<string>) =>
      new Set(cells.filter(({ dimensions }) => !ids.includes(dimensions["rule"]!)).map(({ id }) => id))
    const newRule = made({ systemPrompt: "Ask for the order number first." }).clauses[0]!.id
    const old = rules[1]!.id
    expect(others(edited, [old, newRule])).toEqual(others(before, [old, newRule]))
    expect(others(without, [old])).toEqual(others(before, [old]))
    expect(edited.filter(({ dimensions }) => dimensions["rule"] === newRule).length).toBeGreaterThan(0)
  })

  it("is the same grid in every call, with ids that hash the assignment", () => {
    expect(cellsOf()).toEqual(cellsOf())
    for (const { dimensions, id } of cellsOf().slice(0, 5)) expect(Cell.make(dimensions).id).toBe(id)
  })

  it("puts the caller's rows first, in their order, and fills in what they leave out", () => {
    const clause = made().clauses[1]!
    const fixedRows = [
      { tool: "get_order", stance: "hurried", rule: clause.text },
      { tool: "unrelated" },
      { tool: "cancel_order", world_state: "missing", history: "repeat_visit" }
    ]
    const grid = Axes.grid(made({ fixedRows }), 2)
    expect(grid.cells[0]?.dimensions).toMatchObject({ tool: "get_order", stance: "hurried", rule: clause.id })
    expect(grid.cells[1]?.dimensions).toMatchObject({
      tool: "unrelated",
      rule: "unspecified",
      tool_condition: "success"
    })
    expect(grid.cells[2]?.dimensions).toMatchObject(fixedRows[2]!)
    for (const { dimensions } of grid.cells) expect(Object.keys(dimensions)).toEqual(Cell.axisNames)
  })

  it("honours the caller's constraints", () => {
    const forbid = { tool: "cancel_order", stance: "exploratory" }
    const pair = ({ dimensions }: Cell.Cell): boolean =>
      dimensions["tool"] === forbid.tool && dimensions["stance"] === forbid.stance
    expect(cellsOf().some(pair)).toBe(true)
    expect(cellsOf({ constraints: [{ forbid }] }).some(pair)).toBe(false)
    expect(Axes.grid(made({ constraints: [{ forbid }] }), 2).planned).toBe(Axes.grid(made(), 2).planned - 1)
    const clause = made().clauses[0]!
    const noRule = cellsOf({ constraints: [{ forbid: { rule: clause.text } }] })
    expect(noRule.some(({ dimensions }) => dimensions["rule"] === clause.id)).toBe(false)
  })

  it("orders cells so that half of them cover most, and no clause waits for another", () => {
    const grid = Axes.grid(made(), 2)
    const gains: Array<number> = []
    let coverage = grid.coverage
    for (const { dimensions } of grid.cells) {
      const added = coverage.add(dimensions)
      coverage = added.coverage
      gains.push(added.fresh)
    }
    const half = gains.slice(0, Math.ceil(gains.length / 2)).reduce((sum, gain) => sum + gain, 0)
    expect(half / grid.planned).toBeGreaterThanOrEqual(0.75)
    expect(gains).toEqual([...gains].sort((a, b) => b - a))
    expect(new Set(grid.cells.slice(0, 8).map(({ dimensions }) => dimensions["rule"])).size).toBeGreaterThanOrEqual(3)
  })
})

describe("Coverage", () => {
  const grid = Axes.grid(made(), 2)
  const cell = grid.cells[0]!.dimensions

  it("counts the new tuples of a situation, once", () => {
    expect(grid.coverage.freshOf(cell)).toBe(cell["rule"] === "unspecified" ? 10 : 15)
    const { coverage, fresh } = grid.coverage.add(cell)
    expect(coverage.covered).toBe(fresh)
    expect(coverage.add(cell)).toEqual({ coverage, fresh: 0 })
    expect(grid.coverage.covered).toBe(0)
  })

  it("counts nothing for axes left out and values off the grid", () => {
    expect(grid.coverage.freshOf({})).toBe(0)
    expect(grid.coverage.freshOf({ tool: "get_order" })).toBe(0)
    expect(grid.coverage.freshOf({ tool: "get_order", stance: "nobody", history: "fresh" })).toBe(1)
    expect(grid.coverage.freshOf({ tool: "unrelated", tool_condition: "timeout" })).toBe(0)
  })

  it("names the debt and prices it in cells", () => {
    const all = grid.cells.reduce((sofar, { dimensions }) => sofar.add(dimensions).coverage, grid.coverage)
    const needed = grid.cells.filter((_, at) => {
      const before = grid.cells.slice(0, at).reduce((sofar, c) => sofar.add(c.dimensions).coverage, grid.coverage)
      return before.freshOf(grid.cells[at]!.dimensions) > 0
    })
    const part = needed.slice(0, -2).reduce((sofar, { dimensions }) => sofar.add(dimensions).coverage, grid.coverage)
    const { debt } = part.report()
    expect(debt?.missing_count).toBe(all.covered - part.covered)
    expect(debt?.rows).toBe(2)
    for (const tuple of debt?.missing ?? []) {
      expect(Object.keys(tuple)).toHaveLength(2)
      expect(part.freshOf(tuple)).toBe(1)
    }
  })
})

const data = process.env["SANDTABLE_TEST_DATA"]
describe.skipIf(data === undefined)("a real policy and its tools (set SANDTABLE_TEST_DATA to run)", () => {
  const read = (file: string) => fs.readFileSync(`${data}/retail/${file}`, "utf8")
  const real = (systemPrompt: string): Partial<Axes.Settings> => ({
    tools: ToolSet.make(ToolDialect.read(JSON.parse(read("tools.json"))).tools),
    systemPrompt
  })

  it("uses 16 of 32 rules, covers all pairs, and needs no more rows than its largest axes", () => {
    const grid = Axes.grid(made(real(read("policy.md"))), 2)
    expect(grid.axes.rules).toEqual({ used: 16, found: 32 })
    expect(grid.cells.filter(({ dimensions }) => dimensions["rule"] === "unspecified")).toHaveLength(18 * 10)
    expect(grid.cells).toHaveLength(18 * 10 + 16 * 18)
    expect(grid.cells.reduce((c, { dimensions }) => c.add(dimensions).coverage, grid.coverage).report().debt).toBeNull()
  })

  it("changes only the cells of the clause that was edited", () => {
    const policyText = read("policy.md")
    const rules = (cells: ReadonlyArray<Cell.Cell>) =>
      new Map(cells.map(({ dimensions, id }) => [id, dimensions["rule"]]))
    const before = rules(cellsOf(real(policyText)))
    const after = rules(
      cellsOf(real(policyText.replace("make one tool call at a time", "make two tool calls at a time")))
    )
    const gone = new Set([...before].filter(([id]) => !after.has(id)).map(([, rule]) => rule))
    const come = new Set([...after].filter(([id]) => !before.has(id)).map(([, rule]) => rule))
    expect([gone.size, come.size]).toEqual([1, 1])
    expect(gone).not.toEqual(come)
  })
})
