/**
 * What counts as an identifier: in the arguments of a call, and in what the agent writes. Dates, prices, times, sizes
 * and counts are not: an agent may work those out.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import * as ToolKind from "../../task/ToolKind.ts"

/** An identifier in a text, and where it stands. */
export interface Mention {
  readonly text: string
  readonly at: number
}

/** The tool whose arguments are read: what it does, and the last word of its name. */
interface CalledTool {
  readonly kind: ToolKind.ToolKind
  readonly noun: string
}

/** Last words of argument names that name a record. */
const referenceWords: ReadonlySet<string> = new Set([
  "id",
  "ids",
  "uuid",
  "guid",
  "sku",
  "ref",
  "reference",
  "number",
  "numbers",
  "code",
  "account",
  "iban",
  "email"
])

/** First words that make such a name something else: a code of a place, or an id the caller makes up by design. */
const otherwise: ReadonlySet<string> = new Set([
  "zip",
  "postal",
  "country",
  "currency",
  "area",
  "language",
  "status",
  "error",
  "idempotency",
  "correlation",
  "trace",
  "nonce"
])

/** Reference words that say nothing when they stand alone: a calculator takes a number, an editor takes code. */
const vague: ReadonlySet<string> = new Set(["number", "numbers", "code"])

const token = /^[#A-Za-z0-9][A-Za-z0-9_#-]*$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const email = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const date =
  /^(?:\d{4}-\d{2}(?:-\d{2})?(?:[T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|(?:19|20)\d{6}|\d{1,2}:\d{2}(?::\d{2})?)$/
const strong = /^(?:#[A-Za-z]*[-_]?\d{4,}|[A-Z]{1,8}[-_]?\d{3,}[A-Z0-9]*|[a-z]+(?:_[a-z]+)*_\d{3,})$/

/** The identifiers among the arguments of a call to a tool, with the argument's name. */
export const inArguments = (
  args: unknown,
  tool: CalledTool
): ReadonlyArray<{ readonly argument: string; readonly text: string }> => {
  const found: Array<{ readonly argument: string; readonly text: string }> = []
  const visit = (name: string, value: unknown, depth: number): void => {
    if (typeof value === "string" || typeof value === "number" || ExactJson.isExact(value)) {
      const text = String(value).trim()
      if (isIdentifier(name, text, tool)) found.push({ argument: name, text })
    } else if (typeof value === "object" && value !== null && depth < 8) {
      for (const key of Object.keys(value)) {
        visit(Array.isArray(value) ? name : key, (value as Readonly<Record<string, unknown>>)[key], depth + 1)
      }
    }
  }
  visit("", args, 0)
  return found
}

const isIdentifier = (name: string, text: string, tool: CalledTool): boolean => {
  if (text.length < 3 || text.length > 64 || /\s/.test(text) || date.test(text)) return false
  const words = ToolKind.wordsOf(name)
  const [first = ""] = words
  const last = words.at(-1) ?? ""
  const named = referenceWords.has(last) && !otherwise.has(first) && !(words.length === 1 && vague.has(last))
  if (!named) return strong.test(text) || uuid.test(text)
  if (email.test(text)) return true
  // Who creates a record may name it.
  if (tool.kind === "create" && (words.length === 1 || words.at(-2) === tool.noun)) return false
  if (!token.test(text)) return false
  return /\d/.test(text) || (last === "id" && /^[A-Z]{5,}$/.test(text))
}

/**
 * The identifiers a text mentions: runs of ASCII letters, digits, `_` and `-` that begin with a letter or digit, with a `#`
 * before them where there is one.
 */
export const inText = (text: string): ReadonlyArray<Mention> => {
  const mentions: Array<Mention> = []
  let start = 0
  let digits = 0
  for (let i = 0; i <= text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) digits += 1
    else if (!isLetter(code) && code !== 95 && code !== 45) {
      if (digits >= 3) {
        const mention = mentionAt(text, start, i)
        if (mention !== null) mentions.push(mention)
      }
      start = i + 1
      digits = 0
    }
  }
  return mentions
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

const mentionAt = (text: string, start: number, end: number): Mention | null => {
  const first = text[start]
  if (first === "_" || first === "-" || end - start < 4 || end - start > 64) return null
  const at = text[start - 1] === "#" ? start - 1 : start
  const word = text.slice(at, end)
  return looksLikeIdentifier(word) && standsAlone(text, at, word.length) ? { text: word, at } : null
}

/** Parts of links, addresses, decimals, prices and longer words are no identifiers. */
const standsAlone = (text: string, at: number, length: number): boolean =>
  !/[\p{L}\p{N}_/@.$€£¥\\-]$/u.test(text.slice(Math.max(0, at - 1), at)) &&
  !/^(?:[/@\p{L}\p{N}]|[.:]\d|\.\p{L})/u.test(text.slice(at + length, at + length + 2))

/** The words of the same sentence before a place, nearest last, in lower case. */
export const wordsBefore = (text: string, at: number): ReadonlyArray<string> => {
  const near = text.slice(Math.max(0, at - 160), at)
  const [sentence = ""] = near.split(/\n|(?<!\b(?:e\.g|i\.e|no|nr))[.!?](?=\s)/i).slice(-1)
  return sentence.toLowerCase().match(/[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)*\.?/gu) ?? []
}

/** Of a word with three digits or more. */
const looksLikeIdentifier = (word: string): boolean => {
  if (word.length < 5) return false
  const digits = word.replace(/\D/g, "")
  if (date.test(word) || isPattern(digits)) return false
  // Numbers with units, and numbers in groups: phone numbers, ranges.
  return !/^\d+[A-Za-z]{1,3}$/.test(word) && !/^\d+(?:-\d+)+$/.test(word)
}

/** `12345`, `00000`: digits of an example. */
const isPattern = (digits: string): boolean => "01234567890".includes(digits) || /^(\d)\1*$/.test(digits)

/** The letters before the digits and how many digits: `ord-9999`. Null for identifiers not made so. */
export const shapeOf = (identifier: string): string | null => {
  const parts = /^(#?[A-Za-z]+[-_]?|#)(\d+)$/.exec(identifier)
  return parts === null ? null : `${(parts[1] ?? "").toLowerCase()}${"9".repeat((parts[2] ?? "").length)}`
}

/** Letters and digits alone, in lower case: `#A-1001` and `a 1001` are the same reference. */
export const squeeze = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
