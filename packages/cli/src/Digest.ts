/**
 * A run boiled down to what is worth reading of it: the object `--json` prints and the summary is written from. Its keys
 * are read by scripts and stay.
 */
import type { LostRollout } from "@sandtable/core/Measured"
import * as PassAt from "@sandtable/core/PassAt"
import * as PassMark from "@sandtable/core/unstable/PassMark"
import type * as Rows from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import * as Statistics from "@sandtable/core/Statistics"
import * as ToolKind from "@sandtable/core/unstable/ToolKind"
import type * as Before from "./Before.ts"
import type * as Engine from "./Engine.ts"
import * as Thread from "./Thread.ts"

export interface Digest {
  readonly command: "simulate" | "replay"
  readonly agent: string
  readonly run_id: string | null
  /** Paths; null when nothing was written. */
  readonly output: string | null
  readonly meta: string | null
  /** Where lost rollouts are, with their causes; null when there is none. */
  readonly lost_rollouts: string | null
  readonly stopped_because: string
  readonly rows: number
  /** Rows of them that earlier calls of the run had left on disk. */
  readonly resumed: number
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
  /** Lost rollouts are left out of it, and count as failures in `lost_as_failures`. */
  readonly pass: Pass & {
    /** The least reward of a pass. */
    readonly pass_mark: number
    readonly lost_as_failures: Pass & { readonly lost: number }
  }
  readonly pass_by_arm: Readonly<Record<string, Pass>>
  /** Each run of several, and the standard deviation of their pass rates; null for a single run. */
  readonly eval_runs: EvalRuns | null
  /** A replay against its source; null without one, or without verdicts on both sides. */
  readonly change: Before.Change | null
  readonly reward: {
    /** Over tasks, half credit as what it is. */
    readonly mean: number | null
    readonly graded: number
    readonly of: number
    /** Rewards between 0 and 1 in the rate. */
    readonly fractional: number
    /** Graded rows by the grader's name; `""` for rewards that rows came with. */
    readonly by: Readonly<Record<string, number>>
    /** Rows a grader was asked about and gave no reward. */
    readonly errors: number
    /** Rows whose conduct grade read no words, for want of a table of their language. */
    readonly structural_only: number
  }
  readonly distinct_failures: Engine.Outcome["search"]["distinct_failures"]
  readonly tier_mix: Engine.Outcome["search"]["tier_mix"]
  readonly faults: Faults
  readonly coverage: Coverage | null
  readonly failures: ReadonlyArray<Failure>
  readonly tools: Engine.Outcome["report"]["tools"]
  readonly dead_tools: ReadonlyArray<string>
  /** Tools that change something and failed in most calls, though most rows passed. */
  readonly failing_writes: ReadonlyArray<string>
  readonly models: Engine.Outcome["report"]["models"]
  readonly usage: Engine.Outcome["report"]["usage"]
  readonly cost: Engine.Outcome["report"]["cost"]
  readonly degraded: ReadonlyArray<string>
  readonly warnings: Engine.Outcome["warnings"]
  /** `held` is what is held against the threshold: the lower reading of the pass rate. */
  readonly gate: { readonly threshold: number; readonly held: number | null; readonly passed: boolean | null } | null
}

/**
 * Mean over tasks of the share of passes among their graded rows, with its 95% interval over tasks, where there is one:
 * over `tasks` of `tasks_of` tasks and `rows` of `rows_of` rows.
 */
export interface Pass {
  readonly tasks: number
  readonly tasks_of: number
  readonly rows: number
  readonly rows_of: number
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: readonly [number, number] | null
}

