/**
 * What a run warns of at its end: what it had to do without (`degraded`), and what the caller can mend.
 */
import type { Meter, Refusal } from "../model/Meter.ts"
import type { Role } from "../model/ModelCall.ts"
import type { Match } from "../model/SameModelDetector.ts"
import type { Report } from "../report/Report.ts"
import * as Warnings from "../report/Warning.ts"
import { degraded, type AgentKind, type Warning } from "../report/Warning.ts"
import type { PinnedTasks } from "../row/PinnedTasks.ts"
import type * as Search from "../search/Search.ts"
import type { Counters } from "./runCounters.ts"
import type { Tracing } from "./runPlan.ts"

export interface Observations {
  readonly counters: Counters
  readonly meter: Meter
  readonly agentKind: AgentKind
  /** The address or the command of an agent outside of the process; null for one inside. */
  readonly agentNamed: string | null
  /** What the writer and the preparation had to do without: at most one warning of a code is told. */
  readonly degraded: ReadonlyArray<Warning>
  readonly tracing: Tracing | null
  readonly pinned: PinnedTasks | null
  /** Whether what landed and what was lost is kept outside the result. */
  readonly kept: boolean
  /** Whether something of it could not be written. */
  readonly unwritten: boolean
  /** Rows of an earlier call that the run ended before coming to. */
  readonly unclaimed: number
}

/** The last states of a call's runs; the first chose the tasks. */
export type States = readonly [Search.State, ...Array<Search.State>]

/** Warnings of what can be mended; those of `degraded` are told before them. */
export const repairs = (states: States, seen: Observations, report: Report): ReadonlyArray<Warning> => [
  ...states.flatMap((state) => writerStopped(state, seen.counters)),
  ...refusals(states, seen),
  ...uncounted(states, report),
  ...capReached(states),
  ...missingTasks(states),
  ...withoutReferences(states, seen.counters)
]

const withoutReferences = (states: States, { noReferences }: Counters): ReadonlyArray<Warning> =>
  noReferences === 0
    ? []
    : [Warnings.noReferences({ without: noReferences, rows: states.reduce((sum, { landed }) => sum + landed, 0) })]

/** Why the writer ended the run, when it did. */
const writerStopped = ({ stopped }: Search.State, { writerFailure }: Counters): ReadonlyArray<Warning> => {
  const ended = stopped === "writer_failed" || stopped === "auth_failed" || stopped === "quota_exceeded"
  if (writerFailure === null || !ended) return []
  const { message, reason, writer } = writerFailure
  const fix = "Name another `simulator`, or set `simulator: false` for the offline template writer."
  return [Warnings.make("writer_failed", message, fix, { writer, reason })]
}

/** The option that names another model for a role. */
const optionOf: Readonly<Record<Role, string>> = {
  agent: "agent",
  user: "userModel",
  writer: "simulator",
  judge: "grader"
}

/** Of models, and of an agent that asks for itself. */
const refusals = (states: States, { counters, meter }: Observations): ReadonlyArray<Warning> => {
  const told = meter.refusals()
  if (told.some(({ role }) => role === "agent")) return told.map(refused)
  const { lostBy } = totalsOf(states)
  const own = (["auth", "quota"] as const).find((reason) => (lostBy[reason] ?? 0) > 0)
  return [...told.map(refused), ...(own === undefined ? [] : [agentRefused(own, counters.firstLoss.get(own) ?? "")])]
}

const agentRefused = (reason: "auth" | "quota", first: string): Warning =>
  Warnings.make(
    "endpoint_refused",
    `The agent was refused for good (${reason}): ${first}`,
    reason === "auth"
      ? "Give the agent the key that its endpoint takes; the rows that landed stand."
      : "Raise its quota; the rows that landed stand.",
    { role: "agent", reason }
  )

const refused = ({ error, role }: Refusal): Warning =>
  Warnings.make(
    "endpoint_refused",
    `The ${role}'s endpoint refused for good (${error.reason}). ${error.message}`,
    error.reason === "auth"
      ? `Mend the key, or name another model as \`${optionOf[role]}\`; the rows that landed stand.`
      : `Raise the quota, or name another model as \`${optionOf[role]}\`; the rows that landed stand.`,
    { role, model: error.model, reason: error.reason }
  )

/** What was under way when a cap was reached was paid for in part, and gave no row. */
const capReached = (states: States): ReadonlyArray<Warning> => {
  const stopped = states.at(-1)?.stopped
  const cut = totalsOf(states).lostBy["interrupted"] ?? 0
  if ((stopped !== "token_budget" && stopped !== "cost_budget") || cut === 0) return []
  const option = stopped === "token_budget" ? "tokenBudget" : "costBudget"
  return [
    Warnings.make(
      "cap_reached",
      `${cut} rollouts were under way when \`${option}\` was spent; nothing more was sent for them.`,
      `Raise \`${option}\`, or lower \`concurrency\` so that less is under way at the end.`,
      { option, rollouts: cut }
    )
  ]
}

