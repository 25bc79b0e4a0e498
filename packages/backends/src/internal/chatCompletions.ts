/**
 * Chat completions, the protocol most servers speak, in the many accents they speak it.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import type { Completion } from "@sandtable/core/ChatModel"
import type { ToolCall } from "@sandtable/core/unstable/Message"
import type { Usage } from "@sandtable/core/unstable/Usage"
import { stateKey, Writer, type Accent } from "./chatBody.ts"
import { classify, errorOf, failure, isError, type Failure } from "./failure.ts"
import { at, defined, firstCount, firstText, isRecord, listOf, numberOf, parse, textOf, type Json } from "./json.ts"
import { finishOf, withIds, type Assembly, type Call, type Protocol, type Reply } from "./protocol.ts"

/** The fields in which servers tell what a model thought; they come back under the name they had. */
const thoughtFields = ["reasoning_content", "reasoning", "reasoning_details"] as const

export const protocol = (accent: Accent): Protocol => {
  const writer = new Writer(accent)
  return {
    name: stateKey,
    path: "/chat/completions",
    headers: {},
    dialect: accent.dialect,
    body: (call) => writer.body(call),
    read,
    assemble,
    parameters: new Map([
      ["temperature", {}],
      ["top_p", {}],
      ["stop", {}],
      ["seed", {}],
      ["logprobs", { takes: ["top_logprobs"] }],
      ["max_tokens", { renamed: "max_completion_tokens" }],
      ["max_completion_tokens", { renamed: "max_tokens" }],
      ["response_format", { form: { plainer: { type: "json_object" } } }],
      ["stream_options", {}]
    ]),
    logprobs: true,
    sampled: {
      temperature: ["temperature"],
      max_tokens: ["max_tokens", "max_completion_tokens"],
      top_p: ["top_p"],
      stop: ["stop"],
      seed: ["seed"]
    }
  }
}

// --- replies

const read = (answer: unknown, call: Call, maxTokens: number | null): Reply | Failure => {
  const usage = usageOf(at(answer, "usage") ?? at(answer, "x_groq", "usage"))
  const choice = listOf(at(answer, "choices"))[0]
  if (isError(answer) && choice === undefined)
    return { ...classify({ status: 200, headers: {}, body: answer }, 0), usage }
  if (!isRecord(choice)) return withoutChoice(answer, usage)
  if (isRecord(choice["error"])) return { ...classify({ status: 200, headers: {}, body: choice }, 0), usage }
  const message = isRecord(choice["message"]) ? choice["message"] : {}
  const calls = withIds(callsOf(message), call.messages)
  const said = textOf(choice["finish_reason"])
  if (calls.length === 0 && (said === "error" || said === "insufficient_system_resource")) {
    return failure("unavailable", `the server ended the reply with ${JSON.stringify(said)}`, { usage })
  }
  const content = contentOf(message["content"])
  const refusal = textOf(message["refusal"])
  const thoughts = thoughtsIn(message)
  return {
    _tag: "Reply",
    text: content.text === "" ? (refusal ?? "") : content.text,
    reasoning:
      firstText(message["reasoning_content"], message["reasoning"], detailsText(message), content.thinking) ?? "",
    toolCalls: calls,
    finishReason: finishOf(said, calls.length, usage.output, maxTokens),
    usage,
    logprobs: logprobsOf(choice["logprobs"], call.settings.logprobs === "tokens"),
    refusal,
    providerState: thoughts === null ? undefined : { [stateKey]: thoughts },
    model: textOf(at(answer, "model"))
  }
}

/** The thoughts of a message by the fields that have any; null when none has. */
const thoughtsIn = (message: Json): Json | null => {
  let thoughts: Record<string, unknown> | null = null
  for (const field of thoughtFields) {
    const value = message[field]
    const thinks = typeof value === "string" ? value !== "" : Array.isArray(value) && value.length > 0
    if (thinks) (thoughts ??= {})[field] = value
  }
  return thoughts
}

/** A reply without a choice: a filter on the prompt, or a server that lost it. */
const withoutChoice = (answer: unknown, usage: Usage): Failure => {
  const filtered = listOf(at(answer, "prompt_filter_results")).some((each) =>
    Object.values(
      isRecord(at(each, "content_filter_results")) ? (at(each, "content_filter_results") as Json) : {}
    ).some((verdict) => at(verdict, "filtered") === true)
  )
  if (filtered) return failure("content_filter", "a content filter refused the prompt", { usage })
  if (isRecord(answer) && Array.isArray(answer["choices"])) {
    return failure("unavailable", "the reply had no choices", { usage })
  }
  return { ...classify({ status: 200, headers: {}, body: answer }, 0), usage }
}

