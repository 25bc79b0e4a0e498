/**
 * `search`: what the search chose and why, as one record of plain data that is also written to the meta file. Keys that
 * do not apply to a run are null; with several eval runs every table counts all rows, and `eval_runs` lists each run.
 */
import * as Schema from "effect/Schema"

const Share = Schema.Number
const Count = Schema.Int
const Names = Schema.Array(Schema.String)
const byName = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })
/** One entry for each member of a closed list. */
const byTier = Schema.Struct({ ordinary: Count, ambiguous: Count, boundary: Count, adversarial: Count })

/**
 * The share of hard situations that was asked for and the share that was drawn.
 * @since 0.1.0
 * @category models
 */
export const TierMix = Schema.suspend(() =>
  Schema.Struct({
    /** `hardShare` as resolved, and the share of drawn situations that were hard; null when none was drawn. */
    asked: Share,
    drawn: Schema.NullOr(Share),
    /** Situations drawn, and rows, by tier; seeds are not among them. */
    situations: byTier,
    rows: byTier,
    /** Seeds, which keep the tier they were given. */
    seeds: Count,
    /** Said when the draw missed the asked share by more than 0.10. */
    note: Schema.NullOr(Schema.String)
  }).annotations({ identifier: "TierMix" })
)
export type TierMix = typeof TierMix.Type

/**
 * What became of the seeds, and how many asks were written around them.
 * @since 0.1.0
 * @category models
 */
export const SeedAmplification = Schema.suspend(() =>
  Schema.Struct({
    given: Count,
    /** Situations that seeds were to become. */
    target: Count,
    /** Asks written around seeds. */
    minted: Count
  }).annotations({ identifier: "SeedAmplification" })
)
export type SeedAmplification = typeof SeedAmplification.Type

/**
 * Rows that aimed mutations, and the rows that came of them.
 * @since 0.1.0
 * @category models
 */
export const MutationAim = Schema.suspend(() =>
  Schema.Struct({
    /** Rows that aimed, and rows of the asks mutated from them. */
    parents: Count,
    mutated: Count
  }).annotations({ identifier: "MutationAim" })
)
export type MutationAim = typeof MutationAim.Type

/**
 * Mutations by what aimed them.
 * @since 0.1.0
 * @category models
 */
export const MutationAims = Schema.suspend(() =>
  Schema.Struct({ world_fault: MutationAim, graded_failure: MutationAim }).annotations({
    identifier: "MutationAims"
  })
)
export type MutationAims = typeof MutationAims.Type

/**
 * Rollouts per ask: how many were planned, and which groups taught something.
 * @since 0.1.0
 * @category models
 */
export const Groups = Schema.suspend(() =>
  Schema.Struct({
    k: Count,
    probe: Count,
    groups: Count,
    /** Groups with a pass and a fail (or two behaviours, ungraded). */
    mixed: Count,
    stopped_unanimous: Count,
    complete: Count,
    partial: Count,
    /** Rollouts that stopping early did not spend. */
    rollouts_saved: Count,
    /** mixed / groups with at least two labels; null when there is none. */
    mixed_rate: Schema.NullOr(Share)
  }).annotations({ identifier: "Groups" })
)
export type Groups = typeof Groups.Type

/**
 * The verdicts of a run, counted.
 * @since 0.1.0
 * @category models
 */
export const GraderReport = Schema.suspend(() =>
  Schema.Struct({
    judged_in_loop: Count,
    judged_after: Count,
    /** Rows with a reward: passes (1), failures (under 0.5) and partials (between). */
    scored: Count,
    passes: Count,
    failures: Count,
    partials: Count,
    /**
     * Rows without a reward, and how many of them because the grader failed or answered nothing usable; a row whose ask has
     * no reference, or that does not tell its outcome, is none of those.
     */
    unjudged: Count,
    errors: Count
  }).annotations({ identifier: "GraderReport" })
)
export type GraderReport = typeof GraderReport.Type

/**
 * How often a thread ended while the agent waited for an answer.
 * @since 0.1.0
 * @category models
 */
export const EndedOnQuestion = Schema.suspend(() =>
  Schema.Struct({
    /** Of `n` rows, the share that ended on a question; null when n is 0. */
    share: Schema.NullOr(Share),
    n: Count,
    user_left: Count
  }).annotations({ identifier: "EndedOnQuestion" })
)
export type EndedOnQuestion = typeof EndedOnQuestion.Type

/**
 * What was read in the traces, by tool.
 * @since 0.1.0
 * @category models
 */
export const TraceMining = Schema.suspend(() =>
  Schema.Struct({
    /** Threads read, and records that could not be read. */
    threads: Count,
    unreadable: Count,
    tools: Schema.Array(Schema.Struct({ tool: Schema.String, calls: Count, failures: Count, behaviors: Count })),
    tool_conditions: Names,
    world_states: Names,
    /** Result payloads kept as world templates. */
    payloads: Count,
    asks: Count,
    failing_asks: Count,
    identifiers: Count,
    mean_user_turns: Schema.NullOr(Schema.Number),
    /** Threads that end on the agent's question. */
    left: Count
  }).annotations({ identifier: "TraceMining" })
)
export type TraceMining = typeof TraceMining.Type

/**
 * How near the generated asks came to the traces they were made from.
 * @since 0.1.0
 * @category models
 */
export const TraceLeakage = Schema.suspend(() =>
  Schema.Struct({
    /** Source asks generated lines are held against. */
    sources: Count,
    refused: Count,
    /** Of what was kept; null when nothing was compared. */
    highest_similarity: Schema.NullOr(Share),
    threshold: Share
  }).annotations({ identifier: "TraceLeakage" })
)
export type TraceLeakage = typeof TraceLeakage.Type

