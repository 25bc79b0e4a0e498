/**
 * The exact permutation test of "these tasks fail more often": failures are dealt anew among the tasks of each stratum, and
 * counted where the factor is.
 */

/** One stratum: its tasks, those that fail, those with the factor, and those with both. */
export interface Stratum {
  readonly tasks: number
  readonly failed: number
  readonly having: number
  readonly both: number
}

/** Sums of logarithms, grown as needed: ln n! at n. */
const logFactorials: Array<number> = [0, 0]
const logFactorial = (n: number): number => {
  for (let i = logFactorials.length; i <= n; i++) logFactorials.push((logFactorials[i - 1] ?? 0) + Math.log(i))
  return logFactorials[n] ?? 0
}
const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

/**
 * One-sided p: how likely so many failures or more fall on the tasks with the factor when the failures of each stratum are
 * dealt among its tasks by chance (hypergeometric; strata are convolved). 1 where no more failed than expected.
 */
export const upperTail = (strata: ReadonlyArray<Stratum>): number => {
  const observed = strata.reduce((sum, { both }) => sum + both, 0)
  const expected = strata.reduce((sum, { failed, having, tasks }) => sum + (failed * having) / Math.max(1, tasks), 0)
  if (observed <= expected) return 1
  let least = 0
  let sums: ReadonlyArray<number> = [1]
  for (const { failed, having, tasks } of strata) {
    const from = Math.max(0, failed + having - tasks)
    const all = logChoose(tasks, having)
    const shares: Array<number> = []
    for (let x = from; x <= Math.min(failed, having); x++) {
      shares.push(Math.exp(logChoose(failed, x) + logChoose(tasks - failed, having - x) - all))
    }
    least += from
    if (shares.length > 1) sums = convolved(sums, shares)
  }
  return Math.min(
    1,
    sums.slice(Math.max(0, observed - least)).reduce((sum, share) => sum + share, 0)
  )
}

const convolved = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sums = new Float64Array(left.length + right.length - 1)
  for (const [i, a] of left.entries()) {
    for (const [j, b] of right.entries()) sums[i + j] = (sums[i + j] ?? 0) + a * b
  }
  return [...sums]
}
