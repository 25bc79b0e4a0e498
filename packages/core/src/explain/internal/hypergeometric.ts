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
  for (const stratum of strata) {
    least += fewestBoth(stratum)
    sums = convolved(sums, shares(stratum))
  }
  return Math.min(
    1,
    sums.slice(Math.max(0, observed - least)).reduce((sum, share) => sum + share, 0)
  )
}

const fewestBoth = ({ failed, having, tasks }: Stratum): number => Math.max(0, failed + having - tasks)

/** Chances of each count of failed tasks with the factor, from the fewest on: ratios of neighbours from the commonest count. */
const shares = (stratum: Stratum): ReadonlyArray<number> => {
  const { failed, having, tasks } = stratum
  const from = fewestBoth(stratum)
  const to = Math.min(failed, having)
  const mode = Math.min(to, Math.max(from, Math.floor(((failed + 1) * (having + 1)) / (tasks + 2))))
  const chances = Array.from({ length: to - from + 1 }, () => 0)
  chances[mode - from] = 1
  const ratio = (x: number): number => ((failed - x) * (having - x)) / ((x + 1) * (tasks - failed - having + x + 1))
  for (let x = mode; x < to; x++) chances[x + 1 - from] = (chances[x - from] ?? 0) * ratio(x)
  for (let x = mode - 1; x >= from; x--) chances[x - from] = (chances[x + 1 - from] ?? 0) / ratio(x)
  const all = chances.reduce((sum, chance) => sum + chance, 0)
  return chances.map((chance) => chance / all)
}

const convolved = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): ReadonlyArray<number> => {
  if (right.length === 1) return left
  const sums = new Float64Array(left.length + right.length - 1)
  for (const [i, a] of left.entries()) {
    for (const [j, b] of right.entries()) sums[i + j] = (sums[i + j] ?? 0) + a * b
  }
  return [...sums]
}
