/**
 * Texts that match a regular expression made of what schemas use: literals, classes, groups, alternatives and counts.
 */
import * as Keyed from "./keyed.ts"

export type Write = (key: Keyed.Key) => string

/** A writer for the pattern; null when it uses anything richer (look-around, back references, property escapes). */
export const compile = (pattern: string): Write | null => {
  const reader = { source: pattern, at: 0 }
  const write = alternatives(reader)
  return write === null || reader.at < pattern.length ? null : write
}

interface Reader {
  readonly source: string
  at: number
}

/** Open-ended counts write at most this many more than they must. */
const spread = 4
/** Nothing that has to be repeated more often is written. */
const mostRepeats = 4096

const alternatives = (reader: Reader): Write | null => {
  const options: Array<Write> = []
  for (;;) {
    const option = sequence(reader)
    if (option === null) return null
    options.push(option)
    if (reader.source[reader.at] !== "|") break
    reader.at += 1
  }
  return options.length === 1
    ? (options[0] ?? null)
    : (key) => Keyed.pick(Keyed.nth(key, 0), options)(Keyed.nth(key, 1))
}

const sequence = (reader: Reader): Write | null => {
  const parts: Array<Write> = []
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at] ?? "")) {
    const part = repeated(reader)
    if (part === null) return null
    parts.push(part)
  }
  return (key) => parts.map((part, i) => part(Keyed.nth(key, i))).join("")
}

const repeated = (reader: Reader): Write | null => {
  const unit = atom(reader)
  if (unit === null) return null
  const rest = reader.source.slice(reader.at)
  const match = /^(?:\{(\d+)(,(\d*))?\}|([*+?]))\??/.exec(rest)
  if (match === null) return unit
  reader.at += match[0].length
  const sign = match[4]
  const low = sign === undefined ? Number(match[1]) : sign === "+" ? 1 : 0
  if (low > mostRepeats) return null
  const most = match[3] === undefined || match[3] === "" ? low + spread : Number(match[3])
  const high = sign === "?" ? 1 : sign === undefined && match[2] === undefined ? low : Math.min(most, low + 4 * spread)
  return (key) => {
    const count = Keyed.between(Keyed.at(key, "count"), low, high)
    let out = ""
    for (let i = 0; i < count; i++) out += unit(Keyed.nth(key, i))
    return out
  }
}

const atom = (reader: Reader): Write | null => {
  const char = reader.source[reader.at] ?? ""
  reader.at += 1
  switch (char) {
    case "^":
    case "$":
      return () => ""
    case ".":
      return oneOf(lower + digit)
    case "(": {
      const mark = /^\?(?::|<[A-Za-z]\w*>)/.exec(reader.source.slice(reader.at))
      if (mark === null && reader.source[reader.at] === "?") return null
      reader.at += mark?.[0].length ?? 0
      const inner = alternatives(reader)
      if (inner === null || reader.source[reader.at] !== ")") return null
      reader.at += 1
      return inner
    }
    case "[": {
      const chars = readClass(reader)
      return chars === null || chars === "" ? null : oneOf(chars)
    }
    case "\\": {
      const escaped = reader.source[reader.at] ?? ""
      reader.at += 1
      if (escaped === "b") return () => ""
      const set = escapes(escaped)
      return set === null ? null : oneOf(set)
    }
    case "{":
    case "*":
    case "+":
    case "?":
      return null
    default:
      return () => char
  }
}

const lower = "abcdefghijklmnopqrstuvwxyz"
const digit = "0123456789"

const oneOf =
  (chars: string): Write =>
  (key) =>
    chars[Keyed.int(key, chars.length)] ?? ""

const escapes = (char: string): string | null => {
  switch (char) {
    case "d":
      return digit
    case "w":
      return lower + digit
    case "s":
      return " "
    case "D":
    case "S":
      return lower
    case "W":
      return "-"
    case "t":
      return "\t"
    case "n":
      return "\n"
    default:
      return /[A-Za-z0-9]/.test(char) || char === "" ? null : char
  }
}

const readClass = (reader: Reader): string | null => {
  const { source } = reader
  const negated = source[reader.at] === "^"
  if (negated) reader.at += 1
  let chars = ""
  for (let first = true; reader.at < source.length; first = false) {
    const char = source[reader.at] ?? ""
    reader.at += 1
    if (char === "]" && !first)
      return negated ? [...(lower + digit + "-")].filter((c) => !chars.includes(c)).join("") : chars
    if (char === "\\") {
      const set = escapes(source[reader.at] ?? "")
      if (set === null) return null
      reader.at += 1
      chars += set
    } else if (source[reader.at] === "-" && source[reader.at + 1] !== "]" && source[reader.at + 1] !== undefined) {
      const end = source.charCodeAt(reader.at + 1)
      if (source[reader.at + 1] === "\\" || end - char.charCodeAt(0) > 512) return null
      for (let code = char.charCodeAt(0); code <= end; code++) chars += String.fromCharCode(code)
      reader.at += 2
    } else chars += char
  }
  return null
}
