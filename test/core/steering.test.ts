import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Agent from "@sandtable/core/Agent"
import type { Row } from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"

const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters },
  { name: "cancel_order", description: "Cancel an order", parameters },
  { name: "refund_order", description: "Refund an order", parameters },
  { name: "track_shipment", description: "Track the shipment of an order", parameters }
]

const agent: Agent.AgentFunction = async (message, { world }) => {
  const order_id = /A\d{4}/.exec(message)?.[0]
  if (order_id === undefined) return "Which order is it?"
  return `Order ${order_id}: ${JSON.stringify(await world.call("get_order", { order_id }))}.`
}

const base = {
  agent,
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003", "A1004"] },
  simulator: false,
  reproducible: true
} as const

/** The kind of ask the grader of these tests fails. */
const isRefund = (row: Row): boolean => row.scenario_dimensions?.["tool"] === "refund_order"

const shareOf = (rows: ReadonlyArray<Row>, of: (row: Row) => boolean): number => rows.filter(of).length / rows.length

describe("a grader in the loop", () => {
  it.effect("moves the budget toward what it fails: re-rolls, mutated asks, and a larger share", () =>
    Effect.gen(function* () {
      const options = { ...base, mode: "sft", budget: 600, faultRate: 0 } as const
      const without = yield* Simulation.simulate(options)
      const { meta, rows, search } = yield* Simulation.simulate({ ...options, grader: (row) => !isRefund(row) })

      const failed = rows.filter((row) => isRefund(row) && row.arm === "grid")
      const rollouts = new Map<string, number>()
      for (const row of failed) rollouts.set(row.task_id, (rollouts.get(row.task_id) ?? 0) + 1)
      expect(failed.length).toBeGreaterThan(0)
      // Every failed ask gets the whole of k = 4, but for those the budget's end cut, which are named.
      const cut = new Set(meta.group_cut.map(({ task_id }) => task_id))
      for (const [task, count] of rollouts) if (!cut.has(task)) expect(count).toBe(4)

      const mutated = rows.filter((row) => row.aim === "graded_failure")
      const known = new Set(rows.map((row) => row.task_id))
      expect(mutated.length).toBeGreaterThan(20)
      for (const row of mutated) {
        expect(row.arm).toBe("failure_mutation")
        expect(known.has(row.parent_task_id ?? "")).toBe(true)
        // The same situation in other words, or one that differs by a value: most of these are about a refund too.
        const parent = rows.find(({ task_id }) => task_id === row.parent_task_id)
        const [own, its] = [row.scenario_dimensions ?? {}, parent?.scenario_dimensions ?? {}]
        expect(Object.keys(its).filter((axis) => own[axis] !== its[axis]).length).toBeLessThanOrEqual(1)
      }
      expect(search.mutation_aims?.graded_failure.mutated).toBe(mutated.length)
      // Measured: 0.115 of the budget without the grader, 0.36 with it.
      const [before, after] = [shareOf(without.rows, isRefund), shareOf(rows, isRefund)]
      expect(after).toBeGreaterThan(before * 1.5)
    })
  )

  it.effect("does not steer when told to grade beside the loop", () =>
    Effect.gen(function* () {
      const { search } = yield* Simulation.simulate({
        ...base,
        mode: "sft",
        budget: 120,
        grader: (row) => !isRefund(row),
        advanced: { mutateGradedFailures: false }
      })
      expect(search.mutation_aims?.graded_failure).toEqual({ parents: 0, mutated: 0 })
    })
  )
})

describe("counts with the offline writer", () => {
  it.effect("give S x n x k rows with n distinct wordings of each world, and not one call more", () =>
    Effect.gen(function* () {
      let calls = 0
      const { rows, stoppedBecause } = yield* Simulation.simulate({
        ...base,
        agent: (message) => `Heard: ${message} (${++calls})`,
        situations: 9,
        phrasings: 3,
        repeats: 2,
        repeatPolicy: "fixed",
        budget: 1000
      })
      expect([rows.length, calls, stoppedBecause]).toEqual([54, 54, "situations_exhausted"])
      const situations = new Map<string, Set<string>>()
      const worlds = new Map<string, Set<string>>()
      for (const row of rows) {
        const id = row.scenario_id ?? ""
        situations.set(id, (situations.get(id) ?? new Set()).add(row.prompt))
        worlds.set(
          id,
          (worlds.get(id) ?? new Set()).add(JSON.stringify([row.world_state, row.faults, row.plan?.world_seed]))
        )
      }
      expect([...situations.values()].map(({ size }) => size)).toEqual(Array.from({ length: 9 }, () => 3))
      expect([...worlds.values()].every(({ size }) => size === 1)).toBe(true)
    })
  )
})
