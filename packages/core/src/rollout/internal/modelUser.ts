/**
 * A person played by a model: what it is told, and what of its reply may stand as the person's words.
 */
import * as Effect from "effect/Effect"
import { Language, type DialogueActs } from "../../language/Language.ts"
import type { Request, Service } from "../../model/ChatModel.ts"
import type { ModelFailed } from "../../model/ChatModel.ts"
import type { Message } from "../../model/Message.ts"
import * as ModelCall from "../../model/ModelCall.ts"
import * as Usage from "../../model/Usage.ts"
import type { Reaction, Turn } from "../UserSimulator.ts"
import * as Speech from "./speech.ts"

/** Tokens one line may have, thoughts included: people write a sentence or two. */
const lineTokens = 2048

/** Marks the model ends a line with; they never reach a row. */
export const doneMark = "[[DONE]]"
export const cannotMark = "[[CANNOT_ANSWER]]"

/** One reply, and one more when the first cannot stand. */
export const react = (model: Service, turn: Turn): Effect.Effect<Reaction, ModelFailed> =>
  Effect.flatMap(attempt(model, turn, null), (first) => {
    if (first.reading._tag !== "Unusable") return Effect.succeed(reactionOf(first.reading, first.usage))
    return Effect.map(attempt(model, turn, first.reading.why), (second) => {
      const usage = Usage.add(first.usage, second.usage)
      return reactionOf(second.reading, usage)
    })
  })

/** A reply read as words of the person. */
type Reading =
  | { readonly _tag: "Line"; readonly text: string; readonly last: boolean; readonly cannot: boolean }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Unusable"; readonly why: Speech.Fault }

const attempt = (
  model: Service,
  turn: Turn,
  why: Speech.Fault | null
): Effect.Effect<{ readonly reading: Reading; readonly usage: Usage.Usage }, ModelFailed> =>
  Effect.zipWith(
    ModelCall.completeWithin(model, "user", request(turn, why), lineTokens),
    Language,
    (completion, { dialogueActs }) => ({ reading: read(completion.text, turn, dialogueActs), usage: completion.usage })
  )

const request = (turn: Turn, why: Speech.Fault | null): Request => {
  const { info } = turn
  const spoken = turn.thread.reduce((lines, line) => (line.role === "user" ? lines + 1 : lines), 0)
  return {
    messages: messagesOf(turn, why),
    ...(turn.temperature === null ? {} : { sampling: { temperature: turn.temperature } }),
    key: ["user", info.taskId, info.evalRun, info.rolloutIndex, spoken, why === null ? 0 : 1]
  }
}

/** The person's own lines are the model's, its opening first; the agent is the other side. */
const messagesOf = (turn: Turn, why: Speech.Fault | null): ReadonlyArray<Message> => {
  const thread = turn.thread.map((line): Message =>
    line.role === "user" ? { role: "assistant", content: line.text } : { role: "user", content: line.text }
  )
  const begun: ReadonlyArray<Message> = [{ role: "user", content: "(The chat is open. You write first.)" }]
  const opens = thread[0]?.role === "assistant"
  const system = why === null ? briefing(turn) : `${briefing(turn)}\n\n${nudges[why]}`
  return [{ role: "system", content: system }, ...(opens ? begun : []), ...thread]
}

const briefing = (turn: Turn): string => {
  const { need, facts, traits, unknown = [] } = turn.task.plan
  const list = (of: Readonly<Record<string, string>>): string =>
    Object.entries(of)
      .map(([name, value]) => `- ${name.replaceAll("_", " ")}: ${value}`)
      .join("\n")
  const parts = [
    "You play a person who is chatting with a company's assistant. You are the person, never the assistant. Write only what the person types next: one short message in plain words, no name in front of it, no quotation marks, no code.",
    need === null ? "You want what your first message asks for." : `What you want: ${need}`,
    Object.keys(facts).length === 0
      ? "You know nothing beyond what you wrote."
      : `What you know. Tell a thing only when it is asked for:\n${list(facts)}`,
    unknown.length === 0
      ? ""
      : `You do not have at hand, and say so when you are asked: ${unknown.map((name) => name.replaceAll("_", " ")).join(", ")}.`,
    "Say yes only to what serves what you want. When the assistant gets one of your details wrong, put it right; when it proposes something you did not come for, say no.",
    Object.keys(traits).length === 0 ? "" : `How you are, in every message:\n${list(traits)}`,
    `When the assistant asks for something that is not listed and that you could not know, say so and end the message with ${cannotMark}. Never make up numbers, names or addresses.`,
    turn.more
      ? `When there is truly nothing left to say, write ${doneMark}; a last message can carry it at its end.`
      : `When you have what you came for, or see that you will not get it, write ${doneMark}; a last message can carry it at its end.`,
    "Do not thank for thanks, and do not repeat yourself."
  ]
  return parts.filter((part) => part !== "").join("\n\n")
}

const nudges: Readonly<Record<Speech.Fault, string>> = {
  empty: "Your last draft was empty. Write the person's next message.",
  thinking: "Your last draft was only thinking. Write the person's next message, nothing else.",
  echo: "Your last draft repeated the assistant. Write what the person answers to it.",
  code: "Your last draft was code. Write the person's next message in plain words.",
  thanks: `Your last draft only thanked again. Say something new, or write ${doneMark}.`,
  role: "Your last draft spoke as the assistant. You are the person: write the person's next message.",
  repeat: `Your last draft said what the person said before. Say something new, or write ${doneMark}.`,
  copy: "Your last draft was worded as a message that is already in use. Say it in other words."
}

const marks = /\[{1,2}\s*(DONE|CANNOT[_ ]ANSWER)\s*\]{1,2}/g
/** A mark that was cut off at the end of the reply. */
const cutMark = /\[\[[A-Z_ ]*\]?$/

const read = (reply: string, turn: Turn, acts: DialogueActs): Reading => {
  const thinking = Speech.withoutThinking(reply)
  if (thinking.cut) return { _tag: "Unusable", why: "thinking" }
  const found = new Set([...thinking.text.matchAll(marks)].map((match) => match[1]))
  const text = Speech.unwrapped(thinking.text.replace(marks, " ").replace(cutMark, ""))
  const last = found.has("DONE")
  if (text === "") {
    if (last) return { _tag: "Done" }
    return { _tag: "Unusable", why: thinking.removed ? "thinking" : "empty" }
  }
  const why = Speech.faultOf(text, turn.thread, acts) ?? (turn.refuses?.(text) === true ? "copy" : null)
  if (why === "thanks" && last) return { _tag: "Done" }
  if (why !== null) return { _tag: "Unusable", why }
  return { _tag: "Line", text, last, cannot: found.size > 0 && !last }
}

const reactionOf = (reading: Reading, usage: Usage.Usage): Reaction => {
  switch (reading._tag) {
    case "Done":
      return { _tag: "Done", usage }
    case "Unusable":
      return { _tag: "Missed", repeated: reading.why === "repeat" || reading.why === "thanks", usage }
    case "Line":
      return reading.cannot
        ? { _tag: "CannotAnswer", text: reading.text, usage }
        : { _tag: "Says", text: reading.text, last: reading.last, usage }
  }
}
