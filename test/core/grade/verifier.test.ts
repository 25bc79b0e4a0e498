import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Grader from "@sandtable/core/Grader"
import * as Verifier from "@sandtable/core/Verifier"
import { context, row } from "./fixture.ts"

const verify = (verifier: Grader.Service, reply: string, reference: unknown) =>
  Effect.runPromise(verifier.grade(row({ final_text: reply }), { ...context, privileged: { reference } }))

/** Verifier, reply, reference, reward. */
const cases: ReadonlyArray<readonly [string, Grader.Service, string, unknown, 0 | 1]> = [
  ["exact", Verifier.exactMatch(), "  Paris \n", "Paris", 1],
  ["exact", Verifier.exactMatch(), "paris", "Paris", 0],
  ["exact", Verifier.exactMatch({ ignoreCase: true }), "paris", ["Rome", "Paris"], 1],
  ["exact", Verifier.exactMatch(), "42", 42, 1],
  ["includes", Verifier.includes(), "It is Paris, in France.", "Paris", 1],
  ["includes", Verifier.includes(), "It is Paris.", ["Paris", "France"], 0],
  ["regex", Verifier.regex(), "order A1001 is open", "A\\d{4}", 1],
  ["regex", Verifier.regex(/^yes/i), "Yes, it is", undefined, 1],
  ["regex", Verifier.regex(/^yes$/g), "no", undefined, 0],
  ["choice", Verifier.multipleChoice(), "B", "B", 1],
  ["choice", Verifier.multipleChoice(), "(b)", "B) Paris", 1],
  ["choice", Verifier.multipleChoice(), "The answer is A river. So the answer is **C**.", "C", 1],
  ["choice", Verifier.multipleChoice(), "A is wrong and B is wrong. Answer: D", "A", 0],
  ["choice", Verifier.multipleChoice(), "I would say (C), it is cheaper.", "C", 1],
  ["choice", Verifier.multipleChoice(), "It is (A) or (C).", "C", 0],
  ["choice", Verifier.multipleChoice(), "So \\boxed{\\text{D}}", "D", 1],
  ["choice", Verifier.multipleChoice(), "I do not know.", "I", 0],
  ["numeric", Verifier.numeric(), "That makes $1,234.50 in all.", 1234.5, 1],
  ["numeric", Verifier.numeric(), "We add 3 and 4. The answer is 7, which is 1 more than 6.", "7", 1],
  ["numeric", Verifier.numeric(), "\\boxed{\\frac{3}{4}}", 0.75, 1],
  ["numeric", Verifier.numeric(), "It is 1 1/2 cups", "1.5", 1],
  ["numeric", Verifier.numeric(), "25%", "0.25", 1],
  ["numeric", Verifier.numeric(), "25%", 25, 1],
  ["numeric", Verifier.numeric(), "25", "25.0", 1],
  ["numeric", Verifier.numeric(), "−5", -5, 1],
  ["numeric", Verifier.numeric(), "from 10-5", 5, 1],
  ["numeric", Verifier.numeric(), "3.14", Math.PI, 0],
  ["numeric", Verifier.numeric({ absolute: 0.01 }), "3.14", Math.PI, 1],
  ["numeric", Verifier.numeric({ relative: 0.01 }), "6.02e23", 6.022e23, 1],
  ["numeric", Verifier.numeric(), "no idea", 3, 0],
  ["json", Verifier.jsonValid, '{"a": 1}', undefined, 1],
  ["json", Verifier.jsonValid, 'Here:\n```json\n{"a": 1}\n```\nDone.', undefined, 1],
  ["json", Verifier.jsonValid, "{a: 1}", undefined, 0],
  [
    "schema",
    Verifier.jsonSchema({ type: "object", required: ["at"], properties: { at: { format: "date" } } }),
    '{"at":"2024-05-01"}',
    undefined,
    1
  ],
  [
    "schema",
    Verifier.jsonSchema({ type: "object", properties: { at: { format: "date" } } }),
    '{"at":"May"}',
    undefined,
    0
  ],
  [
    "schema",
    Verifier.jsonSchema({ type: "array", prefixItems: [{ type: "number" }], items: false }),
    "[1, 2]",
    undefined,
    0
  ],
  ["schema", Verifier.jsonSchema(), "[1]", { type: "array" }, 1],
  ["schema", Verifier.jsonSchema(), "1 or so", { type: "array" }, 0],
  ["field", Verifier.jsonField("items.0.id"), '{"items":[{"id":"A1"}]}', "A1", 1],
  ["field", Verifier.jsonField("item"), '{"item":{"b":[1],"a":2}}', { a: 2, b: [1] }, 1],
  ["field", Verifier.jsonField("item"), '{"item":"1"}', 1, 0],
  ["field", Verifier.jsonField("constructor"), "{}", "x", 0]
]

