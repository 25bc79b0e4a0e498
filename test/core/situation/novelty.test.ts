import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Embedder from "@sandtable/core/Embedder"
import * as Novelty from "../../../packages/core/src/situation/Novelty.ts"

const vectorsOf = (texts: ReadonlyArray<string>): ReadonlyArray<Embedder.Vector> =>
  Effect.runSync(Embedder.lexical.embed(texts))

const texts = FastCheck.array(
  FastCheck.array(FastCheck.constantFrom("a", "b", "c", "d", "e", "f"), { minLength: 1, maxLength: 5 }).map((list) =>
    list.join(" ")
  ),
  { minLength: 1, maxLength: 25 }
)

describe("spread", () => {
  it("picks one of each kind before a second of any", () => {
    const pool = vectorsOf([
      "cancel order one",
      "cancel order two",
      "cancel order three",
      "weather in Oslo",
      "write me a poem",
      "weather in Rome"
    ])
    expect([...Novelty.spread(pool, 3)].sort()).toEqual([0, 3, 4])
  })

  it("stays away from what was chosen before", () => {
    const pool = vectorsOf(["cancel order one", "weather in Oslo"])
    expect(Novelty.spread(pool, 1, vectorsOf(["please cancel order one"]))).toEqual([1])
    expect(Novelty.spread(pool, 1, vectorsOf(["weather in Oslo now"]))).toEqual([0])
  })

  it("does the same with dense vectors", () => {
    const pool = [
      [1, 0],
      [0.9, 0.1],
      [0, 1]
    ].map((values) => Float32Array.from(values))
    expect(Novelty.spread(pool, 3)).toEqual([0, 2, 1])
  })

  it.prop("picks a farthest candidate each time", [texts, texts, FastCheck.nat(10)], ([pool, chosen, count]) => {
    const [candidates, before] = [vectorsOf(pool), vectorsOf(chosen)]
    const picks = Novelty.spread(candidates, count, before)
    expect(new Set(picks).size).toBe(Math.min(count, pool.length))
    picks.forEach((pick, at) => {
      const centers = [...before, ...picks.slice(0, at).map((i) => candidates[i]!)]
      const nearest = (i: number): number =>
        Math.max(...centers.map((center) => Embedder.similarity(candidates[i]!, center)))
      const left = candidates.map((_, i) => i).filter((i) => !picks.slice(0, at).includes(i))
      expect(nearest(pick)).toBeLessThanOrEqual(Math.min(...left.map(nearest)) + 1e-9)
    })
  })
})
