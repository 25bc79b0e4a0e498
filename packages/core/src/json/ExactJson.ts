/**
 * JSON whose numbers keep their digits. A number that JavaScript would round, such as an id of 19 digits or a long decimal,
 * is read as an `ExactNumber` and written as the number it was; all others are plain numbers. `JSON.stringify`, which has
 * no way to write such a number, gives its digits as text, so that no writer gives another number.
 */

/**
 * A number as it was written, which no number of JavaScript's is.
 * @since 0.1.0
 * @category models
 */
export class ExactNumber {
  // A brand: `#own in value` reads it.
  // oxlint-disable-next-line no-unused-private-class-members
  readonly #own = true

  /** Asks nothing of the value, which may be a Proxy that throws. */
  static is(value: unknown): value is ExactNumber {
    return typeof value === "object" && value !== null && #own in value
  }

  /** As JSON has it: `1152921504606846977`, `0.12345678901234567891`, `1e400`. */
  readonly digits: string

  constructor(digits: string) {
    if (!number.test(digits)) throw new RangeError(`${JSON.stringify(digits)} is no number of JSON`)
    this.digits = digits
    Object.freeze(this)
  }

  /** Whether it has neither a point nor an exponent, so that it is a bigint. */
  get isInteger(): boolean {
    return integer.test(this.digits)
  }

  toString(): string {
    return this.digits
  }

  toJSON(): string {
    met += 1
    return marking + this.digits
  }
}

/**
 * Whether a value is a number that is kept by its digits.
 * @since 0.1.0
 * @category functions
 */
export const isExact = (value: unknown): value is ExactNumber => ExactNumber.is(value)

/**
 * Reads JSON as `JSON.parse` does, errors included, and rounds no number.
 * @since 0.1.0
 * @category functions
 */
export const parse = (json: string): unknown => {
  const value: unknown = JSON.parse(json)
  if (!longRun.test(json) && !largeExponent.test(json)) return value
  const mark = markFor(json)
  const text = written(json, mark)
  return text === json ? value : revived(JSON.parse(text), mark)
}

/**
 * Writes JSON as `JSON.stringify` does, exact numbers as the numbers they are.
 * @since 0.1.0
 * @category functions
 */
export function stringify(value: object, indent?: number): string
export function stringify(value: unknown, indent?: number): string | undefined
export function stringify(value: unknown, indent?: number): string | undefined {
  const before = met
  const json = write(value, "", indent)
  if (met === before || json === undefined) return json
  // Something in it was exact: written once more, with a mark by which it is told from text.
  const mark = markFor(json)
  const text = write(value, mark, indent)
  return text === undefined ? undefined : unmarked(text, mark)
}

/**
 * A value with something else in the place of each exact number; the value itself where there is none. `path` is where
 * it stands, in keys of objects and places in lists, and lasts as long as the call.
 * @since 0.1.0
 * @category functions
 */
export const mapExact = (
  value: unknown,
  by: (number: ExactNumber, path: ReadonlyArray<string | number>) => unknown
): unknown => mapAt(value, by, [])

/**
 * With the nearest numbers of JavaScript, for what is a measure and no name: a count, a share, a time.
 * @since 0.1.0
 * @category functions
 */
export const rounded = (value: unknown): unknown => mapExact(value, ({ digits }) => Number(digits))

const mapAt = (value: unknown, by: Parameters<typeof mapExact>[1], path: Array<string | number>): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (isExact(value)) return by(value, path)
  let out: Record<string | number, unknown> | null = null
  const visit = (key: string | number, held: unknown): void => {
    if (typeof held !== "object" || held === null) return
    path.push(key)
    const mapped = mapAt(held, by, path)
    path.pop()
    if (mapped !== held)
      (out ??= (Array.isArray(value) ? [...value] : { ...value }) as typeof out & object)[key] = mapped
  }
  if (Array.isArray(value)) value.forEach((held: unknown, i) => visit(i, held))
  else for (const [key, held] of Object.entries(value)) visit(key, held)
  return out ?? value
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const integer = /^-?\d+$/

