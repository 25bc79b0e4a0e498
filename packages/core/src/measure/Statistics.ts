/**
 * The statistics that measuring uses: intervals, quantiles, tests. Pure functions; whatever is drawn is drawn from a seed,
 * and none uses a function of Math that engines round differently, so equal inputs give equal figures everywhere.
 */
import type { Interval } from "./Measured.ts"
import { angleOf, exp, reach } from "../random/portable.ts"
import * as Resampling from "./internal/resampling.ts"

/**
 * The 97.5% point of the standard normal distribution, to the digits in which 95% intervals are told everywhere.
 * @since 0.1.0
 * @category constants
 */
export const z95 = 1.96

/**
 * Resamples of a bootstrap.
 * @since 0.1.0
 * @category constants
 */
export const bootstrapDraws = 2000

/**
 * Under this many tasks a mean has a t interval, and from `fewestTasks` on.
 * @since 0.1.0
 * @category constants
 */
export const fewTasks = 15

/**
 * Under this many tasks a mean has no interval.
 * @since 0.1.0
 * @category constants
 */
export const fewestTasks = 3

/**
 * Wilson's score interval (Wilson 1927) of `successes` in `n`, at 95% unless another normal quantile is given.
 * @since 0.1.0
 * @category functions
 */
export const wilson = (successes: number, n: number, z: number = z95): Interval | null => {
  if (n <= 0) return null
  const share = successes / n
  const z2 = z * z
  const middle = share + z2 / (2 * n)
  const spread = z * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))
  const scale = 1 + z2 / n
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)]
}

/**
 * A mean of task values with what is known of where the true one lies.
 * @since 0.1.0
 * @category models
 */
export interface Estimate {
  readonly n: number
  /** Null without values. */
  readonly mean: number | null
  /** 95%; null under `fewestTasks` values, and when all are equal. */
  readonly interval: Interval | null
  readonly method: "bootstrap" | "t" | "too_few" | "all_equal"
  /** Standard deviation of the values (n - 1); null under two. */
  readonly sd: number | null
}

/**
 * The mean of one value per task with its 95% interval: percentile bootstrap over tasks (Efron 1979), Student's t under
 * `fewTasks`. Where all values are equal, resampling would claim certainty: there is no interval.
 * @since 0.1.0
 * @category functions
 */
export const estimate = (values: Iterable<number>, options: { readonly seed?: number } = {}): Estimate => {
  const sorted = Float64Array.from(values).sort()
  const n = sorted.length
  if (n === 0) return { n, mean: null, interval: null, method: "too_few", sd: null }
  let sum = 0
  for (const value of sorted) sum += value
  const mean = sum / n
  if (sorted[0] === sorted[n - 1]) {
    const method = n < fewestTasks ? "too_few" : "all_equal"
    return { n, mean: sorted[0] ?? mean, interval: null, method, sd: n < 2 ? null : 0 }
  }
  let squares = 0
  for (const value of sorted) squares += (value - mean) * (value - mean)
  const sd = Math.sqrt(squares / (n - 1))
  if (n < fewestTasks) return { n, mean, interval: null, method: "too_few", sd }
  if (n < fewTasks) {
    const half = (studentQuantile(0.975, n - 1) * sd) / Math.sqrt(n)
    return { n, mean, interval: [mean - half, mean + half], method: "t", sd }
  }
  const means = Resampling.bootstrapMeans(Resampling.counted(sorted), bootstrapDraws, options.seed ?? 0)
  const tail = Math.floor(bootstrapDraws * 0.025)
  const interval: Interval = [means[tail] ?? mean, means[bootstrapDraws - 1 - tail] ?? mean]
  return { n, mean, interval, method: "bootstrap", sd }
}

/**
 * What is left possible, at 95%, when n tasks all have one rate: at most 3/n of all tasks have another (the rule of three,
 * Hanley and Lippman-Hand 1983). Null where that excludes nothing.
 * @since 0.1.0
 * @category functions
 */
export const ruleOfThree = (rate: number, n: number): Interval | null => {
  const others = 3 / n
  return n <= 3 ? null : [rate * (1 - others), rate + (1 - rate) * others]
}

/**
 * The chance that k rollouts drawn from n, c of them passes, all pass: C(c,k)/C(n,k). Null when n < k.
 * @since 0.1.0
 * @category functions
 */
export const passHatK = (n: number, c: number, k: number): number | null => {
  if (n < k) return null
  let product = 1
  for (let i = 0; i < k; i++) product *= Math.max(0, c - i) / (n - i)
  return product
}

/**
 * The chance that any of k rollouts drawn from n, c of them passes, passes: 1 - C(n-c,k)/C(n,k) (Chen et al. 2021).
 * @since 0.1.0
 * @category functions
 */
export const passAtK = (n: number, c: number, k: number): number | null => {
  const none = passHatK(n, n - c, k)
  return none === null ? null : 1 - none
}

/**
 * Upper tail of the standard normal distribution, P(Z > z).
 * @since 0.1.0
 * @category functions
 */
