import { describe, expect, it } from "@effect/vitest"
import * as Compare from "@sandtable/core/Compare"
import * as Node from "@sandtable/core/node"
import * as Sizing from "@sandtable/core/Sizing"
import * as Effect from "effect/Effect"
import { drawn, groups, spreadRates } from "./rows.ts"

describe("the size of a hold-out", () => {
  it.each([
    [0.05, 4, 367],
    [0.1, 4, 89],
    [0.2, 4, 20],
    [0.05, 1, 1468],
    [0.05, 8, 184]
  ])("for an effect of %d at k %d from a base of .6", (effect, k, tasks) => {
    expect(Sizing.holdoutSize({ effect, base: 0.6, k })).toMatchObject({ tasks, status: "ok" })
  })

  it.each([
    [20, 0.1983],
    [140, 0.0801],
    [367, 0.05]
  ])("is undone by the effect that %d tasks can show", (tasks, effect) => {
    expect(Sizing.detectableEffect(tasks, { base: 0.6, k: 4 })).toBeCloseTo(effect, 4)
  })

  it("takes the spread that two graded sides told", () => {
    const [a, b] = [drawn(spreadRates(50), { seed: 1 }), drawn(spreadRates(50), { seed: 2 })]
    const sd = Compare.compare(a, b).metrics[0]?.sd ?? 0
    const { tasks } = Sizing.holdoutSize({ effect: 0.1, sd })
    expect(tasks).toBe(Math.ceil((((1.959964 + 0.841621) * sd) / 0.1) ** 2))
    expect(Sizing.detectableEffect(tasks ?? 2, { sd })).toBeLessThanOrEqual(0.1)
  })

  it("is never under 2, and grows with power and with certainty", () => {
    expect(Sizing.holdoutSize({ effect: 1, sd: 0.01 }).tasks).toBe(2)
    const tasks = (options: Partial<Sizing.Options>) => Sizing.holdoutSize({ effect: 0.1, ...options }).tasks ?? 0
    expect(tasks({ power: 0.9 })).toBeGreaterThan(tasks({}))
    expect(tasks({ alpha: 0.01 })).toBeGreaterThan(tasks({}))
  })

  it("is none from a saturated base, which is said", () => {
    const found = Sizing.holdoutSize({ effect: 0.1, base: 0.95 })
    expect(found).toMatchObject({ tasks: null, status: "saturated" })
    expect(found.notes[0]?.message).toContain("room for 5.0 points of the 10.0 points asked about")
    expect(Sizing.detectableEffect(10, { base: 0.99 })).toBeNull()
  })

  it("refuses what is no effect, base, power or number of tasks", () => {
    for (const effect of [0, -0.1, 2, Number.NaN]) {
      expect(() => Sizing.holdoutSize({ effect })).toThrow("`effect`")
    }
    expect(() => Sizing.holdoutSize({ effect: 0.1, base: 2 })).toThrow("`base` is 2")
    expect(() => Sizing.holdoutSize({ effect: 0.1, power: 1 })).toThrow("`power` is 1")
    expect(() => Sizing.detectableEffect(1)).toThrow("`tasks` is 1")
  })
})

describe("what a set of tasks can show", () => {
  it.effect("refuses an effect that is none before it reads anything", () =>
    Effect.gen(function* () {
      expect(() => Sizing.evalPower([], { effect: 5 })).toThrow("`effect` is 5")
      const error = yield* Effect.flip(Sizing.evalPower("nowhere.jsonl", { effect: 5 }))
      expect(error._tag).toBe("InvalidMeasure")
    }).pipe(Effect.provide(Node.layer))
  )

  it("is usable, underpowered, saturated, floored or empty", () => {
    const status = (rates: ReadonlyArray<number>, k = 8) => Sizing.evalPower(drawn(rates, { seed: 1, k })).status
    expect(status(spreadRates(200, 0.6))).toBe("usable")
    expect(status(spreadRates(12, 0.6))).toBe("underpowered")
    expect(status(Array(100).fill(1))).toBe("saturated")
    expect(status(Array(100).fill(0))).toBe("floored")
    expect(Sizing.evalPower(groups(["??"]))).toMatchObject({
      status: "empty",
      tasks: 0,
      pass_at_1: null,
      resolvable: null
    })
  })

  it("counts the tasks that can move and those that are tied", () => {
    const found = Sizing.evalPower(groups(["1111", "0000", "1100", "1000", "1110"]))
    expect(found).toMatchObject({ tasks: 5, k: 4, in_band: 3, tied: 2, effect: 0.1 })
    expect(found.needed).toBeGreaterThan(5)
    expect(Sizing.render(found)).toContain("underpowered: 5 tasks")
  })

  it("takes rollouts that always come out alike for no more than one", () => {
    const always = (n: number) => groups(Array.from({ length: n }, (_, i) => (i % 5 === 0 ? "0000" : "1111")))
    // ((1.96 + 0.8416) sqrt(0.1 * 0.9) / 0.1)^2 = 70.6: one task in ten has to flip.
    expect(Sizing.evalPower(always(60))).toMatchObject({ status: "underpowered", tied: 60, needed: 71 })
    expect(Sizing.evalPower(always(100)).status).toBe("usable")
    // 7.849 / (100 + 7.849)
    expect(Sizing.evalPower(always(100)).resolvable).toBeCloseTo(0.0728, 3)
    // Draws of one rate are as many as there are.
    const draws = Sizing.evalPower(drawn(Array<number>(400).fill(0.6), { seed: 5, k: 4 }))
    expect(draws.needed).toBeGreaterThan(85)
    expect(draws.needed).toBeLessThan(97)
  })

  it("shows less than it was asked about exactly when it is underpowered", () => {
    for (const n of [40, 80, 160, 320]) {
      const found = Sizing.evalPower(drawn(spreadRates(n), { seed: 3, k: 2 }))
      expect(found.status).toBe((found.resolvable ?? 1) <= 0.1 ? "usable" : "underpowered")
    }
  })
})
