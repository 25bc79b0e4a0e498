/**
 * The checks of a judge against itself: its verdicts on the same rows once more, and on rows that say nothing more.
 */
import type { Check } from "../JudgeTrust.ts"
import type { InMemory, MeasuredRow } from "../Measured.ts"
import { shareCheck } from "./judgeChecks.ts"
import { mostFlips } from "./judgeLimits.ts"
import { keysOf, verdictOf } from "./judgeLabels.ts"

/** Verdicts that changed on the same row. */
export const repeatFlip = (rows: ReadonlyArray<MeasuredRow>, again: InMemory | undefined, passAt: number): Check => {
  const pairs = pairsOf(rows, again, passAt)
  return shareCheck("repeat_flip", pairs.filter(([a, b]) => a !== b).length, pairs.length, mostFlips, "not_measured")
}

/** Rows that did not pass until words were added that say nothing. */
export const fillerFlip = (rows: ReadonlyArray<MeasuredRow>, filled: InMemory | undefined, passAt: number): Check => {
  const failed = pairsOf(rows, filled, passAt).filter(([before]) => !before)
  return shareCheck("filler_flip", failed.filter(([, after]) => after).length, failed.length, mostFlips, "not_measured")
}

/** The two verdicts of each row that has both. */
const pairsOf = (
  rows: ReadonlyArray<MeasuredRow>,
  again: InMemory | undefined,
  passAt: number
): ReadonlyArray<readonly [boolean, boolean]> => {
  if (again === undefined) return []
  const second = new Map<string, boolean | null>()
  for (const row of Symbol.iterator in again ? again : again.rows) {
    for (const key of keysOf(row)) if (!second.has(key)) second.set(key, verdictOf(row, passAt))
  }
  return rows.flatMap((row) => {
    const before = verdictOf(row, passAt)
    const key = keysOf(row).find((one) => second.has(one))
    const after = key === undefined ? null : (second.get(key) ?? null)
    return before === null || after === null ? [] : [[before, after] as const]
  })
}