export const normalTail = (z: number): number => {
  if (z < 0) return 1 - normalTail(-z)
  const density = exp((-z * z) / 2) / root2pi
  if (z > 38) return 0
  if (z < 3) {
    // Marsaglia 2004: Phi(z) = 1/2 + phi(z) (z + z^3/3 + z^5/(3 5) + ...)
    let term = z
    let sum = z
    for (let n = 3; sum + term !== sum; n += 2) sum += term *= (z * z) / n
    return 0.5 - density * sum
  }
  // Laplace's continued fraction, from its end.
  let fraction = z
  for (let n = 200; n >= 1; n--) fraction = z + n / fraction
  return density / fraction
}

/**
 * The z with P(Z < z) = p, for p in (0, 1).
 * @since 0.1.0
 * @category functions
 */
export const normalQuantile = (p: number): number => {
  checkShare(p)
  if (p < 0.5) return -normalQuantile(1 - p)
  return reach((z) => -normalTail(z), p - 1, 0, 38)
}

/**
 * The t with P(T < t) = p for Student's t with `df` whole degrees of freedom, p in (0, 1).
 * @since 0.1.0
 * @category functions
 */
export const studentQuantile = (p: number, df: number): number => {
  checkShare(p)
  if (!(df >= 1)) throw new RangeError(`df is ${df}: degrees of freedom are at least 1.`)
  if (p < 0.5) return -studentQuantile(1 - p, df)
  const whole = Math.floor(df)
  if (whole > manyDegrees) {
    const z = normalQuantile(p)
    // First term of the expansion around the normal (Abramowitz and Stegun 26.7.5): below 1e-7 here.
    return z + (z * z * z + z) / (4 * whole)
  }
  let high = 2
  while (studentCentre(high, whole) < 2 * p - 1 && high < 1e9) high *= 2
  return reach((t) => studentCentre(t, whole), 2 * p - 1, 0, high)
}

/** Degrees of freedom from which Student's t is the normal with a correction. */
const manyDegrees = 2000

/** P(-t < T < t) by the finite series of Abramowitz and Stegun 26.7.3 (odd df) and 26.7.4 (even df). */
const studentCentre = (t: number, df: number): number => {
  const cosine2 = df / (df + t * t)
  const sine = t / Math.sqrt(df + t * t)
  const odd = df % 2 === 1
  let term = odd ? Math.sqrt(cosine2) : 1
  let sum = 0
  for (let n = odd ? 3 : 2; n <= df; n += 2) {
    sum += term
    term *= (cosine2 * (n - 1)) / n
  }
  if (!odd) return sine * sum
  return (2 / Math.PI) * (angleOf(sine, Math.sqrt(cosine2)) + sine * sum)
}

/**
 * Two-sided z test of two shares with their pooled variance; null where nothing varies.
 * @since 0.1.0
 * @category functions
 */
export const twoProportion = (
  successesA: number,
  nA: number,
  successesB: number,
  nB: number
): { readonly z: number; readonly p: number } | null => {
  if (nA <= 0 || nB <= 0) return null
  const pooled = (successesA + successesB) / (nA + nB)
  const variance = pooled * (1 - pooled) * (1 / nA + 1 / nB)
  if (!(variance > 0)) return null
  const z = (successesB / nB - successesA / nA) / Math.sqrt(variance)
  return { z, p: Math.min(1, 2 * normalTail(Math.abs(z))) }
}

/**
 * Two-sided p of a mean of paired differences by flipping signs: exact up to 16 that are not 0, else random patterns.
 * @since 0.1.0
 * @category functions
 */
export const signFlip = (differences: Iterable<number>, options: { readonly seed?: number } = {}): number | null => {
  const values = Float64Array.from(differences)
  return values.length === 0 ? null : Resampling.signFlip(values, options.seed ?? 0)
}

/**
 * Holm's correction (Holm 1979): p-values in the order they came; null stays null and counts as no test.
 * @since 0.1.0
 * @category functions
 */
export const holm = (ps: ReadonlyArray<number | null>): ReadonlyArray<number | null> => {
  const ranked = ps.flatMap((p, i) => (p === null ? [] : [{ p, i }])).sort((a, b) => a.p - b.p || a.i - b.i)
  const out: Array<number | null> = ps.map(() => null)
  let highest = 0
  ranked.forEach(({ p, i }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (ranked.length - rank)))
    out[i] = highest
  })
  return out
}

/**
 * Counts of a yes-or-no judge against labels.
 * @since 0.1.0
 * @category models
 */
export interface Confusion {
  readonly tp: number
  readonly fp: number
  readonly fn: number
  readonly tn: number
}

/**
 * Cohen's kappa (Cohen 1960); null without counts, and when chance alone would agree always.
 * @since 0.1.0
 * @category functions
 */
export const kappa = ({ fn, fp, tn, tp }: Confusion): number | null => {
  const n = tp + fp + fn + tn
  if (n === 0) return null
  const agreed = (tp + tn) / n
  const chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / (n * n)
  return chance === 1 ? null : (agreed - chance) / (1 - chance)
}

const root2pi = 2.5066282746310002

const checkShare = (p: number): void => {
  if (!(p > 0 && p < 1)) throw new RangeError(`p is ${p}: give a probability between 0 and 1.`)
}
