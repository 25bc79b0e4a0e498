/**
 * Pairs of rollouts of one ask, one better than the other, for training on preferences. Of the rows that could make a pair,
 * those of the closest length are taken, so that the pairs teach what is better and not what is longer.
 */
import type { Interval, Note } from "../measure/Measured.ts"
import { wilson } from "../measure/Statistics.ts"
import * as NearCopies from "../language/NearCopies.ts"
import { isAgentStep } from "../row/Row.ts"
import * as RowSource from "../traces/RowSource.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"

/**
 * Which rollouts make a pair.
 * @since 0.1.0
 * @category models
 */
export interface Options<R extends TraceRow = TraceRow> {
  /** Least difference of the rewards (0.5). */
  readonly margin?: number
  /** Most pairs of one ask; a row is in one pair at most (1). */
  readonly perTask?: number
  /** Which rows may stand on the better side; all when left out. */
  readonly mayBeChosen?: (row: R) => boolean
}

/**
 * A better and a worse rollout of one ask.
 * @since 0.1.0
 * @category models
 */
export interface Pair<R extends TraceRow = TraceRow> {
  readonly chosen: R
  readonly rejected: R
  /** Difference of the rewards. */
  readonly margin: number
  /** Characters the agent said in each. */
  readonly lengths: { readonly chosen: number; readonly rejected: number }
}

/**
 * The pairs, and what made none.
 * @since 0.1.0
 * @category models
 */
export interface Pairs<R extends TraceRow = TraceRow> {
  readonly pairs: ReadonlyArray<Pair<R>>
  readonly rows: number
  readonly ungraded: number
  /** Asks with a pair, and asks with graded rows. */
  readonly asks: { readonly paired: number; readonly of: number }
  /** Share of pairs whose better row is the longer one, of those that differ, with its 95% interval (Wilson). */
  readonly longer: { readonly n: number; readonly of: number; readonly interval: Interval } | null
  /** `length_confound`: the better row is longer (or shorter) more often than chance, so that length may be learnt. */
  readonly notes: ReadonlyArray<Note>
}

/**
 * Pairs of rows with the same ask. The order of the rows does not matter.
 * @since 0.1.0
 * @category functions
 */
export const preferencePairs = <R extends TraceRow>(
  source: Iterable<R> | RowSource.Run<R>,
  { margin = 0.5, mayBeChosen = () => true, perTask = 1 }: Options<R> = {}
): Pairs<R> => {
  const { rows } = RowSource.inMemory(source)
  const asks = new Map<string, Array<Rated<R>>>()
  let ungraded = 0
  for (const row of RowSource.sorted(rows)) {
    const reward = RowSource.rewardOf(row)
    if (reward === null) {
      ungraded += 1
      continue
    }
    // Rows of one task id whose words differ are no answers to the same thing.
    const key = JSON.stringify([RowSource.askOf(row), NearCopies.normalise(row.prompt)])
    const rated = { row, reward, length: spokenLength(row) }
    const same = asks.get(key)
    if (same === undefined) asks.set(key, [rated])
    else same.push(rated)
  }
  const pairs = [...asks.values()].flatMap((rated) => closest(rated, margin, perTask, mayBeChosen))
  const paired = new Set(pairs.map(({ chosen }) => RowSource.askOf(chosen))).size
  const longer = longerOf(pairs)
  const of = new Set([...asks.values()].map(([first]) => RowSource.askOf((first as Rated<R>).row))).size
  const notes = [...differingNotes(of, asks.size), ...lengthNotes(longer)]
  return { pairs, rows: rows.length, ungraded, asks: { paired, of }, longer, notes }
}

interface Rated<R extends TraceRow> {
  readonly row: R
  readonly reward: number
  readonly length: number
}

const spokenLength = (row: TraceRow): number => {
  const said = row.steps.reduce((sum, step) => sum + (isAgentStep(step) ? step.text.length : 0), 0)
  return said === 0 ? row.final_text.length : said
}

const closest = <R extends TraceRow>(
  rated: ReadonlyArray<Rated<R>>,
  margin: number,
  most: number,
  mayBeChosen: (row: R) => boolean
): ReadonlyArray<Pair<R>> => {
  const possible = rated
    .filter(({ row }) => mayBeChosen(row))
    .flatMap((better) =>
      rated
        .filter((worse) => better.reward - worse.reward >= margin - rounding)
        .map((worse) => ({ better, worse, gap: Math.abs(better.length - worse.length) }))
    )
    .sort((a, b) => a.gap - b.gap || b.better.reward - b.worse.reward - (a.better.reward - a.worse.reward))
  const used = new Set<R>()
  const pairs: Array<Pair<R>> = []
  for (const { better, worse } of possible) {
    if (pairs.length >= most) break
    if (used.has(better.row) || used.has(worse.row)) continue
    used.add(better.row).add(worse.row)
    pairs.push({
      chosen: better.row,
      rejected: worse.row,
      margin: better.reward - worse.reward,
      lengths: { chosen: better.length, rejected: worse.length }
    })
  }
  return pairs
}

/** Differences of fractions come out a little below themselves. */
const rounding = 1e-9

const longerOf = (pairs: ReadonlyArray<Pair>): Pairs["longer"] => {
  const differing = pairs.filter(({ lengths }) => lengths.chosen !== lengths.rejected)
  const n = differing.filter(({ lengths }) => lengths.chosen > lengths.rejected).length
  const interval = wilson(n, differing.length)
  return interval === null ? null : { n, of: differing.length, interval }
}

const differingNotes = (asks: number, wordings: number): ReadonlyArray<Note> =>
  wordings === asks
    ? []
    : [
        {
          code: "wordings_differ",
          message: `${asks} tasks were asked in ${wordings} wordings: rollouts that begin with different words answer different things and make no pair.`
        }
      ]

const lengthNotes = (longer: Pairs["longer"]): ReadonlyArray<Note> => {
  if (longer === null) return []
  const [low, high] = longer.interval
  if (low <= 0.5 && high >= 0.5) return []
  const word = low > 0.5 ? "longer" : "shorter"
  const n = low > 0.5 ? longer.n : longer.of - longer.n
  return [
    {
      code: "length_confound",
      message: `The better row is the ${word} one in ${n} of ${longer.of} pairs: training on them teaches ${word} replies. Raise \`perTask\` for more to choose from, or balance the pairs.`
    }
  ]
}
