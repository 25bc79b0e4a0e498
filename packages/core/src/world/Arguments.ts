/**
 * Whether arguments are what a tool asks for, said as an API would say it: what is missing, of the wrong type, outside
 * the listed values, or a placeholder that nobody filled in. Compiled once per tool; reads the keywords that tools use.
 */
import type { JsonSchema } from "../task/JsonSchema.ts"
import type { Tool } from "../task/Tool.ts"
import { get, isRecord } from "./internal/records.ts"
import { referenceOf } from "./internal/nouns.ts"
import * as SchemaShape from "./internal/schemaShape.ts"

/** The first problem of a value, or null: `order_id is required`. */
export type Check = (value: unknown) => string | null

/** Checks the arguments of a tool, placeholders included. */
export const compile = (tool: Tool): Check => {
  const schema = ofSchema(tool.parameters)
  const properties = isRecord(tool.parameters["properties"]) ? Object.keys(tool.parameters["properties"]) : []
  const identifiers = new Map(
    properties.flatMap((name) => {
      const reference = referenceOf(name)
      return reference === null ? [] : [[name, new Set([plain(name), plain(`${reference.noun}id`)])] as const]
    })
  )
  return (value) => schema(value) ?? (isRecord(value) ? unfilled(value, identifiers) : null)
}

/** Checks a value against a schema, without placeholders. */
export const ofSchema = (root: JsonSchema): Check => {
  const shapes = SchemaShape.make(root)
  const compiled = new Map<object, Part>()
  const part = (given: unknown): Part => {
    const schema = shapes.flat(given)
    const known = compiled.get(schema)
    if (known !== undefined) return known
    let built: Part | undefined
    const lazily: Part = (value, path) => {
      built ??= compilePart(schema, part)
      return built(value, path)
    }
    compiled.set(schema, lazily)
    return lazily
  }
  const all = part(root)
  return (value) => all(value, "")
}

/** The first text that stands for a value instead of being one: `<order id>`, `{{id}}`, `your_order_id`, `string`. */
const unfilled = (
  args: Readonly<Record<string, unknown>>,
  identifiers: ReadonlyMap<string, ReadonlySet<string>>
): string | null => {
  for (const name of Object.keys(args)) {
    const value = args[name]
    const called = identifiers.get(name)
    if (typeof value === "string" && isPlaceholder(value, called)) {
      return `${name} has to be a real value, not the placeholder ${JSON.stringify(value)}`
    }
    if (called !== undefined && Array.isArray(value)) {
      const found = value.find((one) => typeof one === "string" && isPlaceholder(one, called))
      if (found !== undefined) return `${name} has to hold real values, not the placeholder ${JSON.stringify(found)}`
    }
  }
  return null
}

type Part = (value: unknown, path: string) => string | null

const bracketed =
  /^\s*(?:<[^<>]{1,80}>|\{\{[^{}]{0,80}\}\}|\$\{[^{}]{0,80}\}|\[(?:insert|your|the|enter|placeholder)\b[^\]]{0,80}\])\s*$/i
const vague =
  /^(?:your|insert|enter|some|example|sample|actual)[_\s-].{1,60}$|^.{1,60}[_\s-]here$|^x{3,}$|^(?:placeholder|unknown|n\/a|tbd|todo|null|undefined|none|id|\.{3}|\?+)$/i

/**
 * `called` are names of what the argument identifies, if it does: what stands for an identifier is easier to tell, since
 * its name is none, and a number at its end makes it one.
 */
