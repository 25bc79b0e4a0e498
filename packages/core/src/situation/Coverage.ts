/**
 * How much of the grid the situations of a run have covered, kept up row by row.
 */
import { type Axis, type Cell, type Dimensions, unspecified } from "../task/Cell.ts"
import type { Constraint } from "../settings/RunSettings.ts"
import type * as Report from "../report/Report.ts"
import * as ArrayProblem from "./internal/arrayProblem.ts"
import * as AxisConstraints from "./internal/axisConstraints.ts"
import * as RowOrder from "./internal/rowOrder.ts"
import * as TupleSpace from "./internal/tupleSpace.ts"

/**
 * A value: adding to it gives another one.
 * @since 0.1.0
 * @category models
 */
export interface Coverage {
  readonly planned: number
  readonly covered: number
  /**
   * Counts in the tuples of one situation; `fresh` is how many of them were not covered before. Axes it leaves out and
   * values off the grid cover nothing.
   */
  readonly add: (dimensions: Dimensions) => { readonly coverage: Coverage; readonly fresh: number }
  /** What `add` would count. */
  readonly freshOf: (dimensions: Dimensions) => number
  /** The figures, and the debt: what is missing, and how many of the grid's cells would cover it. */
  readonly report: () => Report.Coverage
}

/** Missing tuples a report names; the rest are counted. */
const mostNamed = 100

/**
 * Nothing covered yet; what is missing is priced in the given cells.
 * @since 0.1.0
 * @category constructors
 */
export const make = (plan: Plan, cells: ReadonlyArray<Cell>): Coverage =>
  covering(plan, cells, new Int32Array(Math.ceil(plan.space.size / 32)), 0)

/**
 * What there is to cover, in numbers.
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  readonly axes: ReadonlyArray<Axis>
  readonly space: TupleSpace.TupleSpace
  readonly required: Int32Array
  /** 1 per required tuple. */
  readonly isRequired: Uint8Array
  /** Writes a situation in numbers, -1 where it covers nothing. */
  readonly write: (dimensions: Dimensions, row: Int32Array) => void
}

/**
 * The tuples of any `strength` axes that some situation can hold. `unspecified` is nothing to cover: the axis has
 * nothing to vary, or the situation tests no clause in particular.
 * @since 0.1.0
 * @category functions
 */
export const planOf = (
  axes: ReadonlyArray<Axis>,
  constraints: ReadonlyArray<Constraint>,
  wantedStrength: number
): Plan => {
  const active = axes.filter(({ values }) => values.some((value) => value !== unspecified))
  const levels = axes.map(({ values }) => values.length)
  const forbidden = AxisConstraints.inNumbers(axes, constraints, new Map())
  const { required: valid, space } = ArrayProblem.make(levels, Math.min(wantedStrength, active.length), forbidden)
  const row = new Int32Array(axes.length)
  const required = valid.filter((tuple) => {
    row.fill(-1)
    TupleSpace.writeTuple(space, tuple, row)
    return !row.some((value, factor) => value >= 0 && axes[factor]!.values[value] === unspecified)
  })
  const isRequired = new Uint8Array(space.size)
  for (const tuple of required) isRequired[tuple] = 1
  const indices = axes.map(({ name, values }) => ({
    name,
    of: new Map(values.flatMap((value, at) => (value === unspecified ? [] : [[value, at] as const])))
  }))
  const write = (dimensions: Dimensions, into: Int32Array): void => {
    for (let factor = 0; factor < indices.length; factor++) {
      const { name, of } = indices[factor]!
      into[factor] = of.get(dimensions[name] ?? unspecified) ?? -1
    }
  }
  return { axes, space, required, isRequired, write }
}

/**
 * Situations in numbers.
 * @since 0.1.0
 * @category functions
 */
export const numbersOf = (plan: Plan, cells: ReadonlyArray<Cell>): ReadonlyArray<Int32Array> =>
  cells.map(({ dimensions }) => {
    const row = new Int32Array(plan.axes.length)
    plan.write(dimensions, row)
    return row
  })

const covering = (plan: Plan, cells: ReadonlyArray<Cell>, seen: Int32Array, covered: number): Coverage => {
  const { isRequired, required, space } = plan
  const isNew = (tuple: number): boolean => isRequired[tuple] === 1 && (seen[tuple >>> 5]! & (1 << (tuple & 31))) === 0
  /** How many tuples are new; they are put into `take`. */
  const visit = (dimensions: Dimensions, take?: Int32Array): number => {
    const row = new Int32Array(plan.axes.length)
    plan.write(dimensions, row)
    let fresh = 0
    for (let c = 0; c < space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(space, c, row)
      if (tuple < 0 || !isNew(tuple)) continue
      if (take !== undefined) take[fresh] = tuple
      fresh += 1
    }
    return fresh
  }
  const self: Coverage = {
    planned: required.length,
    covered,
    add: (dimensions) => {
      const tuples = new Int32Array(space.combinations)
      const fresh = visit(dimensions, tuples)
      if (fresh === 0) return { coverage: self, fresh }
      const next = seen.slice()
      for (let n = 0; n < fresh; n++) next[tuples[n]! >>> 5]! |= 1 << (tuples[n]! & 31)
      return { coverage: covering(plan, cells, next, covered + fresh), fresh }
    },
    freshOf: (dimensions) => visit(dimensions),
    report: () => {
      const missing = required.filter(isNew)
      const open = new Uint8Array(space.size)
      for (const tuple of missing) open[tuple] = 1
      return {
        strength: space.strength,
        planned: required.length,
        covered,
        fraction: required.length === 0 ? null : covered / required.length,
        debt:
          missing.length === 0
            ? null
            : {
                missing: Array.from(missing.slice(0, mostNamed), (tuple) => named(plan, tuple)),
                missing_count: missing.length,
                rows: RowOrder.choose(space, numbersOf(plan, cells), open).length
              }
      }
    }
  }
  return self
}

const named = ({ axes, space }: Plan, tuple: number): Dimensions => {
  const row = new Int32Array(axes.length).fill(-1)
  TupleSpace.writeTuple(space, tuple, row)
  return Object.fromEntries(
    axes.flatMap(({ name, values }, factor) => (row[factor]! < 0 ? [] : [[name, values[row[factor]!]!]]))
  )
}
