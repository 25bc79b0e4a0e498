import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SameModelDetector from "../../../packages/core/src/model/SameModelDetector.ts"

const model = (name: string, endpoint = "https://a") => ({ name, provider: "p", endpoint, model: name })
const detect = (roles: SameModelDetector.Roles) =>
  Effect.map(SameModelDetector.SameModelDetector, (detector) => detector.detect(roles))

describe("SameModelDetector", () => {
  it.effect("names each role the agent's model also plays, and the option that separates it", () =>
    Effect.gen(function* () {
      const one = model("m")
      expect(yield* detect({ agent: one, writer: one, user: one, judge: one })).toEqual([
        { role: "writer", option: "simulator" },
        { role: "user", option: "userModel" },
        { role: "judge", option: "the judge's `model`" }
      ])
      expect(yield* detect({ agent: one, writer: model("n"), user: null, judge: one })).toHaveLength(1)
    })
  )

  it.effect("goes by provider, endpoint and model, not by name alone", () =>
    Effect.gen(function* () {
      expect(yield* detect({ agent: model("m"), writer: model("m", "https://b") })).toEqual([])
      expect(yield* detect({ agent: { name: "m" }, writer: { name: "m" } })).toEqual([])
      const declared = { ...model("m"), name: "function:mine" }
      expect(yield* detect({ agent: declared, user: model("m") })).toHaveLength(1)
    })
  )

  it.effect("is swapped by a layer", () =>
    Effect.gen(function* () {
      const one = model("m")
      expect(yield* detect({ agent: one, writer: one }).pipe(Effect.provide(SameModelDetector.layerNone))).toEqual([])
      expect(yield* detect({ agent: one, writer: one }).pipe(Effect.provide(SameModelDetector.layer))).toHaveLength(1)
    })
  )
})
