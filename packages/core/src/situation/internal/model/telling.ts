/**
 * Personas as a request, and the message of a persona as an ask.
 */
import type { Message } from "../../../model/Message.ts"
import type { Ask } from "../../SituationWriter.ts"
import type { Persona } from "./personas.ts"
import type { Draft } from "./replies.ts"

/** First wordings of situations, for the further ones. */
export interface FirstWordings {
  readonly get: (scenarioId: string) => Ask | undefined
  readonly keep: (ask: Ask) => void
}

/** Situations whose first wording is remembered: further wordings are asked for right after it. */
const remembered = 512

export const firstWordings = (): FirstWordings => {
  const kept = new Map<string, Ask>()
  return {
    get: (scenarioId) => kept.get(scenarioId),
    keep: (ask) => {
      kept.set(ask.slot.scenarioId, ask)
      const [oldest] = kept.keys()
      if (kept.size > remembered && oldest !== undefined) kept.delete(oldest)
    }
  }
}

const task = [
  "You write the first messages that people send to an assistant. You are handed cards. For each card be that one person, with their own manner, and write only what they type: their first message, nothing before or after it.",
  "Nobody outside knows of cards. Never mention cards, prompts, roles, labels or tools by name, never write blanks to be filled in, never sound like the assistant, never copy a card's or the notes' wording: say it as that person would, in the language such people write in.",
  "What a card marks with [a word in brackets] is a trait. Under `shows` list each trait your message really shows, with the exact words of the message that show it; leave out traits it does not show.",
  "`need` is what the person wants in one sentence, for somebody who will play them later; word it otherwise than the message.",
  'Answer with JSON alone: {"messages": [{"id": "msg-1", "message": "...", "need": "...", "shows": [{"trait": "...", "words": "..."}], "knows": [{"name": "...", "value": "..."}]}]}, one entry for each card.'
].join("\n\n")

export const messages = (
  brief: string | null,
  personas: ReadonlyArray<Persona>,
  firsts: FirstWordings,
  problems: ReadonlyMap<string, string>
): ReadonlyArray<Message> => [
  { role: "system", content: brief === null ? task : `${task}\n\nPrivate notes on who writes here:\n${brief}` },
  { role: "user", content: personas.map((persona) => rendered(persona, personas, firsts, problems)).join("\n\n") }
]

const rendered = (
  persona: Persona,
  personas: ReadonlyArray<Persona>,
  firsts: FirstWordings,
  problems: ReadonlyMap<string, string>
): string => {
  const { slot } = persona
  const problem = problems.get(persona.id)
  const first = firsts.get(slot.scenarioId)
  const twin = personas.find((one) => one.slot.scenarioId === slot.scenarioId && one.slot.phrasing === 0)
  const again =
    slot.phrasing === 0 || slot.source !== undefined
      ? undefined
      : first !== undefined
        ? `The same person with the same wish as in «${first.text}», worded anew from the first word to the last.`
        : twin === undefined
          ? undefined
          : `The same person with the same wish as ${twin.id}, worded anew from the first word to the last.`
  return [
    `Card ${persona.id}`,
    ...persona.lines,
    ...(again === undefined ? [] : [again]),
    ...(slot.attempt === 0
      ? []
      : [
          "A message for this was too like one that is in use already: word it quite differently, and begin otherwise."
        ]),
    ...(problem === undefined ? [] : [`Your last message for it was refused: ${problem}.`])
  ].join("\n")
}

/** The ask of a message. Further wordings keep what the first one settled of the person. */
export const askOf = (persona: Persona, draft: Draft, firsts: FirstWordings, writer: string): Ask => {
  const { slot } = persona
  const first = slot.phrasing > 0 ? firsts.get(slot.scenarioId) : undefined
  const facts = first?.facts ?? factsOf(persona, draft)
  const named = persona.reference === null ? undefined : facts[persona.reference.argument]
  const ask: Ask = {
    slot,
    text: draft.message,
    shown: shownIn(persona, draft),
    need: first?.need ?? (draft.need === "" ? null : draft.need),
    facts,
    entity:
      persona.entity ??
      (persona.reference === null || named === undefined ? null : { ...persona.reference, id: named }),
    ...(persona.person === undefined ? {} : { person: persona.person }),
    ...(persona.unknown === undefined ? {} : { unknown: persona.unknown }),
    writer
  }
  if (slot.phrasing === 0) firsts.keep(ask)
  return ask
}

/** Characters of a fact the model made up. */
const longestFact = 200

const factsOf = (persona: Persona, { knows }: Draft): Readonly<Record<string, string>> => {
  const facts = Object.create(null) as Record<string, string>
  for (const [name, value] of Object.entries(persona.facts)) facts[name] = value
  for (const [name, value] of knows) {
    if (persona.askable.has(name) && !Object.hasOwn(facts, name) && value !== "" && value.length <= longestFact) {
      facts[name] = value
    }
  }
  return facts
}

/** Characters of words that can show a trait. */
const shortestWords = 3

/** A trait is shown where the words said to show it stand in the message; how it looks is read off the text. */
const shownIn = (persona: Persona, { message, shows }: Draft): Readonly<Record<string, string>> => {
  const shown: Record<string, string> = {}
  const text = message.toLowerCase()
  for (const [trait, value] of persona.traits) {
    const words = shows.get(trait)?.toLowerCase().trim() ?? ""
    const plain = trait === "stance" && value === "ordinary"
    if (plain || (words.length >= shortestWords && text.includes(words))) shown[trait] = value
  }
  const texture = textureOf(message)
  return texture === undefined ? shown : { ...shown, texture }
}

/** Letters a text has to have before its look says something. */
const enoughLetters = 20

const textureOf = (message: string): string | undefined => {
  const letters = message.match(/\p{L}/gu) ?? []
  if (letters.length < enoughLetters) return undefined
  const upper = letters.filter((letter) => letter !== letter.toLowerCase()).length
  if (upper > letters.length * 0.8) return "shouting"
  if (!/[.,;:!?]/.test(message)) return "no_punctuation"
  if (/!{2,}|\?{2,}|!\?|\?!/.test(message)) return "exclamations"
  if (!/(?:^|[.!?]\s+)\p{Lu}/u.test(message) && !/\bI\b/.test(message)) return "lowercase"
  return undefined
}
