/**
 * The tool calls of one reply: what of them can be run, what the others are told, and the thread that stays valid.
 */
import type { Message, ToolCall } from "../../model/Message.ts"
import * as ExactJson from "../../json/ExactJson.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import type { ToolSet } from "../../task/ToolSet.ts"
import * as Json from "../../json/jsonCopy.ts"

/** A call as the harness deals with it. */
export interface Read {
  /** Unique within the thread. */
  readonly id: string
  readonly name: string
  /** The arguments object, or what came instead of one. */
  readonly arguments: unknown
  /** Why it is not run; null when it is. */
  readonly problem: Problem | null
}

export type Problem = { readonly _tag: "Malformed"; readonly error: string } | { readonly _tag: "UnknownTool" }

/** Reads the calls of a reply in the order in which the model issued them. `ids` holds the ids of the thread so far. */
export const read = (calls: ReadonlyArray<ToolCall>, tools: ToolSet, ids: Set<string>): ReadonlyArray<Read> => {
  return calls.map((call): Read => {
    const name = typeof call.name === "string" ? call.name : ""
    const tool = tools.get(name)
    const found = readArguments(call.arguments)
    const as = (args: unknown, problem: Problem | null): Read => ({
      id: claim(call.id, ids),
      name,
      arguments: args,
      problem
    })
    const malformed = (args: unknown, error: string): Read => as(args, { _tag: "Malformed", error })
    const given = found._tag === "Object" ? found.value : rawOf(call.arguments)
    if (tool === undefined) return as(given, { _tag: "UnknownTool" })
    if (call.problem !== undefined)
      return malformed(given, `The arguments of ${name} ${call.problem}. Nothing was run.`)
    if (found._tag === "Broken") return malformed(given, `The arguments of ${name} ${found.problem}`)
    const problem = tool.check(found.value)
    return problem === null ? as(given, null) : malformed(given, refusalOf(name, problem))
  })
}

const refusalOf = (name: string, problem: string): string =>
  `Invalid arguments for ${name}: ${problem}. Nothing was run.`

/** The assistant message that issued the calls, as a provider takes it back. */
export const issued = (text: string, calls: ReadonlyArray<Read>): Extract<Message, { readonly role: "assistant" }> => ({
  role: "assistant",
  content: wellFormed(text),
  toolCalls: calls.map((call) => ({ id: call.id, name: sendableName(call.name), arguments: sendable(call.arguments) }))
})

/** The answer to a call, under its own id. */
export const answered = (call: Read, result: unknown): Message => ({
  role: "tool",
  callId: call.id,
  name: sendableName(call.name),
  content: wellFormed(typeof result === "string" && result !== "" ? result : (ExactJson.stringify(result) ?? "null"))
})

type Arguments_ =
  | { readonly _tag: "Object"; readonly value: Readonly<Record<string, unknown>> }
  /** Completes the words "The arguments of get_order ...". */
  | { readonly _tag: "Broken"; readonly problem: string }

/** Nothing at all is an empty object; text is JSON of one whole object; anything else is broken, and nothing of it is run. */
const readArguments = (raw: unknown): Arguments_ => {
  if (typeof raw !== "string") return readValue(raw)
  if (raw.trim() === "") return { _tag: "Object", value: {} }
  try {
    return readValue(ExactJson.parse(raw))
  } catch (error) {
    const objects = objectsIn(raw)
    return objects > 1
      ? broken(`hold ${objects} objects. Nothing was run: make one call for each.`)
      : broken(`are not valid JSON (${reasonOf(error)}). ${resend}`)
  }
}

const readValue = (value: unknown): Arguments_ => {
  if (value === undefined || value === null) return { _tag: "Object", value: {} }
  if (!isShallow(value)) return broken(`are nested too deeply or contain themselves. ${resend}`)
  if (Json.isRecord(value)) return { _tag: "Object", value: Json.copy(value) as Readonly<Record<string, unknown>> }
  return broken(`must be an object, not ${Json.describe(value)}. ${resend}`)
}

const broken = (problem: string): Arguments_ => ({ _tag: "Broken", problem })

const resend = "Nothing was run; send the call again with a valid JSON object."

/** Whether a value is nested no deeper than a record may be; looks no deeper either. */
const isShallow = (value: unknown, deepest = Json.maxDepth): boolean => {
  if (typeof value !== "object" || value === null) return true
  return deepest > 0 && Object.values(value).every((held) => isShallow(held, deepest - 1))
}

const reasonOf = (error: unknown): string => ErrorText.of(error).slice(0, 160)

/** How many objects a text holds one behind the other, as in `{"a":1}{"a":2}`; 0 when any part is something else. */
const objectsIn = (text: string): number => {
  let objects = 0
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at += 1
      continue
    }
    const end = endOfObject(text, at)
    if (end < 0) return 0
    try {
      JSON.parse(text.slice(at, end))
    } catch {
      return 0
    }
    objects += 1
    at = end
  }
  return objects
}

/** Where the object that begins at a place ends, or -1. */
const endOfObject = (text: string, from: number): number => {
  if (text[from] !== "{") return -1
  let depth = 0
  let quoted = false
  for (let i = from; i < text.length; i++) {
    const char = text[i]
    if (quoted) {
      if (char === "\\") i += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{") depth += 1
    else if (char === "}" && (depth -= 1) === 0) return i + 1
  }
  return -1
}

/** What came instead of an object, as JSON for the record. */
const rawOf = (raw: unknown): unknown => (raw === undefined ? null : Json.copy(raw))

/** An id of the call's own: the model's when it is one and nobody in the thread has it. */
const claim = (given: unknown, ids: Set<string>): string => {
  let id = typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : ""
  for (let n = ids.size + 1; id === "" || ids.has(id); n++) id = `call_${n}`
  ids.add(id)
  return id
}

/** A provider refuses a whole thread for one name or one set of arguments that it finds odd. */
const sendableName = (name: string): string =>
  /^[\w-]{1,64}$/.test(name) ? name : name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed"

const sendable = (args: unknown): Readonly<Record<string, unknown>> => {
  const whole = textsWellFormed(args)
  if (Json.isRecord(whole)) return whole
  return whole === null || whole === "" ? {} : { input: whole }
}

/** Nearly all arguments are whole and go as they are; JSON writes half a pair as an escape. */
const textsWellFormed = (value: unknown): unknown =>
  /\\ud[89a-f]/i.test(JSON.stringify(value) ?? "") ? mended(value) : value

const mended = (value: unknown): unknown => {
  if (typeof value === "string") return wellFormed(value)
  if (Array.isArray(value)) return value.map(mended)
  if (!Json.isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [wellFormed(key), mended(held)]))
}

const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A text without halves of surrogate pairs, which some providers refuse. */
export const wellFormed = (text: string): string => text.replace(halves, "\ufffd")
