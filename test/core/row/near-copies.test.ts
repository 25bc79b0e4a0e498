import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Lexical from "../../../packages/core/src/language/Lexical.ts"
import * as NearCopies from "../../../packages/core/src/language/NearCopies.ts"

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

describe("what cannot be seen", () => {
  it.each(["\u200b", "\u200d", "\u00ad", "\ufeff", "\u2060", "\ufe0f", "\u{e0041}", "\u3164", "\u180e"])(
    "does not count: %j",
    (hidden) => {
      const ask = "please cancel my café order A1"
      const veiled = [...ask].join(hidden)
      expect(NearCopies.normalise(veiled)).toBe(NearCopies.normalise(ask))
      expect(NearCopies.similarity(ask, veiled)).toBe(1)
      expect(NearCopies.containment(ask, `Hello! ${veiled}, thank you`)).toBe(1)
      expect(Lexical.isSame(ask, veiled)).toBe(true)
    }
  )
})

describe("scripts without spaces", () => {
  it("are compared by character, so that one greeting more is no other ask", () => {
    const ask = "我上周买的蓝色水壶盖子关不上想退货退款"
    expect(NearCopies.containment(ask, `您好，${ask}！谢谢`)).toBe(1)
    expect(NearCopies.similarity(ask, `您好${ask}`)).toBeGreaterThan(0.9)
    expect(NearCopies.similarity(ask, "我想改一下下周二的配送地址")).toBeLessThan(0.5)
    expect(NearCopies.containment("我想退款iPhone", "iPhone")).toBe(0)
    expect(Lexical.shingles("水壶2個 kettle", 1)).toHaveLength(5)
  })
})

describe("containment", () => {
  it("is the share of a source that a text holds, whatever stands around it", () => {
    const source = "one two three four five six seven eight nine ten eleven"
    expect(NearCopies.containment(source, `well then ${source} and so on ${"and on ".repeat(50)}`)).toBe(1)
    expect(NearCopies.containment(source, "one two three four five six")).toBe(3 / 8)
    expect(NearCopies.containment(source, "two three four five six seven eight nine")).toBe(1)
    expect(NearCopies.containment("one two three", source)).toBe(0)
    expect(NearCopies.containment(source, "eleven ten nine eight seven six five four three two one")).toBe(0)
  })

  it.prop(
    "is found by the index as by comparing with every text",
    [
      FastCheck.array(words, { minLength: 1, maxLength: 30 }),
      FastCheck.array(words, { minLength: 1, maxLength: 3 }),
      FastCheck.constantFrom(0, 0.2, 0.5, 0.8, 1)
    ],
    ([texts, query, atLeast]) => {
      const text = query.join(" ")
      const held = NearCopies.heldOut(texts)
      const measured = texts.map((one) => Math.max(NearCopies.similarity(one, text), NearCopies.containment(one, text)))
      const best = Math.max(...measured)
      const found = held.nearest(text, atLeast)
      if (best >= atLeast && best > 0) expect(found?.similarity).toBeCloseTo(best, 9)
      else expect(found === undefined || found.similarity >= atLeast).toBe(true)
      const copy = texts.some(
        (one) => NearCopies.similarity(one, text) >= 0.9 || NearCopies.containment(one, text) >= 0.8
      )
      expect(held.copied(text) !== undefined).toBe(copy)
    }
  )
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
