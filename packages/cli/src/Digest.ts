/**
 * A run boiled down to what is worth reading of it: the object `--json` prints and the summary is written from. Its keys
 * are read by scripts and stay.
 */
import * as Rows from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import type * as Engine from "./Engine.ts"
import * as Score from "./Score.ts"

export interface Digest {
  readonly command: "simulate"
  readonly agent: string
  readonly run_id: string | null
  /** Paths; null when nothing was written. */
  readonly output: string | null
  readonly meta: string | null
  /** Where lost rollouts are, with their causes; null when there is none. */
  readonly lost_rollouts: string | null
  readonly stopped_because: string
  readonly rows: number
  readonly requested_rows: number
  readonly tasks: number
  readonly situations: number
  readonly elapsed: number
  readonly rollouts: {
    readonly requested: number
    readonly completed: number
    readonly lost: number
    readonly lost_by: Readonly<Record<string, number>>
  }
  readonly pass: Pass
  readonly pass_by_arm: Readonly<Record<string, Pass>>
  readonly reward: {
    readonly mean: number | null
    readonly graded: number
    readonly of: number
    readonly fractional: number
    /** Rows a grader was asked about and gave no reward. */
    readonly errors: number
  }
  readonly tier_mix: Engine.Outcome["search"]["tier_mix"]
  readonly faults: Faults
  readonly coverage: Coverage | null
  readonly failures: ReadonlyArray<Failure>
  readonly tools: Engine.Outcome["report"]["tools"]
  readonly dead_tools: ReadonlyArray<string>
  readonly models: Engine.Outcome["report"]["models"]
  readonly usage: Engine.Outcome["report"]["usage"]
  readonly cost: Engine.Outcome["report"]["cost"]
  readonly degraded: ReadonlyArray<string>
  readonly warnings: Engine.Outcome["warnings"]
  readonly gate: { readonly threshold: number; readonly passed: boolean | null } | null
}

/** Mean over tasks of the share of passes among 0/1 rewards, with Wilson's 95% interval at that many tasks. */
export interface Pass {
  readonly tasks: number
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: readonly [number, number] | null
}

/** Tuples of axis values; the missing ones are counted here and listed in the meta file. */
export interface Coverage {
  readonly strength: number
  readonly planned: number
  readonly covered: number
  readonly fraction: number | null
  readonly missing: number
  /** Rows it would take to cover them. */
  readonly rows_to_cover: number
}

/** Rows with a fault planned, rows that met one, and those whose faulted tool answered in the end. */
export interface Faults {
  readonly planned: number
  readonly fired: number
  readonly recovered: number
}

/** Rows that lost reward for one reason. */
export interface Failure {
  readonly failure_class: string
  readonly rows: number
  readonly example: { readonly row_id: string; readonly prompt: string; readonly reason: string | null }
}

export interface Frame {
  readonly agent: string
  readonly output: string | null
  readonly requestedRows: number
  readonly gate: number | null
}

export const make = (outcome: Engine.Outcome, frame: Frame): Digest => {
  const { report, rows, search } = outcome
  const score = Score.of(rows)
  const files = frame.output === null ? null : RowFile.beside(frame.output)
  return {
    command: "simulate",
    agent: frame.agent,
    run_id: rows[0]?.lineage?.run_id ?? null,
    output: frame.output,
    meta: files?.meta ?? null,
    lost_rollouts: report.lost > 0 ? (files?.lost ?? null) : null,
    stopped_because: outcome.stoppedBecause,
    rows: rows.length,
    requested_rows: frame.requestedRows,
    tasks: new Set(rows.map((row) => row.task_id)).size,
    situations: new Set(rows.map((row) => row.scenario_id ?? row.task_id)).size,
    elapsed: report.timings.elapsed,
    rollouts: {
      requested: report.rollouts_requested,
      completed: report.completed,
      lost: report.lost,
      lost_by: report.lost_by
    },
    pass: pass(score),
    pass_by_arm: byArm(rows),
    reward: {
      mean: score.meanReward,
      graded: score.graded,
      of: score.rows,
      fractional: score.fractional,
      errors: rows.filter(({ judge_status }) => judge_status !== undefined && judge_status !== "ok").length
    },
    tier_mix: search.tier_mix,
    faults: faults(rows),
    coverage: coverage(report.coverage),
    failures: failures(rows),
    tools: report.tools,
    dead_tools: report.dead_tools,
    models: report.models,
    usage: report.usage,
    cost: report.cost,
    degraded: outcome.degraded,
    warnings: outcome.warnings,
    gate:
      frame.gate === null
        ? null
        : { threshold: frame.gate, passed: score.passRate === null ? null : score.passRate >= frame.gate }
  }
}

const pass = (score: Score.Score): Pass => ({
  tasks: score.tasks,
  pass_at_1: score.passRate,
  pass_at_1_interval: score.interval
})

const byArm = (rows: ReadonlyArray<Rows.Row>): Readonly<Record<string, Pass>> => {
  const arms = new Map<string, Score.Tally>()
  for (const row of rows) {
    const arm = row.arm ?? "unknown"
    const held = arms.get(arm) ?? Score.tally()
    held.add(row)
    arms.set(arm, held)
  }
  return Object.fromEntries([...arms].map(([arm, tally]) => [arm, pass(tally.score())]))
}

const coverage = (of: Engine.Outcome["report"]["coverage"]): Coverage | null =>
  of === null
    ? null
    : {
        strength: of.strength,
        planned: of.planned,
        covered: of.covered,
        fraction: of.fraction,
        missing: of.debt?.missing_count ?? 0,
        rows_to_cover: of.debt?.rows ?? 0
      }

const faults = (rows: ReadonlyArray<Rows.Row>): Faults => {
  let planned = 0
  let fired = 0
  let recovered = 0
  for (const row of rows) {
    if (row.faults !== undefined && row.faults !== null && row.faults.length > 0) planned += 1
    const calls = row.steps.filter(Rows.isCallStep)
    const met = new Set(calls.filter((call) => call.fault !== undefined).map((call) => call.tool))
    if (met.size === 0) continue
    fired += 1
    const settled = [...met].every((tool) => calls.findLast((call) => call.tool === tool)?.status === "ok")
    if (settled) recovered += 1
  }
  return { planned, fired, recovered }
}

const failures = (rows: ReadonlyArray<Rows.Row>): ReadonlyArray<Failure> => {
  const found = new Map<string, { rows: number; readonly example: Rows.Row }>()
  for (const row of rows) {
    if (row.failure_class === undefined || typeof row.reward !== "number" || row.reward === 1) continue
    const held = found.get(row.failure_class)
    if (held === undefined) found.set(row.failure_class, { rows: 1, example: row })
    else held.rows += 1
  }
  return [...found]
    .map(([failure_class, { rows, example }]) => ({
      failure_class,
      rows,
      example: { row_id: example.row_id, prompt: example.prompt, reason: example.reason ?? null }
    }))
    .sort((a, b) => b.rows - a.rows || (a.failure_class < b.failure_class ? -1 : 1))
}
