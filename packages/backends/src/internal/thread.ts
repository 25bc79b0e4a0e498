/**
 * A thread put in the order that every provider takes: each reply with calls is followed by one answer to each of them, in
 * the order of the calls. Core's threads are so already; threads of others are repaired rather than refused.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import type { Message, ToolCall } from "@sandtable/core/unstable/Message"

export interface Answered {
  readonly call: ToolCall
  /** What the tool said; null when the thread has no answer to the call. */
  readonly result: string | null
  /** The message that says it. */
  readonly answer: Message | null
}

/** With the message whose text it is; null for a turn that is in nobody's words. */
export type Turn =
  | { readonly role: "system"; readonly text: string; readonly message: Message | null }
  | { readonly role: "user"; readonly text: string; readonly message: Message | null }
  | {
      readonly role: "assistant"
      readonly text: string
      readonly message: Message | null
      readonly reasoning: string
      readonly calls: ReadonlyArray<Answered>
      readonly providerState: unknown
      /** Whether the person has not spoken since. */
      readonly current: boolean
    }

/** What stands for an answer that never came: providers refuse a thread for a call without one. */
export const noResult = "(no result)"

export const turnsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<Turn> => {
  const lastUser = messages.findLastIndex(({ role }) => role === "user")
  const turns: Array<Turn> = []
  let i = 0
  while (i < messages.length) {
    const message = messages[i]
    const index = i
    i += 1
    if (message === undefined) continue
    if (message.role === "system" || message.role === "user") {
      turns.push({ role: message.role, text: message.content, message })
      continue
    }
    if (message.role === "tool") {
      turns.push(orphan(message.name, message.content))
      continue
    }
    const calls = unique(message.toolCalls ?? [])
    const answers: Array<Extract<Message, { readonly role: "tool" }>> = []
    for (let next = messages[i]; next?.role === "tool"; next = messages[i]) {
      answers.push(next)
      i += 1
    }
    const { answered, rest } = matched(message.toolCalls ?? [], calls, answers)
    const { reasoning = "", providerState } = message
    turns.push({
      role: "assistant",
      text: message.content,
      message,
      reasoning,
      calls: answered,
      providerState,
      current: index > lastUser
    })
    for (const { name, content } of rest) turns.push(orphan(name, content))
  }
  return turns
}

/** A result that belongs to no call is told as words. */
const orphan = (name: string, content: string): Turn => ({
  role: "user",
  text: `Result of ${name}: ${content}`,
  message: null
})

const unique = (calls: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> => {
  if (calls.length < 2 && calls[0]?.id !== "") return calls
  const taken = new Set<string>()
  return calls.map((call) => {
    let id = call.id
    for (let n = 1; id === "" || taken.has(id); n++) id = `${call.id === "" ? "call" : call.id}_${n}`
    taken.add(id)
    return id === call.id ? call : { ...call, id }
  })
}

/** Answers by id; the second of two equal ids belongs to the second call of that id. */
const matched = (
  given: ReadonlyArray<ToolCall>,
  calls: ReadonlyArray<ToolCall>,
  answers: ReadonlyArray<Extract<Message, { readonly role: "tool" }>>
) => {
  const rest = [...answers]
  const answered = calls.map((call, i): Answered => {
    const at = rest.findIndex(({ callId }) => callId === given[i]?.id)
    const answer = at < 0 ? null : (rest.splice(at, 1)[0] ?? null)
    return { call, result: answer === null ? null : answer.content, answer }
  })
  return { answered, rest }
}

/** Arguments as the text of a JSON object. */
export const argumentsText = (raw: unknown): string =>
  typeof raw === "string" ? (raw.trim() === "" ? "{}" : raw) : (ExactJson.stringify(raw ?? {}) ?? "{}")
