/**
 * The parameters of a tool as a flat list, nested objects and arrays opened up.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { referencesOf, type ReferenceWhy } from "../../task/References.ts"
import type { Tool } from "../../task/Tool.ts"
import { wordsOf } from "../../task/ToolKind.ts"

export interface Parameter {
  /** The leaf's name, which is what facts and plans speak of. */
  readonly name: string
  /** Property names from the arguments object on; `*` is any item of an array. */
  readonly path: ReadonlyArray<string>
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
  /** What makes it name a record, if it does. */
  readonly reference: ReferenceWhy | undefined
  /** Whether it names a record by an identifier that only a system could have given out: `order_id`, not `email`. */
  readonly isId: boolean
}

/** In document order; at most a few levels deep, so that a schema that holds itself ends. */
export const parametersOf = (tool: Tool): ReadonlyArray<Parameter> => {
  const references = new Map(referencesOf(tool).map((reference) => [JSON.stringify(reference.path), reference.why]))
  const out: Array<Parameter> = []
  const collect = (given: JsonSchema, path: ReadonlyArray<string>, required: boolean, many: boolean): void => {
    const schema = chosen(given, tool.parameters)
    const properties = asSchema(schema["properties"])
    if (properties === undefined || path.length > deepest) return
    const needed = Array.isArray(schema["required"]) ? schema["required"] : []
    for (const name of Object.keys(properties)) {
      const property = asSchema(properties[name])
      if (property === undefined) continue
      const own = chosen(property, tool.parameters)
      const isNeeded = required && needed.includes(name)
      const at = [...path, name]
      const isMany = typeOf(own) === "array"
      const items = asSchema(own["items"])
      const inner = isMany ? (items === undefined ? {} : chosen(items, tool.parameters)) : own
      if (asSchema(inner["properties"]) !== undefined) {
        collect(inner, isMany ? [...at, "*"] : at, isNeeded, many || isMany)
        continue
      }
      const type = typeOf(inner)
      const reference = references.get(JSON.stringify(at))
      out.push({
        name,
        path: at,
        schema: inner,
        type: type === "array" || type === "null" ? "string" : type,
        many: many || isMany,
        required: isNeeded,
        description: textOf(property["description"]) || textOf(inner["description"]),
        choices: choicesOf(own).length > 0 ? choicesOf(own) : choicesOf(inner),
        reference,
        isId: reference !== undefined && issued.has(reference) && !wordsOf(name).some((word) => notIssued.has(word))
      })
    }
  }
  collect(tool.parameters, [], true, false)
  return out
}

const issued: ReadonlySet<ReferenceWhy> = new Set(["id", "number", "code", "record"])
/** Numbers and codes that people know by heart or the world gives out. */
const notIssued: ReadonlySet<string> = new Set(
  "phone telephone mobile fax ticker symbol house room table database document channel ssn".split(" ")
)

/** A schema behind a `$ref` into the tool's own, or the first branch that is not null. */
const chosen = (schema: JsonSchema, root: JsonSchema): JsonSchema => {
  const pointer = schema["$ref"]
  if (typeof pointer === "string" && pointer.startsWith("#/")) {
    let target: JsonSchema | undefined = root
    for (const part of pointer.slice(2).split("/")) {
      target = target !== undefined && Object.hasOwn(target, part) ? asSchema(target[part]) : undefined
    }
    if (target !== undefined) return { ...schema, ...target, $ref: undefined }
  }
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const branches: ReadonlyArray<unknown> = Array.isArray(schema[keyword]) ? schema[keyword] : []
    const branch = branches.map(asSchema).find((candidate) => candidate !== undefined && candidate["type"] !== "null")
    if (branch !== undefined) return { ...schema, ...branch, [keyword]: undefined }
  }
  return schema
}

export const asSchema = (value: unknown): JsonSchema | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined

const deepest = 4

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
