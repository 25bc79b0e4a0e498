/**
 * What an agent function may give back, read as a trajectory: `{ steps, finalText }`, a text, or chat messages.
 */
import * as Either from "effect/Either"
import type { CallStep, Step } from "../../row/Row.ts"
import { CallStatus, EndedBy, FinishReason } from "../../row/Row.ts"
import * as ExactJson from "../../json/ExactJson.ts"
import type { ToolCall } from "../../model/Message.ts"
import type { Usage } from "../../model/Usage.ts"
import * as Json from "../../json/jsonCopy.ts"
import type { Trajectory } from "./trajectory.ts"

/**
 * A step as an agent writes it; what is left out of a call is taken from the recorded call it matches.
 * @since 0.1.0
 * @category models
 */
export type ReturnedStep =
  | { readonly user: string }
  | { readonly text: string; readonly reasoning?: string }
  | {
      readonly tool: string
      readonly arguments?: unknown
      readonly result?: unknown
      readonly call_id?: string
      readonly status?: CallStatus
    }

/**
 * What may come with a returned trajectory.
 * @since 0.1.0
 * @category models
 */
export interface ReturnedNotes {
  readonly finishReason?: FinishReason
  readonly endedBy?: EndedBy
  /** Tokens of the agent's own model calls, ours or as its client spells them. */
  readonly usage?: Partial<Usage> | Readonly<Record<string, unknown>>
  /** What a demo agent did wrong on purpose. */
  readonly seeded?: ReadonlyArray<string>
}

/**
 * One message of the OpenAI chat shape.
 * @since 0.1.0
 * @category models
 */
export interface ReturnedMessage {
  readonly role: string
  readonly content?: unknown
  readonly [key: string]: unknown
}

/**
 * What a function agent may return: its reply, alone or with the steps or messages that led to it.
 * @since 0.1.0
 * @category models
 */
export type Returned =
  | string
  | (ReturnedNotes & { readonly steps?: ReadonlyArray<ReturnedStep>; readonly finalText: string })
  | (ReturnedNotes & { readonly messages: ReadonlyArray<ReturnedMessage> })
  | ReadonlyArray<ReturnedMessage>

export interface Recorded {
  /** Everything recorded so far, the user's line first. */
  readonly steps: () => ReadonlyArray<Step>
  readonly calls: () => ReadonlyArray<CallStep>
}

/** A trajectory of what came back, or what was wrong with it in words. */
export const read = (returned: unknown, prompt: string, recorded: Recorded): Either.Either<Trajectory, string> => {
  if (typeof returned === "string") return Either.right(closed(recorded.steps(), returned, noNotes))
  if (Array.isArray(returned)) return fromMessages(returned, undefined, noNotes, prompt, recorded)
  if (!Json.isRecord(returned)) return Either.left(unusable(returned))
  const notes = notesOf(returned)
  if (Either.isLeft(notes)) return Either.left(notes.left)
  const { messages, steps, finalText } = returned
  if (Array.isArray(messages)) return fromMessages(messages, finalText, notes.right, prompt, recorded)
  if (typeof finalText !== "string") return Either.left(unusable(returned))
  if (steps === undefined) return Either.right(closed(recorded.steps(), finalText, notes.right))
  if (!Array.isArray(steps)) return Either.left(`\`steps\` was ${Json.describe(steps)}, not a list of steps`)
  return Either.map(fromSteps(steps, prompt, recorded), (read) => closed(read, finalText, notes.right))
}

type Notes = Pick<Trajectory, "finishReason" | "endedBy" | "usage" | "seeded">
const noNotes: Notes = {}

const unusable = (returned: unknown): string =>
  `it gave back ${Json.describe(returned)}; a text, { steps, finalText } or chat messages are understood`

/** The record ends on the final text: appended when it is not the last agent line. */
const closed = (steps: ReadonlyArray<Step>, finalText: string, notes: Notes): Trajectory => {
  const last = lastAgentLine(steps)
  const whole = last === finalText || finalText.trim() === "" ? steps : [...steps, { text: finalText }]
  return notes === noNotes ? { steps: whole, finalText } : { steps: whole, finalText, ...notes }
}

const lastAgentLine = (steps: ReadonlyArray<Step>): string | undefined => {
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i] as Step
    if ("text" in step) return step.text
  }
  return undefined
}

const fromSteps = (
  steps: ReadonlyArray<unknown>,
  prompt: string,
  recorded: Recorded
): Either.Either<ReadonlyArray<Step>, string> => {
  const match = matcher(recorded.calls())
  const out: Array<Step> = []
  for (const [i, step] of steps.entries()) {
    if (!Json.isRecord(step)) return Either.left(`step ${i} was ${Json.describe(step)}`)
    if (typeof step["user"] === "string") out.push({ user: step["user"] })
    else if (typeof step["tool"] === "string") out.push(match(step["tool"], step, out.length))
    else if (typeof step["text"] === "string") out.push(agentStep(step["text"], step["reasoning"]))
    else return Either.left(`step ${i} was ${Json.describe(step)}; a step has \`user\`, \`text\` or \`tool\``)
  }
  return Either.right(opened(out, prompt))
}

