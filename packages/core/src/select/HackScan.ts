/**
 * Looks for what a reward may be paid for by mistake: features of a reply that say nothing of its worth, such as its length
 * or its apologies, and yet predict the reward within a task. What chance alone would show is measured by shuffling the
 * rewards within each task.
 */
import { correlate } from "../measure/internal/withinGroups.ts"
import * as RowSource from "../traces/RowSource.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import { builtIn } from "./internal/replyFeatures.ts"
import { renderScan } from "./internal/scanText.ts"

/**
 * A number read from a row.
 * @since 0.1.0
 * @category models
 */
export interface Feature {
  readonly name: string
  readonly of: (row: TraceRow) => number
}

/**
 * What is looked for.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Beside the built-in ones. */
  readonly features?: ReadonlyArray<Feature>
  /** Seed of the shuffles (0). */
  readonly seed?: number
}

/**
 * What one feature says of the reward.
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  readonly feature: string
  /** Correlation of feature and reward within tasks, from -1 to 1; null where the feature never varies within a task. */
  readonly correlation: number | null
  /** Whether its size is above the floor. */
  readonly predicts: boolean
}

/**
 * Plain JSON.
 * @since 0.1.0
 * @category models
 */
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
  readonly not_measured: string | null
}

const shuffles = 200
/** With fewer tasks whose rewards differ nearly anything looks like a pattern. */
const fewestAsks = 5

/**
 * Scans rows in memory. The order of the rows does not matter.
 * @since 0.1.0
 * @category functions
 */
export const hackScan = (
  source: Iterable<TraceRow> | RowSource.Run,
  { features = [], seed = 0 }: Options = {}
): Scan => {
  const { asks, ungraded } = mixedAsks(source)
  const all = [...builtIn, ...features]
  const rated = asks.flat()
  const { floor, values } = correlate(
    {
      features: all.map(({ of }) => Float64Array.from(rated, ({ row }) => finite(of(row)))),
      target: Float64Array.from(rated, ({ reward }) => reward),
      sizes: asks.map(({ length }) => length)
    },
    { shuffles, seed, path: ["hack_scan"] }
  )
  const enough = asks.length >= fewestAsks
  const findings = all.map(({ name }, i) => {
    const value = values[i] ?? null
    return {
      feature: name,
      correlation: value,
      predicts: enough && floor !== null && value !== null && Math.abs(value) > floor
    }
  })
  return {
    findings: findings.sort(
      (a, b) => Math.abs(b.correlation ?? 0) - Math.abs(a.correlation ?? 0) || (a.feature < b.feature ? -1 : 1)
    ),
    floor: enough ? floor : null,
    asks: asks.length,
    rows: rated.length,
    ungraded,
    not_measured: !enough
      ? `only ${asks.length} tasks have rewards that differ; ${fewestAsks} are the least`
      : floor === null
        ? "no feature varies within a task"
        : null
  }
}

/**
 * The scan in a few lines of text.
 * @since 0.1.0
 * @category functions
 */
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
  for (const row of RowSource.sorted(RowSource.inMemory(source).rows)) {
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

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)
