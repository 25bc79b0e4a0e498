import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import * as Randomness from "@sandtable/core/Randomness"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as DistinctFailures from "../../../packages/core/src/report/DistinctFailures.ts"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const run = {
  agent: Agent.fromFunction((message) => `You said: ${message}`, { name: "echo" }),
  tools: [
    { name: "get_order", description: "Look up an order", parameters: order },
    { name: "cancel_order", description: "Cancel an order", parameters: order },
    { name: "refund_order", description: "Refund an order", parameters: order }
  ],
  ids: { order_id: ["A1001", "A1002"] },
  simulator: false
} as const

describe("distinct failures", () => {
  it.effect("counts ways to fail, not failing rows, and says where each was seen first", () =>
    Effect.gen(function* () {
      const { rows, search } = yield* Simulation.simulate({
        ...run,
        budget: 200,
        reproducible: true,
        grader: ({ scenario_dimensions: at = {}, task_id }) => {
          if (at["stance"] === "adversarial")
            return { reward: 0, failure_class: "gives_in", reason: `Task ${task_id}.` }
          return at["tool"] === "refund_order" ? { reward: 0.5, failure_class: "half" } : 1
        }
      })
      const found = search.distinct_failures
      expect(found?.count).toBe(2)
      const failed = rows.filter(({ reward }) => reward !== 1)
      expect(found?.list.reduce((sum, { rows }) => sum + rows, 0)).toBe(failed.length)
      for (const { failure_class, first_task, reason, row_id } of found?.list ?? []) {
        expect(rows.find((row) => row.row_id === row_id)?.failure_class).toBe(failure_class)
        expect(first_task).toBeGreaterThan(0)
        if (failure_class === "gives_in") expect(reason).toBe("Task #.")
      }
      expect(found?.list[0]?.first_task).toBeLessThan(found?.list[1]?.first_task ?? 0)
      expect(found?.remaining?.estimate).toBe(0)
    })
  )

  it.effect("says nothing where nobody graded", () =>
    Effect.gen(function* () {
      const { search } = yield* Simulation.simulate({ ...run, budget: 20 })
      expect(search.distinct_failures).toBeNull()
    })
  )

  it("covers how many ways are left in nine of ten samples, and gives no figure from few tasks", () => {
    expect(DistinctFailures.remaining([1, 1], 2, 60)).toBeNull()
    for (const [bugs, tasks] of [
      [6, 200],
      [6, 600],
      [20, 200],
      [20, 600]
    ] as const) {
      const samples = 300
      let covered = 0
      for (let sample = 0; sample < samples; sample += 1) {
        const draws = Randomness.make(sample).stream(["chao", bugs, tasks])
        const rates = Array.from({ length: bugs }, () => 0.004 + 0.009 * draws.next())
        const counts = rates.map((rate) => {
          let n = 0
          for (let task = 0; task < tasks; task += 1) if (draws.chance(rate)) n += 1
          return n
        })
        const seen = counts.filter((n) => n > 0)
        const { interval } = DistinctFailures.remaining(seen, seen.length, tasks) ?? { interval: [0, 0] as const }
        const left = bugs - seen.length
        if (left >= interval[0] && left <= interval[1]) covered += 1
      }
      expect(covered / samples, `${bugs} bugs, ${tasks} tasks`).toBeGreaterThanOrEqual(0.9)
    }
  })
})

describe("the grid of a longer run", () => {
  const cells = (budget: number, seed: number) =>
    Effect.map(
      Simulation.simulate({ ...run, budget, seed, faultRate: 0, advanced: { openEndedShare: 0 } }),
      ({ rows }) => rows.map(({ scenario_dimensions }) => JSON.stringify(scenario_dimensions))
    )

  it.effect("has new cells for every row, in the shares of the tiers", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        ...run,
        budget: 600,
        advanced: { openEndedShare: 0, armWeights: { failure_mutation: 0 } }
      })
      const grid = data.rows.filter(({ arm }) => arm === "grid")
      expect(new Set(grid.map(({ scenario_dimensions }) => JSON.stringify(scenario_dimensions))).size).toBe(grid.length)
      expect(Math.abs((data.search.tier_mix?.drawn ?? 0) - 0.4)).toBeLessThan(0.01)
      expect(data.report().coverage?.fraction).toBe(1)
    })
  )

  it.effect("is another one under another seed, from the first rows on", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([cells(54, 1), cells(54, 2)])
      const shared = one.filter((cell) => other.includes(cell)).length
      expect(shared).toBeLessThan(20)
      expect(yield* cells(54, 1)).toEqual(one)
    })
  )
})
