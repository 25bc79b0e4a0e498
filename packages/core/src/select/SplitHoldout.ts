/**
 * Parts rows into those to train on and those to measure with. A situation is wholly on one side, with all its wordings,
 * rollouts and the asks that were mutated from it; which side hangs on its ids alone, so neither the order of the rows nor
 * how many rollouts there are moves it.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Hash from "../random/Hash.ts"
import * as NearCopies from "../language/NearCopies.ts"
import * as RowSource from "../traces/RowSource.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import * as Attempt from "../task/internal/attempt.ts"

/**
 * How much is held out, and by what it is drawn.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Share of the situations to hold out, by chance (0.2). */
  readonly share?: number
  /** Another text gives another split ("holdout"). */
  readonly salt?: string
}

/**
 * Rows for training and rows held out; no situation is in both.
 * @since 0.1.0
 * @category models
 */
export interface Split<R extends TraceRow = TraceRow> {
  /** Both in the order they came. */
  readonly train: ReadonlyArray<R>
  readonly holdout: ReadonlyArray<R>
  /** Situations that belong together count as one. */
  readonly situations: { readonly train: number; readonly holdout: number }
}

/**
 * The share makes no sense.
 * @since 0.1.0
 * @category errors
 */
export class InvalidSplit extends Schema.TaggedError<InvalidSplit>()("InvalidSplit", { share: Schema.Number }) {
  override get message(): string {
    return `\`share\` is ${this.share}. Give a share between 0 and 1, such as 0.2.`
  }
}

/**
 * A split as an Effect that fails where the plain call throws.
 * @since 0.1.0
 * @category functions
 */
export const attempt: <A>(split: () => A) => Effect.Effect<A, InvalidSplit> = Attempt.attempt(InvalidSplit)

/**
 * Throws `InvalidSplit`.
 * @since 0.1.0
 * @category functions
 */
export const splitHoldout = <R extends TraceRow>(
  source: Iterable<R> | RowSource.Run<R>,
  { salt = "holdout", share = 0.2 }: Options = {}
): Split<R> => {
  if (!(share > 0 && share < 1)) throw new InvalidSplit({ share })
  const { rows } = RowSource.inMemory(source)
  const families = familiesOf(rows)
  const train: Array<R> = []
  const holdout: Array<R> = []
  const sides = { train: new Set<string>(), holdout: new Set<string>() }
  for (const row of rows) {
    const family = families.of(row)
    const held = fraction(salt, family) < share
    sides[held ? "holdout" : "train"].add(family)
    if (held) holdout.push(row)
    else train.push(row)
  }
  return { train, holdout, situations: { train: sides.train.size, holdout: sides.holdout.size } }
}

/** The first 52 bits of a hash as a number in [0, 1). */
const fraction = (salt: string, family: string): number =>
  Number.parseInt(Hash.sha256Hex(Hash.canonical([salt, family])).slice(0, 13), 16) / 4503599627370496

interface Families {
  /** The least key of all that the row's family is known by. */
  readonly of: (row: TraceRow) => string
}

/** Rows are of one family when they share a situation, a task, a wording, or one was mutated from the other. */
const familiesOf = (rows: ReadonlyArray<TraceRow>): Families => {
  const parent = new Map<string, string>()
  const root = (key: string): string => {
    let top = key
    for (let up = parent.get(top); up !== undefined && up !== top; up = parent.get(top)) top = up
    parent.set(key, top)
    return top
  }
  const join = (a: string, b: string): void => {
    const [x, y] = [root(a), root(b)]
    if (x < y) parent.set(y, x)
    else if (y < x) parent.set(x, y)
  }
  for (const row of rows) {
    const [first, ...others] = keysOf(row)
    for (const other of others) join(first, other)
  }
  return { of: (row) => root(keysOf(row)[0]) }
}

const keysOf = (row: TraceRow): readonly [string, ...Array<string>] => {
  const mutatedFrom = row["parent_task_id"]
  const ids = [
    ...(row.task_id === undefined ? [] : [`task ${row.task_id}`]),
    ...(row.scenario_id === undefined ? [] : [`situation ${row.scenario_id}`]),
    ...(typeof mutatedFrom === "string" ? [`task ${mutatedFrom}`] : [])
  ]
  const words = NearCopies.normalise(row.prompt)
  const [first, ...others] = ids
  // Logs may name tasks and have no words: no words are no wording that rows could share.
  return words === "" && first !== undefined ? [first, ...others] : [`words ${words}`, ...ids]
}
