import { describe, expect, it } from "@effect/vitest"
import * as DeltaReport from "@sandtable/core/DeltaReport"
import type { InMemory, MeasuredRow } from "@sandtable/core/Measured"
import * as NoiseBand from "../../../packages/core/src/measure/NoiseBand.ts"
import { drawn, group, groups, spreadRates, type Extra } from "./rows.ts"

const rates = spreadRates(60, 0.5)
const up = rates.map((rate) => Math.min(1, rate + 0.25))
const side = (of: ReadonlyArray<number>, seed: number, extra: Extra & { runs?: number } = {}) =>
  drawn(of, { k: 4, runs: 3, ...extra, seed })

const verdict = (before: InMemory, after: InMemory, options?: DeltaReport.Options) =>
  DeltaReport.deltaReport(before, after, options).verdict
const causes = ({ causes }: DeltaReport.DeltaReport) => causes.map(({ code }) => code)

describe("noise bands", () => {
  it.each([
    [[1, 1], undefined, 0.0554],
    [[3, 3], undefined, 0.032],
    [[3, 3], 4, 0.0453],
    [[2, 2], 2, 0.0861]
  ] as const)("of a spread of .02 with %j runs and df %j", (runs, df, band) => {
    const options = { std: 0.02, runs, ...(df === undefined ? {} : { df }) }
    expect(NoiseBand.noiseBand(options)).toBeCloseTo(band, 4)
  })

  it("refuse what is no spread", () => {
    expect(() => NoiseBand.noiseBand({ std: -1, runs: [1, 1] })).toThrow("`std` is -1")
    expect(() => NoiseBand.noiseBand({ std: 0.1, runs: [0, 1] })).toThrow("`runs`")
    expect(() => NoiseBand.noiseBand({ std: 0.1, runs: [1, 1], df: 0 })).toThrow("`df` is 0")
  })

  it("pool spreads by their degrees of freedom, and have none of single runs", () => {
    expect(NoiseBand.pooledSpread([0.5, 0.7], [0.4, 0.4, 0.4])?.std).toBeCloseTo(Math.sqrt(0.02 / 3))
    expect(NoiseBand.pooledSpread([0.5], [0.6])).toBeNull()
    // Three times a tenth is not three tenths to a computer.
    expect(NoiseBand.pooledSpread([0.1, 0.1, 0.1])).toEqual({ std: 0, df: 2 })
  })
})