export interface EvalRuns {
  readonly runs: ReadonlyArray<Pass & { readonly eval_run: number }>
  /** Of the runs' pass rates, with n - 1; null under two of them. */
  readonly run_std: number | null
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

/** Rows with a fault planned, rows that met one, and those in which the tool answered when it was called again. */
export interface Faults {
  readonly planned: number
  readonly fired: number
  readonly recovered: number
}

/** Rows that lost reward for one reason. */
export interface Failure {
  readonly failure_class: string
  readonly rows: number
  readonly example: {
    readonly row_id: string
    readonly prompt: string
    readonly reason: string | null
    /** What was said and done, a line each. */
    readonly thread: ReadonlyArray<string>
  }
}

export interface Frame {
  readonly command: Digest["command"]
  readonly agent: string
  readonly output: string | null
  readonly requestedRows: number
  readonly gate: number | null
  /** The least reward of a pass; 1 when left out. */
  readonly passAt?: number
  /** Rollouts that gave no row, but for those that the end of the run cut. */
  readonly lost: ReadonlyArray<LostRollout>
  readonly change: Before.Change | null
}

export const make = (outcome: Engine.Outcome, frame: Frame): Digest => {
  const { report, search } = outcome
  const rows = RowSource.once(outcome.rows)
  const passAt = frame.passAt ?? PassMark.passMark
  const measured = PassAt.passAt({ rows, lost: frame.lost }, { passAt })
  const files = frame.output === null ? null : RowFile.beside(frame.output)
  return {
    command: frame.command,
    agent: frame.agent,
    run_id: rows[0]?.lineage?.run_id ?? null,
    output: frame.output,
    meta: files?.meta ?? null,
    lost_rollouts: report.lost > 0 ? (files?.lost ?? null) : null,
    stopped_because: outcome.stoppedBecause,
    rows: rows.length,
    resumed: outcome.resumed ?? 0,
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
    pass: { ...pass(measured), pass_mark: passAt, lost_as_failures: strictly(measured) },
    pass_by_arm: byArm(measured),
    eval_runs: evalRuns(rows, passAt),
    change: frame.change,
    reward: {
      mean: measured.mean_reward,
      graded: measured.graded.graded,
      of: measured.graded.of,
      fractional: measured.fractional.rows,
      by: gradersOf(rows),
      errors: rows.filter(({ judge_status }) => judge_status !== undefined && judge_status !== "ok").length,
      structural_only: rows.filter(({ judge_meta }) => judge_meta?.["rules"] === "structural").length
    },
    distinct_failures: search.distinct_failures,
    tier_mix: search.tier_mix,
    faults: {
      planned: counted(report.delivered["faults_planned"]),
      fired: counted(report.delivered["faults_fired"]),
      recovered: counted(report.delivered["faults_recovered"])
    },
    coverage: coverage(report.coverage),
    failures: failures(rows, passAt),
    tools: report.tools,
    dead_tools: report.dead_tools,
    failing_writes: failingWrites(report, measured.pass_at_1),
    models: report.models,
    usage: report.usage,
    cost: report.cost,
    degraded: outcome.degraded,
    warnings: outcome.warnings,
    gate: frame.gate === null ? null : gateOf(frame.gate, measured)
  }
}

/**
 * What is held against a gate: the lower reading of the pass rate, lost rollouts as failures. Where nothing is graded there is
 * nothing to hold, whatever was lost.
 */
export const gateOf = (
  threshold: number,
  { lost, pass_at_1 }: { readonly pass_at_1: number | null; readonly lost: Pick<PassAt.Lost, "pass_at_1"> }
): NonNullable<Digest["gate"]> => {
  const held = pass_at_1 === null ? null : lost.pass_at_1
  return { threshold, held, passed: held === null ? null : held >= threshold }
}

const pass = (measured: PassAt.PassAt): Pass => ({
  tasks: measured.tasks,
  tasks_of: measured.tasks_of,
  rows: measured.rows,
  rows_of: measured.graded.of,
  pass_at_1: measured.pass_at_1,
  pass_at_1_interval: measured.pass_at_1_interval
})

const strictly = (measured: PassAt.PassAt): Digest["pass"]["lost_as_failures"] => {
  const { lost, pass_at_1 } = measured
  const read = pass(measured)
  return pass_at_1 === null
    ? { ...read, lost: lost.rollouts }
    : {
        ...read,
        tasks: lost.tasks,
        pass_at_1: lost.pass_at_1,
        pass_at_1_interval: lost.pass_at_1_interval,
        lost: lost.rollouts
      }
}

/** The pass rate of tasks with the given shares of passes, as every other part of sandtable tells it. */
export const passOf = (shares: ReadonlyArray<number>, of: Pick<Pass, "tasks_of" | "rows" | "rows_of">): Pass => {
  const { interval, mean } = Statistics.estimate(shares)
  return {
    tasks: shares.length,
    ...of,
    pass_at_1: mean,
    pass_at_1_interval: interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])]
  }
}

const byArm = ({ arms }: PassAt.PassAt): Readonly<Record<string, Pass>> =>
  Object.fromEntries(
    Object.entries(arms).map(([arm, { graded, rows, ...rate }]) => [arm, { ...rate, rows: graded, rows_of: rows }])
  )

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

