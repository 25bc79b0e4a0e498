import { describe, expect, it } from "@effect/vitest"
import * as ExactJson from "@sandtable/core/ExactJson"
import * as Hash from "../../packages/core/src/random/Hash.ts"
import * as JsonForm from "../../packages/core/src/world/JsonForm.ts"
import { FastCheck as fc } from "effect"

const rounded = [
  "1152921504606846977",
  "-9007199254740993",
  "9223372036854775807",
  "12345678901234567890123456789",
  "0.12345678901234567891",
  "1234567890123456.75",
  "1e400",
  "-1.5E-400",
  "0.10000000000000001"
]
const kept = [
  "0",
  "-1",
  "1.50",
  "1e20",
  "9007199254740994",
  "100000000000000000000",
  "0.30000000000000004",
  "1.0000000000000000",
  "0.00000000000000000"
]

describe("ExactJson", () => {
  it("keeps the digits of every number that JavaScript would round, and no others apart", () => {
    for (const digits of rounded) {
      for (const json of [digits, `[${digits}]`, `{"a":{"b":[null,${digits},"x"]}}`, ` { "a" : ${digits} } `]) {
        expect(ExactJson.stringify(ExactJson.parse(json))).toBe(json.replaceAll(" ", ""))
        expect(JSON.stringify(ExactJson.parse(json))).toContain(`"${digits}"`)
      }
      expect(ExactJson.isExact(ExactJson.parse(digits))).toBe(true)
      expect(String(ExactJson.parse(digits))).toBe(digits)
    }
    for (const digits of kept) expect(ExactJson.parse(`[${digits}]`)).toEqual(JSON.parse(`[${digits}]`))
  })

  it("takes no text for a number", () => {
    for (const text of [
      '"1152921504606846977"',
      '{"1152921504606846977":"\\\\"}',
      '["\\"",1152921504606846977,"\\\\\\"1152921504606846977"]',
      '["\ue0001152921504606846977",1152921504606846977]',
      '["\\ue0001152921504606846977",1152921504606846977,"\ue000\ue0001"]'
    ]) {
      expect(ExactJson.stringify(ExactJson.parse(text))).toBe(text.replaceAll("\\ue000", "\ue000"))
    }
  })

  it("is JSON.parse and JSON.stringify for all else, errors included", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), (value, indent) => {
        const json = JSON.stringify(value, undefined, indent)
        expect(ExactJson.parse(json)).toEqual(JSON.parse(json))
        expect(ExactJson.stringify(value, indent)).toBe(json)
      })
    )
    for (const text of [
      "",
      "{",
      "01152921504606846977",
      "{1152921504606846977:1}",
      "1152921504606846977 1",
      "[1152921504606846977"
    ]) {
      let said: unknown
      try {
        JSON.parse(text)
      } catch (error) {
        said = error
      }
      expect(said).toBeDefined()
      expect(() => ExactJson.parse(text)).toThrow(said as Error)
    }
  })

  it("gives back any JSON with long numbers in it", () => {
    const digits = fc
      .tuple(
        fc.constantFrom("", "-"),
        fc.bigInt({ min: 1n, max: 10n ** 40n }),
        fc.constantFrom("", ".5", ".000000000000000000001", "e-30", "E+300")
      )
      .map((parts) => parts.join(""))
    const leaf = fc.oneof(
      digits,
      fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text))
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), leaf)), (fields) => {
        const names = new Map(fields)
        const json = `{${[...names].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`
        const back = JSON.parse(JSON.stringify(ExactJson.mapExact(ExactJson.parse(json), String))) as Record<
          string,
          unknown
        >
        for (const [name, text] of names) {
          const held = back[name]
          if (!text.startsWith('"') && typeof held === "string") expect(held).toBe(text)
          else expect(held).toEqual(JSON.parse(text))
        }
        expect(ExactJson.parse(ExactJson.stringify(ExactJson.parse(json)) ?? "")).toEqual(ExactJson.parse(json))
      })
    )
  })

  it("tells neighbours apart in hashes and copies", () => {
    const of = (digits: string) => ExactJson.parse(`{"id":${digits}}`)
    expect(Hash.canonical(of("1152921504606846977"))).toBe('{"id":1152921504606846977}')
    expect(Hash.canonical(of("1152921504606846976"))).not.toBe(Hash.canonical(of("1152921504606846977")))
    expect(ExactJson.stringify(JsonForm.of(of("1152921504606846977")))).toBe('{"id":1152921504606846977}')
  })

  it("refuses what is no number", () => {
    for (const digits of ["", "01", "1.", "0x10", "NaN", '1","a":"'])
      expect(() => new ExactJson.ExactNumber(digits)).toThrow(RangeError)
  })
})
