import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Embedder from "@sandtable/core/Embedder"

describe("the built-in embedder", () => {
  it.effect("is there without a layer and tells like asks from unlike ones", () =>
    Effect.gen(function* () {
      const embedder = yield* Embedder.Embedder
      const [a, b, c] = yield* embedder.embed(["cancel my order A1", "please cancel my order A1", "weather in Oslo"])
      expect(embedder.identity.name).toBe("lexical")
      expect(Embedder.similarity(a!, b!)).toBeGreaterThan(0.8)
      expect(Embedder.similarity(a!, c!)).toBe(0)
      expect(Embedder.similarity(a!, a!)).toBeCloseTo(1, 9)
    })
  )
})

describe("an embedder of one's own", () => {
  const embedding = (vectors: ReadonlyArray<ReadonlyArray<number>>) =>
    Effect.gen(function* () {
      const embedder = yield* Embedder.Embedder
      return yield* embedder.embed(["a", "b"])
    }).pipe(Effect.provide(Embedder.layerDense({ name: "mine", model: "m" }, () => Effect.succeed(vectors))))

  it.effect("is swapped by a layer, and its vectors are brought to unit length", () =>
    Effect.gen(function* () {
      const [a, b] = yield* embedding([
        [3, 4],
        [30, 40]
      ])
      expect(Array.from(a as Float32Array)).toEqual([expect.closeTo(0.6, 5), expect.closeTo(0.8, 5)])
      expect(Embedder.similarity(a!, b!)).toBeCloseTo(1, 5)
    })
  )

  it.effect("fails by name when a vector is missing, of another length or not finite", () =>
    Effect.gen(function* () {
      for (const [vectors, detail] of [
        [[[1, 2]], "2 texts were given, 1 vectors came back"],
        [[[1, 2], [1]], "vector 1 has 1 numbers, vector 0 has 2"],
        [
          [
            [1, Number.NaN],
            [1, 2]
          ],
          "vector 0 has a number that is not finite"
        ]
      ] as const) {
        const error = yield* Effect.flip(embedding(vectors))
        expect(error).toMatchObject({ _tag: "EmbeddingFailed", embedder: "mine", detail })
      }
    })
  )

  it.effect("fails with what its call failed with", () =>
    Effect.gen(function* () {
      const embedder = Embedder.dense({ name: "mine" }, () => Effect.fail(new Error("offline")))
      const error = yield* Effect.flip(embedder.embed(["a"]))
      expect(error.message).toBe("The embedder mine gave no vectors: the call failed")
      expect(error.cause).toMatchObject({ message: "offline" })
    })
  )
})