const counted = (value: unknown): number => (typeof value === "number" ? value : 0)

const evalRuns = (rows: ReadonlyArray<Rows.Row>, passAt: number): EvalRuns | null => {
  const byRun = new Map<number, Array<Rows.Row>>()
  for (const row of rows) {
    const run = RowSource.evalRunOf(row)
    const held = byRun.get(run)
    if (held === undefined) byRun.set(run, [row])
    else held.push(row)
  }
  if (byRun.size < 2) return null
  const runs = [...byRun]
    .sort(([a], [b]) => a - b)
    .map(([eval_run, own]) => ({ eval_run, ...pass(PassAt.passAt(own, { passAt })) }))
  const rates = runs.flatMap(({ pass_at_1 }) => (pass_at_1 === null ? [] : [pass_at_1]))
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  const squares = rates.reduce((sum, rate) => sum + (rate - mean) * (rate - mean), 0)
  return { runs, run_std: rates.length < 2 ? null : Math.sqrt(squares / (rates.length - 1)) }
}

/** A rate from which a run looks fine, and calls under which a tool's failures may be chance. */
const fineRate = 0.8
const fewCalls = 4

export const failingWrites = (
  { knobs, tools }: Engine.Outcome["report"],
  passRate: number | null
): ReadonlyArray<string> => {
  const kinds = knobs["tool_kinds"]
  return passRate === null || passRate < fineRate
    ? []
    : Object.entries(tools).flatMap(([name, { calls, ok }]) =>
        calls >= fewCalls && ok / calls < 0.5 && changes(name, kinds) ? [name] : []
      )
}

/** By the kind it was given, else by its name; a name that says nothing is no ground to mark a tool. */
const changes = (name: string, kinds: unknown): boolean => {
  const given: unknown =
    typeof kinds === "object" && kinds !== null && Object.hasOwn(kinds, name) ? Reflect.get(kinds, name) : undefined
  const kind = ToolKind.toolKinds.find((each) => each === given) ?? ToolKind.classify(name, "")
  return kind !== "other" && ToolKind.writes(kind)
}

/** Graded rows by the grader's name, of rows that come one by one. */
export const grading = (): {
  readonly add: (row: Pick<Rows.Row, "judge_name" | "reward">) => void
  readonly counts: () => Readonly<Record<string, number>>
} => {
  const by = new Map<string, number>()
  return {
    add: ({ judge_name = "", reward }) => {
      if (typeof reward === "number") by.set(judge_name, (by.get(judge_name) ?? 0) + 1)
    },
    counts: () => Object.fromEntries(by)
  }
}

const gradersOf = (rows: ReadonlyArray<Rows.Row>): Readonly<Record<string, number>> => {
  const all = grading()
  rows.forEach(all.add)
  return all.counts()
}

/** What a failure is called whose verdict names no class. */
const noClass = "no class given"
/** Reasons that are told apart; a grader may give each row another one. */
const mostKinds = 500

/** Failures by kind, most rows first, of rows that come one by one. */
export const failing = (
  passAt: number
): { readonly add: (row: Rows.Row) => void; readonly list: () => ReadonlyArray<Failure> } => {
  const found = new Map<
    string,
    { readonly failure_class: string; rows: number; readonly example: Failure["example"] }
  >()
  return {
    add: (row) => {
      if (typeof row.reward !== "number" || PassMark.isPass(row.reward, passAt)) return
      const { failure_class = noClass } = row
      // Of verdicts that name no class the reason is what tells them apart.
      const told = failure_class === noClass ? `${noClass}: ${(row.reason ?? "").replace(/\d+/g, "#")}` : failure_class
      const key = found.has(told) || found.size < mostKinds ? told : failure_class
      const held = found.get(key)
      if (held !== undefined) held.rows += 1
      else {
        const { prompt, reason = null, row_id } = row
        found.set(key, { failure_class, rows: 1, example: { row_id, prompt, reason, thread: Thread.lines(row) } })
      }
    },
    list: () =>
      [...found].map(([, kind]) => kind).sort((a, b) => b.rows - a.rows || (a.failure_class < b.failure_class ? -1 : 1))
  }
}

const failures = (rows: ReadonlyArray<Rows.Row>, passAt: number): ReadonlyArray<Failure> => {
  const all = failing(passAt)
  rows.forEach(all.add)
  return all.list()
}
