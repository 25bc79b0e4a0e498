/**
 * OpenAI's Responses API, used without state of the server's: a thread is sent whole, sealed reasoning included.
 */
import type { Completion } from "@sandtable/core/ChatModel"
import type { ToolCall } from "@sandtable/core/unstable/Message"
import { isStrict, openAi } from "../ToolSchemas.ts"
import { usageOf } from "./chatCompletions.ts"
import { classify, errorOf, failure, isError, type Failure } from "./failure.ts"
import { at, defined, firstText, isRecord, listOf, numberOf, parse, textOf, type Json } from "./json.ts"
import { finishOf, withIds, type Assembly, type Call, type Protocol, type Reply } from "./protocol.ts"
import { argumentsText, noResult, turnsOf } from "./thread.ts"

/** Under which the reasoning of a turn is kept, as it has to come back. */
const stateKey = "openai-responses"

export const protocol: Protocol = {
  name: stateKey,
  path: "/responses",
  headers: {},
  dialect: openAi,
  body: (call) => body(call),
  read: (answer, call, maxTokens) => read(answer, call, maxTokens),
  assemble: () => assemble(),
  parameters: new Map([
    ["temperature", {}],
    ["top_p", {}],
    ["max_output_tokens", {}],
    ["include", {}],
    ["text", { form: { plainer: { format: { type: "json_object" } } } }],
    ["store", {}]
  ]),
  logprobs: true,
  sampled: { temperature: ["temperature"], max_tokens: ["max_output_tokens"], top_p: ["top_p"], stop: [], seed: [] }
}

// --- requests

const sealed = "reasoning.encrypted_content"

const body = (call: Call): Record<string, unknown> => {
  const { reasoning, responseSchema, settings, tools } = call
  const logprobs =
    settings.logprobs === undefined || settings.logprobs === false ? [] : ["message.output_text.logprobs"]
  const include = [...(reasoning === "none" ? [] : [sealed]), ...logprobs]
  return defined({
    model: call.model,
    input: inputOf(call),
    store: false,
    include: include.length === 0 ? undefined : include,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ description, name, parameters }) => ({
            type: "function",
            name,
            description,
            parameters,
            strict: false
          })),
    temperature: settings.temperature ?? undefined,
    top_p: settings.topP ?? undefined,
    max_output_tokens: settings.maxTokens ?? undefined,
    text:
      responseSchema === undefined
        ? undefined
        : { format: { type: "json_schema", name: "reply", schema: responseSchema, strict: isStrict(responseSchema) } },
    stream: call.streaming ? true : undefined
  })
}

const inputOf = ({ messages, reasoning }: Call): ReadonlyArray<Json> =>
  turnsOf(messages).flatMap((turn): ReadonlyArray<Json> => {
    if (turn.role !== "assistant") return [{ role: turn.role, content: turn.text }]
    const thinks = reasoning === "all" || (reasoning === "turn" && turn.current)
    return [
      ...(thinks ? listOf(at(turn.providerState, stateKey)).filter(isRecord) : []),
      ...(turn.text === "" ? [] : [{ role: "assistant", content: turn.text }]),
      ...turn.calls.map(({ call }) => ({
        type: "function_call",
        call_id: call.id,
        name: call.name,
        arguments: argumentsText(call.arguments)
      })),
      ...turn.calls.map(({ call, result }) => ({
        type: "function_call_output",
        call_id: call.id,
        output: result ?? noResult
      }))
    ]
  })

// --- replies

