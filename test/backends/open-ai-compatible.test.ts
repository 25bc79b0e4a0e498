import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import { layerUndici } from "@sandtable/backends/node"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FakeServer from "./FakeServer.ts"

describe("chat completions", () => {
  it.scopedLive("asks and reads a reply", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make([{ text: "Hello", usage: { input: 3, output: 2, cached: 1 } }])
      const model = yield* OpenAiCompatible.make({ model: "m", baseUrl: `${server.url}/v1` })
      const completion = yield* model.complete({ messages: [{ role: "user", content: "Hi" }] })
      expect(completion).toMatchObject({
        text: "Hello",
        finishReason: "stop",
        usage: { input: 3, cached: 1, output: 2, reasoning: 0 },
        sampling: { model: "m", temperature: null, max_tokens: null }
      })
    }).pipe(Effect.provide(layerUndici))
  )
})
