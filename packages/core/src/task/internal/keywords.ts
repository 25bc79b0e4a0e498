/**
 * The keywords of JSON Schema that are kept, and how each is read from what people write for it. A keyword whose value
 * means nothing is left out; what would change the meaning of the schema is a problem.
 */
import type { Draft } from "./draft.ts"
import { isChecked } from "./slowPattern.ts"

/** Why a schema cannot be read, and where in it (`.address.zip`; empty for the root). */
export interface SchemaProblem {
  readonly path: string
  readonly problem: string
  readonly fix: string
}

/** A place in the schema being read; all places of one schema share `problems` and `convert`. */
export interface At {
  readonly path: string
  readonly depth: number
  readonly problems: Array<SchemaProblem>
  /** Of the whole schema. */
  readonly draft: Draft
  /** Reads a schema found at a place. */
  readonly convert: (given: unknown, at: At) => Readonly<Record<string, unknown>>
}

export const inside = (at: At, step: string): At => ({ ...at, path: at.path + step, depth: at.depth + 1 })

export const refuse = (at: At, problem: string, fix: string): void => {
  at.problems.push({ path: at.path, problem, fix })
}

type Read<A> = (value: unknown, at: At) => A | undefined

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** "5" is written for 5, and "True" for true. */
export const asNumber = (value: unknown): number | undefined => {
  const n = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof n === "number" && Number.isFinite(n) ? n : undefined
}
export const asBoolean = (value: unknown): boolean | undefined => {
  if (typeof value !== "string") return typeof value === "boolean" ? value : undefined
  const word = value.trim().toLowerCase()
  return word === "true" ? true : word === "false" ? false : undefined
}

export const describe = (value: unknown): string =>
  Array.isArray(value)
    ? "a list"
    : value === null
      ? "null"
      : typeof value === "object"
        ? "an object"
        : typeof value === "function"
          ? "a function"
          : typeof value === "string"
            ? JSON.stringify(value)
            : String(value)

/** A copy of a JSON value; undefined for what JSON cannot say (functions, circles, big integers). */
export const json = (value: unknown, depth = 0): unknown => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  if (typeof value !== "object" || depth > maxDepth) return undefined
  const keys = Object.keys(value)
  const parts = keys.map((key) => json((value as Readonly<Record<string, unknown>>)[key], depth + 1))
  if (parts.includes(undefined)) return undefined
  return Array.isArray(value) ? parts : Object.fromEntries(parts.map((part, i) => [keys[i] ?? "", part]))
}

/** Deeper than anything written: what goes on is circular. */
export const maxDepth = 64

const jsonValue: Read<unknown> = (value) => json(value)
const positive: Read<number> = (value) => {
  const n = asNumber(value)
  return n !== undefined && n > 0 ? n : undefined
}
const count: Read<number> = (value) => {
  const n = asNumber(value)
  return n !== undefined && Number.isInteger(n) && n >= 0 ? n : undefined
}
const text: Read<string> = (value) => (typeof value === "string" ? value : undefined)
/** Some write a description as a list of lines. */
const prose: Read<string> = (value) =>
  Array.isArray(value) ? value.filter((line) => typeof line === "string").join(" ") : text(value, nowhere)
const list: Read<ReadonlyArray<unknown>> = (value) => asJsonList(Array.isArray(value) ? value : [value])
const asJsonList = (given: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  given.map((each) => json(each)).filter((each) => each !== undefined)

/** Each value once. An enum without values would allow nothing, which nobody means. */
const values: Read<ReadonlyArray<unknown>> = (value) => {
  const kept = new Set(asJsonList(Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : [value]))
  return kept.size > 0 ? [...kept] : undefined
}

const pattern: Read<string> = (value) => (typeof value === "string" && isChecked(value) ? value : undefined)

export const subschema: Read<unknown> = (value, at) =>
  typeof value === "boolean" ? value : value === undefined || value === null ? undefined : at.convert(value, at)
export const subschemas: Read<ReadonlyArray<unknown>> = (value, at) =>
  Array.isArray(value) && value.length > 0 ? value.map((each, i) => at.convert(each, inside(at, `[${i}]`))) : undefined
const schemaMap: Read<Readonly<Record<string, unknown>>> = (value, at) =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, at.convert(each, inside(at, `.${name}`))]))
    : undefined
