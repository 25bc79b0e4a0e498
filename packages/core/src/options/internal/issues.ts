/**
 * What a schema finds wrong with a value, as issues a person can act on.
 */
import type * as ParseResult from "effect/ParseResult"
import type * as AST from "effect/SchemaAST"
import type { OptionIssue } from "../InvalidOptions.ts"
import { Expects } from "../../settings/fields.ts"
import { nearest } from "./nearest.ts"

/** The issues of one option's value; `path` is the option. */
export const issuesOf = (issue: ParseResult.ParseIssue, path: string): ReadonlyArray<OptionIssue> =>
  walk(issue, path, "another value")

const walk = (issue: ParseResult.ParseIssue, path: string, inherited: string): ReadonlyArray<OptionIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, stepped(path, issue.path), inherited)
    case "Refinement":
    case "Transformation": {
      const expects = expectsOf(issue.ast) ?? inherited
      return issue.kind === "Predicate" ? [refused(path, issue.actual, expects)] : walk(issue.issue, path, expects)
    }
    case "Composite": {
      const inner: ReadonlyArray<ParseResult.ParseIssue> = isList(issue.issues) ? issue.issues : [issue.issues]
      // an optional value is a union whose first member says what it is
      const expects = expectsOf(issue.ast) ?? inner.map(expectsIn).find((each) => each !== undefined) ?? inherited
      if (issue.ast._tag !== "Union") {
        return inner.flatMap((each) => unexpected(each, issue.ast, path) ?? walk(each, path, expects))
      }
      // a member that took the value's shape says more than all members together
      const fitting = inner.filter(fits)
      const [only] = fitting
      return fitting.length === 1 && only !== undefined
        ? walk(only, path, expects)
        : [refused(path, issue.actual, expects)]
    }
    case "Missing":
      return [{ option: path, problem: "is missing", fix: `Give ${expectsOf(issue.ast.type) ?? "it"}.` }]
    default:
      return [refused(path, issue.actual, expectsIn(issue) ?? inherited)]
  }
}

/** Whether the value had the shape, and only something in it was wrong. */
const fits = (issue: ParseResult.ParseIssue): boolean =>
  issue._tag === "Composite" || (issue._tag === "Refinement" && (issue.kind === "Predicate" || fits(issue.issue)))

const refused = (option: string, actual: unknown, expects: string): OptionIssue => ({
  option,
  problem: `is ${show(actual)}`,
  fix: hint(actual, expects) ?? `Give ${expects}.`
})

/** A number or list in quotes is the most common slip. */
const hint = (actual: unknown, expects: string): string | undefined => {
  if (typeof actual !== "string") return undefined
  if (/^a list\b/.test(expects)) return `Give ${expects}: wrap it in [ ].`
  if (/number|seconds/.test(expects) && actual.trim() !== "" && Number.isFinite(Number(actual))) {
    return `Give ${expects}, without quotes.`
  }
  return undefined
}

/** A key that an object does not have, naming the nearest one it has. */
const unexpected = (
  issue: ParseResult.ParseIssue,
  parent: AST.AST,
  path: string
): ReadonlyArray<OptionIssue> | undefined => {
  if (issue._tag !== "Pointer" || issue.issue._tag !== "Unexpected" || parent._tag !== "TypeLiteral") return undefined
  const keys = parent.propertySignatures.map((signature) => String(signature.name))
  return [unknownKey(stepped(path, issue.path), String(isList(issue.path) ? issue.path.at(-1) : issue.path), keys)]
}

/** The issue of a key nobody knows. */
export const unknownKey = (option: string, key: string, keys: ReadonlyArray<string>): OptionIssue => ({
  option,
  problem: "is not a known key here",
  fix: `The nearest is \`${nearest(key, keys)}\`; all: ${keys.join(", ")}.`
})

const stepped = (path: string, step: ParseResult.Path): string => {
  const steps: ReadonlyArray<PropertyKey> = isList(step) ? step : [step]
  return steps.reduce<string>((at, key) => at + (typeof key === "number" ? `[${key}]` : `.${String(key)}`), path)
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const expectsIn = (issue: ParseResult.ParseIssue): string | undefined =>
  "ast" in issue && issue._tag !== "Missing" ? expectsOf(issue.ast) : undefined

const expectsOf = (ast: AST.AST): string | undefined => {
  const expects = ast.annotations[Expects]
  return typeof expects === "string" ? expects : undefined
}

/** A value as a person would point at it; long and nested ones by what they are. */
export const show = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return value === ""
        ? "empty"
        : `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)}`
    case "number":
    case "boolean":
    case "undefined":
      return String(value)
    case "bigint":
      return `the big integer ${value}n`
    case "symbol":
      return "a symbol"
    case "function":
      return isClass(value) ? "a class" : "a function"
    default:
      return value === null
        ? "null"
        : Array.isArray(value)
          ? value.length === 0
            ? "an empty list"
            : "a list"
          : "an object"
  }
}

const isClass = (value: unknown): boolean => /^class\b/.test(Function.prototype.toString.call(value))
