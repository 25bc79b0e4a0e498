import { describe, expect, it } from "@effect/vitest"
import * as Select from "@sandtable/core/Select"
import * as FastCheck from "effect/FastCheck"
import { anyRows, group, rollout, shuffled } from "./rollouts.ts"

const droppedBy = (report: Select.Report): Readonly<Record<string, number>> =>
  Object.fromEntries(report.gates.filter(({ rows }) => rows > 0).map(({ gate, rows }) => [gate, rows]))

const idsOf = (rows: ReadonlyArray<{ readonly row_id?: unknown }>): ReadonlyArray<unknown> =>
  rows.map((row) => row.row_id)

const anyOptions: FastCheck.Arbitrary<Select.Options> = FastCheck.oneof(
  FastCheck.record(
    {
      mode: FastCheck.constant("rl" as const),
      target: FastCheck.integer({ min: 1, max: 30 }),
      truncated: FastCheck.constantFrom("drop" as const, "keep" as const, "penalise" as const),
      band: FastCheck.constantFrom([0, 1] as const, [0.2, 0.8] as const, [0.5, 0.5] as const)
    },
    { requiredKeys: ["mode"] }
  ),
  FastCheck.record(
    {
      mode: FastCheck.constant("sft" as const),
      target: FastCheck.integer({ min: 1, max: 30 }),
      truncated: FastCheck.constantFrom("drop" as const, "keep" as const),
      perTask: FastCheck.integer({ min: 1, max: 4 }),
      passAt: FastCheck.constantFrom(0.5, 1)
    },
    { requiredKeys: ["mode"] }
  )
)

describe("the counts of a selection", () => {
  it.prop("what the gates dropped and what is kept add up to the input", [anyRows, anyOptions], ([rows, options]) => {
    const { report, rows: kept } = Select.select(rows, options)
    expect(report.gates.reduce((sum, gate) => sum + gate.rows, 0) + report.kept).toBe(rows.length)
    expect(report.kept).toBe(kept.length)
    for (const gate of report.gates) {
      const causes = Object.values(gate.causes)
      if (causes.length > 0) expect(causes.reduce((sum, n) => sum + n, 0)).toBe(gate.rows)
    }
    const gone = report.gates.reduce((sum, gate) => sum + gate.groups, 0)
    const units = options.mode === "rl" ? report.groups : report.asks
    expect(units.before - units.after).toBe(gone)
    expect(report.advice === null).toBe(kept.length > 0)
  })

  it.prop(
    "the order of the rows changes nothing",
    [anyRows, anyOptions, FastCheck.integer()],
    ([rows, options, seed]) => {
      expect(Select.select(shuffled(rows, seed), options)).toEqual(Select.select(rows, options))
    }
  )

  it.prop("a selection selected again is the same", [anyRows], ([rows]) => {
    for (const mode of ["rl", "sft"] as const) {
      const once = Select.select(rows, { mode, ...(mode === "rl" ? { band: [0, 1] as const } : {}) })
      const twice = Select.select(once.rows, { mode, ...(mode === "rl" ? { band: [0, 1] as const } : {}) })
      expect(idsOf(twice.rows)).toEqual(idsOf(once.rows))
    }
  })

  it.prop(
    "a target is never passed, and in rl no kept group is part of one",
    [anyRows, FastCheck.integer({ min: 1, max: 12 })],
    ([rows, target]) => {
      const options = { mode: "rl", band: [0, 1] } as const
      const all = Select.select(rows, options)
      const { rows: kept } = Select.select(rows, { ...options, target })
      expect(kept.length).toBeLessThanOrEqual(target)
      const key = (row: (typeof kept)[number]): string => `${row.lineage?.eval_run} ${row.task_id}`
      const whole = new Map<string, number>()
      for (const row of all.rows) whole.set(key(row), (whole.get(key(row)) ?? 0) + 1)
      const part = new Map<string, number>()
      for (const row of kept) part.set(key(row), (part.get(key(row)) ?? 0) + 1)
      for (const [name, n] of part) expect(n).toBe(whole.get(name))
    }
  )
})