/**
 * What has neither is not looked at twice: a double gives back all of up to 15 digits. Written out, since a pattern of fixed
 * length is looked for by leaps, at a tenth of the cost of reading the JSON.
 */
const longRun = /[\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.][\d.]/
const largeExponent = /\d[eE][+-]?\d\d\d/

// --- libraries that read and write JSON themselves

/**
 * Valid JSON in which numbers that JavaScript would round are texts: a mark, then the digits. A library that parses it gives a
 * value that `revived` makes whole.
 * @since 0.1.0
 * @category functions
 */
export const marked = (json: string, mark: string): string =>
  longRun.test(json) || largeExponent.test(json) ? written(json, mark) : json

/**
 * Texts with the mark as the numbers they stand for; in place, and so for a value that nobody else has.
 * @since 0.1.0
 * @category functions
 */
export const revived = (value: unknown, mark: string): unknown => {
  const exact = (held: unknown): held is string =>
    typeof held === "string" && held.startsWith(mark) && number.test(held.slice(mark.length))
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const holder = open.pop()
    if (typeof holder !== "object" || holder === null) continue
    const record = holder as Record<string, unknown>
    for (const key of Object.keys(record)) {
      const held = record[key]
      if (exact(held)) record[key] = new ExactNumber(held.slice(mark.length))
      else if (typeof held === "object") open.push(held)
    }
  }
  return exact(value) ? new ExactNumber(value.slice(mark.length)) : value
}

/**
 * JSON with numbers where a library wrote texts with the mark.
 * @since 0.1.0
 * @category functions
 */
export const unmarked = (json: string, mark: string): string =>
  json.includes(mark) ? json.replace(new RegExp(`"${mark}(-?[\\d.eE+-]+)"`, "g"), "$1") : json

// --- reading

const quote = 34
const minus = 45

/** `marked` of JSON that has to be looked through. */
const written = (json: string, mark: string): string => {
  let out = ""
  let from = 0
  let at = 0
  while (at < json.length) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      at = endOfText(json, at)
      continue
    }
    if (code !== minus && !isDigit(code)) {
      at += 1
      continue
    }
    const start = at
    while (at < json.length && isOfNumber(json.charCodeAt(at))) at += 1
    const digits = json.slice(start, at)
    if (isGivenBack(digits)) continue
    out += `${json.slice(from, start)}"${mark}${digits}"`
    from = at
  }
  return from === 0 ? json : out + json.slice(from)
}

const endOfText = (json: string, from: number): number => {
  for (let at = json.indexOf('"', from + 1); ; at = json.indexOf('"', at + 1)) {
    if (at < 0) return json.length
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === 92) slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Digits, point, signs and the letters of an exponent. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 46 || code === minus || code === 43 || code === 69 || code === 101

/** Whether JavaScript's number says the same: `1.50` does, and so does 1e20. */
const isGivenBack = (digits: string): boolean =>
  (digits.length < 16 && !/[eE]/.test(digits)) || plain(digits) === plain(String(Number(digits)))

/** The same text for the same number. */
const plain = (digits: string): string => {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits)
  if (parts === null) return digits
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts
  const all = (whole + fraction).replace(/^0+/, "")
  const kept = all.replace(/0+$/, "")
  return kept === "" ? "0" : `${sign}${kept}e${Number(exponent) - fraction.length + all.length - kept.length}`
}

// --- writing

/** How often an exact number was asked for its JSON. */
let met = 0
/** What it puts before its digits. */
let marking = ""

const write = (value: unknown, mark: string, indent: number | undefined): string | undefined => {
  const outer = marking
  marking = mark
  try {
    return JSON.stringify(value, undefined, indent)
  } finally {
    marking = outer
  }
}

/** A character of no text's, more of them in a row than a text has, so that no text of it is taken for a number. */
const markFor = (json: string): string => "\ue000".repeat((json.match(/\ue000|\\ue000/gi)?.length ?? 0) + 1)
