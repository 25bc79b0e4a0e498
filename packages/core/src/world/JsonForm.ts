/**
 * The JSON form of whatever a function returned: a copy that nobody else holds, with a stated form for what JSON has no
 * word for and a stated cut where there is too much.
 *
 * | value | form |
 * |---|---|
 * | `undefined`, functions, symbols | left out of objects, null in lists and alone |
 * | numbers that are not finite | null |
 * | bigint | a number when exact, else its digits as text |
 * | `ExactNumber` | itself |
 * | Date | ISO 8601 text; null when invalid |
 * | Map | an object, or a list of pairs when a key is no text; Set: a list |
 * | bytes (Buffer, typed arrays) | `{ bytes: length, base64 }` |
 * | Error | `{ error: name, message }`; RegExp: its text; an object with `toJSON`: what that gives |
 * | a `Response`, a stream, an iterator, any object that shows nothing of what it holds | `"[unreadable: a Response has no JSON form]"` |
 * | what contains itself | `"[circular]"` |
 * | what cannot be read | `"[unreadable: why]"` |
 * | text beyond the limit | its beginning and `[cut: n of m characters]` |
 */
import * as ExactJson from "../json/ExactJson.ts"
import * as ErrorText from "../task/ErrorText.ts"
import { put } from "./internal/records.ts"

export interface Limits {
  /** Most characters of all texts together. */
  readonly characters: number
  /** Most values. */
  readonly values: number
  /** Deepest nesting. */
  readonly depth: number
}

/** What an agent can still read: beyond this a result would fill its context anyway. */
export const limits: Limits = { characters: 200_000, values: 50_000, depth: 64 }

export const of = (value: unknown, within: Limits = limits): unknown => {
  const budget = { characters: within.characters, values: within.values }
  const above: Array<object> = []

  const text = (given: string): string => {
    const whole = wellFormed(given)
    if (whole.length <= budget.characters) {
      budget.characters -= whole.length
      return whole
    }
    const kept = wellFormed(whole.slice(0, budget.characters))
    budget.characters = 0
    return `${kept}[cut: ${whole.length - kept.length} of ${whole.length} characters]`
  }

  const form = (given: unknown): unknown => {
    budget.values -= 1
    switch (typeof given) {
      case "string":
        return text(given)
      case "boolean":
        return given
      case "number":
        return Number.isFinite(given) ? given : null
      case "bigint":
        return Number.isSafeInteger(Number(given)) ? Number(given) : String(given)
      case "object":
        return given === null || ExactJson.isExact(given) ? given : inside(given)
      default:
        return null
    }
  }

  const inside = (given: object): unknown => {
    if (above.includes(given)) return "[circular]"
    if (above.length >= within.depth) return `[cut: deeper than ${within.depth} levels]`
    above.push(given)
    try {
      return Array.isArray(given) ? list(given, given.length) : instance(given)
    } catch (problem) {
      return unreadable(problem)
    } finally {
      above.pop()
    }
  }

  const list = (given: Iterable<unknown>, length: number): ReadonlyArray<unknown> => {
    const out: Array<unknown> = []
    for (const one of given) {
      if (budget.values <= 0) {
        out.push(`[cut: ${length - out.length} of ${length} items]`)
        break
      }
      out.push(form(one))
    }
    return out
  }

  const instance = (given: object): unknown => {
    const prototype: unknown = Object.getPrototypeOf(given)
    const { toJSON } = given as { readonly toJSON?: unknown }
    if (prototype === Object.prototype || prototype === null) {
      return typeof toJSON === "function" ? form(toJSON.call(given)) : fields(given)
    }
    if (given instanceof Date) return Number.isNaN(given.getTime()) ? null : given.toISOString()
    if (given instanceof Map) {
      const keys = [...given.keys()]
      return keys.every((key) => typeof key === "string") ? entries([...given], keys.length) : list(given, given.size)
    }
    if (given instanceof Set) return list(given, given.size)
    if (ArrayBuffer.isView(given)) return bytes(new Uint8Array(given.buffer, given.byteOffset, given.byteLength))
    if (given instanceof ArrayBuffer) return bytes(new Uint8Array(given))
    if (given instanceof Error) return { error: text(given.name), message: text(given.message) }
    if (given instanceof RegExp) return text(String(given))
    if (given instanceof String || given instanceof Number || given instanceof Boolean) return form(given.valueOf())
    if (given instanceof Promise) return "[unreadable: a promise inside a result]"
    const name = formless(given)
    if (name !== null) return `[unreadable: ${name} has no JSON form]`
    return typeof toJSON === "function" ? form(toJSON.call(given)) : fields(given)
  }

  const fields = (given: object): Readonly<Record<string, unknown>> => {
    const names = Object.keys(given)
    const out: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? ""
      if (budget.values <= 0) {
        put(out, "[cut]", `${names.length - i} of ${names.length} fields`)
        break
      }
      let held: unknown
      try {
        held = (given as Readonly<Record<string, unknown>>)[name]
      } catch (problem) {
        held = unreadable(problem)
      }
      if (held === undefined || typeof held === "function" || typeof held === "symbol") continue
      put(out, text(name), form(held))
    }
    return out
  }

  const entries = (
    pairs: ReadonlyArray<readonly [string, unknown]>,
    length: number
  ): Readonly<Record<string, unknown>> => {
    const out: Record<string, unknown> = {}
    for (const [i, [name, held]] of pairs.entries()) {
      if (budget.values <= 0) {
        put(out, "[cut]", `${length - i} of ${length} fields`)
        break
      }
      put(out, text(name), form(held))
    }
    return out
  }

  const bytes = (given: Uint8Array): { readonly bytes: number; readonly base64: string } => ({
    bytes: given.length,
    base64: text(base64(given.subarray(0, Math.ceil((budget.characters + 4) / 4) * 3)))
  })

  return form(value)
}

