import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as JsonForm from "../../../packages/core/src/world/JsonForm.ts"
import { Readable } from "node:stream"

describe("JsonForm", () => {
  const date = new Date("2025-03-14T09:00:00Z")
  class Account {
    readonly id = 1
    readonly #secret = 2
    get reveal(): number {
      return this.#secret
    }
    toString(): string {
      return "never"
    }
  }
  const circular: Record<string, unknown> = { name: "loop" }
  circular["self"] = circular
  circular["list"] = [circular]
  const cases: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["undefined", undefined, null],
    [
      "what JSON leaves out",
      { a: undefined, b: () => 1, c: Symbol("x"), d: [undefined, () => 1] },
      { d: [null, null] }
    ],
    ["numbers that are not finite", [Number.NaN, Infinity, -Infinity, -0], [null, null, null, -0]],
    ["bigints", [10n, 2n ** 70n], [10, "1180591620717411303424"]],
    ["dates", [date, new Date(Number.NaN)], ["2025-03-14T09:00:00.000Z", null]],
    ["maps", [new Map([["a", 1]]), new Map([[{ k: 1 }, 2]])], [{ a: 1 }, [[{ k: 1 }, 2]]]],
    ["sets", new Set([1, "a"]), [1, "a"]],
    [
      "bytes",
      [Buffer.from("hello"), new Uint16Array([1]), new ArrayBuffer(1)],
      [
        { bytes: 5, base64: "aGVsbG8=" },
        { bytes: 2, base64: "AQA=" },
        { bytes: 1, base64: "AA==" }
      ]
    ],
    ["errors", new TypeError("no"), { error: "TypeError", message: "no" }],
    ["what contains itself", circular, { name: "loop", self: "[circular]", list: ["[circular]"] }],
    ["the same thing twice", [date, date].map(() => circular["name"]), ["loop", "loop"]],
    ["class instances", new Account(), { id: 1 }],
    [
      "what speaks for itself",
      { five: { toJSON: () => 5 }, at: new URL("https://example.com/a") },
      { five: 5, at: "https://example.com/a" }
    ],
    ["regular expressions and boxed values", [/a+/g, Object("x"), Object(5)], ["/a+/g", "x", 5]],
    ["lone surrogates", { "k\ud800": "a\udc00b😀" }, { "k\uFFFD": "a\uFFFDb😀" }],
    [
      "a Response inside a result",
      { status: 200, response: new Response("{}") },
      { status: 200, response: "[unreadable: a Response has no JSON form]" }
    ],
    [
      "a stream inside a list",
      [Readable.from(["a"]), new ReadableStream()],
      ["[unreadable: a Readable has no JSON form]", "[unreadable: a ReadableStream has no JSON form]"]
    ],
    ["a promise", { later: Promise.resolve(1) }, { later: "[unreadable: a promise inside a result]" }]
  ]
  it.each(cases)("has a form for %s", (_name, value, form) => {
    expect(JsonForm.of(value)).toEqual(form)
  })

  class Sealed {
    readonly #amount = 2
    get amount(): number {
      return this.#amount
    }
  }
  class Row {
    readonly id = 1
    next(): void {}
  }
  class Empty {}
  it.each([
    [new Response("{}"), "a Response"],
    [new Request("http://127.0.0.1"), "a Request"],
    [new Headers(), "a Headers"],
    [new Blob(["x"]), "a Blob"],
    [new FormData(), "a FormData"],
    [new ReadableStream(), "a ReadableStream"],
    [Readable.from(["a"]), "a Readable"],
    [[1].values(), "an Array Iterator"],
    [new WeakMap(), "a WeakMap"],
    [new AbortController(), "an AbortController"],
    [new Sealed(), "a Sealed"]
  ])("says that %s has none", (value, name) => {
    expect(JsonForm.of([value])).toEqual([`[unreadable: ${name} has no JSON form]`])
  })

  it.each([
    [null],
    [undefined],
    ["text"],
    [[]],
    [{}],
    [{ a: 1, b: () => 1 }],
    [new Date()],
    [new Map()],
    [new Set()],
    [Buffer.from("")],
    [new TypeError("no")],
    [/a/],
    [new Account()],
    [new Empty()],
    [new URL("http://127.0.0.1")],
    [Object.create(null)]
  ])("leaves %s alone", (value) => {
    expect(JSON.stringify(JsonForm.of([value]))).not.toContain("unreadable")
  })

  it("takes an object with fields for a record, whatever its methods are called, but not an iterator", () => {
    expect(JsonForm.of(Object.assign(new Row(), { next: 5 }))).toEqual({ id: 1, next: 5 })
    expect(JsonForm.of(new Row())).toBe("[unreadable: a Row has no JSON form]")
  })

  it("survives what cannot be read", () => {
    const throwing = {
      get bad(): never {
        throw new Error("no entry")
      },
      good: 1
    }
    expect(JsonForm.of(throwing)).toEqual({ bad: "[unreadable: no entry]", good: 1 })
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("closed")
        }
      }
    )
    expect(JsonForm.of({ proxy })).toEqual({ proxy: "[unreadable: closed]" })
    const rude = {
      toJSON: () => {
        throw Object.create(null)
      }
    }
    expect(JsonForm.of(Object.assign(Object.create({ toJSON: rude.toJSON }), { a: 1 }))).toBe(
      "[unreadable: an object (Object)]"
    )
  })

  it("keeps hostile keys as keys", () => {
    const form = JsonForm.of(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}')) as object
    expect(Object.keys(form)).toEqual(["__proto__", "constructor"])
    expect(Object.getPrototypeOf(form)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it("cuts what nobody could read, and says so", () => {
    const five = "x".repeat(5_000_000)
    const form = JsonForm.of({ log: five, after: "kept" }) as Record<string, string>
    expect(form["log"]?.length).toBeLessThan(201_000)
    expect(form["log"]).toMatch(/\[cut: 4800\d\d\d of 5000000 characters\]$/)
    expect(JSON.stringify(JsonForm.of(Array.from({ length: 200_000 }, (_, i) => i))).length).toBeLessThan(1_000_000)
    expect((JsonForm.of(Array.from({ length: 200_000 }, (_, i) => i)) as ReadonlyArray<unknown>).at(-1)).toMatch(
      /^\[cut: 15\d+ of 200000 items\]$/
    )
    const wide = JsonForm.of(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i]))) as Record<
      string,
      unknown
    >
    expect(wide["[cut]"]).toMatch(/of 60000 fields/)
    expect((JsonForm.of(Buffer.alloc(1_000_000)) as { base64: string }).base64).toMatch(/^A+\[cut: /)
    let deep: unknown = 1
    for (let i = 0; i < 10_000; i++) deep = { deep }
    expect(JSON.stringify(JsonForm.of(deep))).toContain("[cut: deeper than 64 levels]")
  })

  it.prop("is what JSON says of anything JSON has words for", [FastCheck.jsonValue()], ([value]) => {
    expect(JSON.stringify(JsonForm.of(value))).toBe(JSON.stringify(value))
  })

  it.prop(
    "is always JSON, well-formed, whatever it is given",
    [
      FastCheck.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withNullPrototype: true,
        withObjectString: true
      })
    ],
    ([value]) => {
      const text = JSON.stringify(JsonForm.of(value))
      expect(JSON.stringify(JSON.parse(text))).toBe(text)
      expect(/\p{Surrogate}/u.test(text)).toBe(false)
    }
  )
})
