/**
 * Whether a value is what a schema asks for, said as an API would say it: what is missing, of the wrong type, outside the
 * listed values. Ajv decides; what it finds is put into words here.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import * as ErrorText from "../ErrorText.ts"
import * as Ajv from "./ajv.ts"
import * as Nulls from "./nulls.ts"
import { escaped } from "./pointer.ts"
import * as ProblemText from "./problemText.ts"

/** The first problem of a value, or null: `order_id is required`. */
export type Check = (value: unknown) => string | null

/**
 * A check against a schema, compiled when a value first comes: of the draft that its `$schema` names, else of the one whose
 * keywords it uses. References are followed inside the schema only. A null that is refused counts as left out where the
 * schema lets the member be missing: that is how many callers leave one out.
 */
export const compile = (schema: JsonSchema): Check => {
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
