import { describe, expect, it } from "@effect/vitest"
import type { Row } from "@sandtable/core/Row"
import * as SearchReport from "../../packages/core/src/report/SearchReport.ts"
import * as Digest from "../../packages/cli/src/Digest.ts"
import * as Score from "../../packages/cli/src/Score.ts"
import * as Style from "../../packages/cli/src/Style.ts"
import * as Summary from "../../packages/cli/src/Summary.ts"
import { outcome, report, row } from "./harness.ts"

const call = (tool: string, status: string, fault?: string) =>
  ({
    tool,
    arguments: {},
    result: null,
    call_id: "c",
    status,
    answered_by: "mock",
    ...(fault === undefined ? {} : { fault })
  }) as Row["steps"][number]
const timeout = [{ tool: "get_order", mode: "timeout", count: 1 }] as const

const rows: ReadonlyArray<Row> = [
  row(1, {
    reward: 1,
    arm: "grid",
    faults: timeout,
    steps: [call("get_order", "timeout", "timeout"), call("get_order", "ok")]
  }),
  row(2, {
    reward: 0,
    arm: "grid",
    failure_class: "success_after_failure",
    reason: "It says the refund went through; refund_order answered error.",
    faults: timeout,
    steps: [call("get_order", "timeout", "timeout")]
  }),
  row(3, { reward: 0, arm: "failure_mutation", failure_class: "success_after_failure", faults: timeout }),
  row(4, { reward: 0.5, arm: "grid", failure_class: "repeated_reply" })
]
const tiers = { ordinary: 2, ambiguous: 1, boundary: 1, adversarial: 0 }
const whole = outcome(rows, {
  stoppedBecause: "time_budget",
  degraded: ["rollouts_lost"],
  warnings: [
    { code: "rollouts_lost", message: "2 of 6 rollouts gave no row (timeout 2).", fix: "Raise `timeout`.", figures: {} }
  ],
  search: {
    ...SearchReport.empty,
    tier_mix: { asked: 0.4, drawn: 0.5, situations: tiers, rows: tiers, seeds: 0, note: null }
  },
  report: report(rows, {
    delivered: { faults_planned: 3, faults_fired: 2, faults_recovered: 1 },
    rollouts_requested: 6,
    lost: 2,
    lost_by: { timeout: 2 },
    coverage: {
      strength: 2,
      planned: 200,
      covered: 50,
      fraction: 0.25,
      debt: { missing: [], missing_count: 150, rows: 40 }
    },
    tools: {
      get_order: { calls: 3, ok: 1, faults_planned: 3, faults_fired: 2 },
      refund_order: { calls: 1, ok: 0, faults_planned: 0, faults_fired: 0 }
    },
    dead_tools: ["refund_order"],
    usage: { agent: { input: 12_345, cached: null, output: 678, reasoning: null, calls: 6, uncounted: 0 } },
    cost: { agent: 0.25 }
  })
})
const frame: Digest.Frame = {
  command: "simulate",
  agent: "agent.ts",
  output: "runs/run_1.jsonl",
  requestedRows: 10,
  gate: null,
  lost: [5, 6].map((n) => ({
    task_id: `task_${n}`,
    scenario_id: `sit_${n}`,
    eval_run: 0,
    rollout_index: 0,
    reason: "timeout"
  })),
  change: null
}
const digest = Digest.make(whole, frame)
const look: Summary.Look = { style: Style.plain, width: 90, inFlags: (sentence) => sentence, next: [] }

