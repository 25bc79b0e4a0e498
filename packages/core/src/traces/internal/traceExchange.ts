/**
 * What a record says was asked of an agent or a model, and what it replied: requests and responses as providers and
 * gateways log them, under the names such records use, nested or as text of JSON.
 */
import { firstOf, isObject, listOf, objectOf, textOf, unpacked, type Json } from "../../json/foreignJson.ts"
import type { Atom } from "./traceAtom.ts"
import { anyAtomsOf, isThread, unpackedParts } from "./traceAtoms.ts"
import { eventsOf, wholeOf } from "./traceStreams.ts"

/** Message by message. */
export type Turns = ReadonlyArray<ReadonlyArray<Atom>>

/** How deep a request or a reply may be wrapped. */
const deepest = 6

const threadKeys = ["messages", "traj", "conversation", "conversations", "transcript", "trajectory"]
const askKeys = ["prompt", "input", "inputs", "question", "ask", "query", "instruction", "contents"]
/** Names that say it within an input; beside one they name other things. */
const innerAskKeys = ["user_input", "user_message", "message", "task", "text", "content"]
const requestKeys = ["request", "req", "body", "payload", "params", "kwargs", "invocation_params", "data"]

/** The thread a record holds, or what its request asks; undefined when it tells neither. */
export const askedOf = (record: Json): Turns | undefined => asked(record, deepest)

const asked = (value: unknown, depth: number): Turns | undefined => {
  if (depth === 0) return undefined
  if (typeof value === "string") {
    const inner = unpacked(value)
    const found = inner === value ? undefined : asked(inner, depth - 1)
    return found ?? (value === "" ? undefined : [[{ _tag: "User", text: value }]])
  }
  const read = value
  if (Array.isArray(read)) {
    const thread = threadIn(read)
    if (thread !== undefined) return thread
    // Some wrap the one thread of a batch in a list of its own.
    if (read.length === 1 && Array.isArray(read[0])) return asked(read[0], depth - 1)
    const said = anyAtomsOf({ role: "user", content: unpackedParts(read) })
    return said.some(({ _tag }) => _tag === "User") ? [said] : undefined
  }
  if (!isObject(read)) return undefined
  for (const key of threadKeys) {
    const list = unpacked(read[key])
    const thread = threadIn(list) ?? threadIn(listOf(list)[0])
    if (thread !== undefined) return thread
  }
  for (const key of [...askKeys, ...requestKeys, ...(depth < deepest ? innerAskKeys : [])]) {
    if (!Object.hasOwn(read, key) || (requestKeys.includes(key) && !isObject(unpacked(read[key])))) continue
    const found = asked(read[key], depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

const replyKeys = [
  "final_text",
  "finalText",
  "final",
  "final_answer",
  "output",
  "outputs",
  "response",
  "reply",
  "answer",
  "completion"
]

/** What a record replied: its turns, none when nothing could be read of it, undefined when it has no reply at all. */
export const replyOf = (record: Json): Turns | undefined => {
  if (isBody(record)) return replied(record, deepest) ?? []
  const keys = replyKeys.filter((each) => record[each] !== undefined && record[each] !== null)
  for (const key of keys) {
    const found = replied(record[key], deepest)
    if (found !== undefined) return found
  }
  if (keys.length > 0) return []
  // A request and its response in one wrapper.
  for (const wrapper of ["data", "body", "result", "exchange", "call"]) {
    const inner = unpacked(record[wrapper])
    const found = isObject(inner) ? replyOf(inner) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** A body of a provider's reply. */
const isBody = (value: Json): boolean =>
  Array.isArray(value["choices"]) ||
  Array.isArray(value["candidates"]) ||
  objectOf(value["message"])["role"] === "assistant" ||
  (Array.isArray(value["content"]) && (value["role"] === "assistant" || value["type"] === "message"))

const isWrapped = (value: Json): boolean =>
  isBody(value) ||
  isThread(value["messages"]) ||
  isThread(value["output"]) ||
  Object.hasOwn(value, "role") ||
  (isObject(value["body"]) && isBody(value["body"]))

const innerKeys = [
  "body",
  "response",
  "output",
  "outputs",
  "message",
  "messages",
  "generations",
  "generation",
  "result",
  "results",
  "data",
  "completion",
  "final_output",
  "final_answer",
  "answer",
  "content",
  "text",
  "output_text",
  "generated_text",
  "outputText"
]

const replied = (value: unknown, depth: number): Turns | undefined => {
  if (depth === 0) return undefined
  if (typeof value === "string") {
    const inner = eventsOf(value) ?? unpacked(value)
    // A model may well answer in JSON: only what is plainly a body of a provider's, or a thread, is no text.
    const wrapped = Array.isArray(inner)
      ? isThread(inner) || wholeOf(inner) !== undefined
      : isObject(inner) && isWrapped(inner)
    return (wrapped ? replied(inner, depth - 1) : undefined) ?? [[{ _tag: "Agent", text: value }]]
  }
  const read = value
  if (typeof read === "number" || typeof read === "boolean") return [[{ _tag: "Agent", text: String(read) }]]
  if (Array.isArray(read)) {
    const whole = wholeOf(read)
    if (whole !== undefined) return replied(whole, depth - 1)
    const thread = threadIn(read)
    if (thread !== undefined) return thread
    const [first, ...others] = read
    if (first === undefined) return undefined
    const blocks = anyAtomsOf({ role: "assistant", content: unpackedParts(read) })
    if (isBlocks(read) && blocks.length > 0) return [blocks]
    return withOthers(replied(first, depth - 1), "reply beside the first", others.length)
  }
  if (!isObject(read)) return undefined
  const choices = [...listOf(read["choices"]), ...listOf(read["candidates"])].map(objectOf)
  if (choices.length > 0) {
    const at = choices.reduce((least, each, i) => (placeOf(each) < placeOf(choices[least] ?? {}) ? i : least), 0)
    const said = firstOf(choices[at] ?? {}, ["message", "delta", "content", "text"])
    const own = isObject(said) ? fromModel(said) : typeof said === "string" ? replied(said, 1) : undefined
    return withOthers(own, "choice beside the first", choices.length - 1)
  }
  if (Object.hasOwn(read, "role") || read["type"] === "message" || read["stop_details"] !== undefined) {
    const said = fromModel(read)
    return said.flat().length > 0 ? said : refusalOf(read)
  }
  for (const key of innerKeys) {
    if (read[key] === undefined || read[key] === null) continue
    const found = replied(read[key], depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

const placeOf = ({ index }: Json): number => (typeof index === "number" ? index : 0)

const isBlocks = (list: ReadonlyArray<unknown>): boolean =>
  list.every((one) => isObject(one) && (Object.hasOwn(one, "type") || Object.hasOwn(one, "toolUse")))

/** A message that may leave out whose it is. */
const fromModel = (message: Json): Turns => [
  anyAtomsOf(Object.hasOwn(message, "role") ? message : { ...message, role: "assistant" })
]

/** A provider that will not answer says so beside an empty reply. */
const refusalOf = ({ stop_details: details, stop_reason: reason }: Json): Turns | undefined =>
  reason === "refusal"
    ? [[{ _tag: "Agent", text: textOf(objectOf(details)["explanation"]) ?? "The provider refused to answer." }]]
    : undefined

const withOthers = (turns: Turns | undefined, item: string, count: number): Turns | undefined =>
  turns === undefined || count === 0
    ? turns
    : [...turns, Array.from({ length: count }, (): Atom => ({ _tag: "Other", item }))]

const threadIn = (value: unknown): Turns | undefined => (isThread(value) ? value.map(anyAtomsOf) : undefined)
