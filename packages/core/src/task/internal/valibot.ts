/**
 * Schemas of Valibot as JSON Schema, read from the data they are. What a transformation takes is read, not what it makes;
 * what JSON Schema has no word for is anything.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { isObject } from "./keywords.ts"
import * as LazyRefs from "./lazyRefs.ts"
import { patternOf, quoted } from "./zod3.ts"

type Node = Readonly<Record<string, unknown>>

export const isValibot = (value: unknown): value is Node =>
  isObject(value) && value.kind === "schema" && typeof value["~run"] === "function"

export const read = (schema: Node): JsonSchema => {
  const refs: LazyRefs.LazyRefs = LazyRefs.make((lazy) => of(lazy))
  const of = (one: unknown): JsonSchema => {
    if (!isObject(one)) return {}
    const [, ...actions] = listOf(one.pipe)
    return piped(schemas[String(one.type)]?.(one, of, refs) ?? {}, actions)
  }
  return refs.complete(of(schema))
}

/** Limits count up to the first transformation, words wherever they stand. */
const piped = (schema: JsonSchema, all: ReadonlyArray<unknown>): JsonSchema => {
  let out = schema
  let taken = true
  for (const action of all) {
    if (!isObject(action)) continue
    if (action.kind === "metadata") out = { ...out, ...wordsOf(action) }
    else if (action.kind !== "validation") taken = false
    else if (taken) out = joined(out, actions[String(action.type)]?.(action.requirement, out) ?? {})
  }
  return out
}

/** Two patterns hold both. */
const joined = (a: JsonSchema, b: JsonSchema): JsonSchema =>
  a.pattern !== undefined && b.pattern !== undefined ? { ...a, allOf: [...listOf(a.allOf), b] } : { ...a, ...b }

const wordsOf = (action: Node): JsonSchema => {
  if (action.type === "description") return { description: action.description }
  if (action.type === "title") return { title: action.title }
  const { metadata } = action
  if (action.type !== "metadata" || !isObject(metadata)) return {}
  return Object.fromEntries(
    ["title", "description", "examples"].flatMap((name) =>
      metadata[name] === undefined ? [] : [[name, metadata[name]]]
    )
  )
}

type Reader = (node: Node, of: (schema: unknown) => JsonSchema, refs: LazyRefs.LazyRefs) => JsonSchema

const nothing: Reader = () => ({ not: {} })
const wrapped: Reader = (node, of) => ({ ...of(node.wrapped), ...defaultOf(node) })
const orNull: Reader = (node, of) => ({ anyOf: [of(node.wrapped), { type: "null" }], ...defaultOf(node) })
const options: Reader = (node, of) => ({ anyOf: listOf(node.options).map(of) })

const defaultOf = (node: Node): JsonSchema =>
  node.default === undefined || typeof node.default === "function" ? {} : { default: node.default }

const object =
  (more: (node: Node, of: (schema: unknown) => JsonSchema) => JsonSchema): Reader =>
  (node, of) => {
    const entries = isObject(node.entries) ? node.entries : {}
    return {
      type: "object",
      properties: Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, of(one)])),
      required: Object.keys(entries).filter((name) => !mayBeMissing(entries[name])),
      ...more(node, of)
    }
  }

const mayBeMissing = (schema: unknown): boolean =>
  isObject(schema) && /^(?:optional|exact_optional|nullish|undefinedable)$/.test(String(schema.type))

const tuple =
  (more: (node: Node, of: (schema: unknown) => JsonSchema) => JsonSchema): Reader =>
  (node, of) => {
    const items = listOf(node.items)
    return { type: "array", prefixItems: items.map(of), minItems: items.length, ...more(node, of) }
  }

const schemas: Readonly<Record<string, Reader>> = {
  string: () => ({ type: "string" }),
  number: () => ({ type: "number" }),
  bigint: () => ({ type: "integer" }),
  boolean: () => ({ type: "boolean" }),
  date: () => ({ type: "string", format: "date-time" }),
  null: () => ({ type: "null" }),
  undefined: nothing,
  void: nothing,
  never: nothing,
  literal: (node) => ({ const: node.literal }),
  picklist: (node) => ({ enum: node.options }),
  enum: (node) => ({ enum: node.options }),
  array: (node, of) => ({ type: "array", items: of(node.item) }),
  set: (node, of) => ({ type: "array", items: of(node.value), uniqueItems: true }),
  tuple: tuple(() => ({})),
  loose_tuple: tuple(() => ({})),
  strict_tuple: tuple((node) => ({ maxItems: listOf(node.items).length })),
  tuple_with_rest: tuple((node, of) => ({ items: of(node.rest) })),
  object: object(() => ({})),
  loose_object: object(() => ({})),
  strict_object: object(() => ({ additionalProperties: false })),
  object_with_rest: object((node, of) => ({ additionalProperties: of(node.rest) })),
  record: (node, of) => ({ type: "object", propertyNames: of(node.key), additionalProperties: of(node.value) }),
  union: options,
  variant: options,
  intersect: (node, of) => ({ allOf: listOf(node.options).map(of) }),
  optional: wrapped,
  exact_optional: wrapped,
  undefinedable: wrapped,
  non_optional: wrapped,
  non_nullable: wrapped,
  non_nullish: wrapped,
  nullable: orNull,
  nullish: orNull,
  lazy: (node, _of, refs) => refs.refer(node.getter)
}

type Action = (requirement: unknown, schema: JsonSchema) => JsonSchema

const format =
  (name: string): Action =>
  () => ({ format: name })

/** Texts, lists and objects are as long as their `length` or `entries`. */
const size =
  (side: "min" | "max"): Action =>
  (requirement, { type }) => ({
    [`${side}${type === "string" ? "Length" : type === "object" ? "Properties" : "Items"}`]: requirement
  })
const both: Action = (requirement, schema) => ({
  ...size("min")(requirement, schema),
  ...size("max")(requirement, schema)
})

const actions: Readonly<Record<string, Action>> = {
  min_length: size("min"),
  max_length: size("max"),
  length: both,
  min_size: size("min"),
  max_size: size("max"),
  size: both,
  min_entries: size("min"),
  max_entries: size("max"),
  entries: both,
  non_empty: (_, schema) => size("min")(1, schema),
  min_value: (requirement) => (typeof requirement === "number" ? { minimum: requirement } : {}),
  max_value: (requirement) => (typeof requirement === "number" ? { maximum: requirement } : {}),
  gt_value: (requirement) => (typeof requirement === "number" ? { exclusiveMinimum: requirement } : {}),
  lt_value: (requirement) => (typeof requirement === "number" ? { exclusiveMaximum: requirement } : {}),
  value: (requirement) => ({ const: requirement }),
  integer: () => ({ type: "integer" }),
  safe_integer: () => ({ type: "integer" }),
  multiple_of: (requirement) => ({ multipleOf: requirement }),
  regex: (requirement) => patternOf(requirement),
  starts_with: (requirement) => ({ pattern: `^${quoted(requirement)}` }),
  ends_with: (requirement) => ({ pattern: `${quoted(requirement)}$` }),
  includes: (requirement, { type }) => (type === "string" ? { pattern: quoted(requirement) } : {}),
  email: format("email"),
  rfc_email: format("email"),
  url: format("uri"),
  uuid: format("uuid"),
  iso_date: format("date"),
  iso_time: format("time"),
  iso_timestamp: format("date-time")
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
