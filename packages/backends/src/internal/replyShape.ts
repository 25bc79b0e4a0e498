/**
 * What an agent behind an address may answer: a text, a chat message with words or tool calls, a chat completion, or all
 * it did since it was asked. Odd shapes of usual servers are read; what cannot be is said in words.
 */
import type { FinishReason } from "@sandtable/core/ChatModel"
import type { ToolCall } from "@sandtable/core/unstable/Message"
import type { Usage } from "@sandtable/core/unstable/Usage"
import * as Usages from "@sandtable/core/unstable/Usage"
import { excerpt } from "./excerpt.ts"
import { firstCount, isRecord, parse } from "./json.ts"

/** What the agent did by itself before its line. */
export type Did =
  | { readonly _tag: "Said"; readonly text: string; readonly reasoning?: string }
  | {
      readonly _tag: "Called"
      readonly id: string
      readonly tool: string
      readonly arguments: unknown
      readonly result: unknown
    }

export interface Reply {
  readonly did: ReadonlyArray<Did>
  readonly text: string
  readonly reasoning?: string
  readonly toolCalls: ReadonlyArray<ToolCall>
  readonly finishReason?: FinishReason
  readonly usage?: Usage
  readonly final: boolean
}

/** Our own words for how a reply ended. */
export const finishReasons: ReadonlyArray<FinishReason> = ["stop", "length", "tool", "content_filter", "error"]

type Given = Readonly<Record<string, unknown>>

export const understood =
  "a text, a chat message, a chat completion, { messages } or { steps, final_text } is understood"

/** Reads a body that was parsed as JSON. */
export const read = (body: unknown): Reply | string => {
  if (typeof body === "string") return { did: [], text: body, toolCalls: [], final: false }
  if (!isRecord(body)) return `it answered ${shown(body)}; ${understood}`
  const { choices, messages, steps } = body
  const reply = Array.isArray(choices)
    ? completion(choices)
    : Array.isArray(messages)
      ? thread(messages)
      : Array.isArray(steps)
        ? trajectory(steps, body)
        : message(body, body)
  if (typeof reply === "string") {
    const error = errorIn(body)
    return error === null ? reply : `it answered with an error: ${excerpt(error, 400)}`
  }
  return {
    ...reply,
    ...(isRecord(body["usage"]) ? { usage: usageOf(body["usage"]) } : {}),
    final: body["final"] === true
  }
}

/** What an error body says; null when it is none. */
export const errorIn = (body: unknown): string | null => {
  if (!isRecord(body)) return null
  const error = body["error"] ?? body["detail"]
  if (typeof error === "string" && error !== "") return error
  if (isRecord(error) && typeof error["message"] === "string") return error["message"]
  return error === undefined || error === null ? null : JSON.stringify(error)
}

type Read = Omit<Reply, "usage" | "final">

const completion = (choices: ReadonlyArray<unknown>): Read | string => {
  const [choice] = choices
  if (!isRecord(choice)) return "it answered a completion without choices"
  return isRecord(choice["message"])
    ? message(choice["message"], choice)
    : `its choice holds ${shown(choice["message"])}, not a message`
}

/** One message of the agent; how it finished stands beside or in it. The words of a refusal alone are one, and marked. */
const message = (given: Given, around: Given): Read | string => {
  const calls = callsOf(given)
  const own = given["text"] ?? given["content"]
  const refused = calls.length === 0 && textOf(own) === "" && textOf(given["refusal"]) !== ""
  const words = refused ? given["refusal"] : own
  const spoken = words !== undefined || calls.length > 0 || given["role"] === "assistant"
  if (!spoken) return `it answered ${shown(given)}; ${understood}`
  const finish = around["finish_reason"] ?? around["finishReason"]
  const said = typeof finish === "string" ? wordsOfFinish.get(finish) : undefined
  const finishReason = refused ? "content_filter" : said
  return {
    did: [],
    text: textOf(words),
    toolCalls: calls,
    ...reasoned(given),
    ...(finishReason === undefined ? {} : { finishReason })
  }
}