describe("Verifiers", () => {
  it.each(cases)("%s %#: %s %j against %j", async (_, verifier, reply, reference, reward) => {
    expect(await verify(verifier, reply, reference)).toMatchObject({ reward, status: "ok" })
  })

  it("give no reward without a reference", async () => {
    const needing = [
      Verifier.exactMatch(),
      Verifier.includes(),
      Verifier.regex(),
      Verifier.multipleChoice(),
      Verifier.numeric(),
      Verifier.jsonSchema(),
      Verifier.jsonField("a"),
      Verifier.make({ name: "own", verify: () => true })
    ]
    for (const verifier of needing) {
      for (const none of [undefined, null]) {
        expect(await verify(verifier, "42", none)).toMatchObject({ reward: null, status: "missing_reward" })
      }
    }
  })

  it("give no reward for a reference they cannot use", async () => {
    expect(await verify(Verifier.numeric(), "42", "many")).toMatchObject({ reward: null, status: "error" })
    expect(await verify(Verifier.multipleChoice(), "A", "Paris")).toMatchObject({ reward: null, status: "error" })
    expect(await verify(Verifier.jsonSchema(), "1", { type: "no such type" })).toMatchObject({
      reward: null,
      status: "error"
    })
  })

  it("never give the reference away", async () => {
    const gold = "Quetzalcoatlus"
    const verifiers = [Verifier.exactMatch(), Verifier.includes(), Verifier.regex(), Verifier.jsonField("a")]
    for (const verifier of verifiers)
      expect(JSON.stringify(await verify(verifier, '{"a":"x"}', gold))).not.toContain(gold)
    expect(JSON.stringify(await verify(Verifier.regex(), "x", `${gold}(`))).not.toContain(gold)
    expect(JSON.stringify(await verify(Verifier.jsonSchema(), "{}", { required: [gold] }))).not.toContain(gold)
    const telling = Verifier.make({
      name: "telling",
      verify: (_reply, reference) => ({ reward: 0, reason: `It should be ${String(reference)}.` })
    })
    expect(await verify(telling, "x", gold)).toMatchObject({ reward: 0, reason: "It should be [reference]." })
    const throwing = Verifier.make({
      name: "throwing",
      verify: (_reply, reference) => {
        throw new Error(`not ${String(reference)}`)
      }
    })
    expect((await verify(throwing, "x", gold)).meta["cause"]).toBe("Error: not [reference]")
  })

  it("are combined without turning a missing verdict into one", async () => {
    const pass = Grader.make({ name: "pass", grade: () => 1 })
    const half = Grader.make({ name: "half", grade: () => ({ reward: 0.5, reason: "so so" }) })
    const fail = Grader.make({ name: "fail", grade: () => ({ reward: 0, failure_class: "bad" }) })
    const none = Grader.make({ name: "none", grade: () => "?" })
    const reward = async (verifier: Grader.Service) => (await verify(verifier, "x", 1)).reward
    expect(await reward(Verifier.all(pass, half))).toBe(0.5)
    expect(await reward(Verifier.all(none, fail))).toBe(0)
    expect(await reward(Verifier.all(none, half))).toBeNull()
    expect(await reward(Verifier.any(fail, half))).toBe(0.5)
    expect(await reward(Verifier.any(none, pass))).toBe(1)
    expect(await reward(Verifier.any(none, fail))).toBeNull()
    expect(await reward(Verifier.weighted([pass, 3], [fail, 1]))).toBe(0.75)
    expect(await reward(Verifier.weighted([pass, 3], [none, 1]))).toBeNull()
    expect(() => Verifier.weighted([pass, 0])).toThrow(RangeError)
    expect(await verify(Verifier.all(half, fail), "x", 1)).toMatchObject({
      reason: "half: so so",
      failureClass: "bad",
      meta: {
        parts: [
          { name: "half", reward: 0.5 },
          { name: "fail", reward: 0 }
        ]
      }
    })
    expect(await verify(Verifier.all(none, half), "x", 1)).toMatchObject({ status: "invalid_result" })
    expect(Verifier.all(pass, half).name).toBe("all(pass, half)")
  })
})