const read = (answer: unknown, call: Call, maxTokens: number | null): Reply | Failure => {
  const usage = usageOf(at(answer, "usage"))
  const status = textOf(at(answer, "status"))
  if (isError(answer)) return { ...classify({ status: 200, headers: {}, body: answer }, 0), usage }
  if (status === "failed" || status === "cancelled") {
    return failure("unavailable", `the server ended the reply as ${status}`, { usage })
  }
  if (!isRecord(answer) || !Array.isArray(answer["output"])) {
    return { ...classify({ status: 200, headers: {}, body: answer }, 0), usage }
  }
  const output = listOf(answer["output"]).filter(isRecord)
  const parts = output
    .filter(({ type }) => type === "message")
    .flatMap(({ content }) => listOf(content).filter(isRecord))
  const calls = withIds(output.flatMap(callOf), call.messages)
  const thoughts = output.filter(({ type }) => type === "reasoning")
  const join = (field: string): string =>
    parts.map((part) => (typeof part[field] === "string" ? part[field] : "")).join("")
  const refusal = textOf(join("refusal"))
  const text = join("text")
  const said = firstText(at(answer, "incomplete_details", "reason")) ?? status
  return {
    _tag: "Reply",
    text: text === "" ? (refusal ?? "") : text,
    reasoning: thoughts.flatMap(thoughtsOf).join("\n\n"),
    toolCalls: calls,
    finishReason: finishOf(said, calls.length, usage.output, maxTokens),
    usage,
    logprobs: logprobsOf(parts, call.settings.logprobs === "tokens"),
    refusal,
    // Without state of the server's only sealed reasoning can be read again.
    providerState: keptOf(thoughts),
    model: textOf(answer["model"])
  }
}

const keptOf = (thoughts: ReadonlyArray<Json>): unknown => {
  const kept = thoughts
    .filter((item) => textOf(item["encrypted_content"]) !== null)
    .map(({ encrypted_content, id, summary, type }) => defined({ type, id, summary, encrypted_content }))
  return kept.length === 0 ? undefined : { [stateKey]: kept }
}

const thoughtsOf = (item: Json): ReadonlyArray<string> =>
  [...listOf(item["summary"]), ...listOf(item["content"])].flatMap((part) => textOf(at(part, "text")) ?? [])

const callOf = (item: Json): ReadonlyArray<ToolCall> =>
  item["type"] === "function_call"
    ? [
        {
          id: firstText(item["call_id"], item["id"]) ?? "",
          name: textOf(item["name"]) ?? "",
          arguments: item["arguments"] ?? ""
        }
      ]
    : []

const logprobsOf = (parts: ReadonlyArray<Json>, each: boolean): NonNullable<Completion["logprobs"]> | null => {
  const tokens = parts.flatMap((part) =>
    listOf(part["logprobs"]).flatMap((entry) => {
      const logprob = numberOf(at(entry, "logprob"))
      return logprob !== null ? [{ token: String(at(entry, "token") ?? ""), logprob }] : []
    })
  )
  if (tokens.length === 0) return null
  let total = 0
  for (const { logprob } of tokens) total += logprob
  return { total, tokens: tokens.length, ...(each && { each: tokens }) }
}

// --- streams

const noFields: Json = {}

/** The last event holds the whole reply; of the others, those that end an item count where a server leaves items out there. */
const assemble = (): Assembly => {
  let whole: Json | undefined
  let error: unknown
  const items: Array<Json> = []
  return {
    take: (told) => {
      const event = parse(told.data)
      const { response, type } = isRecord(event) ? event : noFields
      // A reply that failed says so itself.
      if (type !== "response.failed") error = errorOf(told, event) ?? error
      if (!isRecord(event)) return error !== undefined
      if (type === "response.output_item.done" && isRecord(event["item"])) items.push(event["item"])
      const ended = type === "response.completed" || type === "response.incomplete" || type === "response.failed"
      if (ended && isRecord(response)) whole = response
      return type !== "keepalive"
    },
    done: () => whole !== undefined || error !== undefined,
    usage: () => usageOf(at(whole, "usage")),
    whole: () => {
      if (error !== undefined || whole === undefined) return error
      return listOf(whole["output"]).length > 0 || items.length === 0 ? whole : { ...whole, output: items }
    }
  }
}
