/**
 * Any schema a tool definition carries, as one JSON Schema 2020-12 that a validator compiles: odd type names get their
 * JSON ones, misplaced `required` and `optional` go where they belong, keywords that mean nothing are left out. Works on
 * a copy.
 */
import * as Either from "effect/Either"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import {
  asBoolean,
  type At,
  describe,
  inside,
  isObject,
  keywords,
  maxDepth,
  modern,
  refuse,
  type SchemaProblem,
  subschema,
  subschemas
} from "./keywords.ts"
import { draftOf } from "./draft.ts"
import * as ForeignSchema from "./foreignSchema.ts"
import { localise } from "./identifiers.ts"
import { resolve } from "./references.ts"
import { describing } from "./schemaTree.ts"
import { schemaOfType } from "./typeNames.ts"

/** The schema as far as it could be read, and everything that could not. */
export interface Normalised {
  readonly schema: JsonSchema
  readonly problems: ReadonlyArray<SchemaProblem>
}

/** The schema of a result: any shape. */
export const normalise = (given: unknown): Normalised => {
  const draft = isObject(given) ? draftOf(given) : "2020-12"
  const at: At = { path: "", depth: 0, problems: [], draft, convert }
  return { schema: resolve(convert(isObject(given) ? localise(given, draft) : given, at), at), problems: at.problems }
}

/** The schema of an arguments object: always `type: "object"` with `properties`. */
export const normaliseParameters = (given: unknown): Normalised => {
  const { schema, problems } = normalise(isPropertyMap(given) ? { properties: given } : given)
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "object"]
  return {
    schema: { ...schema, type: "object", properties: isObject(schema.properties) ? schema.properties : {} },
    problems: types.includes("object")
      ? problems
      : [
          ...problems,
          {
            path: "",
            problem: `must describe an object of arguments, but describes: ${types.join(", ")}`,
            fix: 'Wrap it: { type: "object", properties: { value: ... } }.'
          }
        ]
  }
}

/** Whether a value can only be meant as a JSON Schema. */
export const isSchemaLike = (value: unknown): boolean =>
  isObject(value) &&
  (typeof value.type === "string" ||
    Array.isArray(value.type) ||
    isObject(value.properties) ||
    ["$ref", "anyOf", "oneOf", "allOf", "items", "enum", "const"].some((key) => Object.hasOwn(value, key)))

/** A map of argument names to schemas, given where the schema itself belongs. */
const isPropertyMap = (given: unknown): boolean =>
  isObject(given) &&
  Object.keys(given).length > 0 &&
  !isSchemaLike(given) &&
  (Object.values(given).every((value) => isSchemaLike(value) || (isObject(value) && "description" in value)) ||
    // no word of JSON Schema at all: names of arguments, each of whose schemas is then read or refused
    !Object.keys(given).some(isKeyword))

/** Also words that are read apart from the table, and those of dialects. */
const isKeyword = (name: string): boolean =>
  keywords.has(name) ||
  /^[$~_]|^x-|^(type|properties|items|definitions|required|optional|nullable|additional)/.test(name)

const convert = (given: unknown, at: At): JsonSchema => {
  if (at.depth > maxDepth) {
    refuse(at, "is circular", "Use `$ref` and `$defs` for a recursive schema.")
    return {}
  }
  if (given === true || given === undefined || given === null) return {}
  if (given === false) return { not: {} }
  if (typeof given === "string") return schemaOfType(given) ?? { description: given }
  if (ForeignSchema.isForeign(given)) {
    const schema = ForeignSchema.read(given, "input")
    if (Either.isRight(schema)) return ownRoot(schema.right, at)
    refuse(at, schema.left.problem, schema.left.fix)
    return {}
  }
  if (!isObject(given)) {
    refuse(at, `is ${describe(given)}, not a schema`, "Write a JSON Schema object.")
    return {}
  }
  if (at.draft === "draft-07" && typeof given.$ref === "string") return referring(given, at)
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(modern(given))) {
    const kept = value === undefined ? undefined : keywords.get(name)?.(value, inside(at, `.${name}`))
    if (kept !== undefined) out[name] = kept
  }
  // properties that were allowed by a pattern that is not checked stay allowed
  if (isObject(given.patternProperties) && out.patternProperties === undefined) delete out.additionalProperties
  readType(given, out, at)
  readItems(given, out, at)
  readProperties(given, out, at)
  if (asBoolean(given.nullable) === true) allowNull(out)
  settleEnum(out)
  return out
}

