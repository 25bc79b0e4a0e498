/**
 * Reads what servers send without trusting its shape: a missing or odd field is null or empty, never an error.
 */

import * as ExactJson from "@sandtable/core/ExactJson"

export type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ExactJson.isExact(value)

/** What stands at a path of fields; undefined where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown => {
  let found = value
  for (const key of path) {
    if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined
    found = found[key]
  }
  return found
}

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A text that says something; null for anything else. */
export const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** The first of the values that is a text. */
export const firstText = (...values: ReadonlyArray<unknown>): string | null => {
  for (const value of values) {
    const text = textOf(value)
    if (text !== null) return text
  }
  return null
}

/** A number of things, such as tokens; null for anything that is none. */
export const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

export const firstCount = (...values: ReadonlyArray<unknown>): number | null => {
  for (const value of values) {
    const count = countOf(value)
    if (count !== null) return count
  }
  return null
}

/** A measure, to the nearest number of JavaScript's; null for anything that is none. */
export const numberOf = (value: unknown): number | null => {
  const number = ExactJson.rounded(value)
  return typeof number === "number" ? number : null
}

/** JSON read with all digits of its numbers, or undefined for a text that is none. */
export const parse = (text: string): unknown => {
  try {
    return ExactJson.parse(text)
  } catch {
    return undefined
  }
}

/** A value that was written as JSON before. */
export class Written {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

/** JSON of an object, some of whose fields may be written already; those without a value are left out. */
export const write = (fields: Json): string => {
  let out = ""
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    const json = value instanceof Written ? value.json : ExactJson.stringify(value)
    if (json !== undefined) out += `${out === "" ? "" : ","}${JSON.stringify(key)}:${json}`
  }
  return `{${out}}`
}

/** Writes what is frozen, and so cannot change any more, once: threads and tools come again with each call. */
export class Scribe {
  private readonly kept = new WeakMap<object, string>()

  once(of: object, write: () => string): string {
    if (!Object.isFrozen(of)) return write()
    let text = this.kept.get(of)
    if (text === undefined) this.kept.set(of, (text = write()))
    return text
  }
}

/** The fields that have a value. */
export const defined = (fields: Json): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(fields)) if (fields[key] !== undefined) out[key] = fields[key]
  return out
}
