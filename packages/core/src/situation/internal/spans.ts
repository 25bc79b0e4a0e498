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
const leading = charactersOf("([{<'‘“\"*¿¡（「")
const trailing = charactersOf(".,;:!?)]}>'’”\"*…。，、？！：；）」』")
/** Something other than letters, hyphens and apostrophes inside, a capital after a small letter, or two in a row. */
const notAWord = /[^\p{L}\p{M}'’\-–—]|\p{Ll}\p{Lu}|\p{Lu}{2}/u

type Range = readonly [start: number, end: number]

const withoutTrailing = (text: string): string => {
  let end = text.length
  while (end > 0 && trailing.has(text.charCodeAt(end - 1))) end -= 1
  return text.slice(0, end)
}

function charactersOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)))
}

/** Calls back with the place of each run of anything but white space. */
export const forEachToken = (text: string, visit: (from: number, to: number) => void): void => {
  let from = -1
  for (let i = 0; i <= text.length; i++) {
    if (i === text.length || isSpace(text, i)) {
      if (from !== -1) visit(from, i)
      from = -1
    } else if (from === -1) from = i
  }
}

const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  if (code < 128) return code === 32 || (code >= 9 && code <= 13)
  return /\s/.test(text.charAt(at))
}

/** Whether `notAWord` finds nothing there; most words are plain, and for them the pattern is the dearest part. */
const isWord = (text: string, from: number, to: number): boolean => {
  let afterLetter = false
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i)
    if (code > 127) return !notAWord.test(text.slice(from, to))
    if (code >= 65 && code <= 90) {
      if (afterLetter) return false
      afterLetter = true
    } else if (code >= 97 && code <= 122) afterLetter = true
    else if (code === 39 || code === 45) afterLetter = false
    else return false
  }
  return true
}

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
      const bare = addressLike.test(found) ? withoutTrailing(found) : found
      ranges.push([match.index, match.index + bare.length])
    }
  }
  forEachToken(text, (from, to) => {
    if (isWord(text, from, to)) return
    let [start, end] = [from, to]
    while (start < end && leading.has(text.charCodeAt(start))) start += 1
    while (end > start && trailing.has(text.charCodeAt(end - 1))) end -= 1
    if (start === end || isWord(text, start, end)) return
    const core = text.slice(start, end)
    if (/[\p{L}\p{N}]/u.test(core) && !joinsWords.test(core)) ranges.push([start, end])
  })
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
  if (ascii.test(text)) return pushAscii(out, text)
  for (const match of text.matchAll(plain)) {
    out.push({ text: match[0], kind: startsWithLetter.test(match[0]) ? "word" : "gap" })
  }
}

const ascii = /^[\t-\r -~]*$/

/** The same cuts as by `plain`, where every letter is one of A to Z. */
const pushAscii = (out: Array<Span>, text: string): void => {
  let from = 0
  while (from < text.length) {
    let to = from
    if (isLetter(text.charCodeAt(from))) {
      while (isLetter(text.charCodeAt(to)) || (isInner(text.charCodeAt(to)) && isLetter(text.charCodeAt(to + 1))))
        to += 1
      out.push({ text: text.slice(from, to), kind: "word" })
    } else {
      while (to < text.length && !isLetter(text.charCodeAt(to))) to += 1
      out.push({ text: text.slice(from, to), kind: "gap" })
    }
    from = to
  }
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
/** An apostrophe or a hyphen. */
const isInner = (code: number): boolean => code === 39 || code === 45
