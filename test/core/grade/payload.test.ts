import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import type { GraderContext } from "@sandtable/core/Grader"
import * as Judge from "@sandtable/core/Judge"
import type { Row, Step } from "@sandtable/core/Row"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import { call, context, row, thread, tool } from "./fixture.ts"

/** What a judge is shown of a row. */
const shown = (given: Row, options: Partial<Judge.Options> = {}, about: GraderContext = context) => {
  const model = ScriptedChatModel.make([`{"score": 1}`])
  const judge = Judge.make({ model, rubric: "It is good.", ...options } as Judge.Options)
  const verdict = Effect.runSync(judge.grade(given, about))
  const text = model.requests()[0]?.messages[1]?.content ?? ""
  return { text, json: JSON.parse(text) as Record<string, unknown>, verdict }
}

const desk: GraderContext = {
  ...context,
  tools: ToolSet.make(["get_order", "cancel_order", "refund_order"].map((name) => tool(name))),
  systemPrompt: "Look before you write."
}

/** `n` calls with results of `size` characters each, a mark in every one. */
const long = (n: number, size: number): Row =>
  thread(
    "MARK-ASK please cancel my order",
    Array.from({ length: n }, (_, i): Step =>
      i % 2 === 0
        ? call("get_order", { order_id: `MARK-ARG-${i}` }, { data: `MARK-${i} ${"x".repeat(size)}` })
        : { text: `MARK-${i} I am looking at it. ${"y".repeat(size)}` }
    ),
    "MARK-FINAL I have cancelled it."
  )

