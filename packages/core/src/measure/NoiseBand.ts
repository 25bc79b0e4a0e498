/**
 * How far apart two evaluations of one agent come by chance: the band that a difference has to pass to be a change.
 */
import { InvalidMeasure } from "./Measured.ts"
import * as Statistics from "./Statistics.ts"

/**
 * What a band is computed from.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Standard deviation of an eval run's mean between runs. */
  readonly std: number
  /** Eval runs on each side. */
  readonly runs: readonly [number, number]
  /** Degrees of freedom of a spread that was estimated from runs; left out for a spread that is known. */
  readonly df?: number
}

/**
 * q x std x sqrt(1/n_a + 1/n_b), where q is 1.96 for a known spread and the 97.5% point of Student's t at `df` for an
 * estimated one: the half-width of a 95% interval of the difference of two means of runs. Throws `InvalidMeasure`.
 * @since 0.1.0
 * @category functions
 */
export const noiseBand = ({ df, runs: [a, b], std }: Options): number => {
  if (!(std >= 0 && std < Infinity)) {
    throw new InvalidMeasure({ option: "std", problem: `is ${std}`, fix: "Give a standard deviation from 0." })
  }
  if (!(a >= 1 && b >= 1)) {
    throw new InvalidMeasure({ option: "runs", problem: `are ${a} and ${b}`, fix: "Give at least one run a side." })
  }
  if (df !== undefined && !(df >= 1)) {
    const fix = "A spread estimated from n runs has n - 1: it takes two runs to estimate one."
    throw new InvalidMeasure({ option: "df", problem: `is ${df}`, fix })
  }
  const q = df === undefined ? Statistics.z95 : Statistics.studentQuantile(0.975, df)
  return q * std * Math.sqrt(1 / a + 1 / b)
}

/**
 * The spread of several sets of runs of one kind.
 * @since 0.1.0
 * @category models
 */
export interface Spread {
  readonly std: number
  readonly df: number
}

/**
 * The standard deviation within sets of run means, pooled by their degrees of freedom; null when no set has two.
 * @since 0.1.0
 * @category functions
 */
export const pooledSpread = (...sets: ReadonlyArray<ReadonlyArray<number>>): Spread | null => {
  let squares = 0
  let df = 0
  for (const means of sets) {
    if (means.length < 2) continue
    const sorted = [...means].sort((a, b) => a - b)
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
    // Equal means have no spread, whatever rounding makes of them: sums of thirds differ in their last bits.
    const [low = 0, high = 0] = [sorted[0], sorted.at(-1)]
    if (high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)))
      squares += sorted.reduce((sum, value) => sum + (value - mean) * (value - mean), 0)
    df += sorted.length - 1
  }
  return df === 0 ? null : { std: Math.sqrt(squares / df), df }
}
