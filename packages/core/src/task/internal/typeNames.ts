/**
 * The words people and generators write for JSON types, and what they mean.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"

const words: Readonly<Record<string, string>> = {
  object: "object dict dictionary map hash hashmap record struct json mapping",
  array: "array list tuple set arraylist sequence vector",
  string: "string str text char varchar file path bytes",
  number: "number float double decimal real numeric",
  integer: "integer int long short byte bigint int32 int64 uint",
  boolean: "boolean bool",
  null: "null none nil nonetype void"
}
const typeOf = new Map(Object.entries(words).flatMap(([type, names]) => names.split(" ").map((name) => [name, type])))

/** Strings of a known shape. */
const formatOf = new Map([
  ["date", "date"],
  ["time", "time"],
  ["datetime", "date-time"],
  ["date-time", "date-time"],
  ["timestamp", "date-time"],
  ["uuid", "uuid"],
  ["email", "email"],
  ["url", "uri"],
  ["uri", "uri"]
])

const anything = new Set(["any", "unknown", "mixed", "*", ""])

/**
 * The schema a type's name stands for: `dict`, `float`, `List[str]`, `string[]`, `Optional[int]`, `int | None`, `date`.
 * Undefined for a word that names no type.
 */
export const schemaOfType = (text: string): JsonSchema | undefined => {
  const word = text.trim()
  const name = word.toLowerCase()
  if (anything.has(name)) return {}
  const type = typeOf.get(name)
  if (type !== undefined) return { type }
  const format = formatOf.get(name)
  if (format !== undefined) return { type: "string", format }
  if (word.endsWith("[]")) return listOf(word.slice(0, -2))
  const generic = /^(\w+)\s*[[<](.*)[\]>]$/.exec(word)
  if (generic !== null) {
    const [, outer = "", inner = ""] = generic
    if (outer.toLowerCase() === "optional") return orNull(schemaOfType(inner))
    switch (typeOf.get(outer.toLowerCase())) {
      case "array":
        return inner.includes(",") ? { type: "array" } : listOf(inner)
      case "object":
        return { type: "object" }
      default:
        return outer.toLowerCase() === "union" ? anyOf(inner.split(",")) : undefined
    }
  }
  return word.includes("|") ? anyOf(word.split("|")) : undefined
}

const listOf = (inner: string): JsonSchema | undefined => {
  const items = schemaOfType(inner)
  return items === undefined ? undefined : { type: "array", items }
}

const orNull = (schema: JsonSchema | undefined): JsonSchema | undefined =>
  schema === undefined || !("type" in schema) ? schema : { anyOf: [schema, { type: "null" }] }

const anyOf = (parts: ReadonlyArray<string>): JsonSchema | undefined => {
  const options = parts.map(schemaOfType)
  return options.every((option) => option !== undefined) ? { anyOf: options } : undefined
}
