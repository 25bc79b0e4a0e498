/**
 * The JSON Schema of a row, from the same Schema the type comes from. It stands apart from `Row.ts` because few programs
 * need it and all of them would load it.
 */
import * as JSONSchema from "effect/JSONSchema"
import { Row } from "./Row.ts"

/** Draft 7. Keys it does not name are allowed, as a reader of rows allows them. */
export const make = (): Readonly<Record<string, unknown>> => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  const row = JSONSchema.fromAST(Row.ast, {
    definitions,
    additionalPropertiesStrategy: "allow",
    topLevelReferenceStrategy: "skip"
  })
  const schema = { ...row, $defs: definitions }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "A row of a Sandtable run",
    ...(JSON.parse(JSON.stringify(schema, withoutIds)) as typeof schema)
  }
}

/** Values of any kind come with an id of their own, the same for each, which a validator refuses. */
const withoutIds = (key: string, value: unknown): unknown => (key === "$id" ? undefined : value)