const isPlaceholder = (value: string, called: ReadonlySet<string> | undefined): boolean => {
  if (value.length > longestPlaceholder || (called !== undefined && numbered.test(value))) return false
  if (value === "string" || (marks.test(value) && bracketed.test(value))) return true
  return called !== undefined && (vague.test(value) || called.has(plain(value)))
}
const longestPlaceholder = 90
const numbered = /^[A-Za-z#]*\d+$/
const marks = /[<{[]/
const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, "")

const compilePart = (schema: JsonSchema, part: (schema: unknown) => Part): Part => {
  const parts: Array<Part> = []
  if (schema["not"] !== undefined && isRecord(schema["not"]) && Object.keys(schema["not"]).length === 0) {
    return (_value, path) => `${named(path)} is not accepted`
  }
  const types = schema["type"] === undefined ? [] : SchemaShape.typesOf(schema).filter((type) => typeTests.has(type))
  const [is, ...others] = types.flatMap((type) => typeTests.get(type) ?? [])
  if (is !== undefined) {
    parts.push((value, path) =>
      is(value) || others.some((other) => other(value))
        ? null
        : `${named(path)} must be ${types.map(spokenType).join(" or ")}, not ${shown(value)}`
    )
  }
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
  if (Array.isArray(values) && values.length > 0) {
    const texts = new Set(values.map((value) => JSON.stringify(value)))
    const list = values.map((value) => JSON.stringify(value)).join(", ")
    parts.push((value, path) =>
      texts.has(JSON.stringify(value)) ? null : `${named(path)} must be one of ${list}, not ${shown(value)}`
    )
  }
  parts.push(...texts(schema), ...numbers(schema), ...objects(schema, part), ...arrays(schema, part))
  for (const union of ["anyOf", "oneOf"]) {
    const branches = schema[union]
    if (!Array.isArray(branches) || branches.length === 0) continue
    const all = branches.map((branch: unknown) => part(branch))
    parts.push((value, path) => {
      let first: string | null = null
      for (const branch of all) {
        const problem = branch(value, path)
        if (problem === null) return null
        first ??= problem
      }
      return first
    })
  }
  if (parts.length === 1) return parts[0] ?? (() => null)
  return (value, path) => {
    for (const one of parts) {
      const problem = one(value, path)
      if (problem !== null) return problem
    }
    return null
  }
}

const typeTests: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number" && Number.isFinite(value)],
  ["integer", (value) => typeof value === "number" && Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", Array.isArray],
  ["object", isRecord]
])

const texts = (schema: JsonSchema): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const { minLength, maxLength, pattern, format } = schema
  if (typeof minLength === "number") {
    const problem = minLength === 1 ? "must not be empty" : `must have at least ${minLength} characters`
    parts.push((value, path) =>
      typeof value === "string" && [...value].length < minLength ? `${named(path)} ${problem}` : null
    )
  }
  if (typeof maxLength === "number") {
    parts.push((value, path) =>
      typeof value === "string" && [...value].length > maxLength
        ? `${named(path)} must have at most ${maxLength} characters`
        : null
    )
  }
  if (typeof pattern === "string") {
    const compiled = compiledPattern(pattern)
    if (compiled !== null) {
      parts.push((value, path) =>
        typeof value === "string" && !compiled.test(value)
          ? `${named(path)} must match ${pattern}, not ${shown(value)}`
          : null
      )
    }
  }
  const known = typeof format === "string" ? formats.get(format) : undefined
  if (known !== undefined) {
    parts.push((value, path) =>
      typeof value === "string" && !known.test(value)
        ? `${named(path)} must be a valid ${String(format)}, not ${shown(value)}`
        : null
    )
  }
  return parts
}

/** Formats whose breach is beyond doubt. */
const formats: ReadonlyMap<string, RegExp> = new Map([
  ["date", /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/],
  ["date-time", /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/],
  ["email", /^[^\s@]+@[^\s@]+$/],
  ["uuid", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i]
])

const compiledPattern = (pattern: string): RegExp | null => {
  try {
    return new RegExp(pattern, "u")
  } catch {
    return null
  }
}

