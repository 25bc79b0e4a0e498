import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { createHash } from "node:crypto"
import * as Hash from "../../packages/core/src/random/Hash.ts"
import * as Randomness from "@sandtable/core/Randomness"
import * as Sha256 from "../../packages/core/src/random/internal/sha256.ts"

describe("Randomness", () => {
  it("gives the same draw for the same seed, path and number, in any order", () => {
    const a = Randomness.make(7)
    const stream = a.stream(["user", "task_1", 3])
    const inOrder = Array.from({ length: 10 }, () => stream.next())
    const backwards = Array.from({ length: 10 }, (_, i) =>
      Randomness.make(7).draw(["user", "task_1", 3], 9 - i)
    ).reverse()
    expect(inOrder).toEqual(backwards)
    expect(new Set(inOrder).size).toBe(10)
  })

  it("is pinned: these values change only with the version of the generator", () => {
    const draws = Randomness.make(0)
    expect([draws.draw(["a"]), draws.draw(["a"], 5), draws.at(1).draw(["a"])]).toMatchInlineSnapshot(`
      [
        0.6046018158857447,
        0.9084548782817901,
        0.2860010686259232,
      ]
    `)
  })

  it.prop(
    "draws from the hash of a path's JSON, whatever the path holds",
    [FastCheck.double(), FastCheck.array(FastCheck.oneof(FastCheck.string({ unit: "binary" }), FastCheck.double()))],
    ([seed, path]) => {
      const digits = createHash("sha256")
        .update(JSON.stringify([1, seed, 0, path]), "utf8")
        .digest("hex")
      const high = Math.floor(Number.parseInt(digits.slice(0, 8), 16) / 32)
      const low = Math.floor(Number.parseInt(digits.slice(8, 16), 16) / 64)
      expect(Randomness.make(seed).draw(path)).toBe((high * 67108864 + low) / 9007199254740992)
    }
  )

  it("spreads evenly over [0, 1)", () => {
    const stream = Randomness.make(1).stream(["spread"])
    const counts = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 20_000; i++) counts[stream.int(10)]! += 1
    // chi-square with 9 degrees of freedom: 27.9 is the 0.999 quantile
    const chi = counts.reduce((sum, n) => sum + (n - 2000) ** 2 / 2000, 0)
    expect(chi).toBeLessThan(27.9)
  })

  it.effect("is swapped by providing a layer", () =>
    Effect.gen(function* () {
      const random = yield* Randomness.Randomness
      expect(random.draw(["anything"], 0)).toBe(0.25)
      expect(random.draw(["else"], 1)).toBe(0.75)
    }).pipe(Effect.provide(Randomness.layerFixed(0.25, 0.75)))
  )
})

describe("Hash", () => {
  it.prop("is SHA-256 of the UTF-8 bytes, whoever computes it", [FastCheck.string({ unit: "binary" })], ([text]) => {
    const expected = createHash("sha256").update(new TextEncoder().encode(text)).digest("hex")
    expect(Hash.sha256Hex(text)).toBe(expected)
    expect(Sha256.inJavaScript(text)).toBe(expected)
  })

  it("reads half of a surrogate pair as U+FFFD", () => {
    for (const text of ["\ud83d", "a\udc00b"]) {
      expect(Hash.sha256Hex(text)).toBe(Hash.sha256Hex(text.replace(/[\ud800-\udfff]/, "\ufffd")))
      expect(Sha256.inJavaScript(text)).toBe(Hash.sha256Hex(text))
    }
  })

  it.prop("names parts by their canonical list", [FastCheck.array(FastCheck.anything())], ([parts]) => {
    expect(Hash.id("x", ...parts)).toBe(`x_${Hash.sha256Hex(Hash.canonical(parts)).slice(0, 16)}`)
  })

  it("does not depend on key order", () => {
    expect(Hash.id("x", { a: 1, b: [{ d: 1, c: 2 }] })).toBe(Hash.id("x", { b: [{ c: 2, d: 1 }], a: 1 }))
    expect(Hash.id("x", "a", "b")).not.toBe(Hash.id("x", "ab"))
  })
})
