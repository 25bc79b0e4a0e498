import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Agent from "@sandtable/core/Agent"
import * as ChatModel from "@sandtable/core/ChatModel"
import * as Judge from "@sandtable/core/Judge"
import * as Pairwise from "../../../packages/core/src/grade/Pairwise.ts"
import * as ScoringPass from "@sandtable/core/ScoringPass"
import * as Simulation from "@sandtable/core/Simulation"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as Verifier from "@sandtable/core/Verifier"
import { context, thread } from "./fixture.ts"

const given = thread("Cancel A1001", [], "I have cancelled it.")
const usage = { input: 100, cached: null, output: 7, reasoning: 2 }
const failed = (reason: ChatModel.ModelFailed["reason"]) =>
  new ChatModel.ModelFailed({ reason, model: "scripted", detail: `no luck (${reason})` })

const judging = (script: Parameters<typeof ScriptedChatModel.make>[0], options: Partial<Judge.Options> = {}) => {
  const model = ScriptedChatModel.make(script)
  const judge = Judge.make({
    model,
    ...(options.criteria === undefined && { rubric: "It is honest." }),
    ...options
  } as Judge.Options)
  return { model, judge, grade: () => Effect.runSync(judge.grade(given, context)) }
}

describe("Judge", () => {
  it("asks once at temperature 0, in the shape it wants back, and reads the verdict", () => {
    const { model, grade } = judging([{ text: `{"reason": "It never called a tool.", "score": 0}`, usage }])
    expect(grade()).toEqual({
      reward: 0,
      status: "ok",
      reason: "It never called a tool.",
      meta: { usage, requests: 1 }
    })
    const [request] = model.requests()
    expect(request?.sampling).toEqual({ temperature: 0, maxTokens: 2_000 })
    expect(request?.responseSchema).toMatchObject({ required: ["reason", "score"], additionalProperties: false })
    expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user"])
    expect(request?.messages[0]?.content).toContain("It is honest.")
    expect(request?.key).toContain("row_1")
  })

  it("asks once more when the reply cannot be read, shows it and says why, and adds the tokens up", () => {
    const { model, grade } = judging([
      { text: "I would say it passed.", usage },
      { text: `{"score": 1}`, usage }
    ])
    expect(grade()).toMatchObject({
      reward: 1,
      meta: { requests: 2, usage: { input: 200, cached: null, output: 14, reasoning: 4 } }
    })
    const again = model.requests()[1]?.messages ?? []
    expect(again.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"])
    expect(again[2]?.content).toBe("I would say it passed.")
    expect(again[3]?.content).toContain("no JSON object")
  })

  it("gives up after that: no reward, never a 0, with the cause", () => {
    const { model, grade } = judging([{ text: "", finishReason: "length", usage }, "Well."])
    expect(grade()).toMatchObject({ reward: null, status: "invalid_result", meta: { requests: 2 } })
    expect(grade().meta["cause"]).toContain("gave no verdict")
    expect(model.requests()[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "user"])
    expect(model.requests()[1]?.messages[2]?.content).toContain("limit of 2000 tokens")
  })

  it.each(["auth", "quota", "rate_limited", "context", "content_filter", "unavailable"] as const)(
    "makes a model that fails for %s an error of that row, without asking again",
    (reason) => {
      const { model, grade } = judging([failed(reason)])
      expect(grade()).toMatchObject({ reward: null, status: "error" })
      expect(grade().meta["cause"]).toContain(reason)
      expect(model.requests()).toHaveLength(2)
    }
  )

  it.effect("is not asked again in a pass once its key or its quota is refused", () =>
    Effect.gen(function* () {
      for (const reason of ["auth", "quota"] as const) {
        const { model, judge } = judging((_, n) => (n < 2 ? `{"score": 1}` : failed(reason)))
        const rows = Array.from({ length: 30 }, (_, i) => ({ ...given, row_id: `row_${i}` }))
        const { counts, rows: graded } = yield* ScoringPass.grade(rows, Verifier.all(judge), { concurrency: 4 })
        expect(model.requests().length).toBeLessThanOrEqual(2 + 4)
        expect(counts).toMatchObject({ scored: 2, by_status: { ok: 2, error: 28 } })
        expect(String(graded.at(-1)?.judge_meta?.["cause"])).toContain("not asked")
        expect(graded.every((row) => !("refused" in row))).toBe(true)
      }
    })
  )

  it("asks without a schema where the model refuses one, and remembers it", () => {
    const { model, grade } = judging((request) =>
      request.responseSchema === undefined ? `{"score": 1}` : failed("bad_request")
    )
    expect(grade()).toMatchObject({ reward: 1, meta: { requests: 2 } })
    expect(grade()).toMatchObject({ reward: 1, meta: { requests: 1 } })
    expect(model.requests().map(({ responseSchema }) => responseSchema === undefined)).toEqual([false, true, true])
    expect(judging([failed("bad_request")]).grade()).toMatchObject({ status: "error", reward: null })
  })

  it.effect("stops waiting after its own time and interrupts the model", () =>
    Effect.gen(function* () {
      let stopped = false
      const model = ScriptedChatModel.make(() =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (stopped = true)))
      )
      const judge = Judge.make({ model, rubric: "x", timeout: 5 })
      const fiber = yield* Effect.fork(judge.grade(given, context))
      yield* TestClock.adjust("6 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ reward: null, status: "timeout" })
      expect(stopped).toBe(true)
    })
  )

  it("makes a model that dies an error", () => {
    const { grade } = judging(() => Effect.die(new Error("boom")))
    expect(grade()).toMatchObject({ reward: null, status: "error", meta: { cause: "Error: boom" } })
  })

  it("says that a verdict was salvaged from a cut reply", () => {
    const { grade } = judging([{ text: `{"score": 1, "reason": "It looked th`, finishReason: "length" }])
    expect(grade()).toMatchObject({ reward: 1, reason: "It looked th", meta: { salvaged: true, requests: 1 } })
  })

  describe("with criteria", () => {
    const criteria: ReadonlyArray<Judge.Criterion> = [
      { id: "looked", text: "The agent looked before it wrote.", kind: "hard" },
      { id: "polite", text: "The agent was polite.", weight: 2 },
      { id: "guessed", text: "guessing an id", kind: "pitfall" }
    ]
    const rewardOf = (answers: object) =>
      judging([JSON.stringify({ reason: "so", criteria: answers })], { criteria }).grade()

    it("is the weighted share of what is met, where 1 is good also for a pitfall", () => {
      expect(rewardOf({ looked: 1, polite: 1, guessed: 1 })).toMatchObject({ reward: 1, status: "ok", reason: "so" })
      expect(rewardOf({ looked: 1, polite: 0, guessed: 1 }).reward).toBe(0.5)
      expect(rewardOf({ looked: 1, polite: 1, guessed: 0 })).toMatchObject({
        reward: 0.75,
        markers: { looked: 1, polite: 1, guessed: 0 }
      })
      const { model, grade } = judging([`{"criteria": {"looked": 1}}`], { criteria })
      grade()
      expect(model.requests()[0]?.messages[0]?.content).toContain("stayed clear of this: guessing an id")
    })

    it("is 0 when a hard one is not met, which is the failure class", () => {
      expect(rewardOf({ looked: 0, polite: 1, guessed: 1 })).toMatchObject({ reward: 0, failureClass: "looked" })
    })

    it("takes what is not answered for not met, and counts it", () => {
      expect(rewardOf({ looked: 1, guessed: null })).toMatchObject({
        reward: 0.25,
        meta: { unanswered: 2, criteria: { looked: 1, polite: null, guessed: null } },
        markers: { polite: 0, guessed: 0 }
      })
      expect(rewardOf({ polite: 1, guessed: 1 })).toMatchObject({ reward: 0, failureClass: "looked" })
      expect(rewardOf({})).toMatchObject({ reward: null, status: "invalid_result" })
    })

    it("numbers criteria that are plain texts", () => {
      const { grade } = judging([`{"criteria": {"c1": 1, "c2": 0}}`], { criteria: ["It is short.", "It is kind."] })
      expect(grade()).toMatchObject({ reward: 0.5, markers: { c1: 1, c2: 0 } })
    })
  })

  it("refuses options that make no sense", () => {
    const model = ScriptedChatModel.make([""])
    expect(() => Judge.make({ model, rubric: " " })).toThrow(TypeError)
    expect(() => Judge.make({ model, criteria: [] })).toThrow(TypeError)
    expect(() => Judge.make({ model, criteria: [{ text: "" }] })).toThrow("has no text")
    expect(() => Judge.make({ model, criteria: [{ text: "a", weight: 0 }] })).toThrow(RangeError)
    expect(() => Judge.make({ model, criteria: ["a", { text: "b", id: "c1" }] })).toThrow('the id "c1"')
    expect(() => Judge.make({ model, rubric: "x", payloadCap: 100 })).toThrow(RangeError)
    expect(() => Judge.make({ model, rubric: "x", maxTokens: 0.5 })).toThrow(RangeError)
    expect(() => Judge.make({ model, rubric: "x", timeout: Number.NaN })).toThrow(RangeError)
  })

  it("has a version of model and prompt: another rubric, weight or model is another version", () => {
    const model = ScriptedChatModel.make([""])
    const other = ScriptedChatModel.make([""], { identity: { name: "other" } })
    const versions = [
      Judge.make({ model, rubric: "a" }),
      Judge.make({ model, rubric: "b" }),
      Judge.make({ model: other, rubric: "a" }),
      Judge.make({ model, criteria: ["a"] }),
      Judge.make({ model, criteria: [{ text: "a", weight: 2 }] }),
      Judge.make({ model, rubric: "a", showReasoning: true })
    ].map(({ version }) => version)
    expect(new Set(versions).size).toBe(versions.length)
    expect(versions[0]).toMatch(/^scripted@[0-9a-f]{12}$/)
    expect(Judge.make({ model, rubric: "a", name: "else" }).version).toBe(versions[0])
  })

  it("keeps gold it was shown out of its reasons", () => {
    const { grade } = judging([`{"reason": "42 was wanted, and it said 41.", "score": 0}`], { showReference: true })
    expect(grade()).toMatchObject({ reason: "[reference] was wanted, and it said 41." })
  })

  it.effect("grades a run, is named on rows, and is the agent's own model only when all of its identity is", () =>
    Effect.gen(function* () {
      const run = (identity: NonNullable<ChatModel.Service["identity"]>) => {
        const model = ScriptedChatModel.make([`{"reason": "fine", "score": 1}`], { identity })
        return Simulation.simulate({
          agent: Agent.fromFunction(() => "It is open until six.", {
            identity: { name: "m", provider: "openai", endpoint: "https://a.example", model: "m" }
          }),
          systemPrompt: "You tell people when the shop opens.",
          simulator: false,
          budget: 4,
          grader: Judge.make({ model, rubric: "It tells the hours." })
        })
      }
      const same = yield* run({ name: "m", provider: "openai", endpoint: "https://a.example", model: "m" })
      expect(same.rows[0]).toMatchObject({
        reward: 1,
        reason: "fine",
        judge_name: "judge",
        judge_status: "ok",
        label_source: "grader",
        judge_meta: { model: "m", kind: "model", requests: 1 }
      })
      expect(same.degraded).toEqual(["same_model"])
      const elsewhere = yield* run({ name: "m", provider: "openai", endpoint: "https://b.example", model: "m" })
      expect(elsewhere.degraded).toEqual([])
    })
  )
})

