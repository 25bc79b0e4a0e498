/**
 * JSON Schemas made plain for a generator: references followed, `allOf` merged, alternatives listed, and whether a
 * schema can be satisfied within a depth (which is what ends recursion).
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { get, isRecord, withFields } from "./records.ts"

export interface Shapes {
  /** The schema with its references and `allOf` merged in. */
  readonly flat: (schema: unknown) => JsonSchema
  /** The alternatives of `anyOf`, `oneOf` and `if`, each merged with what stands beside them; one when there are none. */
  readonly alternatives: (schema: JsonSchema) => ReadonlyArray<JsonSchema>
  /** Whether a value exists that nests at most so deep. */
  readonly fits: (schema: unknown, depth: number) => boolean
}

const unions = ["anyOf", "oneOf"] as const
/** Unions inside unions are followed so deep, and so many of their branches are told apart. */
const deepest = 4
const mostAlternatives = 64

/** Nothing satisfies it. */
export const never: JsonSchema = { not: {} }

export const make = (root: JsonSchema): Shapes => {
  const flats = new Map<object, JsonSchema>()
  const fitting = new Map<object, Array<boolean | undefined>>()

  const flat = (schema: unknown, hops = 0): JsonSchema => {
    if (schema === false) return never
    if (!isRecord(schema)) return {}
    const known = flats.get(schema)
    if (known !== undefined) return known
    const result = flatten(schema, hops)
    flats.set(schema, result)
    return result
  }

  const flatten = (schema: JsonSchema, hops: number): JsonSchema => {
    const { $ref, $dynamicRef, allOf, ...rest } = schema
    const ref = $ref ?? $dynamicRef
    let result: JsonSchema = ref === undefined && allOf === undefined ? schema : rest
    if (hops > 32) return result
    if (typeof ref === "string") result = merge(flat(resolve(root, ref), hops + 1), result)
    if (Array.isArray(allOf)) for (const part of allOf) result = merge(result, flat(part, hops + 1))
    return result
  }

  const alternatives = (schema: JsonSchema, depth = 0): ReadonlyArray<JsonSchema> => {
    let all: ReadonlyArray<JsonSchema> = [schema]
    for (const union of unions) {
      const branches = schema[union]
      if (!Array.isArray(branches) || branches.length === 0) continue
      // A union that only leads back to itself ends here.
      all =
        depth >= deepest
          ? all.map((one) => without(one, union))
          : all.flatMap((one) => branches.map((branch) => flat(merge(without(one, union), flat(branch)))))
    }
    if (schema["if"] !== undefined) {
      const condition = flat(schema["if"])
      all = all.flatMap((one) => {
        const rest = without(one, "if", "then", "else")
        const met = flat(merge(merge(rest, condition), flat(schema["then"] ?? true)))
        return schema["else"] === undefined ? [met, rest] : [met, flat(merge(rest, flat(schema["else"])))]
      })
    }
    if (all.length === 1 && all[0] === schema) return all
    return all
      .slice(0, mostAlternatives)
      .flatMap((one) => alternatives(one, depth + 1))
      .slice(0, mostAlternatives)
  }

  const fits = (given: unknown, depth: number): boolean => {
    if (given === false || depth < 0) return false
    const schema = flat(given)
    const known = fitting.get(schema) ?? []
    const before = known[depth]
    if (before !== undefined) return before
    fitting.set(schema, known)
    known[depth] = false
    known[depth] = alternatives(schema).some((one) => {
      if (isRecord(one["not"]) && Object.keys(one["not"]).length === 0) return false
      if (one["enum"] !== undefined || one["const"] !== undefined) return true
      const properties = isRecord(one["properties"]) ? one["properties"] : {}
      if (
        mustBe(one, "object") &&
        names(one["required"]).some((name) => !fits(get(properties, name) ?? true, depth - 1))
      ) {
        return false
      }
      return !(mustBe(one, "array") && numeric(one["minItems"], 0) > 0 && !fits(one["items"] ?? true, depth - 1))
    })
    return known[depth]
  }

  return { flat: (schema) => flat(schema), alternatives: (schema) => alternatives(schema), fits }
}