/** Text, or parts of text and thinking. */
const contentOf = (content: unknown): { readonly text: string; readonly thinking: string } => {
  if (typeof content === "string") return { text: content, thinking: "" }
  let text = ""
  let thinking = ""
  for (const part of listOf(content)) {
    if (typeof part === "string") text += part
    else if (at(part, "type") === "thinking") {
      const inner = at(part, "thinking")
      thinking += typeof inner === "string" ? inner : contentOf(inner).text
    } else text += firstText(at(part, "text"), at(part, "refusal")) ?? ""
  }
  return { text, thinking }
}

const detailsText = (message: Json): string =>
  listOf(message["reasoning_details"])
    .map((detail) => firstText(at(detail, "text"), at(detail, "summary")) ?? "")
    .join("")

/** Calls as the model wrote them: one without a name is one too, and the model is told so. */
const callsOf = (message: Json): ReadonlyArray<ToolCall> => {
  const calls: Array<ToolCall> = []
  for (const given of listOf(message["tool_calls"])) {
    const inner = at(given, "function")
    const of = isRecord(inner) ? inner : given
    calls.push({
      id: textOf(at(given, "id")) ?? "",
      name: textOf(at(of, "name")) ?? "",
      arguments: at(of, "arguments") ?? at(of, "parameters") ?? ""
    })
  }
  const old = message["function_call"]
  if (calls.length > 0 || !isRecord(old)) return calls
  return [{ id: "", name: textOf(old["name"]) ?? "", arguments: old["arguments"] ?? "" }]
}

/** Prompt tokens include cached ones here. One provider counts thinking beside the completion: its total tells. */
export const usageOf = (usage: unknown): Usage => {
  const input = firstCount(at(usage, "prompt_tokens"), at(usage, "input_tokens"))
  const output = firstCount(at(usage, "completion_tokens"), at(usage, "output_tokens"))
  const reasoning = firstCount(
    at(usage, "completion_tokens_details", "reasoning_tokens"),
    at(usage, "output_tokens_details", "reasoning_tokens"),
    at(usage, "reasoning_tokens")
  )
  const total = firstCount(at(usage, "total_tokens"))
  const beside =
    reasoning !== null && reasoning > 0 && input !== null && output !== null && total === input + output + reasoning
  return {
    input,
    cached: firstCount(
      at(usage, "prompt_tokens_details", "cached_tokens"),
      at(usage, "input_tokens_details", "cached_tokens"),
      at(usage, "prompt_cache_hit_tokens"),
      at(usage, "cached_tokens")
    ),
    output: beside ? output + reasoning : output,
    reasoning
  }
}

const logprobsOf = (logprobs: unknown, each: boolean): NonNullable<Completion["logprobs"]> | null => {
  if (!isRecord(logprobs)) return null
  const tokens = listOf(logprobs["content"]).flatMap((entry) => {
    const logprob = numberOf(at(entry, "logprob"))
    return logprob !== null ? [{ token: String(at(entry, "token") ?? ""), logprob }] : []
  })
  if (tokens.length === 0) return null
  let total = 0
  for (const { logprob } of tokens) total += logprob
  return { total, tokens: tokens.length, ...(each && { each: tokens }) }
}

// --- streams

interface CallParts {
  id: string
  name: string
  arguments: unknown
}

interface CallPiece {
  readonly id: string | null
  readonly name: string | null
  readonly more: unknown
}

/**
 * Whether a piece begins another call than the one under its number, since some servers number every call 0 or none: when
 * it has another id, or names a tool after the arguments were whole. An id alone, in the middle of a call, is none of
 * another: there are servers that make one up for every piece.
 */
const isAnother = (call: CallParts, { id, more, name }: CallPiece): boolean => {
  if (id !== null && call.id !== "" && id !== call.id) return name !== null || isWhole(call.arguments)
  if (name === null || !isWhole(call.arguments)) return false
  if (name !== call.name) return true
  // The same tool again; but what begins with an empty object under the same name is one call that is broken.
  return id === null && more !== undefined && more !== "" && textOf(call.arguments)?.trim() !== "{}"
}

const isWhole = (given: unknown): boolean => isRecord(typeof given === "string" ? parse(given) : given)

/** Arguments and more of them: what comes whole after something else leaves the text of both, which is nothing that runs. */
const grown = (held: unknown, more: unknown): unknown => {
  if (more === undefined || more === null || more === "") return held
  if (held === "") return typeof more === "string" || isRecord(more) ? more : ""
  const textOfPart = (part: unknown): string => (typeof part === "string" ? part : (ExactJson.stringify(part) ?? ""))
  return textOfPart(held) + textOfPart(more)
}

