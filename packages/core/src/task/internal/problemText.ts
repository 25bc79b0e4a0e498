/**
 * What is wrong with a value, as an API would say it, from what ajv found.
 */
import { stepsOf } from "./pointer.ts"
import type { Problem } from "./ajv.ts"
import { isRecord } from "../../json/jsonCopy.ts"

/** In words: `home.city is required`. */
export const of = (problems: ReadonlyArray<Problem>, value: unknown): string => {
  const problem = telling(problems)
  return problem === undefined ? "the arguments are not accepted" : worded(problem, pathOf(problem.instancePath, value))
}

/**
 * The problem that says most: the first one, which is that of the first alternative where several were tried, but never
 * one inside something that only counts as a whole.
 */
export const telling = (problems: ReadonlyArray<Problem>): Problem | undefined =>
  problems.find((one, i) => !problems.some((other, j) => j > i && isWhole(other) && isInside(one, other)))

/** Items that are not what a list has to contain are no mistakes, nor is a name of a property a value. */
const isWhole = ({ keyword, params }: Problem): boolean =>
  keyword === "contains" || keyword === "propertyNames" || (keyword === "oneOf" && params["passingSchemas"] !== null)

const isInside = (one: Problem, whole: Problem): boolean => one.schemaPath.startsWith(`${whole.schemaPath}/`)

const worded = (problem: Problem, path: string): string => {
  const { data, keyword, params, parentSchema } = problem
  const limit = String(params["limit"])
  const must = (what: string): string => `${named(path)} must ${what}, not ${shown(data)}`
  switch (keyword) {
    case "type":
      return must(`be ${listed(params["type"]).map(spokenType).join(" or ")}`)
    case "enum":
      return must(`be one of ${listed(params["allowedValues"]).map(json).join(", ")}`)
    case "const":
      return must(`be one of ${json(params["allowedValue"])}`)
    case "minLength":
      return params["limit"] === 1
        ? `${named(path)} must not be empty`
        : `${named(path)} must have at least ${limit} characters`
    case "maxLength":
      return `${named(path)} must have at most ${limit} characters`
    case "pattern":
      return must(`match ${String(params["pattern"])}`)
    case "format":
      return must(`be a valid ${String(params["format"])}`)
    case "minimum":
      return must(`be at least ${limit}`)
    case "maximum":
      return must(`be at most ${limit}`)
    case "exclusiveMinimum":
      return must(`be more than ${limit}`)
    case "exclusiveMaximum":
      return must(`be less than ${limit}`)
    case "multipleOf":
      return must(`be a multiple of ${String(problem.schema)}`)
    case "required":
      return `${inside(path, String(params["missingProperty"]))} is required`
    case "dependentRequired":
    case "dependencies":
      return `${inside(path, String(params["missingProperty"]))} is required when ${inside(path, String(params["property"]))} is given`
    case "additionalProperties":
    case "unevaluatedProperties": {
      const extra = params[keyword === "additionalProperties" ? "additionalProperty" : "unevaluatedProperty"]
      const properties = parentSchema?.["properties"]
      const accepted = isRecord(properties) ? Object.keys(properties).join(", ") : ""
      return `${inside(path, String(extra))} is not an argument; accepted: ${accepted || "none"}`
    }
    case "propertyNames":
      return `${inside(path, String(params["propertyName"]))} is not a name that ${path === "" ? "an argument" : `a member of ${path}`} may have`
    case "minProperties":
      return `${named(path)} must have at least ${counted(params["limit"], "member")}`
    case "maxProperties":
      return `${named(path)} must have at most ${counted(params["limit"], "member")}`
    case "minItems":
      return `${named(path)} must have at least ${counted(params["limit"], "item")}`
    case "maxItems":
    case "items":
    case "additionalItems":
      return `${named(path)} must have at most ${counted(params["limit"], "item")}`
    case "unevaluatedItems":
      return typeof params["len"] === "number"
        ? `${named(path)} must have at most ${counted(params["len"], "item")}`
        : `${named(path)} has an item that is not accepted`
    case "uniqueItems":
      return `${named(path)} must not repeat an item`
    case "contains":
      return `${named(path)} must have ${bounds(params)} of the kind that its schema asks for`
    case "oneOf":
      return Array.isArray(params["passingSchemas"])
        ? `${named(path)} must be of one of the accepted forms only, and ${shown(data)} is of several`
        : `${named(path)} is of none of the accepted forms`
    default:
      return `${named(path)} is not accepted`
  }
}

const bounds = ({ maxContains, minContains }: Problem["params"]): string =>
  maxContains === undefined
    ? `at least ${counted(minContains, "item")}`
    : `from ${String(minContains)} to ${counted(maxContains, "item")}`

const counted = (count: unknown, noun: string): string => `${String(count)} ${noun}${count === 1 ? "" : "s"}`
const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])
const json = (value: unknown): string => JSON.stringify(value) ?? "nothing"

/** `home.lines[0]` for `/home/lines/0`. */
const pathOf = (pointer: string, value: unknown): string => {
  let path = ""
  let at = value
  for (const name of stepsOf(pointer)) {
    path = Array.isArray(at) ? `${path}[${name}]` : inside(path, name)
    at = isRecord(at) || Array.isArray(at) ? (at as Readonly<Record<string, unknown>>)[name] : undefined
  }
  return path
}

const named = (path: string): string => (path === "" ? "the arguments" : path)
const inside = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)
const spokenType = (type: unknown): string =>
  type === "null" ? "null" : /^[aeiou]/.test(String(type)) ? `an ${String(type)}` : `a ${String(type)}`

/** At most so much of a wrong value is repeated. */
const longest = 60
const shown = (value: unknown): string => {
  const text = json(value)
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}