const nameLists: Read<Readonly<Record<string, unknown>>> = (value) =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, each]) =>
          Array.isArray(each) ? [[name, [...new Set(each.filter((one) => typeof one === "string"))]]] : []
        )
      )
    : undefined
const patternMap: Read<Readonly<Record<string, unknown>>> = (value, at) =>
  isObject(value) && Object.keys(value).every((key) => pattern(key, at) !== undefined)
    ? schemaMap(value, at)
    : undefined

/** A pointer to where things stand under their present names. */
const reference: Read<string> = (value, at) => {
  if (typeof value === "string" && value.startsWith("#")) {
    return value
      .replaceAll("/definitions/", "/$defs/")
      .replaceAll("/dependencies/", "/dependentSchemas/")
      .replace(/\/items\/(?=\d+(?:\/|$))/g, "/prefixItems/")
      .replace(/\/additionalItems(?=\/|$)/g, "/items")
  }
  refuseReference(value, at)
  return undefined
}

export const refuseReference = (value: unknown, at: At): void =>
  refuse(
    at,
    `refers to ${describe(value)}, which is not in this schema`,
    "Write what it refers to into the schema's own `$defs`."
  )

/** For readers that look at the value alone. */
const nowhere: At = { path: "", depth: 0, problems: [], draft: "2020-12", convert: () => ({}) }

/** `type`, `properties`, `required` and `items` are read together, in `normalise.ts`. */
export const keywords: ReadonlyMap<string, Read<unknown>> = new Map<string, Read<unknown>>([
  ["title", text],
  ["description", prose],
  ["format", text],
  ["default", jsonValue],
  ["const", jsonValue],
  ["enum", values],
  ["examples", list],
  ["readOnly", asBoolean],
  ["writeOnly", asBoolean],
  ["deprecated", asBoolean],
  ["pattern", pattern],
  ["minLength", count],
  ["maxLength", count],
  ["minimum", asNumber],
  ["maximum", asNumber],
  ["exclusiveMinimum", asNumber],
  ["exclusiveMaximum", asNumber],
  ["multipleOf", positive],
  ["minItems", count],
  ["maxItems", count],
  ["uniqueItems", asBoolean],
  ["contains", subschema],
  ["minContains", count],
  ["maxContains", count],
  ["prefixItems", subschemas],
  ["unevaluatedItems", subschema],
  ["minProperties", count],
  ["maxProperties", count],
  ["additionalProperties", subschema],
  ["patternProperties", patternMap],
  ["propertyNames", subschema],
  ["unevaluatedProperties", subschema],
  ["dependentRequired", nameLists],
  ["dependentSchemas", schemaMap],
  ["anyOf", subschemas],
  ["oneOf", subschemas],
  ["allOf", subschemas],
  ["not", subschema],
  ["if", subschema],
  ["then", subschema],
  ["else", subschema],
  ["$ref", reference],
  ["$defs", schemaMap]
])

/** Keywords of older drafts and of OpenAPI under their present names. */
export const modern = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const out: Record<string, unknown> = { ...given }
  if (isObject(given.definitions)) out.$defs = { ...given.definitions, ...(isObject(given.$defs) ? given.$defs : {}) }
  if (given.example !== undefined && given.examples === undefined) out.examples = [given.example]
  const recursive = given.$recursiveRef ?? given.$dynamicRef
  if (recursive !== undefined) out.$ref = recursive
  if (isObject(given.dependencies)) {
    const all = Object.entries(given.dependencies).map(([name, each]) => [
      name,
      typeof each === "string" ? [each] : each
    ])
    const listed = Object.fromEntries(all.filter(([, each]) => Array.isArray(each)))
    const schemas = Object.fromEntries(all.filter(([, each]) => !Array.isArray(each)))
    out.dependentRequired = { ...listed, ...(isObject(given.dependentRequired) ? given.dependentRequired : {}) }
    out.dependentSchemas = { ...schemas, ...(isObject(given.dependentSchemas) ? given.dependentSchemas : {}) }
  }
  // draft 4 wrote `exclusiveMinimum: true` beside `minimum`
  for (const [limit, exclusive] of limits) {
    if (typeof given[exclusive] !== "boolean") continue
    out[exclusive] = given[exclusive] ? given[limit] : undefined
    if (given[exclusive]) out[limit] = undefined
  }
  return out
}
const limits = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"]
] as const
