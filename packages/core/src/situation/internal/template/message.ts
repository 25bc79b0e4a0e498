/**
 * Puts a message together: how it begins, what it says, how it ends.
 */
import * as English from "../../../language/English.ts"
import * as Frames from "../../../language/internal/english/frames.ts"

/** An opener or a closer, with what can be told of it once for all. */
export interface Phrase {
  readonly text: string
  /** It tells a tone by itself: "Hello" does not. */
  readonly toned: boolean
  /** It is a sentence. */
  readonly whole: boolean
  /** A letter can end with it and a name. */
  readonly signs: boolean
}

const phrase = (text: string): Phrase => ({
  text,
  toned: Frames.showsTone(text),
  whole: /[.!?]$/.test(text),
  signs: /regards|sincerely|Respectfully/.test(text)
})

const phrases = (
  table: Readonly<Record<Frames.Tone, ReadonlyArray<string>>>
): ReadonlyMap<Frames.Tone, ReadonlyArray<Phrase>> =>
  new Map(Frames.tones.map((tone) => [tone, table[tone].map(phrase)]))

const openers = phrases(Frames.openers)
const closers = phrases(Frames.closers)
const silent: ReadonlyArray<Phrase> = [phrase("")]

export const openersOf = (tone: Frames.Tone): ReadonlyArray<Phrase> => openers.get(tone) ?? silent
export const closersOf = (tone: Frames.Tone): ReadonlyArray<Phrase> => closers.get(tone) ?? silent

/** What it says, in one line after the other. */
export interface Said {
  readonly before: ReadonlyArray<string>
  readonly request: string
  readonly after: ReadonlyArray<string>
}

/** Opener, sentences and closer as one message. */
export const message = (opener: Phrase, said: Said, closer: string): string => {
  const whole = sentencesOf(said)
  const body = whole.trim()
  const begun =
    opener.text === "" ? English.capital(body) : `${opener.text} ${opener.whole ? English.capital(body) : lower(body)}`
  return closer === "" ? begun : `${begun}${whole.endsWith("\n") ? "\n" : " "}${closer}`
}

/** The same with each part in a paragraph of its own. */
export const letter = (opener: Phrase, said: Said, closer: string): string =>
  [opener.text, sentencesOf(said).trim(), closer].filter((part) => part.length > 0).join("\n\n")

/** Joined, not added up: what reads a text later reads one in a single piece faster. */
const sentencesOf = ({ after, before, request }: Said): string => {
  const all: Array<string> = []
  for (const sentence of before) if (sentence !== "") all.push(sentence)
  if (request !== "") all.push(request)
  for (const sentence of after) if (sentence !== "") all.push(sentence)
  const out = all.join(" ")
  return out.includes("\n ") ? out.replace(/\n /g, "\n") : out
}

/** The first letter small, where the first word is none that is written with a capital. */
const lower = (text: string): string =>
  /^(?:I\b|[A-Z]{2}|\S*[^\t-~]|[A-Z]\w*[A-Z\d_]|Monday|Dear|Mr|Mrs)/.test(text)
    ? text
    : text.charAt(0).toLowerCase() + text.slice(1)
