/**
 * Whether a value satisfies a declared schema, asked of ajv. It is loaded when a run first declares an output schema,
 * and a schema is compiled when its tool is first called: runs without declared results never pay for either.
 */
import * as Effect from "effect/Effect"
import type { JsonSchema } from "../../task/JsonSchema.ts"

/** Compiles a schema; null when it is no schema ajv can read, so that there is nothing to hold an answer to. */
export type Checker = (schema: JsonSchema) => ((value: unknown) => boolean) | null

export const load: Effect.Effect<Checker> = Effect.suspend(() => {
  loaded ??= importing()
  const pending = loaded
  return Effect.promise(() => pending)
})

let loaded: Promise<Checker> | undefined

const importing = async (): Promise<Checker> => {
  const [{ Ajv2020 }, formats] = await Promise.all([import("ajv/dist/2020.js"), import("ajv-formats")])
  const addFormats = formats.default.default
  const fresh = () => {
    const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false, validateSchema: false })
    addFormats(ajv)
    return ajv
  }
  const shared = fresh()
  return (schema) => {
    const { $schema: _dialect, ...own } = schema
    try {
      // A schema with an id is kept by it: two tools may use one id for different schemas.
      const ajv = own["$id"] === undefined ? shared : fresh()
      const validate = ajv.compile(own)
      return (value) => validate(value)
    } catch {
      return null
    }
  }
}
