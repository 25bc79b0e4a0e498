/**
 * Which draft of JSON Schema a schema is written in: the one that its `$schema` names, else the one whose schema it refers
 * to or whose keywords it uses.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { visit } from "./schemaTree.ts"

/** Older ones are read as draft-07, newer ones as 2020-12. */
export type Draft = "draft-07" | "2019-09" | "2020-12"

/** The draft that `$schema` names. */
export const namedDraft = ({ $schema }: JsonSchema): Draft | undefined => {
  if (typeof $schema !== "string") return undefined
  if ($schema.includes("2020-12")) return "2020-12"
  if ($schema.includes("2019-09")) return "2019-09"
  return /\bdraft-0[3-7]\b/.test($schema) ? "draft-07" : undefined
}

export const draftOf = (schema: JsonSchema): Draft => {
  const named = namedDraft(schema)
  if (named !== undefined) return named
  const used = new Set<string>()
  let referred: Draft | undefined
  visit(schema, (node) => {
    referred ??= namedDraft({ $schema: node.$ref })
    for (const keyword of Object.keys(node)) used.add(keyword)
    if (Array.isArray(node.items)) used.add(listedItems)
  })
  if (referred !== undefined) return referred
  const uses = (keywords: ReadonlyArray<string>): boolean => keywords.some((keyword) => used.has(keyword))
  if (uses(since2020)) return "2020-12"
  if (uses(only2019)) return "2019-09"
  const modern = uses(since2019)
  if (used.has(listedItems)) return modern ? "2019-09" : "draft-07"
  return !modern && uses(until2019) ? "draft-07" : "2020-12"
}

const since2020 = ["prefixItems", "$dynamicRef", "$dynamicAnchor"]
const only2019 = ["$recursiveRef", "$recursiveAnchor"]
const since2019 = [
  "$defs",
  "$anchor",
  "unevaluatedItems",
  "unevaluatedProperties",
  "dependentRequired",
  "dependentSchemas",
  "minContains",
  "maxContains"
]
const until2019 = ["definitions", "dependencies", "additionalItems"]
/** Stands for `items` that is a list of schemas. */
const listedItems = "items[]"
