import { APICallError, LoadAPIKeyError } from "ai"
import * as Six from "ai-v6"
import { MockLanguageModelV3 } from "ai-v6/test"
import * as Seven from "ai-v7"
import { MockLanguageModelV4 } from "ai-v7/test"
import { MockLanguageModelV2 } from "ai/test"
import { describe, expect, it } from "@effect/vitest"
import * as AiSdk from "@sandtable/backends/AiSdk"
import * as Conversation from "@sandtable/core/Conversation"
import { Effect, Fiber, TestClock } from "effect"
import * as Kit from "../core/rollout/kit.ts"

/** What a model gives, whatever its specification. */
interface Said {
  readonly content: ReadonlyArray<Part>
  readonly finish?: "stop" | "length" | "content-filter" | "tool-calls" | "error"
  /** Settings it could not be told. */
  readonly unsupported?: ReadonlyArray<string>
  readonly served?: string
}

type Signed = { readonly providerMetadata?: { readonly [provider: string]: { readonly [name: string]: string } } }
type Part =
  | ({ readonly type: "text" | "reasoning"; readonly text: string } & Signed)
  | ({
      readonly type: "tool-call"
      readonly toolCallId: string
      readonly toolName: string
      readonly input: string
      readonly providerExecuted?: boolean
    } & Signed)

const said = (content: ReadonlyArray<Part>): Said => ({ content })
const text = (text: string): Said => ({ content: [{ type: "text", text }] })

/** What no model should give. */
const empty = "nothing"

type Reply = Said | Error | typeof empty

/** A model, and what it was called with. */
type Mock = AiSdk.Model & { readonly doGenerateCalls: ReadonlyArray<Readonly<Record<string, unknown>>> }

const common = ({ content, finish, served }: Said) => ({
  content: [...content],
  end: finish ?? (content.some(({ type }) => type === "tool-call") ? ("tool-calls" as const) : ("stop" as const)),
  ...(served === undefined ? {} : { response: { modelId: served } })
})

/** As specification v2 shapes it. */
const flat = (said: Said) => {
  const { end, ...rest } = common(said)
  return {
    ...rest,
    finishReason: end,
    usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14, reasoningTokens: 1, cachedInputTokens: 6 },
    warnings: (said.unsupported ?? []).map((setting) => ({
      type: "unsupported-setting" as const,
      setting: setting as "temperature"
    }))
  }
}

/** As specifications v3 and v4 shape it. */
const nested = (said: Said) => {
  const { end, ...rest } = common(said)
  return {
    ...rest,
    finishReason: { unified: end, raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
      outputTokens: { total: 4, text: 3, reasoning: 1 }
    },
    warnings: (said.unsupported ?? []).map((feature) => ({ type: "unsupported" as const, feature }))
  }
}

/** Gives replies in turn, the last one for ever; an error is thrown. */
const inTurn = <A>(replies: ReadonlyArray<Reply>, shape: (said: Said) => A) => {
  let n = 0
  return async (): Promise<A> => {
    const reply = replies[Math.min((n += 1), replies.length) - 1]
    if (reply === undefined || reply instanceof Error) throw reply
    return reply === empty ? ({ ...shape(text("")), content: undefined } as A) : shape(reply)
  }
}

const named = { provider: "openai.chat", modelId: "some-model" }

/** A mock of each version of `ai`. */
const versions: ReadonlyArray<{
  readonly name: string
  readonly mock: (...replies: ReadonlyArray<Reply>) => Mock
  readonly hanging: (wait: (signal: AbortSignal | undefined) => Promise<never>) => Mock
  readonly ApiError: new (options: ConstructorParameters<typeof APICallError>[0]) => Error
  readonly KeyError: new (options: { readonly message: string }) => Error
}> = [
  {
    name: "v2 (ai 5)",
    mock: (...replies) => new MockLanguageModelV2({ ...named, doGenerate: inTurn(replies, flat) }) as unknown as Mock,
    hanging: (wait) =>
      new MockLanguageModelV2({ doGenerate: ({ abortSignal }) => wait(abortSignal) }) as unknown as Mock,
    ApiError: APICallError,
    KeyError: LoadAPIKeyError
  },
  {
    name: "v3 (ai 6)",
    mock: (...replies) => new MockLanguageModelV3({ ...named, doGenerate: inTurn(replies, nested) }) as unknown as Mock,
    hanging: (wait) =>
      new MockLanguageModelV3({ doGenerate: ({ abortSignal }) => wait(abortSignal) }) as unknown as Mock,
    ApiError: Six.APICallError,
    KeyError: Six.LoadAPIKeyError
  },
  {
    name: "v4 (ai 7)",
    mock: (...replies) => new MockLanguageModelV4({ ...named, doGenerate: inTurn(replies, nested) }) as unknown as Mock,
    hanging: (wait) =>
      new MockLanguageModelV4({ doGenerate: ({ abortSignal }) => wait(abortSignal) }) as unknown as Mock,
    ApiError: Seven.APICallError,
    KeyError: Seven.LoadAPIKeyError
  }
]

