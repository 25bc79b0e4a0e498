/**
 * The search's state as the tables people read.
 */
import * as HashMap from "effect/HashMap"
import type * as SearchReport from "../../row/SearchReport.ts"
import { Arm, hardTiers, tiers } from "../../task/Cell.ts"
import { earnedWeight, seedTarget } from "./choose.ts"
import { seedsKept, type State } from "./state.ts"

/** A drawn share of hard tiers this far from the asked one is said. */
const noteworthyMiss = 0.1

export type SearchTables = Pick<
  SearchReport.SearchReport,
  "tier_mix" | "seeds_dropped" | "seed_amplification" | "mutation_aims" | "groups" | "grader" | "arms" | "trace_leakage"
>

export const of = (state: State): SearchTables => ({
  tier_mix: tierMix(state),
  seeds_dropped: seedsDropped(state),
  seed_amplification: seedAmplification(state),
  mutation_aims: state.input.settings.mutateFailures ? state.mutations : null,
  groups: groups(state),
  grader: state.input.judged ? grader(state) : null,
  trace_leakage: traceLeakage(state),
  arms: Object.fromEntries(
    Arm.literals.map((arm) => {
      const { situations, rows, newSignatures, newCells } = state.arms[arm]
      const weight = arm === "seed" ? null : earnedWeight(state, arm)
      return [arm, { situations, rows, new_signatures: newSignatures, new_cells: newCells, weight }]
    })
  )
})

/** Tasks short of the rollouts their policy gives, because the run stopped: id, and what they have and want. */
export const cutGroups = (
  state: State
): ReadonlyArray<{ readonly task_id: string; readonly have: number; readonly want: number }> =>
  [
    ...state.cut,
    ...HashMap.toValues(state.groups).map(({ task, landed }) => ({
      task_id: task.id,
      have: landed,
      want: state.input.settings.repeats
    }))
  ].sort((a, b) => (a.task_id < b.task_id ? -1 : 1))

const tierMix = (state: State): SearchReport.TierMix => {
  const { hardShare } = state.input.settings
  const total = tiers.reduce((sum, tier) => sum + state.tierDrawn[tier], 0)
  const hard = hardTiers.reduce((sum, tier) => sum + state.tierDrawn[tier], 0)
  const drawn = total === 0 ? null : hard / total
  const missed = drawn !== null && Math.abs(drawn - hardShare) > noteworthyMiss
  return {
    asked: hardShare,
    drawn,
    situations: state.tierDrawn,
    rows: state.tierRows,
    seeds: state.seedsOpened,
    note: missed
      ? `${hard} of ${total} situations were hard where hardShare asked for ${hardShare}: ` +
        (total < 10 ? "there were few to draw." : "the grid has too few cells left in the tiers asked for.")
      : null
  }
}

const seedsDropped = ({ input: { settings } }: State): ReadonlyArray<string> | null =>
  settings.seeds.length === 0 ? null : settings.seeds.slice(seedsKept(settings)).map(({ prompt }) => prompt)

const seedAmplification = (state: State): SearchReport.SeedAmplification | null => {
  const given = state.input.settings.seeds.length
  return given === 0 ? null : { given, target: seedTarget(state), minted: state.minted }
}

const traceLeakage = (state: State): SearchReport.TraceLeakage | null => {
  const { leakage } = state.input
  return leakage === null
    ? null
    : {
        sources: leakage.asks.length,
        refused: state.leaksRefused,
        highest_similarity: state.tasks > state.seedsOpened ? state.highestSimilarity : null,
        threshold: leakage.threshold
      }
}

const groups = ({ input: { settings }, closed, groups: open }: State): SearchReport.Groups => {
  const count = closed.complete + closed.partial + closed.stoppedUnanimous + HashMap.size(open)
  return {
    k: settings.repeats,
    probe: settings.probe,
    groups: count,
    mixed: closed.mixed,
    stopped_unanimous: closed.stoppedUnanimous,
    complete: closed.complete,
    partial: closed.partial + HashMap.size(open),
    rollouts_saved: closed.saved,
    mixed_rate: closed.labelled === 0 ? null : closed.mixed / closed.labelled
  }
}

const grader = ({ grader: counts }: State): SearchReport.GraderReport => ({
  judged_in_loop: counts.scored + counts.unjudged,
  judged_after: 0,
  ...counts,
  errors: counts.unjudged
})
