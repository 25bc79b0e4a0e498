/**
 * Copies of values that others hold, as the JSON a row can keep: what happens to the original afterwards reaches nobody.
 */

import * as ExactJson from "./ExactJson.ts"

/** Deeper than this is cut: no tool's arguments are, and a row has to stay readable. */
export const maxDepth = 64

/** Whether a value is an object with keys of its own, not an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ExactJson.isExact(value)

/**
 * A copy of a value as JSON. What JSON has no word for has a stated form: `undefined`, functions and symbols are left out
 * of objects and null elsewhere, a bigint is its digits, a number that is not finite is null, a date its ISO text, a Map
 * an object, a Set an array, bytes base64, an error its message, and what contains itself is cut there.
 */
export const copy = (value: unknown): unknown => copyAt(value, maxDepth, null)

interface Above {
  readonly value: object
  readonly above: Above | null
}

const copyAt = (value: unknown, depth: number, above: Above | null): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "bigint":
      return String(value)
    case "object":
      break
    default:
      return null
  }
  if (value === null || ExactJson.isExact(value)) return value
  for (let at = above; at !== null; at = at.above) if (at.value === value) return "[circular]"
  if (depth === 0) return "[too deep]"
  const here: Above = { value, above }
  if (Array.isArray(value)) {
    const out: Array<unknown> = []
    for (let i = 0; i < value.length; i++) out.push(copyAt(value[i], depth - 1, here))
    return out
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    const form = formOf(value)
    if (form !== value) return copyAt(form, depth - 1, here)
  }
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const held = (value as Record<string, unknown>)[key]
    if (held === undefined || typeof held === "function" || typeof held === "symbol") continue
    const copied = copyAt(held, depth - 1, here)
    // A plain assignment of this one key would set the prototype instead.
    if (key === "__proto__") Object.defineProperty(out, key, { value: copied, enumerable: true, writable: true })
    else out[key] = copied
  }
  return out
}

/** The JSON-like form of an instance, or the instance itself when its own keys are all there is to say. */
const formOf = (value: object): unknown => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, held]) => [String(key), held]))
  if (value instanceof Set) return [...value]
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (ArrayBuffer.isView(value)) return "[binary]"
  if (value instanceof Error) return { error: value.message }
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON()
  return value
}

/** Equal as JSON, whatever the order of keys. */
export const equal = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((held, i) => equal(held, b[i]))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) => Object.hasOwn(b, key) && equal((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])
  )
}

/** A value frozen all the way down. */
export const deepFreeze = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const held of Object.values(value)) deepFreeze(held)
  return value
}

/** What a value is, in a few words, for errors: `an object with the keys a, b`. */
export const describe = (value: unknown): string => {
  if (value === null) return "null"
  if (value === undefined) return "nothing (undefined)"
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 60))}`
  if (ExactJson.isExact(value)) return `the number ${value.digits.slice(0, 60)}`
  if (typeof value === "object") {
    const keys = Object.keys(value)
    if (keys.length === 0) return "an object without keys"
    return `an object with the keys ${keys.slice(0, 8).join(", ")}${keys.length > 8 ? ", ..." : ""}`
  }
  return `the ${typeof value} ${String(value).slice(0, 60)}`
}
