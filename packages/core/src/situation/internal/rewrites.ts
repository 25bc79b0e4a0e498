/**
 * The mutation operators, one function each. A rewrite answers undefined where it does not apply; whether identifiers
 * survived and whether anything changed is checked by the caller.
 */
import * as English from "../../language/English.ts"
import type { Draws } from "../../random/Randomness.ts"
import { join, spansOf, type Cut, type Span } from "./spans.ts"
import { withTypos } from "./typos.ts"

interface Options {
  readonly draws: Draws
  readonly other?: string
  readonly keep?: ReadonlyArray<string>
}

export type Rewrite = (cut: Cut, options: Options) => string | undefined

/** Breaks off somewhere in the second half; identifiers of the lost part are dropped in where it broke off. */
export const truncate: Rewrite = ({ identifiers, spans }, { draws }) => {
  const words = spans.filter((span) => span.kind !== "gap").length
  if (words < 5) return undefined
  let left = Math.ceil(words * (0.4 + 0.4 * draws.next()))
  const head: Array<Span> = []
  const lost: Array<string> = []
  for (const span of spans) {
    if (left > 0) head.push(span)
    else if (identifiers.includes(span.text)) lost.push(span.text)
    if (span.kind !== "gap") left -= 1
  }
  const start = join(head)
    .trimEnd()
    .replace(/[.,;:!?]+$/, "")
  const end = draws.pick(["", "...", " -"])
  return lost.length === 0 ? start + end : `${start}... (${[...new Set(lost)].join(", ")})`
}

const months = "january|february|march|april|may|june|july|august|september|october|november|december"
const day = `(?:${months})\\s+\\d{1,2}(?:st|nd|rd|th)?\\b(?:,\\s*\\d{4}\\b)?`

/** A date that loses its month is none. */
const isMonth = new RegExp(`^(?:${months})$`, "i")

const specifics: ReadonlyArray<RegExp> = [
  // both ends of a stretch, and a whole date: half of one would be left dangling
  new RegExp(`,?\\s+(?:from|between)\\s+${day}\\s+(?:to|and|until)\\s+${day}`, "gi"),
  new RegExp(`,?\\s+(?:on|by|until|from|coming back on)\\s+${day}(?:\\s+on\\b)?(?!\\s+(?:to|and|until)\\b)`, "gi"),
  /\s*\([^()]*\)/g,
  /,?\s+(?:because|since|so that|as long as)\s+[^.!?;,\n]+/gi,
  /\s+(?:on|at|for|from|until|by|before|after|around|within)\s+(?:the\s+)?(?:\d[\w:/.-]*|(?:next|last|this)\s+\w+|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|yesterday)\b(?:\s+(?:guests?|people|persons?|passengers?|adults?|nights?|days?|weeks?|hours?|minutes?|am|pm)\b)?/gi,
  /\s+[$€£]\s?\d[\d.,]*\d/gu,
  /\s+(?:very|really|specifically|exactly|only|immediately|entire|whole)\b/gi
]

/** Leaves out a reason, a date, an amount, an aside; else the last sentence. */
export const dropSpecifics: Rewrite = ({ text }, { draws }) => {
  const matching = specifics.filter((pattern) => text.search(pattern) !== -1)
  if (matching.length > 0) {
    const shorter = text.replace(draws.pick(matching), "").trim()
    if (shorter.length > 0) return shorter
  }
  const sentences = sentencesOf(text)
  return sentences.length > 1 ? sentences.slice(0, -1).join(" ") : undefined
}

export const joinWith: Rewrite = ({ text }, { draws, other }) => {
  if (other === undefined || other.trim().length === 0) return undefined
  const [first, second] = draws.chance(0.5) ? [text, other.trim()] : [other.trim(), text]
  const link = draws.pick(["One more request:", "And a second thing:", "Separately:", "I also have this:"])
  const head = withoutGoodbye(first)
  const tail = second.replace(greeting, "").trim()
  return `${closed(head)}\n\n${link} ${English.capital(tail === "" ? second : tail)}`
}