/** The types a schema allows, read from its keywords when it does not say. */
export const typesOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const { type } = schema
  if (typeof type === "string") return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string")
  const has = (...keywords: ReadonlyArray<string>): boolean => keywords.some((keyword) => schema[keyword] !== undefined)
  if (has("properties", "required", "additionalProperties", "minProperties", "patternProperties")) return ["object"]
  if (has("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")) return ["array"]
  if (has("pattern", "minLength", "maxLength", "format")) return ["string"]
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return ["number"]
  return []
}

export const names = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : []

export const numeric = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const mustBe = (schema: JsonSchema, type: string): boolean => {
  const types = typesOf(schema)
  return types.length === 1 && types[0] === type
}

const without = (schema: JsonSchema, ...keywords: ReadonlyArray<string>): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keywords.includes(key)))

/** `#`, `#/$defs/x` and `#anchor`. What points elsewhere allows anything. */
const resolve = (root: JsonSchema, ref: string): unknown => {
  const hash = ref.indexOf("#")
  if (hash < 0 || (hash > 0 && ref.slice(0, hash) !== root["$id"])) return true
  const pointer = decode(ref.slice(hash + 1))
  if (pointer === "") return root
  if (!pointer.startsWith("/")) return anchored(root, pointer) ?? true
  let at: unknown = root
  for (const part of pointer.slice(1).split("/")) {
    const step = part.replaceAll("~1", "/").replaceAll("~0", "~")
    at = Array.isArray(at) ? at[Number(step)] : isRecord(at) ? get(at, step) : undefined
  }
  return at ?? true
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const anchored = (value: unknown, anchor: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => anchored(one, anchor)).find((one) => one !== undefined)
  if (!isRecord(value)) return undefined
  if (value["$anchor"] === anchor || value["$dynamicAnchor"] === anchor) return value
  return anchored(Object.values(value), anchor)
}

/** Both at once. Where two keywords cannot be joined, the second stands. */
const merge = (a: JsonSchema, b: JsonSchema): JsonSchema => {
  if (Object.keys(b).length === 0) return a
  if (Object.keys(a).length === 0) return b
  const joined: Array<readonly [string, unknown]> = []
  for (const [keyword, value] of Object.entries(b)) {
    const own = get(a, keyword)
    if (own === undefined) joined.push([keyword, value])
    else joined.push([keyword, join(keyword, own, value)])
  }
  return withFields(a, joined)
}

const join = (keyword: string, a: unknown, b: unknown): unknown => {
  if (larger.has(keyword)) return Math.max(numeric(a, -Infinity), numeric(b, -Infinity))
  if (smaller.has(keyword)) return Math.min(numeric(a, Infinity), numeric(b, Infinity))
  if (keyword === "required") return [...new Set([...names(a), ...names(b)])]
  if (keyword === "enum" && Array.isArray(a) && Array.isArray(b)) {
    const texts = new Set(b.map((one) => JSON.stringify(one)))
    return a.filter((one) => texts.has(JSON.stringify(one)))
  }
  if (keyword === "type") return commonTypes(listed(a), listed(b))
  if (keyword === "properties" && isRecord(a) && isRecord(b)) {
    return withFields(
      a,
      Object.entries(b).map(([name, schema]) => [name, Object.hasOwn(a, name) ? { allOf: [a[name], schema] } : schema])
    )
  }
  if (keyword === "items" || keyword === "additionalProperties")
    return a === false || b === false ? false : { allOf: [a, b] }
  if ((keyword === "anyOf" || keyword === "oneOf") && Array.isArray(a) && Array.isArray(b)) {
    return a.flatMap((one: unknown) => b.map((other: unknown) => ({ allOf: [one, other] }))).slice(0, mostAlternatives)
  }
  if (keyword === "allOf" && Array.isArray(a) && Array.isArray(b)) return [...a, ...b]
  if (keyword === "uniqueItems") return a === true || b === true
  return b
}

const larger = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"])
const smaller = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"])
const listed = (type: unknown): ReadonlyArray<string> => (typeof type === "string" ? [type] : names(type))

const commonTypes = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...a.filter((type) => b.includes(type) || (type === "integer" && b.includes("number"))),
  ...(a.includes("number") && b.includes("integer") && !a.includes("integer") ? ["integer"] : [])
]
