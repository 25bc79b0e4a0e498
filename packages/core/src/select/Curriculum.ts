/**
 * Groups in the order of learning: from asks that nearly always succeed to those that hardly ever do, in stages of about
 * equal size, with a report of the asks that have nothing to teach.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as RowSource from "../traces/RowSource.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import * as Attempt from "../task/internal/attempt.ts"

/**
 * How asks are put in stages.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many stages (3). */
  readonly stages?: number
  /** Keeps asks whose rollouts all pass or all fail in the first and the last stage (false). */
  readonly unanimous?: boolean
}

/**
 * The rows of one stage.
 * @since 0.1.0
 * @category models
 */
export interface Stage<R extends TraceRow = TraceRow> {
  readonly rows: ReadonlyArray<R>
  readonly asks: number
  /** Mean reward of its easiest and of its hardest ask. */
  readonly easiest: number
  readonly hardest: number
}

/**
 * Rows in stages, from the easiest asks.
 * @since 0.1.0
 * @category models
 */
export interface Curriculum<R extends TraceRow = TraceRow> {
  /** Easiest first; fewer than asked for when there are fewer asks. */
  readonly stages: ReadonlyArray<Stage<R>>
  /** Asks left out, and rows without a reward. */
  readonly mastered: number
  readonly unsolved: number
  readonly ungraded: number
}

/**
 * The number of stages makes no sense.
 * @since 0.1.0
 * @category errors
 */
export class InvalidCurriculum extends Schema.TaggedError<InvalidCurriculum>()("InvalidCurriculum", {
  stages: Schema.Number
}) {
  override get message(): string {
    return `\`stages\` is ${this.stages}. Give a whole number from 1.`
  }
}

/**
 * A curriculum as an Effect that fails where the plain call throws.
 * @since 0.1.0
 * @category functions
 */
export const attempt: <A>(order: () => A) => Effect.Effect<A, InvalidCurriculum> = Attempt.attempt(InvalidCurriculum)

/**
 * Throws `InvalidCurriculum`. The order of the rows does not matter.
 * @since 0.1.0
 * @category functions
 */
export const curriculum = <R extends TraceRow>(
  source: Iterable<R> | RowSource.Run<R>,
  { stages = 3, unanimous = false }: Options = {}
): Curriculum<R> => {
  if (!(Number.isSafeInteger(stages) && stages >= 1)) throw new InvalidCurriculum({ stages })
  const asks = new Map<string, { readonly rows: Array<R>; sum: number }>()
  let ungraded = 0
  for (const row of RowSource.sorted(RowSource.inMemory(source).rows)) {
    const reward = RowSource.rewardOf(row)
    if (reward === null) {
      ungraded += 1
      continue
    }
    const ask = asks.get(RowSource.askOf(row)) ?? { rows: [], sum: 0 }
    asks.set(RowSource.askOf(row), ask)
    ask.rows.push(row)
    ask.sum += reward
  }
  const rated = [...asks].map(([key, { rows, sum }]) => ({ key, rows, rate: sum / rows.length }))
  const mastered = rated.filter(({ rate }) => rate === 1).length
  const unsolved = rated.filter(({ rate }) => rate === 0).length
  const taught = rated
    .filter(({ rate }) => unanimous || (rate > 0 && rate < 1))
    .sort((a, b) => b.rate - a.rate || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const size = Math.min(stages, taught.length)
  const parts = Array.from({ length: size }, (_, i) =>
    taught.slice(Math.floor((i * taught.length) / size), Math.floor(((i + 1) * taught.length) / size))
  )
  return {
    stages: parts.map((part) => ({
      rows: part.flatMap(({ rows }) => rows),
      asks: part.length,
      easiest: part[0]?.rate ?? 1,
      hardest: part.at(-1)?.rate ?? 0
    })),
    mastered: unanimous ? 0 : mastered,
    unsolved: unanimous ? 0 : unsolved,
    ungraded
  }
}
