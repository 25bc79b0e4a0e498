/**
 * Walks JSON Schemas: which members of a schema hold schemas, and which hold values or names.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { isObject } from "./keywords.ts"
import { escaped, stepsOf } from "./pointer.ts"

/** Under these stand values, not schemas. */
const valueKeywords = new Set(["default", "const", "enum", "examples", "example", "required"])

/** Under these stand names, with a schema or a list of names each. */
const nameMaps = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "dependentRequired"
])

/** Keywords that allow and forbid nothing. */
export const describing: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "example",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
  "$defs",
  "definitions"
])

/** A copy in which every schema directly inside is read; `step` leads to it as a JSON Pointer does. */
export const mapInside = (
  node: JsonSchema,
  read: (child: unknown, step: string) => unknown
): Record<string, unknown> => {
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(node)) {
    out[keyword] = valueKeywords.has(keyword)
      ? value
      : Array.isArray(value)
        ? value.map((each, i) => read(each, `/${escaped(keyword)}/${i}`))
        : !isObject(value)
          ? value
          : nameMaps.has(keyword)
            ? Object.fromEntries(
                Object.entries(value).map(([name, each]) => [name, read(each, `/${escaped(keyword)}/${escaped(name)}`)])
              )
            : read(value, `/${escaped(keyword)}`)
  }
  return out
}

/** What was written as JSON, unlike the schemas of libraries that may stand in it. */
export const isPlain = (value: unknown): value is JsonSchema => {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Every schema of the tree once, the root first. */
export const visit = (node: JsonSchema, see: (node: JsonSchema) => void, seen = new Set<JsonSchema>()): void => {
  if (seen.has(node)) return
  seen.add(node)
  see(node)
  mapInside(node, (child) => {
    if (isPlain(child)) visit(child, see, seen)
    return child
  })
}

/** What a pointer such as `#/$defs/a` leads to; undefined when it leads nowhere. */
export const pointed = (root: unknown, pointer: string): unknown => {
  if (pointer === "#" || pointer === "#/") return root
  if (!pointer.startsWith("#/")) return undefined
  let node = root
  for (const step of stepsOf(pointer)) {
    const name = decoded(step)
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined
    node = (node as Readonly<Record<string, unknown>>)[name]
  }
  return node
}

/** In the fragment of an address a step may be percent-encoded, too. */
const decoded = (step: string): string => {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
