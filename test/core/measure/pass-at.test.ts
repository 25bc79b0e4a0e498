import { describe, expect, it } from "@effect/vitest"
import * as Measured from "@sandtable/core/Measured"
import * as Node from "@sandtable/core/node"
import * as PassAt from "@sandtable/core/PassAt"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { drawn, group, groups, spreadRates } from "./rows.ts"

const codes = ({ notes }: PassAt.PassAt): ReadonlyArray<string> => notes.map(({ code }) => code)
const note = ({ notes }: PassAt.PassAt, code: string): string =>
  notes.find((each) => each.code === code)?.message ?? `no note ${code}`

describe("pass rates", () => {
  it("are means over tasks, not over rows", () => {
    expect(PassAt.passAt([...group("A", "11111111"), ...group("B", "00")]).pass_at_1).toBe(0.5)
  })

  it("average phrasings and eval runs within their situation, and pool nothing", () => {
    const rows = [
      ...group("a1", "1111", { scenario_id: "a" }),
      ...group("a2", "00", { scenario_id: "a" }),
      ...group("a2", "11", { scenario_id: "a", evalRun: 1 }),
      ...group("b", "0000")
    ]
    const result = PassAt.passAt(rows, { k: 2 })
    expect(result).toMatchObject({ tasks: 2, groups: 4, k_groups: 4 })
    expect(result.pass_at_1).toBeCloseTo((2 / 3 + 0) / 2)
    expect(result.pass_hat_k).toBeCloseTo((2 / 3 + 0) / 2)
  })

  it("give the k numbers of groups of unequal size", () => {
    const result = PassAt.passAt(groups(["1110", "1111", "11"]), { k: 2 })
    expect(result).toMatchObject({ k: 2, k_reading: "exact", k_groups: 3, pass_at_k: 1 })
    expect(result.pass_hat_k).toBeCloseTo(0.8333, 4)
    expect(result.headroom).toBeCloseTo(1 - 11 / 12)
  })

  it("leave groups smaller than k out of the k numbers, name them, and keep them in pass@1", () => {
    const result = PassAt.passAt(groups(["1110", "11"]), { k: 4 })
    expect(result).toMatchObject({ tasks: 2, k_tasks: 1, k_groups: 1, pass_at_1: 0.875, pass_hat_k: 0, pass_at_k: 1 })
    expect(result.small_groups).toEqual([{ task: "situation t1", ask: "Ask t1?", eval_run: 0, rollouts: 2 }])
    expect(note(result, "small_groups")).toContain('"Ask t1?"')
    expect(PassAt.passAt(groups(["11", "00"]), { k: 4 })).toMatchObject({
      k: null,
      k_reading: "none",
      pass_hat_k: null
    })
  })

  it("take k from the run, else from the groups when they have at least 4 rollouts", () => {
    const rows = groups(["110", "011"])
    expect(PassAt.passAt({ rows, meta: { options: { rollouts_per_request: 3 } } })).toMatchObject({ k: 3 })
    expect(PassAt.passAt(rows)).toMatchObject({ k: null, pass_hat_k: null, pass_at_k: null, headroom: null })
    expect(note(PassAt.passAt(rows), "no_k")).toContain("give `k`")
    expect(PassAt.passAt(groups(["1101", "0111", "11"]))).toMatchObject({ k: 4 })
    expect(note(PassAt.passAt(groups(["1", "0"])), "no_k")).toContain("rolled once")
  })

  it("refuse a k that is none, before reading anything", () => {
    for (const k of [1, 0, 2.5, Number.NaN]) {
      expect(() => PassAt.passAt([], { k })).toThrow(`\`k\` is ${k}. Give a whole number from 2`)
    }
  })

  it.effect("fail for such a k when a file is named", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(PassAt.passAt("nowhere.jsonl", { k: 1 }))
      expect(error).toMatchObject({ _tag: "InvalidMeasure", option: "k" })
    }).pipe(Effect.provide(Node.layer))
  )

  it.effect("fail for such a k in memory, too, where they are tried as an effect", () =>
    Effect.gen(function* () {
      const invalid: Effect.Effect<PassAt.PassAt, Measured.InvalidMeasure> = Measured.attempt(() =>
        PassAt.passAt([], { k: 1 })
      )
      expect(yield* Effect.flip(invalid)).toMatchObject({ _tag: "InvalidMeasure", option: "k" })
      expect(yield* Measured.attempt(() => PassAt.passAt(groups(["11"]), { k: 2 }))).toMatchObject({ pass_hat_k: 1 })
      const bug = Measured.attempt(() => {
        throw new TypeError("a bug")
      })
      expect(yield* Effect.exit(bug)).toEqual(Exit.die(new TypeError("a bug")))
    })
  )
})

