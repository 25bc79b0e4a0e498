import { describe, expect, it } from "@effect/vitest"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Conduct from "@sandtable/core/Conduct"
import * as Demo from "../../../packages/core/src/grade/Demo.ts"
import * as Grader from "@sandtable/core/Grader"
import * as Judge from "@sandtable/core/Judge"
import * as Node from "@sandtable/core/node"
import * as Row from "@sandtable/core/Row"
import * as ScoringPass from "@sandtable/core/ScoringPass"
import * as Simulation from "@sandtable/core/Simulation"
import * as SimulationData from "@sandtable/core/SimulationData"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as Verifier from "@sandtable/core/Verifier"
import { row, thread, tool } from "./fixture.ts"

const lineage: NonNullable<Row.Row["lineage"]> = {
  run_id: "run_1",
  system_prompt_sha: null,
  eval_run: 0,
  repeat_policy: "fixed",
  probe: 2
}
const rowsOf = (n: number): ReadonlyArray<Row.Row> =>
  Array.from({ length: n }, (_, i) => row({ row_id: `row_${i}`, task_id: `task_${i}`, lineage }))

/** Every kind of answer a grader may give, and what the row is to get. */
const contract: ReadonlyArray<readonly [answer: () => Grader.Given, reward: number | null, status: Row.JudgeStatus]> = [
  [() => true, 1, "ok"],
  [() => false, 0, "ok"],
  [() => 0.5, 0.5, "ok"],
  [() => ({ score: 1, reason: "fine" }), 1, "ok"],
  [() => ({ reward: 0, failure_class: "style" }), 0, "ok"],
  [() => 1.5, null, "invalid_result"],
  [() => -1, null, "invalid_result"],
  [() => Number.NaN, null, "invalid_result"],
  [() => Number.POSITIVE_INFINITY, null, "invalid_result"],
  [() => "1", null, "invalid_result"],
  [() => null, null, "invalid_result"],
  [() => undefined, null, "invalid_result"],
  [() => [1], null, "invalid_result"],
  [() => 1n, null, "invalid_result"],
  [() => new Map([["reward", 1]]), null, "invalid_result"],
  [() => ({ reward: "1" }), null, "invalid_result"],
  [() => ({ reward: 1, score: 0 }), null, "invalid_result"],
  [() => ({ verdict: "good" }), null, "missing_reward"],
  [() => ({}), null, "missing_reward"],
  [() => Promise.reject(new Error("rejected")), null, "error"],
  [() => Effect.fail("failed"), null, "error"],
  [() => Effect.die(new Error("died")), null, "error"],
  [
    () => {
      throw new Error("thrown")
    },
    null,
    "error"
  ],
  [() => Effect.never, null, "timeout"],
  [() => new Promise(() => {}), null, "timeout"]
]

const base = {
  agent: () => "It is open from nine to six, on Sundays too.",
  systemPrompt: "You tell people when the shop opens.",
  simulator: false
} as const

