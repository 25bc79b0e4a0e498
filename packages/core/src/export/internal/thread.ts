/**
 * A row as the thread a trainer reads: messages in OpenAI chat shape, and which of them are to be learnt from.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import { isAgentCall, toMessages, type CallStep, type ChatMessage } from "../../row/Row.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import { jsonText } from "../../json/jsonText.ts"

export interface Thread {
  /** After the system prompt. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** For each message whether a trainer should learn it. */
  readonly learn: ReadonlyArray<boolean>
  /** Every call of the row in order, by `callTextOf`; null for one that no format can tell as it was. */
  readonly calls: ReadonlyArray<string | null>
  /** Turns of the agent that are not to be learnt, for a call in them: what was wrong with it, once a turn. */
  readonly badTurns: ReadonlyArray<BadCall>
}

/** A call with no valid arguments or an impossible name, or one of a tool that the agent does not have. */
export type BadCall = { readonly _tag: "Malformed" } | { readonly _tag: "Undeclared"; readonly tool: string }

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>

/**
 * The thread of a row up to the agent's last turn: what comes after it (a person who leaves, an end marker in a log) answers
 * nothing. Its words come from the steps, which hold what was said and nothing that was only thought. Learnt are the
 * agent's own turns: not its fixed opening line, and no turn with a bad call (`declared` is null where the tools are not
 * known).
 */
export const threadOf = (row: TraceRow, declared: ReadonlySet<string> | null): Thread => {
  const all = toMessages(row.steps, row.opener)
  const messages = all.slice(0, all.findLastIndex(({ role }) => role === "assistant") + 1).map(withoutThinking)
  const calls = row.steps.filter(isAgentCall)
  const learn: Array<boolean> = []
  const told: Array<string | null> = []
  const badTurns: Array<BadCall> = []
  messages.forEach((message, i) => {
    if (message.role !== "assistant") {
      learn.push(false)
      return
    }
    const issued = message.tool_calls ?? []
    const own = calls.slice(told.length, told.length + issued.length)
    const faults = own.map((call, n) => faultOf(call, issued[n]?.function.name, declared))
    told.push(...own.map((call, n) => (faults[n] === null ? callTextOf(call.tool, call.arguments) : null)))
    const fault = faults.find((one) => one !== null)
    if (fault !== undefined) badTurns.push(fault)
    const opening = i === 0 && row.opener !== undefined
    learn.push(fault === undefined && !opening && lengthOf(message) > 0)
  })
  return { messages, learn, calls: told, badTurns }
}

const faultOf = (call: CallStep, name: string | undefined, declared: ReadonlySet<string> | null): BadCall | null => {
  if (declared !== null && !declared.has(call.tool)) return { _tag: "Undeclared", tool: call.tool }
  const refused = call.answered_by === "harness" && call.status !== "ok"
  return name === call.tool && isArguments(call.arguments) && !refused ? null : { _tag: "Malformed" }
}

const isArguments = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

/** Characters of a message that reach a model: its text and its calls. */
export const lengthOf = (message: ChatMessage): number =>
  (message.content?.length ?? 0) +
  (message.role === "assistant"
    ? (message.tool_calls ?? []).reduce(
        (sum, call) => sum + call.function.name.length + call.function.arguments.length,
        0
      )
    : 0)

/**
 * Thinking that a log left in the text of a turn: marked parts, and a headless one that only ends. Ours is never in the
 * text.
 */
const withoutThinking = (message: ChatMessage): ChatMessage => {
  if (message.role !== "assistant" || message.content === null || !/<\/think/i.test(message.content)) return message
  const said = message.content
    .replace(/<(think|thinking)>[\s\S]*?<\/\1>/gi, "")
    .replace(/^[\s\S]*<\/think(?:ing)?>/i, "")
    .trim()
  const content = said === "" && message.tool_calls !== undefined ? null : said
  return { ...message, content } satisfies AssistantMessage
}

/** A call by what it asked for: tool and arguments as JSON text, as they stand in a file. */
export const callTextOf = (tool: string, args: unknown): string => {
  const text = jsonText(args)
  // Keys that were halves of surrogate pairs may have become one key.
  return `${tool} ${text.includes("\ufffd") ? jsonText(ExactJson.parse(text)) : text}`
}
