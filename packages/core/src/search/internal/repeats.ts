/**
 * How many rollouts an ask gets. Pure decisions over one group and what other groups taught.
 */
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Group } from "./state.ts"

/** Rollouts a fresh group begins with. */
export const firstRollouts = (settings: RunSettings): number => {
  switch (settings.repeatPolicy) {
    case "none":
    case "fixed":
      return settings.repeats
    case "successive":
      return Math.min(settings.probe, settings.repeats)
    case "adaptive":
      return settings.repeatsGiven ? settings.repeats : 1
  }
}

/** What to do with a group whose rollouts are all in. */
export type Decision = { readonly _tag: "Roll"; readonly more: number } | { readonly _tag: "Close" }

const close: Decision = { _tag: "Close" }

/** Weight of the prior in the estimate of a late split, in groups. */
const priorGroups = 2

/** What the run has seen so far of groups splitting. */
export interface SplitHistory {
  /** Groups that have had their probe, and those of them that hold two labels. */
  readonly groups: number
  readonly mixed: number
  /** Indexed by the number n of equal labels a group had. */
  readonly after: ReadonlyArray<{ readonly tries: number; readonly splits: number }>
}

/**
 * `successive`: two labels fill the group to k; a unanimous one stops, unless one more rollout is the better buy:
 * nothing fresh can be opened, or the chance that it splits here beats the chance that a fresh group is mixed, divided
 * by the probe that group would cost.
 *
 * The chance of a split after n equal labels is (splits_n + w p / (n + 1)) / (tries_n + w): what was seen, with a prior
 * worth w = 2 groups. The prior takes 1/(n + 1) of a fresh group's chance, as the rule of succession with a
 * Jeffreys prior does (0.5 / (n + 1) for a coin of unknown bias).
 */
export const decide = (
  settings: RunSettings,
  group: Group,
  history: SplitHistory,
  freshPossible: boolean
): Decision => {
  const left = settings.repeats - group.target
  if (left <= 0) return close
  switch (settings.repeatPolicy) {
    case "none":
    case "fixed":
      return close
    case "adaptive":
      return group.aimed.world_fault || group.aimed.graded_failure ? { _tag: "Roll", more: left } : close
    case "successive": {
      if (isSplit(group.labels)) return { _tag: "Roll", more: left }
      if (!freshPossible) return { _tag: "Roll", more: 1 }
      const n = group.labels.length
      // No label at all (every rollout was cut, or no verdict came): more of the same would tell nothing.
      if (n === 0) return close
      const fresh = (history.mixed + 1) / (history.groups + 2)
      const seen = history.after[n] ?? { tries: 0, splits: 0 }
      const late = (seen.splits + (priorGroups * fresh) / (n + 1)) / (seen.tries + priorGroups)
      return late > fresh / settings.probe ? { _tag: "Roll", more: 1 } : close
    }
  }
}

export const isSplit = (labels: ReadonlyArray<string>): boolean => labels.some((label) => label !== labels[0])
