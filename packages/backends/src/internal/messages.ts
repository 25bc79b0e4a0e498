/**
 * Anthropic's Messages: strict about the order of a thread, so threads are put in that order here.
 */
import type { ToolCall } from "@sandtable/core/unstable/Message"
import type { Usage } from "@sandtable/core/unstable/Usage"
import * as ToolSchemas from "../ToolSchemas.ts"
import { classify, errorOf, isError, type Failure } from "./failure.ts"
import { at, countOf, defined, firstText, isRecord, listOf, parse, textOf, type Json } from "./json.ts"
import { finishOf, withIds, type Assembly, type Call, type Protocol, type Reply } from "./protocol.ts"
import { noResult, turnsOf, type Turn } from "./thread.ts"

type AssistantTurn = Extract<Turn, { readonly role: "assistant" }>

/** Under which the blocks of a turn are kept that have to come back unchanged. */
const stateKey = "anthropic-messages"

export const protocol: Protocol = {
  name: stateKey,
  path: "/messages",
  headers: { "anthropic-version": "2023-06-01" },
  dialect: ToolSchemas.anthropic,
  body: (call) => body(call),
  read: (answer, call) => read(answer, call),
  assemble: () => assemble(),
  parameters: new Map([
    ["temperature", {}],
    ["top_p", {}],
    ["stop_sequences", {}],
    ["output_config", { form: { plainer: undefined } }]
  ]),
  logprobs: false,
  sampled: {
    temperature: ["temperature"],
    max_tokens: ["max_tokens"],
    top_p: ["top_p"],
    stop: ["stop_sequences"],
    seed: []
  }
}

// --- requests

const body = (call: Call): Record<string, unknown> => {
  const { responseSchema, settings, tools } = call
  const turns = turnsOf(call.messages)
  const system = turns.flatMap((turn) => (turn.role === "system" && turn.text.trim() !== "" ? [turn.text] : []))
  return defined({
    model: call.model,
    system: system.length === 0 ? undefined : system.join("\n\n"),
    messages: threadOf(turns, call),
    max_tokens: settings.maxTokens ?? undefined,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ description, name, parameters }) => ({ name, description, input_schema: parameters })),
    temperature: settings.temperature ?? undefined,
    top_p: settings.topP ?? undefined,
    stop_sequences: settings.stop ?? undefined,
    output_config:
      responseSchema !== undefined && ToolSchemas.isStrict(responseSchema)
        ? { format: { type: "json_schema", schema: responseSchema } }
        : undefined,
    stream: call.streaming ? true : undefined
  })
}

/** What a person says who has not said anything yet, or nothing since: a thread begins and ends with them. */
const opening = "(The conversation begins.)"
const goOn = "(Go on.)"

/** Messages that alternate, a person's first and last; neighbours of one side are one message, results in front. */
const threadOf = (turns: ReadonlyArray<Turn>, { reasoning }: Call): ReadonlyArray<Json> => {
  const thread: Array<{ readonly role: string; readonly content: Array<Json> }> = []
  const say = (role: "user" | "assistant", blocks: ReadonlyArray<Json>): void => {
    if (blocks.length === 0) return
    if (thread.length === 0 && role === "assistant") say("user", [{ type: "text", text: opening }])
    const last = thread.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else thread.push({ role, content: [...blocks] })
  }
  for (const turn of turns) {
    if (turn.role !== "assistant") {
      if (turn.role === "user") say("user", words(turn.text))
      continue
    }
    const thinks = reasoning === "all" || (reasoning === "turn" && turn.current)
    say("assistant", blocksOf(turn, thinks))
    say(
      "user",
      turn.calls.map(({ call, result }) => ({
        type: "tool_result",
        tool_use_id: idOf(call.id),
        content: result === null || result.trim() === "" ? noResult : result
      }))
    )
  }
  if (thread.at(-1)?.role !== "user") say("user", [{ type: "text", text: thread.length === 0 ? opening : goOn }])
  return thread
}