describe("what is not a verdict", () => {
  it("is no pass with half credit, which is counted out loud and in the mean reward", () => {
    const result = PassAt.passAt(groups(["1h", "0h", "hh"]))
    expect(result).toMatchObject({ tasks: 3, tasks_of: 3, rows: 6, fractional: { rows: 4, tasks: 3, mean: 0.5 } })
    expect(result.pass_at_1).toBeCloseTo(1 / 6)
    expect(result.mean_reward).toBeCloseTo((0.75 + 0.25 + 0.5) / 3)
    expect(result.graded).toMatchObject({ graded: 6, of: 6 })
    expect(note(result, "fractional")).toBe(
      "4 rewards between 0 and 1 are no passes: a pass is a reward of 1 (`passAt`). With half credit the mean reward is 0.5 [0, 1]."
    )
  })

  it("is a pass from a pass mark on that is named, and a mark that is none is refused", () => {
    const result = PassAt.passAt(groups(["1h", "0h", "hh"]), { passAt: 0.5, k: 2 })
    expect(result).toMatchObject({ pass_mark: 0.5, pass_at_k: 1 })
    expect(result.pass_at_1).toBeCloseTo((1 + 0.5 + 1) / 3)
    expect(result.pass_hat_k).toBeCloseTo(2 / 3)
    expect(note(result, "fractional")).toContain("4 rewards between 0 and 1 are passes from 0.5 on")
    for (const passAt of [0, -1, 1.01, Number.NaN]) {
      expect(() => PassAt.passAt([], { passAt })).toThrow(`\`passAt\` is ${passAt}. Give a reward above 0 and up to 1.`)
    }
  })

  it("is a reward outside of 0 to 1: a score of 7 in 10 is no pass", () => {
    const rows = [7, -1, 1, 0].map((reward, i) => ({ prompt: `Ask ${i}?`, final_text: "x", reward }))
    const result = PassAt.passAt(rows)
    expect(result).toMatchObject({ tasks: 2, tasks_of: 4, pass_at_1: 0.5 })
    expect(result.graded).toMatchObject({ graded: 2, of: 4, ungraded_by: { not_in_0_to_1: 2 } })
    expect(note(PassAt.passAt(rows.slice(0, 2)), "not_graded")).toContain("divide scores by the most they can be")
  })

  it("says of how many tasks and rows a rate is", () => {
    const result = PassAt.passAt(groups(["10", "1?", "??", "0"]))
    expect(result).toMatchObject({ tasks: 3, tasks_of: 4, rows: 4, graded: { of: 7 } })
    expect(PassAt.render(result)).toContain("3 of 4 tasks, 4 of 7 rows, 3 groups")
  })

  it("says graded m of n and why, a group with nothing graded among them", () => {
    const rows = [
      ...group("a", "1?"),
      ...group("b", "??", { finish_reason: "length" }),
      ...group("c", "?", { judge_status: "timeout" }),
      ...group("d", "0").map((row) => ({ ...row, reward: Number.NaN }))
    ]
    const result = PassAt.passAt(rows)
    expect(result.graded).toEqual({
      graded: 1,
      of: 6,
      ungraded_by: { length: 2, no_reward: 1, not_a_number: 1, timeout: 1 },
      beyond_probe: 0,
      duplicates: 0
    })
    expect(result).toMatchObject({ tasks: 1, tasks_of: 4, pass_at_1: 1 })
    expect(note(result, "ungraded")).toContain("Graded 1 of 6 rows; without a reward: length 2")
  })

  it("reads true and false as 1 and 0", () => {
    const rows = [true, true, false, true].map((reward) => ({ prompt: "Go.", final_text: "Gone.", reward }))
    expect(PassAt.passAt(rows).pass_at_1).toBe(0.75)
  })

  it("is null where there is nothing, and says what to do", () => {
    expect(PassAt.passAt([])).toMatchObject({ tasks: 0, pass_at_1: null, k: null })
    expect(codes(PassAt.passAt([]))).toContain("no_rows")
    expect(note(PassAt.passAt(groups(["??"])), "not_graded")).toContain("Grade the run first")
    expect(PassAt.passAt(groups(["hh"]))).toMatchObject({ tasks: 1, pass_at_1: 0, mean_reward: 0.5 })
    const text = JSON.stringify(PassAt.passAt([]))
    expect(text).not.toContain("NaN")
  })
})

