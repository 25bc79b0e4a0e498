/**
 * The pass rate of rows as they land, for the progress: a mean over tasks, never over rows. It reads a pass as everything
 * else does, and costs too little to matter; what a run came to is told by `PassAt`. Where a policy stops groups early, only
 * the rollouts every group got (the probe) count, since the length of a group depends on its verdicts.
 */
import * as PassMark from "@sandtable/core/unstable/PassMark"
import type { Row } from "@sandtable/core/Row"
import * as RowSource from "@sandtable/core/unstable/RowSource"

export interface Score {
  /** Rows seen, and those of them that are in the rate. */
  readonly rows: number
  readonly graded: number
  /** Tasks seen, and those of them that are in the rate. */
  readonly tasks: number
  readonly gradedTasks: number
  /** Mean of the tasks' shares of passes; null without a reward. */
  readonly passRate: number | null
  /**
   * Wilson 95% interval at that many tasks (wider than needed: a task's share varies no more than a 0/1 value): cheap
   * enough to be told again and again while a run goes on.
   */
  readonly interval: readonly [number, number] | null
}

export interface Tally {
  readonly add: (row: Row) => void
  readonly score: () => Score
}

export const tally = (passAt: number): Tally => {
  // Situation, then group (one ask in one eval run), then its passes: a situation weighs the same however often it ran.
  const situations = new Map<string, Map<string, { passes: number; of: number }>>()
  const seen = new Set<string>()
  let rows = 0
  let graded = 0
  return {
    add: (row) => {
      rows += 1
      const situation = RowSource.situationOf(row)
      seen.add(situation)
      const reward = RowSource.rewardOf(row)
      if (reward === null || !inProbe(row.lineage, row.rollout_index ?? 0)) return
      graded += 1
      const groups = entry(situations, situation, () => new Map())
      const group = entry(groups, RowSource.groupOf(row), () => ({ passes: 0, of: 0 }))
      if (PassMark.isPass(reward, passAt)) group.passes += 1
      group.of += 1
    },
    score: () => {
      let sum = 0
      for (const groups of situations.values()) {
        let share = 0
        for (const group of groups.values()) share += group.passes / group.of
        sum += share / groups.size
      }
      const n = situations.size
      const rate = n === 0 ? null : sum / n
      return {
        rows,
        graded,
        tasks: seen.size,
        gradedTasks: n,
        passRate: rate,
        interval: rate === null ? null : wilson(rate, n)
      }
    }
  }
}

/** Wilson's 95% interval (Wilson 1927) of a share `p` of `n`. */
export const wilson = (p: number, n: number): readonly [number, number] => {
  const z2 = z * z
  const middle = p + z2 / (2 * n)
  const spread = z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  const scale = 1 + z2 / n
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)]
}

/** The 97.5% point of the normal distribution. */
const z = 1.959964

const inProbe = (lineage: Row["lineage"], index: number): boolean => {
  switch (lineage?.repeat_policy) {
    case "successive":
      return index < lineage.probe
    case "adaptive":
      return index < 1
    default:
      return true
  }
}

const entry = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const held = map.get(key)
  if (held !== undefined) return held
  const made = make()
  map.set(key, made)
  return made
}
