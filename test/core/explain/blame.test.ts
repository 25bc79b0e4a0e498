import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import { Blame } from "@sandtable/core/Explain"
import * as Randomness from "@sandtable/core/Randomness"
import type * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import fc from "fast-check"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = ["get_order", "cancel_order", "refund_order", "track_parcel", "change_address"].map((name) => ({
  name,
  description: `${name.replace("_", " ")} by its id`,
  parameters: order
}))
const base = {
  agent: Agent.fromFunction((message) => `You said: ${message}`, { name: "echo" }),
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  simulator: false,
  budget: 2000,
  rolloutsPerRequest: 1,
  systemPrompt:
    "Orders that have shipped cannot be cancelled. Refunds over 100 dollars need a manager. Never give out addresses.",
  advanced: { armWeights: { failure_mutation: 0 } }
} as const

const valuesOf = (row: Row.Row): ReadonlyArray<readonly [string, string]> =>
  Object.entries(row.scenario_dimensions ?? {})

const named = (found: Blame.Blamed): ReadonlyArray<string> =>
  found.classes.flatMap(({ findings }) =>
    findings.map(({ factors }) =>
      factors
        .map(({ axis, value }) => `${axis}=${value}`)
        .sort()
        .join(" & ")
    )
  )

describe("what goes with a failure", () => {
  it.effect("names planted pairs of values exactly, in a run of 2,000 rows", () =>
    Effect.gen(function* () {
      const { rows } = yield* Simulation.simulate({ ...base, seed: 11 })
      const draws = Randomness.make(5).stream(["plant"])
      // Twenty pairs that at least fifteen asks have.
      const counts = new Map<string, number>()
      for (const row of rows) {
        const values = valuesOf(row)
        for (const [i, [a, x]] of values.entries()) {
          for (const [b, y] of values.slice(i + 1)) {
            const pair = [`${a}=${x}`, `${b}=${y}`].sort().join(" & ")
            counts.set(pair, (counts.get(pair) ?? 0) + 1)
          }
        }
      }
      const common = [...counts].filter(([, n]) => n >= 15 && n < 200).map(([pair]) => pair)
      const planted = new Set(draws.shuffle(common).slice(0, 20))
      const failing = rows.map((row) => {
        const values = valuesOf(row).map(([axis, value]) => `${axis}=${value}`)
        const bad = [...planted].some((pair) => pair.split(" & ").every((part) => values.includes(part)))
        return { ...row, reward: bad ? 0 : 1, ...(bad ? { failure_class: "planted" } : {}) }
      })
      const found = named(Blame.ofRows(failing))
      const right = found.filter((pair) => planted.has(pair))
      expect(right.length).toBeGreaterThanOrEqual(18)
      expect(found.filter((pair) => !planted.has(pair)).length).toBeLessThanOrEqual(1)
    })
  )

  it.effect(
    "invents nothing for an agent that fails by chance alone",
    () =>
      Effect.gen(function* () {
        const { rows } = yield* Simulation.simulate({ ...base, seed: 12 })
        let invented = 0
        for (let seed = 0; seed < 20; seed += 1) {
          const draws = Randomness.make(seed).stream(["chance"])
          const failing = rows.map((row) => ({ ...row, reward: draws.chance(0.1) ? 0 : 1 }))
          if (named(Blame.ofRows(failing)).length > 0) invented += 1
        }
        expect(invented).toBeLessThanOrEqual(1)
        expect(Blame.ofRows(rows.map((row) => ({ ...row, reward: 1 }))).classes).toEqual([])
      }),
    120_000
  )

  const task = (i: number, dimensions: Record<string, string>, reward: number, more: object = {}): Blame.BlameRow => ({
    task_id: `task_${i}`,
    arm: "grid",
    scenario_dimensions: dimensions,
    reward,
    ...more
  })

  it("names a value where the value alone does it, with its counts", () => {
    const rows = Array.from({ length: 80 }, (_, i) => {
      const dimensions = { tool: `t${i % 4}`, stance: `s${Math.floor(i / 4) % 5}` }
      return task(i, dimensions, dimensions.tool === "t1" ? 0 : 1)
    })
    const [found] = Blame.ofRows(rows).classes
    expect(found?.failure_class).toBe("failed")
    expect(found?.findings).toHaveLength(1)
    expect(found?.findings[0]).toMatchObject({
      factors: [{ axis: "tool", value: "t1" }],
      within: { failed: 20, of: 20 },
      elsewhere: { failed: 0, of: 60 },
      ratio: null
    })
  })

  it("does not read asks that were chosen by failing, and says how many", () => {
    const rows = [
      ...Array.from({ length: 40 }, (_, i) => task(i, { tool: `t${i % 4}` }, 1)),
      ...Array.from({ length: 40 }, (_, i) =>
        task(100 + i, { tool: "t1" }, 0, { arm: i % 2 ? "failure_mutation" : "fork" })
      )
    ]
    expect(Blame.ofRows(rows)).toMatchObject({ classes: [], tasks: 40, left_out: 40 })
  })

  it("counts tasks, not rollouts: a task that was rolled often is one", () => {
    const rows = Array.from({ length: 12 }, (_, i) =>
      task(i, { tool: i < 4 ? "bad" : "good" }, i === 0 ? 0 : 1)
    ).concat(Array.from({ length: 50 }, () => task(0, { tool: "bad" }, 0)))
    const [found] = Blame.ofRows(rows).classes
    expect(found?.tasks).toEqual({ failed: 1, of: 12 })
    expect(found?.findings).toEqual([])
  })

  it("counts within and elsewhere to all tasks, whatever the rows", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            task_id: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
            arm: fc.constantFrom("grid", "open_ended"),
            reward: fc.constantFrom(0, 0.5, 1, null),
            scenario_dimensions: fc.dictionary(fc.constantFrom("x", "y"), fc.constantFrom("1", "2", "__proto__"))
          })
        ),
        (rows) => {
          const found = Blame.ofRows(rows, { alpha: 1 })
          for (const { findings, tasks } of found.classes) {
            expect(tasks.of).toBe(found.tasks)
            for (const { elsewhere, p, within } of findings) {
              expect(within.of + elsewhere.of).toBe(found.tasks)
              expect(within.failed + elsewhere.failed).toBe(tasks.failed)
              expect(p).toBeGreaterThan(0)
              expect(p).toBeLessThanOrEqual(1)
            }
          }
        }
      )
    )
  })
})
