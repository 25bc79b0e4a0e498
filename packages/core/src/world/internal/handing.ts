/**
 * Arguments as the caller's code takes them. A number that JavaScript would round is handed over as a bigint, or as its
 * digits where the tool takes text; where neither says the same number, nothing is handed over.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { get, isRecord, type JsonObject } from "./records.ts"
import * as SchemaShape from "./schemaShape.ts"

/** The arguments, or why they cannot be handed over. */
export const handed = (args: JsonObject, schema: JsonSchema): JsonObject | string => {
  let problem: string | null = null
  const given = ExactJson.mapExact(args, (number, path) => {
    const types = typesAt(schema, path)
    const numeric = types.includes("integer") || types.includes("number")
    if (types.includes("string") && !numeric) return number.digits
    if (number.isInteger) return BigInt(number.digits)
    if (types.includes("string") || !numeric) return number.digits
    problem ??= `${path.join(".")} has more digits (${number.digits}) than a number can hold here: give at most 15`
    return number.digits
  })
  return problem ?? (given as JsonObject)
}

/** The types that a schema allows at a place; none where it does not say. */
const typesAt = (root: JsonSchema, path: ReadonlyArray<string | number>): ReadonlyArray<string> => {
  const shapes = SchemaShape.make(root)
  let schemas: ReadonlyArray<JsonSchema> = [shapes.flat(root)]
  for (const step of path) {
    schemas = schemas.flatMap(branchesOf).flatMap((schema): ReadonlyArray<JsonSchema> => {
      const properties = schema["properties"]
      const inner =
        typeof step === "number"
          ? schema["items"]
          : ((isRecord(properties) ? get(properties, step) : undefined) ?? schema["additionalProperties"])
      return isRecord(inner) ? [shapes.flat(inner)] : []
    })
  }
  return schemas.flatMap(branchesOf).flatMap(SchemaShape.typesOf)
}

/** A schema and what it says by cases. */
const branchesOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => [
  schema,
  ...["anyOf", "oneOf"].flatMap((union) => {
    const branches = schema[union]
    return Array.isArray(branches) ? branches.filter(isRecord) : []
  })
]
