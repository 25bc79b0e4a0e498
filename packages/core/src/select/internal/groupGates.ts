/**
 * The gates of whole groups, for reinforcement learning: a group teaches by the differences in it.
 */
import * as Hash from "../../random/Hash.ts"
import { isPass } from "../../row/PassMark.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Candidate, Group } from "./candidates.ts"
import type { Tally } from "./gateTally.ts"
import type { Settings } from "./selectOptions.ts"
import { takeInTurn } from "./takeInTurn.ts"

export const chooseGroups = <R extends TraceRow>(
  groups: ReadonlyArray<Group<R>>,
  settings: Settings,
  tally: Tally
): ReadonlyArray<Candidate<R>> => {
  const [least, greatest] = settings.band
  const usable = groups.filter((group) => {
    const { members, rate } = group
    const [first] = members
    if (first === undefined) return false
    if (members.length < 2) return tally.dropGroup("lone", group)
    if (members.every(({ reward }) => reward === first.reward)) {
      return tally.dropGroup(
        "unanimous",
        group,
        isPass(first.reward) ? "all pass" : first.reward === 0 ? "all fail" : "all alike, no pass"
      )
    }
    if (rate < least - rounding) return tally.dropGroup("band", group, "too hard")
    if (rate > greatest + rounding) return tally.dropGroup("band", group, "too easy")
    return true
  })
  const ranked = [...usable].sort(
    (a, b) =>
      Math.abs(a.rate - 0.5) - Math.abs(b.rate - 0.5) ||
      b.members.length - a.members.length ||
      compareTexts(Hash.sha256Hex(a.key), Hash.sha256Hex(b.key))
  )
  const { left, taken } = takeInTurn(
    ranked,
    (group) => faultKindOf((group.members[0] as Candidate<R>).row),
    (group) => group.members.length,
    settings.target
  )
  for (const group of left) tally.dropGroup("target", group)
  return taken.flatMap((group) => group.members)
}

/** Means of rewards are sums of fractions: 0.2 may come out a little below itself. */
const rounding = 1e-9

/** The kinds of failures that were planned for a row's task, such as `stale` or `rate_limited+timeout`; `none` without. */
export const faultKindOf = (row: TraceRow): string => {
  const faults = row["faults"]
  if (!Array.isArray(faults)) return "none"
  const modes = faults.flatMap((fault: unknown) =>
    typeof fault === "object" && fault !== null && "mode" in fault && typeof fault.mode === "string" ? [fault.mode] : []
  )
  return modes.length === 0 ? "none" : [...new Set(modes)].sort().join("+")
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
