import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Mutation from "../../../packages/core/src/situation/Mutation.ts"
import * as NearCopies from "../../../packages/core/src/language/NearCopies.ts"
import * as Randomness from "@sandtable/core/Randomness"
import { Cut, join, onWords } from "../../../packages/core/src/situation/internal/spans.ts"

const draws = (...path: ReadonlyArray<string | number>) => Randomness.make(7).stream(path)

const ask =
  "Hi, I want to cancel my pending order #W2378156 because I no longer need it. Please write to mia.li@example.com on March 3 (not my old one). See https://shop.example.com/o?id=77&x=1 and run `order --cancel W-9_a`."
const identifiers = [
  "#W2378156",
  "mia.li@example.com",
  "https://shop.example.com/o?id=77&x=1",
  "`order --cancel W-9_a`"
]

const word = FastCheck.constantFrom(
  "please",
  "cancel",
  "my",
  "order",
  "and",
  "refund",
  "it",
  "today",
  "because",
  "Okay",
  "the"
)
const identifier = FastCheck.constantFrom(
  "#W1",
  "A-1001",
  "ord_77",
  "mia@x.org",
  "https://a.b/c?d=1",
  "`rm -rf x`",
  "C:\\x\\y.txt",
  "ZFA04Y",
  "XEWRDQ",
  "camelCaseId",
  "6086499569"
)
const mark = FastCheck.constantFrom(" ", " ", " ", ", ", ". ", "? ", "\n")
const text = FastCheck.array(
  FastCheck.tuple(FastCheck.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: identifier }), mark),
  {
    minLength: 1,
    maxLength: 25
  }
).map((parts) => parts.flat().join(""))

