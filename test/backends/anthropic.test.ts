import * as Anthropic from "@sandtable/backends/Anthropic"
import { layerUndici } from "@sandtable/backends/node"
import type { Message } from "../../packages/core/src/model/Message.ts"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { behind, hi, messagesOf } from "./asking.ts"
import type * as FakeServer from "./FakeServer.ts"

const anthropic = (script: FakeServer.Script, options: Partial<Anthropic.Options> = {}) =>
  behind(script, options, Anthropic.make)

const tools = [
  { name: "get_order", description: "Look up", parameters: { type: "object", properties: { id: { type: "string" } } } }
]

describe("Messages", () => {
  it.scoped("holds the policy apart, the tools, and a limit for the reply, which it must have", () =>
    Effect.gen(function* () {
      const { model, server } = yield* anthropic([{ text: "ok", usage: { input: 30, output: 2, cached: 20 } }])
      const completion = yield* model.complete({
        messages: [{ role: "system", content: "Policy" }, ...hi.messages, { role: "system", content: "More" }],
        tools,
        sampling: { temperature: 0.5 }
      })
      expect(server.received[0]?.path).toBe("/v1/messages")
      expect(server.received[0]?.body).toEqual({
        model: "m",
        system: "Policy\n\nMore",
        messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
        max_tokens: 4096,
        tools: [{ name: "get_order", description: "Look up", input_schema: tools[0]?.parameters }],
        temperature: 0.5
      })
      expect(completion).toMatchObject({
        text: "ok",
        usage: { input: 30, cached: 20, output: 2, reasoning: null },
        sampling: { model: "m", temperature: 0.5, max_tokens: 4096 }
      })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("answers all calls first in the very next message of the person, in order", () =>
    Effect.gen(function* () {
      const { model, server } = yield* anthropic([{ text: "ok" }])
      yield* model.complete({
        messages: [
          { role: "user", content: "Hi" },
          {
            role: "assistant",
            content: " ",
            toolCalls: [
              { id: "a.1", name: "f", arguments: {} },
              { id: "b", name: "g", arguments: "" },
              { id: "c", name: "h", arguments: "[1]" }
            ]
          },
          { role: "tool", callId: "c", name: "h", content: "third" },
          { role: "tool", callId: "a.1", name: "f", content: "" },
          { role: "user", content: "And?" },
          { role: "user", content: "   " }
        ]
      })
      expect(server.violations).toEqual([])
      expect(server.received[0]?.body["messages"]).toEqual([
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a_1", name: "f", input: {} },
            { type: "tool_use", id: "b", name: "g", input: {} },
            { type: "tool_use", id: "c", name: "h", input: { input: [1] } }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a_1", content: "(no result)" },
            { type: "tool_result", tool_use_id: "b", content: "(no result)" },
            { type: "tool_result", tool_use_id: "c", content: "third" },
            { type: "text", text: "And?" }
          ]
        }
      ])
    }).pipe(Effect.provide(layerUndici))
  )

  const text = fc.constantFrom("", " ", "\n", "words", "more words")
  const id = fc.constantFrom("", "a", "b", "call.1", "x y")
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.record({ role: fc.constantFrom("user" as const, "system" as const), content: text }),
    fc.record({
      role: fc.constant("assistant" as const),
      content: text,
      toolCalls: fc.array(
        fc.record({
          id,
          name: fc.constant("f"),
          arguments: fc.constantFrom("", "{", "{}", null, {}, [1]) as fc.Arbitrary<unknown>
        }),
        { maxLength: 3 }
      )
    }),
    fc.record({ role: fc.constant("tool" as const), callId: id, name: fc.constant("f"), content: text })
  )

  it.scoped.prop(
    "never has to be refused for its order, whatever the thread",
    [fc.array(message, { maxLength: 12 })],
    ([messages]) =>
      Effect.gen(function* () {
        const { model, server } = yield* anthropic([{ text: "ok" }])
        expect((yield* model.complete({ messages })).text).toBe("ok")
        expect(server.violations).toEqual([])
      }).pipe(Effect.provide(layerUndici)),
    { fastCheck: { numRuns: 60 } }
  )

  for (const streaming of [false, true]) {
    it.scoped(`sends signed thinking back unchanged, where it stood (${streaming ? "streamed" : "whole"})`, () =>
      Effect.gen(function* () {
        const call = { name: "get_order", arguments: { id: "A1" }, id: "toolu_1" }
        const { model, server } = yield* anthropic(
          [{ reasoning: "Look it up", text: "One moment", calls: [call] }, { text: "Sent" }],
          { streaming }
        )
        const first = yield* model.complete({ ...hi, tools })
        expect(first).toMatchObject({
          text: "One moment",
          reasoning: "Look it up",
          finishReason: "tool",
          toolCalls: [{ id: "toolu_1", name: "get_order", arguments: { id: "A1" } }]
        })
        const { providerState, text, toolCalls } = first
        yield* model.complete({
          messages: [
            ...hi.messages,
            // The thread may have given the call another id.
            {
              role: "assistant",
              content: text,
              toolCalls: toolCalls.map((each) => ({ ...each, id: "call_9" })),
              providerState
            },
            { role: "tool", callId: "call_9", name: "get_order", content: "sent" }
          ],
          tools
        })
        expect(server.violations).toEqual([])
        expect(messagesOf(server, 1)[1]?.["content"]).toEqual([
          { type: "thinking", thinking: "Look it up", signature: "signed:Look it up" },
          { type: "text", text: "One moment" },
          { type: "tool_use", id: "call_9", name: "get_order", input: { id: "A1" } }
        ])
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("leaves thinking out where the caller says so", () =>
    Effect.gen(function* () {
      const { model, server } = yield* anthropic([{ reasoning: "deep", text: "x" }], { reasoning: "none" })
      const { providerState } = yield* model.complete(hi)
      yield* model.complete({
        messages: [...hi.messages, { role: "assistant", content: "x", providerState }, { role: "user", content: "?" }]
      })
      expect(JSON.stringify(server.received[1]?.body)).not.toContain("deep")
    }).pipe(Effect.provide(layerUndici))
  )

  for (const streaming of [false, true]) {
    it.scoped(`reads refusals and cut replies (${streaming ? "streamed" : "whole"})`, () =>
      Effect.gen(function* () {
        const { model } = yield* anthropic(
          [{ refusal: "Against the policy" }, { text: "I was go", finish: "length" }],
          { streaming }
        )
        expect(yield* model.complete(hi)).toMatchObject({
          text: "",
          finishReason: "content_filter",
          refusal: "Against the policy"
        })
        expect(yield* model.complete(hi)).toMatchObject({ text: "I was go", finishReason: "length" })
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("a streamed reply is the whole one", () =>
    Effect.gen(function* () {
      const said: FakeServer.Said = {
        text: "Grüße 🌍",
        reasoning: "überlegt",
        usage: { input: 12, output: 8, cached: 4 },
        calls: [
          { name: "get_order", arguments: { id: "Ä1" }, id: "t1" },
          { name: "get_order", arguments: {}, id: "t2" }
        ]
      }
      const streamed = yield* (yield* anthropic([said], { streaming: true })).model.complete(hi)
      const whole = yield* (yield* anthropic([said])).model.complete(hi)
      expect({ ...streamed, raw: 0 }).toEqual({ ...whole, raw: 0 })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("streamed arguments that are no JSON stay what they are", () =>
    Effect.gen(function* () {
      const events = [
        { type: "message_start", message: { role: "assistant", content: [], usage: {} } },
        { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "f", input: {} } },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a": ' } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 9 } },
        { type: "message_stop" }
      ]
      const { model } = yield* anthropic([{ raw: { events } }], { streaming: true })
      expect(yield* model.complete(hi)).toMatchObject({
        toolCalls: [{ id: "t", name: "f", arguments: '{"a": ' }],
        finishReason: "length"
      })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("a stream that begins anew holds nothing of what came before", () =>
    Effect.gen(function* () {
      const start = { type: "message_start", message: { role: "assistant", content: [], usage: { input_tokens: 5 } } }
      const use = (index: number) => ({
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: `t${index}`, name: "name_day", input: {} }
      })
      const more = (index: number, delta: object) => ({ type: "content_block_delta", index, delta })
      const json = (index: number, text: string) => more(index, { type: "input_json_delta", partial_json: text })
      const thinking = { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } }
      const end = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }]
      const events = [
        start,
        thinking,
        more(0, { type: "thinking_delta", thinking: "A name, th" }),
        use(1),
        json(1, '{"value":"Spark'),
        use(2),
        json(2, "{}"),
        start,
        thinking,
        more(0, { type: "thinking_delta", thinking: "A name." }),
        use(1),
        json(1, '{"value":"Spar'),
        json(1, 'kle Day"}'),
        ...end
      ]
      const anew = yield* anthropic([{ raw: { events } }], { streaming: true })
      expect(yield* anew.model.complete(hi)).toMatchObject({
        reasoning: "A name.",
        toolCalls: [{ id: "t1", name: "name_day", arguments: { value: "Sparkle Day" } }],
        usage: { input: 5 }
      })
      // One block may begin anew by itself.
      const block = [start, use(0), json(0, '{"value":"Spark'), use(0), json(0, '{"value":"Moon"}'), ...end]
      const { model } = yield* anthropic([{ raw: { events: block } }], { streaming: true })
      expect((yield* model.complete(hi)).toolCalls).toEqual([
        { id: "t0", name: "name_day", arguments: { value: "Moon" } }
      ])
    }).pipe(Effect.provide(layerUndici))
  )
})