/** Blank texts are refused. */
const words = (text: string): ReadonlyArray<Json> => (text.trim() === "" ? [] : [{ type: "text", text }])

/** Ids of other providers' calls may have characters that are refused. */
const idOf = (id: string): string => id.replace(/[^\w-]/g, "_")

/**
 * The blocks of a reply. Where it was one of this provider, its thinking comes back as it was signed and where it stood
 * among the others; text and calls are those of the thread.
 */
const blocksOf = ({ calls, providerState, text }: AssistantTurn, thinks: boolean): ReadonlyArray<Json> => {
  const uses = calls.map(({ call }): Json => ({
    type: "tool_use",
    id: idOf(call.id),
    name: call.name,
    input: inputOf(call.arguments)
  }))
  const plain = [...words(text), ...uses]
  const kept = at(providerState, stateKey)
  if (!thinks || !Array.isArray(kept)) return plain
  const given = listOf(kept).filter(isRecord)
  const texts = given.filter(({ type }) => type === "text")
  const useCount = given.filter(({ type }) => type === "tool_use").length
  // Another number of calls, or other words than it said: the thinking still comes first.
  const same =
    useCount === uses.length &&
    (texts.length === 0 ? text.trim() === "" : texts.map((each) => each["text"]).join("") === text)
  if (!same) return [...given.filter(isThinking), ...plain]
  let used = 0
  return given.flatMap((block): ReadonlyArray<Json> => {
    if (isThinking(block)) return [block]
    if (block["type"] === "text") return words(String(block["text"]))
    const use = block["type"] === "tool_use" ? uses[used++] : undefined
    return use === undefined ? [] : [use]
  })
}

const isThinking = ({ type }: Json): boolean => type === "thinking" || type === "redacted_thinking"

const inputOf = (raw: unknown): Json => {
  const value = typeof raw === "string" ? (raw.trim() === "" ? {} : (parse(raw) ?? raw)) : (raw ?? {})
  return isRecord(value) ? value : { input: value }
}

// --- replies

const read = (answer: unknown, call: Call): Reply | Failure => {
  const usage = usageOf(at(answer, "usage"))
  if (isError(answer)) return { ...classify({ status: 200, headers: {}, body: answer }, 0), usage }
  if (!isRecord(answer) || !Array.isArray(answer["content"])) {
    return { ...classify({ status: 200, headers: {}, body: answer }, 0), usage }
  }
  const content = listOf(answer["content"]).filter(isRecord)
  const said = textOf(answer["stop_reason"])
  const calls = withIds(content.flatMap(callOf), call.messages)
  const join = (type: string, field: string): string =>
    content.map((block) => (block["type"] === type && typeof block[field] === "string" ? block[field] : "")).join("")
  const refusal =
    said === "refusal"
      ? (firstText(at(answer, "stop_details", "explanation")) ?? "the provider refused without giving a reason")
      : null
  return {
    _tag: "Reply",
    text: join("text", "text"),
    reasoning: join("thinking", "thinking"),
    toolCalls: calls,
    finishReason: finishOf(said, calls.length, null, null),
    usage,
    logprobs: null,
    refusal,
    // Only what has to come back unchanged is kept; without thinking the thread says it all.
    providerState: content.some(isThinking) ? { [stateKey]: content } : undefined,
    model: textOf(answer["model"])
  }
}

const callOf = (block: Json): ReadonlyArray<ToolCall> =>
  block["type"] === "tool_use"
    ? [{ id: textOf(block["id"]) ?? "", name: textOf(block["name"]) ?? "", arguments: block["input"] ?? {} }]
    : []

