/**
 * Which label a row has, by its id or by its place.
 */
import { isPass } from "../../row/PassMark.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { Label, Labels, Trust } from "../JudgeTrust.ts"
import type { MeasuredRow } from "../Measured.ts"

export interface LabelReader {
  /** The label of a row, or null without one that counts. */
  readonly of: (row: MeasuredRow) => { readonly key: string; readonly good: boolean } | null
  /** Call it after the rows. */
  readonly counts: () => Omit<Trust["labels"], "used" | "unjudged">
}

/** Whether a reward is a pass; null for a row without a verdict. */
export const verdictOf = (row: MeasuredRow, passAt: number): boolean | null => {
  const reward = RowSource.rewardOf(row)
  return reward === null ? null : isPass(reward, passAt)
}

/** The keys a row may be named by, the surest first. */
export const keysOf = (row: MeasuredRow | Label): ReadonlyArray<string> => [
  ...(typeof row.row_id === "string" ? [`id:${row.row_id}`] : []),
  ...(typeof row.task_id === "string" && typeof row.rollout_index === "number"
    ? [`at:${row.rollout_index}:${row.task_id}`]
    : [])
]

interface Votes {
  good: number
  bad: number
  matched: boolean
}

export const labelReader = (labels: Labels, allowModelLabels: boolean): LabelReader => {
  const votes = new Map<string, Votes>()
  let byModel = 0
  let invalid = 0
  let contradictory = 0
  for (const label of listOf(labels)) {
    const [key] = keysOf(label)
    const good = goodOf(label.label)
    if (good === null || key === undefined) invalid += 1
    else if (!allowModelLabels && isByModel(label)) byModel += 1
    else {
      const vote = votes.get(key) ?? { good: 0, bad: 0, matched: false }
      votes.set(key, vote)
      if (good) vote.good += 1
      else vote.bad += 1
    }
  }
  return {
    of: (row) => {
      const key = keysOf(row).find((one) => votes.has(one))
      const vote = key === undefined ? undefined : votes.get(key)
      // Of rows that are there twice, the first is the labelled one.
      if (key === undefined || vote === undefined || vote.matched) return null
      vote.matched = true
      if (vote.good === vote.bad) {
        contradictory += 1
        return null
      }
      return { key, good: vote.good > vote.bad }
    },
    counts: () => ({
      by_model: byModel,
      unmatched: [...votes.values()].filter(({ matched }) => !matched).length,
      contradictory,
      invalid
    })
  }
}

const listOf = (labels: Labels): Iterable<Label> =>
  Symbol.iterator in labels
    ? (labels as Iterable<Label>)
    : Object.entries(labels).map(([row_id, label]) => ({ row_id, label }))

const goodOf = (label: unknown): boolean | null =>
  label === true || label === 1 ? true : label === false || label === 0 ? false : null

const isByModel = ({ by, model }: Label): boolean => by === "model" || (typeof model === "string" && model !== "")
