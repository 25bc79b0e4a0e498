/**
 * Figures and codes in the words of a person.
 */
import type { EvalVariance } from "@sandtable/core/EvalVariance"
import * as Statistics from "@sandtable/core/Statistics"
import type { Style } from "./Style.ts"

export const count = (n: number, one: string, many = `${one}s`): string => `${whole(n)} ${n === 1 ? one : many}`

/** `12 tasks`, or `6 of 50 tasks` where there are more of them. */
export const of = (n: number, all: number, one: string): string =>
  n === all ? count(n, one) : `${whole(n)} of ${count(all, one)}`

/** What a rate is over: `12 tasks, 24 rows`, or `6 of 50 tasks, 12 of 100 rows`. */
export const over = (
  rate: { readonly tasks: number; readonly tasks_of: number; readonly rows: number; readonly rows_of: number },
  one = "task"
): string => `${of(rate.tasks, rate.tasks_of, one)}, ${of(rate.rows, rate.rows_of, "row")}`

/** What became of rewards between 0 and 1, and what a pass is where that is not 1; empty where nothing is to be said. */
export const halfCredit = (rewards: number, passMark: number): string =>
  passMark !== 1
    ? `a pass is a reward of ${passMark} or more`
    : rewards === 0
      ? ""
      : `${count(rewards, "reward")} between 0 and 1 ${rewards === 1 ? "is no pass" : "are no passes"}`

/** 12345 as `12,345`. */
export const whole = (n: number): string => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",")

/** 12345 as `12.3k`. */
export const short = (n: number): string =>
  n < 1000 ? String(Math.round(n)) : n < 999_950 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1_000_000).toFixed(1)}M`

/** A share as `81.2%`. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

/** `[76.0%, 85.5%]`. */
export const range = ([low, high]: readonly [number, number]): string => `[${percent(low)}, ${percent(high)}]`

/** ` [76.0%, 85.5%]` behind a figure, or nothing where there is no interval. */
export const within = (interval: readonly [number, number] | null): string =>
  interval === null ? "" : ` ${range(interval)}`

/** Behind a rate that all tasks have: what is possible all the same. Nothing where there is an interval, or no saying. */
export const alike = (rate: number, tasks: number, interval: readonly [number, number] | null): string => {
  const possible = interval === null ? Statistics.ruleOfThree(rate, tasks) : null
  return possible === null ? "" : `, all alike: ${range(possible)} is possible`
}

/** What stands behind the rates of eval runs: how far they lie apart, and how far two such evaluations may for nothing. */
export const spread = ({ band, notes, run_std }: EvalVariance): string => {
  if (run_std === null) return ""
  if (run_std === 0)
    return notes.some(({ code }) => code === "spread_hidden")
      ? "; alike by chance, as tasks differ between them"
      : "; all alike"
  const noise = band === null ? "" : `: two such evaluations may differ by ${points(band)} for nothing`
  return `; standard deviation ${points(run_std)}${noise}`
}

/** The size of a difference of shares. */
export const points = (share: number): string =>
  share > 0 && share < 0.0005 ? "under 0.1 points" : `${(share * 100).toFixed(1)} points`

/** Seconds as `0:07`, `12:30`, `1:02:03`. */
export const clock = (seconds: number): string => {
  const total = Math.max(0, Math.round(seconds))
  const two = (n: number): string => String(n).padStart(2, "0")
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor(total / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(total % 60)}` : `${minutes}:${two(total % 60)}`
}

/** Seconds as `0.35 s`, `12 s` or `4 min 5 s`. */
export const elapsed = (seconds: number): string =>
  seconds < 10
    ? `${seconds.toFixed(2)} s`
    : seconds < 60
      ? `${Math.round(seconds)} s`
      : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`

export const dollars = (amount: number): string => `$${amount < 1 ? amount.toFixed(3) : amount.toFixed(2)}`

/** `timeout 2, agent_error 1`, most first. */
export const counts = (by: Iterable<readonly [string, number]>): string =>
  [...by]
    .filter(([, n]) => n > 0)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([name, n]) => `${name} ${whole(n)}`)
    .join(", ")

/** A grader by its name; conduct with what its rate does not say. */
export const graderOf = (name: string): string => (name === "conduct" ? `conduct, ${floor}` : name)

const floor = "a floor: not whether the job was done"

/** Who graded, from the graded rows of each grader by name: `""` for rewards that rows came with. */
export const gradersOf = (by: Readonly<Record<string, number>>): string => {
  const names = Object.entries(by).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  return names
    .map(([name, rows]) => {
      const who = name === "" ? "whoever gave the rows their rewards" : graderOf(name)
      return names.length === 1 ? who : `${who} (${count(rows, "row")})`
    })
    .join("; ")
}

/** Lines such as `  rows        64`, all labels as wide. */
export const factIn =
  (style: Style) =>
  (label: string, value: string): string =>
    `  ${style.dim(label.padEnd(labelWidth))}${value}`

export const labelWidth = 12

/** Why a run stopped, as a clause. */
export const stopReason = (code: string): string => {
  switch (code) {
    case "budget":
      return "the budget of rows is spent"
    case "time_budget":
      return "the time budget ran out"
    case "situations_exhausted":
      return "every situation asked for has all its rollouts"
    case "tasks_done":
      return "every pinned task has its rollouts"
    case "saturation":
      return "nothing new was found for a while (saturation)"
    case "writer_exhausted":
      return "the writer has no new situation to offer"
    case "writer_failed":
      return "the situation writer kept failing"
    case "agent_failed":
      return "the agent kept failing"
    case "empty_replies":
      return "the agent kept saying nothing"
    case "auth_failed":
      return "an endpoint refused the key"
    case "quota_exceeded":
      return "an endpoint's quota is spent"
    case "token_budget":
      return "the token budget is spent"
    case "cost_budget":
      return "the cost budget is spent"
    case "output_failed":
      return "its rows could not be written"
    case "interrupted":
      return "it was interrupted"
    default:
      return code
  }
}
