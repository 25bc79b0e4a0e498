/**
 * Plain JSON objects whose keys come from callers and models: a key such as `__proto__` is a key like any other.
 */
import * as ExactJson from "../../json/ExactJson.ts"

export type JsonObject = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value) && !ExactJson.isExact(value)

/** Whether a value can be an identifier: a text, or a number of any length. */
export const isId = (value: unknown): value is string | number | ExactJson.ExactNumber =>
  typeof value === "string" || typeof value === "number" || ExactJson.isExact(value)

export const get = (record: JsonObject, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** Sets a key of an object under construction. */
export const put = (record: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === "__proto__") {
    Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true })
  } else record[name] = value
}

/** A copy with some keys set. */
export const withFields = (record: JsonObject, fields: Iterable<readonly [string, unknown]>): JsonObject => {
  const out: Record<string, unknown> = { ...record }
  for (const [key, value] of fields) put(out, key, value)
  return out
}

/** Freezes JSON all the way down; what is frozen already is taken to be so throughout. */
export const freeze = <A>(value: A): A => {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Object.keys(value)) freeze((value as Record<string, unknown>)[key])
  return value
}
