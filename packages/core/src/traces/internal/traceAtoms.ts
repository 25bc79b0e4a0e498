/**
 * Chat messages of any usual dialect, taken apart into what was said, called and answered: OpenAI chat (`tool_calls`,
 * `function_call`), items of its Responses API, content blocks of Anthropic, Bedrock and the AI SDK, the `parts` of
 * OpenTelemetry and of Gemini, and OpenInference messages.
 */
import { firstOf, isObject, listOf, objectOf, textOf, unpacked, type Json } from "../../json/foreignJson.ts"
import { argumentsOf, idOf, resultAtom, type Atom, type Call, type Other, type Result } from "./traceAtom.ts"
import { itemAtoms } from "./traceItems.ts"

/** The atoms of one message or item; undefined when it is neither. */
export const atomsOf = (raw: unknown): ReadonlyArray<Atom> | undefined => {
  if (!isObject(raw)) return undefined
  const inner = firstOf(raw, ["message", "kwargs"])
  const message = isObject(inner) ? inner : raw
  const role = roleOf(message) ?? roleOf(raw)
  if (role === undefined) return itemAtoms(message)
  if (role === "system") return []
  if (role === "tool") return toolMessage(message)
  if (role === "call") return announced(readParts(firstOf(message, ["content", "text"])).text)
  const by = role === "user" ? "user" : byOf(message)
  const parts = readParts(firstOf(message, ["content", "parts", "contents", "value", "text"]), by)
  const calls = [
    ...listOf(unpacked(message["tool_calls"])),
    ...(isObject(message["function_call"]) ? [message["function_call"]] : [])
  ]
  const reasoning = textOf(firstOf(message, ["reasoning_content", "reasoning", "thinking"])) ?? parts.reasoning
  // Tools of the provider's are called and answered within one message.
  if (role === "assistant" && parts.results.length > 0) return parts.inOrder
  const text = parts.text === "" && role === "assistant" ? (textOf(message["refusal"]) ?? "") : parts.text
  const said: Array<Atom> = []
  if (text !== "") {
    if (role === "user") said.push({ _tag: "User", text })
    else said.push({ _tag: "Agent", text, ...(reasoning === undefined ? {} : { reasoning }) })
  }
  return [...parts.results, ...said, ...parts.calls, ...calls.flatMap((call) => callAtom(call, by))]
}

/** As `atomsOf`; what is neither message nor item is told by its name. */
export const anyAtomsOf = (raw: unknown): ReadonlyArray<Atom> => atomsOf(raw) ?? [{ _tag: "Other", item: nameOf(raw) }]

const nameOf = (raw: unknown): string => {
  if (!isObject(raw))
    return `message that is ${raw === null ? "null" : Array.isArray(raw) ? "a list" : `a ${typeof raw}`}`
  const [role, type] = [textOf(firstOf(raw, ["role", "from"])), textOf(raw["type"])]
  return role === undefined ? (type ?? "message without a role") : `message of role ${JSON.stringify(role)}`
}

/** Whether a value looks like a list of messages. */
export const isThread = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.some((one) => atomsOf(one)?.every(({ _tag }) => _tag !== "Other") === true)

type Role = "user" | "assistant" | "system" | "tool" | "call"

const roleOf = (message: Json): Role | undefined =>
  roles.get(textOf(firstOf(message, ["role", "from"]))?.toLowerCase() ?? "") ??
  // A tool's definition is of type function, too.
  (isObject(message["function"]) ? undefined : roles.get(textOf(message["type"])?.toLowerCase() ?? ""))

const roles = new Map<string, Role>([
  ["user", "user"],
  ["human", "user"],
  ["customer", "user"],
  ["humanmessage", "user"],
  ["assistant", "assistant"],
  ["agent", "assistant"],
  ["ai", "assistant"],
  ["aimessage", "assistant"],
  ["aimessagechunk", "assistant"],
  ["gpt", "assistant"],
  ["bot", "assistant"],
  ["chatbot", "assistant"],
  ["model", "assistant"],
  ["system", "system"],
  ["systemmessage", "system"],
  ["developer", "system"],
  ["tool", "tool"],
  ["toolmessage", "tool"],
  ["function", "tool"],
  ["observation", "tool"],
  ["tool-response", "tool"],
  ["tool-call", "call"]
])

const toolMessage = (message: Json): ReadonlyArray<Atom> => {
  const several = listOf(message["tool_messages"])
  if (several.length > 0) return several.flatMap((one) => (isObject(one) ? toolMessage(one) : []))
  const content = firstOf(message, ["content", "parts", "contents", "output"])
  const by = byOf(message)
  const parts = readParts(content, by)
  if (parts.results.length > 0) return parts.results
  return [resultAtom(message, parts.text === "" ? unpacked(content ?? null) : unpacked(parts.text), by)]
}

/** A message that only announces calls, written down as Python or JSON would write them. */
const announced = (text: string): ReadonlyArray<Call> =>
  [...text.matchAll(announcedCall)].map(([, id = "", name = "", args = ""]) => ({
    _tag: "Call",
    ...(id === "" ? {} : { id }),
    name,
    arguments: argumentsOf(args)
  }))

const announcedCall =
  /["']id["']:\s*["']([^"']*)["'][\s\S]*?["']name["']:\s*["']([^"']+)["'],\s*["']arguments["']:\s*([\s\S]*?)\}\}(?=\s*[,\]])/g

const byOf = (message: Json): "user" | undefined => (message["requestor"] === "user" ? "user" : undefined)

