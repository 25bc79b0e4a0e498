/**
 * The order of a run's cells, and cells beyond its covering array: each next one covers most of what no cell before it had,
 * so that any prefix shows most combinations, and a longer run tries new ones instead of the same cells again.
 */
import { type Axis, type Cell, type Dimensions, make, type Tier, tierOf, tiers, unspecified } from "../../task/Cell.ts"
import type { Constraint } from "../../settings/RunSettings.ts"
import * as AxisConstraints from "./axisConstraints.ts"
import type { QuickDraws } from "./quickDraws.ts"
import * as TupleSpace from "./tupleSpace.ts"
import type { Forbidden } from "./validity.ts"

/** Drawn cells that are compared for each place, beside those of the array: more find little more. */
const compared = 24
/** Draws for one candidate that the constraints refuse, before it is given up. */
const mostRefused = 60
/** One in so many drawn cells tests no clause in particular. */
const withoutClause = 4
/** What a tuple of the array's strength is worth against one of the next: the array is through early, at little cost to the rest. */
const worth = 4

export interface Ordered {
  readonly cells: ReadonlyArray<Cell>
  /** How many of the first cells cover whatever the array covers. */
  readonly coveredAt: number
}

/**
 * `first` come as they are; then, up to `wanted` of each tier, cells of the array and drawn ones, whichever covers most; what is
 * left of the array comes last. Tiers take turns by how much of their share they lack.
 */
export const order = (
  axes: ReadonlyArray<Axis>,
  constraints: ReadonlyArray<Constraint>,
  strength: number,
  { array, first }: { readonly first: ReadonlyArray<Cell>; readonly array: ReadonlyArray<Cell> },
  wanted: Readonly<Record<Tier, number>>,
  draw: QuickDraws
): Ordered => {
  const rows = new Rows(axes, AxisConstraints.inNumbers(axes, constraints, new Map()), strength, draw)
  const counts: Record<Tier, number> = { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 }
  const cells: Array<Cell> = []
  const known = new Set<string>()
  let coveredAt = 0
  const take = (cell: Cell, row: ReadonlyArray<number>): void => {
    if (rows.take(row)) coveredAt = cells.length + 1
    counts[tierOf(cell.dimensions["stance"])] += 1
    known.add(row.join())
    cells.push(cell)
  }
  for (const cell of first) take(cell, rows.numbersOf(cell.dimensions))
  const open: Record<Tier, Array<ReadonlyArray<number>>> = {
    ordinary: [],
    ambiguous: [],
    boundary: [],
    adversarial: []
  }
  for (const { dimensions } of array) open[tierOf(dimensions["stance"])].push(rows.numbersOf(dimensions))
  const lacking = new Set(tiers.filter((tier) => rows.has(tier)))
  const share = (tier: Tier): number => (wanted[tier] === 0 ? 1 : counts[tier] / wanted[tier])
  while (lacking.size > 0) {
    const tier = [...lacking].reduce((least, one) => (share(one) < share(least) ? one : least))
    const row = share(tier) < 1 ? rows.best(tier, open[tier], (row) => !known.has(row.join())) : undefined
    if (row === undefined) {
      lacking.delete(tier)
      continue
    }
    const at = open[tier].indexOf(row)
    if (at !== -1) open[tier].splice(at, 1)
    take(make(rows.dimensionsOf(row)), row)
  }
  for (const cell of array) {
    const row = rows.numbersOf(cell.dimensions)
    if (!known.has(row.join())) take(cell, row)
  }
  return { cells, coveredAt }
}

/** Situations in numbers, and which tuples of the array's strength and the two above it were seen. */
class Rows {
  private readonly axes: ReadonlyArray<Axis>
  private readonly forbidden: ReadonlyArray<Forbidden>
  private readonly draw: QuickDraws
  private readonly spaces: ReadonlyArray<{ readonly space: TupleSpace.TupleSpace; readonly seen: Uint8Array }>
  private readonly stances: Readonly<Record<Tier, ReadonlyArray<number>>>
  private readonly stance: number
  private readonly rule: number
  /** Scores of rows when they were last looked at: a score only falls, so a row that could not win then needs no second look. */
  private readonly atMost = new Map<ReadonlyArray<number>, number>()

  constructor(axes: ReadonlyArray<Axis>, forbidden: ReadonlyArray<Forbidden>, strength: number, draw: QuickDraws) {
    this.axes = axes
    this.forbidden = forbidden
    this.draw = draw
    const levels = axes.map(({ values }) => values.length)
    const widest = Math.min(strength + 2, axes.length)
    this.spaces = Array.from({ length: widest - strength + 1 }, (_, i) => {
      const space = TupleSpace.make(levels, strength + i)
      return { space, seen: new Uint8Array(space.size) }
    })
    this.rule = axes.findIndex(({ name }) => name === "rule")
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

  /** Whether it covers a tuple of the array's strength that none before it did. */
  take(row: ReadonlyArray<number>): boolean {
    const isFresh = this.fresh(this.spaces[0], row) > 0
    for (const { seen, space } of this.spaces) {
      for (let c = 0; c < space.combinations; c++) {
        const tuple = TupleSpace.tupleAt(space, c, row)
        if (tuple >= 0) seen[tuple] = 1
      }
    }
    return isFresh
  }

  /** The row of a tier that covers most, of those given and some drawn ones; undefined when no new one is found. */
  best(
    tier: Tier,
    given: ReadonlyArray<ReadonlyArray<number>>,
    isNew: (row: ReadonlyArray<number>) => boolean
  ): ReadonlyArray<number> | undefined {
    let best: ReadonlyArray<number> | undefined
    let most = -1
    const look = (row: ReadonlyArray<number>): number => {
      const score = this.score(row)
      if (score > most && isNew(row)) {
        best = row
        most = score
      }
      return score
    }
    for (const row of given) {
      if ((this.atMost.get(row) ?? Infinity) > most) this.atMost.set(row, look(row))
    }
    for (let n = 0; n < compared; n++) {
      const row = this.drawn(tier)
      if (row !== undefined) look(row)
    }
    return best
  }

  /** Tuples of the widest kind decide only between equals. */
  private score(row: ReadonlyArray<number>): number {
    const [least = 0, wider = 0, widest = 0] = this.spaces.map((space) => this.fresh(space, row))
    return worth * least + wider + widest / 100
  }

  private fresh(kind: (typeof this.spaces)[number] | undefined, row: ReadonlyArray<number>): number {
    if (kind === undefined) return 0
    const { seen, space } = kind
    let fresh = 0
    for (let c = 0; c < space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(space, c, row)
      if (tuple >= 0 && seen[tuple] === 0) fresh += 1
    }
    return fresh
  }

  private drawn(tier: Tier): ReadonlyArray<number> | undefined {
    const stances = this.stances[tier]
    for (let refused = 0; refused < mostRefused; refused++) {
      const row = this.axes.map(({ values }, factor) => {
        if (factor === this.stance) return stances[this.draw(stances.length)] ?? 0
        if (factor === this.rule && values[0] === unspecified && this.draw(withoutClause) === 0) return 0
        return this.draw(values.length)
      })
      if (!this.forbidden.some((cells) => cells.every(([factor, value]) => row[factor] === value))) return row
    }
    return undefined
  }
}
