/**
 * The parameters of a tool as a flat list, nested objects and arrays opened up.
 */
import type { JsonSchema } from "../../task/JsonSchema.ts"
import type { Tool } from "../../task/Tool.ts"

export interface Parameter {
  /** The leaf's name, which is what facts and plans speak of. */
  readonly name: string
  /** Dotted, `[]` for items of an array: `items[].sku`. */
  readonly path: string
  /** Schema of one value: of the items, for an array of scalars. */
  readonly schema: JsonSchema
  readonly type: "string" | "number" | "integer" | "boolean" | "object"
  /** Whether several values are given. */
  readonly many: boolean
  /** Required, and so is everything around it. */
  readonly required: boolean
  readonly description: string
  /** Values the schema lists, as text. */
  readonly choices: ReadonlyArray<string>
}

/** In document order; at most a few levels deep, so that a schema that holds itself ends. */
export const parametersOf = (tool: Tool): ReadonlyArray<Parameter> => {
  const out: Array<Parameter> = []
  collect(tool.parameters, "", true, false, 0, out)
  return out
}

export const asSchema = (value: unknown): JsonSchema | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined

const deepest = 4

const collect = (
  schema: JsonSchema,
  path: string,
  required: boolean,
  many: boolean,
  depth: number,
  out: Array<Parameter>
): void => {
  const properties = asSchema(schema["properties"])
  if (properties === undefined || depth > deepest) return
  const needed = Array.isArray(schema["required"]) ? schema["required"] : []
  for (const name of Object.keys(properties)) {
    const own = asSchema(properties[name])
    if (own === undefined) continue
    const isNeeded = required && needed.includes(name)
    const at = path === "" ? name : `${path}.${name}`
    const items = asSchema(own["items"])
    const inner = typeOf(own) === "array" ? items : own
    const isMany = typeOf(own) === "array"
    if (inner !== undefined && asSchema(inner["properties"]) !== undefined) {
      collect(inner, isMany ? `${at}[]` : at, isNeeded, many || isMany, depth + 1, out)
      continue
    }
    const type = inner === undefined ? "string" : typeOf(inner)
    out.push({
      name,
      path: at,
      schema: inner ?? {},
      type: type === "array" || type === "null" ? "string" : type,
      many: many || isMany,
      required: isNeeded,
      description: textOf(own["description"]) || textOf(inner?.["description"]),
      choices: choicesOf(own).length > 0 ? choicesOf(own) : choicesOf(inner ?? {})
    })
  }
}

type SchemaType = Parameter["type"] | "array" | "null"

const typeOf = (schema: JsonSchema): SchemaType => {
  const declared = Array.isArray(schema["type"])
    ? schema["type"].find((type: unknown) => type !== "null")
    : schema["type"]
  switch (declared) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "object":
    case "array":
    case "null":
      return declared
    case "float":
      return "number"
    case "dict":
      return "object"
    case "tuple":
      return "array"
    default:
      if (asSchema(schema["properties"]) !== undefined) return "object"
      return asSchema(schema["items"]) === undefined ? "string" : "array"
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const choicesOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const listed = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : []
  return listed.flatMap((value: unknown) =>
    typeof value === "string" || typeof value === "number" ? [String(value)] : []
  )
}