/** A schema of another library inside one: its references lead from its own root. */
const ownRoot = (given: JsonSchema, at: At): JsonSchema => {
  const { problems, schema } = normalise(given)
  for (const { fix, path, problem } of problems) at.problems.push({ path: `${at.path}${path}`, problem, fix })
  return schema
}

/** Up to draft-07 only the words beside a reference count. */
const referring = (given: JsonSchema, at: At): JsonSchema => {
  const words = Object.entries(given).filter(([keyword]) => keyword !== "$ref" && describing.has(keyword))
  const out: Record<string, unknown> = {}
  for (const [name, value] of [...Object.entries(modern(Object.fromEntries(words))), ["$ref", given.$ref] as const]) {
    const kept = value === undefined ? undefined : keywords.get(name)?.(value, inside(at, `.${name}`))
    if (kept !== undefined) out[name] = kept
  }
  return out
}

const readType = (given: JsonSchema, out: Record<string, unknown>, at: At): void => {
  if (given.type === undefined || given.type === null) {
    if (isObject(given.properties)) out.type = "object"
    else if (given.items !== undefined && given.items !== null) out.type = "array"
    return
  }
  const named = (Array.isArray(given.type) ? given.type : [given.type]).map((name: unknown) => {
    const meant = typeof name === "string" ? schemaOfType(name) : undefined
    if (meant === undefined) {
      refuse(
        at,
        `has the type ${describe(name)}, which is no JSON type`,
        "Use one of object, array, string, number, integer, boolean, null."
      )
    }
    return meant ?? {}
  })
  const [only] = named
  if (named.length === 1 && only !== undefined) {
    for (const [name, value] of Object.entries(only)) if (!Object.hasOwn(out, name)) out[name] = value
  } else if (named.every((meant) => typeof meant.type === "string")) {
    out.type = [...new Set(named.map((meant) => meant.type))]
  }
}

/** A list of `items` (older drafts) is `prefixItems`, and `additionalItems` are the items after it. */
const readItems = (given: JsonSchema, out: Record<string, unknown>, at: At): void => {
  const listed = Array.isArray(given.items)
  if (listed) {
    const prefix = subschemas(given.items, inside(at, ".items"))
    if (prefix !== undefined) out.prefixItems = prefix
  }
  const each = subschema(listed ? given.additionalItems : given.items, inside(at, "[]"))
  if (each !== undefined) out.items = each
}

/** `properties` and `required`, with what properties say of themselves by `required: true` and `optional: true`. */
const readProperties = (given: JsonSchema, out: Record<string, unknown>, at: At): void => {
  const required = new Set(namesIn(given.required))
  for (const name of namesIn(given.optional)) required.delete(name)
  const properties = given.properties ?? {}
  if (!isObject(properties)) {
    refuse(at, `has ${describe(properties)} for \`properties\``, "Write an object: argument name to schema.")
    return
  }
  const read = new Map<string, JsonSchema>()
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property)) {
      if (asBoolean(property.required) === true) required.add(name)
      if (asBoolean(property.required) === false || asBoolean(property.optional) === true) required.delete(name)
    }
    read.set(name, convert(property, inside(at, `.${name}`)))
  }
  for (const name of required) if (!read.has(name)) read.set(name, {})
  if (read.size > 0 || given.properties !== undefined) out.properties = Object.fromEntries(read)
  if (required.size > 0) out.required = [...required]
}

const namesIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.filter((name) => typeof name === "string")
    : typeof value === "string" && asBoolean(value) === undefined
      ? [value]
      : []

const allowNull = (out: Record<string, unknown>): void => {
  const types: ReadonlyArray<unknown> = Array.isArray(out.type) ? out.type : out.type === undefined ? [] : [out.type]
  if (types.length > 0 && !types.includes("null")) out.type = [...types, "null"]
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null]
}

/** An enum decides: its values stay possible whatever type stands beside it; on a list it speaks of the items. */
const settleEnum = (out: Record<string, unknown>): void => {
  const values: unknown = out.enum
  if (!Array.isArray(values)) return
  if (out.type === "array" && !values.some(Array.isArray)) {
    delete out.enum
    if (out.items === undefined) out.items = { enum: values }
    else if (isObject(out.items) && out.items.enum === undefined) out.items = { ...out.items, enum: values }
    return
  }
  const types: ReadonlyArray<unknown> = Array.isArray(out.type) ? out.type : [out.type]
  if (!values.some((value) => types.some((type) => isOfType(value, type)))) delete out.type
}

const isOfType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case "integer":
      return Number.isInteger(value)
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "object":
      return isObject(value)
    default:
      return typeof value === type
  }
}