/** Tokens read from and written to the cache are told beside the input here; they belong to it. */
export const usageOf = (usage: unknown): Usage => {
  const fresh = countOf(at(usage, "input_tokens"))
  const read = countOf(at(usage, "cache_read_input_tokens"))
  const made = countOf(at(usage, "cache_creation_input_tokens"))
  return {
    input: fresh === null ? null : fresh + (read ?? 0) + (made ?? 0),
    cached: read,
    output: countOf(at(usage, "output_tokens")),
    reasoning: countOf(at(usage, "output_tokens_details", "thinking_tokens"))
  }
}

// --- streams

const assemble = (): Assembly => {
  let message: Record<string, unknown> | undefined
  let usage: Record<string, unknown> = {}
  let error: unknown
  let ended = false
  let blocks: Array<Block> = []
  let byIndex = new Map<number, Block>()

  const begin = (index: number | null, fields: Json, given = false): void => {
    const block: Block = { index: index ?? blocks.length, fields: { ...fields }, input: "", given }
    const before = byIndex.get(block.index)
    if (before !== undefined && isAnew(before, block)) blocks = blocks.filter((each) => each !== before)
    blocks.push(block)
    byIndex.set(block.index, block)
  }

  const takeDelta = (index: number | null, delta: Json): void => {
    const block = index === null ? blocks.at(-1) : byIndex.get(index)
    if (block === undefined) return
    for (const field of ["text", "thinking", "signature"]) {
      const more = delta[field]
      const held = block.fields[field]
      if (typeof more === "string") block.fields[field] = `${typeof held === "string" ? held : ""}${more}`
    }
    const json = delta["partial_json"]
    if (typeof json === "string") block.input += json
  }

  return {
    take: (told) => {
      const event = parse(told.data)
      error = errorOf(told, event) ?? error
      if (!isRecord(event)) return error !== undefined
      if (event["type"] === "ping") return false
      if (event["type"] === "message_start") {
        // A gateway that tries again begins anew within one stream: nothing of what came before belongs to it.
        usage = {}
        blocks = []
        byIndex = new Map()
      }
      if (isRecord(event["message"])) {
        message = { ...event["message"] }
        // Some proxies give the whole message at once.
        for (const [i, block] of listOf(message["content"]).entries()) if (isRecord(block)) begin(i, block, true)
      }
      for (const told of [at(event, "message", "usage"), event["usage"]]) {
        if (isRecord(told)) usage = { ...usage, ...notNull(told) }
      }
      const index = countOf(event["index"])
      if (isRecord(event["content_block"])) begin(index, event["content_block"])
      const { delta } = event
      if (event["type"] === "message_delta" && isRecord(delta)) message = { ...message, ...delta }
      else if (isRecord(delta)) takeDelta(index, delta)
      if (event["type"] === "message_stop") ended = true
      return true
    },
    done: () => ended || error !== undefined || textOf(at(message, "stop_reason")) !== null,
    usage: () => usageOf(usage),
    whole: () => {
      if (error !== undefined) return { ...(error as Json), usage }
      if (message === undefined || (!ended && textOf(message["stop_reason"]) === null)) return undefined
      const ordered = [...blocks].sort((a, b) => a.index - b.index)
      const content = ordered.map(({ fields, input }) => {
        if (fields["type"] !== "tool_use" || input === "") return fields
        // Arguments that are no JSON are the data: they go on as they came.
        const read = parse(input)
        return { ...fields, input: isRecord(read) ? read : input }
      })
      return { ...message, content, usage }
    }
  }
}

/** A block on its way, with its arguments as text so far. */
interface Block {
  readonly index: number
  readonly fields: Record<string, unknown>
  /** It came with the message it is in. */
  readonly given: boolean
  input: string
}

/** Whether a block is one that was there, begun anew; another one may have its number too. */
const isAnew = ({ fields: before, given }: Block, { fields }: Block): boolean =>
  given ||
  (before["type"] === fields["type"] &&
    before["id"] === fields["id"] &&
    (fields["type"] !== "tool_use" || textOf(fields["id"]) !== null))

const notNull = (fields: Json): Json => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