/**
 * The pinned tasks of a run, and where they came from.
 * @since 0.1.0
 * @category models
 */
export const PinnedTasks = Schema.suspend(() =>
  Schema.Struct({
    tasks: Count,
    k: Count,
    /** `run_id` of the source; null for rows that name none. */
    source: Schema.NullOr(Schema.String),
    /** Rows of the source that had no prompt to pin. */
    skipped: Count
  }).annotations({ identifier: "PinnedTasks" })
)
export type PinnedTasks = typeof PinnedTasks.Type

/**
 * What one arm of the search ran and found.
 * @since 0.1.0
 * @category models
 */
export const ArmReport = Schema.suspend(() =>
  Schema.Struct({
    situations: Count,
    rows: Count,
    /** What its rows found first. */
    new_signatures: Count,
    new_cells: Count,
    /** Where its weight ended; null for arms that are not weighed (seeds, variants of traces). */
    weight: Schema.NullOr(Schema.Number)
  }).annotations({ identifier: "ArmReport" })
)
export type ArmReport = typeof ArmReport.Type

/**
 * One way in which the agent failed.
 * @since 0.1.0
 * @category models
 */
export const DistinctFailure = Schema.suspend(() =>
  Schema.Struct({
    /** What was broken; null where the grader names nothing. */
    failure_class: Schema.NullOr(Schema.String),
    /** The first call that failed or met a planned failure, and what it met; null where every call went well. */
    tool: Schema.NullOr(Schema.String),
    met: Schema.NullOr(Schema.String),
    /** The verdict's reason, without quotes, identifiers and numbers. */
    reason: Schema.NullOr(Schema.String),
    rows: Count,
    tasks: Count,
    /** The first task that showed it, from 1 in the order of the run, and a row of it. */
    first_task: Count,
    row_id: Schema.String
  }).annotations({ identifier: "DistinctFailure" })
)
export type DistinctFailure = typeof DistinctFailure.Type

/**
 * How many ways to fail were not seen yet, estimated from those that few tasks showed.
 * @since 0.1.0
 * @category models
 */
export const Remaining = Schema.suspend(() =>
  Schema.Struct({
    estimate: Schema.Number,
    interval: Schema.Tuple(Schema.Number, Schema.Number),
    /** Tasks of cells that were drawn without looking at results: the estimate is from these. */
    tasks: Count
  }).annotations({ identifier: "Remaining" })
)
export type Remaining = typeof Remaining.Type

/**
 * The different ways in which the agent failed.
 * @since 0.1.0
 * @category models
 */
export const DistinctFailures = Schema.suspend(() =>
  Schema.Struct({
    count: Count,
    /** In the order of their first sight. */
    list: Schema.Array(DistinctFailure),
    /** Null where too few tasks were drawn without looking. */
    remaining: Schema.NullOr(Remaining)
  }).annotations({ identifier: "DistinctFailures" })
)
export type DistinctFailures = typeof DistinctFailures.Type

/**
 * One run of several: its own count of what the tables above count over all.
 * @since 0.1.0
 * @category models
 */
export const EvalRun = Schema.suspend(() =>
  Schema.Struct({
    eval_run: Count,
    rows: Count,
    stopped_because: Schema.String,
    tier_mix: Schema.NullOr(TierMix),
    groups: Schema.NullOr(Groups),
    grader: Schema.NullOr(GraderReport),
    ended_on_question: Schema.NullOr(EndedOnQuestion),
    followup_misses: Schema.NullOr(Count)
  }).annotations({ identifier: "EvalRun" })
)
export type EvalRun = typeof EvalRun.Type

/**
 * What the search did: arms, groups, mutations, traces.
 * @since 0.1.0
 * @category models
 */
export const SearchReport = Schema.suspend(() =>
  Schema.Struct({
    tier_mix: Schema.NullOr(TierMix),
    /** Prompts of the seeds that the budget did not pay for, in order. */
    seeds_dropped: Schema.NullOr(Names),
    seed_amplification: Schema.NullOr(SeedAmplification),
    mutation_aims: Schema.NullOr(MutationAims),
    groups: Schema.NullOr(Groups),
    grader: Schema.NullOr(GraderReport),
    /** Ways in which rows failed; null for a run of which no row has a reward. */
    distinct_failures: Schema.NullOr(DistinctFailures),
    ended_on_question: Schema.NullOr(EndedOnQuestion),
    /** Follow-ups for which the person had no usable line. */
    followup_misses: Schema.NullOr(Count),
    trace_mining: Schema.NullOr(TraceMining),
    trace_leakage: Schema.NullOr(TraceLeakage),
    pinned_tasks: Schema.NullOr(PinnedTasks),
    eval_runs: Schema.Array(EvalRun),
    /** By arm. */
    arms: Schema.NullOr(byName(ArmReport)),
    /** By axis: values that no row drew. */
    axis_gaps: Schema.NullOr(byName(Names)),
    /** How traces aimed the grid: `targeted`, `trace`, `broad`, ... */
    strategy: Schema.NullOr(Schema.String)
  }).annotations({ identifier: "SearchReport" })
)
export type SearchReport = typeof SearchReport.Type

/**
 * Nothing applies yet.
 * @since 0.1.0
 * @category constants
 */
export const empty: SearchReport = {
  tier_mix: null,
  seeds_dropped: null,
  seed_amplification: null,
  mutation_aims: null,
  groups: null,
  grader: null,
  distinct_failures: null,
  ended_on_question: null,
  followup_misses: null,
  trace_mining: null,
  trace_leakage: null,
  pinned_tasks: null,
  eval_runs: [],
  arms: null,
  axis_gaps: null,
  strategy: null
}
