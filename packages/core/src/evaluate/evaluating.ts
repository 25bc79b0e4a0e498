/**
 * A fixed list of asks held against rows: which of them ran, how often, and how each scored.
 */
import type { OptionIssue } from "../options/InvalidOptions.ts"
import * as PassMark from "../row/PassMark.ts"
import * as RowSource from "../traces/RowSource.ts"
import { normalise } from "../language/NearCopies.ts"
import type { Row } from "../row/Row.ts"
import * as TaskFile from "../situation/TaskFile.ts"
import type { Expected } from "../task/Expected.ts"
import type { Seed } from "../settings/RunSettings.ts"
import { seedScenarioId } from "../task/Task.ts"

/**
 * One ask of the list. `reference` is the gold answer for verifiers, `expected` what has to have come about: they appear in
 * no result. `plan` is that of a seed.
 * @since 0.1.0
 * @category models
 */
export interface EvalAsk {
  readonly prompt: string
  readonly id?: string
  readonly reference?: unknown
  readonly expected?: Expected
  readonly plan?: NonNullable<Seed["plan"]>
}

/**
 * Texts, asks, or tasks as files of tau-bench and tau2 hold them.
 * @since 0.1.0
 * @category models
 */
export type EvalSet = ReadonlyArray<string | EvalAsk | TaskFile.TaskRecord>

/**
 * How one ask of the list did.
 * @since 0.1.0
 * @category models
 */
export interface AskResult {
  /** Place in the list, from 1. */
  readonly n: number
  readonly id: string | null
  readonly ask: string
  /** Rows there are, of the rollouts there should be. */
  readonly ran: number
  readonly of: number
  /** Rows with a reward, and of them the passes (at or above the pass mark), those of 0, and those between. */
  readonly graded: number
  readonly passes: number
  readonly failures: number
  readonly partials: number
  /** passes / graded; null where nothing is graded. */
  readonly pass_share: number | null
  /** Over all graded rows; null without any. */
  readonly mean_reward: number | null
  /** Rollouts that were begun and gave no row. */
  readonly lost: number
  /** Why, by attempt, where it is known: a lost rollout may be tried again. */
  readonly lost_by: Readonly<Record<string, number>>
  /** The row with the lowest reward, the first of several. */
  readonly worst_row: { readonly row_id: string; readonly reward: number; readonly reason: string | null } | null
  /** There is no row at all. */
  readonly missing: boolean
}

/**
 * What an evaluation asked for and what came of it, counted over all its asks.
 * @since 0.1.0
 * @category models
 */
export interface Totals {
  readonly asks: number
  /** Asks with a row. */
  readonly asks_ran: number
  readonly missing: number
  /** Rows, of rollouts asked for. */
  readonly ran: number
  readonly of: number
  readonly graded: number
  readonly lost: number
  /** Passes among the graded rows, and rows with half credit, which is no pass and counts in the mean. */
  readonly passes: number
  readonly partials: number
  /** Asks with a reward: those that the means are over. */
  readonly asks_graded: number
  /** Means over the asks that have one. */
  readonly pass_share: number | null
  readonly mean_reward: number | null
  /** Rows that belong to no ask of the list. */
  readonly other_rows: number
}

/** A rollout that gave no row. */
export interface LostRollout {
  readonly scenarioId?: string | undefined
  readonly taskId: string
  readonly prompt: string
  readonly reason: string
}

/** The list as asks with an id or none. */
export const asksOf = (set: EvalSet): ReadonlyArray<EvalAsk> =>
  (TaskFile.listed(set) as EvalSet).map((ask) =>
    typeof ask === "string" ? { prompt: ask } : TaskFile.isTask(ask) ? TaskFile.seedOf(ask) : ask
  )

const besides = ["reference", "expected", "plan"]

