/**
 * Whether two formulas are the same: symbolically by mathjs, and where that leaves it open by working both out at seeded
 * points. mathjs is loaded with the first formula: it takes about a second.
 */
import type { MathJsInstance } from "mathjs"
import * as Randomness from "../../random/Randomness.ts"
import type { Expression, Formula } from "./formulaText.ts"

/** Points at which formulas with variables are worked out, and how many of them both have to have a value at. */
const points = 12
const leastPoints = 4
/** Largest difference as a share of the larger value, and in itself: what floating point leaves of an exact zero. */
const relative = 1e-9
const absolute = 1e-12

/** Null where it cannot be told. */
export const equal = async (a: Formula, b: Formula): Promise<boolean | null> => {
  const math = await mathjs()
  return equalFormulas(math, a, b)
}

const equalFormulas = (math: Engine, a: Formula, b: Formula): boolean | null => {
  if (a.form === "equation" || b.form === "equation") return equalEquations(math, a, b)
  if (a.items.length !== b.items.length) return false
  if (a.form === "tuple" && b.form === "tuple") {
    return a.brackets === b.brackets && allOf(a.items.map((item, i) => equalItems(math, item, b.items[i])))
  }
  if (a.form === "tuple" || b.form === "tuple") return false
  return equalSets(math, a.items, b.items)
}

/** `x = 5` is the answer 5; two equations are equal when one is the other, up to the sides and their sign. */
const equalEquations = (math: Engine, a: Formula, b: Formula): boolean | null => {
  const [left, right] = a.items
  const [otherLeft, otherRight] = b.items
  if (left === undefined || right === undefined || otherLeft === undefined) return null
  if (b.form !== "equation") return isName(left) && b.form === "one" ? equalItems(math, right, otherLeft) : false
  if (a.form !== "equation") return equalEquations(math, b, a)
  if (otherRight === undefined) return null
  if (left.text === otherLeft.text && isName(left)) return equalItems(math, right, otherRight)
  const [one, other] = [minus(left, right), minus(otherLeft, otherRight)]
  const negated = { ...other, text: `(-${other.text})` }
  return eitherOf(equalItems(math, one, other), () => equalItems(math, one, negated))
}

const isName = ({ text }: Expression): boolean => /^v_\w+$/.test(text)

const minus = (a: Expression, b: Expression): Expression => ({
  text: `(${a.text} - ${b.text})`,
  variables: new Set([...a.variables, ...b.variables]),
  light: a.light && b.light
})

const equalSets = (math: Engine, a: ReadonlyArray<Expression>, b: ReadonlyArray<Expression>): boolean | null => {
  const left = [...b]
  let open = false
  for (const item of a) {
    const answers = left.map((other) => equalItems(math, item, other))
    const at = answers.indexOf(true)
    if (at >= 0) left.splice(at, 1)
    else if (answers.includes(null)) open = true
    else return false
  }
  return open ? null : true
}

const equalItems = (math: Engine, a: Expression, b: Expression | undefined): boolean | null => {
  if (b === undefined) return false
  if (a.text === b.text) return true
  if (a.variables.size === 0 && b.variables.size === 0) {
    const [x, y] = [valueOf(math, a, {}), valueOf(math, b, {})]
    if (x === null || y === null) return null
    return x === y || (typeof x !== "number" && typeof y !== "number" && isClose(x, y))
  }
  return isZero(math, minus(a, b)) || agree(math, a, b)
}

const isZero = (math: Engine, { light, text }: Expression): boolean => {
  if (!light) return false
  try {
    return math.simplify(text).toString() === "0"
  } catch {
    return false
  }
}

/** Whether both have the same values; at points of either sign, since |x| is not x. */
const agree = (math: Engine, a: Expression, b: Expression): boolean | null => {
  const variables = [...new Set([...a.variables, ...b.variables])].sort()
  const draws = Randomness.make(0).stream(["math_equal", ...variables])
  let compared = 0
  for (let i = 0; i < points; i++) {
    const scope = Object.fromEntries(
      variables.map((name) => [name, (draws.chance(0.5) ? 1 : -1) * (0.3 + 2.4 * draws.next())])
    )
    const [x, y] = [valueOf(math, a, scope), valueOf(math, b, scope)]
    if (x === null || y === null || typeof x === "number" || typeof y === "number") continue
    if (!isClose(x, y)) return false
    compared += 1
  }
  return compared >= leastPoints ? true : null
}

/** A complex number; an infinity as it is; null for no value. */
const valueOf = (math: Engine, { text }: Expression, scope: Record<string, number>): Value => {
  try {
    const value: unknown = math.evaluate(text, { ...scope })
    if (typeof value === "number") {
      return Number.isNaN(value) ? null : Number.isFinite(value) ? { re: value, im: 0 } : value
    }
    if (typeof value !== "object" || value === null) return null
    const { re, im } = value as { readonly re?: unknown; readonly im?: unknown }
    return typeof re === "number" && typeof im === "number" && Number.isFinite(re) && Number.isFinite(im)
      ? { re, im }
      : null
  } catch {
    return null
  }
}

interface Complex {
  readonly re: number
  readonly im: number
}

type Value = Complex | number | null

const isClose = (x: Complex, y: Complex): boolean => {
  const distance = Math.hypot(x.re - y.re, x.im - y.im)
  return distance <= Math.max(absolute, relative * Math.max(Math.hypot(x.re, x.im), Math.hypot(y.re, y.im)))
}

const allOf = (answers: ReadonlyArray<boolean | null>): boolean | null =>
  answers.includes(false) ? false : answers.includes(null) ? null : true

const eitherOf = (first: boolean | null, second: () => boolean | null): boolean | null =>
  first === true ? true : second()

type Engine = Pick<MathJsInstance, "evaluate" | "simplify">

let loading: Promise<Engine> | undefined

/** An instance of our own: what a program does to the shared one changes no verdict. (`all` is typed as if it could be absent.) */
const mathjs = (): Promise<Engine> => (loading ??= import("mathjs").then(({ all, create }) => create(all ?? {})))
