import { layerUndici } from "@sandtable/backends/node"
import type { Request } from "@sandtable/core/ChatModel"
import type { Message } from "../../packages/core/src/model/Message.ts"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import { behind, hi, messagesOf } from "./asking.ts"
import type * as FakeServer from "./FakeServer.ts"
import * as Shapes from "./fake-shapes.ts"

const tools = [
  { name: "get_order", description: "Look up", parameters: { type: "object", properties: { id: { type: "string" } } } }
]

const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) for (const held of Object.values(value)) frozen(held)
  return Object.freeze(value)
}

/** The completion of one reply on the wire. */
const completionOf = (reply: FakeServer.Reply, request: Request = hi, streaming = false) =>
  Effect.gen(function* () {
    const { model } = yield* behind([reply], { streaming, retry: { attempts: 1 } })
    return yield* model.complete(request)
  }).pipe(Effect.provide(layerUndici))

const json = (message: unknown, more: Record<string, unknown> = {}): FakeServer.Reply => ({
  raw: {
    json: { choices: [{ message, finish_reason: "stop", ...more }], usage: { prompt_tokens: 5, completion_tokens: 2 } }
  }
})

describe("a request", () => {
  it.scoped("holds the thread, the tools and how to sample, and no more", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([{ text: "ok" }], {
        sampling: { topP: 0.9, stop: ["END"] },
        body: { user: "x" }
      })
      const { sampling } = yield* model.complete({
        messages: [
          { role: "system", content: "Policy" },
          { role: "user", content: "Where is A1?" },
          { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "get_order", arguments: { id: "A1" } }] },
          { role: "tool", callId: "c1", name: "get_order", content: '{"status":"sent"}' }
        ],
        tools,
        sampling: { temperature: 0.3, maxTokens: 100 }
      })
      expect(server.received[0]?.path).toBe("/v1/chat/completions")
      expect(server.received[0]?.body).toEqual({
        model: "m",
        messages: [
          { role: "system", content: "Policy" },
          { role: "user", content: "Where is A1?" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c1", type: "function", function: { name: "get_order", arguments: '{"id":"A1"}' } }]
          },
          { role: "tool", tool_call_id: "c1", content: '{"status":"sent"}' }
        ],
        tools: [{ type: "function", function: tools[0] }],
        temperature: 0.3,
        max_tokens: 100,
        top_p: 0.9,
        stop: ["END"],
        user: "x"
      })
      expect(sampling).toEqual({
        model: "m",
        temperature: 0.3,
        max_tokens: 100,
        top_p: 0.9,
        stop: ["END"],
        served_model: "fake-1"
      })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("is the same for a thread that is kept from changing, however often it comes again", () =>
    Effect.gen(function* () {
      const words = FastCheck.oneof(FastCheck.string(), FastCheck.constantFrom("", "\u2028", "\ud800", '"\\'))
      const calls = FastCheck.array(
        FastCheck.record({
          id: FastCheck.constantFrom("", "a", "b", "call_1", "0123456789"),
          name: FastCheck.constantFrom("look", "__proto__", "book"),
          arguments: FastCheck.oneof(FastCheck.json(), FastCheck.dictionary(words, FastCheck.jsonValue()), words)
        }),
        { maxLength: 3 }
      )
      const message = FastCheck.oneof(
        FastCheck.record({ role: FastCheck.constantFrom("system" as const, "user" as const), content: words }),
        FastCheck.record({
          role: FastCheck.constant("assistant" as const),
          content: words,
          toolCalls: calls,
          providerState: FastCheck.constantFrom(
            undefined,
            { "chat-completions": { reasoning: "hm" } },
            { "chat-completions": { reasoning_details: [{ text: "hm" }] } }
          )
        }),
        FastCheck.record({
          role: FastCheck.constant("tool" as const),
          callId: FastCheck.constantFrom("", "a", "b", "call_1", "0123456789"),
          name: FastCheck.constant("look"),
          content: words
        })
      )
      const threads = FastCheck.sample(FastCheck.array(message, { minLength: 1, maxLength: 8 }), {
        numRuns: 40,
        seed: 7
      })
      for (const provider of ["openai", "mistral"]) {
        const answers = threads.flatMap(() => [1, 2, 3, 4].map(() => ({ text: "ok" })))
        const { model, server } = yield* behind(answers, { provider, reasoning: "turn" })
        for (const [i, messages] of threads.entries()) {
          const kept = frozen(structuredClone(messages))
          yield* model.complete({ messages, tools })
          yield* model.complete({ messages: kept, tools })
          // What follows moves the turn on, so its thoughts stay out.
          const next: Message = { role: "user", content: "And?" }
          yield* model.complete({ messages: [...kept, next], tools })
          yield* model.complete({ messages: [...structuredClone(messages), next], tools })
          const [once, again, longer, fresh] = server.received.slice(i * 4, i * 4 + 4).map(({ body }) => body)
          expect(again).toEqual(once)
          expect(longer).toEqual(fresh)
        }
      }
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("sends each call a seed of its own, the same one for the same call", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([{ text: "ok" }], { sampling: { seed: 7 } })
      for (const index of [0, 1, 0]) yield* model.complete({ ...hi, key: ["agent", "t", 0, index, 0] })
      const [a, b, c] = server.received.map(({ body }) => body["seed"])
      expect(a).toBe(c)
      expect(a).not.toBe(b)
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("gives a call id nine letters and digits where a provider wants so, the same in call and answer", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([{ text: "ok" }], { provider: "mistral" })
      yield* model.complete({
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "f", arguments: {} }] },
          { role: "tool", callId: "call_1", name: "f", content: "1" }
        ]
      })
      const [, issued, answer] = messagesOf(server, 0)
      expect(answer?.["tool_call_id"]).toMatch(/^[a-z0-9]{9}$/)
      expect(issued).toMatchObject({ tool_calls: [{ id: answer?.["tool_call_id"] }] })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("answers every call of a thread, in order, whatever is missing or doubled", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([{ text: "ok" }])
      yield* model.complete({
        messages: [
          { role: "user", content: "Hi" },
          {
            role: "assistant",
            content: "",
            toolCalls: [
              { id: "a", name: "f", arguments: "" },
              { id: "a", name: "g", arguments: "{broken" },
              { id: "", name: "h", arguments: {} }
            ]
          },
          { role: "tool", callId: "a", name: "f", content: "first" },
          { role: "tool", callId: "a", name: "g", content: "second" },
          { role: "tool", callId: "stray", name: "x", content: "stray" }
        ]
      })
      expect(server.violations).toEqual([])
      const sent = messagesOf(server, 0)
      expect(sent.slice(2).map(({ content }) => content)).toEqual([
        "first",
        "second",
        "(no result)",
        "Result of x: stray"
      ])
    }).pipe(Effect.provide(layerUndici))
  )
})

