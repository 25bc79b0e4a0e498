import { describe, expect, it } from "@effect/vitest"
import * as PreferencePairs from "../../../packages/core/src/select/PreferencePairs.ts"
import * as FastCheck from "effect/FastCheck"
import { anyRows, rollout, shuffled } from "./rollouts.ts"

const said = (ask: string, index: number, reward: number | null, length: number) => {
  const text = "x".repeat(length)
  return rollout(ask, index, { reward, steps: [{ user: "Hi" }, { text }], final_text: text })
}

const idsOf = ({ pairs }: PreferencePairs.Pairs): ReadonlyArray<string> =>
  pairs.map(({ chosen, rejected }) => `${String(chosen["row_id"])} > ${String(rejected["row_id"])}`)

describe("preference pairs", () => {
  it("pair a better and a worse rollout of one ask, of the closest length", () => {
    const rows = [said("a", 0, 1, 100), said("a", 1, 1, 40), said("a", 2, 0, 45), said("a", 3, 0, 300)]
    const pairs = PreferencePairs.preferencePairs(rows)
    expect(idsOf(pairs)).toEqual(["row_a_1 > row_a_2"])
    expect(pairs.pairs[0]?.lengths).toEqual({ chosen: 40, rejected: 45 })
    expect(idsOf(PreferencePairs.preferencePairs(rows, { perTask: 5 }))).toEqual([
      "row_a_1 > row_a_2",
      "row_a_0 > row_a_3"
    ])
  })

  it("keep the margin, and leave ungraded rows out", () => {
    const rows = [said("a", 0, 0.6, 10), said("a", 1, 0.3, 10), said("a", 2, null, 10)]
    expect(PreferencePairs.preferencePairs(rows).pairs).toEqual([])
    const close = PreferencePairs.preferencePairs(rows, { margin: 0.3 })
    expect(close.pairs).toHaveLength(1)
    expect(close).toMatchObject({ ungraded: 1, rows: 3, asks: { paired: 1, of: 1 } })
  })

  it("never pair answers to different words, though they have one task id, and say so", () => {
    const rows = [
      rollout("a", 0, { reward: 1, prompt: "Where is my order?" }),
      rollout("a", 1, { reward: 0, prompt: "Please cancel it." })
    ]
    const { notes, pairs } = PreferencePairs.preferencePairs(rows)
    expect(pairs).toEqual([])
    expect(notes.map(({ code }) => code)).toEqual(["wordings_differ"])
  })

  it("warn when the better row is nearly always the longer one", () => {
    const pairs = (better: number, worse: number) =>
      Array.from({ length: 12 }, (_, i) => [said(`a${i}`, 0, 1, better + i), said(`a${i}`, 1, 0, worse)]).flat()
    const longer = PreferencePairs.preferencePairs(pairs(100, 10))
    expect(longer.notes[0]).toMatchObject({
      code: "length_confound",
      message: expect.stringContaining("longer one in 12 of 12")
    })
    expect(PreferencePairs.preferencePairs(pairs(10, 100)).notes[0]?.message).toContain("shorter one in 12 of 12")
    const balanced = [...pairs(100, 10), ...pairs(10, 100).map((row) => ({ ...row, task_id: `b${row.task_id}` }))]
    expect(PreferencePairs.preferencePairs(balanced).notes).toEqual([])
  })

  it.prop(
    "are of one ask and one wording, each row once, at the margin, in any order of rows",
    [anyRows, FastCheck.integer()],
    ([rows, seed]) => {
      const result = PreferencePairs.preferencePairs(rows, { perTask: 3 })
      const used = result.pairs.flatMap(({ chosen, rejected }) => [chosen, rejected])
      expect(new Set(used).size).toBe(used.length)
      for (const { chosen, margin, rejected } of result.pairs) {
        expect(chosen.task_id).toBe(rejected.task_id)
        expect(margin).toBeGreaterThanOrEqual(0.5)
      }
      expect(PreferencePairs.preferencePairs(shuffled(rows, seed), { perTask: 3 })).toEqual(result)
    }
  )
})
