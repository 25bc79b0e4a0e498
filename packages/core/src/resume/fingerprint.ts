/**
 * What makes a run the run it is: its id, and what has to be the same for it to be gone on with.
 */
import type { Identity } from "../model/Identity.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import * as Hash from "../random/Hash.ts"
import type * as RunMeta from "../report/RunMeta.ts"
import type { RunSettings } from "../task/RunSettings.ts"

/** Raised when equal inputs give other rows than before. */
const resultsVersion = 1

/** Who plays, as far as it changes results. */
export interface Players {
  readonly agent: Identity
  /** The agent's code, where it declares no identity and the code is known. */
  readonly code: string | null
  readonly writer: Identity
  readonly world: string
  readonly user: Identity | null
  readonly grader: { readonly name: string; readonly version: string | null; readonly model: string | null } | null
  readonly traces: unknown
}

/** Whether an agent says who it is, beyond the name of a function. */
export const declares = ({ model, name }: Identity): boolean => model !== undefined || !name.startsWith("function:")

export const runId = (settings: RunSettings, { agent, grader, traces, user, world, writer }: Players): string =>
  Hash.id("run", resultsVersion, resultsOf(settings), agent, writer, world, user, traces, [grader])

/** What of the settings changes results: not how many run at once, what they may take and cost, or what was given. */
const resultsOf = ({
  concurrency: _c,
  timeouts: _t,
  timeBudget: _b,
  tokenBudget: _k,
  costBudget: _m,
  prices: _p,
  given: _g,
  runs: _r,
  tools,
  ...settings
}: RunSettings): unknown => ({ ...settings, tools: tools.list })

/** Kept with the run: everything that changes results by the name of its option, and how much was asked for. */
export const originOf = (settings: RunSettings, players: Players): RunMeta.Origin => {
  const { budget, order, repeats, runs, situations } = settings
  const parts: Readonly<Record<string, unknown>> = {
    version: resultsVersion,
    ...optionsOf(settings),
    ...rolesOf(players)
  }
  return {
    same: Object.fromEntries(
      Object.entries(parts).map(([name, value]) => [name, material.has(name) ? hashed(value) : told(value)])
    ),
    amounts: { budget, situations, rolloutsPerRequest: repeats, runs },
    order: told(order)
  }
}

const rolesOf = ({ agent, code, grader, traces, user, world, writer }: Players) => ({
  agent: code === null ? agent : { ...agent, code },
  simulator: writer,
  userModel: user,
  execute: world,
  grader,
  traces
})

/** By their names as options, whatever the settings call them. What only says how much, or how fast, is left out. */
const optionsOf = ({
  armWeights,
  completionsPerRequest,
  conduct,
  constraints,
  conversation: { agentOpens, ...conversation },
  dimensions,
  faultPlan,
  faultRate,
  fixedRows,
  gradeTruncated,
  given,
  hardShare,
  ids,
  locale,
  mode,
  mutateFailures,
  mutateGradedFailures,
  openEndedShare,
  order,
  phrasings,
  probe,
  repeatPolicy,
  ruleCap,
  sampling,
  scaffold,
  seed,
  seeds,
  strength,
  systemPrompt,
  tasks,
  tools,
  until,
  writerFallback
}: RunSettings) => ({
  mode,
  seed,
  tools: tools.list,
  systemPrompt,
  scaffold,
  ids,
  requestsPerSituation: phrasings,
  repeatPolicy,
  until,
  seeds,
  hardShare,
  dimensions,
  faultRate,
  ...conversation,
  sampling,
  grade: conduct,
  tasks,
  reproducible: given.includes("reproducible") && order._tag !== "Free" ? order : false,
  "advanced.armWeights": armWeights,
  "advanced.completionsPerRequest": completionsPerRequest,
  "advanced.constraints": constraints,
  "advanced.faultPlan": faultPlan,
  "advanced.fixedRows": fixedRows,
  "advanced.gradeTruncated": gradeTruncated,
  "advanced.locale": locale,
  "advanced.mutateFailures": mutateFailures,
  "advanced.mutateGradedFailures": mutateGradedFailures,
  "advanced.openEndedShare": openEndedShare,
  "advanced.opening": agentOpens,
  "advanced.probe": probe,
  "advanced.ruleCap": ruleCap,
  "advanced.strength": strength,
  "advanced.writerFallback": writerFallback
})

/** Never told in words: it may hold gold answers, or what stays out of a profile. */
const material: ReadonlySet<string> = new Set(["tools", "systemPrompt", "scaffold", "ids", "seeds", "tasks", "traces"])

/** Longer values are told by their hash too: only whether they differ matters. */
const longestTold = 80

const told = (value: unknown): string => {
  const text = Hash.canonical(value)
  return text.length <= longestTold ? text : hashed(value)
}

const hashed = (value: unknown): string => `sha256:${Hash.sha256Hex(Hash.canonical(value)).slice(0, 16)}`

/** What differs between a run on disk and the call that is to go on with it; empty when it may. */
export const differences = (path: string, before: RunMeta.Origin, now: RunMeta.Origin): ReadonlyArray<OptionIssue> => {
  if (before.same["version"] !== now.same["version"]) return [{ ...otherVersion, problem: otherVersion.problem(path) }]
  const names = [...new Set([...Object.keys(before.same), ...Object.keys(now.same)])]
  const changed = names.filter(
    (name) =>
      before.same[name] !== now.same[name] &&
      // a serial run keeps the same order with and without the flag
      !(name === "reproducible" && before.order === now.order)
  )
  return [
    ...changed.map((option) => ({
      option,
      problem: `${change(before.same[option], now.same[option])}: ${path} was begun with another`,
      fix: `Go on with what the run was begun with, or name another \`checkpoint\`.`
    })),
    ...lowered(path, before.amounts, now.amounts)
  ]
}

const otherVersion = {
  option: "checkpoint",
  problem: (path: string) => `is ${path}, a run of a version of Sandtable that chose other tasks`,
  fix: "Name another `checkpoint`, or go on with the version it was begun with."
}

const change = (before: string | undefined, now: string | undefined): string =>
  [before, now].every((value) => value !== undefined && !value.startsWith("sha256:"))
    ? `is ${now} and was ${before}`
    : "differs"

const lowered = (
  path: string,
  before: RunMeta.Origin["amounts"],
  now: RunMeta.Origin["amounts"]
): ReadonlyArray<OptionIssue> =>
  Object.entries(now).flatMap(([option, amount]) => {
    const was = before[option] ?? null
    if ((amount ?? Infinity) >= (was ?? Infinity)) return []
    return [
      {
        option,
        problem: `is ${amount ?? "not set"}, and ${path} was begun with ${was ?? "no limit"}`,
        fix: "Give at least as much as before: a run that is gone on with can get more, not less."
      }
    ]
  })

/**
 * Whether the search comes to the same tasks again by itself: it keeps an order that concurrency does not touch, and it
 * is to give no more than before.
 */
export const isExact = (before: RunMeta.Origin, now: RunMeta.Origin): boolean =>
  now.order !== told({ _tag: "Free" }) &&
  before.order === now.order &&
  Object.entries(now.amounts).every(([name, amount]) => before.amounts[name] === amount)
