import { APICallError, LoadAPIKeyError } from "ai"
import { MockLanguageModelV2 } from "ai/test"
import { describe, expect, it } from "@effect/vitest"
import * as AiSdk from "@sandtable/backends/AiSdk"
import * as Conversation from "@sandtable/core/Conversation"
import { Effect, Fiber, TestClock } from "effect"
import * as Kit from "../core/rollout/kit.ts"

type Generated = Awaited<ReturnType<MockLanguageModelV2["doGenerate"]>>

const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14, reasoningTokens: 1, cachedInputTokens: 6 }

const generated = (content: Generated["content"], more: Partial<Generated> = {}): Generated => ({
  content,
  finishReason: content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop",
  usage,
  warnings: [],
  ...more
})
const text = (text: string): Generated => generated([{ type: "text", text }])

/** What no model should give. */
const empty = { ...text(""), content: undefined } as unknown as Generated

/** A model that gives these in turn; an error is thrown. */
const mock = (...replies: ReadonlyArray<Generated | Error>): MockLanguageModelV2 => {
  const model: MockLanguageModelV2 = new MockLanguageModelV2({
    provider: "openai.chat",
    modelId: "some-model",
    doGenerate: async () => {
      const reply = replies[Math.min(model.doGenerateCalls.length, replies.length) - 1]
      if (reply === undefined || reply instanceof Error) throw reply
      return reply
    }
  })
  return model
}

const hi = { messages: [{ role: "user", content: "Hi" } as const] }

const played = (model: AiSdk.Model, given: Parameters<typeof Kit.rollout>[0] = {}) =>
  Effect.flatMap(AiSdk.make(model), (chat) =>
    Conversation.fromModel(chat).play(Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }), ...given }))
  )

