/**
 * Looks for what a reward may be paid for by mistake: features of a reply that say nothing of its worth, such as its length
 * or its apologies, and yet predict the reward within a task. What chance alone would show is measured by shuffling the
 * rewards within each task.
 */
import * as Randomness from "../random/Randomness.ts"
import * as RowSource from "../row/RowSource.ts"
import type { TraceRow } from "../row/TraceFormat.ts"
import { builtIn } from "./internal/replyFeatures.ts"
import { renderScan } from "./internal/scanText.ts"

/** A number read from a row. */
export interface Feature {
  readonly name: string
  readonly of: (row: TraceRow) => number
}

export interface Options {
  /** Beside the built-in ones. */
  readonly features?: ReadonlyArray<Feature>
  /** Seed of the shuffles (0). */
  readonly seed?: number
}

export interface Finding {
  readonly feature: string
  /** Correlation of feature and reward within tasks, from -1 to 1; null where the feature never varies within a task. */
  readonly correlation: number | null
  /** Whether its size is above the floor. */
  readonly predicts: boolean
}

/** Plain JSON. */
export interface Scan {
  /** The strongest first. */
  readonly findings: ReadonlyArray<Finding>
  /** The 95% point of the strongest correlation of all features when rewards are shuffled; null when not measured. */
  readonly floor: number | null
  /** Tasks whose rewards differ, and their rows: the others can show nothing. */
  readonly asks: number
  readonly rows: number
  readonly ungraded: number
  /** Why there is no floor, or null. */
  readonly notMeasured: string | null
}

const shuffles = 200
/** With fewer tasks whose rewards differ nearly anything looks like a pattern. */
const fewestAsks = 5

/** Scans rows in memory. The order of the rows does not matter. */
export const hackScan = (
  source: Iterable<TraceRow> | RowSource.Run,
  { features = [], seed = 0 }: Options = {}
): Scan => {
  const { asks, ungraded } = mixedAsks(source)
  const all = [...builtIn, ...features]
  const rewards = asks.map((rows) => centred(rows.map(({ reward }) => reward)))
  const columns = all.map(({ of }) => asks.map((rows) => centred(rows.map(({ row }) => finite(of(row))))))
  const measured = columns.map((column) => correlation(column, rewards))
  const rows = asks.reduce((sum, members) => sum + members.length, 0)
  const enough = asks.length >= fewestAsks
  const floor = enough ? floorOf(columns, rewards, seed) : null
  const findings = all.map(({ name }, i) => {
    const value = measured[i] ?? null
    return { feature: name, correlation: value, predicts: floor !== null && value !== null && Math.abs(value) > floor }
  })
  return {
    findings: findings.sort(
      (a, b) => Math.abs(b.correlation ?? 0) - Math.abs(a.correlation ?? 0) || (a.feature < b.feature ? -1 : 1)
    ),
    floor,
    asks: asks.length,
    rows,
    ungraded,
    notMeasured: enough ? null : `only ${asks.length} tasks have rewards that differ; ${fewestAsks} are the least`
  }
}

/** The scan in a few lines of text. */
export const render: (scan: Scan) => string = renderScan

interface Rated {
  readonly row: TraceRow
  readonly reward: number
}

const mixedAsks = (
  source: Iterable<TraceRow> | RowSource.Run
): { readonly asks: ReadonlyArray<ReadonlyArray<Rated>>; readonly ungraded: number } => {
  const byAsk = new Map<string, Array<Rated>>()
  let ungraded = 0
  for (const row of [...RowSource.inMemory(source).rows].sort(RowSource.compare)) {
    const reward = RowSource.rewardOf(row)
    if (reward === null) ungraded += 1
    else {
      const key = RowSource.askOf(row)
      const known = byAsk.get(key)
      if (known === undefined) byAsk.set(key, [{ row, reward }])
      else known.push({ row, reward })
    }
  }
  const asks = [...byAsk.values()].filter(([first, ...rest]) => rest.some(({ reward }) => reward !== first?.reward))
  return { asks, ungraded }
}

type Column = ReadonlyArray<ReadonlyArray<number>>

/** All features share the shuffles, and the strongest of each counts, so that looking at many features finds no more. */
const floorOf = (columns: ReadonlyArray<Column>, rewards: Column, seed: number): number => {
  const draws = Randomness.make(seed).stream(["hack_scan"])
  const strongest = Array.from({ length: shuffles }, () => {
    const shuffled = rewards.map((values) => draws.shuffle(values))
    return columns.reduce((most, column) => Math.max(most, Math.abs(correlation(column, shuffled) ?? 0)), 0)
  }).sort((a, b) => a - b)
  return strongest[Math.ceil(0.95 * shuffles) - 1] ?? 1
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

const centred = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map((value) => value - mean)
}

const correlation = (xs: Column, ys: Column): number | null => {
  let xy = 0
  let xx = 0
  let yy = 0
  xs.forEach((values, i) =>
    values.forEach((x, j) => {
      const y = ys[i]?.[j] ?? 0
      xy += x * y
      xx += x * x
      yy += y * y
    })
  )
  return xx > tiny && yy > tiny ? xy / Math.sqrt(xx * yy) : null
}

/** What rounding leaves of a sum of squares that is zero. */
const tiny = 1e-12
