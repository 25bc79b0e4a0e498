/**
 * What the page counts, before it is drawn.
 */
import { describe, expect, it } from "@effect/vitest"
import * as PassAt from "@sandtable/core/PassAt"
import * as Facts from "../../../packages/cli/src/page/Facts.ts"
import { findings, meta, model, row, rows } from "./rows.ts"

const names = (parts: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> => parts.map(({ name }) => name)

describe("the page's figures", () => {
  it("has the rates of tiers and faults as means over tasks, the easy ones first", () => {
    const [tiers, faults, ...others] = model().parts
    expect(others).toEqual([])
    expect(tiers?.parts).toMatchObject([
      { name: "ordinary", rows: 8, tasks: 2, value: 0.5, met: null },
      { name: "adversarial", rows: 8, tasks: 2, value: 0.75 }
    ])
    expect(faults?.parts).toMatchObject([
      { name: "none", rows: 12, tasks: 3, value: 5 / 6, met: null },
      { name: "timeout", rows: 4, tasks: 1, value: 0, met: 4 }
    ])
  })

  it("weighs tasks alike, however many of their rollouts there are", () => {
    const uneven = [...rows.filter(({ task_id }) => task_id !== "task_1"), row(1, 0, 1)]
    const tiers = model(uneven).parts.find(({ key }) => key === "tier")
    expect(tiers?.parts.find(({ name }) => name === "adversarial")?.value).toBe(0.75)
  })

  it("reads a group that stopped early by its probe alone, as every other figure does", () => {
    const lineage = {
      run_id: "r",
      system_prompt_sha: null,
      eval_run: 0,
      repeat_policy: "successive" as const,
      probe: 2
    }
    const early = [
      ...[1, 1].map((reward, i) => row(1, i, reward, { lineage })),
      ...[0, 1, 1, 1].map((reward, i) => row(3, i, reward, { lineage })),
      ...[1, 1].map((reward, i) => row(2, i, reward, { lineage, tier: "ordinary" }))
    ]
    const { curve, parts } = model(early)
    expect(parts[0]?.parts.find(({ name }) => name === "adversarial")?.value).toBe(0.75)
    expect(curve).toEqual([])
  })

  it("leaves out what says no more than the headline, and what nobody graded", () => {
    expect(model(rows.filter(({ task_id }) => task_id === "task_4")).parts).toEqual([])
    expect(model(rows.map((each) => ({ ...each, reward: null }))).parts).toEqual([])
  })

  it("tells how pass^k falls with k, as the library has it", () => {
    const { curve } = model()
    expect(curve.map(({ k }) => k)).toEqual([1, 2, 3, 4])
    expect(curve[0]).toEqual({ k: 1, all: 0.625, any: 0.625 })
    const { pass_at_k, pass_hat_k } = PassAt.passAt(rows, { k: 3 })
    expect(curve[2]).toEqual({ k: 3, all: pass_hat_k, any: pass_at_k })
  })

  it("has the worst tasks first, and how many pass how often", () => {
    const { spread, tasks } = model()
    expect(tasks.map(({ task }) => task)).toEqual(["sit_2", "sit_3", "sit_1", "sit_4"])
    expect(spread).toEqual([
      { name: "never", tasks: 1 },
      { name: "under half", tasks: 0 },
      { name: "half or more", tasks: 1 },
      { name: "always", tasks: 2 }
    ])
  })

  it("gathers what lost reward by its class, also where nobody gave one", () => {
    const { failures } = model([...rows, row(5, 0, 0, { failure_class: "constructor" }), row(6, 0, 0.5)])
    expect(failures.map(({ example, name, rows, tasks }) => [name, rows, tasks, example.id])).toEqual([
      ["claimed_success", 6, 2, "row_2_0"],
      ["", 1, 1, "row_6_0"],
      ["constructor", 1, 1, "row_5_0"]
    ])
  })

  it("sets every two axes against each other, with empty cells", () => {
    const { grid } = model()
    expect(grid?.pairs).toHaveLength(1)
    expect(grid?.pairs[0]).toMatchObject({
      down: "tool",
      across: "tool_condition",
      downValues: ["get_order", "refund_order"],
      acrossValues: ["success", "timeout"],
      cells: [
        [
          { tasks: 2, rate: 0.75 },
          { tasks: 0, rate: null }
        ],
        [
          { tasks: 1, rate: 1 },
          { tasks: 1, rate: 0 }
        ]
      ],
      filled: 3
    })
    expect(model(rows.map((each) => ({ ...each, scenario_dimensions: {} }))).grid).toBeNull()
  })

  it("names values that no row drew", () => {
    const search = { ...meta(rows).search, axis_gaps: { tool_condition: ["stale_result", "unspecified"] } }
    const of = findings(rows, { meta: { ...meta(rows), search } as ReturnType<typeof meta> })
    const { grid } = model(rows, { findings: of })
    expect(grid?.gaps).toEqual([["tool_condition", ["stale_result"]]])
    expect(grid?.pairs[0]?.acrossValues).toEqual(["success", "timeout", "stale_result"])
  })

  it("takes names from rows that are names of the language too", () => {
    const odd = rows.map((each) => ({
      ...each,
      scenario_dimensions: { ["__proto__"]: "toString", constructor: "valueOf" }
    }))
    expect(() => model(odd)).not.toThrow()
  })

  it("leaves excluded arms out of figures, and lists them", () => {
    const steered = [...rows, ...[0, 1, 2, 3].map((i) => row(7, i, 0, { arm: "failure_mutation" }))]
    const { failures, rows: listed, tasks } = model(steered, { exclude: ["failure_mutation"] })
    expect(tasks.map(({ task }) => task)).not.toContain("sit_7")
    expect(names(failures)).toEqual(["claimed_success"])
    expect(listed).toHaveLength(20)
  })
})

describe("a row's facts", () => {
  it("are its verdict, what was planned and met, and the words it is found by", () => {
    expect(Facts.of(row(2, 1, 0), 1)).toMatchObject({
      id: "row_2_1",
      task: "sit_2",
      verdict: "fail",
      failure: "claimed_success",
      planned: ["timeout"],
      met: ["timeout"],
      rollout: 1,
      steps: 3
    })
    expect(Facts.of(row(2, 1, 0), 1).words).toContain("refund_order")
    expect([1, 0, 0.4, null].map((reward) => Facts.of(row(1, 0, reward), 1).verdict)).toEqual([
      "pass",
      "fail",
      "partial",
      "ungraded"
    ])
  })
})
