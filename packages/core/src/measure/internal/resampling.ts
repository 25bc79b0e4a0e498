/**
 * Resampling of task values: the bootstrap of a mean, and the sign-flip permutation of a mean difference. Both see only
 * how often each value occurs, so the order of tasks cannot matter, and a hundred thousand tasks cost little.
 */
import * as Bits from "./bits.ts"

/** Values in ascending order, and how often each occurs. */
export interface Counted {
  readonly values: Float64Array
  readonly counts: Float64Array
  readonly n: number
}

export const counted = (sorted: Float64Array): Counted => {
  const values: Array<number> = []
  const counts: Array<number> = []
  for (const value of sorted) {
    const last = values.length - 1
    if (values[last] === value) counts[last] = (counts[last] ?? 0) + 1
    else {
      values.push(value)
      counts.push(1)
    }
  }
  return { values: Float64Array.from(values), counts: Float64Array.from(counts), n: sorted.length }
}

/** Means of samples drawn with replacement, in ascending order. */
export const bootstrapMeans = (of: Counted, draws: number, seed: number): Float64Array => {
  const bits = Bits.make(seed, ["bootstrap"])
  const means = new Float64Array(draws)
  const sum = of.values.length * 4 > of.n ? sumOfPicks(of, bits) : sumOfSplits(of, bits)
  for (let draw = 0; draw < draws; draw++) means[draw] = sum() / of.n
  return means.sort()
}

/** One sample drawn value by value. */
const sumOfPicks = ({ counts, n, values }: Counted, bits: Bits.Bits): (() => number) => {
  const all = new Float64Array(n)
  let at = 0
  for (let i = 0; i < values.length; i++) {
    all.fill(values[i] as number, at, (at += counts[i] as number))
  }
  return () => {
    let sum = 0
    for (let i = 0; i < n; i++) sum += all[Math.floor((bits.word() / 4294967296) * n)] as number
    return sum
  }
}

/**
 * One sample drawn as counts: how many of the n picks fall into the lower half of the values is binomial, and so on
 * within the halves. The same distribution as drawing value by value, at a fraction of the draws.
 */
const sumOfSplits = ({ counts, n, values }: Counted, bits: Bits.Bits): (() => number) => {
  const below = new Float64Array(counts.length + 1)
  for (let i = 0; i < counts.length; i++) below[i + 1] = (below[i] as number) + (counts[i] as number)
  const within = (from: number, to: number, picks: number): number => {
    if (picks === 0) return 0
    if (to - from === 1) return picks * (values[from] as number)
    const start = below[from] as number
    const whole = (below[to] as number) - start
    let split = from + 1
    while (split < to - 1 && ((below[split] as number) - start) * 2 < whole) split += 1
    const lower = Bits.binomial(bits, picks, (below[split] as number) - start, whole)
    return within(from, split, lower) + within(split, to, picks - lower)
  }
  return () => within(0, values.length, n)
}

/** Up to this many differences, all 2^n sign patterns are counted. */
const exactUpTo = 16
const flipDraws = 10_000
const fewestDraws = 1_000
/** Steps one p may cost. */
const flipWork = 100_000_000

/**
 * Two-sided p of the mean of differences under "signs are a coin's": the share of sign patterns whose sum is at least as
 * far from 0. Exact for few differences, else from random patterns, the one seen counted among them (so never 0).
 */
export const signFlip = (differences: Float64Array, seed: number): number => {
  const sizes = differences
    .map((x) => Math.abs(x))
    .filter((x) => x > 0)
    .sort()
  let seen = 0
  for (const difference of differences.slice().sort()) seen += difference
  let scale = 0
  for (const size of sizes) scale += size
  if (scale === 0) return 1
  // Sums of the same terms in another order differ in their last bits.
  const least = Math.abs(seen) - scale * 1e-9
  return sizes.length <= exactUpTo ? exactFlips(sizes, least) : randomFlips(counted(sizes), least, seed)
}

const exactFlips = (sizes: Float64Array, least: number): number => {
  const patterns = 1 << sizes.length
  let extreme = 0
  for (let pattern = 0; pattern < patterns; pattern++) {
    let sum = 0
    for (let i = 0; i < sizes.length; i++) sum += (pattern >>> i) & 1 ? (sizes[i] as number) : -(sizes[i] as number)
    if (Math.abs(sum) >= least) extreme += 1
  }
  return extreme / patterns
}

const randomFlips = ({ counts, values }: Counted, least: number, seed: number): number => {
  const bits = Bits.make(seed, ["signFlip"])
  let steps = 0
  for (const count of counts) steps += 1 + count / 32
  const draws = Math.max(fewestDraws, Math.min(flipDraws, Math.floor(flipWork / steps)))
  let extreme = 0
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0
    for (let i = 0; i < values.length; i++) {
      const count = counts[i] as number
      sum += (2 * bits.heads(count) - count) * (values[i] as number)
    }
    if (Math.abs(sum) >= least) extreme += 1
  }
  return (extreme + 1) / (draws + 1)
}