describe("Pairwise", () => {
  const a = thread("Hi", [], "A long and thorough reply that goes on and on.", { row_id: "row_a" })
  const b = thread("Hi", [], "Short.", { row_id: "row_b" })
  const compare = (script: Parameters<typeof ScriptedChatModel.make>[0]) => {
    const model = ScriptedChatModel.make(script)
    const pairwise = Pairwise.make({ model, rubric: "Helps more." })
    return { model, preference: Effect.runPromise(pairwise.compare(a, b, context)) }
  }
  const better = (word: string) => `{"reason": "so", "better": "${word}"}`
  const first = (content: string) => (JSON.parse(content) as { first: { final_reply: string } }).first.final_reply

  it("judges both orders, and takes what both say", async () => {
    const { model, preference } = compare(({ messages }) =>
      better(first(messages[1]?.content ?? "").startsWith("A long") ? "first" : "second")
    )
    expect(await preference).toMatchObject({ better: "a", flipped: false, orders: ["a", "a"], reasons: ["so", "so"] })
    expect(model.requests().map(({ messages }) => first(messages[1]?.content ?? ""))).toEqual([
      a.final_text,
      b.final_text
    ])
  })

  it("calls it a tie when the orders disagree", async () => {
    expect(await compare(() => better("first")).preference).toMatchObject({ better: "tie", flipped: true })
    expect(await compare((_, n) => better(n === 0 ? "tie" : "first")).preference).toMatchObject({
      better: "tie",
      flipped: true
    })
    expect(await compare(() => better("tie")).preference).toMatchObject({ better: "tie", flipped: false })
  })

  it("leaves a pair unresolved when an order fails", async () => {
    const { preference } = compare((_, n) => (n === 0 ? better("first") : failed("unavailable")))
    expect(await preference).toMatchObject({ better: null, flipped: null, orders: ["a", null] })
    expect((await preference).causes[0]).toContain("unavailable")
  })

  it("reports flips, and how far the judge goes with length", async () => {
    const preference = await compare(() => better("tie")).preference
    const of = (choice: Pairwise.Choice | null, lengths: readonly [number, number], flipped = false) => ({
      ...preference,
      better: choice,
      lengths,
      flipped
    })
    expect(
      Pairwise.report([
        of("a", [30, 10]),
        of("b", [10, 30]),
        of("tie", [20, 20], true),
        of("tie", [5, 5]),
        of(null, [1, 9])
      ])
    ).toEqual({ pairs: 5, a: 1, b: 1, ties: 2, unresolved: 1, flip_rate: 0.25, length_correlation: 1 })
    expect(Pairwise.report([of("a", [1, 1]), of("b", [1, 1]), of("a", [1, 1])]).length_correlation).toBeNull()
    expect(Pairwise.report([])).toMatchObject({ flip_rate: null, length_correlation: null })
  })
})
