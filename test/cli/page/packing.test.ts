/**
 * Which threads a page keeps, and that it stays of a size that opens.
 */
import { describe, expect, it } from "@effect/vitest"
import { gunzipSync } from "node:zlib"
import * as Facts from "../../../packages/cli/src/page/Facts.ts"
import * as Packing from "../../../packages/cli/src/page/Packing.ts"
import { row, rows } from "./rows.ts"

const kept = (of: ReadonlyArray<Facts.Facts>, limit: Packing.Limit): ReadonlyArray<string> =>
  [...Packing.kept(of, limit)].map((at) => of[at]?.id ?? "")

describe("the threads a page keeps", () => {
  it("are those that did not pass, then one pass of every task before a second of any", () => {
    const facts = rows.map((each) => Facts.of(each, 1))
    expect(kept(facts, { _tag: "Threads", most: 9 })).toEqual([
      "row_2_0",
      "row_3_0",
      "row_2_1",
      "row_3_2",
      "row_2_2",
      "row_2_3",
      "row_1_0",
      "row_3_1",
      "row_4_0"
    ])
    expect(kept(facts, { _tag: "Usual" })).toHaveLength(16)
    expect(kept(facts, { _tag: "Threads", most: 0 })).toEqual([])
  })

  it("are no more than open at once, unless all are asked for", () => {
    const long = "word ".repeat(400_000)
    const big = Array.from({ length: 40 }, (_, i) => Facts.of(row(i, 0, 1, { steps: [{ text: long }] }), 1))
    expect(kept(big, { _tag: "Usual" })).toHaveLength(11)
    expect(kept(big, { _tag: "Threads", most: Number.MAX_SAFE_INTEGER })).toHaveLength(40)
  })

  it("are found where they were put", () => {
    const blocks = Packing.blocks()
    const threads = Array.from({ length: 30 }, (_, i) => `<p>${i} é😀</p>${"x".repeat(40_000)}`)
    const places = threads.map((thread) => blocks.add(thread))
    const packed = blocks.end().map((block) => {
      expect(block).toMatch(/^[\w+/=]+$/)
      return JSON.parse(gunzipSync(Buffer.from(block, "base64")).toString()) as ReadonlyArray<string>
    })
    expect(packed.length).toBeGreaterThan(2)
    expect(places.map(([block, index]) => packed[block]?.[index])).toEqual(threads)
  })
})
