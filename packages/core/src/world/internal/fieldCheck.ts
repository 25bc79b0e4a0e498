/**
 * Whether a value may stand in a field that a schema describes. There are many fields, and most schemas say no more than a
 * type or a list of words: those are compared at once, the others are compiled when a value first meets them.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { describing } from "../../task/internal/schemaTree.ts"
import * as ValueCheck from "../../task/internal/valueCheck.ts"

export type Fits = (value: unknown) => boolean

export const of = (schema: JsonSchema): Fits => plain(schema) ?? compiled(schema)

/** `of` for schemas that are met over and over: each is compiled once. */
export const remembering = (): typeof of => {
  const known = new Map<JsonSchema, Fits>()
  return (schema) => {
    let fits = known.get(schema)
    if (fits === undefined) known.set(schema, (fits = of(schema)))
    return fits
  }
}

const compiled = (schema: JsonSchema): Fits => {
  const check = ValueCheck.compile(schema)
  return (value) => check(value) === null
}

/** Of a schema without a limit. */
const plain = (schema: JsonSchema): Fits | undefined => {
  const limits = Object.keys(schema).filter((keyword) => !describing.has(keyword))
  const is = typeof schema.type === "string" ? scalars.get(schema.type) : undefined
  if (is === undefined) return limits.length === 0 ? () => true : undefined
  if (limits.length === 1) return is
  const words: unknown = schema.enum
  return limits.length === 2 && Array.isArray(words) ? (value) => is(value) && words.includes(value) : undefined
}

const scalars: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => ExactJson.isExact(value) || (typeof value === "number" && Number.isFinite(value))],
  ["integer", (value) => Number.isInteger(ExactJson.rounded(value))],
  ["boolean", (value) => typeof value === "boolean"]
])
