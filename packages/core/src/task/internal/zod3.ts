/**
 * Schemas of Zod 3 as JSON Schema, read from what they say of themselves: they have no JSON form of their own. What a
 * transformation takes is read, not what it makes; what JSON Schema has no word for is anything.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { isObject } from "./keywords.ts"
import * as LazyRefs from "./lazyRefs.ts"

type Def = Readonly<Record<string, unknown>>

export const isZod3 = (value: unknown): value is object => typeNameOf(value) !== undefined

export const read = (schema: object): JsonSchema => {
  const refs: LazyRefs.LazyRefs = LazyRefs.make((lazy) => of(lazy))
  const of = (one: unknown): JsonSchema => {
    const def = defOf(one)
    if (def === undefined) return {}
    const read = readers[typeNameOf(one) ?? ""]?.(def, of, refs) ?? {}
    return typeof def.description === "string" ? { ...read, description: def.description } : read
  }
  return refs.complete(of(schema))
}

const defOf = (value: unknown): Def | undefined => (isObject(value) && isObject(value._def) ? value._def : undefined)

const typeNameOf = (value: unknown): string | undefined => {
  const name = defOf(value)?.typeName
  return typeof name === "string" && name.startsWith("Zod") ? name : undefined
}

type Reader = (def: Def, of: (schema: unknown) => JsonSchema, refs: LazyRefs.LazyRefs) => JsonSchema

const inner: Reader = (def, of) => of(def.innerType)
const nothing: JsonSchema = { not: {} }

const readers: Readonly<Record<string, Reader>> = {
  ZodString: (def) => checked({ type: "string" }, def, textChecks),
  ZodNumber: (def) => checked({ type: "number" }, def, numberChecks),
  ZodBigInt: (def) => checked({ type: "integer" }, def, numberChecks),
  ZodBoolean: () => ({ type: "boolean" }),
  ZodDate: () => ({ type: "string", format: "date-time" }),
  ZodNull: () => ({ type: "null" }),
  ZodUndefined: () => nothing,
  ZodVoid: () => nothing,
  ZodNever: () => nothing,
  ZodLiteral: (def) => ({ const: def.value }),
  ZodEnum: (def) => ({ enum: def.values }),
  ZodNativeEnum: (def) => ({ enum: isObject(def.values) ? membersOf(def.values) : [] }),
  ZodArray: (def, of) => ({
    type: "array",
    items: of(def.type),
    ...bound("minItems", def.minLength ?? def.exactLength),
    ...bound("maxItems", def.maxLength ?? def.exactLength)
  }),
  ZodSet: (def, of) => ({
    type: "array",
    items: of(def.valueType),
    uniqueItems: true,
    ...bound("minItems", def.minSize),
    ...bound("maxItems", def.maxSize)
  }),
  ZodTuple: (def, of) => {
    const items = listOf(def.items)
    return {
      type: "array",
      prefixItems: items.map(of),
      minItems: items.length,
      ...(def.rest === null || def.rest === undefined ? { maxItems: items.length } : { items: of(def.rest) })
    }
  },
  ZodObject: (def, of) => {
    const given: unknown = typeof def.shape === "function" ? def.shape() : def.shape
    const shape = isObject(given) ? given : {}
    const others =
      typeNameOf(def.catchall) === "ZodNever" ? def.unknownKeys !== "strict" && undefined : of(def.catchall)
    return {
      type: "object",
      properties: Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, of(one)])),
      required: Object.keys(shape).filter((name) => !isOptional(shape[name])),
      ...(others === undefined ? {} : { additionalProperties: others })
    }
  },
  ZodRecord: (def, of) => ({ type: "object", propertyNames: of(def.keyType), additionalProperties: of(def.valueType) }),
  ZodUnion: (def, of) => ({ anyOf: listOf(def.options).map(of) }),
  ZodDiscriminatedUnion: (def, of) => ({
    anyOf: (def.options instanceof Map ? [...def.options.values()] : listOf(def.options)).map(of)
  }),
  ZodIntersection: (def, of) => ({ allOf: [of(def.left), of(def.right)] }),
  ZodNullable: (def, of) => ({ anyOf: [of(def.innerType), { type: "null" }] }),
  ZodDefault: (def, of) => ({
    ...of(def.innerType),
    ...(typeof def.defaultValue === "function" ? { default: def.defaultValue() } : {})
  }),
  ZodOptional: inner,
  ZodCatch: inner,
  ZodReadonly: inner,
  ZodEffects: (def, of) => of(def.schema),
  ZodBranded: (def, of) => of(def.type),
  ZodPromise: (def, of) => of(def.type),
  ZodPipeline: (def, of) => of(def.in),
  ZodLazy: (def, _of, refs) => refs.refer(def.getter)
}

const isOptional = (schema: unknown): boolean =>
  isObject(schema) && typeof schema.isOptional === "function" && schema.isOptional() === true

type Check = Readonly<Record<string, unknown>>
type Checks = Readonly<Record<string, (check: Check) => JsonSchema>>

const checked = (schema: JsonSchema, def: Def, checks: Checks): JsonSchema => {
  const all = listOf(def.checks).flatMap((check) =>
    isObject(check) ? [checks[String(check.kind)]?.(check) ?? {}] : []
  )
  return all.reduce<JsonSchema>((whole, one) => joined(whole, one), schema)
}

/** Two patterns hold both. */
const joined = (a: JsonSchema, b: JsonSchema): JsonSchema =>
  a.pattern !== undefined && b.pattern !== undefined ? { ...a, allOf: [...listOf(a.allOf), b] } : { ...a, ...b }

const format = (name: string) => (): JsonSchema => ({ format: name })

const textChecks: Checks = {
  min: ({ value }) => ({ minLength: value }),
  max: ({ value }) => ({ maxLength: value }),
  length: ({ value }) => ({ minLength: value, maxLength: value }),
  regex: ({ regex }) => patternOf(regex),
  startsWith: ({ value }) => ({ pattern: `^${quoted(value)}` }),
  endsWith: ({ value }) => ({ pattern: `${quoted(value)}$` }),
  includes: ({ value }) => ({ pattern: quoted(value) }),
  email: format("email"),
  url: format("uri"),
  uuid: format("uuid"),
  datetime: ({ local }) => (local === true ? {} : { format: "date-time" }),
  date: format("date"),
  time: format("time")
}

const numberChecks: Checks = {
  int: () => ({ type: "integer" }),
  min: ({ inclusive, value }) => ({ [inclusive === false ? "exclusiveMinimum" : "minimum"]: Number(value) }),
  max: ({ inclusive, value }) => ({ [inclusive === false ? "exclusiveMaximum" : "maximum"]: Number(value) }),
  multipleOf: ({ value }) => ({ multipleOf: Number(value) })
}

/** Zod keeps a length as `{ value }`. */
const bound = (keyword: string, given: unknown): JsonSchema => (isObject(given) ? { [keyword]: given.value } : {})

/** The values of an enum; those of a numeric one are there by name and by number. */
const membersOf = (values: Readonly<Record<string, unknown>>): ReadonlyArray<unknown> =>
  Object.keys(values)
    .filter((name) => typeof values[String(values[name])] !== "number")
    .map((name) => values[name])

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** JSON Schema knows no flags: a pattern that needs some is not held to. */
export const patternOf = (regex: unknown): JsonSchema =>
  regex instanceof RegExp && !/[imsy]/.test(regex.flags) ? { pattern: regex.source } : {}

/** Text as a pattern. */
export const quoted = (text: unknown): string => String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
