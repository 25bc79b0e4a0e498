/**
 * From the search's last state and the tally of rows to what a run says of itself.
 */
import type { Identity } from "../model/Identity.ts"
import type { Match } from "../model/SameModelDetector.ts"
import { snakeCase } from "../options/Options.ts"
import type { Report } from "../row/Report.ts"
import type { SearchReport } from "../row/SearchReport.ts"
import * as Rows from "../row/SearchReport.ts"
import * as Warnings from "../row/Warning.ts"
import { degraded, type DegradedCode, type Warning } from "../row/Warning.ts"
import * as Search from "../search/Search.ts"
import type { Tracing } from "./engine.ts"
import type { Ledger } from "./ledger.ts"

export interface Observations {
  readonly ledger: Ledger
  /** What the writer and the preparation had to do without: at most one warning of a code is told. */
  readonly degraded: ReadonlyArray<Warning>
  readonly tracing: Tracing | null
}

export interface Roles {
  readonly agent: Identity
  readonly writer: Identity
  readonly user: Identity | null
  readonly judge: Identity | null
}

export interface Summary {
  readonly search: SearchReport
  readonly report: Report
  readonly degraded: ReadonlyArray<DegradedCode>
  readonly warnings: ReadonlyArray<Warning>
}

export const make = (
  state: Search.State,
  seen: Observations,
  roles: Roles,
  extra: {
    readonly knobs: Readonly<Record<string, unknown>>
    /** Notes on the call's options. */
    readonly notes: ReadonlyArray<Warning>
    readonly sameModel: ReadonlyArray<Match>
    readonly startedAt: string
    readonly finishedAt: string
    /** Seconds. */
    readonly elapsed: number
  }
): Summary => {
  const report = reportOf(state, seen, roles, extra)
  const losses = degradations(state, seen, extra.sameModel, report)
  return {
    search: searchOf(state, seen, report),
    report,
    degraded: losses.map(({ code }) => code as DegradedCode),
    warnings: [...extra.notes, ...losses, ...writerStopped(state, seen.ledger)]
  }
}

/** Why the writer ended the run, when it did. */
const writerStopped = ({ stopped }: Search.State, { writerFailure }: Ledger): ReadonlyArray<Warning> => {
  const ended = stopped === "writer_failed" || stopped === "auth_failed" || stopped === "quota_exceeded"
  if (writerFailure === null || !ended) return []
  const { message, reason, writer } = writerFailure
  const fix = "Name another `simulator`, or set `simulator: false` for the offline template writer."
  return [Warnings.make("writer_failed", message, fix, { writer, reason })]
}

const searchOf = (state: Search.State, seen: Observations, report: Report): SearchReport => {
  const tables = Search.report(state)
  const { ledger } = seen
  const rows = ledger.tally.rows()
  return {
    ...Rows.empty,
    ...tables,
    trace_mining: seen.tracing?.report ?? null,
    trace_leakage: leakageOf(tables.trace_leakage, seen.tracing),
    strategy: seen.tracing?.strategy ?? null,
    grader: tables.grader === null ? null : { ...tables.grader, errors: ledger.graderErrors.count },
    ended_on_question: {
      share: rows === 0 ? null : ledger.endedOnQuestion / rows,
      n: rows,
      user_left: ledger.userLeft
    },
    followup_misses: ledger.followupMisses,
    axis_gaps: Object.fromEntries(
      Object.entries(report.diversity?.axes ?? {}).flatMap(([axis, { gaps }]) =>
        gaps.length > 0 ? [[axis, gaps]] : []
      )
    )
  }
}

/** Asks by the search's count, later lines of people by their guard's. */
const leakageOf = (asks: Rows.TraceLeakage | null, tracing: Tracing | null): Rows.TraceLeakage | null => {
  if (asks === null || tracing === null) return asks
  const lines = tracing.lines()
  return {
    ...asks,
    refused: asks.refused + lines.refused,
    highest_similarity: asks.highest_similarity === null ? null : Math.max(asks.highest_similarity, lines.highest)
  }
}

