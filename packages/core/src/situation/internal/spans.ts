/**
 * Cuts a text into words that may be altered, gaps between them, and what must stay as it is: identifiers, e-mail
 * addresses, URLs, code, quoted words and numbers. Typos, casing and mutations work on spans, never on raw text.
 */

export interface Span {
  readonly text: string
  /** `kept` is never altered; `word` is a plain word; `gap` is white space and punctuation. */
  readonly kind: "word" | "gap" | "kept"
}

/** The spans of a text, in order; joined they give it back. `keep` lists further strings that must not be altered. */
export const spansOf = (text: string, keep: ReadonlyArray<string> = []): Array<Span> => {
  const out: Array<Span> = []
  let at = 0
  for (const [start, end] of keptRanges(text, keep)) {
    pushPlain(out, text.slice(at, start))
    out.push({ text: text.slice(start, end), kind: "kept" })
    at = end
  }
  pushPlain(out, text.slice(at))
  return out
}

export const join = (spans: ReadonlyArray<Span>): string => {
  let out = ""
  for (const span of spans) out += span.text
  return out
}

/** The identifiers, e-mail addresses, URLs and code of a text, without numbers, dates and amounts; in order. */
export const identifiersOf = (text: string, keep: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const known = new Set(keep)
  // "reservation XEWRDQ" names something, "CANCEL EVERYTHING NOW" does not
  const shouted = !/\b[a-z]{2,}\b/.test(text) && (text.match(/\b[A-Z]{2,}\b/g) ?? []).length > mostInCapitals
  const spelled = shouted ? never : capitals
  return keptRanges(text, keep)
    .map(([start, end]) => text.slice(start, end))
    .filter((span) => known.has(span) || isIdentifier(span) || spelled.test(span))
}

/** Words in capitals that a text without any in small letters may hold before it counts as shouted. */
const mostInCapitals = 4
const capitals = /^[A-Z]{5,}$/
const never = /(?!)/

/** Whether a token reads as an identifier and not as a number, a date, an amount or a word. */
export const isIdentifier = (token: string): boolean => {
  if (token.startsWith("`") || addressLike.test(token)) return true
  if (quoted.test(token)) return false
  if (!digit.test(token))
    return /^#\w|^\p{Ll}+\p{Lu}/u.test(token) || /\w_\w/.test(token) || /[\\/]\w+[\\/.]\w/.test(token)
  return !measures.some((measure) => measure.test(token))
}

const digit = /\d/
const quoted = /^["“”«]/
const addressLike = /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S|^[^\s@]+@[^\s@]+\.[^\s@]+$/i

/** Tokens with digits that name nothing: amounts, dates, times, ordinals, ranges, short or decimal numbers, years. */
const measures: ReadonlyArray<RegExp> = [
  /^[$€£¥₹]/u,
  /^[-+]?\d{1,3}$/,
  /^(?:19|20)\d\d$/,
  /^[-+]?\d+[.,]\d+(?:[.,]\d+)*%?$/,
  /^\d+%$/,
  /^\d{1,2}(?::\d\d){1,2}(?:[ap]m)?$/i,
  /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:T[\d:.]+Z?)?$/,
  /^\d+(?:st|nd|rd|th)$/i,
  /^\d+(?:\.\d+)?(?:[a-zµ°]{1,3}|days?|hours?|mins?|years?|weeks?|bpm)$/i,
  /^\d{1,4}[-–]\d{1,4}$/,
  /^\d{1,3}-[a-z]+(?:-[a-z]+)*$/i
]

/** Fenced and inline code, addresses, and double-quoted text of one line. */
const verbatim =
  /```[\s\S]*?```|`[^`\n]+`|(?:\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.)[^\s<>"]+|[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+\.[^\s@<>"'(),;:]+|"[^"\n]*"|“[^”\n]*”/giu
/** Most texts hold none of it. */
const mayBeVerbatim = /["`“@]|:\/\/|www\./iu
const token = /\S+/g
const leading = /^[([{<'‘“"*¿¡（「]+/u
const trailing = /[.,;:!?)\]}>'’”"*…。，、？！：；）」』]+$/u
/** Something other than letters, hyphens and apostrophes inside, a capital after a small letter, or two in a row. */
const notAWord = /[^\p{L}\p{M}'’\-–—]|\p{Ll}\p{Lu}|\p{Lu}{2}/u

type Range = readonly [start: number, end: number]

const keptRanges = (text: string, keep: ReadonlyArray<string>): Array<Range> => {
  const ranges: Array<Range> = []
  for (const wanted of keep) {
    if (wanted.length === 0) continue
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      if (!letterAt(text, at - 1) && !letterAt(text, at + wanted.length)) ranges.push([at, at + wanted.length])
    }
  }
  if (mayBeVerbatim.test(text)) {
    for (const match of text.matchAll(verbatim)) {
      const found = match[0]
      const bare = addressLike.test(found) ? found.replace(trailing, "") : found
      ranges.push([match.index, match.index + bare.length])
    }
  }
  for (const match of text.matchAll(token)) {
    const raw = match[0]
    if (!notAWord.test(raw)) continue
    const start = match.index + (leading.exec(raw)?.[0].length ?? 0)
    const core = text.slice(start, match.index + raw.length).replace(trailing, "")
    if (core.length > 0 && notAWord.test(core) && /[\p{L}\p{N}]/u.test(core) && !joinsWords.test(core)) {
      ranges.push([start, start + core.length])
    }
  }
  return merged(ranges)
}

/** Plain words joined by punctuation without a space ("order,please", "now.Please"): words, unlike `notes.txt`. */
const joinsWords = /^\p{L}[\p{Ll}'’]*(?:(?:[,;!?…—–]+|\.{2,})\p{L}[\p{Ll}'’]*|\.\p{Lu}[\p{Ll}'’]*)+$/u

const letterAt = (text: string, index: number): boolean =>
  index >= 0 && index < text.length && /[\p{L}\p{N}]/u.test(text.charAt(index))

/** Overlapping ranges become one. */
const merged = (ranges: Array<Range>): Array<Range> => {
  if (ranges.length < 2) return ranges
  ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  const out: Array<Range> = []
  for (const range of ranges) {
    const last = out[out.length - 1]
    if (last !== undefined && range[0] < last[1]) out[out.length - 1] = [last[0], Math.max(last[1], range[1])]
    else out.push(range)
  }
  return out
}

const plain = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|[^\p{L}\p{M}]+/gu
const startsWithLetter = /^\p{L}/u

const pushPlain = (out: Array<Span>, text: string): void => {
  if (text.length === 0) return
  for (const match of text.matchAll(plain)) {
    out.push({ text: match[0], kind: startsWithLetter.test(match[0]) ? "word" : "gap" })
  }
}
