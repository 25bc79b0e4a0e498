import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Lexical from "@sandtable/core/Lexical"
import * as NearCopies from "@sandtable/core/NearCopies"

const words = FastCheck.array(FastCheck.constantFrom("cancel", "my", "order", "please", "the", "refund", "A1", "B2"), {
  minLength: 1,
  maxLength: 12
}).map((list) => list.join(" "))

describe("normalise", () => {
  it("makes texts equal that differ in case, punctuation, width, encoding of accents or white space", () => {
    const normal = NearCopies.normalise("Don't cancel my café order")
    for (const text of [
      "dont  cancel\nmy café order!!",
      "DON’T CANCEL MY CAFE\u0301 ORDER",
      "ｄon't, cancel: my café-order"
    ]) {
      expect(NearCopies.normalise(text)).toBe(normal)
    }
  })

  it("keeps texts apart that differ in a word, a number or a script", () => {
    const texts = ["order A1", "order A2", "order A-1 1", "заказ 1", "注文 1", "?", "!"]
    expect(new Set(texts.map(NearCopies.normalise)).size).toBe(texts.length)
  })

  it.prop("reads a text in ASCII as it reads it among other letters", [FastCheck.string()], ([text]) => {
    const alone = NearCopies.normalise(`a ${text} z`)
    expect(NearCopies.normalise(`é ${text} ü`)).toBe(`é${alone.slice(1, -1)}ü`)
  })

  const alike = FastCheck.array(FastCheck.constantFrom(..."aAbB1 -'’\n\u0301éＡſİi̇?".split("")), { maxLength: 5 }).map(
    (list) => list.join("")
  )
  it.prop("tells texts of one normal form from others without making it", [alike, alike], ([a, b]) => {
    expect(Lexical.isSame(a, b)).toBe(NearCopies.normalise(a) === NearCopies.normalise(b))
    expect(Lexical.isSame(a, ` ${a.toUpperCase()}!`)).toBe(
      NearCopies.normalise(a) === NearCopies.normalise(` ${a.toUpperCase()}!`)
    )
  })
})

describe("shingles", () => {
  it.prop("are shared by texts that have as many words in a row in common", [words, words, words], ([a, b, run]) => {
    const size = run.split(" ").length
    const of = (text: string) => Lexical.shingles(text, size)
    expect(of(`${a} ${run} ${b}`)).toContain(of(run)[0])
    expect(of(`${b}, ${run.toUpperCase()}! ${a}`)).toContain(of(run)[0])
    expect(of(`${a} ${run} ${b}`)).not.toContain(of(`x${run}`)[0])
    expect(Lexical.shingles(run, size + 1)).toEqual([])
  })
})

describe("similarity", () => {
  it("is 1 for equal asks, high for near copies and low for others", () => {
    const ask = "Can you please cancel my pending order #W2378156 because I no longer need it?"
    expect(NearCopies.similarity(ask, ask.toUpperCase())).toBe(1)
    expect(NearCopies.similarity(ask, ask.replace("please ", ""))).toBeGreaterThan(0.85)
    expect(NearCopies.similarity(ask, "What is the weather in Oslo tomorrow?")).toBeLessThan(0.1)
  })
})

describe("the index", () => {
  it("finds a near copy and says which text it copies", () => {
    const index = NearCopies.make()
    index.add("where is my parcel")
    index.add("I would like to cancel order #W1 today and get my money back to my card please")
    const match = index.nearest("i would like to cancel order #W1 today and get the money back to my card, please")
    expect(match?.index).toBe(1)
    expect(match?.similarity).toBeGreaterThanOrEqual(0.9)
    expect(index.nearest("something else entirely")).toBeUndefined()
  })

  it("keeps texts once that are equal after normalisation", () => {
    const index = NearCopies.make()
    expect(index.add("Hello there")).toBe(0)
    expect(index.add("hello, THERE!")).toBe(0)
    expect(index.add("hello you")).toBe(1)
    expect(index.size()).toBe(2)
    expect(index.has("HELLO there")).toBe(true)
  })

  it.prop(
    "gives the same answer as comparing with every text",
    [FastCheck.array(words, { minLength: 1, maxLength: 40 }), words, FastCheck.constantFrom(0, 0.3, 0.6, 0.9)],
    ([texts, query, atLeast]) => {
      const index = NearCopies.make()
      for (const text of texts) index.add(text)
      const best = Math.max(...texts.map((text) => NearCopies.similarity(text, query)))
      const found = index.nearest(query, atLeast)
      if (best < atLeast || best === 0) expect(found === undefined || found.similarity >= atLeast).toBe(true)
      else expect(found?.similarity).toBeCloseTo(best, 9)
    }
  )

  it("follows the highest similarity of what stays under the threshold", () => {
    const index = NearCopies.make()
    index.add("please cancel my order today")
    let highest = 0
    for (const text of ["what is the time", "please cancel my flight", "cancel my order"]) {
      highest = index.nearest(text, highest)?.similarity ?? highest
    }
    expect(highest).toBeCloseTo(NearCopies.similarity("cancel my order", "please cancel my order today"), 9)
  })

  it("is not confused by texts that look like object keys", () => {
    const index = NearCopies.make()
    for (const text of ["constructor", "__proto__", "toString"]) expect(index.has(text)).toBe(false)
    index.add("__proto__")
    expect(index.nearest("constructor")).toBeUndefined()
  })
})