const numbers = (schema: JsonSchema): ReadonlyArray<Part> => {
  const bound = (
    keyword: string,
    words: string,
    breaks: (value: number, bound: number) => boolean
  ): ReadonlyArray<Part> => {
    const limit = schema[keyword]
    return typeof limit !== "number"
      ? []
      : [
          (value, path) =>
            typeof value === "number" && breaks(value, limit)
              ? `${named(path)} must be ${words} ${limit}, not ${value}`
              : null
        ]
  }
  return [
    ...bound("minimum", "at least", (value, limit) => value < limit),
    ...bound("maximum", "at most", (value, limit) => value > limit),
    ...bound("exclusiveMinimum", "more than", (value, limit) => value <= limit),
    ...bound("exclusiveMaximum", "less than", (value, limit) => value >= limit),
    ...bound(
      "multipleOf",
      "a multiple of",
      (value, limit) => Math.abs(value / limit - Math.round(value / limit)) > 1e-9
    )
  ]
}

const objects = (schema: JsonSchema, part: (schema: unknown) => Part): ReadonlyArray<Part> => {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const required = SchemaShape.names(schema["required"])
  const members = new Map(Object.keys(properties).map((name) => [name, part(properties[name])]))
  const others = schema["additionalProperties"]
  const patterns = isRecord(schema["patternProperties"])
    ? Object.entries(schema["patternProperties"]).map(([pattern, one]) => ({
        matches: compiledPattern(pattern),
        check: part(one)
      }))
    : []
  const rest = isRecord(others) ? part(others) : null
  if (members.size === 0 && required.length === 0 && patterns.length === 0 && others === undefined) return []
  const demanded = new Set(required)
  return [
    (value, path) => {
      if (!isRecord(value)) return null
      for (const name of required) {
        if (get(value, name) === undefined) return `${inside(path, name)} is required`
      }
      for (const name of Object.keys(value)) {
        const given = value[name]
        const member = members.get(name) ?? patterns.find(({ matches }) => matches?.test(name) === true)?.check
        // A null for what may be left out is how many callers leave it out.
        if (given === undefined || (given === null && member !== undefined && !demanded.has(name))) continue
        const problem =
          member !== undefined
            ? member(given, inside(path, name))
            : rest !== null
              ? rest(given, inside(path, name))
              : others === false
                ? `${inside(path, name)} is not an argument; accepted: ${[...members.keys()].join(", ") || "none"}`
                : null
        if (problem !== null) return problem
      }
      return null
    }
  ]
}

const arrays = (schema: JsonSchema, part: (schema: unknown) => Part): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const { minItems, maxItems } = schema
  if (typeof minItems === "number") {
    parts.push((value, path) =>
      Array.isArray(value) && value.length < minItems
        ? `${named(path)} must have at least ${minItems} item${minItems === 1 ? "" : "s"}`
        : null
    )
  }
  if (typeof maxItems === "number") {
    parts.push((value, path) =>
      Array.isArray(value) && value.length > maxItems
        ? `${named(path)} must have at most ${maxItems} item${maxItems === 1 ? "" : "s"}`
        : null
    )
  }
  if (schema["uniqueItems"] === true) {
    parts.push((value, path) =>
      Array.isArray(value) && new Set(value.map((one) => JSON.stringify(one))).size < value.length
        ? `${named(path)} must not repeat an item`
        : null
    )
  }
  const fixed = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"].map((one: unknown) => part(one)) : []
  if (isRecord(schema["items"]) || schema["items"] === false || fixed.length > 0) {
    const item = part(schema["items"] ?? true)
    parts.push((value, path) => {
      if (!Array.isArray(value)) return null
      for (let i = 0; i < value.length; i++) {
        const problem = (fixed[i] ?? item)(value[i], `${path}[${i}]`)
        if (problem !== null) return problem
      }
      return null
    })
  }
  return parts
}

const named = (path: string): string => (path === "" ? "the arguments" : path)
const inside = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)
const spokenType = (type: string): string =>
  type === "null" ? "null" : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`

/** At most so much of a wrong value is repeated. */
const longest = 60
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}