/** A list of blocks that comes as the text of one, as spans carry it. */
export const unpackedParts = (content: unknown): unknown => {
  const value = unpacked(content)
  return Array.isArray(value) && value.length > 0 && value.every((part) => isObject(part) && isPart(part))
    ? value
    : content
}

const isPart = (part: Json): boolean =>
  [
    "type",
    "text",
    "function_call",
    "function_response",
    "functionCall",
    "functionResponse",
    "message_content",
    "toolUse",
    "toolResult"
  ].some((key) => Object.hasOwn(part, key))

interface Parts {
  readonly text: string
  readonly reasoning?: string
  readonly calls: ReadonlyArray<Atom>
  readonly results: ReadonlyArray<Result>
  /** All of it as the words of an agent, as it stood. */
  readonly inOrder: ReadonlyArray<Atom>
}

const readParts = (content: unknown, by?: "user"): Parts => {
  if (typeof content === "string") return { text: content, calls: [], results: [], inOrder: [] }
  const inOrder: Array<Atom> = []
  for (const raw of isObject(content) && isPart(content) ? [content] : listOf(content)) {
    if (typeof raw === "string") inOrder.push({ _tag: "Agent", text: raw })
    else if (isObject(raw))
      inOrder.push(...partAtoms(isObject(raw["message_content"]) ? raw["message_content"] : raw, by))
  }
  const of = <T extends Atom["_tag"]>(tag: T) =>
    inOrder.filter((atom): atom is Extract<Atom, { readonly _tag: T }> => atom._tag === tag)
  const thoughts = of("Thought").map(({ text }) => text)
  return {
    text: of("Agent")
      .map(({ text }) => text)
      .join("\n"),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n") }),
    calls: [...of("Call"), ...of("Other")],
    results: of("Result"),
    inOrder
  }
}

/** One block, as the words of an agent. */
const partAtoms = (part: Json, by?: "user"): ReadonlyArray<Atom> => {
  const called = firstOf(part, ["function_call", "functionCall", "toolUse"])
  const responded = firstOf(part, ["function_response", "functionResponse", "toolResult"])
  const code = firstOf(part, ["executable_code", "executableCode"])
  const ran = firstOf(part, ["code_execution_result", "codeExecutionResult"])
  const type = textOf(part["type"]) ?? ""
  if (isObject(called)) return callAtom(called, by)
  if (isObject(responded)) return [blockResult(responded, by)]
  if (isObject(code)) return [{ _tag: "Call", name: "code_execution", arguments: code }]
  if (isObject(ran)) return [resultAtom({ name: "code_execution" }, ran["output"] ?? ran, by)]
  if (/^(?:server_|mcp_)?tool[_-](?:use|call)$/.test(type)) return callAtom(part, by)
  if (/(?:^|_)tool[_-](?:result|call_response)$/.test(type)) return [blockResult(part, by)]
  if (/^(?:dynamic-tool|tool-.+)$/.test(type) && Object.hasOwn(part, "toolCallId")) {
    const call = callAtom({ ...part, name: part["toolName"] ?? type.slice("tool-".length) }, by)
    return part["output"] === undefined && part["errorText"] === undefined ? call : [...call, blockResult(part, by)]
  }
  if (type === "thinking" || type === "reasoning" || part["thought"] === true) {
    const thought = textOf(firstOf(part, ["thinking", "text", "content", "reasoning"]))
    return thought === undefined ? [] : [{ _tag: "Thought", text: thought }]
  }
  const block = textOf(part["code"])
  const text = textOf(firstOf(part, ["text", "content", "refusal"])) ?? (block && `\`\`\`\n${block}\n\`\`\``)
  if (text !== undefined) return [{ _tag: "Agent", text }]
  return type === "" || unsaid.test(type) ? [] : [{ _tag: "Agent", text: `[${type}]` }]
}

/** Blocks that say nothing to anybody. */
const unsaid = /^(?:redacted_thinking|step-|source|data-)/

/** What a block says of a call's end: its value may be blocks again. */
const blockResult = (block: Json, by?: "user"): Result => {
  const value = firstOf(block, ["content", "response", "result", "output", "errorText"])
  const held = objectOf(value)
  // The AI SDK says beside a value what it is.
  const inner = typeof held["type"] === "string" && Object.hasOwn(held, "value") ? held["value"] : value
  const [only, ...more] = listOf(inner)
  if (isObject(only) && more.length === 0 && Object.hasOwn(only, "json")) return resultAtom(block, only["json"], by)
  const texts = listOf(inner).map((part) => (typeof part === "string" ? part : textOf(objectOf(part)["text"])))
  const said = texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("\n") : inner
  return resultAtom(block, unpacked(said ?? null), by)
}

/** `{ id, function: { name, arguments } }`, `{ id, name, input }`, `{ tool_call: ... }` and their like. */
const callAtom = (raw: unknown, by?: "user"): ReadonlyArray<Call | Other> => {
  const outer = objectOf(raw)
  const call = isObject(outer["tool_call"]) ? outer["tool_call"] : outer
  const fn = isObject(call["function"]) ? call["function"] : isObject(call["custom"]) ? call["custom"] : call
  const name = textOf(firstOf(fn, ["name", "tool", "tool_name", "toolName"]) ?? call["name"])
  if (name === undefined || name === "") return [{ _tag: "Other", item: "call without a name" }]
  const own = call["requestor"] === undefined ? by : byOf(call)
  const args = argumentsOf(firstOf(fn, ["arguments", "args", "input", "parameters"]))
  return [{ _tag: "Call", ...idOf(call), name, arguments: args, ...(own === undefined ? {} : { by: own }) }]
}