describe("lost rollouts", () => {
  const rows = groups(["11", "10"])
  const lost = [
    { task_id: "t1", eval_run: 0, rollout_index: 2, reason: "timeout" },
    { task_id: "t9", scenario_id: "situation t9", eval_run: 0, rollout_index: 0, reason: "agent_error" },
    { task_id: "t0", eval_run: 0, rollout_index: 2, reason: "interrupted" }
  ]

  it("are left out of the rate, and read as failures beside it; who was cut by the end did not fail", () => {
    const result = PassAt.passAt({ rows, lost })
    expect(result.pass_at_1).toBe(0.75)
    expect(result.lost).toMatchObject({ rollouts: 3, lost_by: { agent_error: 1, interrupted: 1, timeout: 1 } })
    // t0 is 2 of 2, t1 is 1 of 3, and t9 has nothing but a loss.
    expect(result.lost.pass_at_1).toBeCloseTo((1 + 1 / 3 + 0) / 3)
  })

  it("fail every time of k too: a group that lost some is not left out of pass^k", () => {
    const result = PassAt.passAt(
      { rows: groups(["1111", "11"]), lost: [2, 3].map((i) => ({ ...lost[0]!, rollout_index: i })) },
      { k: 4 }
    )
    expect([result.pass_hat_k, result.lost.pass_hat_k]).toEqual([1, 0.5])
    expect(note(result, "lost")).toContain("pass^4 50.0%")
  })

  it("of rollouts beyond the probe fail nobody", () => {
    const early = groups(["11", "11"], { policy: "successive" })
    const late = [{ task_id: "t0", eval_run: 0, rollout_index: 5, reason: "timeout" }]
    expect(PassAt.passAt({ rows: early, lost: late }).lost.pass_at_1).toBe(1)
  })
})