describe("the summary", () => {
  it("says what a person asks after a run, in that order", () => {
    expect(
      Summary.text(digest, {
        style: Style.plain,
        width: 90,
        inFlags: (sentence) => sentence.replace("`timeout`", "`--timeout`"),
        next: [{ purpose: "read the row of the commonest failure", command: "grep row_2 runs/run_1.jsonl" }]
      })
    ).toMatchInlineSnapshot(`
      "simulate agent.ts
        rows        4 of 10 · 4 situations, 4 tasks · 2.00 s (2.0 rows/s)
        stopped     the time budget ran out (time_budget)
        lost        2 of 6 rollouts: timeout 2
        pass rate   25.0% [0.0%, 100.0%] over 4 of 6 tasks, 4 rows, lost rollouts left out
                    16.7% [0.0%, 59.5%] over 6 tasks, the 2 lost as failures
        by          whoever gave the rows their rewards
        by arm      failure_mutation 0.0% (1 task, 1 row), grid 33.3% (3 tasks, 3 rows)
        reward      mean 0.375 with half credit, graded 4 of 4 rows; 1 reward between 0 and 1 is no pass
        hard share  40.0% asked, 50.0% drawn · situations: ordinary 2, ambiguous 1, boundary 1, adversarial 0
        faults      planned in 3 rows, met in 2, recovered in 1
        coverage    25.0% of 200 pairs of axis values; about 40 more rows would cover the rest
        tokens      agent 12.3k in, 678 out · $0.250

      What lost reward
           2  success_after_failure
              It says the refund went through; refund_order answered error.
              row_2:
                user: Where is order A1002?
                call: get_order {} -> timeout (planned): null
                agent: It is on its way.
           1  repeated_reply
              row_4: Where is order A1004?

        tool          calls  ok  rows with faults  calls that met one
        get_order         3   1                 3                   2
        refund_order      1   0                 0                   0  almost never answers

        ! 2 of 6 rollouts gave no row (timeout 2).
          fix: Raise \`--timeout\`.

      rows        runs/run_1.jsonl
      lost        runs/run_1.lost.jsonl
      next        read the row of the commonest failure:
                  grep row_2 runs/run_1.jsonl
      "
    `)
  })

  it("takes what faults did from the report, so that one run has one number", () => {
    const delivered = { faults_planned: 7, faults_fired: 5, faults_recovered: 2 }
    const told = Digest.make({ ...whole, report: { ...whole.report, delivered } }, frame)
    expect(told.faults).toEqual({ planned: 7, fired: 5, recovered: 2 })
  })

  it("gives both readings of lost rollouts", () => {
    expect(digest.pass).toMatchObject({
      tasks: 4,
      tasks_of: 6,
      lost_as_failures: { tasks: 6, pass_at_1: 1 / 6, lost: 2 }
    })
    expect(Digest.make(whole, { ...frame, gate: 0.3 }).gate).toMatchObject({
      threshold: 0.3,
      held: 1 / 6,
      passed: false
    })
  })

  it("lists the runs of several, and how far they lie apart", () => {
    const runs = [1, 0, 1, 1].map((reward, n) =>
      row(n % 2, { reward, lineage: { ...row(0).lineage!, eval_run: n < 2 ? 0 : 1 } })
    )
    const several = Digest.make(outcome(runs), { ...frame, lost: [] })
    expect(several.eval_runs?.runs).toMatchObject([
      { eval_run: 0, rows: 2, pass_at_1: 0.5 },
      { eval_run: 1, rows: 2, pass_at_1: 1 }
    ])
    expect(several.eval_runs?.run_std).toBeCloseTo(0.3536, 4)
    expect(Summary.text(several, look)).toContain("spread      50.0% to 100.0%, standard deviation 35.4 points")
    expect(digest.eval_runs).toBeNull()
  })

  it("says what is possible where all tasks and runs are alike, not that it is certain", () => {
    const all = Array.from({ length: 12 }, (_, n) =>
      row(n % 6, { reward: 1, lineage: { ...row(0).lineage!, eval_run: n < 6 ? 0 : 1 } })
    )
    const told = Summary.text(Digest.make(outcome(all), { ...frame, lost: [] }), look)
    expect(told).toContain("100.0% over 6 tasks, 12 rows, all alike: [50.0%, 100.0%] is possible")
    expect(told).toContain("spread      none: the runs have one pass rate")
  })

  it("says who graded, and of conduct that it is a floor", () => {
    const by = (...names: ReadonlyArray<string | undefined>) => {
      const all = names.map((judge_name, i) =>
        row(i, { reward: 1, ...(judge_name === undefined ? {} : { judge_name }) })
      )
      return Summary.text(Digest.make(outcome([...all, row(9, { judge_name: "late", reward: null })]), frame), look)
    }
    expect(by("conduct", "conduct")).toContain("by          conduct, a floor: not whether the job was done\n")
    expect(by("outcome")).toContain("by          outcome\n")
    expect(by("rubric", "rubric", "conduct")).toContain(
      "by          rubric (2 rows); conduct, a floor: not whether the job was done (1 row)\n"
    )
    expect(by(undefined, "rubric")).toContain("whoever gave the rows their rewards (1 row); rubric (1 row)")
  })

  it("says what a replay changed, and claims no more", () => {
    const change = { source: "before.jsonl", tasks: 4, tasks_of: 4, before: 0.8, after: 0.75 }
    const text = Summary.text(Digest.make(whole, { ...frame, change }), look)
    expect(text).toContain("before      80.0% -> after 75.0% over 4 tasks both ran (before: before.jsonl)")
  })

  it("says how many rows no word was read of", () => {
    const rows = [row(1, { reward: 1, judge_meta: { rules: "structural" } }), row(2, { reward: 1 })]
    expect(Summary.text(Digest.make(outcome(rows), frame), look)).toContain("; 1 by structural rules alone")
  })

  it("marks a write that mostly failed while rows passed", () => {
    const rows = [row(1, { reward: 1 })]
    const tool = { calls: 6, ok: 1, faults_planned: 0, faults_fired: 0 }
    const tools = { get_order: tool, refund_order: tool, cancel_order: { ...tool, ok: 5 } }
    const told = Digest.make(outcome(rows, { report: report(rows, { tools }) }), { ...frame, lost: [] })
    expect(told.failing_writes).toEqual(["refund_order"])
    expect(Summary.text(told, look)).toMatch(/refund_order .* mostly failed, though most rows passed/)
  })

  it("counts failures by class with a row to read", () => {
    expect(digest.failures).toMatchObject([
      { failure_class: "success_after_failure", rows: 2, example: { row_id: "row_2" } },
      { failure_class: "repeated_reply", rows: 1 }
    ])
  })
})

