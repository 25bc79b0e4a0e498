/**
 * Text that says nothing: no word at all, one thing over and over, or broken characters. Tables, rules and lists repeat
 * too, so only runs of words and of whole sentences count.
 */

import { prose } from "../../language/internal/structuredText.ts"

/** A word this often in a row is a loop. */
const wordRun = 8
/** A letter this often in a row is a loop (scripts without spaces have no words to count). */
const letterRun = 20
/** A sentence of at least `sentenceLength` characters this often in a row is a loop. */
const sentenceRun = 4
const sentenceLength = 12

/** What is wrong with a text, or null. */
export const degenerate = (text: string): string | null => {
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)) return "it has no word in it"
  const broken = text.includes("\uFFFD") ? text.split("\uFFFD").length - 1 : 0
  if (broken >= 3 && broken * 10 >= text.length) return "its characters are broken"
  // Most texts repeat nothing at all, and need not be told apart from tables and code.
  return repeats(text) === null ? null : repeats(prose(text))
}

const repeats = (text: string): string | null => {
  const letter = longestLetterRun(text)
  if (letter !== null) return `it repeats the letter "${letter}"`
  const word = text.length < 2 * wordRun ? null : repeatedIn(text.split(/\s+/), wordRun, (word) => /\p{L}/u.test(word))
  if (word !== null) return `it repeats the word "${word}"`
  if (text.length < sentenceRun * sentenceLength) return null
  const sentence = repeatedIn(
    text.split(/[\n.!?。！？।]+/u),
    sentenceRun,
    (part) => part.length >= sentenceLength && /\p{L}{2}/u.test(part)
  )
  return sentence === null ? null : `it repeats the sentence "${sentence.slice(0, 60)}"`
}

const repeatedIn = (parts: ReadonlyArray<string>, times: number, counts: (part: string) => boolean): string | null => {
  let previous = ""
  let run = 0
  for (const part of parts) {
    const trimmed = part.trim()
    if (trimmed === "") continue
    run = trimmed === previous ? run + 1 : 1
    previous = trimmed
    if (run >= times && counts(trimmed)) return trimmed
  }
  return null
}

const longestLetterRun = (text: string): string | null => {
  let run = 1
  for (let i = 1; i < text.length; i++) {
    run = text.charCodeAt(i) === text.charCodeAt(i - 1) ? run + 1 : 1
    if (run >= letterRun && /\p{L}/u.test(text.charAt(i))) return text.charAt(i)
  }
  return null
}