describe("early stopping", () => {
  it("uses the first `probe` rollouts of successive repeats alone", () => {
    const rows = [
      ...group("a", "11", { policy: "successive" }),
      ...group("b", "10000000", { policy: "successive" }),
      ...group("c", "111", { policy: "successive" })
    ]
    const result = PassAt.passAt(rows)
    expect(result.pass_at_1).toBeCloseTo((1 + 0.5 + 1) / 3)
    expect(result.graded.beyond_probe).toBe(7)
    expect(codes(result)).toContain("early_stopping")
  })

  it("uses the first rollout of adaptive repeats alone", () => {
    const rows = [...group("a", "1", { policy: "adaptive" }), ...group("b", "0111", { policy: "adaptive" })]
    expect(PassAt.passAt(rows).pass_at_1).toBe(0.5)
  })

  it("takes the probe by the rollout's index, however rows stand", () => {
    const rows = group("a", "10000000", { policy: "successive" })
    expect(PassAt.passAt(rows.toReversed()).pass_at_1).toBe(0.5)
  })

  it("marks k numbers as bounds: what a stopped group did not play is left open", () => {
    const rows = groups(["11", "00", "10111111", "11"], { policy: "successive" })
    const result = PassAt.passAt(rows)
    expect(result).toMatchObject({ k: 8, k_reading: "bound", pass_hat_k: 0.5, pass_at_k: 0.75, small_groups: [] })
    expect(PassAt.render(result)).toContain("pass^8 at most 50.0%")
    expect(PassAt.render(result)).toContain("pass@8 at least 75.0%")
    expect(note(result, "early_stopping")).toContain("bounds")
  })

  it("gives exact k numbers up to the probe, and under fixed repeats", () => {
    const rows = groups(["11", "00", "10111111"], { policy: "successive" })
    expect(PassAt.passAt(rows, { k: 2 })).toMatchObject({ k_reading: "exact", pass_hat_k: 1 / 3, pass_at_k: 2 / 3 })
    expect(PassAt.passAt(groups(["1111", "0101"])).k_reading).toBe("exact")
  })
})

describe("arms", () => {
  const rows = [...group("a", "11", { arm: "grid" }), ...group("b", "00", { arm: "failure_mutation" })]

  it("have a rate each, and asks made from failures are told of", () => {
    const result = PassAt.passAt(rows)
    expect(result.arms).toMatchObject({ failure_mutation: { rows: 2, pass_at_1: 0 }, grid: { rows: 2, pass_at_1: 1 } })
    expect(codes(result)).toContain("steered")
  })

  it("can be left out", () => {
    const result = PassAt.passAt(rows, { exclude: ["failure_mutation"] })
    expect(result).toMatchObject({ tasks: 1, pass_at_1: 1, excluded: { failure_mutation: 2 } })
    expect(codes(result)).not.toContain("steered")
  })
})

