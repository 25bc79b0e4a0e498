/**
 * From the search's last state and the tally of rows to what a run says of itself.
 */
import type { Identity } from "../model/Identity.ts"
import type { Match } from "../model/SameModelDetector.ts"
import type { Report } from "../row/Report.ts"
import type { SearchReport } from "../row/SearchReport.ts"
import * as Rows from "../row/SearchReport.ts"
import type { Tally } from "../row/Tally.ts"
import { degraded, type DegradedCode, type Warning } from "../row/Warning.ts"
import * as Search from "../search/Search.ts"
import type { Tracing } from "./engine.ts"

/** What is counted while a run goes on, beside rows. */
export interface Observations {
  readonly tally: Tally
  readonly endedOnQuestion: { readonly rows: number; readonly userLeft: number }
  readonly followupMisses: number
  /** The first cause of each reason a rollout was lost for. */
  readonly firstLoss: ReadonlyMap<string, string>
  readonly graderErrors: { readonly count: number; readonly first: string }
  /** Asks the template writer wrote because the caller's writer gave none. */
  readonly fallback: { readonly asks: number; readonly detail: string } | null
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
    warnings: [...extra.notes, ...losses]
  }
}

const searchOf = (state: Search.State, seen: Observations, report: Report): SearchReport => {
  const tables = Search.report(state)
  const rows = seen.tally.rows()
  return {
    ...Rows.empty,
    ...tables,
    trace_mining: seen.tracing?.report ?? null,
    trace_leakage: leakageOf(tables.trace_leakage, seen.tracing),
    strategy: seen.tracing?.strategy ?? null,
    grader: tables.grader === null ? null : { ...tables.grader, errors: seen.graderErrors.count },
    ended_on_question: {
      share: rows === 0 ? null : seen.endedOnQuestion.rows / rows,
      n: rows,
      user_left: seen.endedOnQuestion.userLeft
    },
    followup_misses: seen.followupMisses,
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
  { tally }: Observations,
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
    requested: Object.fromEntries(settings.given.map((option) => [option, extra.knobs[option] ?? null])),
    delivered: {
      budget: tally.rows(),
      situations: state.situations,
      hardShare: Search.report(state).tier_mix?.drawn ?? null,
      faultRate: state.faultTagged === 0 ? null : state.faultKept / state.faultTagged,
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
  const { tally } = seen
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
    const first = seen.firstLoss.get("agent_error") ?? ""
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
  if (seen.fallback !== null) out.push(degraded.generator_fallback(seen.fallback))
  for (const warning of seen.degraded) if (!out.some(({ code }) => code === warning.code)) out.push(warning)
  if (seen.graderErrors.count > 0) {
    out.push(degraded.judge_errors({ errors: seen.graderErrors.count, rows, first: seen.graderErrors.first }))
  }
  if (faults.planned > 0 && tally.worldCalls() === 0) {
    out.push(degraded.faults_not_met({ planned: faults.planned, fired: faults.fired }))
  }
  if (state.stopped === "interrupted") out.push(degraded.interrupted({ rows, budget: settings.budget }))
  return out
}
