/**
 * The pass rate of rows as they land, for the progress and the summary: a mean over tasks, never over rows, of 0/1
 * rewards. Fractional rewards stay out of it and are counted; what has no reward is counted too. Where a policy stops
 * groups early, only the rollouts every group got (the probe) count, since the length of a group depends on its verdicts.
 */
import type { Row } from "@sandtable/core/Row"

export interface Score {
  /** Rows seen. */
  readonly rows: number
  /** Rows with a reward. */
  readonly graded: number
  /** Rows with a reward that is neither 0 nor 1. */
  readonly fractional: number
  /** Mean reward over the graded rows; null when there are none. */
  readonly meanReward: number | null
  /** Tasks with at least one 0/1 row. */
  readonly tasks: number
  /** The share of passes of each task, in the order the tasks came. */
  readonly shares: ReadonlyArray<number>
  /** Their mean; null without tasks. */
  readonly passRate: number | null
  /**
   * Wilson 95% interval at that many tasks (wider than needed: a task's share varies no more than a 0/1 value): cheap
   * enough to be told again and again while a run goes on. What a run came to has the interval of `report`.
   */
  readonly interval: readonly [number, number] | null
}

/** A rollout that gave no row, read as a failure of its ask. */
export interface Lost {
  readonly taskId: string
  readonly scenarioId: string
  readonly evalRun: number
  readonly index: number
}

export interface Tally {
  readonly add: (row: Row) => void
  /** Counts a lost rollout as a failure, under the repeat policy of the rows added so far. */
  readonly addLost: (lost: Lost) => void
  readonly score: () => Score
}

export const tally = (): Tally => {
  // Situation, then group (one ask in one eval run), then its passes: a situation weighs the same however often it ran.
  const situations = new Map<string, Map<string, { passes: number; of: number }>>()
  let rows = 0
  let graded = 0
  let fractional = 0
  let sum = 0
  let lineage: Row["lineage"]
  const count = (situation: string, task: string, evalRun: number, pass: number): void => {
    const groups = entry(situations, situation, () => new Map())
    const group = entry(groups, `${task} ${evalRun}`, () => ({ passes: 0, of: 0 }))
    group.passes += pass
    group.of += 1
  }
  return {
    add: (row) => {
      rows += 1
      lineage ??= row.lineage
      const reward = row.reward
      if (typeof reward !== "number") return
      graded += 1
      sum += reward
      if (reward !== 0 && reward !== 1) {
        fractional += 1
        return
      }
      if (!counts(row)) return
      count(row.scenario_id ?? row.task_id, row.task_id, row.lineage?.eval_run ?? 0, reward)
    },
    addLost: ({ evalRun, index, scenarioId, taskId }) => {
      if (inProbe(lineage, index)) count(scenarioId, taskId, evalRun, 0)
    },
    score: () => {
      const shares = [...situations.values()].map((groups) => {
        let share = 0
        for (const group of groups.values()) share += group.passes / group.of
        return share / groups.size
      })
      const n = situations.size
      const rate = n === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / n
      return {
        rows,
        graded,
        fractional,
        meanReward: graded === 0 ? null : sum / graded,
        tasks: n,
        shares,
        passRate: rate,
        interval: rate === null ? null : wilson(rate, n)
      }
    }
  }
}

export const of = (rows: Iterable<Row>, lost: Iterable<Lost> = []): Score => {
  const counted = tally()
  for (const row of rows) counted.add(row)
  for (const each of lost) counted.addLost(each)
  return counted.score()
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

/** Whether the pass rate reads a row: a reward of 0 or 1, and a place that every group of its policy got to. */
export const counts = (row: Row): boolean =>
  (row.reward === 0 || row.reward === 1) && inProbe(row.lineage, row.rollout_index ?? 0)

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