describe("any log", () => {
  it("needs a prompt, a text and a reward; equal prompts are one task, up to how they are written", () => {
    const rows = [
      { prompt: "Cancel A1.", final_text: "Done.", reward: 1 },
      { prompt: "cancel a1", final_text: "No.", reward: 0 },
      { prompt: "Refund A2.", final_text: "Done.", reward: 1 }
    ]
    expect(PassAt.passAt(rows)).toMatchObject({ tasks: 2, pass_at_1: 0.75 })
  })

  it("may have odd ids and fields of odd types", () => {
    const rows = ["constructor", "__proto__", "toString"].flatMap((task) => group(task, "10", { arm: task }))
    expect(PassAt.passAt(rows)).toMatchObject({ tasks: 3, pass_at_1: 0.5, arms: { constructor: { pass_at_1: 0.5 } } })
    const odd = [{ task_id: 7, reward: 1, lineage: "x", markers: 3 }, null, { reward: 1 }, 5] as unknown
    expect(PassAt.passAt(odd as ReadonlyArray<Measured.MeasuredRow>)).toMatchObject({ tasks: 1, pass_at_1: 1 })
    expect(note(PassAt.passAt(odd as ReadonlyArray<Measured.MeasuredRow>), "unusable")).toContain("3 records")
  })

  it("may hold a row twice: it counts once, and the last reward holds", () => {
    const rows = groups(["10", "11"])
    expect(PassAt.passAt([...rows, ...rows])).toMatchObject({
      pass_at_1: 0.75,
      rows: 4,
      graded: { graded: 4, of: 4, duplicates: 4 },
      arms: { unknown: { rows: 4, graded: 4 } }
    })
    const again = rows.map((row) => ({ ...row, reward: 0 }))
    const result = PassAt.passAt([...rows, ...again])
    expect(result.pass_at_1).toBe(0)
    expect(note(result, "duplicates")).toContain("3 of them with another reward")
    const late = [...rows.map((row) => ({ ...row, reward: null })), ...rows]
    expect(PassAt.passAt(late).graded).toMatchObject({ graded: 4, of: 4, ungraded_by: {} })
  })

  it("of a run that called no tool is hollow, whatever its rate", () => {
    expect(codes(PassAt.passAt(groups(["11", "11"], { tools_used: [] })))).toContain("no_tool_calls")
    expect(codes(PassAt.passAt(groups(["11", "11"], { tools_used: ["get"] })))).not.toContain("no_tool_calls")
    const run = { rows: groups(["11"]), meta: { degraded: ["no_tool_calls"] } }
    expect(codes(PassAt.passAt(run))).toContain("no_tool_calls")
  })

  it.effect("is read from a file as from memory, line by line, with what stands beside it", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "measure-"))
      const path = join(folder, "run.jsonl")
      const rows = groups(["1101", "0111", "0000"])
      const lost = { task_id: "t0", scenario_id: "situation t0", eval_run: 0, rollout_index: 4, reason: "timeout" }
      writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join("\n")}\nnot json\n{"hello":1}\n`)
      writeFileSync(join(folder, "run.lost.jsonl"), `${JSON.stringify(lost)}\n`)
      const result = yield* PassAt.passAt(path)
      const { notes, ...figures } = result
      const { notes: _, ...same } = PassAt.passAt({ rows, lost: [lost] })
      expect(figures).toEqual(same)
      expect(note(result, "broken_lines")).toContain("2 lines left out (line 13: it is no JSON)")
      expect(notes.length).toBeGreaterThan(0)
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(Node.layer))
  )

  it.effect("may be in a trace format: trials are rollouts, scores are rewards", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "measure-"))
      const messages = [
        { role: "user", content: "Cancel A1." },
        { role: "assistant", content: "Done." }
      ]
      const records = [0, 1, 2, 3].map((trial) => ({ item_id: 5, trial, messages, score: trial === 0 ? 0 : 1 }))
      const lines = join(folder, "log.jsonl")
      writeFileSync(lines, records.map((record) => JSON.stringify(record)).join("\n"))
      const document = join(folder, "log.json")
      writeFileSync(document, JSON.stringify({ traces: records }, null, 2))
      expect(yield* PassAt.passAt(lines)).toMatchObject({ tasks: 1, groups: 1, k: 4, pass_at_1: 0.75 })
      expect(yield* PassAt.passAt(document)).toMatchObject({ tasks: 1, groups: 1, k: 4, pass_at_1: 0.75 })
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(Node.layer))
  )

  const data = process.env["SANDTABLE_TEST_DATA"]
  it.effect.skipIf(data === undefined)("of 8 airline tasks with 4 trials each (needs SANDTABLE_TEST_DATA)", () =>
    Effect.gen(function* () {
      const result = yield* PassAt.passAt(`${data}/traces/airline-openai-chat.jsonl`)
      expect(result).toMatchObject({ tasks: 8, groups: 8, k: 4, k_reading: "exact", graded: { graded: 32, of: 32 } })
      expect(result.pass_hat_k).toBeLessThanOrEqual(result.pass_at_1 ?? 0)
    }).pipe(Effect.provide(Node.layer))
  )
})

describe("the same rows", () => {
  const rows = [
    ...drawn(spreadRates(20), { seed: 1, runs: 5, k: 7 }),
    ...group("x", "1h?0"),
    ...group("y", "hh", { arm: "probe" })
  ]
  const { notes: _, ...figures } = PassAt.passAt(rows)

  it.prop(
    "give the same figures in any order",
    [
      FastCheck.shuffledSubarray(
        rows.map((_, i) => i),
        { minLength: rows.length }
      )
    ],
    ([order]) => {
      const { notes: _, ...shuffled } = PassAt.passAt(order.map((i) => rows[i] as Measured.MeasuredRow))
      expect(shuffled).toEqual(figures)
    },
    { fastCheck: { numRuns: 20 } }
  )

  it("give the same figures when tasks trade names", () => {
    const renamed = drawn(spreadRates(20), { seed: 1, k: 4 }).map((row) => {
      const id = `t${(Number(row.task_id?.slice(1)) * 7) % 20}`
      return { ...row, task_id: id, scenario_id: `situation ${id}`, prompt: `Ask ${id}?` }
    })
    expect(PassAt.passAt(renamed)).toEqual(PassAt.passAt(drawn(spreadRates(20), { seed: 1, k: 4 })))
  })
})

describe("as text", () => {
  it("is one line of figures, then what to know", () => {
    expect(PassAt.render(PassAt.passAt(groups(["1110", "1111", "0h11", "1001"])))).toMatchInlineSnapshot(`
      "pass@1 68.8% [30.7%, 100.0%] · pass^4 25.0% [0.0%, 100.0%] · pass@4 100.0% · headroom 31.3% [0.0%, 69.3%] · 4 tasks, 16 rows, 4 groups, k=4
      - 1 reward between 0 and 1 is no pass: a pass is a reward of 1 (\`passAt\`). With half credit the mean reward is 0.719 [0.379, 1]."
    `)
    expect(PassAt.render(PassAt.passAt(groups(Array.from({ length: 20 }, () => "1111"))))).toMatchInlineSnapshot(`
      "pass@1 100.0% · pass^4 100.0% · pass@4 100.0% · headroom 0.0% · 20 tasks, 80 rows, 20 groups, k=4
      - All 20 tasks have the same rate, so resampling them shows no spread: no interval. By the rule of three the true rate is in [85.0%, 100.0%]."
    `)
    expect(PassAt.render(PassAt.passAt([]))).toMatchInlineSnapshot(`
      "no pass rate
      - There are no rows to measure."
    `)
  })
})

