/**
 * A schema as ajv reads it rightly: names inside it resolved, patterns that are not checked left out, and what ajv would
 * refuse or pass over said in other words. A schema that is plain already comes back as it is.
 */
import type { Draft } from "./draft.ts"
import { localise } from "./identifiers.ts"
import { mapInside, visit } from "./schemaTree.ts"
import { isChecked } from "./slowPattern.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { isRecord } from "../../json/jsonCopy.ts"

export const of = (schema: JsonSchema, draft: Draft): JsonSchema => {
  const { $schema: _dialect, ...own } = localise(schema, draft)
  let tracked = false
  visit(own, (node) => {
    tracked ||= node.unevaluatedProperties !== undefined || node.unevaluatedItems !== undefined
  })
  let plain = true
  visit(own, (node) => {
    plain &&= mended(node, tracked) === node
  })
  return plain ? own : rewritten(own, tracked)
}

const rewritten = (node: JsonSchema, tracked: boolean): JsonSchema =>
  mended(
    mapInside(node, (child) => (isRecord(child) ? rewritten(child, tracked) : child)),
    tracked
  )

/** The schema itself where there is nothing to mend. `tracked`: somewhere it matters which members were looked at. */
const mended = (node: JsonSchema, tracked: boolean): JsonSchema => {
  const out: Record<string, unknown> = { ...node }
  let changed = false
  const set = (keyword: string, value: unknown): void => {
    changed = true
    if (value === undefined) delete out[keyword]
    else out[keyword] = value
  }
  const also = (schema: unknown): void => set("allOf", [...(Array.isArray(out.allOf) ? out.allOf : []), schema])
  if (typeof node.pattern === "string" && !isChecked(node.pattern)) set("pattern", undefined)
  if (isRecord(node.patternProperties) && !Object.keys(node.patternProperties).every(isChecked)) {
    // properties that were allowed by a pattern that is not checked stay allowed
    for (const keyword of ["patternProperties", "additionalProperties", "unevaluatedProperties"]) {
      if (node[keyword] !== undefined) set(keyword, undefined)
    }
  }
  if (isRecord(node.properties) && Object.hasOwn(node.properties, "__proto__")) {
    const patterns = isRecord(out.patternProperties) ? out.patternProperties : {}
    set("patternProperties", { ...patterns, "^__proto__$": node.properties["__proto__"] })
    set("properties", Object.fromEntries(Object.entries(node.properties).filter(([name]) => name !== "__proto__")))
  }
  if (Array.isArray(node.enum) && node.enum.length === 0) {
    set("enum", undefined)
    also(false)
  }
  if (tracked && node.if !== undefined) {
    // What a condition looks at counts where it holds, and nowhere else.
    for (const keyword of ["if", "then", "else"]) if (node[keyword] !== undefined) set(keyword, undefined)
    also({ anyOf: [{ allOf: [node.if, node.then ?? true] }, { allOf: [{ not: node.if }, node.else ?? true] }] })
  }
  if (node.nullable !== undefined && node.type === undefined) set("nullable", undefined)
  return changed ? out : node
}