describe("the pass rate", () => {
  const graded = (task: string, index: number, reward: number | null, more: Partial<Row> = {}): Row =>
    row(index, { task_id: task, scenario_id: task, rollout_index: index, reward, ...more })

  const scored = (rows: ReadonlyArray<Row>, passAt = 1): Score.Score => {
    const tally = Score.tally(passAt)
    rows.forEach(tally.add)
    return tally.score()
  }

  it("is a mean over situations, so that one that ran often weighs no more", () => {
    const score = scored([graded("a", 0, 1), graded("b", 0, 0), graded("b", 1, 0), graded("b", 2, 0)])
    expect(score).toMatchObject({ tasks: 2, passRate: 0.5, graded: 4 })
  })

  it("reads half credit as no pass, and leaves out what has no reward", () => {
    const rows = [graded("a", 0, 1), graded("a", 1, 0.5), graded("a", 2, null), graded("b", 0, null)]
    expect(scored(rows)).toMatchObject({ rows: 4, graded: 2, tasks: 2, gradedTasks: 1, passRate: 0.5 })
    expect(scored(rows, 0.5)).toMatchObject({ passRate: 1 })
    expect(scored([graded("a", 0, null)])).toMatchObject({ passRate: null, interval: null })
  })

  it("reads only the probe of groups that stop early", () => {
    const lineage = { run_id: "r", system_prompt_sha: null, eval_run: 0, probe: 2 } as const
    const successive = { lineage: { ...lineage, repeat_policy: "successive" } } as const
    const rows = [0, 1, 2, 3].map((index) => graded("a", index, index < 2 ? 1 : 0, successive))
    expect(scored(rows).passRate).toBe(1)
    expect(scored(rows.map((r) => ({ ...r, lineage: { ...lineage, repeat_policy: "fixed" as const } }))).passRate).toBe(
      0.5
    )
  })

  it("has Wilson's interval", () => {
    const [low, high] = Score.wilson(0.8, 10)
    expect(low).toBeCloseTo(0.4902, 4)
    expect(high).toBeCloseTo(0.9433, 4)
  })
})