describe("what is not in a log", () => {
  const codes = (rows: ReadonlyArray<Measured.MeasuredRow>, exclude: ReadonlyArray<string> = []) =>
    PassAt.passAt(rows, { exclude }).notes.map(({ code }) => code)

  it("is told: rollouts whose numbers are missing, as where failures were dropped", () => {
    const rows = groups(["1011", "1101", "0111"])
    expect(codes(rows)).not.toContain("missing_rollouts")
    const passes = rows.filter(({ reward }) => reward === 1)
    expect(PassAt.passAt(passes).notes.find(({ code }) => code === "missing_rollouts")?.message).toMatch(
      /^2 rollouts have no row/
    )
    // Numbers of a whole log, which count no rollouts of an ask.
    expect(codes(rows.map((row, i) => ({ ...row, rollout_index: (i % 4) * 30 + i })))).not.toContain("missing_rollouts")
  })

  it("is told: groups that were stopped, and nothing says by what", () => {
    const stopped = ["11111111", "10", "11110111", "01", "11111111", "00"]
    expect(codes(groups(stopped, { lineage: { repeat_policy: undefined } }))).toContain("uneven_groups")
    expect(codes(groups(stopped))).not.toContain("uneven_groups")
    const even = groups(["11", "10", "00", "01", "11"], { lineage: { repeat_policy: undefined } })
    expect(codes(even)).not.toContain("uneven_groups")
  })

  it("is told: an arm that was to be left out and that no row has", () => {
    const rows = groups(["10", "11"], { arm: "grid" })
    expect(codes(rows, ["gird"])).toContain("unknown_arm")
    expect(codes([...rows, ...group("t9", "11", { arm: "seed" })], ["seed"])).not.toContain("unknown_arm")
  })

  it("is a reward that is a text, which no grader has to give anew", () => {
    const [note] = PassAt.passAt(groups(["10"]).map((row) => ({ ...row, reward: "1" as unknown as number }))).notes
    expect(note?.message).toContain("Rewards are numbers, or true and false")
  })
})
