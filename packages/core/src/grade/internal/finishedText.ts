/**
 * Whether a reply reads as finished. People and models end well without a full stop (a list, a link, a table, a name,
 * two words), so only text that stops in the middle of something counts as cut.
 */

import { endsClosed, isStructuredLine, prose } from "../../language/internal/structuredText.ts"

/** Lines up to this many characters may stand alone: a sign-off, an answer in a word. */
const shortLine = 40

/** What looks cut about a text, or null. */
export const unfinished = (text: string): string | null => {
  const trimmed = text.trimEnd()
  if (trimmed === "") return null
  if (count(trimmed, "```") % 2 === 1) return "a code fence is not closed"
  if (/^[{[]/.test(trimmed) && !isClosed(trimmed) && !/\p{Sentence_Terminal}$/u.test(trimmed))
    return "its brackets are not closed"
  if (endsClosed(trimmed)) return null
  const line = trimmed.slice(trimmed.lastIndexOf("\n") + 1).trim()
  const last = withoutClosers(line)
  // A line of nothing but closers.
  if (last === "") return null
  if (/[,，、:：;；(（[{«“「—–-]$/u.test(last) && last.length === line.length && !/^[-*_=|: ]+$/.test(line)) {
    return /^[\p{L} ]{2,24},$/u.test(line) ? null : `it ends on "${last.slice(-1)}"`
  }
  if (last.length <= shortLine || endsWell.test(last) || isListOrTable(prose(line))) return null
  // Thai, Lao, Khmer, Burmese and Tibetan write without full stops; Chinese and Japanese chat often does.
  if (
    /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(
      last.slice(-1)
    )
  )
    return null
  if (isStructuredLine(line)) return unclosed(line) ? "a bracket is not closed" : null
  const word = last.slice(lastSpace(last) + 1)
  if (/\d|^www\.|:\/\/|@/.test(word)) return null
  return unclosed(line) ? "a bracket is not closed" : "it stops in the middle of a sentence"
}

/** Quotes, brackets and marks of emphasis after the last word. */
const withoutClosers = (line: string): string => {
  let end = line.length
  while (end > 0 && "*_~`\"'”’»)]}>」』）】".includes(line.charAt(end - 1))) end--
  return line.slice(0, end)
}

const lastSpace = (text: string): number => {
  for (let i = text.length - 1; i >= 0; i--) {
    const code = text.charCodeAt(i)
    if (code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(text.charAt(i)))) return i
  }
  return -1
}

const endsWell = /[\p{Sentence_Terminal}\p{Extended_Pictographic}\p{M}…⋯%€$£¥;؛|/\\^+=<>#&°]$/u

/** Lists, tables and headings end where they end, and so does a `name: value`. */
const isListOrTable = (line: string): boolean =>
  /^(?:[-*+•–]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|>|\|)\s?/i.test(line) ||
  line.includes("\t") ||
  (line.length <= 120 && /^[^.!?:]{1,40}:\s[^.!?]*$/.test(line))

const count = (text: string, part: string): number => {
  let times = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) times += 1
  return times
}

const unclosed = (line: string): boolean =>
  count(line, "(") > count(line, ")") || count(line, "[") > count(line, "]") || count(line, "{") > count(line, "}")

/** Whether the brackets of a JSON-like text are closed, strings left out. */
const isClosed = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (inString) {
      if (c === "\\") i++
      else if (c === '"') inString = false
    } else if (c === '"') inString = true
    else if (c === "{" || c === "[") depth++
    else if (c === "}" || c === "]") depth--
  }
  return depth <= 0
}
