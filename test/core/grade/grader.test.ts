import { describe, expect, it } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Grader from "@sandtable/core/Grader"
import type { Row } from "@sandtable/core/Row"
import * as ScoringPass from "@sandtable/core/ScoringPass"
import { ScriptedGrader } from "@sandtable/core/testing"
import { call, context, row } from "./fixture.ts"

const judge = (answer: Grader.Given, options: Partial<Grader.Options> = {}) =>
  Effect.runSync(Grader.make({ name: "test", grade: () => answer, ...options }).grade(row(), context))

class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

describe("Grader contract", () => {
  it.each([
    [true, 1],
    [false, 0],
    [0, 0],
    [0.25, 0.25],
    [1, 1],
    [{ reward: 0.5 }, 0.5],
    [{ score: true }, 1],
    [{ reward: 1, score: true }, 1],
    [{ reward: undefined, score: 0.5 }, 0.5]
  ])("reads %j as the reward %d", (answer, reward) => {
    expect(judge(answer)).toMatchObject({ reward, status: "ok" })
  })

  it.each([
    ["a number above", 1.5],
    ["a number below", -0.1],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a text", "1"],
    ["a yes", "yes"],
    ["null", null],
    ["undefined", undefined],
    ["an array", [1]],
    ["a BigInt", 1n],
    ["a Map", new Map([["reward", 1]])],
    ["an Error", new Error("no")],
    ["a reward that is a text", { reward: "1" }],
    ["a reward that is null", { reward: null }],
    ["a null reward beside a score", { reward: null, score: 1 }],
    ["a reward and a score that disagree", { reward: 1, score: 0 }],
    ["a reward beside a score that is none", { reward: 1, score: "high" }],
    ["a reward out of range", { reward: 2 }]
  ])("makes %s an invalid result: no reward, nothing clamped, the cause kept", (_, answer) => {
    const verdict = judge(answer)
    expect(verdict).toMatchObject({ reward: null, status: "invalid_result" })
    expect(verdict.meta["cause"]).toMatch(/\w/)
  })

  it("names the keys of an object without a reward", () => {
    const verdict = judge({ grade: 1, comment: "good" })
    expect(verdict).toMatchObject({ reward: null, status: "missing_reward" })
    expect(verdict.meta["cause"]).toContain("grade, comment")
    expect(verdict.meta["comment"]).toBe("good")
  })

  it("carries reason, markers and failure class, and everything else in the meta with a nested judge_meta flattened", () => {
    expect(
      judge({
        reward: 0,
        reason: "no greeting",
        failure_class: "style",
        markers: { warmth: 0.5, polite: true, other: null, bad: "x", ["__proto__"]: 1 },
        tokens: 12,
        judge_meta: { model: "judge-1", votes: [1, 0] }
      })
    ).toMatchObject({
      reward: 0,
      reason: "no greeting",
      failureClass: "style",
      markers: { warmth: 0.5, polite: 1, other: null },
      meta: { tokens: 12, model: "judge-1", votes: [1, 0], refused_markers: { bad: "x" } }
    })
  })

  it("keeps what JSON cannot hold out of the row", () => {
    const loop: Record<string, unknown> = { n: 1n, f: () => 1, nan: Number.NaN, at: new Date(0) }
    loop["self"] = loop
    const verdict = judge({ reward: 1, loop })
    expect(JSON.parse(JSON.stringify(verdict.meta))).toEqual({
      loop: { n: "1", nan: null, at: "1970-01-01T00:00:00.000Z", self: "[circular]" }
    })
  })

  it("makes an object whose fields cannot be read an invalid result", () => {
    const hostile = {
      get reward(): number {
        throw new Error("no peeking")
      }
    }
    expect(judge(hostile)).toMatchObject({ reward: null, status: "invalid_result" })
  })

  it("maps a scale linearly, keeps the rating, and refuses what is outside", () => {
    expect(judge(4, { scale: [1, 5] })).toMatchObject({ reward: 0.75, status: "ok", meta: { rating: 4 } })
    expect(judge({ score: 1 }, { scale: [1, 5] })).toMatchObject({ reward: 0, meta: { rating: 1 } })
    expect(judge(0.5, { scale: [1, 5] })).toMatchObject({ reward: null, status: "invalid_result" })
    expect(() => Grader.make({ name: "x", grade: () => 1, scale: [5, 1] })).toThrow(RangeError)
  })

  it.effect("waits for a Promise, an Effect, and one inside the other", () =>
    Effect.gen(function* () {
      const answers = [
        Promise.resolve(0.5),
        Effect.succeed({ score: 1 }),
        Effect.succeed(Promise.resolve(Effect.succeed(true)))
      ]
      const verdicts = yield* Effect.forEach(answers, (answer) => Grader.make(() => answer).grade(row(), context))
      expect(verdicts.map(({ reward }) => reward)).toEqual([0.5, 1, 1])
    })
  )

  it.effect("turns a throw, a rejection, a failure and a defect into an error with a short cause", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<Grader.GradeFunction> = [
        () => {
          throw new TypeError("broken")
        },
        () => Promise.reject(new Error("rejected")),
        () => Effect.fail(new Refused({ message: "failed" })),
        () => Effect.fail("bare"),
        () => Effect.die(new Error("died")),
        () => Effect.interrupt,
        () => {
          throw undefined
        }
      ]
      const verdicts = yield* Effect.forEach(broken, (grade) => Grader.make(grade).grade(row(), context))
      expect(verdicts.every(({ reward, status }) => reward === null && status === "error")).toBe(true)
      expect(verdicts.map(({ meta }) => meta["cause"])).toEqual([
        "TypeError: broken",
        "Error: rejected",
        "Refused: failed",
        'it failed with the text "bare"',
        "Error: died",
        "it was interrupted",
        "it failed with undefined"
      ])
    })
  )

  it.effect("does not charge a row for waiting until a grader of few rows at once gets to it", () =>
    Effect.gen(function* () {
      const turns = yield* Effect.makeSemaphore(1)
      const slow = Grader.make(() => Effect.as(Effect.sleep("40 seconds"), 1))
      const rows = ["a", "b", "c"].map((row_id) => row({ row_id }))
      const fiber = yield* Effect.fork(
        ScoringPass.grade(rows, { ...slow, admit: turns.withPermits(1) }, { concurrency: 3, timeout: 60 })
      )
      yield* TestClock.adjust("3 minutes")
      expect((yield* Fiber.join(fiber)).counts).toMatchObject({ scored: 3 })
    })
  )

  it.effect("ends a grader that never settles by its timeout, and fires its signal", () =>
    Effect.gen(function* () {
      let aborted = false
      const never = Grader.make((_row, { signal }) => {
        signal.addEventListener("abort", () => (aborted = true))
        return new Promise(() => {})
      })
      const stubborn = Grader.make(() => Effect.uninterruptible(Effect.never))
      const foreign: Grader.Service = { ...never, grade: () => Effect.never }
      const fiber = yield* Effect.fork(
        Effect.forEach([never, stubborn, foreign], (grader) => Grader.withTimeout(grader, 120).grade(row(), context), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("119 seconds")
      expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
      yield* TestClock.adjust("1 second")
      const verdicts = yield* Fiber.join(fiber)
      for (const verdict of verdicts) {
        expect(verdict).toMatchObject({ reward: null, status: "timeout", meta: { cause: "no verdict within 120 s" } })
      }
      expect(aborted).toBe(true)
    })
  )

  it.effect("keeps a verdict that is in time, and an error of a service of one's own", () =>
    Effect.gen(function* () {
      const inTime = Grader.withTimeout(
        Grader.make(() => Promise.resolve(1)),
        1
      )
      expect(yield* inTime.grade(row(), context)).toMatchObject({ reward: 1 })
      const dying = Grader.withTimeout({ ...inTime, grade: () => Effect.die("gone") }, 1)
      expect(yield* dying.grade(row(), context)).toMatchObject({ status: "error" })
    })
  )

  it.effect("hands out copies: what a grader does to its inputs reaches nobody", () =>
    Effect.gen(function* () {
      const source = row({ steps: [call("get_order", { id: "A1" }, { status: "open" })] })
      const before = JSON.stringify([source, context])
      const vandal = Grader.make((given, own) => {
        ;(given.steps as Array<unknown>).reverse().push("mess")
        ;(given as Record<string, unknown>)["final_text"] = "changed"
        ;(own.privileged as Record<string, unknown>)["reference"] = "changed"
        ;(own.outcome as { writes: ReadonlyArray<unknown> }).writes = []
        return true
      })
      expect(yield* vandal.grade(source, context)).toMatchObject({ reward: 1 })
      const onTools = Grader.make((_, own) => (own.tools as Array<unknown>).push(1) > 0)
      expect(yield* onTools.grade(source, context)).toMatchObject({ status: "error" })
      expect(JSON.stringify([source, context])).toBe(before)
    })
  )
})

