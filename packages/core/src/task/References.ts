/**
 * Which arguments of a tool name something that exists outside of the call: an order by its id, a file by its path, a
 * person by name. What grid, writer and world must agree on, they ask here.
 */
import type { JsonSchema } from "../json/JsonSchema.ts"
import type { Tool } from "./Tool.ts"
import { wordsOf } from "./ToolKind.ts"

/** What made us take the argument for a reference. */
export type ReferenceWhy = "id" | "path" | "name" | "number" | "code" | "email" | "url" | "phone" | "record"

export interface Reference {
  /** Property names from the arguments object to the argument; `*` is any item of an array. */
  readonly path: ReadonlyArray<string>
  /** The last property name: `order_id`. */
  readonly argument: string
  readonly why: ReferenceWhy
  /** Whether every object on the way requires it. */
  readonly required: boolean
}

/** The references among a tool's arguments, in the order of its schema. */
export const referencesOf = (tool: Tool): ReadonlyArray<Reference> => {
  const found = new Map<string, Reference>()
  const visit = (schema: unknown, path: ReadonlyArray<string>, required: boolean, depth: number): void => {
    if (!isObject(schema) || depth > deepest) return
    const target = typeof schema["$ref"] === "string" ? resolve(tool.parameters, schema["$ref"]) : undefined
    if (target !== undefined) visit(target, path, required, depth + 1)
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      for (const branch of listOf(schema[keyword])) visit(branch, path, required && keyword === "allOf", depth + 1)
    }
    for (const item of [schema["items"], ...listOf(schema["prefixItems"])]) {
      visit(item, [...path, "*"], required, depth + 1)
    }
    const properties = schema["properties"]
    if (!isObject(properties)) return
    const requiredNames = new Set(listOf(schema["required"]))
    for (const [name, property] of Object.entries(properties)) {
      const here = [...path, name]
      const needed = required && requiredNames.has(name)
      const why = isObject(property) ? whyReference(name, property) : undefined
      const key = JSON.stringify(here)
      if (why !== undefined && !found.has(key)) found.set(key, { path: here, argument: name, why, required: needed })
      visit(property, here, needed, depth + 1)
    }
  }
  visit(tool.parameters, [], true, 0)
  return [...found.values()]
}

/** Schemas nest no deeper than this before they are cyclic or nobody's arguments. */
const deepest = 12

const words: ReadonlyArray<readonly [ReferenceWhy, ReadonlyArray<string>]> = [
  ["id", ["id", "ids", "uid", "uuid", "guid", "identifier", "identifiers", "sku", "isbn", "vin", "iban", "ssn", "arn"]],
  ["path", ["path", "paths", "file", "files", "filename", "filenames", "filepath", "dir", "directory", "folder"]],
  ["name", ["name", "names", "username", "usernames", "login", "handle", "slug"]],
  ["number", ["number", "numbers", "no", "num", "serial"]],
  ["code", ["code", "codes", "pnr", "ref", "reference", "ticker", "symbol"]],
  ["email", ["email", "emails"]],
  ["url", ["url", "urls", "uri", "link", "website"]],
  ["phone", ["phone", "mobile"]],
  [
    "record",
    [
      "order",
      "orders",
      "account",
      "user",
      "customer",
      "employee",
      "patient",
      "contact",
      "ticket",
      "booking",
      "reservation",
      "invoice",
      "shipment",
      "repository",
      "repo",
      "document",
      "channel",
      "database",
      "table"
    ]
  ]
]
const byWord: ReadonlyMap<string, ReferenceWhy> = new Map(
  words.flatMap(([why, list]) => list.map((word) => [word, why]))
)

/** `zip_code`, `error_code`: codes and names of a kind of thing, not of one thing. */
const kinds = new Set(
  "zip postal post country currency language lang area source error status state region color time dial".split(" ")
)
/** `number_of_guests`, `total_number`, a bare `number`: a count or an operand. */
const isAmount = (name: ReadonlyArray<string>): boolean =>
  name.length === 1 || name.includes("of") || amounts.has(name.at(-2) ?? "")
const amounts = new Set("total max min maximum minimum random page line dice lucky complex real whole input".split(" "))

const formats: ReadonlyMap<string, ReferenceWhy> = new Map([
  ["uuid", "id"],
  ["email", "email"],
  ["uri", "url"],
  ["url", "url"]
])

const whyReference = (name: string, schema: JsonSchema): ReferenceWhy | undefined => {
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => referable.has(type))) return undefined
  const format = typeof schema["format"] === "string" ? formats.get(schema["format"]) : undefined
  const parts = wordsOf(name)
  const why = format ?? byWord.get(parts.at(-1) ?? "")
  if (why === undefined) return undefined
  const choice = Array.isArray(schema["enum"]) && why !== "id" && why !== "path"
  const nested = types.length > 0 && types.every((type) => type === "object" || type === "dict")
  if (choice || nested) return undefined
  if ((why === "code" || why === "name") && kinds.has(parts.at(-2) ?? "")) return undefined
  if (why === "code" && parts.length === 1 && parts[0] === "code") return undefined
  if (why === "number" && isAmount(parts)) return undefined
  if (why === "record" && sorting.test(String(schema["description"] ?? ""))) return undefined
  if (why === "record" && types.some((type) => type !== "string" && type !== "str")) return undefined
  const items = schema["items"]
  if (types.includes("array") && isObject(items) && typesOf(items).some((type) => type === "object")) return undefined
  return why
}

/** An `order` to sort in names no record. */
const sorting = /\b(?:ascending|descending|sort(?:ed|ing)?)\b/i

/** Types a reference is written in; `dict`, `float`, `bool` and the like come from callers' own dialects. */
const referable = new Set(["string", "integer", "number", "array", "list", "any", "str", "int"])

const typesOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const types = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]
  return types.filter((type): type is string => typeof type === "string" && type !== "null")
}

/** A `#/...` pointer into the tool's own schema. */
const resolve = (root: JsonSchema, pointer: string): unknown => {
  if (!pointer.startsWith("#/")) return undefined
  let at: unknown = root
  for (const part of pointer.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