describe("for reinforcement learning", () => {
  it("keeps whole groups with something to learn: not those that all pass, all fail, or are alone", () => {
    const rows = [
      ...group("mixed", [0, 1, 0, 1]),
      ...group("mastered", [1, 1, 1, 1]),
      ...group("unsolved", [0, 0, 0]),
      ...group("alone", [1]),
      ...group("ungraded", [null, null])
    ]
    const { report, rows: kept } = Select.select(rows, { mode: "rl" })
    expect(new Set(kept.map((row) => row.task_id))).toEqual(new Set(["mixed"]))
    expect(kept).toHaveLength(4)
    expect(droppedBy(report)).toEqual({ ungraded: 2, lone: 1, unanimous: 7 })
    const unanimous = report.gates.find(({ gate }) => gate === "unanimous")
    expect(unanimous).toMatchObject({ groups: 2, causes: { "all pass": 4, "all fail": 3 } })
  })

  it("keeps groups inside the band, its ends included", () => {
    const rows = [
      ...group("at the lower end", [1, 0, 0, 0, 0]),
      ...group("at the upper end", [1, 1, 1, 1, 0]),
      ...group("too easy", [1, 1, 1, 1, 1, 0]),
      ...group("too hard", [1, 0, 0, 0, 0, 0])
    ]
    const { report, rows: kept } = Select.select(rows, { mode: "rl" })
    expect(new Set(kept.map((row) => row.task_id))).toEqual(new Set(["at the lower end", "at the upper end"]))
    expect(report.gates.find(({ gate }) => gate === "band")?.causes).toEqual({ "too easy": 6, "too hard": 6 })
    expect(Select.select(rows, { mode: "rl", band: [0.1, 0.9] }).rows).toHaveLength(rows.length)
  })

  it("reads how hard an ask is from all its rollouts, equal ones too, and keeps equal ones once", () => {
    const same = { final_text: "It has shipped.", steps: [{ user: "Where is it?" }, { text: "It has shipped." }] }
    const rows = [
      ...[0, 1, 2, 3, 4].map((i) => rollout("easy", i, { ...same, reward: 1 })),
      rollout("easy", 5, { reward: 0, final_text: "No idea." })
    ]
    const { report } = Select.select(rows, { mode: "rl" })
    expect(droppedBy(report)).toEqual({ duplicate: 4, band: 2 })
    const wider = Select.select(rows, { mode: "rl", band: [0, 1] })
    expect(wider.rows.map((row) => row.rollout_index)).toEqual([0, 5])
  })

  it("takes rollouts for equal by what they did and said, whatever the case and the punctuation", () => {
    const said = (index: number, reply: string) => rollout("ask", index, { final_text: reply, reward: index % 2 })
    const rows = [
      said(0, "It has shipped."),
      said(1, "It HAS shipped!"),
      said(2, "It has not shipped."),
      said(3, "Gone.")
    ]
    const { report } = Select.select(rows, { mode: "rl", band: [0, 1] })
    expect(report.gates.find(({ gate }) => gate === "duplicate")).toMatchObject({
      rows: 1,
      causes: { "graded otherwise": 1 }
    })
  })

  it("spreads what a target leaves over the kinds of faults", () => {
    const faulty = (ask: string, mode: "stale" | "timeout") =>
      group(ask, [0, 1], { faults: [{ tool: "get_order", mode, count: 1 }] })
    const rows = [
      ...["a", "b", "c", "d", "e", "f"].flatMap((ask) => group(ask, [0, 1])),
      ...faulty("g", "stale"),
      ...faulty("h", "timeout")
    ]
    const { report } = Select.select(rows, { mode: "rl", target: 6 })
    expect(report.spread).toEqual([
      { kind: "none", rows: 2 },
      { kind: "stale", rows: 2 },
      { kind: "timeout", rows: 2 }
    ])
    expect(droppedBy(report)).toEqual({ target: 10 })
  })

  it("prefers groups near one half where a target leaves a choice", () => {
    const rows = [...group("a", [1, 0, 0, 0]), ...group("b", [1, 1, 0, 0]), ...group("c", [1, 1, 1, 0])]
    const { rows: kept } = Select.select(rows, { mode: "rl", target: 5 })
    expect(new Set(kept.map((row) => row.task_id))).toEqual(new Set(["b"]))
  })

  it("drops, keeps or penalises what the length cap cut", () => {
    const cut = rollout("ask", 1, { reward: 1, finish_reason: "length", final_text: "" })
    const rows = [rollout("ask", 0, { reward: 1 }), cut]
    expect(droppedBy(Select.select(rows, { mode: "rl" }).report)).toEqual({ truncated: 1, lone: 1 })
    expect(droppedBy(Select.select(rows, { mode: "rl", truncated: "keep" }).report)).toEqual({ unanimous: 2 })
    const penalised = Select.select(rows, { mode: "rl", truncated: "penalise" })
    expect(penalised.rows[1]).toMatchObject({ reward: 0, judge_meta: { penalised: "truncated", reward_before: 1 } })
    expect(penalised.report.penalised).toBe(1)
    expect(cut.reward).toBe(1)
  })
})