describe("A scoring pass", () => {
  it.effect("grades copies in order, by the contract, whatever the grader does", () =>
    Effect.gen(function* () {
      const rows = rowsOf(contract.length)
      const before = JSON.stringify(rows)
      const answers = new Map(contract.map(([answer], i) => [`row_${i}`, answer]))
      const fiber = yield* Effect.fork(
        ScoringPass.grade(rows, (each) => answers.get(each.row_id)?.(), { concurrency: 40, timeout: 5 })
      )
      yield* TestClock.adjust("6 seconds")
      const { rows: graded, counts, scoringRunId } = yield* Fiber.join(fiber)
      expect(graded.map(({ reward, judge_status }) => [reward, judge_status])).toEqual(
        contract.map(([, reward, status]) => [reward, status])
      )
      expect(JSON.stringify(rows)).toBe(before)
      expect(scoringRunId).toMatch(/^score_[0-9a-f]{12}$/)
      expect(new Set(graded.map((each) => each.lineage?.scoring_run_id))).toEqual(new Set([scoringRunId]))
      expect(counts).toEqual({
        rows: contract.length,
        scored: 5,
        by_status: { ok: 5, invalid_result: 12, missing_reward: 2, error: 4, timeout: 2 },
        truncated: 0,
        broken: 0,
        first_cause: expect.stringContaining("1.5"),
        no_reference: 0,
        undecided: 0
      })
    })
  )

  it.effect("ends a run of 40 with every kind of answer: scored and unjudged are the rows, and no 0 is made up", () =>
    Effect.gen(function* () {
      let n = 0
      const given: Array<number | null> = []
      const fiber = yield* Effect.fork(
        Simulation.simulate({
          ...base,
          budget: 40,
          grader: () => {
            const [answer, reward] = contract[n++ % contract.length] as (typeof contract)[number]
            given.push(reward)
            return answer()
          }
        })
      )
      for (let i = 0; i < 20; i++) yield* TestClock.adjust("60 seconds")
      const data = yield* Fiber.join(fiber)
      expect(data.rows).toHaveLength(40)
      const { scored = 0, unjudged = 0, failures } = data.search.grader ?? {}
      expect(scored + unjudged).toBe(40)
      expect(scored).toBe(given.filter((reward) => reward !== null).length)
      const zeros = given.filter((reward) => reward === 0).length
      expect(data.rows.filter(({ reward }) => reward === 0)).toHaveLength(zeros)
      expect(failures).toBe(zeros)
      expect(data.degraded).toContain("judge_errors")
    })
  )

  it.effect("clears the verdict before it, and keeps the id of that pass", () =>
    Effect.gen(function* () {
      const first = yield* ScoringPass.grade(
        rowsOf(1),
        () => ({ reward: 0, reason: "no", failure_class: "style", markers: { warm: 1 }, extra: true }),
        { runId: "score_first" }
      )
      const second = yield* ScoringPass.grade(first.rows, Grader.make({ name: "second", grade: () => "broken" }))
      const [graded] = second.rows
      expect(graded).toMatchObject({ reward: null, judge_name: "second", judge_status: "invalid_result" })
      for (const key of ["reason", "failure_class", "markers", "label_source"]) expect(graded).not.toHaveProperty(key)
      expect(graded?.judge_meta).not.toHaveProperty("extra")
      expect(graded?.lineage).toEqual({
        ...lineage,
        scoring_run_id: second.scoringRunId,
        prior_scoring_run_id: "score_first",
        prior: {
          reward: 0,
          reason: "no",
          failure_class: "style",
          markers: { warm: 1 },
          label_source: "grader",
          judge_name: "grader",
          judge_status: "ok",
          judge_meta: { model: null, name: "grader", kind: "rule", version: null, extra: true },
          scoring_run_id: "score_first"
        }
      })
    })
  )

  it.effect("does not grade rows that the length cap cut, unless asked, and counts them", () =>
    Effect.gen(function* () {
      const [whole, cut] = [row({ lineage }), row({ row_id: "row_2", finish_reason: "length", lineage })] as const
      const seen: Array<string> = []
      const grader = (each: Row.Row) => seen.push(each.row_id) > 0
      const graded = yield* ScoringPass.grade([whole, { ...cut, reward: 1, judge_status: "ok" }], grader)
      expect(seen).toEqual(["row_1"])
      expect(graded.counts).toMatchObject({ rows: 2, scored: 1, truncated: 1 })
      expect(graded.rows[1]).toMatchObject({ reward: null })
      expect(graded.rows[1]).not.toHaveProperty("judge_status")
      const all = yield* ScoringPass.grade([whole, cut], grader, { gradeTruncated: true })
      expect(all.counts).toMatchObject({ scored: 2, truncated: 0 })
    })
  )

  it.effect("runs as many graders at once as asked, and no more", () =>
    Effect.gen(function* () {
      let running = 0
      let most = 0
      const gate = yield* Deferred.make<void>()
      const grader = () =>
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          if (running === 3) yield* Deferred.succeed(gate, undefined)
          yield* Deferred.await(gate)
          yield* Effect.yieldNow()
          running -= 1
          return 1
        })
      yield* ScoringPass.grade(rowsOf(20), grader, { concurrency: 3 })
      expect(most).toBe(3)
    })
  )

  it.effect("gives verifiers the reference of a task, a situation or a prompt, and writes it nowhere", () =>
    Effect.gen(function* () {
      const rows = [
        row({ task_id: "t1", final_text: "GOLD-A" }),
        row({ task_id: "t2", scenario_id: "s2", final_text: "GOLD-B" }),
        row({ task_id: "constructor", prompt: "toString", final_text: "GOLD-C" })
      ]
      const references = { t1: "GOLD-A", s2: "GOLD-X" }
      const { rows: graded } = yield* ScoringPass.grade(rows, Verifier.exactMatch(), { references })
      expect(graded.map(({ reward, judge_status }) => [reward, judge_status])).toEqual([
        [1, "ok"],
        [0, "ok"],
        [null, "missing_reward"]
      ])
      expect(JSON.stringify(graded)).not.toContain("GOLD-X")
      const byFunction = yield* ScoringPass.grade(rows, Verifier.exactMatch(), {
        references: ({ final_text }) => final_text
      })
      expect(byFunction.counts.scored).toBe(3)
    })
  )

  it.effect("refuses what makes no sense", () =>
    Effect.gen(function* () {
      for (const options of [{ concurrency: 0 }, { timeout: -1 }, { runId: " " }]) {
        const cause = yield* Effect.flip(Effect.sandbox(ScoringPass.grade(rowsOf(1), () => 1, options)))
        expect(Cause.squash(cause)).toBeInstanceOf(RangeError)
      }
    })
  )
})

