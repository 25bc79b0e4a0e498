import { describe, expect, it } from "@effect/vitest"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Evaluation from "@sandtable/core/Evaluation"
import * as Grader from "@sandtable/core/Grader"
import * as Node from "@sandtable/core/node"
import type { Row } from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as SituationWriter from "@sandtable/core/SituationWriter"
import * as Verifier from "@sandtable/core/Verifier"
import { row } from "./grade/fixture.ts"

const asks = [
  "When do you open?",
  "When do you close?",
  "Are you open on Sundays?",
  "Where are you?",
  "Do you take cards?",
  "Do you deliver?",
  "How much is delivery?",
  "Can I bring my dog?",
  "Do you sell bread?",
  "Is the bread fresh?",
  "Who bakes it?",
  "Can I order a cake?"
]
const broken = new Set([asks[2], asks[9]])

/** Throws on two of the asks; its answers are as long as the ask. */
const agent = (message: string): string => {
  if (broken.has(message)) throw new Error("no idea")
  return `You asked: ${message} Come by and see for yourself, we are always here for you.`
}

const base = { agent, systemPrompt: "You answer for a bakery." } as const
const isShort = (each: Row): boolean => each.prompt.length < 20

describe("Evaluation.run", () => {
  it.effect("lists all 12 asks in order when 2 of them cannot run", () =>
    Effect.gen(function* () {
      const evaluation = yield* Evaluation.run({ ...base, evalSet: asks, repeats: 3, grader: isShort })
      expect(evaluation.asks.map(({ ask, n }) => [n, ask])).toEqual(asks.map((ask, i) => [i + 1, ask]))
      for (const { ask, graded, lost, lost_by, missing, of, pass_share, ran, worst_row } of evaluation.asks) {
        const runs = !broken.has(ask)
        expect([ran, of, graded, lost, missing]).toEqual(runs ? [3, 3, 3, 0, false] : [0, 3, 0, 3, true])
        expect({ ...lost_by }).toEqual(runs ? {} : { agent_error: expect.any(Number) })
        expect(pass_share).toBe(runs ? (ask.length < 20 ? 1 : 0) : null)
        expect(worst_row?.reward).toBe(runs ? (ask.length < 20 ? 1 : 0) : undefined)
      }
      expect(evaluation.totals).toMatchObject({
        asks: 12,
        asks_ran: 10,
        missing: 2,
        ran: 30,
        of: 36,
        graded: 30,
        lost: 6,
        other_rows: 0
      })
      const passing = asks.filter((ask) => !broken.has(ask) && ask.length < 20).length
      expect(evaluation.totals.pass_share).toBeCloseTo(passing / 10, 12)
      expect(evaluation.rows).toHaveLength(30)
      const table = evaluation.table().split("\n")
      expect(table.slice(2, 14).map((line) => line.slice(4).replace(/ {2}.*$/, ""))).toEqual(asks)
      expect(table[4]).toMatch(/missing +- +- +3 +lost: agent_error (?:3|in \d+ tries)$/)
      expect(table.join("\n")).toContain(
        "10 of 12 asks ran (30 of 36 rollouts, 6 lost); graded 30 of 30 rows by isShort."
      )
    })
  )

  it.effect("asks nothing else: no writer is called, and mutation of failures opens nothing", () =>
    Effect.gen(function* () {
      let written = 0
      const layer = SituationWriter.layer(() => {
        written += 1
        return Effect.succeed([])
      })
      const evaluation = yield* Effect.provide(
        Evaluation.run({ ...base, evalSet: asks.slice(0, 2), repeats: 4, grader: () => 0 }),
        layer
      )
      expect(written).toBe(0)
      expect(evaluation.totals).toMatchObject({ ran: 8, of: 8, pass_share: 0, other_rows: 0 })
      expect(evaluation.stopped_because).toBe("situations_exhausted")
    })
  )

  it.effect("takes references to verifiers and nowhere else, told apart for asks with equal words", () =>
    Effect.gen(function* () {
      const events: Array<unknown> = []
      const evaluation = yield* Evaluation.run({
        agent: () => "The answer is GOLD-A and that is all there is to say.",
        systemPrompt: "You answer.",
        evalSet: [
          { prompt: "Which one?", id: "one", reference: "GOLD-A" },
          { prompt: "Which one?", id: "two", reference: "GOLD-B" },
          { prompt: "And which here?" }
        ],
        grader: Verifier.includes(),
        onEvent: (event) => void events.push(event)
      })
      expect(evaluation.asks.map(({ id, pass_share, graded }) => [id, pass_share, graded])).toEqual([
        ["one", 1, 1],
        ["two", 0, 1],
        [null, null, 0]
      ])
      expect(JSON.stringify([evaluation, events])).not.toContain("GOLD-B")
      expect(evaluation.table()).not.toContain("GOLD")
    })
  )

  it.effect("gives an evaluation in which all are missing when the agent fails every time", () =>
    Effect.gen(function* () {
      const evaluation = yield* Evaluation.run({
        ...base,
        agent: () => {
          throw new Error("down")
        },
        evalSet: asks,
        repeats: 4,
        concurrency: 2,
        grader: () => 1
      })
      expect(evaluation.asks).toHaveLength(12)
      expect(evaluation.totals).toMatchObject({ missing: 12, ran: 0, of: 48, pass_share: null, mean_reward: null })
      expect(evaluation.stopped_because).toBe("agent_failed")
      expect(evaluation.asks[0]?.lost).toBe(4)
    })
  )

  it.effect("takes the conduct grade and a grader's layer for a grader, and needs one", () =>
    Effect.gen(function* () {
      const conduct = yield* Evaluation.run({ ...base, evalSet: ["Where are you?"], grade: true })
      expect(conduct.grader).toMatchObject({ name: "conduct", model: null })
      const layered = yield* Effect.provide(
        Evaluation.run({ ...base, evalSet: ["Where are you?"] }),
        Grader.layer({ name: "mine", version: "3", grade: () => 0.5 })
      )
      expect(layered.grader).toEqual({ name: "mine", model: null, version: "3" })
      expect(layered.asks[0]).toMatchObject({ partials: 1, pass_share: 0, mean_reward: 0.5 })
      const error = yield* Effect.flip(Evaluation.run({ ...base, evalSet: ["Where are you?"] }))
      expect(error.message).toContain("grader")
    })
  )

  it.effect("finds everything that is wrong with the list and the options, before anything runs", () =>
    Effect.gen(function* () {
      let calls = 0
      const options = {
        ...base,
        agent: () => `called ${++calls}`,
        evalSet: [" ", { prompt: "a", id: "x" }, { prompt: "b", id: "x" }, { prompt: "c", gold: 1 }, 7],
        seeds: ["more"],
        situations: 3
      }
      const error = yield* Effect.flip(Evaluation.run(options as object as Evaluation.RunOptions & Simulation.InMemory))
      for (const word of [
        "evalSet[0].prompt",
        "evalSet[2].id",
        "evalSet[3].gold",
        "evalSet[4]",
        "seeds",
        "situations",
        "grader"
      ]) {
        expect(error.message).toContain(`  ${word}:`)
      }
      expect(calls).toBe(0)
      expect((yield* Effect.flip(Evaluation.run({ ...base, evalSet: [], grader: () => 1 }))).message).toContain(
        "evalSet"
      )
    })
  )
})