/** What is wrong with a list. */
export const issuesOf = (given: unknown): ReadonlyArray<OptionIssue> => {
  const set = TaskFile.listed(given)
  const issue = (option: string, problem: string, fix: string): OptionIssue => ({ option, problem, fix })
  if (!Array.isArray(set) || set.length === 0) {
    return [
      issue("evalSet", "is not a list with at least one ask", "Give asks: texts, or { prompt, id?, reference? }.")
    ]
  }
  const ids = new Map<string, number>()
  return (set as ReadonlyArray<unknown>).flatMap((ask, i) => {
    const at = `evalSet[${i}]`
    const given = typeof ask === "string" ? { prompt: ask } : TaskFile.isTask(ask) ? TaskFile.seedOf(ask) : ask
    if (typeof given !== "object" || given === null) {
      return [issue(at, "is no ask", "Give a text, or { prompt, id?, reference? }.")]
    }
    const { prompt, id, ...rest } = given as { readonly prompt?: unknown; readonly id?: unknown }
    const others = Object.keys(rest).filter((key) => !besides.includes(key))
    const issues = others.map((key) =>
      issue(`${at}.${key}`, "is no part of an ask", "An ask has prompt, id, reference, expected and plan.")
    )
    if (typeof prompt !== "string" || prompt.trim() === "")
      issues.push(issue(`${at}.prompt`, "is empty", "Write the ask."))
    if (id === undefined) return issues
    if (typeof id !== "string" || id.trim() === "") {
      return [...issues, issue(`${at}.id`, "is no text", "Give each ask an id of its own, or none.")]
    }
    const earlier = ids.get(id)
    if (earlier === undefined) ids.set(id, i)
    else
      issues.push(issue(`${at}.id`, `is the id of evalSet[${earlier}] too`, "Give each ask an id of its own, or none."))
    return issues
  })
}

/** What a record is matched by: a row's own keys, or those of a lost rollout. */
interface Placed {
  readonly scenario_id?: unknown
  readonly task_id: string
  readonly prompt: string
  readonly id?: unknown
}

/** Whose rows are whose: by id; asks that no id leads to, by normalised text. A row belongs to one ask. */
export class Matching {
  readonly #byKey = new Map<string, number>()
  readonly #byText = new Map<string, Array<number>>()
  readonly #byTask = new Map<string, number>()