/** One message greets and thanks once. */
const greeting =
  /^(?:(?:hi|hey|heya|hello|yo|ok|dear (?:\w+|sir or madam)|good (?:morning|afternoon|evening|day))(?: there| all| team)?[\s,.!]+)(?=\S)/i
const goodbye =
  /\s+(?:(?:many )?thanks?(?: you)?(?: (?:so much|very much|a lot|a million|a bunch|in advance|for your time|again))*|thx|ty|cheers|let me know|can you let me know\?)[.!]*$/i

export const duplicate: Rewrite = ({ text }, { draws }) => {
  const sentences = sentencesOf(text)
  const again = draws.chance(0.5) ? (sentences[draws.int(sentences.length)] ?? text) : text
  const link = draws.pick([
    "Again: ",
    "I repeat: ",
    "Once more, in case that did not go through: ",
    "Did you get that? ",
    ""
  ])
  return `${closed(text)} ${link}${again}`
}

export const contradict: Rewrite = ({ text }, { draws }) =>
  `${closed(text)} ${draws.pick([
    "Actually no, leave everything as it is. But I still need this done.",
    "Wait, don't do that. Or rather do it, just don't change anything.",
    "On second thought I want the exact opposite of that, and the first thing too.",
    "Scratch that, forget I asked. And please hurry up with it.",
    "Actually the details I gave you are wrong, but go with them anyway.",
    "I changed my mind about half of it, but I want all of it.",
    "No, hold on, I want to keep it the way it was. So go ahead."
  ])}`

/** Sentences in another order; of a single sentence, the part after a comma or a conjunction first. */
export const reorder: Rewrite = ({ text }, { draws }) => {
  if (/[{}]/.test(text)) return undefined
  const sentences = sentencesOf(withoutGoodbye(text))
  if (sentences.length > 1) {
    const by = 1 + draws.int(sentences.length - 1)
    return [...sentences.slice(by), ...sentences.slice(0, by)].map(closed).join(" ")
  }
  const cut = /^(.{8,}?)(?:,\s+|\s+(?=(?:because|since|if|when|and|but|so)\s))(.{8,})$/isu.exec(text)
  if (cut === null) return undefined
  const [, head = "", tail = ""] = cut
  return `${English.capital(tail.replace(/[.!?]+$/, ""))}, ${head}`
}

export const listForm: Rewrite = ({ text }, { draws }) => {
  // what is already in the shape of a form does not become a list
  if (/[{}\n>]/.test(text)) return undefined
  const sentences = sentencesOf(withoutGoodbye(text))
  const items =
    sentences.length > 1
      ? sentences
      : [sentences[0] ?? text, draws.pick(["tell me when it is done", "say what you changed", "keep it short"])]
  const mark = draws.int(3)
  const lines = items.map((item, i) =>
    mark === 0 ? `${i + 1}. ${item}` : mark === 1 ? `- ${item}` : `${i + 1}) ${item}`
  )
  return [draws.pick(["Need the following:", "My list:", "Please do these in order:", "To do:"]), ...lines].join("\n")
}

/** One breathless line: punctuation gone, sentences strung together. */
export const dropPunctuation: Rewrite = ({ text }, { draws, keep }) => {
  if (/[{}]/.test(text)) return undefined
  const link = draws.pick([" and ", " so ", " also ", " and then "])
  const sentences = sentencesOf(withoutGoodbye(text)).map((sentence) =>
    join(
      spansOf(sentence, keep).map((span) =>
        span.kind === "kept" ? span : { ...span, text: span.kind === "gap" ? bare(span.text) : span.text }
      )
    ).trim()
  )
  const spoken = sentences.filter((sentence) => sentence.length > 0)
  if (spoken.length === 0) return undefined
  const joined = spoken.map((sentence, i) => (i === 0 ? sentence : lowered(sentence)))
  return spoken.length > 1 ? joined.join(link) : `${spoken[0] ?? ""} ${draws.pick(["thanks", "ok", "asap", "please"])}`
}