describe("mutate", () => {
  it.prop(
    "changes every text, and no identifier, e-mail address, URL or code of it",
    [text, FastCheck.nat(), FastCheck.constantFrom(...Mutation.operators)],
    ([parent, seed, operator]) => {
      for (const operators of [Mutation.operators, [operator]]) {
        const mutant = Mutation.mutate(parent, { draws: draws("p", seed), other: "Where is parcel PX-77?", operators })
        if (operators.length > 1) expect(mutant).toBeDefined()
        if (mutant === undefined) continue
        expect(NearCopies.normalise(mutant.text)).not.toBe(NearCopies.normalise(parent))
        for (const token of parent.match(
          /#W1|A-1001|ord_77|mia@x\.org|https:\/\/a\.b\/c\?d=1|`rm -rf x`|C:\\x\\y\.txt|ZFA04Y|XEWRDQ|camelCaseId|6086499569/g
        ) ?? []) {
          expect(mutant.text).toContain(token)
        }
      }
    }
  )

  it("keeps ids that look like plain words when told of them", () => {
    for (let i = 0; i < 300; i++) {
      const mutant = Mutation.mutate("please move the acme corp account to globex", {
        draws: draws("w", i),
        keep: ["acme corp", "globex"]
      })
      expect(mutant?.text).toContain("acme corp")
      expect(mutant?.text).toContain("globex")
    }
  })

  it("uses every operator, about evenly, on an ask that all of them fit", () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 1400; i++) {
      const mutant = Mutation.mutate(ask, { draws: draws("even", i), other: "And where is my parcel?" })
      counts.set(mutant!.operator, (counts.get(mutant!.operator) ?? 0) + 1)
    }
    for (const operator of Mutation.operators) expect(counts.get(operator) ?? 0).toBeGreaterThan(50)
  })

  it("is the same for the same draws and another for others", () => {
    const made = Array.from({ length: 50 }, (_, i) => Mutation.mutate(ask, { draws: draws("same", i) })?.text)
    expect(Array.from({ length: 50 }, (_, i) => Mutation.mutate(ask, { draws: draws("same", i) })?.text)).toEqual(made)
    expect(new Set(made).size).toBeGreaterThan(25)
  })

  it("joins with the other ask only when there is one", () => {
    const joined = Mutation.mutate("Cancel A-1.", { draws: draws("j"), other: "Where is B-2?", operators: ["join"] })
    expect(joined?.text).toContain("A-1")
    expect(joined?.text).toContain("Where is B-2?")
    expect(Mutation.mutate("Cancel A-1.", { draws: draws("j"), operators: ["join"] })).toBeUndefined()
  })

  const one = (operator: Mutation.Operator, seed = 0): string =>
    Mutation.mutate(ask, { draws: draws(operator, seed), operators: [operator] })?.text ?? ""

  it("does what each operator says", () => {
    expect(one("truncate").length).toBeLessThan(ask.length)
    expect(one("drop_specifics").length).toBeLessThan(ask.length)
    expect(one("duplicate").length).toBeGreaterThan(ask.length + 10)
    expect(one("contradict").startsWith(ask)).toBe(true)
    expect(one("followup_correction").startsWith(ask)).toBe(true)
    expect(one("list_form")).toMatch(/\n(?:1\.|-|1\)) /)
    expect(one("drop_punctuation")).not.toMatch(/, |\. |\.$/)
    expect(one("reorder").split(/\s+/).length).toBe(ask.split(/\s+/).length)
    expect(one("quote")).toMatch(/[>"-]/)
    expect(one("structured_payload")).toMatch(/request|Body: |type: /)
    for (const identifier of identifiers) expect(one("typo")).toContain(identifier)
  })

  it("gives nothing for a text without words", () => {
    expect(Mutation.mutate("   ", { draws: draws("none") })).toBeUndefined()
  })

  const stay = "Hi, find rooms from April 19 to April 21, 2025 for 2 guests? I wrote on Monday. Thanks a lot!"
  const mutants = (parent: string, operator: Mutation.Operator) =>
    Array.from({ length: 30 }, (_, i) =>
      Mutation.mutate(parent, {
        draws: draws("stay", operator, i),
        other: "Hello there. Cancel my booking BKG-7777.",
        operators: [operator]
      })
    ).flatMap((mutant) => mutant?.text ?? [])

  it("drops a stay whole or not at all", () => {
    for (const text of mutants(stay, "drop_specifics")) {
      expect(text.includes("from April 19 to April 21, 2025") || !/April|2025/.test(text), text).toBe(true)
    }
  })

  it("makes no list, quote or run-on sentence of what is in the shape of JSON", () => {
    const payload = '{"request": "cancel my booking BKG-1234, please. It is late.", "priority": "high"}'
    for (const operator of ["list_form", "drop_punctuation", "reorder", "quote", "structured_payload"] as const) {
      expect(mutants(payload, operator)).toEqual([])
    }
  })

  it("joins two asks as two requests of one message, greeted and thanked once", () => {
    for (const text of mutants(stay, "join")) {
      expect(text).toMatch(/\n\n/)
      expect(text.match(/\b(?:hi|hello)\b/gi)?.length).toBe(1)
    }
  })
})

describe("a text cut up", () => {
  const odd = FastCheck.array(
    FastCheck.oneof(
      word,
      identifier,
      mark,
      FastCheck.string(),
      FastCheck.constantFrom("é", "Ünü", "Ⓐ", "ß", "a\u0301")
    ),
    { maxLength: 20 }
  ).map((parts) => parts.join(""))

  it.prop("gives the text back, and changes word by word what it changes in stretches", [odd], ([text]) => {
    const cut = new Cut(text, ["order", "ord_77"])
    expect(join(cut.spans)).toBe(text)
    const loud = cut.spans.map(({ kind, text: part }) => (kind === "word" ? part.toUpperCase() : part)).join("")
    expect(cut.altered((between) => onWords(between, (part) => part.toUpperCase()))).toBe(loud)
  })

  it("keeps what is more than words", () => {
    const kept = (text: string) => new Cut(text).spans.filter(({ kind }) => kind === "kept").map((span) => span.text)
    expect(kept("Don't touch well-known O'Hara, please... (order,now) Yes!Now")).toEqual([])
    expect(kept('See (A-1001), iPhone 7 in NY: "as is" or a.txt; naïve é1!')).toEqual([
      "A-1001",
      "iPhone",
      "7",
      "NY",
      '"as is"',
      "a.txt",
      "é1"
    ])
  })
})
