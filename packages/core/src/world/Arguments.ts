/**
 * Whether arguments are what a tool asks for, said as an API would say it: what is missing, of the wrong type, outside
 * the listed values, or a placeholder that nobody filled in.
 */
import type { JsonSchema } from "../json/JsonSchema.ts"
import type { Tool } from "../task/Tool.ts"
import * as ValueCheck from "../task/internal/valueCheck.ts"
import { isRecord } from "./internal/records.ts"
import { referenceOf } from "./internal/nouns.ts"

/** The first problem of a value, or null: `order_id is required`. */
export type Check = ValueCheck.Check

/** Checks the arguments of a tool, placeholders included. `check`: the check of its schema, where it is compiled already. */
export const compile = ({ parameters }: Pick<Tool, "parameters">, check: Check = ofSchema(parameters)): Check => {
  const properties = isRecord(parameters["properties"]) ? Object.keys(parameters["properties"]) : []
  const identifiers = new Map(
    properties.flatMap((name) => {
      const reference = referenceOf(name)
      return reference === null ? [] : [[name, new Set([plain(name), plain(`${reference.noun}id`)])] as const]
    })
  )
  return (value) => check(value) ?? (isRecord(value) ? unfilled(value, identifiers) : null)
}

/**
 * Checks a value against a schema, without placeholders: of the draft that its `$schema` names, else of the one whose
 * keywords it uses. References are followed inside the schema only. A null that is refused counts as left out where the
 * schema lets the member be missing: that is how many callers leave one out.
 */
export const ofSchema: (schema: JsonSchema) => Check = ValueCheck.compile

/** The first text that stands for a value instead of being one: `<order id>`, `{{id}}`, `your_order_id`, `string`. */
const unfilled = (
  args: Readonly<Record<string, unknown>>,
  identifiers: ReadonlyMap<string, ReadonlySet<string>>
): string | null => {
  for (const name of Object.keys(args)) {
    const value = args[name]
    const called = identifiers.get(name)
    if (typeof value === "string" && isPlaceholder(value, called)) {
      return `${name} has to be a real value, not the placeholder ${JSON.stringify(value)}`
    }
    if (called !== undefined && Array.isArray(value)) {
      const found = value.find((one) => typeof one === "string" && isPlaceholder(one, called))
      if (found !== undefined) return `${name} has to hold real values, not the placeholder ${JSON.stringify(found)}`
    }
  }
  return null
}

const bracketed =
  /^\s*(?:<[^<>]{1,80}>|\{\{[^{}]{0,80}\}\}|\$\{[^{}]{0,80}\}|\[(?:insert|your|the|enter|placeholder)\b[^\]]{0,80}\])\s*$/i
const vague =
  /^(?:your|insert|enter|some|example|sample|actual)[_\s-].{1,60}$|^.{1,60}[_\s-]here$|^x{3,}$|^(?:placeholder|unknown|n\/a|tbd|todo|null|undefined|none|id|\.{3}|\?+)$/i

/**
 * `called` are names of what the argument identifies, if it does: what stands for an identifier is easier to tell, since
 * its name is none, and a number at its end makes it one.
 */
const isPlaceholder = (value: string, called: ReadonlySet<string> | undefined): boolean => {
  if (value.length > longestPlaceholder || (called !== undefined && numbered.test(value))) return false
  if (value === "string" || (marks.test(value) && bracketed.test(value))) return true
  return called !== undefined && (vague.test(value) || called.has(plain(value)))
}
const longestPlaceholder = 90
const numbered = /^[A-Za-z#]*\d+$/
const marks = /[<{[]/
const plain = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, "")
