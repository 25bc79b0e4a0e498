/**
 * The different ways in which an agent failed: when each was first seen, and how many may not have been seen yet.
 */
import * as Portable from "../random/portable.ts"
import * as PassMark from "../row/PassMark.ts"
import type { Row } from "../row/Row.ts"
import * as Rows from "../row/Row.ts"
import type { DistinctFailure, DistinctFailures, Remaining } from "./SearchReport.ts"

type Identity = Omit<DistinctFailure, "rows" | "tasks" | "first_task" | "row_id">

/** What tells one failure from another, of a row that is no pass; null for a pass and for a row without a reward. */
export const identityOf = (row: Row): Identity | null => {
  const { failure_class, reason, reward, steps } = row
  if (typeof reward !== "number" || PassMark.isPass(reward)) return null
  const failed = steps.filter(Rows.isAgentCall).find(({ fault, status }) => fault !== undefined || status !== "ok")
  return {
    failure_class: failure_class ?? null,
    tool: failed?.tool ?? null,
    met: failed?.fault ?? failed?.status ?? null,
    reason: reason === undefined ? null : normalised(reason)
  }
}

/** One text for an identity, to count by. */
export const keyOf = (row: Row): string | null => {
  const identity = identityOf(row)
  return identity === null ? null : JSON.stringify(Object.values(identity))
}

/** A reason without what differs from case to case: quotes, identifiers, numbers. */
const normalised = (reason: string): string =>
  reason
    .replace(/"[^"]*"|'[^']{2,}'|`[^`]*`/g, "…")
    .replace(/\b[\w-]*\d[\w-]*\b/g, "#")
    .replace(/\s+/g, " ")
    .slice(0, longestReason)
const longestReason = 120

/** Failures that a report lists; the rest is counted. */
const mostListed = 50

interface Seen {
  readonly identity: Identity
  /** The row of the earliest task, of its rollouts the first: rows land in any order. */
  first: { readonly order: number; readonly rowId: string }
  rows: number
  readonly tasks: Set<string>
  /** Tasks of cells that were drawn without looking at results. */
  readonly unsteered: Set<string>
}

/** Counts failures as rows land. */
export class Counter {
  private readonly seen = new Map<string, Seen>()
  private readonly unsteered = new Set<string>()

  /** `order`: the place of the row's task in the run, from 0. */
  add(row: Row, order: number): void {
    const steered = row.arm !== "grid"
    if (!steered) this.unsteered.add(row.task_id)
    const identity = identityOf(row)
    if (identity === null) return
    const key = JSON.stringify(Object.values(identity))
    const first = { order, rowId: row.row_id }
    const known = this.seen.get(key) ?? {
      identity,
      first,
      rows: 0,
      tasks: new Set<string>(),
      unsteered: new Set<string>()
    }
    this.seen.set(key, known)
    if (isBefore(first, known.first)) known.first = first
    known.rows += 1
    known.tasks.add(row.task_id)
    if (!steered) known.unsteered.add(row.task_id)
  }

  report(): DistinctFailures {
    const all = [...this.seen.values()].sort((a, b) => (isBefore(a.first, b.first) ? -1 : 1))
    const counts = all.map(({ unsteered }) => unsteered.size).filter((n) => n > 0)
    return {
      count: all.length,
      list: all.slice(0, mostListed).map(({ first: { order, rowId }, identity, rows, tasks }) => ({
        ...identity,
        rows,
        tasks: tasks.size,
        first_task: order + 1,
        row_id: rowId
      })),
      remaining: remaining(counts, all.length, this.unsteered.size)
    }
  }
}

const isBefore = (a: Seen["first"], b: Seen["first"]): boolean =>
  a.order === b.order ? a.rowId < b.rowId : a.order < b.order

/**
 * How many kinds were not seen, from how often each was: Chao's lower bound (1984) in its bias-corrected form, over `tasks`
 * sampled tasks. The interval begins at none, since everything may have been seen, and ends where Chao's log-normal 95%
 * interval (1987) does, at three kinds at least: of so many tasks a kind may show in none by chance (rule of three). Null
 * under `fewest` tasks, where such an interval misses the truth too often.
 */
export const remaining = (counts: ReadonlyArray<number>, known: number, tasks: number): Remaining | null => {
  if (tasks < fewest) return null
  const once = counts.filter((n) => n === 1).length
  const twice = counts.filter((n) => n === 2).length
  const sampled = (tasks - 1) / tasks
  const unseen = (sampled * once * (once - 1)) / (2 * (twice + 1))
  // What other arms found is seen, too.
  const others = known - counts.length
  const rest = (n: number): number => Math.max(0, n - others)
  if (unseen === 0) return { estimate: 0, interval: [0, leastReach], tasks }
  const variance =
    unseen +
    sampled ** 2 * ((once * (2 * once - 1) ** 2) / (4 * (twice + 1) ** 2)) +
    sampled ** 2 * ((once ** 2 * twice * (once - 1) ** 2) / (4 * (twice + 1) ** 4))
  const spread = Portable.exp(1.96 * Math.sqrt(Portable.log(1 + variance / unseen ** 2)))
  return { estimate: rest(unseen), interval: [0, Math.max(leastReach, rest(unseen * spread))], tasks }
}
const fewest = 100
const leastReach = 3
