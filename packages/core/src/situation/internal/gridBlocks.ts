/**
 * The rows of a run's grid, in two layers: a block without rules that covers the other five axes, and for each clause a
 * block in which the clause meets what the strength asks for. A clause's block is a function of its own id and of the
 * other axes, so that editing one clause changes no other clause's cells.
 */
import { type Axis, type Dimensions, unspecified } from "../../task/Cell.ts"
import type { Constraint } from "../../settings/RunSettings.ts"
import * as CoveringArray from "../CoveringArray.ts"
import * as AxisConstraints from "./axisConstraints.ts"

export interface Blocks {
  /** The caller's rows, completed, in their order. */
  readonly fixed: ReadonlyArray<Dimensions>
  /** All others, the blocks taking turns. */
  readonly rows: ReadonlyArray<Dimensions>
}

/**
 * Every row of the first block has the rule `unspecified`: its situation tests no clause in particular. A caller who
 * pins `rule` to clauses wants no such rows; then all six axes make one array.
 */
export const make = (
  axes: ReadonlyArray<Axis>,
  constraints: ReadonlyArray<Constraint>,
  fixedRows: ReadonlyArray<Dimensions>,
  strength: number,
  seed = 0
): Blocks => {
  const fixed: Array<Dimensions> = []
  const blocks: Array<ReadonlyArray<Dimensions>> = []
  const block = (rule: string | undefined, blockStrength: number, options: CoveringArray.Options): void => {
    const free = rule === undefined ? axes : axes.filter((axis) => axis.name !== "rule")
    const forbidden = AxisConstraints.inNumbers(
      free,
      constraints,
      rule === undefined ? none : new Map([["rule", rule]])
    )
    if (forbidden.some((cells) => cells.length === 0)) return
    const mine = fixedRows.flatMap((row, at) =>
      rule === undefined || (row["rule"] ?? unspecified) === rule ? [{ row, at }] : []
    )
    const array = CoveringArray.generate(
      {
        levels: free.map(({ values }) => values.length),
        strength: blockStrength,
        forbidden,
        fixedRows: mine.map(({ row }) => numbersOf(free, row))
      },
      options
    )
    const all = array.rows.map((numbers) => dimensionsOf(axes, free, numbers, rule))
    mine.forEach(({ at }, n) => (fixed[at] = all[n]!))
    blocks.push(all.slice(mine.length))
  }

  const rules = axes.find((axis) => axis.name === "rule")?.values ?? []
  if (!rules.includes(unspecified)) {
    block(undefined, strength, { effort: "brief", seed })
  } else {
    block(unspecified, strength, { effort: "brief", seed })
    for (const rule of rules) {
      if (rule !== unspecified) block(rule, Math.max(1, strength - 1), { effort: "quick", seed: seedOf(rule) + seed })
    }
  }
  const longest = Math.max(...blocks.map((rows) => rows.length))
  const turns = Array.from({ length: longest }, (_, n) => blocks.flatMap((rows) => rows.slice(n, n + 1)))
  return { fixed, rows: turns.flat() }
}

const none: ReadonlyMap<string, string> = new Map()

/** The number in a clause's id: clauses meet the other values in different company. */
const seedOf = (clauseId: string): number => Number.parseInt(clauseId.slice(-8), 16)

const numbersOf = (axes: ReadonlyArray<Axis>, row: Dimensions): ReadonlyArray<number> =>
  axes.map(({ name, values }) => {
    const value = row[name]
    return value === undefined ? CoveringArray.open : values.indexOf(value)
  })

const dimensionsOf = (
  axes: ReadonlyArray<Axis>,
  free: ReadonlyArray<Axis>,
  numbers: ReadonlyArray<number>,
  rule: string | undefined
): Dimensions => {
  const byName = new Map(free.map(({ name, values }, factor) => [name, values[numbers[factor]!]!]))
  return Object.fromEntries(axes.map(({ name }) => [name, byName.get(name) ?? rule ?? unspecified]))
}
