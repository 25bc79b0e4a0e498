import { describe, expect, it } from "@effect/vitest"
import * as Compare from "@sandtable/core/Compare"
import type { MeasuredRow } from "@sandtable/core/Measured"
import * as Node from "@sandtable/core/node"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { drawn, group, groups, spreadRates } from "./rows.ts"

const only = ({ metrics: [metric] }: Compare.Comparison): Compare.Difference => {
  if (metric === undefined) throw new Error("no metric")
  return metric
}

describe("a comparison", () => {
  it("pairs by task and counts what has no pair", () => {
    const a = groups(["11", "10", "00", "11", "10", "00"])
    const b = [...groups(["11", "11", "11", "11", "11"]), ...group("other", "00")]
    const comparison = Compare.compare(a, b)
    expect(comparison).toMatchObject({ tasks: 5, only_a: 1, only_b: 1 })
    // Of the five shared tasks: 1, .5, 0, 1, .5 against 1 each.
    expect(only(comparison)).toMatchObject({ tasks: 5, a: 0.6, b: 1 })
    expect(only(comparison).difference).toBeCloseTo(0.4)
    expect(comparison.notes.map(({ code }) => code)).toContain("dropped")
  })

  it("decides nothing under five shared tasks", () => {
    const comparison = Compare.compare(groups(["0", "0", "0", "0"]), groups(["1", "1", "1", "1"]))
    expect(only(comparison)).toMatchObject({ tasks: 4, difference: 1, p: null, decision: "insufficient_data" })
  })

  it("goes by the interval: higher when it is clear of 0", () => {
    const rates = spreadRates(60, 0.5)
    const a = drawn(rates, { seed: 1, k: 8 })
    const better = drawn(
      rates.map((rate) => Math.min(1, rate + 0.2)),
      { seed: 2, k: 8 }
    )
    const found = only(Compare.compare(a, better))
    expect(found.decision).toBe("higher")
    expect(found.interval?.[0]).toBeGreaterThan(0)
    expect(found.p).toBeLessThan(0.01)
    expect(only(Compare.compare(a, drawn(rates, { seed: 3, k: 8 }))).decision).toBe("no_change_detected")
  })

  it("decides by the permutation p where all tasks differ alike, and gives the rule of three for its bound", () => {
    const flipped = (n: number) => {
      const side = (letter: string) => groups(Array.from({ length: n }, () => letter))
      return only(Compare.compare(side("0"), side("1")))
    }
    expect(flipped(6)).toMatchObject({ interval: null, p: 0.03125, decision: "higher" })
    expect(flipped(5)).toMatchObject({ interval: null, p: 0.0625, decision: "no_change_detected" })
    expect(flipped(30).bound).toEqual([1 - 0.2, 1])
  })

  it("takes several metrics: markers, numbers in the row, functions; and corrects p for their number", () => {
    const rows = (tone: number, tokens: number): ReadonlyArray<MeasuredRow> =>
      groups(["10", "11", "00", "01", "11", "10"]).map((row, i) => ({
        ...row,
        markers: { tone: tone + (i % 3) / 10 },
        usage: { agent: { output: tokens + i } },
        final_text: "x".repeat(i)
      }))
    const length = { name: "length", of: (row: MeasuredRow) => row.final_text?.length ?? null }
    const comparison = Compare.compare(rows(0.2, 100), rows(0.4, 100), {
      metric: ["tone", "usage.agent.output", length, "nothing"]
    })
    expect(comparison.metrics.map(({ decision, metric }) => [metric, decision])).toEqual([
      ["tone", "higher"],
      ["usage.agent.output", "no_change_detected"],
      ["length", "no_change_detected"],
      ["nothing", "not_measured"]
    ])
    const [tone] = comparison.metrics
    expect(tone?.p_holm).toBeCloseTo((tone?.p ?? 0) * 3)
  })

  it("uses the probe alone of sides that stop early", () => {
    const early = groups(["11", "10000000", "00", "11", "11"], { policy: "successive" })
    const found = only(Compare.compare(early, groups(["11", "10", "00", "11", "11"])))
    expect(found).toMatchObject({ a: 0.7, b: 0.7, difference: 0 })
  })

  it("meets a log of prompts and its replay, which has ids, by the prompt", () => {
    const log = ["Cancel A1.", "Refund A2.", "Where is A3?", "Change A4.", "Hello?"].map((prompt) => ({
      prompt,
      final_text: "Done.",
      reward: 0
    }))
    const replay = log.map((row, i) => ({ ...row, task_id: `task_${i}`, scenario_id: `sit_${i}`, reward: 1 }))
    expect(Compare.compare(log, replay)).toMatchObject({ tasks: 5, only_a: 0, only_b: 0 })
  })

  it.effect("streams files, and mixes them with memory", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "measure-"))
      const [a, b] = [drawn(spreadRates(10), { seed: 1 }), drawn(spreadRates(10), { seed: 2 })]
      const path = join(folder, "a.jsonl")
      writeFileSync(path, a.map((row) => JSON.stringify(row)).join("\n"))
      expect(yield* Compare.compare(path, b)).toEqual(Compare.compare(a, b))
      const error = yield* Effect.flip(Compare.compare(join(folder, "none.jsonl"), b))
      expect(error._tag).toBe("RowFileError")
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(Node.layer))
  )

  it.prop(
    "turns around with its sides, to the last bit",
    [FastCheck.integer({ min: 0, max: 1000 }), FastCheck.constantFrom(4, 9, 14, 15, 40)],
    ([seed, n]) => {
      const a = drawn(spreadRates(n), { seed, k: 3 })
      const b = drawn(spreadRates(n, 0.7), { seed: seed + 1, k: 3 })
      const there = only(Compare.compare(a, b))
      const back = only(Compare.compare(b, a))
      const turned = { higher: "lower", lower: "higher" } as const
      expect(back.interval).toEqual(there.interval === null ? null : [0 - there.interval[1], 0 - there.interval[0]])
      expect(back.difference).toBe(0 - (there.difference ?? 0))
      expect(back.p).toBe(there.p)
      expect(back.decision).toBe(
        there.decision === "higher" || there.decision === "lower" ? turned[there.decision] : there.decision
      )
    },
    // the first is of differences that are their own mirror
    { fastCheck: { numRuns: 30, examples: [[612, 9]] } }
  )

  it.prop(
    "finds no difference where the sides only trade tasks",
    [
      FastCheck.array(
        FastCheck.tuple(
          FastCheck.constantFrom("000", "100", "110", "111"),
          FastCheck.constantFrom("000", "100", "110", "111")
        ),
        { minLength: 3, maxLength: 12 }
      )
    ],
    ([pairs]) => {
      const [left, right] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
      const a = groups([...left, ...right])
      const b = groups([...right, ...left])
      const there = only(Compare.compare(a, b))
      expect(there.difference).toBe(0)
      expect(only(Compare.compare(b, a))).toEqual(there)
      if (there.interval !== null) expect(there.interval[0]).toBe(0 - there.interval[1])
    },
    { fastCheck: { numRuns: 30 } }
  )

  it("prints a line for each metric", () => {
    const a = drawn(spreadRates(20), { seed: 1 })
    const b = drawn(spreadRates(20), { seed: 2 })
    expect(Compare.render(Compare.compare(a, b, { changed: "prompt" }))).toMatchInlineSnapshot(`
      "20 shared tasks, under test: prompt
      pass@1: 58.8% to 60.0%, +1.3 points [-10.0, +11.3], p 1, 20 tasks, 80 rows a side: no change detected"
    `)
  })
})