describe("Grading a run", () => {
  const tools = [
    tool("get_order", { order_id: { type: "string" } }),
    tool("cancel_order", { order_id: { type: "string" } })
  ]
  const rehearse = (options: Partial<Simulation.InMemory> = {}) =>
    Simulation.simulate({
      agent: Demo.seededAgent(tools),
      tools,
      ids: { order_id: ["A1001", "A1002"] },
      simulator: false,
      budget: 60,
      ...options
    } as Simulation.InMemory)

  it.effect("gives a new run with the tools and policy it had, and leaves the old one as it is", () =>
    Effect.gen(function* () {
      const data = yield* rehearse()
      const graded = yield* data.grade(Conduct.service)
      const inLoop = yield* rehearse({ grade: true })
      expect(graded.rows.map(({ reward, failure_class }) => [reward, failure_class])).toEqual(
        inLoop.rows.map(({ reward, failure_class }) => [reward, failure_class])
      )
      expect(data.rows.every(({ reward }) => reward === null)).toBe(true)
      expect(graded.search.grader).toMatchObject({ judged_after: 60, scored: 60, unjudged: 0, errors: 0 })
      expect(graded.report().models.judge).toBe("conduct")
      expect(graded.meta.rows_digest).not.toBe(data.meta.rows_digest)
      expect(graded.warnings).toEqual(data.warnings)
    })
  )

  it.effect("tells of a grader that failed, and no longer once another one did not", () =>
    Effect.gen(function* () {
      const data = yield* rehearse({ budget: 5 })
      const broken = yield* data.grade(() => "good")
      expect(broken.degraded).toEqual(["judge_errors"])
      expect(broken.warnings.at(-1)?.message).toContain('"good"')
      expect((yield* broken.grade(() => 1)).degraded).toEqual([])
    })
  )

  it.effect("adds what the judge of a later pass used to what the run spent on judging", () =>
    Effect.gen(function* () {
      const judge = () =>
        Judge.make({
          model: ScriptedChatModel.make(["unclear", ...Array.from({ length: 8 }, () => `{"score": 1}`)]),
          rubric: "It is polite."
        })
      const data = yield* rehearse({ budget: 5 })
      expect(data.report().usage).toEqual({})
      const once = yield* data.grade(judge())
      expect(once.report().usage["judge"]).toMatchObject({ calls: 6 })
      const twice = yield* once.grade(judge())
      expect(twice.report().usage["judge"]).toMatchObject({ calls: 12 })
      expect((yield* twice.grade(Conduct.service)).report().usage["judge"]).toMatchObject({ calls: 12 })
    })
  )

  it.effect("tells of a judge that is the agent's own model", () =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make([`{"score": 1}`], { identity: { name: "function:demo" } })
      const graded = yield* (yield* rehearse({ budget: 2 })).grade(Judge.make({ model, rubric: "It is good." }))
      expect(graded.degraded).toEqual(["same_model"])
      expect((yield* graded.grade(() => 1)).degraded).toEqual([])
    })
  )

  it.effect("grades a file with the tools of its meta file, counts broken lines, and saves what it gave", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const path = `${folder}/run.jsonl`
        const data = yield* Simulation.simulate({
          agent: Demo.seededAgent(tools),
          tools,
          ids: { order_id: ["A1001", "A1002"] },
          simulator: false,
          budget: 30,
          output: path
        })
        yield* fs.writeFileString(path, "{half a row\n", { flag: "a" })
        const { counts, rows } = yield* ScoringPass.grade(path, Conduct.service, { runId: "score_pinned" })
        expect(counts).toMatchObject({ rows: 30, scored: 30, broken: 1 })
        const inMemory = yield* data.grade(Conduct.service, { runId: "score_pinned" })
        const rewards = (all: ReadonlyArray<Row.Row>) =>
          new Map(all.map(({ row_id, reward, failure_class }) => [row_id, [reward, failure_class]]))
        expect(rewards(rows)).toEqual(rewards(inMemory.rows))
        const graded = yield* data.grade(Conduct.service)
        yield* graded.save(`${folder}/graded.jsonl`)
        const back = yield* SimulationData.load(`${folder}/graded.jsonl`)
        expect(Row.digest(back.rows)).toBe(graded.meta.rows_digest)
        expect(back.search.grader?.judged_after).toBe(30)
      })
    ).pipe(Effect.provide(Node.layer))
  )

  it("is a Promise for plain programs", async () => {
    const { counts } = await Node.grade(rowsOf(3), () => 1)
    expect(counts.scored).toBe(3)
    const data = await Node.simulate({ ...base, budget: 3 })
    expect((await Node.gradeRun(data, () => 0.25)).rows.map(({ reward }) => reward)).toEqual([0.25, 0.25, 0.25])
  })

  it.effect("gives equal rows at any concurrency but for the pass's id and the clock, with a grader that steers", () =>
    Effect.gen(function* () {
      // What it says depends on the row alone, and when it says it does not.
      const grader = (each: Row.Row) =>
        Effect.as(Effect.repeatN(Effect.yieldNow(), each.final_text.length % 7), {
          reward: each.final_text.length % 3 === 0 ? 0 : 1,
          reason: `n ${each.final_text.length}`
        })
      const at = (concurrency: number) =>
        rehearse({ mode: "rl", budget: 80, reproducible: true, concurrency, grader, seed: 5 } as Simulation.InMemory)
      const [serial, parallel, again] = [yield* at(1), yield* at(8), yield* at(8)]
      expect(parallel.meta.rows_digest).toBe(again.meta.rows_digest)
      expect(Row.digest(serial.rows)).toBe(Row.digest(parallel.rows))
      const without = (each: Row.Row) => {
        const { timings: _, lineage: { scoring_run_id: id, ...shared } = lineage, ...rest } = each
        expect(id).toMatch(/^score_/)
        return { ...rest, lineage: shared }
      }
      expect(parallel.rows.map(without)).toEqual(again.rows.map(without))
      expect(parallel.rows[0]?.lineage?.scoring_run_id).not.toBe(again.rows[0]?.lineage?.scoring_run_id)
    })
  )
})

