/**
 * From the search's last state and the tally of rows to what a run says of itself.
 */
import type { Identity } from "../model/Identity.ts"
import type { Meter } from "../model/Meter.ts"
import type { Match } from "../model/SameModelDetector.ts"
import type { Usage } from "../model/Usage.ts"
import { snakeCase } from "../options/Options.ts"
import type { Report, RoleUsage } from "../report/Report.ts"
import type { SearchReport } from "../report/SearchReport.ts"
import * as Rows from "../report/SearchReport.ts"
import type { DegradedCode, Warning } from "../report/Warning.ts"
import * as Search from "../search/Search.ts"
import type { Tracing } from "./runPlan.ts"
import type { Threads } from "./runCounters.ts"
import { degradations, repairs, totalsOf, type Observations, type States } from "./runWarnings.ts"

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
  states: States,
  seen: Observations,
  roles: Roles,
  extra: {
    readonly resolvedOptions: Readonly<Record<string, unknown>>
    /** Notes on the call's options. */
    readonly notes: ReadonlyArray<Warning>
    readonly sameModel: ReadonlyArray<Match>
    readonly startedAt: string
    readonly finishedAt: string
    /** Seconds. */
    readonly elapsed: number
  }
): Summary => {
  const report = reportOf(states, seen, roles, extra)
  const losses = degradations(states, seen, extra.sameModel, report)
  return {
    search: searchOf(states, seen, report),
    report,
    degraded: losses.map(({ code }) => code as DegradedCode),
    warnings: [...extra.notes, ...losses, ...repairs(states, seen, report)]
  }
}

const searchOf = (states: States, seen: Observations, report: Report): SearchReport => {
  const tables = Search.report(states)
  const { counters } = seen
  const { pinned, settings } = states[0].input
  const chose = pinned == null
  return {
    ...Rows.empty,
    ...graderOf(tables, counters.graderErrors.count),
    trace_mining: seen.tracing?.report ?? null,
    trace_leakage: leakageOf(tables.trace_leakage, seen.tracing),
    strategy: seen.tracing?.strategy ?? null,
    distinct_failures: counters.graded ? counters.failures.report() : null,
    ...conversations(counters.all, counters.tally.rows()),
    pinned_tasks: chose
      ? null
      : {
          tasks: pinned.tasks.length,
          k: settings.repeats,
          source: seen.pinned?.source ?? null,
          skipped: seen.pinned?.skipped ?? 0
        },
    eval_runs:
      states.length === 1
        ? []
        : states.map((state, evalRun) => ({
            eval_run: evalRun,
            rows: state.landed,
            stopped_because: state.stopped ?? "interrupted",
            ...graderOf(Search.reportOfRun(state), counters.graderErrors.byRun.get(evalRun) ?? 0),
            ...conversations(counters.runs[evalRun] ?? counters.all, state.landed)
          })),
    axis_gaps: chose
      ? Object.fromEntries(
          Object.entries(report.diversity?.axes ?? {}).flatMap(([axis, { gaps }]) =>
            gaps.length > 0 ? [[axis, gaps]] : []
          )
        )
      : null
  }
}

/** With the grader's errors as the counters knows them: a row may be left without a reward for other reasons. */
const graderOf = <A extends Pick<SearchReport, "grader">>(tables: A, errors: number): A => ({
  ...tables,
  grader: tables.grader === null ? null : { ...tables.grader, errors }
})

const conversations = (
  { endedOnQuestion, followupMisses, userLeft }: Threads,
  rows: number
): Pick<SearchReport, "ended_on_question" | "followup_misses"> => ({
  ended_on_question: { share: rows === 0 ? null : endedOnQuestion / rows, n: rows, user_left: userLeft },
  followup_misses: followupMisses
})

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
  states: States,
  { counters: { tally }, meter, unclaimed }: Observations,
  roles: Roles,
  extra: Parameters<typeof make>[3]
): Report => {
  const [state] = states
  const totals = totalsOf(states)
  const { settings } = state.input
  const faults = tally.faults()
  const coverage = state.coverage.report()
  return {
    rows: tally.rows(),
    uniques: tally.uniques(),
    coverage,
    knobs: extra.resolvedOptions,
    requested: Object.fromEntries(
      settings.given.map((option) => [snakeCase(option), extra.resolvedOptions[snakeCase(option)] ?? null])
    ),
    delivered: {
      budget: tally.rows(),
      situations: state.situations,
      hard_share: Search.report(states).tier_mix?.drawn ?? null,
      fault_rate: state.faultTagged === 0 ? null : state.faultKept / state.faultTagged,
      faults_planned: faults.planned,
      faults_fired: faults.fired,
      faults_recovered: faults.recovered,
      mean_user_turns: tally.meanUserTurns(),
      wordings_missing: state.wordingsMissing,
      duplicates_refused: state.duplicatesRefused
    },
    budget_per_run: settings.budget,
    rollouts_requested: totals.requested + unclaimed,
    completed: totals.landed + unclaimed,
    lost: totals.lost,
    lost_by: totals.lostBy,
    tools: tally.tools(),
    dead_tools: tally.deadTools().map(({ tool }) => tool),
    ...spending(tally.usage(), meter),
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

/** What was metered, and what rows say of roles that were not. */
const spending = (ofRows: Readonly<Record<string, Usage>>, meter: Meter): Pick<Report, "usage" | "cost"> => {
  const usage: Record<string, RoleUsage> = {}
  const cost: Record<string, number | null> = {}
  for (const [role, tokens] of Object.entries(ofRows)) usage[role] = { ...tokens, calls: null, uncounted: 0 }
  for (const [role, { cost: dollars, ...spent }] of Object.entries(meter.spent())) {
    usage[role] = spent
    cost[role] = dollars
  }
  return { usage, cost }
}
