/**
 * Whether arguments are what a tool asks for, said as an API would say it: what is missing, of the wrong type, outside
 * the listed values, or a placeholder that nobody filled in. Ajv decides; what it finds is put into words here.
 */
import * as ErrorText from "../task/ErrorText.ts"
import { escaped } from "../task/internal/pointer.ts"
import type { JsonSchema } from "../json/JsonSchema.ts"
import type { Tool } from "../task/Tool.ts"
import * as ExactJson from "../json/ExactJson.ts"
import * as Ajv from "./internal/ajv.ts"
import * as Nulls from "./internal/nulls.ts"
import * as ProblemText from "./internal/problemText.ts"
import { isRecord } from "./internal/records.ts"
import { referenceOf } from "./internal/nouns.ts"

/** The first problem of a value, or null: `order_id is required`. */
export type Check = (value: unknown) => string | null

/** Checks the arguments of a tool, placeholders included. */
export const compile = (tool: Tool): Check => {
  const schema = ofSchema(tool.parameters)
  const properties = isRecord(tool.parameters["properties"]) ? Object.keys(tool.parameters["properties"]) : []
  const identifiers = new Map(
    properties.flatMap((name) => {
      const reference = referenceOf(name)
      return reference === null ? [] : [[name, new Set([plain(name), plain(`${reference.noun}id`)])] as const]
    })
  )
  return (value) => schema(value) ?? (isRecord(value) ? unfilled(value, identifiers) : null)
}

/**
 * Checks a value against a schema, without placeholders: of the draft that its `$schema` names, else of the one whose
 * keywords it uses. References are followed inside the schema only. A null that is refused counts as left out where the
 * schema lets the member be missing: that is how many callers leave one out.
 */
export const ofSchema = (schema: JsonSchema): Check => {
  let known = checks.get(schema)
  if (known === undefined) checks.set(schema, (known = checking(schema)))
  return known
}
const checks = new WeakMap<JsonSchema, Check>()

/** Compiled when a value first comes, once: the world and the thread hold calls against the same schemas. */
const checking = (schema: JsonSchema): Check => {
  let validate: Ajv.Validate | undefined
  return (value) =>
    asWritten(value, (near) => {
      try {
        validate ??= Ajv.compile(schema, "sure")
        return validate(near) ? null : refusal(validate, near)
      } catch (error) {
        return `the arguments cannot be held against their schema: ${ErrorText.of(error)}`
      }
    })
}

const refusal = (validate: Ajv.Validate, value: unknown): string | null => {
  const nulls = new Map<string, Ajv.Problem>()
  let given = Nulls.defined(value)
  while (!validate(given)) {
    const problems = validate.errors ?? []
    const refused = problems.filter((problem) => !nulls.has(problem.instancePath) && isRefusedNull(problem))
    if (refused.length === 0) return worded(problems, given, nulls)
    for (const problem of refused) nulls.set(problem.instancePath, problem)
    given = Nulls.without(
      given,
      refused.map(({ instancePath }) => instancePath)
    )
  }
  return null
}

/** A null that would be no mistake if it were not there. What may have any name was not left out: it was put in. */
const isRefusedNull = ({ data, instancePath, schemaPath }: Ajv.Problem): boolean =>
  data === null && instancePath !== "" && !anyName.test(schemaPath)
const anyName = /\/(?:(?:additional|unevaluated)Properties|patternProperties\/[^/]+)\/[^/]+$/

/** A null for what is required is told as the wrong value it is, not as missing. */
const worded = (
  problems: ReadonlyArray<Ajv.Problem>,
  value: unknown,
  nulls: ReadonlyMap<string, Ajv.Problem>
): string => {
  const problem = ProblemText.telling(problems)
  const missing = problem?.keyword === "required" ? String(problem.params["missingProperty"]) : undefined
  const given = missing === undefined ? undefined : nulls.get(`${problem?.instancePath ?? ""}/${escaped(missing)}`)
  return ProblemText.of(given === undefined ? problems : [given], value)
}

/** Checks the nearest number for each that JavaScript would round, and tells of it by the digits it has. */
const asWritten = (value: unknown, check: Check): string | null => {
  const digits = new Map<string, string>()
  const near = ExactJson.mapExact(value, (exact) => {
    digits.set(String(Number(exact.digits)), exact.digits)
    return Number(exact.digits)
  })
  const problem = check(near)
  if (problem === null || digits.size === 0) return problem
  let told = problem
  for (const [rounded, written] of digits) told = told.replaceAll(rounded, written)
  return told
}

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
