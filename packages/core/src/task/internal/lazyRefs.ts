/**
 * Schemas that are written as functions, so that they can hold themselves, as references into `$defs`.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"

export interface LazyRefs {
  /** A reference to what a function gives, which is called once: each time it may make another schema. */
  readonly refer: (getter: unknown) => JsonSchema
  /** A schema with everything that was referred to. */
  readonly complete: (schema: JsonSchema) => JsonSchema
}

export const make = (read: (schema: unknown) => JsonSchema): LazyRefs => {
  const names = new Map<unknown, string>()
  const defs: Record<string, JsonSchema> = {}
  return {
    refer: (getter) => {
      if (typeof getter !== "function") return {}
      let name = names.get(getter)
      if (name === undefined) {
        names.set(getter, (name = `schema${names.size + 1}`))
        defs[name] = read(getter(undefined))
      }
      return { $ref: `#/$defs/${name}` }
    },
    complete: (schema) => (names.size === 0 ? schema : { ...schema, $defs: defs })
  }
}
