/**
 * What a protocol has to say: how a request is written, how a reply is read, and how a stream becomes such a reply. Where
 * it is sent, by whom and in what frames is decided elsewhere, so protocols read side by side.
 */
import type { Completion, FinishReason, Request, Sampling, ToolSpec } from "@sandtable/core/ChatModel"
import type { Message, ToolCall } from "@sandtable/core/unstable/Message"
import type { Usage } from "@sandtable/core/unstable/Usage"
import type { Dialect } from "../ToolSchemas.ts"
import type { Failure } from "./failure.ts"
import type { SseEvent } from "./sse.ts"

/** Which of an agent's thoughts go back to the model: all, those since the last word of the person, or none. */
export type ReasoningRule = "all" | "turn" | "none"

/** How replies are sampled; null leaves it to the server. */
export interface Settings {
  readonly temperature: number | null
  readonly maxTokens: number | null
  readonly topP: number | null
  readonly stop: ReadonlyArray<string> | null
  readonly seed: number | null
  readonly logprobs: NonNullable<Request["sampling"]>["logprobs"]
}

/** One call as a protocol writes it. */
export interface Call {
  readonly model: string
  readonly messages: ReadonlyArray<Message>
  /** In the form the server takes. */
  readonly tools: ReadonlyArray<ToolSpec>
  readonly settings: Settings
  readonly responseSchema: Request["responseSchema"]
  readonly reasoning: ReasoningRule
  readonly streaming: boolean
}

/** A reply as read. */
export interface Reply {
  readonly _tag: "Reply"
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: ReadonlyArray<ToolCall>
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly logprobs: NonNullable<Completion["logprobs"]> | null
  readonly refusal: string | null
  readonly providerState: unknown
  /** The model that says it answered. */
  readonly model: string | null
}

/** A stream on its way to being a reply. */
export interface Assembly {
  /** One event; whether it said anything: pings do not. */
  readonly take: (event: SseEvent) => boolean
  /** Nothing more is needed. */
  readonly done: () => boolean
  /** The body that a request without streaming would have got; undefined when the stream was cut before its end. */
  readonly whole: () => unknown
  readonly usage: () => Usage
}

/** What to do without a parameter that a server refuses. */
export interface Parameter {
  /** Another name for the same thing, tried first. */
  readonly renamed?: string
  /** Parameters that mean nothing without it. */
  readonly takes?: ReadonlyArray<string>
  /** It says how a reply is formed, which messages ask for too; a plainer value, where there is one, is tried first. */
  readonly form?: { readonly plainer: unknown }
}

export interface Protocol {
  readonly name: string
  /** Below the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly dialect: Dialect
  readonly body: (call: Call) => Record<string, unknown>
  readonly read: (body: unknown, call: Call, maxTokens: number | null) => Reply | Failure
  readonly assemble: () => Assembly
  /** What may be left out or renamed when a server refuses it, by name. */
  readonly parameters: ReadonlyMap<string, Parameter>
  /** Whether the API tells log probabilities. */
  readonly logprobs: boolean
  /** The names under which a body holds what rows record; none for what the API has not. */
  readonly sampled: Readonly<Record<keyof Sampled, ReadonlyArray<string>>>
}

/** What was sampled with, by the names that rows use. */
export interface Sampled {
  readonly temperature: unknown
  readonly max_tokens: unknown
  readonly top_p: unknown
  readonly stop: unknown
  readonly seed: unknown
}

export type { Sampling }

const stops: ReadonlySet<string> = new Set([
  "stop",
  "eos",
  "eos_token",
  "end_turn",
  "stop_sequence",
  "completed",
  "pause_turn"
])
const lengths: ReadonlySet<string> = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
  "model_context_window_exceeded"
])
const filters: ReadonlySet<string> = new Set([
  "content_filter",
  "refusal",
  "safety",
  "recitation",
  "prohibited_content",
  "blocklist"
])

/**
 * How a reply ended. What is in it beats what the server says: with calls it is a call, without any it is none, and a
 * reply that used up its tokens was cut.
 */
export const finishOf = (
  said: string | null,
  calls: number,
  output: number | null,
  maxTokens: number | null
): FinishReason => {
  const word = said?.toLowerCase() ?? ""
  if (lengths.has(word)) return "length"
  if (filters.has(word)) return "content_filter"
  if (calls > 0) return "tool"
  const usedUp = maxTokens !== null && output !== null && output >= maxTokens
  return usedUp && (word === "" || stops.has(word)) ? "length" : "stop"
}

/** Ids that are there and differ: a missing or doubled one becomes `call_<n>`, counted on from the calls of the thread. */
export const withIds = (calls: ReadonlyArray<ToolCall>, messages: ReadonlyArray<Message>): ReadonlyArray<ToolCall> => {
  if (calls.length < 2 && calls[0]?.id !== "") return calls
  const taken = new Set<string>()
  if (calls.every(({ id }) => id !== "" && taken.size < taken.add(id).size)) return calls
  taken.clear()
  const before = messages.reduce(
    (sum, message) => sum + ("toolCalls" in message ? (message.toolCalls?.length ?? 0) : 0),
    0
  )
  return calls.map((call, i) => {
    let id = call.id
    for (let n = before + i + 1; id === "" || taken.has(id); n++) id = `call_${n}`
    taken.add(id)
    return { ...call, id }
  })
}
