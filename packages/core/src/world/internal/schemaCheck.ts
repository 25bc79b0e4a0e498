/**
 * Whether a value satisfies a declared schema of a result, all its formats included.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import * as Ajv from "../../task/internal/ajv.ts"

/** Compiles a schema; null when it is none, so that there is nothing to hold an answer to. */
export const of = (schema: JsonSchema): ((value: unknown) => boolean) | null => {
  try {
    const validate = Ajv.compile(schema, "all")
    return (value) => validate(value)
  } catch {
    return null
  }
}
