import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as VerdictReader from "../../../packages/core/src/grade/VerdictReader.ts"

const none = null
const fence = "```"

/** Replies of judges asked for `{ "reason", "score": 0 | 1 }`, and what each says: 1, 0, or no verdict. */
const replies: ReadonlyArray<readonly [what: string, reply: string, verdict: 0 | 1 | null]> = [
  // as asked for
  ["the object alone", `{"reason": "It looked first.", "score": 1}`, 1],
  ["a zero", `{"reason": "It made the id up.", "score": 0}`, 0],
  ["the score first", `{"score": 1, "reason": "fine"}`, 1],
  ["no reason", `{"score": 0}`, 0],
  ["space around", `\n\n   {"score":1}  \n`, 1],
  ["pretty printed", `{\n  "reason": "It told the failure.",\n  "score": 1\n}`, 1],
  ["a byte order mark before it", `\ufeff{"score": 1}`, 1],
  ["a decimal", `{"score": 1.0}`, 1],
  ["an exponent", `{"score": 1e0}`, 1],
  ["true", `{"score": true}`, 1],
  ["false", `{"score": false, "reason": "no"}`, 0],
  ["reward for score", `{"reward": 1}`, 1],
  ["both and equal", `{"reward": 0, "score": false}`, 0],
  ["further keys", `{"confidence": 0.3, "score": 1, "steps": [{"n": 0}]}`, 1],
  ["a broken line in a text", `{"reason": "It said\nhello", "score": 1}`, 1],
  ["quotes and braces in the reason", `{"reason": "It sent {\\"score\\": 0} and }{ to a tool", "score": 1}`, 1],
  ["a fence in the reason", `{"reason": "${fence}json {} ${fence}", "score": 0}`, 0],
  ["an emoji and a lone half of one", `{"reason": "👩‍👩‍👧 \\ud83d", "score": 1}`, 1],
  ["a key named __proto__", `{"__proto__": {"score": 0}, "score": 1}`, 1],
  // fences and prose
  ["a fence", `${fence}json\n{"score": 1}\n${fence}`, 1],
  ["a fence without a language", `${fence}\n{"score": 0}\n${fence}`, 0],
  ["a fence that never closes", `${fence}json\n{"score": 1}`, 1],
  ["prose before", `Here is my verdict:\n{"score": 0, "reason": "late"}`, 0],
  ["prose after", `{"score": 1}\n\nI hope this helps!`, 1],
  ["prose with braces before", `The call {order_id} was right, see {}. {"score": 1}`, 1],
  ["prose with an open brace", `Rules live in { and so on. {"score": 1}`, 1],
  ["an apostrophe and a quote in prose", `It's "fine", isn't it {"score": 1}`, 1],
  ["another object quoted before", `It called get_order with {"order_id": "A1001"}. {"score": 0}`, 0],
  ["another object quoted after", `{"score": 0} because of {"order_id": "A1001"}`, 0],
  ["the form repeated before", `I answer in the form {"reason": "...", "score": 0 or 1}:\n{"score": 1}`, 1],
  ["a placeholder that is JSON before", `{"reason": "<text>", "score": "<0 or 1>"}\n{"score": 1}`, 1],
  ["in a list of one", `[{"score": 1, "reason": "good"}]`, 1],
  ["a heading and a rule", `## Verdict\n---\n{"score": 0}\n---`, 0],
  // thinking
  ["thinking before", `<think>Let me see: {"score": 0}? No.</think>\n{"score": 1}`, 1],
  ["thinking whose beginning is not shown", `{"score": 0} at first sight, but no.\n</think>\n{"score": 1}`, 1],
  ["thinking under another name", `<reasoning>{"score": 1}</reasoning>{"score": 0}`, 0],
  ["thinking in brackets", `[THINK]maybe {"score": 1}[/THINK]{"score": 0}`, 0],
  ["thinking in tags of other families", `<seed:think>{"score": 0}</seed:think>{"score": 1}`, 1],
  ["thinking in tags with space or attributes", `<think id="1">{"score": 0}</think >{"score": 1}`, 1],
  ["a scratchpad", `<scratchpad>{"score": 0}</scratchpad>{"score": 1}`, 1],
  ["thinking between tokens", `<|begin_of_thought|>{"score": 0}<|end_of_thought|>{"score": 1}`, 1],
  ["thinking in triangles", `◁think▷{"score": 0}◁/think▷{"score": 1}`, 1],
  [
    "channels",
    `<|channel|>analysis<|message|>{"score": 0}?<|end|><|start|>assistant<|channel|>final<|message|>{"score": 1}`,
    1
  ],
  ["thinking twice", `<think>a</think>hm<think>{"score": 0}</think>{"score": 1}`, 1],
  ["a thinking mark inside the reason", `{"reason": "The reply shows <think> to the person", "score": 0}`, 0],
  ["thinking that never ends", `<think>First, {"score": 1} would be`, none],
  ["thinking alone", `<think>It is good.</think>`, none],
  ["a verdict before thinking ends", `{"score": 1}</think>`, none],
  // more than one
  ["two that agree", `{"score": 1, "reason": "a"}\n{"score": 1, "reason": "b"}`, 1],
  ["two that agree in other words", `{"score": 1}\n{"reward": true}`, 1],
  ["two that disagree", `{"score": 0}\nOn second thought: {"score": 1}`, none],
  ["three of which one disagrees", `{"score": 1} {"score": 0} {"score": 1}`, none],
  ["a list that disagrees", `[{"score": 1}, {"score": 0}]`, none],
  ["a broken one after a whole one", `{"score": 1}\nBetter: {'score': 0}`, none],
  ["a broken one that never closes after a whole one", `{"score": 1}\nBetter: {'score': 0, 'reason': "it's`, none],
  ["a cut one after a whole one", `{"score": 1}\nWait: {"reason": "It did not`, none],
  ["score and reward that disagree", `{"score": 1, "reward": 0}`, none],
  ["the key twice with different values", `{"score": 1, "reason": "x", "score": 0}`, none],
  ["the key twice with one value", `{"score": 1, "score": 1}`, 1],
  // cut
  ["cut in the reason, after the score", `{"score": 1, "reason": "The agent looked the order up and the`, 1],
  ["cut right after the comma", `{"score": 0,`, 0],
  ["cut after true", `{"score": true`, 1],
  ["cut in an escape", `{"score": 0, "reason": "It said \\u00`, 0],
  ["cut after a number that may go on", `{"score": 1`, none],
  ["cut in a number", `{"score": 0.`, none],
  ["cut in a word", `{"score": tru`, none],
  ["cut before the score", `{"reason": "The agent did look, so the score is 1`, none],
  ["cut at the key", `{"reason": "fine", "score":`, none],
  ["cut after the brace", `My verdict: {`, none],
  ["cut, with a whole object inside", `{"reason": "x", "details": {"score": 1}`, none],
  // not what was asked for
  ["true in a text", `{"score": "true"}`, none],
  ["a number in a text", `{"score": "1"}`, none],
  ["yes", `{"score": "yes"}`, none],
  ["pass", `{"verdict": "pass"}`, none],
  ["null", `{"score": null}`, none],
  ["a half", `{"score": 0.5}`, none],
  ["a rating", `{"score": 4}`, none],
  ["below", `{"score": -1}`, none],
  ["a list for a score", `{"score": [1]}`, none],
  ["score beside a null reward", `{"score": 1, "reward": null}`, none],
  ["nested only", `{"result": {"score": 1}}`, none],
  ["no JSON", `The score is 1.`, none],
  ["a bare number", `1`, none],
  ["single quotes", `{'score': 1}`, none],
  ["a trailing comma", `{"score": 1,}`, none],
  ["a comment", `{"score": 1 /* good */}`, none],
  ["a leading zero", `{"score": 01}`, none],
  ["a plus", `{"score": +1}`, none],
  ["NaN", `{"score": NaN}`, none],
  ["empty", ``, none],
  ["blank", ` \n `, none],
  ["a refusal", `I'm sorry, I can't judge this conversation.`, none],
  ["JSON in a JSON text", `"{\\"score\\": 1}"`, none]
]

