/**
 * The mutation operators, one function each. A rewrite answers undefined where it does not apply; whether identifiers
 * survived and whether anything changed is checked by the caller.
 */
import type { Draws } from "../../random/Randomness.ts"
import { join, spansOf, type Span } from "./spans.ts"
import { withTypos } from "./typos.ts"

interface Options {
  readonly draws: Draws
  readonly other?: string
  readonly keep?: ReadonlyArray<string>
}

export type Rewrite = (text: string, options: Options) => string | undefined

/** Breaks off somewhere in the second half; identifiers of the lost part are dropped in where it broke off. */
export const truncate: Rewrite = (text, { draws, keep }) => {
  const spans = spansOf(text, keep)
  const words = spans.filter((span) => span.kind !== "gap").length
  if (words < 5) return undefined
  let left = Math.ceil(words * (0.4 + 0.4 * draws.next()))
  const head: Array<Span> = []
  const lost: Array<string> = []
  for (const span of spans) {
    if (left > 0) head.push(span)
    else if (span.kind === "kept") lost.push(span.text)
    if (span.kind !== "gap") left -= 1
  }
  const start = join(head)
    .trimEnd()
    .replace(/[.,;:!?]+$/, "")
  return [start, ...lost].join(" ") + draws.pick(["", "...", " -"])
}

const specifics: ReadonlyArray<RegExp> = [
  /\s*\([^()]*\)/g,
  /,?\s+(?:because|since|so that|as long as|before|by|until)\s+[^.!?;,\n]+/gi,
  /\s+(?:on|at|for|from|until|by|before|after|around|within)\s+(?:the\s+)?(?:\d[\w:/.-]*|(?:next|last|this)\s+\w+|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|tomorrow|today|yesterday)\b(?:\s+\d{1,4}(?:st|nd|rd|th)?\b)?/gi,
  /\s+[$€£]\s?\d[\d.,]*\d/gu,
  /\s+(?:very|really|specifically|exactly|only|immediately|entire|whole)\b/gi
]

/** Leaves out a reason, a date, an amount, an aside; else the last sentence. */
export const dropSpecifics: Rewrite = (text, { draws }) => {
  const matching = specifics.filter((pattern) => text.search(pattern) !== -1)
  if (matching.length > 0) {
    const shorter = text.replace(draws.pick(matching), "").trim()
    if (shorter.length > 0) return shorter
  }
  const sentences = sentencesOf(text)
  return sentences.length > 1 ? sentences.slice(0, -1).join(" ") : undefined
}

export const joinWith: Rewrite = (text, { draws, other }) => {
  if (other === undefined || other.trim().length === 0) return undefined
  const link = draws.pick(["Also: ", "And another thing. ", "On top of that, ", "While you're at it: ", "Oh, and "])
  return draws.chance(0.5) ? `${closed(text)} ${link}${other.trim()}` : `${closed(other.trim())} ${link}${text}`
}

export const duplicate: Rewrite = (text, { draws }) => {
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

export const contradict: Rewrite = (text, { draws }) =>
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
export const reorder: Rewrite = (text, { draws }) => {
  const sentences = sentencesOf(text)
  if (sentences.length > 1) {
    const by = 1 + draws.int(sentences.length - 1)
    return [...sentences.slice(by), ...sentences.slice(0, by)].map(closed).join(" ")
  }
  const cut = /^(.{8,}?)(?:,\s+|\s+(?=(?:because|since|if|when|and|but|so)\s))(.{8,})$/isu.exec(text)
  if (cut === null) return undefined
  const [, head = "", tail = ""] = cut
  return `${opened(tail.replace(/[.!?]+$/, ""))}, ${head}`
}

export const listForm: Rewrite = (text, { draws }) => {
  const sentences = sentencesOf(text)
  const items =
    sentences.length > 1
      ? sentences
      : [text, draws.pick(["tell me when it is done", "say what you changed", "keep it short"])]
  const mark = draws.int(3)
  const lines = items.map((item, i) =>
    mark === 0 ? `${i + 1}. ${item}` : mark === 1 ? `- ${item}` : `${i + 1}) ${item}`
  )
  return [draws.pick(["Need the following:", "My list:", "Please do these in order:", "To do:"]), ...lines].join("\n")
}

/** One breathless line: punctuation gone, sentences strung together. */
export const dropPunctuation: Rewrite = (text, { draws, keep }) => {
  const link = draws.pick([" and ", " so ", " also ", " and then "])
  const sentences = sentencesOf(text).map((sentence) =>
    join(
      spansOf(sentence, keep).map((span) =>
        span.kind === "kept" ? span : { ...span, text: span.kind === "gap" ? bare(span.text) : span.text }
      )
    ).trim()
  )
  const spoken = sentences.filter((sentence) => sentence.length > 0)
  if (spoken.length === 0) return undefined
  return spoken.length > 1 ? spoken.join(link) : `${spoken[0] ?? ""} ${draws.pick(["thanks", "ok", "asap", "please"])}`
}

/** Loses one to three plain words. */
export const deleteWords: Rewrite = (text, { draws, keep }) => {
  const spans = spansOf(text, keep)
  const open = plainWords(spans)
  if (open.length < 4) return undefined
  const gone = new Set(draws.shuffle(open).slice(0, 1 + draws.int(Math.min(3, open.length - 2))))
  return join(spans.filter((_, i) => !gone.has(i)))
    .replace(/ {2,}/g, " ")
    .replace(/\s+([.,;:!?])/g, "$1")
    .trim()
}

/** Two neighbouring plain words change places. */
export const swapWords: Rewrite = (text, { draws, keep }) => {
  const spans = spansOf(text, keep)
  const pairs = plainWords(spans).filter((i) => spans[i + 1]?.text === " " && spans[i + 2]?.kind === "word")
  if (pairs.length === 0) return undefined
  const at = draws.pick(pairs)
  const out = [...spans]
  out[at] = spans[at + 2] as Span
  out[at + 2] = spans[at] as Span
  return join(out)
}

export const typo: Rewrite = (text, { draws, keep }) => join(withTypos(spansOf(text, keep), 1 + draws.int(3), draws))

export const quote: Rewrite = (text, { draws }) =>
  draws.pick([
    `My colleague wrote me this, can you take it from here?\n> ${text.replace(/\n/g, "\n> ")}`,
    `Forwarding what I sent last time:\n\n"${text}"`,
    `This is the message I got, please handle it:\n---\n${text}\n---`,
    `Like I said before: "${text}"`
  ])

/** The ask as a form, a mail or JSON. */
export const structuredPayload: Rewrite = (text, { draws }) => {
  const kind = draws.int(3)
  if (kind === 0 && !/["\\\n]/.test(text)) {
    return `{"request": "${text}", "priority": "${draws.pick(["high", "normal", "low"])}", "channel": "${draws.pick(["web", "app", "mail"])}"}`
  }
  if (kind === 1) return `Subject: ${draws.pick(["Request", "Help needed", "Question", "Urgent"])}\nBody: ${text}`
  return `type: request\nstatus: ${draws.pick(["new", "reopened", "waiting"])}\ntext: ${text}`
}

export const followupCorrection: Rewrite = (text, { draws }) =>
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

const opened = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const bare = (gap: string): string => gap.replace(/[^\s\p{N}]+/gu, "").replace(/\s+/g, " ")

const plainWords = (spans: ReadonlyArray<Span>): Array<number> => {
  const out: Array<number> = []
  spans.forEach((span, i) => {
    if (span.kind === "word") out.push(i)
  })
  return out
}
