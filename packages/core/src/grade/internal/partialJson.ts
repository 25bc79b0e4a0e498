/**
 * JSON as models write it: an object in the middle of a text, whole, cut off by the end of the text, or broken. Of a cut
 * object everything is kept that was said to its end. Control characters in texts are let through: what is meant is plain.
 */

export type Parsed =
  | { readonly _tag: "Whole"; readonly value: Fields; readonly end: number; readonly contradicts: boolean }
  | { readonly _tag: "Cut"; readonly value: Fields; readonly contradicts: boolean }
  /** `end` is where its braces close; null when they never do. */
  | { readonly _tag: "Broken"; readonly end: number | null }

/** A null-prototype record. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads the object that begins at a brace. `contradicts` tells of a key that was given twice with different values. */
export const parse = (text: string, from: number): Parsed => {
  const reader = new Reader(text, from)
  const value = reader.object(0)
  switch (reader.state) {
    case "going":
      return { _tag: "Whole", value, end: reader.at, contradicts: reader.contradicts }
    case "cut":
      return { _tag: "Cut", value, contradicts: reader.contradicts }
    case "broken":
      return { _tag: "Broken", end: closing(text, from) }
  }
}

/** Deeper than any verdict, and safe for the stack. */
const maxDepth = 100

const absent = Symbol("absent")

class Reader {
  state: "going" | "cut" | "broken" = "going"
  contradicts = false
  at: number
  readonly #text: string

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  object(depth: number): Fields {
    const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    this.at += 1
    for (let first = true; ; first = false) {
      let next = this.#next()
      if (next === "}") {
        this.at += 1
        return out
      }
      if (!first && next === ",") {
        this.at += 1
        next = this.#next()
      } else if (!first) return this.#stop(out, next)
      if (next !== '"') return this.#stop(out, next)
      const key = this.#string()
      if (this.state !== "going") return out
      const colon = this.#next()
      if (colon !== ":") return this.#stop(out, colon)
      this.at += 1
      const value = this.#value(depth + 1)
      if (value !== absent) this.#set(out, key, value)
      if (this.state !== "going") return out
    }
  }

  #array(depth: number): ReadonlyArray<unknown> {
    const out: Array<unknown> = []
    this.at += 1
    for (let first = true; ; first = false) {
      const next = this.#next()
      if (next === "]") {
        this.at += 1
        return out
      }
      if (!first && next === ",") this.at += 1
      else if (!first) return this.#stop(out, next)
      const value = this.#value(depth + 1)
      if (value !== absent) out.push(value)
      if (this.state !== "going") return out
    }
  }

  #value(depth: number): unknown {
    const next = this.#next()
    if (depth > maxDepth) return this.#stop(absent, "deep")
    if (next === "{") return this.object(depth)
    if (next === "[") return this.#array(depth)
    if (next === '"') return this.#string()
    return this.#literal()
  }

  /** A number at the very end of the text may have gone on. */
  #literal(): unknown {
    literal.lastIndex = this.at
    const [found] = literal.exec(this.#text) ?? []
    if (found === undefined) {
      const rest = this.#text.slice(this.at)
      return this.#stop(absent, ["true", "false", "null", "-"].some((word) => word.startsWith(rest)) ? undefined : rest)
    }
    this.at += found.length
    const isNumber = found !== "true" && found !== "false" && found !== "null"
    if (isNumber && this.at === this.#text.length) return this.#stop(absent, undefined)
    return JSON.parse(found)
  }

  #string(): string {
    const begin = this.at + 1
    let end = begin
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1
    this.at = end + 1
    if (end < this.#text.length) {
      const whole = decoded(this.#text.slice(begin, end))
      return whole ?? this.#stop("", "escape")
    }
    this.state = "cut"
    return decoded(this.#text.slice(begin).replace(/\\(?:u[\da-fA-F]{0,3})?$/, "")) ?? ""
  }

  #next(): string | undefined {
    while (/\s/.test(this.#text[this.at] ?? "")) this.at += 1
    return this.#text[this.at]
  }

  #set(out: Record<string, unknown>, key: string, value: unknown): void {
    if (Object.hasOwn(out, key) && JSON.stringify(out[key]) !== JSON.stringify(value)) this.contradicts = true
    out[key] = value
  }

  /** Stops at a character that cannot stand here; at the end of the text when there is none. */
  #stop<A>(out: A, found: string | undefined): A {
    this.state = found === undefined ? "cut" : "broken"
    return out
  }
}

const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y

const decoded = (inner: string): string | null => {
  try {
    // oxlint-disable-next-line no-control-regex
    return JSON.parse(`"${inner.replace(/[\u0000-\u001f]/g, escapeOf)}"`) as string
  } catch {
    return null
  }
}

const escapeOf = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`

/** After the brace that closes the one at `from`, texts passed over. */
const closing = (text: string, from: number): number | null => {
  let depth = 0
  let quoted = false
  for (let i = from; i < text.length; i++) {
    const char = text[i]
    if (quoted) {
      if (char === "\\") i += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{") depth += 1
    else if (char === "}" && --depth === 0) return i + 1
  }
  return null
}