describe("Payload of a judge", () => {
  it("shows the tools called and not called first, then the thread, the final reply last", () => {
    const given = thread(
      "Cancel A1001",
      [call("get_order", { order_id: "A1001" }, { status: "open" }), call("get_order", { order_id: "A1001" }, {})],
      "Done."
    )
    const { json, verdict } = shown(given, {}, desk)
    expect(Object.keys(json)).toEqual(["tools_called", "tools_not_called", "policy", "ask", "steps", "final_reply"])
    expect(json).toMatchObject({
      tools_called: [{ tool: "get_order", times: 2 }],
      tools_not_called: ["cancel_order", "refund_order"],
      policy: "Look before you write.",
      ask: "Cancel A1001",
      final_reply: "Done."
    })
    expect((json["steps"] as ReadonlyArray<unknown>)[1]).toEqual({
      call: "get_order",
      arguments: { order_id: "A1001" },
      status: "ok",
      result: { status: "open" }
    })
    expect(verdict.meta).not.toHaveProperty("payload_reduced")
  })

  it("shows no thinking and no gold unless asked, and what the run hides never", () => {
    const given = thread("Hi", [{ text: "A first line.", reasoning: "SECRET-THOUGHT" }], "Bye.", {
      plan: { world_seed: 1, need: "SECRET-NEED", facts: {}, traits: {}, entity: null },
      faults: [{ tool: "get_order", mode: "timeout", count: 1 }],
      seeded: ["SECRET-SEEDED"],
      reason: "SECRET-VERDICT"
    })
    const about = { ...context, privileged: { reference: "SECRET-GOLD" } }
    expect(shown(given, {}, about).text).not.toContain("SECRET")
    const asked = shown(given, { showReasoning: true, showReference: true }, about).text
    expect(asked).toContain("SECRET-THOUGHT")
    expect(asked).toContain("SECRET-GOLD")
    expect(asked).not.toMatch(/SECRET-(NEED|SEEDED|VERDICT)/)
  })

  it.each([
    ["200 steps of 200 kB", 200, 200_000],
    ["200 steps of 1 kB", 200, 1_000],
    ["1000 short steps", 1_000, 10],
    ["four steps of 200 kB", 4, 200_000]
  ])("keeps %s under the cap, with the first and last two steps and the final reply", (_, n, size) => {
    for (const payloadCap of [4_000, 60_000]) {
      const { text, json, verdict } = shown(long(n, size), { payloadCap }, desk)
      expect(text.length).toBeLessThanOrEqual(payloadCap)
      expect(text.length).toBeGreaterThan(payloadCap * 0.8)
      for (const mark of ["MARK-ASK", "MARK-ARG-0", "MARK-0", `MARK-${n - 1}`, "MARK-FINAL I have cancelled it."]) {
        expect(text).toContain(mark)
      }
      expect(json["payload_reduced"]).toBe(true)
      expect(verdict.meta["payload_reduced"]).toBe(true)
      const steps = json["steps"] as ReadonlyArray<{ readonly left_out?: string }>
      const leftOut = steps.flatMap(({ left_out }) => (left_out === undefined ? [] : [Number.parseInt(left_out, 10)]))
      expect(steps.length - leftOut.length + (leftOut[0] ?? 0)).toBe(n + 2)
    }
  })

  it("says how much of a text is missing", () => {
    const { text } = shown(thread("Hi", [{ text: "z".repeat(50_000) }], "Bye."), { payloadCap: 10_000 })
    const missing = Number(/\[(\d+) characters left out\]/.exec(text)?.[1])
    expect(missing + (text.match(/z/g)?.length ?? 0)).toBe(50_000)
  })

  it("shortens steps before the ask, and the final reply last of all", () => {
    const words = "word ".repeat(600)
    const given = thread(`ASK ${words}`, [{ text: `STEP ${"s".repeat(9_000)}` }], `FINAL ${words}END`)
    const some = shown(given, { payloadCap: 8_000 })
    expect(some.json["ask"]).toBe(given.prompt)
    expect(some.json["final_reply"]).toBe(given.final_text)
    const more = shown(given, { payloadCap: 5_000 })
    expect(more.json["ask"]).not.toBe(given.prompt)
    expect(more.json["final_reply"]).toBe(given.final_text)
    const all = shown({ ...given, final_text: `FINAL ${"word ".repeat(4_000)}END` }, { payloadCap: 4_500 })
    expect(all.text.length).toBeLessThanOrEqual(4_500)
    expect(all.json["final_reply"]).toMatch(/^FINAL .* \[\d+ characters left out\] .*END$/)
  })

  it("does not let a long policy hide the steps", () => {
    const { json } = shown(long(20, 1_000), { payloadCap: 20_000 }, { ...desk, systemPrompt: "p ".repeat(40_000) })
    expect(String(json["policy"]).length).toBeLessThanOrEqual(5_000)
    expect(JSON.stringify(json["steps"]).length).toBeGreaterThan(10_000)
  })

  it("bears thousands of tools and names without end", () => {
    const tools = ToolSet.make(Array.from({ length: 3_000 }, (_, i) => tool(`tool_${i}_${"n".repeat(40)}`)))
    const given = thread("Hi", [call("q".repeat(5_000), {}, "r")], "Bye.")
    const { text, json } = shown(given, { payloadCap: 4_000 }, { ...desk, tools, systemPrompt: "p".repeat(9_000) })
    expect(text.length).toBeLessThanOrEqual(4_000)
    expect((json["tools_not_called"] as ReadonlyArray<string>).at(-1)).toMatch(/^\d+ more$/)
  })

  const pieces = ["👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "é", "e\u0301", "日本", '"', "\\", "\n", "\u0001", "a", " ", "❤️"]
  it.prop(
    "is valid JSON under the cap whatever is said, and splits no character",
    [
      FastCheck.array(FastCheck.constantFrom(...pieces), { minLength: 400, maxLength: 3_000 }),
      FastCheck.integer({ min: 4_000, max: 9_000 })
    ],
    ([said, payloadCap]) => {
      const text = said.join("")
      const given = row({
        prompt: text,
        steps: [{ user: text }, call("get_order", { note: text }, { text, list: [text] }), { text: `${text}!` }],
        final_text: text
      })
      const { text: payload, json } = shown(given, { payloadCap }, { ...context, systemPrompt: text })
      expect(payload.length).toBeLessThanOrEqual(payloadCap)
      const told = [json["policy"], json["ask"], json["final_reply"]].map(String)
      for (const part of told) {
        expect(JSON.stringify(part)).not.toMatch(/\\ud[89a-f]/)
        const [head = "", tail = ""] = part.split(/ ?\[\d+ characters left out\] ?/)
        expect(head).not.toMatch(/\u200d$/)
        expect(tail).not.toMatch(/^(?:\u200d|\u0301|\ufe0f|[\u{1f3fb}-\u{1f3ff}])/u)
        for (const end of [head, tail]) expect((end.match(/[\u{1f1e6}-\u{1f1ff}]/gu)?.length ?? 0) % 2).toBe(0)
      }
    },
    { fastCheck: { numRuns: 40 } }
  )
})
