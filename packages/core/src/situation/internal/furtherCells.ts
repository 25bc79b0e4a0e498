/**
 * Cells beyond the covering array: each new one covers most of what no cell before it had, triples first and then tuples of
 * four, so that a longer run tries new combinations instead of the same cells again.
 */
import type { Draws } from "../../random/Randomness.ts"
import { type Axis, type Cell, type Dimensions, make, type Tier, tierOf, tiers } from "../../task/Cell.ts"
import type { Constraint } from "../../settings/RunSettings.ts"
import * as AxisConstraints from "./axisConstraints.ts"
import * as TupleSpace from "./tupleSpace.ts"
import type { Forbidden } from "./validity.ts"

/** Cells that are compared for each place: more find little more. */
const compared = 24
/** Draws for one candidate that the constraints refuse, before the place is given up. */
const mostRefused = 60

/** Up to `wanted` cells of each tier, those there are counted; tiers take turns by how much of their share they lack. */
export const beyond = (
  axes: ReadonlyArray<Axis>,
  constraints: ReadonlyArray<Constraint>,
  cells: ReadonlyArray<Cell>,
  wanted: Readonly<Record<Tier, number>>,
  draws: Draws
): ReadonlyArray<Cell> => {
  const rows = new Rows(axes, AxisConstraints.inNumbers(axes, constraints, new Map()), draws)
  const counts: Record<Tier, number> = { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 }
  for (const { dimensions } of cells) {
    counts[tierOf(dimensions["stance"])] += 1
    rows.take(rows.numbersOf(dimensions))
  }
  const known = new Set(cells.map(({ id }) => id))
  const further: Array<Cell> = []
  const open = new Set(tiers.filter((tier) => rows.has(tier)))
  const share = (tier: Tier): number => counts[tier] / wanted[tier]
  while (open.size > 0) {
    const tier = [...open].reduce((least, one) => (share(one) < share(least) ? one : least))
    const row = share(tier) < 1 ? rows.best(tier, (dimensions) => !known.has(make(dimensions).id)) : undefined
    if (row === undefined) {
      open.delete(tier)
      continue
    }
    const cell = make(rows.dimensionsOf(row))
    rows.take(row)
    known.add(cell.id)
    counts[tier] += 1
    further.push(cell)
  }
  return further
}

/** Situations in numbers, and which tuples of three and four were seen. */
class Rows {
  private readonly axes: ReadonlyArray<Axis>
  private readonly forbidden: ReadonlyArray<Forbidden>
  private readonly draws: Draws
  private readonly spaces: ReadonlyArray<{ readonly space: TupleSpace.TupleSpace; readonly seen: Uint8Array }>
  private readonly stances: Readonly<Record<Tier, ReadonlyArray<number>>>
  private readonly stance: number

  constructor(axes: ReadonlyArray<Axis>, forbidden: ReadonlyArray<Forbidden>, draws: Draws) {
    this.axes = axes
    this.forbidden = forbidden
    this.draws = draws
    const levels = axes.map(({ values }) => values.length)
    this.spaces = [3, 4].map((strength) => {
      const space = TupleSpace.make(levels, strength)
      return { space, seen: new Uint8Array(space.size) }
    })
    this.stance = axes.findIndex(({ name }) => name === "stance")
    const of = (tier: Tier): ReadonlyArray<number> =>
      (axes[this.stance]?.values ?? []).flatMap((stance, at) => (tierOf(stance) === tier ? [at] : []))
    this.stances = {
      ordinary: of("ordinary"),
      ambiguous: of("ambiguous"),
      boundary: of("boundary"),
      adversarial: of("adversarial")
    }
  }

  has(tier: Tier): boolean {
    return this.stances[tier].length > 0
  }

  numbersOf(dimensions: Dimensions): ReadonlyArray<number> {
    return this.axes.map(({ name, values }) => values.indexOf(dimensions[name] ?? ""))
  }

  dimensionsOf(row: ReadonlyArray<number>): Dimensions {
    return Object.fromEntries(this.axes.map(({ name, values }, factor) => [name, values[row[factor] ?? 0] ?? ""]))
  }

  take(row: ReadonlyArray<number>): void {
    for (const { seen, space } of this.spaces) {
      for (let c = 0; c < space.combinations; c++) {
        const tuple = TupleSpace.tupleAt(space, c, row)
        if (tuple >= 0) seen[tuple] = 1
      }
    }
  }

  /** The row of a tier that covers most, of some drawn ones; undefined when no new one is found. */
  best(tier: Tier, isNew: (dimensions: Dimensions) => boolean): ReadonlyArray<number> | undefined {
    let best: ReadonlyArray<number> | undefined
    let most: readonly [number, number] = [-1, -1]
    for (let n = 0; n < compared; n++) {
      const row = this.drawn(tier)
      if (row === undefined) continue
      const [triples = 0, quads = 0] = this.spaces.map((one) => this.fresh(one, row))
      if (triples < most[0] || (triples === most[0] && quads <= most[1])) continue
      if (!isNew(this.dimensionsOf(row))) continue
      best = row
      most = [triples, quads]
    }
    return best
  }

  private fresh({ seen, space }: (typeof this.spaces)[number], row: ReadonlyArray<number>): number {
    let fresh = 0
    for (let c = 0; c < space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(space, c, row)
      if (tuple >= 0 && seen[tuple] === 0) fresh += 1
    }
    return fresh
  }

  private drawn(tier: Tier): ReadonlyArray<number> | undefined {
    for (let refused = 0; refused < mostRefused; refused++) {
      const row = this.axes.map(({ values }, factor) =>
        factor === this.stance ? this.draws.pick(this.stances[tier]) : this.draws.int(values.length)
      )
      if (!this.forbidden.some((cells) => cells.every(([factor, value]) => row[factor] === value))) return row
    }
    return undefined
  }
}