describe("Grader.apply", () => {
  const pass = (service: Grader.Service, id: string | null = "score_0123456789ab"): Grader.Pass => ({
    grader: service,
    scoringRunId: id
  })
  const lineage = { run_id: "run_1", system_prompt_sha: null, eval_run: 0, repeat_policy: "none", probe: 2 } as const

  it("writes the verdict and who gave it; the model is always named", () => {
    const grader = Grader.make({ name: "polite", grade: () => 1, version: "3" })
    const graded = Grader.apply(row({ lineage }), judge({ reward: 1, reason: "fine", markers: { m: 1 } }), pass(grader))
    expect(graded).toMatchObject({
      reward: 1,
      reason: "fine",
      label_source: "grader",
      judge_name: "polite",
      judge_status: "ok",
      judge_meta: { model: null, name: "polite", kind: "rule", version: "3" },
      markers: { m: 1 },
      lineage: { scoring_run_id: "score_0123456789ab" }
    })
    expect(graded).not.toHaveProperty("failure_class")
  })

  it("never makes a missing verdict a 0 or a label", () => {
    const graded = Grader.apply(
      row(),
      judge("?"),
      pass(Grader.make({ name: "g", kind: "model", model: "m-1", grade: () => 1 }))
    )
    expect(graded.reward).toBeNull()
    expect(graded).not.toHaveProperty("label_source")
    expect(graded).toMatchObject({ judge_status: "invalid_result", judge_meta: { model: "m-1", kind: "model" } })
  })

  it("clears the earlier verdict and keeps the id of its pass", () => {
    const first = Grader.apply(
      row({ lineage, custom: "kept" }),
      judge({ reward: 0, reason: "bad", failure_class: "x", markers: { m: 0 }, note: 1 }),
      pass(Grader.make({ name: "one", grade: () => 1 }), "score_aaaaaaaaaaaa")
    )
    const second = Grader.apply(first, judge(true), pass(Grader.make({ name: "two", kind: "human", grade: () => 1 })))
    expect(second).toMatchObject({
      custom: "kept",
      reward: 1,
      label_source: "human",
      judge_name: "two",
      lineage: { scoring_run_id: "score_0123456789ab", prior_scoring_run_id: "score_aaaaaaaaaaaa" }
    })
    for (const key of ["reason", "failure_class", "markers"]) expect(second).not.toHaveProperty(key)
    expect(second.judge_meta).not.toHaveProperty("note")
    expect(first.reward).toBe(0)
  })

  it("keeps an answer's words that the grader's own name shadows", () => {
    const grader = Grader.make({ name: "g", model: "declared", grade: () => 1 })
    const { judge_meta } = Grader.apply(row(), judge({ reward: 1, model: "other", name: "check A" }), pass(grader))
    expect(judge_meta).toMatchObject({ model: "declared", name: "g", answered: { model: "other", name: "check A" } })
  })

  it("gives the conduct grade its own label source, and no pass id inside a run", () => {
    const conduct = Effect.runSync(
      Effect.map(Grader.Grader, Option.getOrThrow).pipe(Effect.provide(Grader.layerConduct))
    )
    const graded = Grader.apply(row({ lineage }), judge(true), pass(conduct, null))
    expect(graded.label_source).toBe("conduct")
    expect(graded.lineage).not.toHaveProperty("scoring_run_id")
  })

  it("puts markers beside those a row has", () => {
    expect(Grader.mark(row({ markers: { a: 1 } }), { conduct: 0 }).markers).toEqual({ a: 1, conduct: 0 })
  })
})