describe("Evaluation.evaluate", () => {
  const graded = (prompt: string, reward: number | null, more: Partial<Row> = {}): Row =>
    row({
      prompt,
      row_id: `row_${prompt}_${String(reward)}`,
      task_id: `task_${prompt}`,
      reward,
      judge_name: "j",
      judge_status: reward === null ? "error" : "ok",
      judge_meta: { model: null, version: "1" },
      ...more
    })

  it.effect("matches by id first, then by normalised text, in the order of the list", () =>
    Effect.gen(function* () {
      const rows = [
        graded("  WHERE are you?", 1),
        graded("something else", 0, { task_id: "b" }),
        graded("When do you open?", 1, { task_id: "a", reason: "ok" }),
        graded("nobody asked", 1)
      ]
      const evaluation = yield* Evaluation.evaluate({
        evalSet: ["where are you?", { prompt: "When do you open?", id: "b" }, "Not there"],
        rows
      })
      expect(evaluation.asks.map(({ ran, pass_share, missing }) => [ran, pass_share, missing])).toEqual([
        [1, 1, false],
        [1, 0, false],
        [0, null, true]
      ])
      expect(evaluation.totals.other_rows).toBe(2)
    })
  )

  it.effect("gives asks with equal words a task each", () =>
    Effect.gen(function* () {
      const rows = [
        graded("Hi", 1, { task_id: "t1" }),
        graded("Hi", 0, { task_id: "t2" }),
        graded("Hi", 1, { task_id: "t1", row_id: "again" })
      ]
      const evaluation = yield* Evaluation.evaluate({ evalSet: ["Hi", "hi", "HI!"], rows })
      expect(evaluation.asks.map(({ ran, mean_reward }) => [ran, mean_reward])).toEqual([
        [2, 1],
        [1, 0],
        [0, null]
      ])
    })
  )

  it.effect("counts what is between, what is not graded and what is lost, and names the worst row", () =>
    Effect.gen(function* () {
      const rows = [
        graded("a", 1),
        graded("a", 0.5, { reason: "so so" }),
        graded("a", null),
        graded("b", 0),
        graded("b", 1)
      ]
      const evaluation = yield* Evaluation.evaluate({ evalSet: ["a", "b"], rows, repeats: 4 })
      expect(evaluation.asks[0]).toMatchObject({
        ran: 3,
        of: 4,
        graded: 2,
        passes: 1,
        failures: 0,
        partials: 1,
        pass_share: 0.5,
        mean_reward: 0.75,
        lost: 1,
        worst_row: { row_id: "row_a_0.5", reward: 0.5, reason: "so so" }
      })
      expect(evaluation.totals).toMatchObject({ pass_share: 0.5, mean_reward: 0.625, passes: 2, partials: 1 })
      expect(evaluation.table()).toContain(
        "Pass share 0.50, mean reward 0.63, as means over 2 asks; 2 of 4 graded rows pass."
      )
      expect(evaluation.table()).toContain("1 row with half credit is no pass; it counts in the mean.")
      const lenient = yield* Evaluation.evaluate({ evalSet: ["a", "b"], rows, passAt: 0.5 })
      expect(lenient.totals).toMatchObject({ pass_share: 0.75, passes: 3, partials: 0 })
      const refused = yield* Effect.flip(Evaluation.evaluate({ evalSet: ["a"], rows, passAt: 2 }))
      expect(refused.message).toContain("passAt")
      // what is there twice counts once
      const twice = yield* Evaluation.evaluate({ evalSet: ["a", "b"], rows: [...rows, ...rows] })
      expect(twice.totals).toMatchObject({ ran: 5, graded: 4, passes: 2 })
    })
  )

  it.effect("grades anew by the grader that is given, only the rows of the list, each with its reference", () =>
    Effect.gen(function* () {
      let calls = 0
      const rows = [graded("a", 0, { final_text: "A" }), graded("b", 0, { final_text: "B" }), graded("c", 1)]
      const evaluation = yield* Evaluation.evaluate({
        evalSet: [
          { prompt: "a", reference: "A" },
          { prompt: "b", reference: "X" }
        ],
        rows,
        grader: Verifier.make({
          name: "same",
          verify: (reply, reference) => {
            calls += 1
            return reply === reference
          }
        })
      })
      expect(calls).toBe(2)
      expect(evaluation.asks.map(({ pass_share }) => pass_share)).toEqual([1, 0])
      expect(evaluation.grader.name).toBe("same")
    })
  )

  it.effect("refuses rows that nobody graded, or several did", () =>
    Effect.gen(function* () {
      const nobody = yield* Effect.flip(Evaluation.evaluate({ evalSet: ["a"], rows: [row({ prompt: "a" })] }))
      expect(nobody.message).toContain("no row has a verdict")
      const two = [graded("a", 1), graded("a", 1, { judge_name: "k" })]
      const several = yield* Effect.flip(Evaluation.evaluate({ evalSet: ["a"], rows: two }))
      expect(several.message).toContain("several: j, k")
    })
  )

  it.effect("reads a run from its files with what was lost, as from memory", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = `${yield* fs.makeTempDirectoryScoped()}/run.jsonl`
        const data = yield* Simulation.simulate({
          ...base,
          simulator: false,
          seeds: asks,
          situations: 12,
          repeats: 2,
          repeatPolicy: "fixed",
          grader: isShort,
          output: path
        })
        const fromFile = yield* Evaluation.evaluate({ evalSet: asks, rows: path })
        expect(fromFile.totals).toMatchObject({ asks_ran: 10, missing: 2, ran: 20, of: 24, lost: 4 })
        expect({ ...fromFile.asks[2]?.lost_by }).toEqual({ agent_error: expect.any(Number) })
        const fromMemory = yield* data.evaluate({ evalSet: asks })
        expect(fromMemory.totals).toEqual(fromFile.totals)
        const promised = yield* Effect.promise(() => Node.evaluate({ evalSet: asks, data }))
        expect(promised.totals).toEqual(fromFile.totals)
      })
    ).pipe(Effect.provide(Node.layer))
  )

  it("runs a list as a Promise", async () => {
    const evaluation = await Node.evaluate({ ...base, evalSet: ["Where are you?"], grader: () => 1 })
    expect(evaluation.totals).toMatchObject({ ran: 1, pass_share: 1 })
  })

  it.effect("keeps tables on their lines, whatever is asked", () =>
    Effect.gen(function* () {
      const prompt = `\u001b[31mred\u001b[0m\nline 👩‍👩‍👧 ${"long ".repeat(30)}`
      const evaluation = yield* Evaluation.evaluate({
        evalSet: [prompt],
        rows: [graded(prompt, 0, { reason: "a\nb" })]
      })
      const table = evaluation.table()
      expect(evaluation.totals.other_rows).toBe(0)
      expect(table.split("\n")).toHaveLength(6)
      // oxlint-disable-next-line no-control-regex
      expect(table).not.toMatch(/\u001b/)
    })
  )
})
