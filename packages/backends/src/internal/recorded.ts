/**
 * Completions as JSON, and what of a request they are found by.
 */
import type { Completion, Request } from "@sandtable/core/ChatModel"
import * as Hash from "@sandtable/core/unstable/Hash"
import type { Message, ToolCall } from "@sandtable/core/unstable/Message"
import type * as Usage from "@sandtable/core/unstable/Usage"
import { at, countOf, isRecord, listOf } from "./json.ts"
import { finishReasons } from "./replyShape.ts"

/** All of a completion but the reply as the provider sent it. */
export const ofCompletion = ({ raw: _raw, ...rest }: Completion): Readonly<Record<string, unknown>> => rest

/** A completion of what was kept of one, or of what somebody wrote by hand: only text or calls are needed. */
export const completionOf = (value: unknown): Completion | null => {
  if (typeof value === "string") return completionOf({ text: value })
  if (!isRecord(value)) return null
  const { text = "", toolCalls = [] } = value
  if (typeof text !== "string" || !Array.isArray(toolCalls)) return null
  if (value["text"] === undefined && toolCalls.length === 0 && value["finishReason"] === undefined) return null
  const { logprobs, providerState, reasoning, refusal, sampling, usage } = value
  const calls = toolCalls.map((call: unknown, i): ToolCall => ({
    id: String(at(call, "id") ?? `call_${i + 1}`),
    name: String(at(call, "name") ?? ""),
    arguments: at(call, "arguments"),
    ...problemOf(at(call, "problem"))
  }))
  const said = value["finishReason"]
  return {
    text,
    toolCalls: calls,
    finishReason: finishReasons.find((reason) => reason === said) ?? (calls.length > 0 ? "tool" : "stop"),
    usage: usageOf(usage),
    sampling: isRecord(sampling) ? sampling : {},
    ...(typeof reasoning === "string" ? { reasoning } : {}),
    ...(typeof refusal === "string" ? { refusal } : {}),
    ...(isLogprobs(logprobs) ? { logprobs } : {}),
    ...(providerState === undefined ? {} : { providerState })
  }
}

const problemOf = (problem: unknown): Pick<ToolCall, "problem"> => (typeof problem === "string" ? { problem } : {})

const usageOf = (usage: unknown): Usage.Usage => ({
  input: countOf(at(usage, "input")),
  cached: countOf(at(usage, "cached")),
  output: countOf(at(usage, "output")),
  reasoning: countOf(at(usage, "reasoning"))
})

const isLogprobs = (value: unknown): value is NonNullable<Completion["logprobs"]> =>
  typeof at(value, "total") === "number" && typeof at(value, "tokens") === "number"

/** The fields of a request that a recording may name beside its messages. */
export const fields = ["tools", "sampling", "responseSchema", "key"] as const

/** A request without what only its provider reads. */
export const ofRequest = ({ messages, ...rest }: Request): Readonly<Record<string, unknown>> => ({
  messages: messages.map(ofMessage),
  ...rest
})

const ofMessage = (message: Message): object => {
  if (message.role !== "assistant") return message
  const { content, role, toolCalls = [] } = message
  return toolCalls.length === 0 ? { role, content } : { role, content, toolCalls }
}

/** Equal for equal threads; a call's arguments are equal as text and as an object. */
export const threadDigest = (messages: unknown): string =>
  Hash.sha256Hex(
    Hash.canonical(
      listOf(messages).map((message) => [
        at(message, "role"),
        at(message, "content") ?? "",
        at(message, "callId") ?? null,
        listOf(at(message, "toolCalls")).map((call) => {
          const args = at(call, "arguments")
          return [at(call, "id"), at(call, "name"), typeof args === "string" ? args : Hash.canonical(args ?? {})]
        })
      ])
    )
  )