describe("an AI SDK model as the agent", () => {
  it.effect("is shown policy, thread and tools, and gets back what its provider wants back", () =>
    Effect.gen(function* () {
      const signed = { anthropic: { signature: "s" } }
      const model = mock(
        generated([
          { type: "reasoning", text: "An order.", providerMetadata: signed },
          { type: "text", text: "Let me look." },
          { type: "tool-call", toolCallId: "t1", toolName: "get_order", input: '{"order_id":"A1001"}' },
          { type: "tool-call", toolCallId: "x", toolName: "web_search", input: "{}", providerExecuted: true }
        ]),
        text("It has shipped.")
      )
      const trajectory = yield* played(model)
      expect(trajectory).toMatchObject({
        finalText: "It has shipped.",
        usage: { agent: { input: 20, cached: 12, output: 8, reasoning: 2 } },
        sampling: { model: "some-model", temperature: 0.8, max_tokens: null }
      })
      expect(trajectory.steps).toMatchObject([
        {},
        { text: "Let me look.", reasoning: "An order." },
        { tool: "get_order", call_id: "t1", status: "ok" },
        {}
      ])
      const [first, second] = model.doGenerateCalls
      expect(first?.tools?.[0]).toEqual({
        type: "function",
        name: "get_order",
        description: "get_order.",
        inputSchema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
      })
      expect(second?.prompt).toEqual([
        { role: "system", content: "Help with orders." },
        { role: "user", content: [{ type: "text", text: "Where is my order A1001?" }] },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "An order.", providerOptions: signed },
            { type: "text", text: "Let me look." },
            { type: "tool-call", toolCallId: "t1", toolName: "get_order", input: { order_id: "A1001" } }
          ]
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "t1",
              toolName: "get_order",
              output: { type: "json", value: { id: "A1001", status: "shipped" } }
            }
          ]
        }
      ])
    })
  )

  it.effect("may make odd calls: each is answered, none is run", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const call = (toolName: string, input: string) => ({
        type: "tool-call" as const,
        toolCallId: "same",
        toolName,
        input
      })
      const model = mock(
        generated([
          call("get_order", "{broken"),
          call("get_order", ""),
          call("__proto__", "{}"),
          call("list_stores", "")
        ]),
        text("Done.")
      )
      const trajectory = yield* played(model, { world })
      expect(trajectory.malformedToolCalls).toBe(3)
      expect(world.reached).toEqual([{ tool: "list_stores", arguments: {} }])
    })
  )

  it.effect("records what the model could not be told", () =>
    Effect.gen(function* () {
      const warnings: Generated["warnings"] = [{ type: "unsupported-setting", setting: "temperature" }]
      const model = mock(
        generated([{ type: "text", text: "Hi." }], { warnings, response: { modelId: "some-model-0301" } })
      )
      const chat = yield* AiSdk.make(model, { providerOptions: { openai: { user: "me" } } })
      const completion = yield* chat.complete({
        ...hi,
        sampling: { temperature: 0.3, maxTokens: 9 },
        responseSchema: { type: "object" }
      })
      expect(completion.sampling).toEqual({
        model: "some-model",
        temperature: null,
        max_tokens: 9,
        served_model: "some-model-0301",
        unsupported: ["temperature"]
      })
      expect(model.doGenerateCalls[0]).toMatchObject({
        maxOutputTokens: 9,
        responseFormat: { type: "json", schema: { type: "object" } },
        providerOptions: { openai: { user: "me" } }
      })
    })
  )

  it.effect("is aborted when the agent is out of time", () =>
    Effect.gen(function* () {
      const aborted = yield* Effect.makeLatch()
      const asked = yield* Effect.makeLatch()
      const model = new MockLanguageModelV2({
        doGenerate: ({ abortSignal }) => {
          asked.unsafeOpen()
          return new Promise((_, reject) =>
            abortSignal?.addEventListener("abort", () => (aborted.unsafeOpen(), reject(abortSignal.reason)))
          )
        }
      })
      const fiber = yield* Effect.fork(Effect.flip(played(model)))
      yield* asked.await
      yield* TestClock.adjust("301 seconds")
      expect(yield* Fiber.join(fiber)).toHaveProperty("reason", "timeout")
      yield* aborted.await
    })
  )

  const apiError = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}) =>
    new APICallError({
      message: "x",
      url: "https://api.example",
      requestBodyValues: {},
      statusCode,
      responseBody,
      responseHeaders
    })

  it.effect.each([
    [apiError(401, '{"error":{"message":"bad key"}}'), "auth"],
    [apiError(429, '{"error":{"code":"insufficient_quota","message":"no credit"}}'), "quota"],
    [apiError(400, '{"error":{"message":"maximum context length"}}'), "context"],
    [new LoadAPIKeyError({ message: "OPENAI_API_KEY is missing" }), "auth"]
  ] as const)("fails for good with %s (%s)", ([error, reason]) =>
    Effect.gen(function* () {
      const model = mock(error)
      const chat = yield* AiSdk.make(model)
      expect((yield* Effect.flip(chat.complete(hi))).reason).toBe(reason)
      expect(model.doGenerateCalls).toHaveLength(1)
    })
  )

  it.effect("is asked again, as the server says, when it is busy or gives nothing", () =>
    Effect.gen(function* () {
      const model = mock(apiError(503, "overloaded", { "retry-after": "20" }), empty, text("Hi."))
      const chat = yield* AiSdk.make(model)
      const fiber = yield* Effect.fork(chat.complete(hi))
      yield* turn
      yield* TestClock.adjust("19 seconds")
      expect(model.doGenerateCalls).toHaveLength(1)
      while (fiber.unsafePoll() === null) {
        yield* TestClock.adjust("1 second")
        yield* turn
      }
      expect((yield* Fiber.join(fiber)).text).toBe("Hi.")
      expect(model.doGenerateCalls).toHaveLength(3)
    })
  )
})

/** Lets everything that is ready have its turn. */
const turn = Effect.async<void>((done) => void setImmediate(() => done(Effect.void)))

describe("what is no model of a supported version is refused by name", () => {
  it.effect.each([
    [{ ...mock(), specificationVersion: "v1", doGenerate: () => undefined }, "of specification v1"],
    [{ ...mock(), specificationVersion: "v3", doGenerate: () => undefined }, "of specification v3"],
    ["openai/gpt-4.1", "only a gateway can resolve"],
    [() => mock(), "a provider, not a model"],
    [{ doEmbed: () => undefined, specificationVersion: "v2" }, "no `doGenerate`"],
    [{ generate: 1 }, "does not say its `specificationVersion`"],
    [null, "no model"]
  ] as const)("%j", ([model, problem]) =>
    Effect.gen(function* () {
      // Untyped code gives anything.
      const refused = yield* Effect.flip(AiSdk.make(model as unknown as AiSdk.Model))
      expect(refused._tag).toBe("AiSdkModelRefused")
      expect(refused.message).toContain(problem)
      expect(refused.message).toContain("specification v2")
    })
  )
})