/** Models of every version are taken as they are. */
const taken: ReadonlyArray<AiSdk.Model> = [
  new MockLanguageModelV2(),
  new MockLanguageModelV3(),
  new MockLanguageModelV4()
]

const hi = { messages: [{ role: "user", content: "Hi" } as const] }

const played = (model: AiSdk.Model, given: Parameters<typeof Kit.rollout>[0] = {}) =>
  Effect.flatMap(AiSdk.make(model), (chat) =>
    Conversation.fromModel(chat).play(Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }), ...given }))
  )

describe.each(versions)(
  "an AI SDK model of specification $name as the agent",
  ({ ApiError, hanging, KeyError, mock }) => {
    it.effect("is shown policy, thread and tools, and gets back what its provider wants back", () =>
      Effect.gen(function* () {
        const signed = { anthropic: { signature: "s" } }
        const model = mock(
          said([
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
        expect(first?.["tools"]).toContainEqual({
          type: "function",
          name: "get_order",
          description: "get_order.",
          inputSchema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
        })
        expect(second?.["prompt"]).toEqual([
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
          said([call("get_order", "{broken"), call("get_order", ""), call("__proto__", "{}"), call("list_stores", "")]),
          text("Done.")
        )
        const trajectory = yield* played(model, { world })
        expect(trajectory.malformedToolCalls).toBe(3)
        expect(world.reached).toEqual([{ tool: "list_stores", arguments: {} }])
      })
    )

    it.effect("records what the model could not be told", () =>
      Effect.gen(function* () {
        const model = mock({ ...text("Hi."), unsupported: ["temperature"], served: "some-model-0301" })
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
        const model = hanging((abortSignal) => {
          asked.unsafeOpen()
          return new Promise((_, reject) =>
            abortSignal?.addEventListener("abort", () => (aborted.unsafeOpen(), reject(abortSignal.reason)))
          )
        })
        const fiber = yield* Effect.fork(Effect.flip(played(model)))
        yield* asked.await
        yield* TestClock.adjust("301 seconds")
        expect(yield* Fiber.join(fiber)).toHaveProperty("reason", "timeout")
        yield* aborted.await
      })
    )

    const apiError = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}) =>
      new ApiError({
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
      [new KeyError({ message: "OPENAI_API_KEY is missing" }), "auth"]
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
  }
)

/** Lets everything that is ready have its turn. */
const turn = Effect.async<void>((done) => void setImmediate(() => done(Effect.void)))

describe("models of every version", () => {
  it.effect.each(taken)("are taken as they are: $specificationVersion", (model) =>
    Effect.gen(function* () {
      expect((yield* AiSdk.make(model)).identity.model).toBe(model.modelId)
    })
  )

  it.effect("tell of what was chosen for structured output, where they say it apart", () =>
    Effect.gen(function* () {
      const told = { ...nested(text('A draft. {"a":1}')), structuredOutputText: '{"a":1}' }
      const chat = yield* AiSdk.make(new MockLanguageModelV4({ doGenerate: told }))
      expect((yield* chat.complete({ ...hi, responseSchema: { type: "object" } })).text).toBe('{"a":1}')
      expect((yield* chat.complete(hi)).text).toContain("A draft.")
    })
  )

  it.effect.each([
    ["length", "length"],
    ["content-filter", "content_filter"],
    ["error", "error"]
  ] as const)("end by %s", ([finish, reason]) =>
    Effect.gen(function* () {
      for (const { mock } of versions) {
        const chat = yield* AiSdk.make(mock({ ...text("Hi."), finish }))
        expect((yield* chat.complete(hi)).finishReason).toBe(reason)
      }
    })
  )
})

describe("what is no model of a supported version is refused by name", () => {
  it.effect.each([
    [{ ...named, specificationVersion: "v1", doGenerate: () => undefined }, "of specification v1"],
    [{ ...named, specificationVersion: "v5", doGenerate: () => undefined }, "of specification v5"],
    ["openai/gpt-4.1", "only a gateway can resolve"],
    [() => named, "a provider, not a model"],
    [{ doEmbed: () => undefined, specificationVersion: "v2" }, "no `doGenerate`"],
    [{ generate: 1 }, "does not say its `specificationVersion`"],
    [null, "no model"]
  ] as const)("%j", ([model, problem]) =>
    Effect.gen(function* () {
      // Untyped code gives anything.
      const refused = yield* Effect.flip(AiSdk.make(model as unknown as AiSdk.Model))
      expect(refused._tag).toBe("AiSdkModelRefused")
      expect(refused.message).toContain(problem)
      expect(refused.message).toContain("specification v2, v3, v4")
    })
  )
})