describe("for supervised training", () => {
  it("keeps the best passing row of each ask: the reward first, then calls that went well", () => {
    const rows = [
      rollout("slips", 0, { reward: 1, malformed_tool_calls: 2 }),
      rollout("slips", 1, { reward: 1 }),
      rollout("slips", 2, { reward: 0 }),
      rollout("rated", 0, { reward: 0.7 }),
      rollout("rated", 1, { reward: 0.9 }),
      rollout("fails", 0, { reward: 0 })
    ]
    const strict = Select.select(rows, { mode: "sft" })
    expect(idsOf(strict.rows)).toEqual(["row_slips_1"])
    const { report, rows: kept } = Select.select(rows, { mode: "sft", passAt: 0.6 })
    expect(idsOf(kept)).toEqual(["row_rated_1", "row_slips_1"])
    expect(droppedBy(report)).toEqual({ failed: 2, best: 2 })
  })

  it("takes as many of an ask as asked for, each with a behaviour of its own", () => {
    const quiet = { steps: [{ user: "Hello" }, { text: "Hi, what can I do?" }], final_text: "Hi, what can I do?" }
    const rows = [
      rollout("ask", 0, { reward: 1 }),
      rollout("ask", 1, { reward: 1 }),
      rollout("ask", 2, { reward: 1, ...quiet })
    ]
    const { report, rows: kept } = Select.select(rows, { mode: "sft", perTask: 3 })
    expect(idsOf(kept)).toEqual(["row_ask_0", "row_ask_2"])
    expect(report.gates.find(({ gate }) => gate === "best")?.causes).toEqual({
      "behaves as a better row of its ask": 1
    })
  })

  it("prefers behaviour that the selection has least of, and spreads a target over behaviours", () => {
    const quiet = (ask: string, index: number) =>
      rollout(ask, index, { reward: 1, steps: [{ user: ask }, { text: `Noted: ${ask}` }], final_text: `Noted: ${ask}` })
    const rows = [
      rollout("a", 0, { reward: 1 }),
      rollout("b", 0, { reward: 1 }),
      quiet("b", 1),
      rollout("c", 0, { reward: 1 }),
      rollout("d", 0, { reward: 1 })
    ]
    expect(Select.select(rows, { mode: "sft" }).report.spread.map(({ rows }) => rows)).toEqual([3, 1])
    expect(Select.select(rows, { mode: "sft", target: 2 }).report.spread.map(({ rows }) => rows)).toEqual([1, 1])
  })
})

describe("rows that must not be trained on", () => {
  it("finds hidden material, gold answers the person says, and harness text that somebody answered", () => {
    const leaks = [
      rollout("a", 0, { reward: 1, privileged: { reference: "42" } }),
      rollout("b", 0, { reward: 1, prompt: "It is the Blue Heron, isn't it?" }),
      rollout("c", 0, {
        reward: 1,
        steps: [{ user: "Hi [END]" }, { text: "Hello there." }],
        final_text: "Hello there."
      }),
      rollout("d", 0, { reward: 1, steps: [{ user: "Hi" }, { text: "<|im_end|> Hi" }], final_text: "<|im_end|> Hi" })
    ]
    const marked = rollout("e", 0, {
      reward: 1,
      steps: [{ user: "Hi" }, { text: "Hello there." }, { user: "###STOP###" }],
      final_text: "Hello there."
    })
    const { report, rows: kept } = Select.select([...leaks, marked], {
      mode: "sft",
      references: { b: "the blue heron" }
    })
    expect(idsOf(kept)).toEqual(["row_e_0"])
    expect(report.gates.find(({ gate }) => gate === "leak")).toMatchObject({ rows: 4 })
  })

  it("drops what is no rollout: nothing said, an error of the infrastructure, a loop", () => {
    const reply = (index: number, text: string) => rollout("ask", index, { reward: 1, final_text: text })
    const rows = [
      reply(0, "  "),
      reply(1, "502 Bad Gateway"),
      reply(2, "yes yes yes yes yes yes yes yes yes yes"),
      rollout("ask", 3, { reward: 1, finish_reason: "content_filter" }),
      reply(4, "It has shipped.")
    ]
    expect(droppedBy(Select.select(rows, { mode: "sft" }).report)).toEqual({ junk: 4 })
  })
})

describe("an empty selection", () => {
  it("says which gate took most and what to do", () => {
    const advice = (rows: Parameters<typeof Select.select>[0], options: Select.Options): string | null => {
      const { report } = Select.select(rows, options)
      expect(Select.render(report)).toContain(String(report.advice))
      return report.advice
    }
    expect(advice([], { mode: "rl" })).toContain("no rows")
    expect(advice(group("a", [null, null, null]), { mode: "rl" })).toMatch(/ungraded took 3 of 3 rows.*data\.grade/)
    expect(advice(group("a", [1, 1, 1]), { mode: "rl" })).toMatch(/unanimous took 3 of 3 rows/)
    expect(advice(group("a", [0, 0.5]), { mode: "sft" })).toMatch(/failed took 2 of 2 rows.*passAt/)
    expect(advice(group("a", [0, 1, 0, 1]), { mode: "rl", target: 3 })).toMatch(/target/)
  })
})

describe("options", () => {
  it("refuses those that make no sense or that the mode does not read", () => {
    const wrong: ReadonlyArray<readonly [string, object]> = [
      ["mode", { mode: "dpo" }],
      ["target", { mode: "rl", target: 0 }],
      ["target", { mode: "rl", target: 2.5 }],
      ["band", { mode: "rl", band: [0.8, 0.2] }],
      ["band", { mode: "sft", band: [0.2, 0.8] }],
      ["truncated", { mode: "rl", truncated: "no" }],
      ["truncated", { mode: "sft", truncated: "penalise" }],
      ["perTask", { mode: "sft", perTask: 0 }],
      ["perTask", { mode: "rl", perTask: 1 }],
      ["passAt", { mode: "sft", passAt: 2 }]
    ]
    for (const [option, options] of wrong) {
      expect(() => Select.select([], options as Select.Options), JSON.stringify(options)).toThrow(
        expect.objectContaining({ _tag: "InvalidSelection", option })
      )
    }
  })
})
