/**
 * Cuts a text into words that may be altered, gaps between them, and what must stay as it is: identifiers, e-mail
 * addresses, URLs, code, quoted words and numbers. Typos, casing and mutations work on spans, never on raw text.
 */

export interface Span {
  readonly text: string
  /** `kept` is never altered; `word` is a plain word; `gap` is white space and punctuation. */
  readonly kind: "word" | "gap" | "kept"
}

type Range = readonly [start: number, end: number]

/** A text cut up once, however often its parts are asked for. `keep` lists further strings that must not be altered. */
export class Cut {
  readonly text: string
  private readonly keep: ReadonlyArray<string>
  private readonly ranges: ReadonlyArray<Range>
  private cutSpans: ReadonlyArray<Span> | undefined
  private found: ReadonlyArray<string> | undefined

  constructor(text: string, keep: ReadonlyArray<string> = []) {
    this.text = text
    this.keep = keep
    this.ranges = keptRanges(text, keep)
  }

  /** In order; joined they give the text back. */
  get spans(): ReadonlyArray<Span> {
    if (this.cutSpans !== undefined) return this.cutSpans
    const out: Array<Span> = []
    let at = 0
    for (const [start, end] of this.ranges) {
      pushPlain(out, this.text.slice(at, start))
      out.push({ text: this.text.slice(start, end), kind: "kept" })
      at = end
    }
    pushPlain(out, this.text.slice(at))
    return (this.cutSpans = out)
  }

  /** The identifiers, e-mail addresses, URLs and code, without numbers, dates and amounts; in order. */
  get identifiers(): ReadonlyArray<string> {
    if (this.found !== undefined) return this.found
    // "reservation XEWRDQ" names something, "CANCEL EVERYTHING NOW" does not
    const shouted =
      !/\b[a-z]{2,}\b/.test(this.text) && (this.text.match(/\b[A-Z]{2,}\b/g) ?? []).length > mostInCapitals
    const spelled = shouted ? never : capitals
    return (this.found = this.ranges
      .map(([start, end]) => this.text.slice(start, end))
      .filter((span) => this.keep.includes(span) || isIdentifier(span) || spelled.test(span)))
  }

  /** The text with everything changed that may be: `change` is given what stands between the parts that stay. */
  altered(change: (between: string) => string): string {
    let out = ""
    let at = 0
    for (const [start, end] of this.ranges) {
      if (start > at) out += change(this.text.slice(at, start))
      out += this.text.slice(start, end)
      at = end
    }
    return at < this.text.length ? out + change(this.text.slice(at)) : out
  }
}

export const spansOf = (text: string, keep?: ReadonlyArray<string>): ReadonlyArray<Span> => new Cut(text, keep).spans

export const identifiersOf = (text: string, keep?: ReadonlyArray<string>): ReadonlyArray<string> =>
  new Cut(text, keep).identifiers

export const join = (spans: ReadonlyArray<Span>): string => {
  let out = ""
  for (const span of spans) out += span.text
  return out
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

const withoutTrailing = (text: string): string => {
  let end = text.length
  while (end > 0 && trailing.has(text.charCodeAt(end - 1))) end -= 1
  return text.slice(0, end)
}

function charactersOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)))
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
  for (let match = odd.exec(text); match !== null; match = odd.exec(text)) {
    let start = match.index
    let end = odd.lastIndex
    while (start < end && leading.has(text.charCodeAt(start))) start += 1
    while (end > start && trailing.has(text.charCodeAt(end - 1))) end -= 1
    const core = text.slice(start, end)
    if (notAWord.test(core) && letterOrDigit.test(core) && !joinsWords.test(core)) ranges.push([start, end])
  }
  return merged(ranges)
}

/** What stands between spaces, unless it is one or several plain words: most are, and cost no more than this pattern. */
const odd = /(?<!\S)[A-Za-z'-]*?(?:[^\sA-Za-z'-]|[A-Za-z][A-Z])\S*/g
const letterOrDigit = /[\p{L}\p{N}]/u

/** Plain words joined by punctuation without a space ("order,please", "now.Please"): words, unlike `notes.txt`. */
const joinsWords = /^\p{L}[\p{Ll}'’]*(?:(?:[,;!?…—–]+|\.{2,})\p{L}[\p{Ll}'’]*|\.\p{Lu}[\p{Ll}'’]*)+$/u

const letterAt = (text: string, index: number): boolean =>
  index >= 0 && index < text.length && letterOrDigit.test(text.charAt(index))

/** Overlapping ranges become one. */
const merged = (ranges: Array<Range>): Array<Range> => {
  if (ranges.every(([start], i) => i === 0 || start >= (ranges[i - 1] as Range)[1])) return ranges
  ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  const out: Array<Range> = []
  for (const range of ranges) {
    const last = out[out.length - 1]
    if (last !== undefined && range[0] < last[1]) out[out.length - 1] = [last[0], Math.max(last[1], range[1])]
    else out.push(range)
  }
  return out
}

const parts = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|[^\p{L}\p{M}]+/gu
/** The same where every letter is one of A to Z. */
const asciiParts = /[A-Za-z]+(?:['-][A-Za-z]+)*|[^A-Za-z]+/g
const startsWithLetter = /^\p{L}/u
const ascii = /^[\t-\r -~]*$/

const pushPlain = (out: Array<Span>, between: string): void => {
  const plain = ascii.test(between)
  for (const text of between.match(plain ? asciiParts : parts) ?? []) {
    const isWord = plain ? isAsciiLetter(text.charCodeAt(0)) : startsWithLetter.test(text)
    out.push({ text, kind: isWord ? "word" : "gap" })
  }
}

const isAsciiLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

/** Changes the words of a stretch and not what stands between them; `change` changes nothing but letters. */
export const onWords = (between: string, change: (word: string) => string): string =>
  ascii.test(between)
    ? change(between)
    : between.replace(parts, (text) => (startsWithLetter.test(text) ? change(text) : text))
