/**
 * A row as the thread a trainer reads: messages in OpenAI chat shape, and which of them are to be learnt from.
 */
import { isAgentStep, isCallStep, isUserStep, toMessages, type CallStep, type ChatMessage } from "../../row/Row.ts"
import type { TraceRow } from "../../row/TraceFormat.ts"
import { jsonText } from "../../row/internal/jsonText.ts"

export interface Thread {
  /** After the system prompt. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** For each message whether a trainer should learn it. */
  readonly learn: ReadonlyArray<boolean>
  /** Every call of the row in order, by `callTextOf`; null for one that no format can tell as it was. */
  readonly calls: ReadonlyArray<string | null>
  /** Turns of the agent that are not to be learnt, because a call in them could not be run as it was. */
  readonly badTurns: number
}

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>

/**
 * The thread of a row. Its words come from the steps, which hold what was said and nothing that was only thought. Learnt
 * are the agent's own turns: not its fixed opening line, and no turn with a call that had no valid arguments, an impossible
 * name, or a tool that is not among `declared` (null where the tools are not known).
 */
export const threadOf = (row: TraceRow, declared: ReadonlySet<string> | null): Thread => {
  const messages = toMessages(row.steps, row.opener).map(withoutThinking)
  const calls = row.steps.filter(isCallStep)
  const learn: Array<boolean> = []
  const told: Array<string | null> = []
  let badTurns = 0
  messages.forEach((message, i) => {
    if (message.role !== "assistant") {
      learn.push(false)
      return
    }
    const issued = message.tool_calls ?? []
    const own = calls.slice(told.length, told.length + issued.length)
    const isBad = own.map((call, n) => !isSound(call, issued[n]?.function.name, declared))
    told.push(...own.map((call, n) => (isBad[n] === true ? null : callTextOf(call.tool, call.arguments))))
    const bad = isBad.includes(true)
    if (bad) badTurns += 1
    const opening = i === 0 && row.opener !== undefined
    learn.push(!bad && !opening && lengthOf(message) > 0)
  })
  return { messages, learn, calls: told, badTurns }
}

const isSound = (call: CallStep, name: string | undefined, declared: ReadonlySet<string> | null): boolean =>
  name === call.tool &&
  isArguments(call.arguments) &&
  (declared === null || declared.has(call.tool)) &&
  !(call.answered_by === "harness" && call.status !== "ok")

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

/** A call by what it asked for: tool and arguments as JSON text. */
export const callTextOf = (tool: string, args: unknown): string => `${tool} ${jsonText(args)}`

/** Every text the thread shows. */
export const textsOf = (row: TraceRow): ReadonlyArray<string> => [
  row.prompt,
  ...row.steps.flatMap((step) => (isUserStep(step) ? [step.user] : isAgentStep(step) ? [step.text] : []))
]
