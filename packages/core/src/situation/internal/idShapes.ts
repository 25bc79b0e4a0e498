/**
 * Invents identifiers: by the form of an example ("such as '#W0000000'"), by a schema's `format` or type, or, when
 * nothing shows what they look like, by what the argument names (`order_id` -> `ORD-4821`).
 */
import type { Draws } from "../../random/Randomness.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"

/** What a shape needs of randomness. */
export type Digits = Pick<Draws, "int" | "pick">

/** Makes one identifier. */
export type Shape = (draws: Digits) => string

/** An identifier that stands for no record: all zeros, runs of X, brackets. */
export const isPlaceholder = (id: string): boolean =>
  /[<>{}[\]]/.test(id) || /x{3,}/i.test(id) || /^[^0-9]*0{3,}[^0-9]*$/.test(id)

/** Digits become digits, letters of a code that mixes them become letters, a prefix and separators stay. */
export const shapeOf = (example: string): Shape => {
  if (uuid.test(example)) return (draws) => example.replace(/[0-9a-f]/gi, () => hex.charAt(draws.int(16)))
  if (personal.test(example)) {
    return (draws) => `${draws.pick(handles)}_${draws.pick(surnames)}_${digits(4, draws)}`
  }
  const xs = /x{3,}/i.test(example)
  const mixed = /^[A-Z0-9]{5,}$/.test(example) && /\d[A-Z]/.test(example)
  const lettersOnly = /^[A-Z]{4,}$/.test(example)
  return (draws) => {
    let out = ""
    for (let i = 0; i < example.length; i++) {
      const char = example.charAt(i)
      if (char >= "0" && char <= "9")
        out += i === 0 || !/\d/.test(example.charAt(i - 1)) ? leadingDigit(draws) : draws.int(10)
      else if (xs && (char === "X" || char === "x")) out += draws.int(10)
      else if ((mixed || lettersOnly) && char >= "A" && char <= "Z") out += letters.charAt(draws.int(letters.length))
      else out += char
    }
    return out
  }
}

/** What a schema alone says about the form, if anything. */
export const shapeOfSchema = (schema: JsonSchema): Shape | undefined => {
  if (schema["format"] === "uuid") return shapeOf("00000000-0000-4000-8000-000000000000")
  if (typeof schema["pattern"] === "string") return shapeOfPattern(schema["pattern"])
  if (schema["type"] === "integer" || schema["type"] === "number") {
    const low = numberOr(schema["minimum"], 1000)
    const high = Math.max(low, numberOr(schema["maximum"], low <= 9999 ? 9999 : low + 9999))
    return (draws) => String(Math.min(high, Math.ceil(low) + draws.int(Math.floor(high - low) + 1)))
  }
  return undefined
}

/** `ORD-4821`: the noun's letters and four digits. */
export const shapeOfNoun = (noun: string): Shape => {
  const prefix = prefixOf(noun)
  return (draws) => `${prefix}-${leadingDigit(draws)}${digits(3, draws)}`
}

/** Whether an identifier has the form of the example: same letters' case, digits and separators. */
export const sameForm = (id: string, example: string): boolean => formOf(id) === formOf(example)

/** Whether the form says by itself what it belongs to: more than digits alone. */
export const distinctive = (example: string): boolean => /[^0-9]/.test(example) && /\d/.test(example)

/** Letters of a prefix before digits stay: `#W0000000` and `#A0000000` are forms of two kinds of record. */
const formOf = (id: string): string => {
  if (personal.test(id)) return "a_a_9"
  return id.replace(/\d+/g, (run) => `9{${run.length}}`)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** `sara_doe_496`: two names and a number; a number of zeros is a form of something else (`gift_card_0000000`). */
const personal = /^[a-z]{2,}_[a-z]{2,}_(?=\d*[1-9])\d{2,}$/
const hex = "0123456789abcdef"
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
const handles: ReadonlyArray<string> = [
  "mia",
  "noah",
  "lena",
  "omar",
  "ines",
  "yuki",
  "raj",
  "emma",
  "leo",
  "sofia",
  "ivan",
  "amara"
]
const surnames: ReadonlyArray<string> = [
  "novak",
  "garcia",
  "chen",
  "okafor",
  "meyer",
  "rossi",
  "patel",
  "kim",
  "silva",
  "brown",
  "ito",
  "lopez"
]

/** Record kinds whose usual short form is not their first three letters. */
const usualPrefixes: ReadonlyMap<string, string> = new Map([
  ["user", "USR"],
  ["customer", "CUS"],
  ["booking", "BKG"],
  ["ticket", "TKT"],
  ["payment", "PAY"],
  ["payment method", "PM"],
  ["transaction", "TXN"],
  ["shipment", "SHP"],
  ["document", "DOC"],
  ["message", "MSG"],
  ["record", "REC"]
])

const prefixOf = (noun: string): string => {
  const usual = usualPrefixes.get(noun)
  if (usual !== undefined) return usual
  const [last = ""] = noun.split(" ").slice(-1)
  const plain = last.replace(/[^a-z]/g, "")
  return plain.length > 0 ? plain.slice(0, 3).toUpperCase() : "REF"
}

const digits = (count: number, draws: Digits): string => {
  let out = ""
  for (let i = 0; i < count; i++) out += draws.int(10)
  return out
}

const leadingDigit = (draws: Digits): string => String(1 + draws.int(9))

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise

/** Regular expressions of literals, classes and counts, as schemas use them; undefined for anything richer. */
const shapeOfPattern = (pattern: string): Shape | undefined => {
  const parts: Array<Shape> = []
  const source = pattern.replace(/^\^/, "").replace(/\$$/, "")
  const piece = /\[((?:\\.|[^\]^\\])+)\]|\\([dw])|\\(.)|([^\\[\](){}*+?|.^$])/y
  const times = /\{(\d+)(?:,(\d*))?\}|[+*?]/y
  let at = 0
  while (at < source.length) {
    piece.lastIndex = at
    const match = piece.exec(source)
    if (match === null) return undefined
    at = piece.lastIndex
    const alphabet = match[1] === undefined ? alphabetOf(match[2], match[3] ?? match[4]) : classOf(match[1])
    if (alphabet.length === 0) return undefined
    times.lastIndex = at
    const count = times.exec(source)
    if (count !== null) at = times.lastIndex
    const repeat = count === null ? 1 : count[1] !== undefined ? Number(count[1]) : count[0] === "?" ? 0 : 4
    parts.push((draws) => {
      let out = ""
      for (let i = 0; i < repeat; i++) out += alphabet.charAt(draws.int(alphabet.length))
      return out
    })
  }
  return parts.length === 0 ? undefined : (draws) => parts.map((part) => part(draws)).join("")
}

const alphabetOf = (escape: string | undefined, literal: string | undefined): string =>
  escape === "d" ? "0123456789" : escape === "w" ? "abcdefghjkmnpqrstuvwxyz0123456789" : (literal ?? "")

const classOf = (body: string): string => {
  let out = ""
  for (let i = 0; i < body.length; i++) {
    const char = body.charAt(i)
    if (char === "\\") {
      i += 1
      out += alphabetOf(/[dw]/.test(body.charAt(i)) ? body.charAt(i) : undefined, body.charAt(i))
    } else if (body.charAt(i + 1) === "-" && i + 2 < body.length) {
      for (let code = char.charCodeAt(0); code <= body.charCodeAt(i + 2); code++) out += String.fromCharCode(code)
      i += 2
    } else out += char
  }
  return out
}
