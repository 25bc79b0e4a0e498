/**
 * What a model says, written as each protocol writes it.
 */
import type { Raw, Said } from "./FakeServer.ts"

type Json = Readonly<Record<string, unknown>>

export const written = (path: string, streaming: boolean, said: Said, n: number): Raw => {
  if (path.endsWith("/messages")) return streaming ? { events: messageEvents(said, n) } : { json: message(said, n) }
  if (path.endsWith("/responses")) return streaming ? { events: responseEvents(said, n) } : { json: response(said, n) }
  return streaming ? { events: completionEvents(said, n) } : { json: completion(said, n) }
}

/** An error as the protocol of the path tells it. */
export const error = (path: string, words: string): unknown =>
  path.endsWith("/messages")
    ? { type: "error", error: { type: "invalid_request_error", message: words } }
    : { error: { type: "invalid_request_error", message: words } }

/** One event of a stream. */
export const frame = (event: unknown): string => {
  if (typeof event === "string") return `data: ${event}\n\n`
  const { type } = event as { readonly type?: unknown }
  return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(event)}\n\n`
}

const argumentsText = (given: unknown): string => (typeof given === "string" ? given : JSON.stringify(given))

// --- chat completions

const finishOf = ({ calls = [], finish }: Said): string => finish ?? (calls.length > 0 ? "tool_calls" : "stop")

const chatUsage = ({ usage }: Said): unknown =>
  usage === undefined
    ? undefined
    : {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
        completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 }
      }

const chatCalls = ({ calls = [] }: Said, n: number): ReadonlyArray<Json> =>
  calls.map((call, i) => ({
    id: call.id ?? `call_${n}_${i}`,
    type: "function",
    function: { name: call.name, arguments: argumentsText(call.arguments) }
  }))

export const completion = (said: Said, n: number): Json => ({
  id: `chatcmpl-${n}`,
  object: "chat.completion",
  model: "fake-1",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: said.text ?? (said.calls === undefined ? "" : null),
        ...(said.reasoning !== undefined && { reasoning_content: said.reasoning }),
        ...(said.refusal !== undefined && { refusal: said.refusal }),
        ...(said.calls !== undefined && { tool_calls: chatCalls(said, n) })
      },
      logprobs: said.logprobs === undefined ? null : { content: said.logprobs },
      finish_reason: finishOf(said)
    }
  ],
  usage: chatUsage(said)
})

const pieces = (text: string): ReadonlyArray<string> => text.match(/.{1,4}/gsu) ?? []

export const completionEvents = (said: Said, n: number): ReadonlyArray<unknown> => {
  const chunk = (delta: Json, more: Json = {}): Json => ({
    id: `chatcmpl-${n}`,
    object: "chat.completion.chunk",
    model: "fake-1",
    choices: [{ index: 0, delta, finish_reason: null, ...more }]
  })
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(said.reasoning ?? "").map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(said.text ?? "").map((piece, i) =>
      chunk({ content: piece }, i === 0 && said.logprobs !== undefined ? { logprobs: { content: said.logprobs } } : {})
    ),
    ...pieces(said.refusal ?? "").map((piece) => chunk({ refusal: piece })),
    ...chatCalls(said, n).flatMap((call, index) => {
      const { arguments: text, name } = call["function"] as { readonly arguments: string; readonly name: string }
      return [
        chunk({ tool_calls: [{ index, id: call["id"], type: "function", function: { name, arguments: "" } }] }),
        ...pieces(text).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
      ]
    }),
    chunk({}, { finish_reason: finishOf(said) }),
    ...(said.usage === undefined ? [] : [{ id: `chatcmpl-${n}`, choices: [], usage: chatUsage(said) }]),
    "[DONE]"
  ]
}

// --- Messages

const stopReasonOf = ({ calls = [], finish, refusal }: Said): string => {
  if (refusal !== undefined) return "refusal"
  if (finish === "length") return "max_tokens"
  return calls.length > 0 ? "tool_use" : "end_turn"
}

const messageUsage = ({ usage }: Said): Json =>
  usage === undefined
    ? {}
    : {
        input_tokens: usage.input - (usage.cached ?? 0),
        cache_read_input_tokens: usage.cached ?? 0,
        cache_creation_input_tokens: 0,
        output_tokens: usage.output
      }

const blocks = (said: Said, n: number): ReadonlyArray<Json> => [
  ...(said.reasoning === undefined
    ? []
    : [{ type: "thinking", thinking: said.reasoning, signature: `signed:${said.reasoning}` }]),
  ...(said.text === undefined || said.text === "" ? [] : [{ type: "text", text: said.text }]),
  ...(said.calls ?? []).map((call, i) => ({
    type: "tool_use",
    id: call.id ?? `toolu_${n}_${i}`,
    name: call.name,
    input: call.arguments
  }))
]

export const message = (said: Said, n: number): Json => ({
  id: `msg_${n}`,
  type: "message",
  role: "assistant",
  model: "fake-1",
  content: blocks(said, n),
  stop_reason: stopReasonOf(said),
  ...(said.refusal !== undefined && { stop_details: { type: "refusal", explanation: said.refusal } }),
  usage: messageUsage(said)
})

export const messageEvents = (said: Said, n: number): ReadonlyArray<unknown> => {
  const { output_tokens, ...atStart } = messageUsage(said)
  return [
    {
      type: "message_start",
      message: {
        ...message({}, n),
        content: [],
        stop_reason: null,
        usage: { ...atStart, output_tokens: output_tokens === undefined ? undefined : 1 }
      }
    },
    { type: "ping" },
    ...blocks(said, n).flatMap((block, index): ReadonlyArray<Json> => {
      const start = (content: Json): Json => ({ type: "content_block_start", index, content_block: content })
      const delta = (change: Json): Json => ({ type: "content_block_delta", index, delta: change })
      const stop = { type: "content_block_stop", index }
      if (block["type"] === "thinking") {
        return [
          start({ type: "thinking", thinking: "", signature: "" }),
          ...pieces(String(block["thinking"])).map((thinking) => delta({ type: "thinking_delta", thinking })),
          delta({ type: "signature_delta", signature: block["signature"] }),
          stop
        ]
      }
      if (block["type"] === "text") {
        return [
          start({ type: "text", text: "" }),
          ...pieces(String(block["text"])).map((text) => delta({ type: "text_delta", text })),
          stop
        ]
      }
      return [
        start({ ...block, input: {} }),
        ...pieces(argumentsText(block["input"])).map((partial_json) =>
          delta({ type: "input_json_delta", partial_json })
        ),
        stop
      ]
    }),
    {
      type: "message_delta",
      delta: {
        stop_reason: stopReasonOf(said),
        ...(said.refusal !== undefined && { stop_details: { type: "refusal", explanation: said.refusal } })
      },
      usage: messageUsage(said)
    },
    { type: "message_stop" }
  ]
}

// --- Responses

export const response = (said: Said, n: number): Json => {
  const cut = said.finish === "length"
  const { usage } = said
  return {
    id: `resp_${n}`,
    object: "response",
    model: "fake-1",
    status: cut ? "incomplete" : "completed",
    incomplete_details: cut ? { reason: "max_output_tokens" } : null,
    output: [
      ...(said.reasoning === undefined
        ? []
        : [
            {
              type: "reasoning",
              id: `rs_${n}`,
              summary: [{ type: "summary_text", text: said.reasoning }],
              encrypted_content: `sealed:${said.reasoning}`
            }
          ]),
      ...(said.text === undefined && said.refusal === undefined
        ? []
        : [
            {
              type: "message",
              id: `item_${n}`,
              role: "assistant",
              status: "completed",
              content: [
                said.refusal === undefined
                  ? { type: "output_text", text: said.text, annotations: [], logprobs: said.logprobs ?? [] }
                  : { type: "refusal", refusal: said.refusal }
              ]
            }
          ]),
      ...(said.calls ?? []).map((call, i) => ({
        type: "function_call",
        id: `fc_${n}_${i}`,
        call_id: call.id ?? `call_${n}_${i}`,
        name: call.name,
        arguments: argumentsText(call.arguments),
        status: "completed"
      }))
    ],
    usage:
      usage === undefined
        ? null
        : {
            input_tokens: usage.input,
            output_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            input_tokens_details: { cached_tokens: usage.cached ?? 0 },
            output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 }
          }
  }
}

export const responseEvents = (said: Said, n: number): ReadonlyArray<unknown> => {
  const whole = response(said, n)
  return [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [], usage: null } },
    ...pieces(said.text ?? "").map((delta) => ({ type: "response.output_text.delta", delta })),
    { type: whole["status"] === "incomplete" ? "response.incomplete" : "response.completed", response: whole }
  ]
}
