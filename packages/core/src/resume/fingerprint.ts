/**
 * What makes a run the run it is: its id, and what has to be the same for it to be gone on with.
 */
import type { Identity } from "../model/Identity.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import { entries, settingAt } from "../options/internal/optionTable.ts"
import * as Hash from "../random/Hash.ts"
import type * as RunMeta from "../report/RunMeta.ts"
import type { RunSettings } from "../settings/RunSettings.ts"

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
  Hash.id("run", resultsVersion, resultsOf(plainOf(settings)), agent, writer, world, user, traces, [grader])

/** The settings as data: tools as their definitions. */
type Plain = Omit<RunSettings, "tools"> & { readonly tools: RunSettings["tools"]["list"] }
const plainOf = (settings: RunSettings): Plain => ({ ...settings, tools: settings.tools.list })

/** The settings that change results, which are all but those whose definition says otherwise. */
const resultsOf = ({ given: _given, ...settings }: Plain): unknown =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => {
      if (without.has(name)) return []
      if (!groups.has(name)) return [[name, value]]
      const kept = Object.entries(value as object).filter(([key]) => !without.has(`${name}.${key}`))
      return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]]
    })
  )

const without = new Set(entries.filter(({ changesRows }) => changesRows === false).map(({ place }) => place))
/** Settings that stand together, such as `timeouts`. */
const groups = new Set(entries.flatMap(({ place }) => (place.includes(".") ? [place.replace(/\..*/, "")] : [])))

/** Kept with the run: everything that changes results by the name of its option, and how much was asked for. */
export const originOf = (resolved: RunSettings, players: Players): RunMeta.Origin => {
  const settings = plainOf(resolved)
  const parts: ReadonlyArray<readonly [string, string]> = [
    ["version", told(resultsVersion)],
    ...entries
      .filter(({ resume }) => resume === "same")
      .map(({ name, place, secret, setting }) => {
        const settled = settingAt(settings, place)
        const kept = setting?.kept === undefined ? settled : setting.kept(settled, settings.given.includes(name))
        return [name, secret === true ? hashed(kept) : told(kept)] as const
      }),
    ...Object.entries(rolesOf(players)).map(
      ([name, role]) => [name, name === "traces" ? hashed(role) : told(role)] as const
    )
  ]
  const amounts = entries
    .filter(({ resume }) => resume === "grows")
    // what grows is counted
    .map(({ name, place }) => [name, settingAt(settings, place) as number | null] as const)
  return { same: Object.fromEntries(parts), amounts: Object.fromEntries(amounts), order: told(settings.order) }
}

const rolesOf = ({ agent, code, grader, traces, user, world, writer }: Players) => ({
  agent: code === null ? agent : { ...agent, code },
  simulator: writer,
  userModel: user,
  execute: world,
  grader,
  traces
})

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