/**
 * What a value is called that JSON can say nothing of, although something is in it: a function, a fetch `Response`, a
 * stream, an iterator, an object that shows no field; null for everything else.
 */
export const formless = (value: unknown): string | null => {
  if (typeof value === "function") return "a function"
  if (typeof value === "symbol") return "a symbol"
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  try {
    const held = value as Readonly<Record<string | symbol, unknown>>
    if (typeof held["toJSON"] === "function") return null
    const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)
    const names = Object.keys(value)
    const isHidden = isPlain
      ? names.length > 0 && names.every((name) => typeof held[name] === "function")
      : !hasForm(value) && (flows(held) || (names.every((name) => typeof held[name] === "function") && hides(value)))
    return isHidden ? named(value) : null
  } catch {
    return null
  }
}

/** Classes of the language that have a form of their own. */
const hasForm = (value: object): boolean =>
  ArrayBuffer.isView(value) ||
  [Date, Map, Set, ArrayBuffer, Error, RegExp, String, Number, Boolean].some((kind) => value instanceof kind)

/** Streams and iterators: what is in them comes only by asking for it. */
const flows = (held: Readonly<Record<string | symbol, unknown>>): boolean => {
  const has = (name: string): boolean => typeof held[name] === "function"
  return has("getReader") || has("getWriter") || has("next") || (has("pipe") && has("on"))
}

/** Whether its class has more than a constructor, and so something to work on. */
const hides = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (typeof prototype !== "object" || prototype === null || prototype === Object.prototype) return false
  return Reflect.ownKeys(prototype).some((name) => name !== "constructor") || hides(prototype)
}

const named = (value: object): string => {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const name = tag === "Object" ? (value.constructor as { readonly name?: unknown } | undefined)?.name : tag
  if (typeof name !== "string" || name === "" || name === "Object") return "an object of functions"
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`
}

/** Text whose lone surrogates are replaced, so that it is valid UTF-8 everywhere. */
export const wellFormed = (text: string): string =>
  loneSurrogate.test(text) ? text.replace(loneSurrogates, "\uFFFD") : text
const loneSurrogate = /\p{Surrogate}/u
const loneSurrogates = /\p{Surrogate}/gu

const unreadable = (problem: unknown): string => {
  try {
    return `[unreadable: ${wellFormed(ErrorText.of(problem)).slice(0, 200)}]`
  } catch {
    return "[unreadable]"
  }
}

const base64 = (bytes: Uint8Array): string => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  let out = ""
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b, c] = [bytes[i], bytes[i + 1], bytes[i + 2]]
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0)
    out += alphabet[bits >> 18] ?? ""
    out += alphabet[(bits >> 12) & 63] ?? ""
    out += b === undefined ? "=" : alphabet[(bits >> 6) & 63]
    out += c === undefined ? "=" : alphabet[bits & 63]
  }
  return out
}
