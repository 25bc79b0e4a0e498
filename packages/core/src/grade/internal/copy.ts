/**
 * Copies: what a grader is handed, so that nothing it does to its inputs reaches anybody, and what it hands back, so
 * that a row can always be written.
 */

import * as ExactJson from "../../json/ExactJson.ts"

/** A copy of all arrays and plain objects in a value; anything else (a RegExp, a function) is the same object. */
export const privateCopy = <A>(value: A): A => copyOf(value, new Map()) as A

const copyOf = (value: unknown, seen: Map<object, unknown>): unknown => {
  if (value === null || typeof value !== "object") return value
  const known = seen.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const out: Array<unknown> = []
    seen.set(value, out)
    for (let i = 0; i < value.length; i++) out.push(copyOf(value[i], seen))
    return out
  }
  if (!isPlain(value)) return value
  const out: Record<string, unknown> = {}
  seen.set(value, out)
  for (const key of Object.keys(value)) assign(out, key, copyOf(value[key], seen))
  return out
}

/** Freezes a value and all arrays and plain objects in it. */
export const deepFreeze = <A>(value: A): A => {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key])
  return value
}

const maxDepth = 64

/**
 * A value as JSON can hold it. What JSON has no word for gets a defined form: numbers that are not finite are null,
 * BigInt is its digits, a Map its entries, a Set its values, an error its name and message; functions and undefined are
 * left out, and a value inside itself is `"[circular]"`.
 */
export const jsonCopy = (value: unknown): unknown => jsonOf(value, [])

const jsonOf = (value: unknown, path: Array<object>): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "bigint":
      return value.toString()
    case "object":
      if (value === null || ExactJson.isExact(value)) return value
      if (path.includes(value)) return "[circular]"
      if (path.length >= maxDepth) return "[too deep]"
      path.push(value)
      try {
        return jsonOfObject(value, path)
      } catch {
        return "[unreadable]"
      } finally {
        path.pop()
      }
    default:
      return undefined
  }
}

const jsonOfObject = (value: object, path: Array<object>): unknown => {
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, path) ?? null)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Set) return Array.from(value, (item) => jsonOf(item, path) ?? null)
  const entries = value instanceof Map ? Array.from(value, ([key, item]) => [String(key), item]) : Object.entries(value)
  const out: Record<string, unknown> = {}
  for (const [key, item] of entries) {
    const json = jsonOf(item, path)
    if (json !== undefined) assign(out, key, json)
  }
  return out
}

/** Sets a key whatever its name: `__proto__` would otherwise set the prototype. */
const assign = (target: Record<string, unknown>, key: string, value: unknown): void => {
  if (key !== "__proto__") target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
