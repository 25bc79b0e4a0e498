/**
 * The search's state as the tables people read.
 */
import type * as SearchReport from "../../report/SearchReport.ts"
import { type Aim, Arm, hardTiers, tiers } from "../../task/Cell.ts"
import { seedsKept } from "./protocol.ts"
import type { State } from "./state.ts"
import * as Weights from "./weights.ts"

/** A drawn share of hard tiers this far from the asked one is said. */
const noteworthyMiss = 0.1

export type SearchTables = Pick<
  SearchReport.SearchReport,
  "tier_mix" | "seeds_dropped" | "seed_amplification" | "mutation_aims" | "groups" | "grader" | "arms" | "trace_leakage"
>

/** The tables of the runs of one call: they count the rows of all of them; what was chosen was chosen by the first. */
export const of = (states: readonly [State, ...Array<State>]): SearchTables => {
  const [first] = states
  const chose = first.input.pinned == null
  return {
    tier_mix: chose ? tierMix(first, summed(states.map(({ tierRows }) => tierRows))) : null,
    seeds_dropped: chose ? seedsDropped(first) : null,
    seed_amplification: chose ? seedAmplification(first) : null,
    mutation_aims: chose && first.input.settings.mutateFailures ? mutationAims(states) : null,
    groups: groups(states),
    grader: first.input.judged ? grader(summed(states.map((state) => state.grader))) : null,
    trace_leakage: chose ? traceLeakage(first) : null,
    arms: arms(states)
  }
}

/** What one run of several adds to the tables. */
export const ofRun = (state: State): Pick<SearchReport.EvalRun, "tier_mix" | "groups" | "grader"> => {
  const { grader, groups, tier_mix } = of([state])
  return { tier_mix, groups, grader }
}

const summed = <K extends string>(counts: ReadonlyArray<Readonly<Record<K, number>>>): Record<K, number> => {
  const out: Partial<Record<K, number>> = {}
  for (const each of counts) {
    for (const key of Object.keys(each) as Array<K>) out[key] = (out[key] ?? 0) + each[key]
  }
  return out as Record<K, number>
}

const mutationAims = (states: readonly [State, ...Array<State>]): SearchReport.MutationAims => {
  const of = (aim: Aim): SearchReport.MutationAim => ({
    parents: states[0].mutations[aim].parents,
    mutated: states.reduce((sum, { mutations }) => sum + mutations[aim].mutated, 0)
  })
  return { world_fault: of("world_fault"), graded_failure: of("graded_failure") }
}

const arms = (states: readonly [State, ...Array<State>]): SearchReport.SearchReport["arms"] =>
  Object.fromEntries(
    Arm.literals
      .filter((arm) => arm !== "fork" || states[0].arms.fork.situations > 0)
      .map((arm) => {
        const [first] = states
        const { situations, newSignatures, newCells } = first.arms[arm]
        const rows = states.reduce((sum, state) => sum + state.arms[arm].rows, 0)
        const weight =
          arm === "seed" || arm === "trace_variant" || arm === "fork" || first.input.pinned != null
            ? null
            : Weights.earned(first, arm, Weights.meanYield(first))
        return [arm, { situations, rows, new_signatures: newSignatures, new_cells: newCells, weight }]
      })
  )

/** Tasks short of the rollouts their policy gives, because the run stopped: id, and what they have and want. */
export const cutGroups = (
  state: State
): ReadonlyArray<{ readonly task_id: string; readonly have: number; readonly want: number }> =>
  [
    ...state.cut,
    ...Array.from(state.groups, ({ task, landed }) => ({
      task_id: task.id,
      have: landed,
      want: state.input.settings.repeats
    }))
  ].sort((a, b) => (a.task_id < b.task_id ? -1 : 1))

const tierMix = (state: State, rows: SearchReport.TierMix["rows"]): SearchReport.TierMix => {
  const { hardShare } = state.input.settings
  const total = tiers.reduce((sum, tier) => sum + state.tierDrawn[tier], 0)
  const hard = hardTiers.reduce((sum, tier) => sum + state.tierDrawn[tier], 0)
  const drawn = total === 0 ? null : hard / total
  const missed = drawn !== null && Math.abs(drawn - hardShare) > noteworthyMiss
  return {
    asked: hardShare,
    drawn,
    situations: state.tierDrawn,
    rows,
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
  return given === 0 ? null : { given, target: state.fixed.variants, minted: state.minted }
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

const groups = (states: readonly [State, ...Array<State>]): SearchReport.Groups => {
  const closed = summed(states.map((state) => state.closed))
  const open = states.reduce((sum, state) => sum + state.groups.size, 0)
  const { settings } = states[0].input
  return {
    k: settings.repeats,
    probe: settings.probe,
    groups: closed.complete + closed.partial + closed.stoppedUnanimous + open,
    mixed: closed.mixed,
    stopped_unanimous: closed.stoppedUnanimous,
    complete: closed.complete,
    partial: closed.partial + open,
    rollouts_saved: closed.saved,
    mixed_rate: closed.labelled === 0 ? null : closed.mixed / closed.labelled
  }
}

const grader = (counts: State["grader"]): SearchReport.GraderReport => ({
  judged_in_loop: counts.scored + counts.unjudged,
  judged_after: 0,
  ...counts,
  errors: counts.unjudged
})