/** Puts the deltas together to the message they are of. */
const assemble = (): Assembly => {
  let model: unknown
  let usage: unknown
  let error: unknown
  let seen = false
  let finish: string | null = null
  let ended = false
  let content = ""
  let refusal = ""
  const parts: Array<unknown> = []
  const thoughts = new Map<string, string>()
  const details: Array<unknown> = []
  const logprobs: Array<unknown> = []
  const calls: Array<CallParts> = []
  const byIndex = new Map<number, CallParts>()
  let filters: unknown

  /** The call that a piece may belong to: that of its id or its number, else the last one. */
  const callOfDelta = (index: number | null, id: string | null, name: string | null): CallParts | undefined => {
    const numbered = index === null ? undefined : byIndex.get(index)
    const begins = index !== null && numbered === undefined && name !== null
    if (id !== null && numbered?.id !== id && !begins) {
      const known = calls.find((each) => each.id === id)
      if (known !== undefined) return known
    }
    if (index !== null) return numbered
    return id !== null && name !== null ? undefined : calls.at(-1)
  }

  const takeCall = (delta: unknown): void => {
    const of = isRecord(at(delta, "function")) ? at(delta, "function") : delta
    const id = textOf(at(delta, "id"))
    const name = textOf(at(of, "name"))
    const given = at(delta, "index")
    const index = typeof given === "number" ? given : null
    const more = at(of, "arguments")
    let call = callOfDelta(index, id, name)
    if (call === undefined || isAnother(call, { id, name, more })) {
      call = { id: id ?? "", name: name ?? "", arguments: "" }
      calls.push(call)
    } else {
      call.id ||= id ?? ""
      // A name may come in pieces; some servers say all of it again with every piece of the arguments.
      if (name !== null && name !== call.name) call.name += name
    }
    if (index !== null) byIndex.set(index, call)
    call.arguments = grown(call.arguments, more)
  }

  const takeDelta = (delta: Json): void => {
    const text = delta["content"]
    if (typeof text === "string") content += text
    else parts.push(...listOf(text))
    if (typeof delta["refusal"] === "string") refusal += delta["refusal"]
    for (const field of ["reasoning_content", "reasoning"]) {
      const more = delta[field]
      if (typeof more === "string") thoughts.set(field, (thoughts.get(field) ?? "") + more)
    }
    details.push(...listOf(delta["reasoning_details"]))
    for (const call of listOf(delta["tool_calls"])) takeCall(call)
    const old = delta["function_call"]
    if (isRecord(old)) takeCall({ index: 0, function: old })
  }

  return {
    take: (event) => {
      const { data } = event
      if (data.trim() === "[DONE]") {
        ended = true
        return true
      }
      const chunk = parse(data)
      error = errorOf(event, chunk) ?? error
      if (!isRecord(chunk)) return error !== undefined
      model ??= textOf(chunk["model"]) ?? undefined
      filters ??= chunk["prompt_filter_results"]
      const told = chunk["usage"] ?? at(chunk, "x_groq", "usage")
      if (isRecord(told)) usage = told
      const choice = listOf(chunk["choices"])[0]
      if (!isRecord(choice)) return true
      seen = true
      if (isRecord(choice["error"])) error = choice
      const delta = choice["delta"] ?? choice["message"]
      if (isRecord(delta)) takeDelta(delta)
      logprobs.push(...listOf(at(choice, "logprobs", "content")))
      finish = textOf(choice["finish_reason"]) ?? finish
      return true
    },
    done: () => ended || finish !== null || error !== undefined,
    usage: () => usageOf(usage),
    whole: () => {
      if (error !== undefined) return { ...(error as Json), usage }
      if (finish === null && !ended) return undefined
      const message = {
        content: parts.length > 0 ? [...parts, content] : content,
        ...(refusal !== "" && { refusal }),
        ...Object.fromEntries(thoughts),
        ...(details.length > 0 && { reasoning_details: joined(details) }),
        tool_calls: calls.map((call) => ({ id: call.id, function: { name: call.name, arguments: call.arguments } }))
      }
      return defined({
        model,
        usage,
        prompt_filter_results: filters,
        choices: seen
          ? [{ message, finish_reason: finish, logprobs: logprobs.length > 0 ? { content: logprobs } : null }]
          : []
      })
    }
  }
}

/** Details come in pieces of one index and type; they go back as the blocks they are pieces of. */
const joined = (details: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const blocks: Array<Record<string, unknown>> = []
  for (const detail of details) {
    if (!isRecord(detail)) continue
    const last = blocks.find(
      (block) => detail["index"] !== undefined && block["index"] === detail["index"] && block["type"] === detail["type"]
    )
    if (last === undefined) {
      blocks.push({ ...detail })
      continue
    }
    for (const [key, value] of Object.entries(detail)) {
      const held = last[key]
      const grows =
        typeof value === "string" && typeof held === "string" && (key === "text" || key === "summary" || key === "data")
      if (grows) last[key] = held + value
      else if (value !== null && value !== undefined) last[key] = value
    }
  }
  return blocks
}