describe("reasoning", () => {
  const thread = (state: unknown): ReadonlyArray<Message> => [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "old", providerState: state },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "f", arguments: {} }], providerState: state },
    { role: "tool", callId: "c", name: "f", content: "1" }
  ]
  const cases = [
    ["turn", [undefined, "deep"]],
    ["all", ["deep", "deep"]],
    ["none", [undefined, undefined]]
  ] as const
  for (const [rule, expected] of cases) {
    it.scoped(`goes back by the rule: ${rule}`, () =>
      Effect.gen(function* () {
        const { model, server } = yield* behind([{ text: "x", reasoning: "deep" }], { reasoning: rule })
        const first = yield* model.complete(hi)
        expect(first.reasoning).toBe("deep")
        yield* model.complete({ messages: thread(first.providerState) })
        const sent = messagesOf(server, 1)
        expect([sent[1]?.["reasoning_content"], sent[3]?.["reasoning_content"]]).toEqual(expected)
      }).pipe(Effect.provide(layerUndici))
    )
  }

  it.scoped("comes back under the name and in the blocks it had", () =>
    Effect.gen(function* () {
      const details = [{ type: "reasoning.encrypted", data: "sealed", index: 0 }]
      const { model, server } = yield* behind([json({ content: "x", reasoning: "deep", reasoning_details: details })])
      const { providerState } = yield* model.complete(hi)
      yield* model.complete({ messages: thread(providerState) })
      const sent = messagesOf(server, 1)
      expect(sent[3]).toMatchObject({ reasoning: "deep", reasoning_details: details })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("of another provider stays out", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([{ text: "ok" }], { reasoning: "all" })
      yield* model.complete({
        messages: thread({ "anthropic-messages": [{ type: "thinking", thinking: "deep", signature: "s" }] })
      })
      expect(JSON.stringify(server.received[0]?.body)).not.toContain("deep")
    }).pipe(Effect.provide(layerUndici))
  )
})