describe("VerdictReader", () => {
  it.each(replies)("reads %s", (_, reply, verdict) => {
    const reading = VerdictReader.read(reply)
    expect(Either.isRight(reading) ? reading.right.verdict : null).toBe(verdict)
  })

  it("says in words why there is no verdict, each in its own", () => {
    const why = (reply: string) => Either.getOrThrow(Either.flip(VerdictReader.read(reply)))
    expect(why("")).toBe("it is empty")
    expect(why("The score is 1.")).toContain("no JSON object")
    expect(why("<think>hm")).toContain("thinking")
    expect(why(`{"score": 0} {"score": 1}`)).toContain("disagree")
    expect(why(`{"reason": "it`)).toContain("cut off")
    expect(why(`{"score": "true"}`)).toContain("0 or 1")
    expect(why(`{'score': 1}`)).toContain("broken")
  })

  it("keeps the reason, also of a cut reply, and says that it was cut", () => {
    expect(VerdictReader.read(`{"score": 1, "reason": "It looked \\"A1\\" up and th`)).toEqual(
      Either.right({ verdict: 1, reason: 'It looked "A1" up and th', salvaged: true })
    )
    expect(VerdictReader.read(`{"score": 1}`)).toEqual(Either.right({ verdict: 1, reason: null, salvaged: false }))
  })

  it("reads answers to criteria; what is left out or null is unanswered, and one answer is needed", () => {
    const form = VerdictReader.criteria(["a", "b", "toString"])
    const read = (reply: string) => Either.getOrNull(VerdictReader.read(reply, form))?.verdict ?? null
    expect({ ...read(`{"criteria": {"a": 1, "b": 0, "toString": true}}`) }).toEqual({ a: 1, b: 0, toString: 1 })
    expect({ ...read(`{"criteria": {"b": 0, "other": 7}}`) }).toEqual({ a: null, b: 0, toString: null })
    expect({ ...read(`{"criteria": {"a": null, "b": 1}, "reason": "x"}`) }).toEqual({ a: null, b: 1, toString: null })
    expect(read(`{"criteria": {"a": "true", "b": 1}}`)).toBeNull()
    expect(read(`{"criteria": {"a": 0.5, "b": 1}}`)).toBeNull()
    expect(read(`{"criteria": {}}`)).toBeNull()
    expect(read(`{"criteria": [1, 0]}`)).toBeNull()
    expect(read(`{"criteria": {"a": 1, "b": 0, "toString": 1}, "reason": "cut he`)).not.toBeNull()
    expect(read(`{"criteria": {"a": 1, "b": 0,`)).toBeNull()
    expect(read(`{"criteria": {"a": 1}} {"criteria": {"a": 0}}`)).toBeNull()
  })

  it("reads a share and a choice", () => {
    expect(Either.getOrNull(VerdictReader.read(`{"score": 0.25}`, VerdictReader.share))?.verdict).toBe(0.25)
    expect(Either.isLeft(VerdictReader.read(`{"score": 1.5}`, VerdictReader.share))).toBe(true)
    const form = VerdictReader.choice("better", ["first", "second", "tie"])
    expect(Either.getOrNull(VerdictReader.read(`{"better": "second"}`, form))?.verdict).toBe("second")
    expect(Either.isLeft(VerdictReader.read(`{"better": "the second"}`, form))).toBe(true)
    expect(Either.isLeft(VerdictReader.read(`{"better": "tie`, form))).toBe(true)
  })

  it.prop("never throws, whatever is written", [FastCheck.string({ unit: "binary", maxLength: 200 })], ([text]) => {
    VerdictReader.read(text)
    VerdictReader.read(`{"score": ${text}`)
    VerdictReader.read(`{${text}}{"score": 1}`)
  })

  it.prop(
    "gives back what JSON holds, with anything around it that is no object",
    [
      FastCheck.string({ unit: "binary" }),
      FastCheck.constantFrom<0 | 1>(0, 1),
      FastCheck.stringMatching(/^[a-z .,\n]*$/)
    ],
    ([reason, score, prose]) => {
      const reading = VerdictReader.read(`${prose}${JSON.stringify({ reason, score })}${prose}`)
      expect(reading).toEqual(Either.right({ verdict: score, reason, salvaged: false }))
    }
  )

  it("reads a long reply of braces in little time", () => {
    expect(Either.isLeft(VerdictReader.read("{".repeat(20_000)))).toBe(true)
    expect(Either.isLeft(VerdictReader.read(`{"a":`.repeat(5_000)))).toBe(true)
  })
})
