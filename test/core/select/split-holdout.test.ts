import { describe, expect, it } from "@effect/vitest"
import * as SplitHoldout from "../../../packages/core/src/select/SplitHoldout.ts"
import * as FastCheck from "effect/FastCheck"
import { anyRows, group, rollout, shuffled } from "./rollouts.ts"

const many = Array.from({ length: 300 }, (_, i) => group(`task ${i}`, [1, 0])).flat()

const idsOf = (rows: ReadonlyArray<{ readonly row_id?: unknown }>): ReadonlySet<unknown> =>
  new Set(rows.map((row) => row.row_id))

describe("a hold-out", () => {
  it("holds about the share of situations that was asked for", () => {
    for (const share of [0.1, 0.2, 0.5]) {
      const { situations } = SplitHoldout.splitHoldout(many, { share })
      expect(situations.train + situations.holdout).toBe(300)
      expect(Math.abs(situations.holdout / 300 - share)).toBeLessThan(0.08)
    }
  })

  it("gives another split for another salt", () => {
    const first = idsOf(SplitHoldout.splitHoldout(many).holdout)
    expect(idsOf(SplitHoldout.splitHoldout(many, { salt: "other" }).holdout)).not.toEqual(first)
    expect(idsOf(SplitHoldout.splitHoldout(many).holdout)).toEqual(first)
  })

  it.prop(
    "keeps every row once, and a task on one side, in any order of rows",
    [anyRows, FastCheck.integer()],
    ([rows, seed]) => {
      const split = SplitHoldout.splitHoldout(rows, { share: 0.5 })
      expect(split.train.length + split.holdout.length).toBe(rows.length)
      const held = new Set(split.holdout.map((row) => row.task_id))
      for (const row of split.train) expect(held.has(row.task_id)).toBe(false)
      const again = SplitHoldout.splitHoldout(shuffled(rows, seed), { share: 0.5 })
      expect(idsOf(again.holdout)).toEqual(idsOf(split.holdout))
    }
  )

  it("keeps all that belongs together on one side: wordings, equal words, and asks mutated from one another", () => {
    for (let i = 0; i < 40; i++) {
      const rows = [
        rollout(`a${i}`, 0, { scenario_id: `s${i}` }),
        rollout(`b${i}`, 0, { scenario_id: `s${i}` }),
        rollout(`c${i}`, 0, { parent_task_id: `b${i}` }),
        rollout(`d${i}`, 0, { parent_task_id: `c${i}`, prompt: `Words of ${i}` }),
        rollout(`e${i}`, 0, { prompt: `words of ${i}!` })
      ]
      const { holdout, train } = SplitHoldout.splitHoldout(rows, { share: 0.5 })
      expect([0, 5]).toContain(holdout.length)
      expect(holdout.length + train.length).toBe(5)
    }
  })

  it("does not take rows without words for one another", () => {
    const silent = Array.from({ length: 50 }, (_, i) => rollout(`task ${i}`, 0, { prompt: "" }))
    expect(SplitHoldout.splitHoldout(silent, { share: 0.5 }).situations.holdout).toBeGreaterThan(10)
  })

  it("refuses a share that leaves nothing on one side", () => {
    for (const share of [0, 1, -1, Number.NaN]) {
      expect(() => SplitHoldout.splitHoldout([], { share })).toThrow(expect.objectContaining({ _tag: "InvalidSplit" }))
    }
  })
})
