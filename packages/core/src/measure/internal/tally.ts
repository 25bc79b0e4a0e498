/**
 * The verdicts of groups, and what they say of k rollouts.
 */
import * as Statistics from "../Statistics.ts"
import { verdictOf } from "./figures.ts"
import type { Group, Table } from "./table.ts"
import * as Tasks from "./tasks.ts"

/** The rewards of each group, by its number. */
export interface Tally {
  readonly verdicts: Int32Array
  readonly passes: Int32Array
  /** Mean reward (NaN for none). */
  readonly means: Float64Array
  /** Rewards that are neither 0 nor 1, and their mean (NaN for none). */
  readonly fractions: Int32Array
  readonly fractionMeans: Float64Array
}

export const of = (table: Table): Tally => {
  const { groups, order, passAt, reward: rewards } = table
  const tally: Tally = {
    verdicts: new Int32Array(groups.length),
    passes: new Int32Array(groups.length),
    means: new Float64Array(groups.length).fill(Number.NaN),
    fractions: new Int32Array(groups.length),
    fractionMeans: new Float64Array(groups.length).fill(Number.NaN)
  }
  const rewardOf = (row: number): number => rewards.at(row)
  const fractionOf = (row: number): number => {
    const reward = rewards.at(row)
    return isFraction(reward) ? reward : Number.NaN
  }
  for (const group of groups) {
    let verdicts = 0
    let passes = 0
    let fractions = 0
    for (let i = group.start; i < group.end; i++) {
      const reward = rewards.at(order[i] as number)
      if (Number.isNaN(reward)) continue
      verdicts += 1
      passes += verdictOf(reward, passAt)
      if (isFraction(reward)) fractions += 1
    }
    tally.verdicts[group.number] = verdicts
    tally.passes[group.number] = passes
    tally.fractions[group.number] = fractions
    // Rewards of 0 and 1 alone have the share of ones for their mean.
    if (fractions > 0) tally.means[group.number] = Tasks.groupMean(table, group, rewardOf)
    else if (verdicts > 0) tally.means[group.number] = passes / verdicts
    if (fractions > 0) tally.fractionMeans[group.number] = Tasks.groupMean(table, group, fractionOf)
  }
  return tally
}

const isFraction = (reward: number): boolean => reward > 0 && reward < 1

/** pass^k and pass@k of each group, by its number; NaN for a group that is too small. */
export interface Ways {
  readonly all: Float64Array
  readonly any: Float64Array
  readonly groups: number
  /** Whether any of them is a bound. */
  readonly bound: boolean
  readonly isSmall: (group: Group) => boolean
}

export const waysOf = (table: Table, { passes, verdicts }: Tally, k: number | null): Ways => {
  const all = new Float64Array(verdicts.length).fill(Number.NaN)
  const any = all.slice()
  let groups = 0
  let bound = false
  for (const group of k === null ? [] : table.groups) {
    const n = verdicts[group.number] as number
    if (k === null || n === 0) continue
    const { probe } = group.policy
    const early = probe !== null && k > probe
    const found = early ? openEnded(table, group, k) : drawn(n, passes[group.number] as number, k)
    if (found === null) continue
    groups += 1
    bound ||= early
    all[group.number] = found.all
    any[group.number] = found.any
  }
  const isSmall = ({ number }: Group): boolean => (verdicts[number] as number) > 0 && Number.isNaN(all[number])
  return { all, any, groups, bound, isSmall }
}

interface Way {
  readonly all: number
  readonly any: number
}

const drawn = (n: number, c: number, k: number): Way | null => {
  const all = Statistics.passHatK(n, c, k)
  const any = Statistics.passAtK(n, c, k)
  return all === null || any === null ? null : { all, any }
}

/**
 * Of a group that its policy may have stopped early: longer groups are longer for their verdicts, so the first k rollouts
 * are read as they came, and what a stopped group did not play is left open, the good way for pass^k and the bad way for
 * pass@k.
 */
const openEnded = (table: Table, { start, total }: Group, k: number): Way => {
  let read = 0
  let passed = 0
  for (let i = start; i < total && read < k; i++) {
    const verdict = verdictOf(table.reward.at(table.order[i] as number), table.passAt)
    if (Number.isNaN(verdict)) continue
    read += 1
    passed += verdict
  }
  return { all: passed === read ? 1 : 0, any: passed > 0 ? 1 : 0 }
}
