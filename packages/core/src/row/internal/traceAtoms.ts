/**
 * Chat messages of any usual dialect, taken apart into what was said, called and answered: OpenAI chat (`tool_calls`,
 * `function_call`, Responses items), Anthropic content blocks, the `parts` of OpenTelemetry and of Gemini, and
 * OpenInference messages.
 */
import { firstOf, isObject, listOf, objectOf, textOf, unpacked, type Json } from "./foreignJson.ts"

export type Atom =
  | { readonly _tag: "User"; readonly text: string }
  | { readonly _tag: "Agent"; readonly text: string; readonly reasoning?: string }
  | { readonly _tag: "Call"; readonly id?: string; readonly name: string; readonly arguments: unknown }
  | Result

export interface Result {
  readonly _tag: "Result"
  readonly id?: string
  readonly name?: string
  readonly content: unknown
  readonly failed: boolean
}

/** The atoms of one message; undefined when it is no message at all. */
export const atomsOf = (raw: unknown): ReadonlyArray<Atom> | undefined => {
  if (!isObject(raw)) return undefined
  const inner = firstOf(raw, ["message", "kwargs"])
  const message = isObject(inner) ? inner : raw
  const role = roles.get(textOf(firstOf(message, ["role", "from", "type"]))?.toLowerCase() ?? "")
  if (role === undefined) return isItem(message) ? [itemAtom(message)] : undefined
  if (role === "system") return []
  if (role === "tool") return toolMessage(message)
  const content = firstOf(message, ["content", "parts", "contents", "value", "text"])
  const parts = readParts(content)
  const calls = [
    ...listOf(message["tool_calls"]),
    ...(isObject(message["function_call"]) ? [message["function_call"]] : [])
  ]
  const reasoning = textOf(firstOf(message, ["reasoning_content", "reasoning", "thinking"])) ?? parts.reasoning
  const said: Array<Atom> = []
  if (parts.text !== "") {
    if (role === "user") said.push({ _tag: "User", text: parts.text })
    else said.push({ _tag: "Agent", text: parts.text, ...(reasoning === undefined ? {} : { reasoning }) })
  }
  return [...parts.results, ...said, ...parts.calls, ...calls.flatMap(callAtom)]
}

/** Whether a value looks like a list of messages. */
export const isThread = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.some((one) => atomsOf(one) !== undefined)

const roles = new Map<string, "user" | "assistant" | "system" | "tool">([
  ["user", "user"],
  ["human", "user"],
  ["customer", "user"],
  ["assistant", "assistant"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["gpt", "assistant"],
  ["model", "assistant"],
  ["system", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["function", "tool"],
  ["observation", "tool"]
])

/** OpenAI's Responses API lists calls and their outputs beside messages. */
const isItem = (item: Json): boolean => item["type"] === "function_call" || item["type"] === "function_call_output"

const itemAtom = (item: Json): Atom =>
  item["type"] === "function_call_output"
    ? result(item, item["output"])
    : { _tag: "Call", ...idOf(item), name: textOf(item["name"]) ?? "", arguments: argumentsOf(item["arguments"]) }

const toolMessage = (message: Json): ReadonlyArray<Atom> => {
  const content = firstOf(message, ["content", "parts", "contents", "output"])
  const parts = readParts(content)
  if (parts.results.length > 0) return parts.results
  return [result(message, parts.text === "" ? unpacked(content ?? null) : unpacked(parts.text))]
}

/** A list of blocks that comes as the text of one, as spans carry it. */
export const unpackedParts = (content: unknown): unknown => {
  const value = unpacked(content)
  return Array.isArray(value) && value.length > 0 && value.every((part) => isObject(part) && isPart(part))
    ? value
    : content
}

const isPart = (part: Json): boolean =>
  ["type", "text", "function_call", "function_response", "functionCall", "functionResponse", "message_content"].some(
    (key) => Object.hasOwn(part, key)
  )

interface Parts {
  readonly text: string
  readonly reasoning?: string
  readonly calls: ReadonlyArray<Atom>
  readonly results: ReadonlyArray<Result>
}

const readParts = (content: unknown): Parts => {
  if (typeof content === "string") return { text: content, calls: [], results: [] }
  const texts: Array<string> = []
  const thoughts: Array<string> = []
  const calls: Array<Atom> = []
  const results: Array<Result> = []
  for (const raw of listOf(content)) {
    if (typeof raw === "string") texts.push(raw)
    if (!isObject(raw)) continue
    const part = isObject(raw["message_content"]) ? raw["message_content"] : raw
    const called = firstOf(part, ["function_call", "functionCall"])
    const responded = firstOf(part, ["function_response", "functionResponse"])
    const type = textOf(part["type"]) ?? ""
    if (isObject(called)) calls.push(...callAtom(called))
    else if (isObject(responded)) results.push(result(responded, responded["response"]))
    else if (type === "tool_use" || type === "tool_call" || type === "server_tool_use") calls.push(...callAtom(part))
    else if (type === "tool_result" || type === "tool_call_response") {
      const value = firstOf(part, ["content", "response", "result"])
      const inner = Array.isArray(value) ? readParts(value).text : value
      results.push(result(part, unpacked(inner ?? null)))
    } else if (type === "thinking" || type === "reasoning") {
      const thought = textOf(firstOf(part, ["thinking", "text", "content"]))
      if (thought !== undefined) thoughts.push(thought)
    } else {
      const text = textOf(firstOf(part, ["text", "content"]))
      if (text !== undefined) texts.push(text)
      else if (type !== "" && type !== "redacted_thinking") texts.push(`[${type}]`)
    }
  }
  const reasoning = thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n") }
  return { text: texts.join("\n"), ...reasoning, calls, results }
}

/** `{ id, function: { name, arguments } }`, `{ id, name, input }`, `{ tool_call: ... }` and their like. */
const callAtom = (raw: unknown): ReadonlyArray<Atom> => {
  const outer = objectOf(raw)
  const call = isObject(outer["tool_call"]) ? outer["tool_call"] : outer
  const fn = isObject(call["function"]) ? call["function"] : call
  const name = textOf(firstOf(fn, ["name", "tool", "tool_name"])) ?? textOf(call["name"])
  if (name === undefined) return []
  return [{ _tag: "Call", ...idOf(call), name, arguments: argumentsOf(firstOf(fn, ["arguments", "args", "input"])) }]
}

/** An object, from its text if need be; what is no object is kept as it came. */
export const argumentsOf = (value: unknown): unknown => {
  if (value === undefined || value === null || value === "") return {}
  const read = unpacked(value)
  return isObject(read) ? read : value
}

const result = (from: Json, content: unknown): Result => {
  const name = textOf(firstOf(from, ["name", "tool_name"]))
  return {
    _tag: "Result",
    ...idOf(from),
    ...(name === undefined ? {} : { name }),
    content: content ?? null,
    failed: from["is_error"] === true || from["isError"] === true || from["status"] === "error"
  }
}

const idOf = (from: Json): { readonly id?: string } => {
  const id = textOf(firstOf(from, ["tool_call_id", "tool_use_id", "call_id", "id"]))
  return id === undefined || id === "" ? {} : { id }
}