describe("the verdict", () => {
  it("is improved or regressed past the interval and the band, with two eval runs a side", () => {
    const report = DeltaReport.deltaReport(side(rates, 1), side(up, 2))
    expect(report.verdict).toBe("improved")
    expect(report.target.runs).toEqual([3, 3])
    expect(Math.abs(report.target.difference ?? 0)).toBeGreaterThanOrEqual(report.target.band ?? 1)
    expect(verdict(side(up, 2), side(rates, 1))).toBe("regressed")
  })

  it("is unreplicated with one run on a side, unless the spread is given", () => {
    const [before, after] = [side(rates, 1), side(up, 2, { runs: 1 })]
    expect(verdict(before, after)).toBe("improved_unreplicated")
    expect(verdict(after, before)).toBe("regressed_unreplicated")
    expect(verdict(before, after, { spread: 0.02 })).toBe("improved")
    expect(verdict(before, after, { spread: { pass_at_1: 0.02 } })).toBe("improved")
    expect(() => verdict(before, after, { spread: -1 })).toThrow("`spread` is -1. Give a standard deviation from 0.")
  })

  it("is within_noise when the difference is clear of 0 but inside the band", () => {
    const report = DeltaReport.deltaReport(side(rates, 1), side(up, 2), { spread: 0.4 })
    expect(report.verdict).toBe("within_noise")
    expect(report.because).toContain("inside what re-running the same agent gives")
  })

  it("is no_change_detected where the interval covers 0, and says what would have been seen", () => {
    const report = DeltaReport.deltaReport(side(rates, 1), side(rates, 3))
    expect(report.verdict).toBe("no_change_detected")
    expect(report.because).toMatch(/smallest change these tasks would have shown four times in five is \d+\.\d points/)
  })

  it("is improved past a band of 0, which a deterministic agent has", () => {
    const pattern = (letter: string) => [0, 1].flatMap((evalRun) => groups(Array(8).fill(letter), { evalRun }))
    const report = DeltaReport.deltaReport(pattern("00"), pattern("11"))
    expect(report).toMatchObject({ verdict: "improved", target: { band: 0, run_std: 0 } })
    expect(verdict(pattern("11"), pattern("11"))).toBe("no_change_detected")
  })

  it("is insufficient_data under five tasks and target_not_measured without the figure", () => {
    expect(verdict(groups(["00", "00"]), groups(["11", "11"]))).toBe("insufficient_data")
    expect(verdict(side(rates, 1), side(rates, 2), { target: "tone" })).toBe("target_not_measured")
    expect(verdict(side(rates, 1), groups(Array(60).fill("??")))).toBe("target_not_measured")
  })

  it("is hardly ever a change between two evaluations of one agent, and is unreplicated where it could be one", () => {
    const told = (runs: number) =>
      Array.from({ length: 60 }, (_, i) =>
        verdict(
          drawn(spreadRates(20), { seed: 2 * i, k: 2, runs }),
          drawn(spreadRates(20), { seed: 2 * i + 1, k: 2, runs })
        )
      )
    const changes = (verdicts: ReadonlyArray<string>) => verdicts.filter((each) => /^(improved|regressed)$/.test(each))
    expect(changes(told(3)).length).toBeLessThanOrEqual(4)
    expect(changes(told(1))).toEqual([])
  })

  it("turns with lowerIsBetter", () => {
    const withTokens = (rows: ReadonlyArray<MeasuredRow>, more: number) =>
      rows.map((row, i) => ({ ...row, n_tokens: 100 + (i % 9) + more }))
    const [before, after] = [withTokens(side(rates, 1), 0), withTokens(side(rates, 1, { run: "b" }), 30)]
    expect(verdict(before, after, { target: "n_tokens" })).toBe("improved")
    expect(verdict(before, after, { target: "n_tokens", lowerIsBetter: ["n_tokens"] })).toBe("regressed")
  })

  it("is lost to a figure that must not regress", () => {
    const slow = side(up, 2).map((row, i) => ({ ...row, seconds: 5 + (i % 3) }))
    const fast = side(rates, 1).map((row, i) => ({ ...row, seconds: 1 + (i % 3) }))
    const options = { mustNotRegress: ["seconds"], lowerIsBetter: ["seconds"] }
    const report = DeltaReport.deltaReport(fast, slow, options)
    expect(report).toMatchObject({ verdict: "regressed", target: { verdict: "improved" } })
    expect(report.because).toContain("seconds went from")
    expect(verdict(slow, slow, options)).toBe("no_change_detected")
    const unknown = DeltaReport.deltaReport(fast, side(up, 2), options)
    expect(unknown.verdict).toBe("improved")
    expect(unknown.notes.map(({ code }) => code)).toContain("guard_not_measured")
  })
})