const agentStep = (text: string, reasoning: unknown): Step =>
  typeof reasoning === "string" && reasoning !== "" ? { text, reasoning } : { text }

/** A record begins with the person's line. */
const opened = (steps: Array<Step>, prompt: string): ReadonlyArray<Step> =>
  steps.length > 0 && "user" in (steps[0] as Step) ? steps : [{ user: prompt }, ...steps]

type Match = (tool: string, given: Readonly<Record<string, unknown>>, position: number) => CallStep

/**
 * Binds reported calls to recorded ones, the first unused one with the same tool and arguments. How a bound call ended
 * and who answered it is what the world did; the rest stands as the agent reports it.
 */
const matcher = (recorded: ReadonlyArray<CallStep>): Match => {
  const used = new Set<CallStep>()
  return (tool, given, position) => {
    const args = Object.hasOwn(given, "arguments") ? Json.copy(given["arguments"] ?? {}) : {}
    const call = recorded.find((call) => !used.has(call) && call.tool === tool && Json.equal(call.arguments, args))
    const reported = Object.hasOwn(given, "result") ? Json.copy(given["result"]) : undefined
    const callId = typeof given["call_id"] === "string" && given["call_id"] !== "" ? given["call_id"] : undefined
    if (call !== undefined) {
      used.add(call)
      return {
        ...call,
        ...(reported === undefined ? {} : { result: reported }),
        ...(callId === undefined ? {} : { call_id: callId })
      }
    }
    return {
      tool,
      arguments: args,
      result: reported ?? null,
      call_id: callId ?? `call_${position}`,
      status: statusOf(given["status"], reported),
      answered_by: "agent"
    }
  }
}

const statuses: ReadonlySet<unknown> = new Set(CallStatus.literals)

/** How a call ended that only the agent knows of: what it says, else what the result looks like. */
const statusOf = (said: unknown, result: unknown): CallStatus => {
  if (statuses.has(said)) return said as CallStatus
  if (!Json.isRecord(result)) return "ok"
  const status = result["status"]
  if (statuses.has(status)) return status as CallStatus
  return result["isError"] === true || (result["error"] !== undefined && result["error"] !== null) ? "error" : "ok"
}

const fromMessages = (
  messages: ReadonlyArray<unknown>,
  finalText: unknown,
  notes: Notes,
  prompt: string,
  recorded: Recorded
): Either.Either<Trajectory, string> => {
  if (messages.length === 0) return Either.left("it gave back an empty list of messages")
  const match = matcher(recorded.calls())
  const out: Array<Step> = []
  for (const [i, message] of messages.entries()) {
    if (!Json.isRecord(message) || typeof message["role"] !== "string") {
      return Either.left(`message ${i} was ${Json.describe(message)}; a message has a \`role\` and \`content\``)
    }
    const text = textOf(message["content"])
    if (message["role"] === "user") out.push({ user: text })
    if (message["role"] !== "assistant") continue
    if (text !== "") out.push(agentStep(text, message["reasoning"] ?? message["reasoning_content"]))
    const calls = message["tool_calls"]
    if (!Array.isArray(calls)) continue
    for (const call of bound(calls, answersAfter(messages, i))) out.push(match(call.name, call.given, out.length))
  }
  const steps = opened(out, prompt)
  const last = typeof finalText === "string" ? finalText : (lastAgentLine(steps) ?? "")
  return Either.right(closed(steps, last, notes))
}

interface Message {
  readonly [key: string]: unknown
}

/** The tool messages that answer the assistant message at a place: those before the next one. */
const answersAfter = (messages: ReadonlyArray<unknown>, at: number): ReadonlyArray<Message> => {
  let end = at + 1
  while (end < messages.length && roleOf(messages[end]) === "tool") end += 1
  return messages.slice(at + 1, end) as ReadonlyArray<Message>
}

const roleOf = (message: unknown): unknown => (Json.isRecord(message) ? message["role"] : undefined)

interface Bound {
  readonly name: string
  readonly given: Readonly<Record<string, unknown>>
}