/** All messages of the agent after the person's last line; the last of them is the reply. */
const thread = (messages: ReadonlyArray<unknown>): Read | string => {
  const from = messages.findLastIndex((one) => isRecord(one) && one["role"] === "user") + 1
  const own = messages.slice(from)
  const odd = own.find((one) => !isRecord(one) || typeof one["role"] !== "string")
  if (odd !== undefined) return `its \`messages\` hold ${shown(odd)}; a message has a \`role\` and \`content\``
  const listed = own.filter((one): one is Given => isRecord(one) && one["role"] !== "system")
  const last = listed.findLastIndex((one) => one["role"] === "assistant")
  const reply = listed[last]
  if (reply === undefined) return "its `messages` hold no message of the assistant after the person's last line"
  const answersTo = new Map(
    listed.flatMap((one) => (one["role"] === "tool" ? [[one["tool_call_id"], parsed(textOf(one["content"]))]] : []))
  )
  const done = (one: Given): ReadonlyArray<Did> => {
    const text = textOf(one["content"])
    const calls = callsOf(one).map((call): Did => ({
      _tag: "Called",
      id: call.id,
      tool: call.name,
      arguments: parsed(call.arguments),
      result: answersTo.get(call.id) ?? null
    }))
    return [...(text === "" ? [] : [{ _tag: "Said", text, ...reasoned(one) } as const]), ...calls]
  }
  const before = listed.slice(0, last).flatMap((one) => (one["role"] === "assistant" ? done(one) : []))
  const open = callsOf(reply)
  // Calls that it answered itself leave no line; those it did not are for the world.
  if (open.length > 0 && open.every(({ id }) => answersTo.has(id))) {
    return { did: [...before, ...done({ ...reply, content: "" })], text: textOf(reply["content"]), toolCalls: [] }
  }
  const read = message(reply, reply)
  return typeof read === "string" ? read : { ...read, did: before }
}

const trajectory = (steps: ReadonlyArray<unknown>, body: Given): Read | string => {
  const did: Array<Did> = []
  for (const [i, step] of steps.entries()) {
    if (!isRecord(step)) return `step ${i} of its answer is ${shown(step)}`
    if (typeof step["tool"] === "string") {
      const { tool, call_id: id, result = null } = step
      did.push({ _tag: "Called", id: String(id ?? ""), tool, arguments: step["arguments"] ?? {}, result })
    } else if (typeof step["text"] === "string") did.push({ _tag: "Said", text: step["text"], ...reasoned(step) })
    else if (typeof step["user"] !== "string")
      return `step ${i} of its answer is ${shown(step)}; a step has \`text\` or \`tool\``
  }
  const said = body["final_text"] ?? body["finalText"] ?? body["text"]
  const last = did.at(-1)
  if (typeof said === "string") {
    return { did: last?._tag === "Said" && last.text === said ? did.slice(0, -1) : did, text: said, toolCalls: [] }
  }
  if (last?._tag !== "Said") return "its `steps` end on no text, and there is no `final_text`"
  return { did: did.slice(0, -1), text: last.text, toolCalls: [], ...reasoned(last) }
}

const callsOf = (given: Given): ReadonlyArray<ToolCall> => {
  const listed = given["tool_calls"] ?? given["toolCalls"]
  if (!Array.isArray(listed)) return []
  return listed.map((call: unknown) => {
    const own = isRecord(call) ? call : {}
    const named = isRecord(own["function"]) ? own["function"] : own
    return { id: String(own["id"] ?? ""), name: String(named["name"] ?? ""), arguments: named["arguments"] }
  })
}

const reasoned = (given: object): { readonly reasoning?: string } => {
  const { reasoning, reasoning_content: other } = given as Given
  const text = reasoning ?? other
  return typeof text === "string" && text !== "" ? { reasoning: text } : {}
}

/** The text of a message: a string, or the text parts of a list. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .flatMap((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n")
}

/** JSON text as its value; other text as it is. */
const parsed = (value: unknown): unknown => (typeof value === "string" ? (parse(value) ?? value) : (value ?? {}))

const wordsOfFinish: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["end_turn", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["tool_calls", "tool"],
  ["tool_use", "tool"],
  ["function_call", "tool"],
  ["tool", "tool"],
  ["content_filter", "content_filter"],
  ["refusal", "content_filter"],
  ["error", "error"]
])

/** Counts in the names of OpenAI, Anthropic or ours. */
const usageOf = (usage: Given): Usage => {
  const details = isRecord(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {}
  const thought = isRecord(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {}
  return {
    ...Usages.unknown,
    input: firstCount(usage["prompt_tokens"], usage["input_tokens"], usage["input"]),
    cached: firstCount(details["cached_tokens"], usage["cached"]),
    output: firstCount(usage["completion_tokens"], usage["output_tokens"], usage["output"]),
    reasoning: firstCount(thought["reasoning_tokens"], usage["reasoning"])
  }
}

const shown = (value: unknown): string => excerpt(JSON.stringify(value) ?? "nothing")