/** A cap can only count what endpoints tell. */
const uncounted = ([{ input }]: States, { usage }: Report): ReadonlyArray<Warning> => {
  const { costBudget, tokenBudget } = input.settings
  const blind = Object.entries(usage).filter(([, { calls, uncounted }]) => calls !== null && uncounted === calls)
  if ((costBudget === null && tokenBudget === null) || blind.length === 0) return []
  const roles = blind.map(([role]) => role)
  return [
    Warnings.make(
      "tokens_untold",
      `No model call told its tokens for ${roles.join(", ")}, so the cap could not count them.`,
      "Cap such a run by `budget` or `timeBudget`, or use an endpoint that reports usage.",
      { roles }
    )
  ]
}

/** Pinned tasks that the budget did not pay for. */
const missingTasks = ([{ input, pinnedOpened, stopped }]: States): ReadonlyArray<Warning> => {
  const missing = input.pinned?.tasks.slice(pinnedOpened).map(({ prompt }) => prompt) ?? []
  if (missing.length === 0 || stopped !== "budget") return []
  return [
    Warnings.make(
      "tasks_missing",
      `The budget ended before ${missing.length} of ${input.pinned?.tasks.length} pinned tasks were rolled: ` +
        `${missing.map((prompt) => JSON.stringify(prompt)).join(", ")}.`,
      "Raise `budget` to the number of tasks times `repeats`.",
      { missing }
    )
  ]
}

/** A thread now and then ends for want of a line; more than one in ten changes what the run is. */
const toleratedMisses = 0.1

export const degradations = (
  states: States,
  seen: Observations,
  sameModel: ReadonlyArray<Match>,
  report: Report
): ReadonlyArray<Warning> => {
  const { settings } = states[0].input
  const totals = totalsOf(states)
  const { fallback, firstLoss, graderErrors, tally } = seen.counters
  const rows = tally.rows()
  const faults = tally.faults()
  const lostFor = (reason: string): number => totals.lostBy[reason] ?? 0
  const out: Array<Warning> = []
  if (sameModel.length > 0) {
    out.push(
      degraded.same_model({ roles: sameModel.map(({ role }) => role), options: sameModel.map(({ option }) => option) })
    )
  }
  if (totals.lost > 0) {
    out.push(
      degraded.rollouts_lost({
        lost: totals.lost,
        requested: totals.requested,
        by: Object.entries(totals.lostBy).map(([reason, count]) => `${reason} ${count}`),
        kept: seen.kept
      })
    )
  }
  if (lostFor("agent_error") > 0) {
    const first = firstLoss.get("agent_error") ?? ""
    const errors = lostFor("agent_error")
    const { agentKind, agentNamed: named, kept } = seen
    out.push(
      degraded.agent_errors({ errors, requested: totals.requested, first, kept, model: agentKind === "model", named })
    )
  }
  if (lostFor("empty_reply") > 0) {
    const first = firstLoss.get("empty_reply") ?? ""
    out.push(degraded.empty_replies({ empty: lostFor("empty_reply"), requested: totals.requested, first }))
  }
  if (settings.tools.size > 0 && rows > 0 && tally.calls() === 0) {
    out.push(degraded.no_tool_calls({ rows, tools: settings.tools.size, agent: seen.agentKind }))
  }
  const dead = tally.deadTools()
  if (dead.length > 0) {
    out.push(degraded.dead_tools({ tools: report.dead_tools, calls: dead.reduce((sum, { calls }) => sum + calls, 0) }))
  }
  const { followupMisses: misses } = seen.counters.all
  if (misses > rows * toleratedMisses) out.push(degraded.followups_starved({ misses, rows }))
  if (fallback !== null) out.push(degraded.generator_fallback(fallback))
  for (const warning of seen.degraded) if (!out.some(({ code }) => code === warning.code)) out.push(warning)
  if (graderErrors.count > 0) {
    out.push(degraded.judge_errors({ errors: graderErrors.count, rows, first: graderErrors.first }))
  }
  if (faults.planned > 0 && tally.worldCalls() === 0) {
    out.push(degraded.faults_not_met({ planned: faults.planned, fired: faults.fired, agent: seen.agentKind }))
  }
  const stopped = states.at(-1)?.stopped
  if (stopped === "interrupted" || stopped === "output_failed") {
    const budget = settings.budget * settings.runs
    out.push(degraded.interrupted({ rows, budget, unwritten: seen.unwritten, kept: seen.kept }))
  }
  return out
}

/** Rollouts of all runs of a call. */
export const totalsOf = (states: States) => {
  const lostBy: Record<string, number> = {}
  for (const state of states) {
    for (const [reason, count] of Object.entries(state.lostBy)) lostBy[reason] = (lostBy[reason] ?? 0) + count
  }
  return {
    requested: states.reduce((sum, { requested }) => sum + requested, 0),
    landed: states.reduce((sum, { landed }) => sum + landed, 0),
    lost: states.reduce((sum, { lost }) => sum + lost, 0),
    lostBy
  }
}