describe("a reply", () => {
  const replies: ReadonlyArray<readonly [string, FakeServer.Reply, Record<string, unknown>]> = [
    ["without content", json({ role: "assistant" }), { text: "", toolCalls: [], finishReason: "stop" }],
    [
      "with content in parts",
      json({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
          { type: "text", text: "Hi" }
        ]
      }),
      { text: "Hi", reasoning: "hm" }
    ],
    [
      "with a refusal",
      json({ content: null, refusal: "I cannot help with that" }),
      { text: "I cannot help with that", refusal: "I cannot help with that", finishReason: "content_filter" }
    ],
    [
      "with arguments that are an object",
      json({ tool_calls: [{ id: "c", function: { name: "f", arguments: { a: 1 } } }] }),
      { toolCalls: [{ id: "c", name: "f", arguments: { a: 1 } }], finishReason: "tool" }
    ],
    [
      "with calls and the word stop",
      json({ content: null, tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] }),
      { finishReason: "tool" }
    ],
    [
      "without calls and the word tool_calls",
      json({ content: "done" }, { finish_reason: "tool_calls" }),
      { finishReason: "stop", text: "done" }
    ],
    [
      "with a call of the old kind",
      json({ function_call: { name: "f", arguments: "{}" } }),
      { toolCalls: [{ id: "call_1", name: "f", arguments: "{}" }], finishReason: "tool" }
    ],
    [
      "with broken arguments",
      json({ tool_calls: [{ id: "c", function: { name: "f", arguments: '{"a":' } }] }),
      { toolCalls: [{ id: "c", name: "f", arguments: '{"a":' }] }
    ],
    [
      "with calls that have no id, or one twice",
      json({
        tool_calls: [
          { function: { name: "f", arguments: "{}" } },
          { id: "x", function: { name: "g", arguments: "{}" } },
          { id: "x", function: { name: "h", arguments: "{}" } }
        ]
      }),
      {
        toolCalls: [
          { id: "call_1", name: "f" },
          { id: "x", name: "g" },
          { id: "call_3", name: "h" }
        ]
      }
    ],
    ["cut by its limit", json({ content: "I was go" }, { finish_reason: "length" }), { finishReason: "length" }],
    [
      "cut by its limit in other words",
      json({ content: "I was go" }, { finish_reason: "model_length" }),
      { finishReason: "length" }
    ],
    ["filtered", json({ content: "" }, { finish_reason: "content_filter" }), { finishReason: "content_filter" }],
    ["without usage", { text: "Hi" }, { usage: { input: null, cached: null, output: null, reasoning: null } }],
    [
      "with log probabilities",
      {
        text: "Hi",
        logprobs: [
          { token: "H", logprob: -0.25 },
          { token: "i", logprob: -0.5 }
        ]
      },
      { logprobs: { total: -0.75, tokens: 2 } }
    ],
    [
      "that counts thinking beside its output",
      {
        raw: {
          json: {
            choices: [{ message: { content: "x" } }],
            usage: {
              prompt_tokens: 10,
              completion_tokens: 5,
              total_tokens: 45,
              completion_tokens_details: { reasoning_tokens: 30 }
            }
          }
        }
      },
      { usage: { input: 10, output: 35, reasoning: 30 } }
    ]
  ]
  for (const [what, reply, expected] of replies) {
    it.scoped(`${what} is read`, () =>
      Effect.map(completionOf(reply), (completion) => expect(completion).toMatchObject(expected))
    )
  }

  it.scoped("that used up its tokens was cut, whatever it says", () =>
    Effect.gen(function* () {
      const { finishReason } = yield* completionOf(
        { text: "I was go", finish: "stop", usage: { input: 3, output: 20 } },
        { ...hi, sampling: { maxTokens: 20 } }
      )
      expect(finishReason).toBe("length")
    })
  )

  it.scoped("tells each token only when asked to", () =>
    Effect.gen(function* () {
      const reply = { text: "H", logprobs: [{ token: "H", logprob: -0.25 }] }
      const all = yield* completionOf(reply, { ...hi, sampling: { logprobs: "tokens" } })
      expect(all.logprobs?.each).toEqual([{ token: "H", logprob: -0.25 }])
      const sum = yield* completionOf(reply, { ...hi, sampling: { logprobs: true } })
      expect(sum.logprobs).toEqual({ total: -0.25, tokens: 1 })
    })
  )

  it.scoped("whose prompt was filtered is refused for good", () =>
    Effect.gen(function* () {
      const reply = {
        raw: {
          json: { choices: [], prompt_filter_results: [{ content_filter_results: { hate: { filtered: true } } }] }
        }
      }
      expect(yield* Effect.flip(completionOf(reply))).toMatchObject({ reason: "content_filter" })
    })
  )

  it.scoped("names of models' making are harmless", () =>
    Effect.gen(function* () {
      const { toolCalls } = yield* completionOf(
        json({
          tool_calls: [{ id: "__proto__", function: { name: "constructor", arguments: '{"__proto__":{"a":1}}' } }]
        })
      )
      expect(toolCalls).toEqual([{ id: "__proto__", name: "constructor", arguments: '{"__proto__":{"a":1}}' }])
    })
  )
})