  constructor(asks: ReadonlyArray<EvalAsk>, records: ReadonlyArray<Placed>) {
    const seen = new Map<string, number>()
    for (const [i, ask] of asks.entries()) {
      const words = JSON.stringify([ask.prompt, ask.id ?? null])
      const equalBefore = seen.get(words) ?? 0
      seen.set(words, equalBefore + 1)
      this.#byKey.set(seedScenarioId(ask, equalBefore), i)
      if (ask.id !== undefined) this.#byKey.set(ask.id, i)
    }
    const known = new Set(records.map((record) => this.#idOf(record)))
    for (const [i, ask] of asks.entries()) {
      if (known.has(i)) continue
      const text = normalise(ask.prompt)
      this.#byText.set(text, [...(this.#byText.get(text) ?? []), i])
    }
  }

  /** The ask of a row; undefined when the list has none. */
  of(record: Placed): number | undefined {
    const found = this.#idOf(record) ?? this.#byTask.get(record.task_id)
    if (found !== undefined) return found
    const same = this.#byText.get(normalise(record.prompt)) ?? []
    // Of asks with equal words each takes a task of its own; the last one takes what is left.
    const [next] = same
    if (next === undefined) return undefined
    if (same.length > 1) same.shift()
    this.#byTask.set(record.task_id, next)
    return next
  }

  #idOf({ id, scenario_id: scenarioId, task_id: taskId }: Placed): number | undefined {
    for (const key of [scenarioId, taskId, id]) {
      const found = typeof key === "string" ? this.#byKey.get(key) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }
}

export const resultsOf = (
  asks: ReadonlyArray<EvalAsk>,
  rows: ReadonlyArray<Row>,
  {
    lost,
    passAt,
    repeats
  }: {
    readonly lost: ReadonlyArray<LostRollout> | null
    readonly repeats: number | null
    readonly passAt?: number | undefined
  }
): {
  readonly asks: ReadonlyArray<AskResult>
  readonly totals: Totals
  /** The rows that belong to an ask, in the order of the list. */
  readonly own: ReadonlyArray<Row>
} => {
  const lostRecords = (lost ?? []).map(({ prompt, reason, scenarioId, taskId }) => ({
    scenario_id: scenarioId,
    task_id: taskId,
    prompt,
    reason
  }))
  const matching = new Matching(asks, [...rows, ...lostRecords])
  const own = asks.map((): Array<Row> => [])
  let others = 0
  for (const row of RowSource.once(rows)) {
    const at = matching.of(row)
    if (at === undefined) others += 1
    else own[at]?.push(row)
  }
  const losses = asks.map((): Array<string> => [])
  for (const record of lostRecords) {
    const at = matching.of(record)
    if (at !== undefined) losses[at]?.push(record.reason)
  }
  const most = Math.max(1, ...own.map((rows) => rows.length))
  const results = asks.map((ask, i) =>
    resultOf(ask, i, own[i] ?? [], {
      of: repeats ?? most,
      losses: lost === null ? null : (losses[i] ?? []),
      passAt: passAt ?? PassMark.passMark
    })
  )
  return { asks: results, totals: totalsOf(results, others), own: own.flat() }
}

const resultOf = (
  { id, prompt }: EvalAsk,
  i: number,
  rows: ReadonlyArray<Row>,
  asked: { readonly of: number; readonly losses: ReadonlyArray<string> | null; readonly passAt: number }
): AskResult => {
  const graded = rows.flatMap((row) => {
    const reward = RowSource.rewardOf(row)
    return reward === null ? [] : [{ row, reward }]
  })
  const passes = graded.filter(({ reward }) => PassMark.isPass(reward, asked.passAt)).length
  const failures = graded.filter(({ reward }) => reward === 0).length
  const worst = graded.reduce<(typeof graded)[number] | null>(
    (lowest, each) => (lowest === null || each.reward < lowest.reward ? each : lowest),
    null
  )
  const of = Math.max(asked.of, rows.length)
  return {
    n: i + 1,
    id: id ?? null,
    ask: prompt,
    ran: rows.length,
    of,
    graded: graded.length,
    passes,
    failures,
    partials: graded.length - passes - failures,
    pass_share: ratio(passes, graded.length),
    mean_reward: ratio(
      graded.reduce((sum, { reward }) => sum + reward, 0),
      graded.length
    ),
    // A lost rollout may have been tried again; without a record of losses, what is not there was lost.
    lost: Math.min(asked.losses?.length ?? of, of - rows.length),
    lost_by: countsOf(asked.losses ?? []),
    worst_row:
      worst === null ? null : { row_id: worst.row.row_id, reward: worst.reward, reason: worst.row.reason ?? null },
    missing: rows.length === 0
  }
}

const totalsOf = (results: ReadonlyArray<AskResult>, others: number): Totals => {
  const sum = (value: (result: AskResult) => number): number => results.reduce((all, result) => all + value(result), 0)
  const missing = results.filter((result) => result.missing).length
  return {
    asks: results.length,
    asks_ran: results.length - missing,
    missing,
    ran: sum(({ ran }) => ran),
    of: sum(({ of }) => of),
    graded: sum(({ graded }) => graded),
    lost: sum(({ lost }) => lost),
    passes: sum(({ passes }) => passes),
    partials: sum(({ partials }) => partials),
    asks_graded: results.filter(({ graded }) => graded > 0).length,
    pass_share: meanOf(results.map(({ pass_share }) => pass_share)),
    mean_reward: meanOf(results.map(({ mean_reward }) => mean_reward)),
    other_rows: others
  }
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const meanOf = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return ratio(
    known.reduce((sum, value) => sum + value, 0),
    known.length
  )
}

const countsOf = (words: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const out: Record<string, number> = Object.create(null) as Record<string, number>
  for (const word of words) out[word] = (out[word] ?? 0) + 1
  return out
}