/** Calls with their results: bound by id, those left by name, those left by position. */
const bound = (calls: ReadonlyArray<unknown>, answers: ReadonlyArray<Message>): ReadonlyArray<Bound> => {
  const read = calls.map((call) => {
    const given = Json.isRecord(call) ? call : {}
    const named = Json.isRecord(given["function"]) ? given["function"] : given
    return { id: given["id"], name: String(named["name"] ?? ""), arguments: named["arguments"] }
  })
  const answerOf = new Map<number, Message>()
  const free = new Set(answers)
  const bind = (fits: (call: (typeof read)[number], answer: Message) => boolean): void => {
    for (const [i, call] of read.entries()) {
      if (answerOf.has(i)) continue
      for (const answer of free) {
        if (!fits(call, answer)) continue
        answerOf.set(i, answer)
        free.delete(answer)
        break
      }
    }
  }
  bind((call, answer) => call.id !== undefined && call.id === answer["tool_call_id"])
  bind((call, answer) => call.name === answer["name"])
  bind(() => true)
  return read.map((call, i) => {
    const answer = answerOf.get(i)
    const args = call.arguments === "" ? {} : parsed(call.arguments)
    return {
      name: call.name,
      given: {
        call_id: call.id,
        arguments: args,
        ...(answer === undefined ? {} : { result: parsed(textIfParts(answer["content"])) })
      }
    }
  })
}

/** JSON text as its value; other text as it is. */
const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return ExactJson.parse(value)
  } catch {
    return value
  }
}

const textIfParts = (content: unknown): unknown => (Array.isArray(content) ? textOf(content) : content)

/** The text of a message: a string, or the text parts of a list. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .flatMap((part) => (Json.isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n")
}

const finishReasons: ReadonlySet<unknown> = new Set(FinishReason.literals)

export const isFinishReason = (value: unknown): value is FinishReason => finishReasons.has(value)

/** A tool call in our shape or in that of a chat message; what is missing is left to be refused. */
export const toolCall = (call: unknown): ToolCall => {
  const given = Json.isRecord(call) ? call : {}
  const named = Json.isRecord(given["function"]) ? given["function"] : given
  return { id: String(given["id"] ?? ""), name: String(named["name"] ?? ""), arguments: named["arguments"] }
}

const endings: ReadonlySet<unknown> = new Set(EndedBy.literals)

const notesOf = (returned: Readonly<Record<string, unknown>>): Either.Either<Notes, string> => {
  const { finishReason, endedBy, usage, seeded } = returned
  if (finishReason !== undefined && !isFinishReason(finishReason)) {
    return Either.left(
      `\`finishReason\` was ${Json.describe(finishReason)}; one of ${FinishReason.literals.join(", ")}`
    )
  }
  if (endedBy !== undefined && !endings.has(endedBy)) {
    return Either.left(`\`endedBy\` was ${Json.describe(endedBy)}; one of ${EndedBy.literals.join(", ")}`)
  }
  if (usage !== undefined && !Json.isRecord(usage)) {
    return Either.left(`\`usage\` was ${Json.describe(usage)}, not { input, output, cached, reasoning }`)
  }
  if (seeded !== undefined && !(Array.isArray(seeded) && seeded.every((name) => typeof name === "string"))) {
    return Either.left(`\`seeded\` was ${Json.describe(seeded)}, not a list of names`)
  }
  return Either.right({
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(endedBy === undefined ? {} : { endedBy: endedBy as EndedBy }),
    ...(usage === undefined ? {} : { usage: { agent: tokens(usage) } }),
    ...(seeded === undefined ? {} : { seeded: [...(seeded as ReadonlyArray<string>)] })
  })
}

/**
 * Token counts, ours or as the clients of the usual endpoints spell them; what is missing is unknown. Anthropic counts
 * what it cached beside its input, so that is added.
 */
export const tokens = (usage: Readonly<Record<string, unknown>>): Usage => {
  const input = first(usage, ["input", "input_tokens", "inputTokens", "prompt_tokens", "promptTokens"])
  const beside = (count(usage["cache_read_input_tokens"]) ?? 0) + (count(usage["cache_creation_input_tokens"]) ?? 0)
  return {
    input: input === null ? null : input + beside,
    cached:
      first(usage, ["cached", "cachedInputTokens", "cache_read_input_tokens"]) ??
      first(within(usage, ["prompt_tokens_details", "input_tokens_details"]), ["cached_tokens"]),
    output: first(usage, ["output", "output_tokens", "outputTokens", "completion_tokens", "completionTokens"]),
    reasoning:
      first(usage, ["reasoning", "reasoningTokens"]) ??
      first(within(usage, ["completion_tokens_details", "output_tokens_details"]), ["reasoning_tokens"])
  }
}

const first = (from: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): number | null => {
  const name = names.find((name) => count(from[name]) !== null)
  return name === undefined ? null : count(from[name])
}

const within = (
  from: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>
): Readonly<Record<string, unknown>> => names.map((name) => from[name]).find(Json.isRecord) ?? {}

const count = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null)