const reportOf = (
  state: Search.State,
  { ledger: { tally } }: Observations,
  roles: Roles,
  extra: Parameters<typeof make>[3]
): Report => {
  const { settings } = state.input
  const faults = tally.faults()
  const coverage = state.coverage.report()
  return {
    rows: tally.rows(),
    uniques: tally.uniques(),
    coverage,
    knobs: extra.knobs,
    requested: Object.fromEntries(
      settings.given.map((option) => [snakeCase(option), extra.knobs[snakeCase(option)] ?? null])
    ),
    delivered: {
      budget: tally.rows(),
      situations: state.situations,
      hard_share: Search.report(state).tier_mix?.drawn ?? null,
      fault_rate: state.faultTagged === 0 ? null : state.faultKept / state.faultTagged,
      faults_planned: faults.planned,
      faults_fired: faults.fired,
      faults_recovered: faults.recovered,
      mean_user_turns: tally.meanUserTurns(),
      wordings_missing: state.wordingsMissing,
      duplicates_refused: state.duplicatesRefused
    },
    budget_per_run: settings.budget,
    rollouts_requested: state.requested,
    completed: state.landed,
    lost: state.lost,
    lost_by: state.lostBy,
    tools: tally.tools(),
    dead_tools: tally.deadTools().map(({ tool }) => tool),
    usage: tally.usage(),
    cost: {},
    timings: { started_at: extra.startedAt, finished_at: extra.finishedAt, elapsed: extra.elapsed },
    models: {
      agent: roles.agent.name,
      writer: roles.writer.name,
      user: roles.user?.name ?? null,
      judge: roles.judge?.name ?? null
    },
    diversity: {
      ...tally.likeness(),
      axes: tally.axes(),
      arms: Object.fromEntries(
        Object.entries(state.arms).map(([arm, { rows, newSignatures }]) => [
          arm,
          { rows, yield: rows === 0 ? null : newSignatures / rows }
        ])
      )
    }
  }
}

const degradations = (
  state: Search.State,
  seen: Observations,
  sameModel: ReadonlyArray<Match>,
  report: Report
): ReadonlyArray<Warning> => {
  const { settings } = state.input
  const { fallback, firstLoss, graderErrors, tally } = seen.ledger
  const rows = tally.rows()
  const faults = tally.faults()
  const lostFor = (reason: string): number => state.lostBy[reason] ?? 0
  const out: Array<Warning> = []
  if (sameModel.length > 0) {
    out.push(
      degraded.same_model({ roles: sameModel.map(({ role }) => role), options: sameModel.map(({ option }) => option) })
    )
  }
  if (state.lost > 0) {
    out.push(
      degraded.rollouts_lost({
        lost: state.lost,
        requested: state.requested,
        by: Object.entries(state.lostBy).map(([reason, count]) => `${reason} ${count}`)
      })
    )
  }
  if (lostFor("agent_error") > 0) {
    const first = firstLoss.get("agent_error") ?? ""
    out.push(degraded.agent_errors({ errors: lostFor("agent_error"), requested: state.requested, first }))
  }
  if (lostFor("empty_reply") > 0) {
    out.push(degraded.empty_replies({ empty: lostFor("empty_reply"), requested: state.requested }))
  }
  if (settings.tools.length > 0 && rows > 0 && tally.calls() === 0) {
    out.push(degraded.no_tool_calls({ rows, tools: settings.tools.length }))
  }
  const dead = tally.deadTools()
  if (dead.length > 0) {
    out.push(degraded.dead_tools({ tools: report.dead_tools, calls: dead.reduce((sum, { calls }) => sum + calls, 0) }))
  }
  if (fallback !== null) out.push(degraded.generator_fallback(fallback))
  for (const warning of seen.degraded) if (!out.some(({ code }) => code === warning.code)) out.push(warning)
  if (graderErrors.count > 0) {
    out.push(degraded.judge_errors({ errors: graderErrors.count, rows, first: graderErrors.first }))
  }
  if (faults.planned > 0 && tally.worldCalls() === 0) {
    out.push(degraded.faults_not_met({ planned: faults.planned, fired: faults.fired }))
  }
  if (state.stopped === "interrupted") out.push(degraded.interrupted({ rows, budget: settings.budget }))
  return out
}