describe("Grader of a run", () => {
  it.effect("is none unless a layer gives one", () =>
    Effect.gen(function* () {
      expect(Option.isNone(yield* Grader.Grader)).toBe(true)
      const given = yield* Grader.Grader.pipe(
        Effect.provide(
          Grader.layer(function strict() {
            return true
          })
        )
      )
      expect(Option.map(given, ({ name, kind }) => [name, kind])).toEqual(Option.some(["strict", "rule"]))
      const noop = Option.getOrThrow(yield* Grader.Grader.pipe(Effect.provide(Grader.layerNoop({ name: "half" }))))
      expect(noop.name).toBe("half")
      expect(yield* noop.grade(row(), context)).toMatchObject({ reward: null, status: "error" })
    })
  )

  it("fails a row under one half, never at it and never without a reward", () => {
    expect([0, 0.49, 0.5, 1, null, undefined].map(Grader.isGradedFailure)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false
    ])
  })

  it("leaves rows cut by the length cap ungraded unless asked", () => {
    const cut: Row = row({ finish_reason: "length" })
    expect([Grader.isGradable(cut, false), Grader.isGradable(cut, true), Grader.isGradable(row(), false)]).toEqual([
      false,
      true,
      true
    ])
  })

  it.effect("names each scoring pass afresh", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.all(Array.from({ length: 50 }, () => Grader.newScoringRunId))
      expect(new Set(ids).size).toBe(50)
      for (const id of ids) expect(id).toMatch(/^score_[0-9a-f]{12}$/)
    })
  )

  it.effect("can be scripted for tests", () =>
    Effect.gen(function* () {
      const { service, seen } = ScriptedGrader.make([0, 1])
      const rewards = yield* Effect.forEach([row(), row(), row()], (r) =>
        Effect.map(service.grade(r, context), (v) => v.reward)
      )
      expect(rewards).toEqual([0, 1, 1])
      expect(seen).toHaveLength(3)
    })
  )
})