describe("not comparable", () => {
  it("are runs that share 7 of 41 tasks", () => {
    const before = drawn(spreadRates(24), { seed: 1 })
    const after = [
      ...drawn(spreadRates(7), { seed: 2 }),
      ...groups(Array(17).fill("11"), {}).map((row) => ({
        ...row,
        task_id: `new ${row.task_id}`,
        scenario_id: `new ${row.task_id}`
      }))
    ]
    const report = DeltaReport.deltaReport(before, after)
    expect(report).toMatchObject({ verdict: "not_comparable", tasks: 7, only_before: 17, only_after: 17 })
    expect(causes(report)).toEqual(["unpaired"])
    expect(report.causes[0]?.message).toContain("share 7 of 41 tasks")
  })

  it.each([
    ["writer", { writer_model: "template" }, { writer_model: "gpt" }],
    ["user", { user_model: null }, { user_model: "gpt" }],
    ["grader", { judge_name: "conduct" }, { judge_name: "judge", judge_meta: { model: "gpt" } }],
    ["grader", { judge_name: "j", judge_meta: { version: "1" } }, { judge_name: "j", judge_meta: { version: "2" } }],
    ["prompt", { lineage: { system_prompt_sha: "a" } }, { lineage: { system_prompt_sha: "b" } }]
  ])("are sides of which the %s differs, unless that is declared", (word, one, other) => {
    const [before, after] = [side(rates, 1, one), side(up, 2, other)]
    const report = DeltaReport.deltaReport(before, after)
    expect(report.verdict).toBe("not_comparable")
    expect(causes(report)).toEqual([`${word}_differs`])
    expect(report.because).toContain(word)
    expect(DeltaReport.deltaReport(before, after, { changed: word })).toMatchObject({
      verdict: "improved",
      changed: [word]
    })
    expect(verdict(side(rates, 1, one), side(up, 2, one))).toBe("improved")
    // A log that does not say differs from nothing.
    expect(verdict(side(rates, 1, one), side(up, 2))).toBe("improved")
  })

  it("compare writers by their declared names, whichever rows they wrote", () => {
    const written = (rows: ReadonlyArray<MeasuredRow>) =>
      rows.map((row) => ({ ...row, writer_model: row.task_id === "t3" ? "seed" : "template" }))
    expect(verdict(written(side(rates, 1)), written(side(up, 2)))).toBe("improved")
  })

  it("are sides graded, or answered, in clearly different shares", () => {
    const before = side(rates, 1)
    const ungraded = side(up, 2).map((row, i) => (i % 4 === 0 ? { ...row, reward: null } : row))
    expect(causes(DeltaReport.deltaReport(before, ungraded))).toEqual(["graded_share"])
    const cut = side(up, 2).map((row, i) => (i % 4 === 0 ? { ...row, finish_reason: "length", final_text: "" } : row))
    const report = DeltaReport.deltaReport(before, cut)
    expect(causes(report)).toEqual(["answered_share"])
    expect(report.causes[0]?.message).toContain("Answered were 100.0% of the rows, then 75.0%")
    // The noise of a number that is no share allows no gap of shares.
    const counted = { target: { name: "letters", of: () => 50 } }
    expect(causes(DeltaReport.deltaReport(before, ungraded, { ...counted, spread: 20 }))).toEqual(["graded_share"])
    const few = side(up, 2).map((row, i) => (i % 40 === 0 ? { ...row, reward: null } : row))
    expect(verdict(before, few)).toBe("improved")
  })
})

describe("what a side leaves out in silence", () => {
  it("is told where failures were taken out of its file", () => {
    const [before, after] = [side(rates, 1), side(rates, 2)]
    const passes = after.filter(({ reward }) => reward === 1)
    const told = (rows: ReadonlyArray<MeasuredRow>) =>
      DeltaReport.deltaReport(before, rows).notes.filter(({ code }) => code === "missing_rollouts")
    expect(told(passes)[0]?.message).toMatch(/^\d+ rollouts of after have no row/)
    expect(told(after)).toEqual([])
  })

  it("is not an arm that no row has", () => {
    const noted = (exclude: ReadonlyArray<string>, arm: string) =>
      DeltaReport.deltaReport(side(rates, 1, { arm: "grid" }), side(up, 2, { arm }), { exclude })
        .notes.filter(({ code }) => code === "unknown_arm")
        .map(({ message }) => message)
    expect(noted(["failures"], "grid")).toEqual([
      "Nothing was left out for failures: no row has such an arm. There is grid."
    ])
    expect(noted(["seed"], "seed")).toEqual([])
  })
})

