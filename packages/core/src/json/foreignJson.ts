/**
 * Reading JSON that others wrote: nothing is taken for granted, and names come from their data.
 */
import * as ExactJson from "./ExactJson.ts"

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ExactJson.isExact(value)

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

/** A list as it is, an object with the keys 0, 1, 2 ... as a list, anything else as none. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return []
  const keys = Object.keys(value).filter((key) => /^\d+$/.test(key))
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => value[key])
}

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The first of the keys that has a value of its own. */
export const firstOf = (from: Json, keys: ReadonlyArray<string>): unknown => {
  const key = firstKey(from, keys)
  return key === undefined ? undefined : from[key]
}

/** Which of the keys it is. */
export const firstKey = (from: Json, keys: ReadonlyArray<string>): string | undefined =>
  keys.find((key) => Object.hasOwn(from, key) && from[key] !== undefined && from[key] !== null)

/** Text that is JSON of an object or a list is read; everything else stays as it is. */
export const unpacked = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const start = value.trimStart().charAt(0)
  if (start !== "{" && start !== "[") return value
  try {
    return ExactJson.parse(value)
  } catch {
    return value
  }
}
