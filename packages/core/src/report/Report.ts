/**
 * `report()`: what a run delivered, as one record of plain data that is also written to the meta file.
 */
import * as Schema from "effect/Schema"
import { Usage } from "../model/Usage.ts"

const Share = Schema.Number
const Count = Schema.Int
const Names = Schema.Array(Schema.String)
const byName = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })

/**
 * t-way coverage of the axes, and what is missing.
 * @since 0.1.0
 * @category models
 */
export const Coverage = Schema.suspend(() =>
  Schema.Struct({
    strength: Count,
    /** Tuples that were to be covered, and that rows cover. */
    planned: Count,
    covered: Count,
    /** covered / planned; null when nothing was planned. */
    fraction: Schema.NullOr(Share),
    debt: Schema.NullOr(
      Schema.Struct({
        /** Missing tuples, each axis to value; the first of them when there are many. */
        missing: Schema.Array(byName(Schema.String)),
        missing_count: Count,
        /** Rows it would take to cover them. */
        rows: Count
      })
    )
  }).annotations({ identifier: "Coverage" })
)
export type Coverage = typeof Coverage.Type

/**
 * How many different prompts, situations, cells and signatures there are.
 * @since 0.1.0
 * @category models
 */
export const Uniques = Schema.suspend(() =>
  Schema.Struct({
    prompts: Count,
    situations: Count,
    cells: Count,
    signatures: Count
  }).annotations({ identifier: "Uniques" })
)
export type Uniques = typeof Uniques.Type

/**
 * The calls of one tool, by what they were answered.
 * @since 0.1.0
 * @category models
 */
export const ToolReport = Schema.suspend(() =>
  Schema.Struct({
    calls: Count,
    ok: Count,
    faults_planned: Count,
    faults_fired: Count
  }).annotations({ identifier: "ToolReport" })
)
export type ToolReport = typeof ToolReport.Type

/**
 * The models of a run by role.
 * @since 0.1.0
 * @category models
 */
export const Models = Schema.suspend(() =>
  Schema.Struct({
    agent: Schema.NullOr(Schema.String),
    writer: Schema.NullOr(Schema.String),
    user: Schema.NullOr(Schema.String),
    judge: Schema.NullOr(Schema.String)
  }).annotations({ identifier: "Models" })
)
export type Models = typeof Models.Type

/**
 * How unlike one another the asks are.
 * @since 0.1.0
 * @category models
 */
export const Diversity = Schema.suspend(() =>
  Schema.Struct({
    /** Mean, over asks, of the similarity to the nearest other ask, in [0, 1]; null under two asks. */
    mean_nearest_similarity: Schema.NullOr(Share),
    /** Share of asks with another one at similarity 0.9 or more. */
    near_duplicate_rate: Schema.NullOr(Share),
    /** By axis: rows per value, and the values none drew. */
    axes: byName(Schema.Struct({ counts: byName(Count), gaps: Names })),
    /** By arm: rows, and new behaviours per row. */
    arms: byName(Schema.Struct({ rows: Count, yield: Schema.NullOr(Schema.Number) }))
  }).annotations({ identifier: "Diversity" })
)
export type Diversity = typeof Diversity.Type

/**
 * Tokens of a role, and the requests they were spent in.
 * @since 0.1.0
 * @category models
 */
export const RoleUsage = Schema.suspend(() =>
  Schema.Struct({
    ...Usage.fields,
    /** Requests sent, retries included; null where the role told its tokens and nothing else. */
    calls: Schema.NullOr(Count),
    /** Of `calls`, those whose tokens nobody told: they failed, were given up, or the provider does not count. */
    uncounted: Count
  }).annotations({ identifier: "RoleUsage" })
)
export type RoleUsage = typeof RoleUsage.Type

/**
 * How long a run took, and where the time went. Seconds.
 * @since 0.1.0
 * @category models
 */
export const ReportTimings = Schema.suspend(() =>
  Schema.Struct({
    /** ISO 8601, UTC. */
    started_at: Schema.String,
    finished_at: Schema.NullOr(Schema.String),
    /** Seconds. */
    elapsed: Schema.Number
  }).annotations({ identifier: "ReportTimings" })
)
export type ReportTimings = typeof ReportTimings.Type

/**
 * What a run shows, without its rows.
 * @since 0.1.0
 * @category models
 */
export const Report = Schema.suspend(() =>
  Schema.Struct({
    rows: Count,
    uniques: Uniques,
    coverage: Schema.NullOr(Coverage),
    /** Every option as resolved, by its option name. */
    knobs: byName(Schema.Unknown),
    /** What the caller set, and what came of each: by option name. */
    requested: byName(Schema.Unknown),
    delivered: byName(Schema.Unknown),
    /** Rows each eval run may give. */
    budget_per_run: Count,
    /** rollouts_requested = completed + lost; `lost_by` (by reason) adds up to lost. */
    rollouts_requested: Count,
    completed: Count,
    lost: Count,
    lost_by: byName(Count),
    tools: byName(ToolReport),
    dead_tools: Names,
    /** By role: agent, writer, user, judge; those that spent anything. */
    usage: byName(RoleUsage),
    /** US dollars by role; null where no price is known. */
    cost: byName(Schema.NullOr(Schema.Number)),
    timings: ReportTimings,
    models: Models,
    diversity: Schema.NullOr(Diversity)
  }).annotations({ identifier: "Report" })
)
export type Report = typeof Report.Type
