import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { describe, expect, it } from "@effect/vitest"
import * as EffectAi from "@sandtable/backends/EffectAi"
import { ChatModel } from "@sandtable/core/ChatModel"
import * as ChatModels from "@sandtable/core/ChatModel"
import * as Conversation from "@sandtable/core/Conversation"
import { CurrentRollout } from "@sandtable/core/CurrentRollout"
import { ScriptedChatModel } from "@sandtable/core/testing"
import { Effect, Fiber, Layer, Option, Schema, Stream, TestClock } from "effect"
import { execFile } from "node:child_process"
import process from "node:process"
import * as Kit from "../core/rollout/kit.ts"

type Ask = (
  options: LanguageModel.ProviderOptions,
  n: number
) => ReadonlyArray<Response.PartEncoded> | Effect.Effect<never, AiError.AiError>

/** A provider of `@effect/ai` that answers by a function, and what it was asked. */
const provider = (ask: Ask) => {
  const asked: Array<LanguageModel.ProviderOptions> = []
  const service = LanguageModel.make({
    generateText: (options) =>
      Effect.suspend((): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> => {
        const given = ask(options, asked.push(options))
        return Effect.isEffect(given) ? given : Effect.succeed([...given])
      }),
    streamText: () => Stream.die("not asked for")
  })
  return { asked, layer: Layer.effect(LanguageModel.LanguageModel, service) }
}

const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14, reasoningTokens: 1, cachedInputTokens: 6 }
const done: Response.FinishPartEncoded = { type: "finish", reason: "stop", usage }

const modelOf = (ask: Ask, options: Partial<EffectAi.Options> = {}) => {
  const { asked, layer } = provider(ask)
  return Effect.map(Effect.provide(EffectAi.make({ model: "some-model", ...options }), layer), (model) => ({
    asked,
    model
  }))
}

const play = (model: ChatModels.Service, given: Parameters<typeof Kit.rollout>[0] = {}) =>
  Conversation.fromModel(model).play(Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }), ...given }))

