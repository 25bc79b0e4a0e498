import { describe, expect, it } from "@effect/vitest"
import { ModelFailed, type Completion, type Request, type Service } from "@sandtable/core/ChatModel"
import * as ModelCall from "../../../packages/core/src/model/ModelCall.ts"
import * as Simulation from "@sandtable/core/Simulation"
import * as SituationWriter from "@sandtable/core/SituationWriter"
import * as Usage from "../../../packages/core/src/model/Usage.ts"
import { Effect } from "effect"

const completion: Completion = {
  text: "ok",
  toolCalls: [],
  finishReason: "stop",
  usage: Usage.unknown,
  sampling: {}
}

/** A model that refuses bounded requests so, and keeps what it was asked. */
const model = (reason: ModelFailed["reason"] | null, detail: string, settings?: unknown) => {
  const asked: Array<number | undefined> = []
  const service: Service = {
    identity: { name: "m", provider: "p" },
    ...(settings === undefined ? {} : { settings }),
    complete: ({ sampling }: Request) => {
      asked.push(sampling?.maxTokens)
      return reason !== null && sampling?.maxTokens !== undefined
        ? Effect.fail(new ModelFailed({ reason, model: "m", detail }))
        : Effect.succeed(completion)
    }
  }
  return { asked, service }
}

const twice = (service: Service) =>
  Effect.replicateEffect(ModelCall.completeWithin(service, "writer", { messages: [] }, 64), 2)

describe("a reply that may have so many tokens", () => {
  it.effect.each([
    ["is asked for with that bound", null, "", undefined, [64, 64]],
    [
      "is asked for without, where the model's own settings say how many",
      null,
      "",
      { sampling: { maxTokens: 9 } },
      [undefined, undefined]
    ],
    [
      "is asked for without, from then on, where there is no room for it",
      "context",
      "too long",
      undefined,
      [64, undefined, undefined]
    ],
    [
      "and where the bound itself is refused",
      "bad_request",
      "max_tokens is too large: 64",
      undefined,
      [64, undefined, undefined]
    ]
  ] as const)("%s", ([, reason, detail, settings, expected]) =>
    Effect.gen(function* () {
      const { asked, service } = model(reason, detail, settings)
      yield* twice(service)
      expect(asked).toEqual(expected)
    })
  )

  it.effect("fails as it failed where the bound had nothing to do with it", () =>
    Effect.gen(function* () {
      const { asked, service } = model("bad_request", "no such role")
      expect((yield* Effect.flip(twice(service))).detail).toBe("no such role")
      expect(asked).toEqual([64])
    })
  )
})

describe("a writer that gives nothing", () => {
  it.effect("is not asked for ever", () =>
    Effect.gen(function* () {
      let asked = 0
      const writer = SituationWriter.layer(() => {
        asked += 1
        return Effect.fail(new SituationWriter.WriterFailed({ writer: "w", reason: "empty", detail: "nothing" }))
      })
      const data = yield* Simulation.simulate({
        agent: () => "Done.",
        tools: [{ name: "get_order", parameters: { order_id: { type: "string" } } }],
        systemPrompt: "Help with orders.",
        simulator: writer,
        repeats: 1,
        budget: 400
      })
      expect(data.rows).toHaveLength(400)
      expect(data.degraded).toContain("generator_fallback")
      expect(asked).toBe(3)
    })
  )
})