describe("a stream", () => {
  const said: FakeServer.Said = {
    text: "Grüße aus Köln 🌍, wie geht's?",
    reasoning: "überlegt 🤔",
    calls: [
      { name: "get_order", arguments: { id: "Ä1" }, id: "c1" },
      { name: "get_order", arguments: { id: "B2" }, id: "c2" }
    ],
    usage: { input: 12, output: 8, cached: 4, reasoning: 3 },
    logprobs: [{ token: "G", logprob: -0.5 }]
  }

  it.scoped("asks for usage, and gives what the whole reply gives", () =>
    Effect.gen(function* () {
      const { model, server } = yield* behind([said], { streaming: true })
      const streamed = yield* model.complete(hi)
      const whole = yield* completionOf(said)
      expect(server.received[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
      expect({ ...streamed, raw: 0 }).toEqual({ ...whole, raw: 0 })
    }).pipe(Effect.provide(layerUndici))
  )

  it.scoped("may be cut between any two bytes", () =>
    Effect.gen(function* () {
      const events = completionEventsOf(said)
      const bytes = Buffer.from(events.map(Shapes.frame).join("").replaceAll("\n", "\r\n"))
      const whole = yield* completionOf(said)
      for (const size of [1, 2, 3, 7, 64]) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size)
        )
        const streamed = yield* completionOf({ raw: { chunks } }, hi, true)
        expect({ ...streamed, raw: 0 }).toEqual({ ...whole, raw: 0 })
      }
    })
  )

  const delta = (delta: unknown, finish: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason: finish }]
  })
  const call = (index: number | undefined, more: Record<string, unknown>) =>
    delta({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...more }] })
  const streams: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, Record<string, unknown>]> = [
    [
      "that numbers every call 0",
      [
        call(0, { id: "a", function: { name: "f", arguments: "{}" } }),
        call(0, { id: "b", function: { name: "g", arguments: "{}" } }),
        delta({}, "tool_calls")
      ],
      {
        toolCalls: [
          { id: "a", name: "f", arguments: "{}" },
          { id: "b", name: "g", arguments: "{}" }
        ]
      }
    ],
    [
      "that numbers no call",
      [
        call(undefined, { id: "a", function: { name: "f", arguments: '{"x"' } }),
        call(undefined, { function: { arguments: ":1}" } }),
        delta({}, "tool_calls")
      ],
      { toolCalls: [{ id: "a", name: "f", arguments: '{"x":1}' }] }
    ],
    [
      "whose later pieces have empty names",
      [
        call(0, { id: "a", function: { name: "f", arguments: "" } }),
        call(0, { function: { name: "", arguments: "{}" } }),
        delta({}, "tool_calls")
      ],
      { toolCalls: [{ id: "a", name: "f", arguments: "{}" }] }
    ],
    ["that ends without [DONE]", [delta({ content: "Hi" }), delta({}, "stop")], { text: "Hi" }],
    ["that ends without a finish reason", [delta({ content: "Hi" }), "[DONE]"], { text: "Hi", finishReason: "stop" }],
    [
      "that begins without choices",
      [{ choices: [], prompt_filter_results: [] }, delta({ content: "Hi" }), delta({}, "stop")],
      { text: "Hi" }
    ],
    [
      "whose usage is in the last chunk",
      [delta({ content: "Hi" }), { ...delta({}, "stop"), usage: { prompt_tokens: 3, completion_tokens: 1 } }],
      { usage: { input: 3, output: 1 } }
    ]
  ]
  for (const [what, events, expected] of streams) {
    it.scoped(`${what} is read`, () =>
      Effect.map(completionOf({ raw: { events } }, hi, true), (completion) =>
        expect(completion).toMatchObject(expected)
      )
    )
  }

  it.scoped("that breaks off is no reply", () =>
    Effect.gen(function* () {
      for (const raw of [{ events: [delta({ content: "Hi" })] }, { events: [delta({ content: "Hi" })], reset: true }]) {
        const failed = yield* Effect.flip(completionOf({ raw }, hi, true))
        expect(failed).toMatchObject({ reason: "unavailable" })
      }
    })
  )

  it.scoped("that was asked for and did not come is read whole, and the other way round", () =>
    Effect.gen(function* () {
      const whole = yield* completionOf(json({ content: "Hi" }), hi, true)
      const streamed = yield* completionOf(
        { raw: { events: [delta({ content: "Hi" }), delta({}, "stop"), "[DONE]"] } },
        hi,
        false
      )
      expect([whole.text, streamed.text]).toEqual(["Hi", "Hi"])
    })
  )
})

const completionEventsOf = (said: FakeServer.Said): ReadonlyArray<unknown> => Shapes.completionEvents(said, 0)
