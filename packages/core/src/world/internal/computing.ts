/**
 * Tools that answer from their arguments alone: an expression is evaluated, sums are summed, and what only a real
 * service could work out is a number that is the same for the same arguments.
 */
import { wordsOf } from "../../task/ToolKind.ts"
import * as Arithmetic from "./arithmetic.ts"
import { placeOf } from "./subjects.ts"
import * as Keyed from "./keyed.ts"
import type { JsonObject } from "./records.ts"
import type { ToolPlan } from "./toolPlans.ts"

export const compute = (
  plan: ToolPlan,
  args: JsonObject,
  key: Keyed.Key
): { readonly fields: JsonObject } | { readonly problem: string } => {
  const expression = args["expression"] ?? args["expr"] ?? args["equation"] ?? args["formula"]
  if (typeof expression === "string") {
    const worked = Arithmetic.evaluate(expression)
    return "problem" in worked ? worked : { fields: { expression, result: worked.value } }
  }
  if (plan.subject.verb === "geocode") {
    const { latitude, longitude } = placeOf({ key: Keyed.at(key, JSON.stringify(args)) })
    return { fields: { ...args, latitude, longitude } }
  }
  return { fields: { ...args, result: known(plan, args) ?? guessed(plan, args, key) } }
}

const known = (plan: ToolPlan, args: JsonObject): unknown => {
  const words = new Set(wordsOf(plan.tool.name))
  const numbers = Object.values(args)
    .flat()
    .filter((value): value is number => typeof value === "number")
  const texts = Object.values(args).filter((value): value is string => typeof value === "string")
  const total = numbers.reduce((sum, value) => sum + value, 0)
  if (rewriting.has(plan.subject.verb)) return texts.toSorted((a, b) => b.length - a.length)[0]
  if (numbers.length === 0) return undefined
  if (words.has("gcd") || words.has("lcm")) return divisor(numbers, words.has("lcm"))
  if (words.has("sum") || words.has("add")) return total
  if (words.has("average") || words.has("mean")) return total / numbers.length
  if (words.has("multiply")) return numbers.reduce((product, value) => product * value, 1)
  if (words.has("subtract") && numbers.length === 2) return (numbers[0] ?? 0) - (numbers[1] ?? 0)
  if (words.has("divide") && numbers.length === 2 && numbers[1] !== 0) return (numbers[0] ?? 0) / (numbers[1] ?? 1)
  return undefined
}

/** Verbs whose result is the text they were given, said otherwise. */
const rewriting = new Set("translate format summarize summarise transform encode decode parse".split(" "))

const divisor = (numbers: ReadonlyArray<number>, multiple: boolean): number | undefined => {
  if (numbers.length < 2 || !numbers.every((one) => Number.isSafeInteger(one) && one > 0)) return undefined
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b))
  return numbers.reduce((a, b) => (multiple ? (a / common(a, b)) * b : common(a, b)))
}

/** Of the size of what went in; a conversion uses one rate for each pair of units, and its inverse the other way. */
const guessed = (plan: ToolPlan, args: JsonObject, key: Keyed.Key): number => {
  const numbers = Object.values(args).filter(
    (value): value is number => typeof value === "number" && Number.isFinite(value)
  )
  const [first] = numbers
  const unitOf = (...words: ReadonlyArray<string>): unknown =>
    Object.entries(args).find(
      ([name, value]) => typeof value === "string" && wordsOf(name).some((word) => words.includes(word))
    )?.[1]
  const from = unitOf("from", "base", "source")
  const to = unitOf("to", "target", "destination")
  const amount =
    typeof args["amount"] === "number" ? args["amount"] : typeof args["value"] === "number" ? args["value"] : first
  if (amount !== undefined && from !== undefined && to !== undefined) {
    const worth = (unit: unknown): number =>
      Keyed.between(Keyed.at(key, `worth:${String(unit).toLowerCase()}`), 50, 200)
    return Number(((amount * worth(from)) / worth(to)).toFixed(4))
  }
  const size = Math.max(1, ...numbers.map(Math.abs))
  const draw = Keyed.unit(Keyed.at(key, `${plan.tool.name}:${JSON.stringify(args)}`))
  return Number((size * (0.5 + draw)).toPrecision(4))
}
