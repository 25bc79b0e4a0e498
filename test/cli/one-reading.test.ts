/**
 * One reading of what a pass is, wherever it is told: a reward of the pass mark or more. The same rows with half credit are
 * read by every command and every call, and none of them says anything else.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Compare from "@sandtable/core/Compare"
import * as DeltaReport from "@sandtable/core/DeltaReport"
import * as Evaluation from "@sandtable/core/Evaluation"
import * as EvalVariance from "@sandtable/core/EvalVariance"
import * as JudgeTrust from "@sandtable/core/JudgeTrust"
import * as PassAt from "@sandtable/core/PassAt"
import type { Row } from "@sandtable/core/Row"
import * as Select from "@sandtable/core/Select"
import * as Sizing from "@sandtable/core/Sizing"
import { matchers } from "@sandtable/core/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import * as Digest from "../../packages/cli/src/Digest.ts"
import * as Style from "../../packages/cli/src/Style.ts"
import * as Summary from "../../packages/cli/src/Summary.ts"
import * as Folder from "./folder.ts"
import { outcome, row } from "./harness.ts"

expect.extend(matchers)

/**
 * Twelve tasks with two rollouts each and the rewards of a grader that gives half credit: 0.5 fourteen times, 1 six times, 0
 * four times. Two of the tasks always pass, so a quarter of all rows do and a quarter of the tasks' shares add up.
 */
const rewards = ["11", "11", "1h", "1h", "hh", "hh", "hh", "hh", "hh", "hh", "00", "00"]
const rows: ReadonlyArray<Row> = rewards.flatMap((pair, task) =>
  [...pair].map((letter, rollout_index) =>
    row(task, {
      row_id: `row_${task}_${rollout_index}`,
      rollout_index,
      reward: { "1": 1, h: 0.5, "0": 0 }[letter] ?? null,
      judge_name: "judge",
      judge_status: "ok",
      failure_class: letter === "1" ? "none" : letter === "h" ? "half_done" : "not_done"
    })
  )
)
/** By the pass mark, what share passes, rows that pass and tasks that pass every time. */
const readings = [
  { passAt: 1, rate: 6 / 24, passes: 6, always: 2 },
  { passAt: 0.5, rate: 20 / 24, passes: 20, always: 10 }
] as const

const at = Folder.make()
let file = ""
let twice = ""
beforeAll(() => {
  const text = (of: ReadonlyArray<Row>): string => of.map((each) => `${JSON.stringify(each)}\n`).join("")
  file = at.write("mixed.jsonl", text(rows))
  twice = at.write("twice.jsonl", text([...rows.slice(0, 8), ...rows]))
  at.write(
    "asks.txt",
    rows
      .filter(({ rollout_index }) => rollout_index === 0)
      .map(({ prompt }) => prompt)
      .join("\n")
  )
})
afterAll(at.remove)

const inPercent = (rate: number): string => `${(rate * 100).toFixed(1)}%`
const sandtable = (...words: ReadonlyArray<string>) => Folder.sandtable(words)
const json = (...words: ReadonlyArray<string>) => Effect.map(sandtable(...words, "--json"), Folder.parsed)
const flat = (text: string): string => text.replace(/\s+/g, " ")

