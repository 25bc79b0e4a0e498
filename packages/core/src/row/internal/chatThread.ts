/**
 * Steps as an OpenAI chat thread that a chat API takes as it is: every call is answered under its own id, ids and names
 * keep to the characters and lengths providers accept, and arguments are the text of a JSON object.
 */
import type { CallStep, ChatMessage, Step } from "./rowSchema.ts"
import * as ExactJson from "../../json/ExactJson.ts"
import { isObject } from "../../json/foreignJson.ts"
import { jsonText, wellFormed } from "../../json/jsonText.ts"

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>
type ToolCall = NonNullable<AssistantMessage["tool_calls"]>[number]

/**
 * What providers accept: OpenAI takes ids of 40 characters and names of 64, Anthropic letters, digits, `_` and `-`.
 */
const idPattern = /^[a-zA-Z0-9_-]{1,40}$/
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * The results of calls as text, by step: a text as it is, everything else as JSON; nothing where a step is no call.
 * @since 0.1.0
 * @category functions
 */
export const resultTexts = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (const step of steps) {
    if (!("tool" in step)) texts.push("")
    else texts.push(typeof step.result === "string" ? step.result : (ExactJson.stringify(step.result) ?? ""))
  }
  return texts
}

/**
 *  The thread of the steps as the agent met it, after its opening line when there was one: what people do by themselves it
 * never sees.
 * @since 0.1.0
 * @category functions
 */
export const toMessages = (
  all: ReadonlyArray<Step>,
  opener?: string,
  allResults: ReadonlyArray<string> = resultTexts(all)
): Array<ChatMessage> => {
  const alone = all.some(isUsersCall)
  const steps = alone ? all.filter((step) => !isUsersCall(step)) : all
  const results = alone ? allResults.filter((_, i) => !isUsersCall(all[i] as Step)) : allResults
  const messages: Array<ChatMessage> = []
  if (opener !== undefined) messages.push({ role: "assistant", content: opener })
  const ids = new Set<string>()
  let i = 0
  while (i < steps.length) {
    const step = steps[i] as Step
    if ("user" in step) {
      messages.push({ role: "user", content: step.user })
      i += 1
      continue
    }
    const text = "text" in step ? step.text : null
    const from = text === null ? i : i + 1
    const to = endOfTurn(steps, from, step.turn)
    if (from === to) messages.push({ role: "assistant", content: text ?? "" })
    else addCalls(messages, text, steps, from, to, results, ids)
    i = to
  }
  return messages
}

const isUsersCall = (step: Step): boolean => "tool" in step && step.called_by === "user"

/** Where the calls of a turn end. Without a number a turn has one call, since a next one may rest on its result. */
const endOfTurn = (steps: ReadonlyArray<Step>, from: number, turn: number | undefined): number => {
  const limit = turn === undefined ? Math.min(from + 1, steps.length) : steps.length
  let to = from
  for (; to < limit; to++) {
    const step = steps[to] as Step
    if (!("tool" in step) || step.turn !== turn) break
  }
  return to
}

/** The steps `from` to `to`, which are calls: what asks for them, and an answer to each. */
const addCalls = (
  messages: Array<ChatMessage>,
  text: string | null,
  steps: ReadonlyArray<Step>,
  from: number,
  to: number,
  results: ReadonlyArray<string>,
  ids: Set<string>
): void => {
  const toolCalls: Array<ToolCall> = []
  messages.push({ role: "assistant", content: text === "" ? null : text, tool_calls: toolCalls })
  for (let i = from; i < to; i++) {
    const call = steps[i] as CallStep
    const id = validId(call.call_id, ids)
    toolCalls.push({
      id,
      type: "function",
      function: { name: validName(call.tool), arguments: argumentsText(call.arguments) }
    })
    messages.push({ role: "tool", tool_call_id: id, content: contentText(call.result, results[i] as string) })
  }
}

const validId = (id: string, taken: Set<string>): string => {
  let valid = idPattern.test(id) ? id : ""
  for (let n = taken.size; valid === "" || taken.has(valid); n++) valid = `call_${n}`
  taken.add(valid)
  return valid
}

const validName = (name: string): string =>
  namePattern.test(name) ? name : name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed"

/** The arguments object as text; what was no object travels under `input`, so that the thread stays valid. */
const argumentsText = (value: unknown): string => {
  if (isObject(value)) return jsonText(value)
  if (value === undefined || value === null || value === "") return "{}"
  return jsonText({ input: value })
}

/** Text as it is; nothing at all as JSON, because some providers refuse an empty result. */
const contentText = (result: unknown, text: string): string =>
  text === "" ? jsonText(result) : typeof result === "string" ? text : wellFormed(text)