describe("a LanguageModel of @effect/ai as the agent", () => {
  it.effect("is shown policy, thread and the run's tools, whose calls the world answers", () =>
    Effect.gen(function* () {
      const { asked, model } = yield* modelOf((_, n) =>
        n === 1
          ? [
              { type: "reasoning", text: "An order.", metadata: { signed: { by: "x" } } },
              {
                type: "tool-call",
                id: "t1",
                name: "get_order",
                params: { order_id: "A1001" },
                metadata: { a: { b: 1 } }
              },
              { ...done, reason: "tool-calls" }
            ]
          : [{ type: "text", text: "It has shipped." }, done]
      )
      const trajectory = yield* play(model)
      expect(trajectory).toMatchObject({
        finalText: "It has shipped.",
        usage: { agent: { input: 20, cached: 12, output: 8, reasoning: 2 } },
        sampling: { model: "some-model" }
      })
      expect(trajectory.steps).toMatchObject([
        {},
        { text: "", reasoning: "An order." },
        { tool: "get_order", call_id: "t1", status: "ok" },
        {}
      ])
      const [first, second] = asked
      expect(first?.tools.map((tool) => [tool.name, Tool.getJsonSchema(tool as Tool.Tool<string, never>)])[0]).toEqual([
        "get_order",
        { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
      ])
      expect(second?.prompt.content).toMatchObject([
        { role: "system", content: "Help with orders." },
        { role: "user", content: [{ type: "text", text: "Where is my order A1001?" }] },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "An order.", options: { signed: { by: "x" } } },
            { type: "tool-call", id: "t1", params: { order_id: "A1001" }, options: { a: { b: 1 } } }
          ]
        },
        {
          role: "tool",
          content: [{ type: "tool-result", id: "t1", result: { id: "A1001", status: "shipped" }, isFailure: false }]
        }
      ])
    })
  )

  it.effect("may call what does not exist, or with what is no object: the rest of its reply counts", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const { model } = yield* modelOf((_, n) =>
        n === 1
          ? [
              { type: "text", text: "Let me see." },
              { type: "tool-call", id: "1", name: "constructor", params: {} },
              { type: "tool-call", id: "2", name: "get_order", params: "{broken" },
              { type: "tool-call", id: "3", name: "list_stores", params: {} },
              { ...done, reason: "tool-calls" }
            ]
          : [{ type: "text", text: "Done." }, done]
      )
      const trajectory = yield* play(model, { world })
      expect(trajectory.malformedToolCalls).toBe(2)
      expect(world.reached).toEqual([{ tool: "list_stores", arguments: {} }])
      expect(trajectory.steps).toMatchObject([
        {},
        { text: "Let me see." },
        { tool: "constructor", status: "error" },
        { tool: "get_order", arguments: "{broken", status: "error" },
        { tool: "list_stores", status: "ok" },
        { text: "Done." }
      ])
    })
  )

  it.effect(
    "costs no rollout when its provider cannot read the reply: the turn is malformed, for the tool it names",
    () =>
      Effect.gen(function* () {
        const broken = (description: string) => new AiError.MalformedOutput({ module: "X", method: "y", description })
        const { model } = yield* modelOf((_, n) =>
          n === 1
            ? Effect.fail(broken("Failed to parse the parameters of tool 'get_order': {\"order_id\":"))
            : n === 2
              ? Effect.fail(broken("Unexpected end of input"))
              : [{ type: "text", text: "Done." }, done]
        )
        const trajectory = yield* play(model)
        expect(trajectory).toMatchObject({ finalText: "Done.", malformedToolCalls: 2 })
        expect(trajectory.steps).toMatchObject([
          {},
          { tool: "get_order", status: "error", result: { error: expect.stringContaining("not valid JSON") } },
          { tool: "unreadable_reply", arguments: "Unexpected end of input", status: "error" },
          { text: "Done." }
        ])
      })
  )

  it.effect("is asked again where there are no tools to speak of", () =>
    Effect.gen(function* () {
      const { asked, model } = yield* modelOf((_, n) =>
        n === 1
          ? Effect.fail(new AiError.MalformedOutput({ module: "X", method: "y", description: "nothing" }))
          : [{ type: "text", text: "Hello." }, done]
      )
      const fiber = yield* Effect.fork(model.complete({ messages: [{ role: "user", content: "Hi" }] }))
      yield* TestClock.adjust("1 minute")
      expect((yield* Fiber.join(fiber)).text).toBe("Hello.")
      expect(asked).toHaveLength(2)
    })
  )

  it.effect("samples as the run asks, where it is told how", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const { model } = yield* modelOf(() => [{ type: "text", text: "Hi." }, done], {
        withSampling: (sampling) => (call) => (seen.push(sampling), call)
      })
      const request = {
        messages: [{ role: "user", content: "Hi" } as const],
        sampling: { temperature: 0.3, maxTokens: 9 }
      }
      const { sampling } = yield* model.complete(request)
      expect(seen).toEqual([{ temperature: 0.3, maxTokens: 9 }])
      expect(sampling).toEqual({ model: "some-model", temperature: 0.3, max_tokens: 9 })
      const plain = yield* modelOf(() => [{ type: "text", text: "Hi." }, done])
      expect((yield* plain.model.complete(request)).sampling).toEqual({ model: "some-model" })
    })
  )

  it.effect("gives an object for a schema, or the words it gave instead", () =>
    Effect.gen(function* () {
      const { asked, model } = yield* modelOf((_, n) => [
        { type: "text", text: n === 1 ? '{"reward":1}' : "I would say 1" },
        done
      ])
      const responseSchema = { type: "object", properties: { reward: { type: "number" } } }
      const request = { messages: [{ role: "user", content: "Judge" } as const], responseSchema }
      expect((yield* model.complete(request)).text).toBe('{"reward":1}')
      expect((yield* model.complete(request)).text).toBe("I would say 1")
      expect(asked[0]?.responseFormat.type).toBe("json")
    })
  )

  it.effect.each([
    [401, '{"error":{"message":"bad key"}}', "auth"],
    [429, '{"error":{"code":"insufficient_quota","message":"no credit"}}', "quota"],
    [400, '{"error":{"code":"context_length_exceeded","message":"too long"}}', "context"],
    [422, '{"error":{"message":"odd field"}}', "bad_request"]
  ] as const)("fails for good with %d (%s)", ([status, body, reason]) =>
    Effect.gen(function* () {
      const { asked, model } = yield* modelOf(() => Effect.fail(responseError(status, body)))
      const failure = yield* Effect.flip(model.complete({ messages: [{ role: "user", content: "Hi" }] }))
      expect(failure.reason).toBe(reason)
      expect(asked).toHaveLength(1)
    })
  )

  it.effect("is asked again, as the server says, when it is busy", () =>
    Effect.gen(function* () {
      const { asked, model } = yield* modelOf((_, n) =>
        n === 1
          ? Effect.fail(responseError(529, "overloaded", { "retry-after": "20" }))
          : [{ type: "text", text: "Hi." }, done]
      )
      const fiber = yield* Effect.fork(model.complete({ messages: [{ role: "user", content: "Hi" }] }))
      yield* TestClock.adjust("19 seconds")
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(fiber)).text).toBe("Hi.")
    })
  )
})

