import { layerUndici } from "@sandtable/backends/node"
import * as OpenAiResponses from "@sandtable/backends/OpenAiResponses"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { behind, hi } from "./asking.ts"
import * as FakeServer from "./FakeServer.ts"

const responses = (script: FakeServer.Script, options: Partial<OpenAiResponses.Options> = {}) =>
  behind(script, options, OpenAiResponses.make)

const tools = [
  { name: "get_order", description: "Look up", parameters: { type: "object", properties: { id: { type: "string" } } } }
]

describe("Responses", () => {
  for (const streaming of [false, true]) {
    it.scoped(
      `keeps nothing at the provider, and sends sealed reasoning back (${streaming ? "streamed" : "whole"})`,
      () =>
        Effect.gen(function* () {
          const call = { name: "get_order", arguments: { id: "A1" }, id: "c1" }
          const { model, server } = yield* responses(
            [
              { reasoning: "Look it up", calls: [call], usage: { input: 20, output: 9, cached: 8, reasoning: 5 } },
              { text: "Sent" }
            ],
            { streaming }
          )
          const first = yield* model.complete({ ...hi, tools, sampling: { temperature: 0.5, maxTokens: 99 } })
          expect(first).toMatchObject({
            text: "",
            reasoning: "Look it up",
            finishReason: "tool",
            toolCalls: [{ id: "c1", name: "get_order", arguments: '{"id":"A1"}' }],
            usage: { input: 20, cached: 8, output: 9, reasoning: 5 },
            sampling: { model: "m", temperature: 0.5, max_tokens: 99 }
          })
          expect(server.received[0]?.body).toEqual({
            model: "m",
            input: [{ role: "user", content: "Hi" }],
            store: false,
            include: ["reasoning.encrypted_content"],
            tools: [{ type: "function", ...tools[0], strict: false }],
            temperature: 0.5,
            max_output_tokens: 99,
            ...(streaming && { stream: true })
          })
          yield* model.complete({
            messages: [
              ...hi.messages,
              { role: "assistant", content: "", toolCalls: first.toolCalls, providerState: first.providerState },
              { role: "tool", callId: "c1", name: "get_order", content: "sent" }
            ]
          })
          expect(server.violations).toEqual([])
          expect(server.received[1]?.body["input"]).toMatchObject([
            { role: "user" },
            { type: "reasoning", id: "rs_0", encrypted_content: "sealed:Look it up" },
            { type: "function_call", call_id: "c1", arguments: '{"id":"A1"}' },
            { type: "function_call_output", call_id: "c1", output: "sent" }
          ])
        }).pipe(Effect.provide(layerUndici))
    )

    it.scoped(`reads words, refusals, cut replies and log probabilities (${streaming ? "streamed" : "whole"})`, () =>
      Effect.gen(function* () {
        const { model } = yield* responses(
          [
            { text: "Hi", logprobs: [{ token: "Hi", logprob: -0.5 }] },
            { refusal: "No" },
            { text: "I was go", finish: "length" }
          ],
          { streaming }
        )
        expect(yield* model.complete({ ...hi, sampling: { logprobs: "tokens" } })).toMatchObject({
          text: "Hi",
          finishReason: "stop",
          logprobs: { total: -0.5, tokens: 1, each: [{ token: "Hi", logprob: -0.5 }] }
        })
        expect(yield* model.complete(hi)).toMatchObject({ text: "No", refusal: "No", finishReason: "content_filter" })
        expect(yield* model.complete(hi)).toMatchObject({ text: "I was go", finishReason: "length" })
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("does without sealed reasoning where a model has none", () =>
    Effect.gen(function* () {
      const { model, server } = yield* responses(({ body }) =>
        body["include"] === undefined
          ? { text: "ok" }
          : FakeServer.refusal(400, {
              message: "Encrypted content is not supported with this model.",
              param: "include"
            })
      )
      expect((yield* model.complete(hi)).text).toBe("ok")
      yield* model.complete(hi)
      expect(server.received).toHaveLength(3)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("a reply that failed is asked for again, or not, by its cause", () =>
    Effect.gen(function* () {
      const failed = (code: string): FakeServer.Reply => ({
        raw: { json: { status: "failed", error: { code, message: "it failed" }, output: [] } }
      })
      const { model } = yield* responses([failed("insufficient_quota")])
      expect((yield* Effect.flip(model.complete(hi))).reason).toBe("quota")
      const other = yield* responses([failed("server_error")], { retry: { attempts: 1 } })
      expect((yield* Effect.flip(other.model.complete(hi))).reason).toBe("unavailable")
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("a stream without its last event is no reply", () =>
    Effect.gen(function* () {
      const { model } = yield* responses([{ raw: { events: [{ type: "response.output_text.delta", delta: "Hi" }] } }], {
        streaming: true,
        retry: { attempts: 1 }
      })
      expect((yield* Effect.flip(model.complete(hi))).reason).toBe("unavailable")
    }).pipe(Effect.provide(layerUndici))
  )
})