for (const { always, passAt, passes, rate } of readings) {
  const mark = passAt === 1 ? [] : ["--pass-at", String(passAt)]
  const whole = { tasks: 12, tasks_of: 12, rows: 24 }

  describe(`half credit at a pass mark of ${passAt}`, () => {
    it("is read alike by every call of the library", () => {
      const pass = PassAt.passAt(rows, { passAt })
      expect(pass).toMatchObject({
        ...whole,
        pass_mark: passAt,
        graded: { graded: 24, of: 24 },
        fractional: { rows: 14 }
      })
      expect(pass.pass_at_1).toBeCloseTo(rate)
      expect(pass.mean_reward).toBeCloseTo(13 / 24)
      const byTask = PassAt.byTask(rows, { passAt })
      expect([byTask.length, byTask.reduce((sum, task) => sum + task.passes, 0)]).toEqual([12, passes])

      const [difference] = Compare.compare(rows, rows, { passAt }).metrics
      expect(difference).toMatchObject({ a: pass.pass_at_1, b: pass.pass_at_1, tasks: 12, rows: [24, 24] })
      const { notes, target } = DeltaReport.deltaReport(rows, rows, { passAt })
      expect(target).toMatchObject({ a: pass.pass_at_1, b: pass.pass_at_1, tasks: 12, tasks_of: 12, rows: [24, 24] })
      expect(notes.map(({ code }) => code)).toContain("fractional")
      expect(EvalVariance.evalVariance(rows, { passAt })).toMatchObject({
        tasks: 12,
        tasks_of: 12,
        mean: pass.pass_at_1
      })
      expect(Sizing.evalPower(rows, { passAt })).toMatchObject({ ...whole, pass_at_1: pass.pass_at_1 })

      const { report } = Select.select(rows, { mode: "sft", passAt, perTask: 2 })
      const dropped = (gate: string) => report.gates.find((each) => each.gate === gate)?.rows
      expect(dropped("failed")).toBe(24 - passes)
      const labels = rows.map(({ reward, row_id }) => ({ row_id, label: (reward ?? 0) >= passAt }))
      expect(JudgeTrust.judgeTrust(rows, labels, { passAt }).confusion).toEqual({
        tp: passes,
        fp: 0,
        fn: 0,
        tn: 24 - passes
      })
    })

    it.effect("is read alike by an evaluation of a list", () =>
      Effect.gen(function* () {
        const evalSet = rows.filter(({ rollout_index }) => rollout_index === 0).map(({ prompt }) => prompt)
        const { asks, totals } = yield* Evaluation.evaluate({ evalSet, rows, passAt })
        expect(totals.pass_share).toBeCloseTo(rate)
        expect(totals).toMatchObject({ asks_graded: 12, graded: 24, passes })
        expect(asks.filter(({ pass_share }) => pass_share === 1)).toHaveLength(always)
      })
    )

    it("holds in a test", () => {
      expect(rows).toPassAtLeast(rate - 0.001, { passAt })
      expect(rows).not.toPassAtLeast(rate + 0.001, { passAt })
      expect(() => expect(rows).toPassAtLeast(1, { passAt })).toThrow(`over 12 tasks, 24 rows`)
    })

    it("is read alike in the summary of a run and by its gate", () => {
      const frame = {
        command: "simulate",
        agent: "a",
        output: null,
        requestedRows: 24,
        lost: [],
        change: null
      } as const
      const digest = Digest.make(outcome(rows), { ...frame, gate: 0.5, passAt })
      expect(digest.pass).toMatchObject({ ...whole, rows_of: 24, pass_mark: passAt })
      expect(digest.pass.pass_at_1).toBeCloseTo(rate)
      expect(digest.gate).toMatchObject({ held: digest.pass.pass_at_1, passed: rate >= 0.5 })
      expect(digest.reward.mean).toBeCloseTo(13 / 24)
      expect(digest.failures.reduce((sum, { rows }) => sum + rows, 0)).toBe(24 - passes)
      const look = { style: Style.plain, width: 90, inFlags: (sentence: string) => sentence, next: [] }
      const text = flat(Summary.text(digest, look))
      expect(text).toContain(`pass rate ${inPercent(rate)}`)
      expect(text).toContain("over 12 tasks, 24 rows")
      expect(text).toContain("reward mean 0.542 with half credit, graded 24 of 24 rows")
      expect(text).toContain(
        passAt === 1 ? "14 rewards between 0 and 1 are no passes" : "a pass is a reward of 0.5 or more"
      )
    })

    it.effect(
      "is read alike by every command",
      () =>
        Effect.gen(function* () {
          const report = (yield* json("report", file, ...mark))["pass"] as PassAt.PassAt
          expect(report).toMatchObject({ ...whole, pass_at_1: PassAt.passAt(rows, { passAt }).pass_at_1 })
          const told = flat((yield* sandtable("report", file, ...mark)).stdout)
          expect(told).toContain(`pass@1 ${inPercent(rate)}`)
          expect(told).toContain("over 12 tasks, 24 rows")
          expect(told).toContain("mean 0.542 with half credit over 12 tasks")

          const gated = (gate: number) =>
            Effect.map(sandtable("report", file, ...mark, "--gate", `${gate}`), ({ status }) => status)
          expect([yield* gated(rate - 0.001), yield* gated(rate + 0.001)]).toEqual([0, 1])

          const compared = (yield* json("compare", file, file, ...mark))["target"]
          expect(compared).toMatchObject({ a: report.pass_at_1, b: report.pass_at_1, tasks: 12, rows: [24, 24] })
          expect(yield* json("power", file, ...mark)).toMatchObject({ ...whole, pass_at_1: report.pass_at_1 })

          yield* sandtable("report", file, ...mark, "--html", at.path("page.html"))
          const page = flat(readFileSync(at.path("page.html"), "utf8").replace(/<[^>]*>/g, ""))
          expect(page).toContain(`The agent passed in ${inPercent(rate)} of rollouts, a mean over 12 tasks, 24 rows`)
          expect(page).toContain("With half credit the mean reward is 0.542 over 12 tasks")

          const xml = at.path("junit.xml")
          yield* sandtable("export", file, "--format", "junit", "--output", xml, "--overwrite", ...mark)
          expect(readFileSync(xml, "utf8")).toContain(`tests="12" failures="${12 - always}" errors="0" skipped="0"`)
          if (passAt === 1) {
            expect(readFileSync(xml, "utf8")).toContain(
              'message="0 of 2 graded rollouts passed; the lowest reward is 0.5, below 1"'
            )
          }
          const kept = at.path("kept.jsonl")
          const selected = yield* json(
            "select",
            file,
            "--mode",
            "sft",
            "--per-task",
            "2",
            "--output",
            kept,
            "--overwrite",
            ...mark
          )
          expect(JSON.stringify(selected)).toContain(`{"gate":"failed","rows":${24 - passes}`)

          const agent = at.write(
            "agent.mjs",
            `let n = 0; export default { agent: () => "Done.", grader: () => [1, 0.5, 0.5, 0][n++ % 4] }`
          )
          const words = [
            at.path("asks.txt"),
            agent,
            "--repeats",
            "4",
            "--concurrency",
            "1",
            "-q",
            "--output",
            at.path(`e${passAt}.jsonl`)
          ]
          const evaluated = yield* json("evaluate", ...words, ...mark)
          expect(evaluated["pass"]).toMatchObject({
            tasks: 12,
            rows: 48,
            rows_of: 48,
            pass_at_1: passAt === 1 ? 0.25 : 0.75
          })
        }),
      { timeout: 60_000 }
    )

    it.effect("counts rows that are there twice once, wherever counts are told", () =>
      Effect.gen(function* () {
        const report = yield* json("report", twice, ...mark)
        expect(report).toMatchObject({ rows: 24, pass: { ...whole, graded: { graded: 24, of: 24, duplicates: 8 } } })
        const lost = report["failures"] as Digest.Digest["failures"]
        expect(lost.reduce((sum, { rows }) => sum + rows, 0)).toBe(24 - passes)
        const told = flat((yield* sandtable("report", twice, ...mark)).stdout)
        expect(told).toContain("graded 24 of 24 rows")
        expect(told).toContain("8 rows there more than once, counted once.")
        expect(yield* json("compare", file, twice, ...mark)).toMatchObject({
          target: { difference: 0, rows: [24, 24] }
        })
        const xml = at.path("twice.xml")
        yield* sandtable("export", twice, "--format", "junit", "--output", xml, "--overwrite", ...mark)
        expect(readFileSync(xml, "utf8")).toContain(`tests="12" failures="${12 - always}"`)
        expect(readFileSync(xml, "utf8")).not.toContain("of 4 graded rollouts")
        yield* sandtable("report", twice, ...mark, "--html", at.path("twice.html"))
        const page = flat(readFileSync(at.path("twice.html"), "utf8").replace(/<[^>]*>/g, ""))
        expect(page).toContain("24 rows 8 copies not counted")
        expect(page).toContain("24 graded all rows")
      })
    )
  })
}

describe("a pass mark that is none", () => {
  it.effect("is refused by every command that takes one", () =>
    Effect.gen(function* () {
      const agent = at.write("plain.mjs", `export default { agent: () => "Done.", grader: () => 1 }`)
      const calls = [
        ["report", file],
        ["compare", file, file],
        ["power", file],
        ["trust", file],
        ["export", file, "--format", "junit"],
        ["select", file, "--mode", "sft"],
        ["evaluate", at.path("asks.txt"), agent],
        ["simulate", agent, "--offline"],
        ["replay", file, agent]
      ]
      for (const words of calls) {
        const { status, stderr } = yield* sandtable(...words, "--pass-at", "0")
        expect([words[0], status, stderr.includes("--pass-at")]).toEqual([words[0], 64, true])
      }
    })
  )
})
