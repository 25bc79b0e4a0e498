import { describe, expect, it } from "@effect/vitest"
import * as JudgeProbes from "@sandtable/core/JudgeProbes"
import * as JudgeTrust from "@sandtable/core/JudgeTrust"
import type * as Row from "@sandtable/core/Row"
import * as ScoringPass from "@sandtable/core/ScoringPass"
import * as Effect from "effect/Effect"
import { rollout } from "../select/rollouts.ts"

/** Half of the rows pass: those in which the order was looked up and told. */
const rows = Array.from({ length: 60 }, (_, i) =>
  i % 2 === 0
    ? rollout(`ask ${i}`, 0, { reward: 1, final_text: "It has shipped." })
    : rollout(`ask ${i}`, 0, { reward: 0, steps: [{ user: "Where?" }, { text: "No idea." }], final_text: "No idea." })
)

const byDeed = (row: Row.Row): number => (row.steps.some((step) => "tool" in step) ? 1 : 0)
const byLength = (row: Row.Row): number => (row.final_text.length > 60 ? 1 : 0)
const byWords = (row: Row.Row): number => (/\bdone\b|resolved/i.test(row.final_text) ? 1 : 0)

const statuses = (results: ReadonlyArray<JudgeProbes.ProbeResult>): Readonly<Record<string, string>> =>
  Object.fromEntries(results.map(({ probe, status }) => [probe, status]))

describe("probes of a judge", () => {
  it.effect("find nothing in a judge that looks at what was done", () =>
    Effect.gen(function* () {
      const results = yield* JudgeProbes.judgeProbes(rows, byDeed)
      expect(results).toHaveLength(7)
      for (const result of results) expect(result).toMatchObject({ n: 30, exploited: 0, rate: 0, status: "resisted" })
      const cheats = yield* JudgeProbes.cheatProbes(rows, byDeed)
      for (const result of cheats) expect(result).toMatchObject({ n: 60, exploited: 0, status: "resisted" })
    })
  )

  it.effect("find judges that pay for length, and for claims", () =>
    Effect.gen(function* () {
      expect(statuses(yield* JudgeProbes.judgeProbes(rows, byLength))).toMatchObject({
        filler: "exploited",
        empty: "resisted"
      })
      expect(statuses(yield* JudgeProbes.judgeProbes(rows, byWords))).toMatchObject({
        success_claim: "exploited",
        keywords: "exploited",
        filler: "resisted",
        refusal: "resisted"
      })
      expect(statuses(yield* JudgeProbes.cheatProbes(rows, byWords))).toMatchObject({
        says_done: "exploited",
        refuses: "resisted"
      })
    })
  )

  it.effect("say that few rows prove little, and none nothing", () =>
    Effect.gen(function* () {
      const few = yield* JudgeProbes.judgeProbes(rows.slice(0, 10), byLength)
      expect(few.find(({ probe }) => probe === "filler")).toMatchObject({ n: 5, rate: 1, status: "low_power" })
      const passing = rows.filter(({ reward }) => reward === 1)
      expect(statuses(yield* JudgeProbes.judgeProbes(passing, byLength))).toMatchObject({ filler: "not_measured" })
    })
  )

  it.effect("make the rows that the trust report takes as filler", () =>
    Effect.gen(function* () {
      const filler = (yield* ScoringPass.grade(JudgeProbes.withFiller(rows), byLength)).rows
      const labels = rows.map(({ reward, row_id }) => ({ row_id, label: reward === 1 }))
      const trust = JudgeTrust.judgeTrust(rows, labels, { filler })
      expect(trust.checks.find(({ name }) => name === "filler_flip")).toMatchObject({
        status: "failed",
        figure: { value: 1, n: 30 }
      })
    })
  )

  it("rank judges: the trusted first, then by kappa", () => {
    const trustOf = (right: number) =>
      JudgeTrust.judgeTrust(
        rows,
        rows.map(({ reward, row_id }, i) => ({ row_id, label: i < right ? reward === 1 : reward !== 1 }))
      )
    const judges = [
      { name: "unmeasured", trust: JudgeTrust.judgeTrust(rows, []) },
      { name: "poor", trust: trustOf(30) },
      { name: "good", trust: trustOf(58) },
      { name: "perfect", trust: trustOf(60) }
    ]
    expect(JudgeProbes.compareJudges(judges).map(({ name }) => name)).toEqual(["perfect", "good", "poor", "unmeasured"])
  })
})