describe("what a replay recorded of itself", () => {
  const prompt = (sha: string, extra: object = {}) => ({ lineage: { system_prompt_sha: sha, ...extra } })
  const before = side(rates, 1, { run: "base", ...prompt("a") })

  it("is what is under test, so an edited prompt on pinned tasks needs no more words", () => {
    const after = side(up, 2, { run: "edit", ...prompt("b", { replayed_from: "base", changed: ["prompt"] }) })
    expect(DeltaReport.deltaReport(before, after)).toMatchObject({ verdict: "improved", changed: ["prompt"] })
    expect(DeltaReport.deltaReport(after, before)).toMatchObject({ verdict: "regressed", changed: ["prompt"] })
  })

  it("counts between two replays of one source, and not against a run it does not replay", () => {
    const edit = (run: string, sha: string, of: ReadonlyArray<number>, source = "base") =>
      side(of, 5, { run, ...prompt(sha, { replayed_from: source, changed: ["prompt"] }) })
    expect(verdict(edit("one", "b", rates), edit("two", "c", up))).toBe("improved")
    expect(verdict(before, edit("three", "b", up, "elsewhere"))).toBe("not_comparable")
  })

  it("is overridden by what the caller declares", () => {
    const after = side(up, 2, { run: "edit", ...prompt("b", { replayed_from: "base", changed: ["prompt"] }) })
    expect(verdict(before, after, { changed: "model" })).toBe("not_comparable")
    expect(verdict(before, after, { changed: ["policy", "model"] })).toBe("improved")
  })

  it("tells of a model that changed though nobody said so, and of a change that did not happen", () => {
    const one = side(rates, 1, { model_version: "a" })
    const report = DeltaReport.deltaReport(one, side(up, 2, { model_version: "b" }))
    expect(report.verdict).toBe("improved")
    expect(report.notes.map(({ code }) => code)).toContain("undeclared")
    const same = DeltaReport.deltaReport(one, side(up, 2, { model_version: "a" }), { changed: "model" })
    expect(same.notes.map(({ code }) => code)).toContain("unchanged")
  })
})

describe("as text", () => {
  it("gives the verdict first, then why, then the figures", () => {
    const before = side(rates, 1, { run: "base", lineage: { system_prompt_sha: "a" } })
    const after = side(up, 2, { lineage: { system_prompt_sha: "b", replayed_from: "base", changed: ["prompt"] } })
    expect(DeltaReport.render(DeltaReport.deltaReport(before, after))).toMatchInlineSnapshot(`
      "verdict: improved
      pass@1 went from 49.4% to 74.2% (+24.7 points): its interval over tasks is clear of 0, and it is past re-run noise (3.7 points, from 3 + 3 eval runs).

      under test: prompt
      tasks: 60 on both sides, 0 only before, 0 only after
      target: pass@1: 49.4% to 74.2%, +24.7 points [+19.7, +29.7], p under 0.0001, 60 tasks, 720 rows a side: higher (re-run noise within 3.7 points, from 3 + 3 eval runs)"
    `)
    expect(DeltaReport.render(DeltaReport.deltaReport(before, group("t0", "11")))).toMatchInlineSnapshot(`
      "verdict: not_comparable
      The sides cannot be held against each other: most tasks have no pair.
        The sides share 1 of 60 tasks: the rest would compare different asks. Replay the first run's tasks (\`tasks\`) to keep every pair.

      under test: nothing was declared
      tasks: 1 on both sides, 59 only before, 0 only after
      target: pass@1: 8.3% to 100.0%, +91.7 points, 1 task, 12 and 2 rows: too few tasks to tell (no noise floor known)
      - Left out for want of a pair: 59 tasks only in before, 0 only in after."
    `)
  })

  it("has every verdict explained", () => {
    for (const report of [
      DeltaReport.deltaReport([], []),
      DeltaReport.deltaReport(groups(["1"]), groups(["1"])),
      DeltaReport.deltaReport(side(rates, 1), side(rates, 2), { target: "none" })
    ]) {
      expect(report.because.length).toBeGreaterThan(20)
      expect(JSON.stringify(report)).not.toMatch(/NaN|Infinity/)
    }
  })
})