describe("References", () => {
  it.effect("of seeds are in no row, file or event, whatever graders do with them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const events: Array<unknown> = []
        let seen = 0
        const leaky = Verifier.make({
          name: "leaky",
          verify: (_, reference) => {
            seen += 1
            return { reward: 0.25, reason: `wanted ${JSON.stringify(reference)}` }
          }
        })
        const data = yield* Simulation.simulate({
          ...base,
          seeds: [
            { prompt: "When do you open?", reference: "GOLD-ONE" },
            { prompt: "And on Sundays?", reference: { answer: ["GOLD-TWO"] } }
          ],
          repeats: 3,
          budget: 20,
          grader: leaky,
          output: `${folder}/run.jsonl`,
          onEvent: (event) => void events.push(event)
        })
        expect(seen).toBeGreaterThanOrEqual(6)
        const names = yield* fs.readDirectory(folder)
        expect(names.length).toBeGreaterThan(2)
        const texts = yield* Effect.forEach(names, (name) => fs.readFileString(`${folder}/${name}`))
        const all = [...texts, JSON.stringify(data.rows), JSON.stringify(data.meta), JSON.stringify(events)].join("\n")
        expect(all).not.toContain("GOLD")
        expect(all).toContain("wanted [reference]")
      })
    ).pipe(Effect.provide(Node.layer))
  )
})

describe("Demo agent as an oracle", () => {
  const tools = [
    tool("get_order", { order_id: { type: "string" } }),
    tool("cancel_order", { order_id: { type: "string" } })
  ]

  it.effect("misbehaves at the set rate, and a judge that reads `seeded` finds exactly those rows", () =>
    Effect.gen(function* () {
      for (const rate of [0.1, 0.35]) {
        const budget = 200
        const data = yield* Simulation.simulate({
          // These fit every rollout, so that the label says what was drawn.
          agent: Demo.seededAgent(tools, {
            rate,
            behaviors: ["answers_with_stub", "loops_text", "invents_identifier"]
          }),
          tools,
          ids: { order_id: ["A1001", "A1002"] },
          simulator: false,
          budget,
          repeats: 2,
          repeatPolicy: "fixed",
          grader: ({ seeded = [] }: Row.Row) => ({ reward: seeded.length === 0, failure_class: seeded[0] })
        } as Simulation.InMemory)
        const failed = data.rows.filter(({ reward }) => reward === 0)
        expect(failed).toEqual(data.rows.filter(({ seeded = [] }) => seeded.length > 0))
        // 3.3 standard errors: missed by chance once in a thousand, and the seed is fixed.
        const error = Math.sqrt((rate * (1 - rate)) / budget)
        expect(Math.abs(failed.length / budget - rate)).toBeLessThan(3.3 * error)
      }
    })
  )

  it("is told from honest rows by conduct after the run", async () => {
    const { rows } = await Node.grade(
      [thread("Cancel A1001", [], "I have cancelled order A1001.", { seeded: ["claims_without_call"] })],
      Conduct.service,
      { tools }
    )
    expect(rows[0]?.failure_class).toBe(Demo.behaviors.claims_without_call)
  })
})