const responseError = (status: number, body: string, headers: Record<string, string> = {}) =>
  new AiError.HttpResponseError({
    module: "X",
    method: "y",
    reason: "StatusCode",
    request: { method: "POST", url: "https://api.example/v1", urlParams: [], hash: Option.none(), headers: {} },
    response: { status, headers },
    body
  })

describe("a chat model as a LanguageModel of @effect/ai", () => {
  const Lookup = Tool.make("lookup", {
    description: "Look up an order",
    parameters: { id: Schema.String },
    success: Schema.Struct({ status: Schema.String })
  })
  const toolkit = Toolkit.make(Lookup)
  const handlers = toolkit.toLayer({ lookup: ({ id }) => Effect.succeed({ status: `${id} shipped` }) })
  const served = (script: ScriptedChatModel.Script) => {
    const model = ScriptedChatModel.make(script)
    return { model, layer: Layer.provide(EffectAi.layerLanguageModel, ChatModels.layer(model)) }
  }

  it.effect("answers a program with its tools resolved", () =>
    Effect.gen(function* () {
      const { layer, model } = served([
        {
          text: "Looking.",
          toolCalls: [{ id: "c", name: "lookup", arguments: '{"id":"A1"}' }],
          usage: { input: 3, cached: null, output: 2, reasoning: null }
        }
      ])
      const response = yield* LanguageModel.generateText({ prompt: "Where is A1?", toolkit }).pipe(
        Effect.provide([layer, handlers])
      )
      expect(response.text).toBe("Looking.")
      expect(response.toolResults[0]?.result).toEqual({ status: "A1 shipped" })
      expect([response.finishReason, response.usage.totalTokens]).toEqual(["tool-calls", 5])
      expect(model.requests()[0]).toMatchObject({
        messages: [{ role: "user", content: "Where is A1?" }],
        tools: [
          { name: "lookup", description: "Look up an order", parameters: { properties: { id: { type: "string" } } } }
        ]
      })
    })
  )

  it.effect("answers objects, and streams", () =>
    Effect.gen(function* () {
      const { layer, model } = served(['{"city":"Oslo"}', { text: "Hello.", reasoning: "hm" }])
      const object = yield* LanguageModel.generateObject({
        prompt: "Which?",
        schema: Schema.Struct({ city: Schema.String })
      }).pipe(Effect.provide(layer))
      expect(object.value).toEqual({ city: "Oslo" })
      expect(model.requests()[0]?.responseSchema).toMatchObject({ properties: { city: { type: "string" } } })
      const parts = yield* LanguageModel.streamText({ prompt: "Hi" }).pipe(Stream.runCollect, Effect.provide(layer))
      expect([...parts].map(({ type }) => type)).toEqual([
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "text-start",
        "text-delta",
        "text-end",
        "finish"
      ])
    })
  )

  it.effect("keeps to the choice of tools, and says what a reply lacks", () =>
    Effect.gen(function* () {
      const { layer, model } = served((request, n) =>
        n === 3 ? { toolCalls: [{ id: "", name: "lookup", arguments: "[1]" }] } : `${request.tools?.length ?? 0} tools`
      )
      const ask = (toolChoice: "none" | "required" | { readonly tool: "lookup" }) =>
        LanguageModel.generateText({ prompt: "Hi", toolkit, toolChoice }).pipe(Effect.provide([layer, handlers]))
      expect((yield* ask("none")).text).toBe("0 tools")
      const lacking = yield* Effect.flip(ask("required"))
      expect("description" in lacking && lacking.description).toContain("made none")
      expect((yield* Effect.flip(ask({ tool: "lookup" })))._tag).toBe("MalformedOutput")
      const odd = yield* Effect.flip(ask("required"))
      expect("description" in odd && odd.description).toContain("no JSON object")
      expect(model.requests()).toHaveLength(4)
    })
  )

  it.effect("says which rollout its calls are for, each with a number of its own", () =>
    Effect.gen(function* () {
      const { layer, model } = served(["a"])
      const { info } = Kit.rollout({ index: 2 })
      const ask = LanguageModel.generateText({ prompt: "Hi" })
      yield* Effect.zip(ask, ask).pipe(Effect.provideService(CurrentRollout, Option.some(info)), Effect.provide(layer))
      expect(model.requests().map(({ key }) => key)).toEqual([
        ["language-model", "task_1", 0, 2, 0],
        ["language-model", "task_1", 0, 2, 1]
      ])
    })
  )

  it.effect("and back again is the same model", () =>
    Effect.gen(function* () {
      const inner = ScriptedChatModel.make([
        new ChatModels.ModelFailed({ reason: "quota", model: "m", detail: "no credit" })
      ])
      const layer = EffectAi.layer({ model: "m" }).pipe(
        Layer.provide(EffectAi.layerLanguageModel),
        Layer.provide(ChatModels.layer(inner))
      )
      const model = yield* Effect.provide(ChatModel, layer)
      const failure = yield* Effect.flip(model.complete({ messages: [{ role: "user", content: "Hi" }] }))
      expect([failure.reason, failure.detail]).toEqual(["quota", "no credit"])
      expect(inner.requests()).toHaveLength(1)
    })
  )
})

describe("the package", () => {
  it("loads neither @effect/ai nor the MCP SDK before they are used", async () => {
    const refusing = `export const resolve = async (name, context, next) => {
      if (/^(@effect\\/ai|@modelcontextprotocol|ai)(\\/|$)/.test(name)) throw new Error("loaded " + name)
      return next(name, context)
    }`
    const script = `
      import { register } from "node:module"
      register("data:text/javascript," + encodeURIComponent(${JSON.stringify(refusing)}))
      const { McpWorld } = await import("@sandtable/backends")
      const EffectAi = await import("@sandtable/backends/EffectAi")
      console.log(typeof EffectAi.make, typeof McpWorld.connect)
      await import("@effect/ai/LanguageModel").catch((error) => console.log(error.message))`
    const printed = await new Promise<string>((resolve, reject) =>
      execFile(
        process.execPath,
        ["--conditions=@sandtable/source", "--import", "tsx", "--input-type=module", "-e", script],
        (error, out) => (error === null ? resolve(out) : reject(error))
      )
    )
    expect(printed.trim().split("\n")).toEqual(["function function", "loaded @effect/ai/LanguageModel"])
  })
})