/** Loses one to three plain words. */
export const deleteWords: Rewrite = ({ spans }, { draws }) => {
  const open = plainWords(spans)
  if (open.length < 4) return undefined
  const gone = new Set(draws.shuffle(open).slice(0, 1 + draws.int(Math.min(3, open.length - 2))))
  return join(spans.filter((_, i) => !gone.has(i)))
    .replace(/ {2,}/g, " ")
    .replace(/\s+([.,;:!?])/g, "$1")
    .trim()
}

/** Two neighbouring plain words change places. */
export const swapWords: Rewrite = ({ spans }, { draws }) => {
  const pairs = plainWords(spans).filter((i) => spans[i + 1]?.text === " " && spans[i + 2]?.kind === "word")
  if (pairs.length === 0) return undefined
  const at = draws.pick(pairs)
  const out = [...spans]
  out[at] = spans[at + 2] as Span
  out[at + 2] = spans[at] as Span
  return join(out)
}

export const typo: Rewrite = ({ spans }, { draws }) => join(withTypos(spans, 1 + draws.int(3), draws))

export const quote: Rewrite = ({ text }, { draws }) => {
  // once is enough: a quote of a quote of a form is nobody's message
  if (/^[>{]|\n>|\n---/.test(text)) return undefined
  return draws.pick([
    `My colleague wrote me this, can you take it from here?\n> ${text.replace(/\n/g, "\n> ")}`,
    `Forwarding what I sent last time:\n\n"${text}"`,
    `This is the message I got, please handle it:\n---\n${text}\n---`,
    `Like I said before: "${text}"`
  ])
}

/** The ask as a form, a mail or JSON. */
export const structuredPayload: Rewrite = ({ text }, { draws }) => {
  if (/^(?:\{|Subject:|type: )/.test(text)) return undefined
  const kind = draws.int(3)
  if (kind === 0 && !/["\\\n]/.test(text)) {
    return `{"request": "${text}", "priority": "${draws.pick(["high", "normal", "low"])}", "channel": "${draws.pick(["web", "app", "mail"])}"}`
  }
  if (kind === 1) return `Subject: ${draws.pick(["Request", "Help needed", "Question", "Urgent"])}\nBody: ${text}`
  return `type: request\nstatus: ${draws.pick(["new", "reopened", "waiting"])}\ntext: ${text}`
}

export const followupCorrection: Rewrite = ({ text }, { draws }) =>
  `${closed(text)} ${draws.pick([
    "Sorry, correction: only if it can be done today.",
    "Correction, I meant the most recent one.",
    "Sorry, I mixed something up above, take the one I mean.",
    "Ah, typo on my side, you know what I mean.",
    "Correction: not for me, it's for my partner.",
    "Oops, ignore the first part if it does not work.",
    "Edit: I meant the one from last week."
  ])}`

/** The sentences of a text; a greeting belongs to the first. */
const sentencesOf = (text: string): ReadonlyArray<string> => {
  const [first = "", second, ...rest] = text
    .split(/(?<=[.!?])\s+(?=[\p{L}\p{N}#"'(])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 0)
  if (second === undefined) return first === "" ? [] : [first]
  return first.split(" ").length <= 2 ? [`${first} ${second}`, ...rest] : [first, second, ...rest]
}

const closed = (text: string): string => (/[.!?:…"”)>}`]$/u.test(text) ? text : `${text}.`)

const withoutGoodbye = (text: string): string => {
  const left = text.replace(goodbye, "").trim()
  return left === "" ? text : left
}

/** The first letter small, unless the word is one that is written with a capital. */
const lowered = (text: string): string =>
  /^(?:I\b|\p{Lu}{2}|\S*\d)/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)

const bare = (gap: string): string => gap.replace(/[^\s\p{N}]+/gu, "").replace(/\s+/g, " ")

const plainWords = (spans: ReadonlyArray<Span>): Array<number> => {
  const out: Array<number> = []
  spans.forEach((span, i) => {
    if (span.kind === "word" && !isMonth.test(span.text)) out.push(i)
  })
  return out
}
