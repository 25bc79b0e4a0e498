import { describe, expect, it } from "@effect/vitest"
import * as Curriculum from "../../../packages/core/src/select/Curriculum.ts"
import * as FastCheck from "effect/FastCheck"
import { anyRows, group, shuffled } from "./rollouts.ts"

describe("a curriculum", () => {
  const rows = [
    ...group("hard", [1, 0, 0, 0]),
    ...group("easy", [1, 1, 1, 0]),
    ...group("middling", [1, 1, 0, 0]),
    ...group("mastered", [1, 1]),
    ...group("unsolved", [0, 0]),
    ...group("ungraded", [null])
  ]

  it("goes from what nearly always succeeds to what hardly ever does, and counts what teaches nothing", () => {
    const { stages, ...left } = Curriculum.curriculum(rows)
    expect(stages.map((stage) => [...new Set(stage.rows.map((row) => row.task_id))])).toEqual([
      ["easy"],
      ["middling"],
      ["hard"]
    ])
    expect(stages.map(({ easiest }) => easiest)).toEqual([0.75, 0.5, 0.25])
    expect(left).toEqual({ mastered: 1, unsolved: 1, ungraded: 1 })
  })

  it("keeps them where asked to, at its ends", () => {
    const { stages } = Curriculum.curriculum(rows, { stages: 5, unanimous: true })
    expect(stages.map((stage) => stage.rows[0]?.task_id)).toEqual(["mastered", "easy", "middling", "hard", "unsolved"])
  })

  it("has no more stages than asks", () => {
    expect(Curriculum.curriculum(group("one", [1, 0]), { stages: 4 }).stages).toHaveLength(1)
    expect(Curriculum.curriculum([]).stages).toEqual([])
  })

  it.prop("loses no graded row, and is the same in any order", [anyRows, FastCheck.integer()], ([all, seed]) => {
    const result = Curriculum.curriculum(all, { unanimous: true })
    const kept = result.stages.reduce((sum, stage) => sum + stage.rows.length, 0)
    expect(kept + result.ungraded).toBe(all.length)
    expect(Curriculum.curriculum(shuffled(all, seed), { unanimous: true })).toEqual(result)
    const rates = result.stages.flatMap(({ easiest, hardest }) => [easiest, hardest])
    expect([...rates].sort((a, b) => b - a)).toEqual(rates)
  })

  it("refuses a number of stages that makes no sense", () => {
    for (const stages of [0, 1.5, Number.NaN]) {
      expect(() => Curriculum.curriculum([], { stages })).toThrow(
        expect.objectContaining({ _tag: "InvalidCurriculum" })
      )
    }
  })
})
