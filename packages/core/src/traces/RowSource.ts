/**
 * Where calls on finished rows take them from: a list in memory, a run, or a file of any trace format. And how rows belong
 * together: which situation, ask and group a row is of.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as NearCopies from "../language/NearCopies.ts"
import * as RowFile from "../row/RowFile.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../report/RunMeta.ts"
import * as TraceFormat from "./TraceFormat.ts"

/** Rows with what is known of their run; a `SimulationData` is one. */
export interface Run<R extends TraceFormat.TraceRow = TraceFormat.TraceRow> {
  readonly rows: Iterable<R>
  readonly meta?: RunMeta.RunMeta | null
}

/** Rows, a run, or the path of a file. */
export type Source<R extends TraceFormat.TraceRow = TraceFormat.TraceRow> = string | Iterable<R> | Run<R>

/** A source that was read. */
export interface Loaded<R extends TraceFormat.TraceRow = TraceFormat.TraceRow> {
  readonly rows: ReadonlyArray<R>
  /** Null where there is no meta file beside the rows. */
  readonly meta: RunMeta.RunMeta | null
  /** Lines that are no rows. */
  readonly unreadable: ReadonlyArray<TraceFormat.TraceProblem>
}

/** The rows of a source that is in memory. Records of a log that have no steps get those their texts tell of. */
export const inMemory = <R extends TraceFormat.TraceRow>(source: Iterable<R> | Run<R>): Loaded<R> => ({
  rows: Array.from(isRun(source) ? source.rows : source, withSteps),
  meta: isRun(source) ? (source.meta ?? null) : null,
  unreadable: []
})

/** What is typed as a row may be any record where nobody checks types. */
const withSteps = <R extends TraceFormat.TraceRow>(row: R): R => {
  const { final_text, prompt, steps }: Partial<TraceFormat.TraceRow> = row
  if (steps !== undefined && prompt !== undefined && final_text !== undefined) return row
  const said = final_text === undefined || final_text === "" ? [] : [{ text: final_text }]
  const asked = prompt === undefined || prompt === "" ? [] : [{ user: prompt }]
  return { ...row, prompt: prompt ?? "", final_text: final_text ?? "", steps: steps ?? [...asked, ...said] }
}

/** The rows of any source; of a file also the meta file beside it, where there is one. */
export const load: (source: Source) => Effect.Effect<Loaded, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "RowSource.load"
)(function* (source: Source) {
  if (typeof source !== "string") return inMemory(source)
  const { rows, unreadable } = yield* TraceFormat.read(source)
  return { rows, unreadable, meta: yield* metaBeside(source) } satisfies Loaded
})

/** A source whose rows are handed on some at a time; `unreadable` is filled as they are. */
export interface Opened {
  readonly readRows: <E, R>(
    take: RowFile.Take<[rows: ReadonlyArray<TraceFormat.TraceRow>], E, R>
  ) => Effect.Effect<unknown, RowFileError | E, FileSystem.FileSystem | R>
  readonly meta: RunMeta.RunMeta | null
  readonly unreadable: ReadonlyArray<unknown>
}

/** Any source. Files of our own rows are never held whole; other formats are read first. */
export const open: (source: Source) => Effect.Effect<Opened, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "RowSource.open"
)(function* (source: Source) {
  const first = typeof source === "string" ? yield* RowFile.first(source) : null
  if (typeof source !== "string" || first?._tag !== "Row") {
    const { meta, rows, unreadable } = yield* load(source)
    const opened: Opened = { readRows: (take) => take(rows), meta, unreadable }
    return opened
  }
  const unreadable: Array<RowFile.BrokenLine> = []
  const meta = yield* metaBeside(source)
  const opened: Opened = {
    readRows: (take) =>
      RowFile.readRows(source, (rows, broken) => {
        unreadable.push(...broken)
        return take(rows)
      }),
    meta,
    unreadable
  }
  return opened
})

const metaBeside = (path: string): Effect.Effect<RunMeta.RunMeta | null, never, FileSystem.FileSystem> =>
  Effect.orElseSucceed(RunMeta.readBeside(path), () => null)

const isRun = <R extends TraceFormat.TraceRow>(source: Iterable<R> | Run<R>): source is Run<R> =>
  !(Symbol.iterator in source)

/** What rows are told apart by. */
export interface Placed {
  readonly prompt?: string | undefined
  readonly task_id?: string | undefined
  readonly scenario_id?: string | undefined
  readonly rollout_index?: number | undefined
  readonly [key: string]: unknown
}

/** The one key of a situation: `scenario_id`, else `task_id`, else the normalised prompt. */
export const situationOf = (row: Placed): string => row.scenario_id ?? askOf(row)

/** The key of an ask: `task_id`, else the normalised prompt. */
export const askOf = (row: Placed): string => row.task_id ?? NearCopies.normalise(row.prompt ?? "")

/** Which eval run of a call the row is of, from 0. */
export const evalRunOf = (row: Placed): number => {
  const lineage = row["lineage"]
  const run = typeof lineage === "object" && lineage !== null && "eval_run" in lineage ? lineage.eval_run : 0
  return typeof run === "number" && Number.isSafeInteger(run) ? run : 0
}

/** The key of a group: the rollouts of one ask in one eval run. */
export const groupOf = (row: Placed): string => `${evalRunOf(row)}\u0000${askOf(row)}`

/** What a row is known by where it may be there twice; null for a row without an id, which is no other row. */
export const identityOf = (row: Placed): string | null =>
  typeof row["row_id"] === "string" ? `${groupOf(row)}\u0000${row.rollout_index ?? ""}\u0000${row["row_id"]}` : null

/** Finds rows that come again, among rows told one by one; null for a line that is no row. The last copy counts. */
export const copies = (): {
  readonly add: (row: Placed | null) => void
  /** Whether what was told at a place, from 0, came again later. */
  readonly isEarlier: (place: number) => boolean
} => {
  const last = new Map<string, number>()
  const earlier = new Set<number>()
  let place = 0
  return {
    add: (row) => {
      const id = row === null ? null : identityOf(row)
      const before = id === null ? undefined : last.get(id)
      if (before !== undefined) earlier.add(before)
      if (id !== null) last.set(id, place)
      place += 1
    },
    isEarlier: (place) => earlier.has(place)
  }
}

/** The rows, each once. */
export const once = <R extends Placed>(rows: ReadonlyArray<R>): ReadonlyArray<R> => {
  const found = copies()
  rows.forEach(found.add)
  return rows.filter((_, place) => !found.isEarlier(place))
}

/** The reward of a row: a yes or no is 1 or 0; null for what is no number in [0, 1]. */
export const rewardOf = (row: { readonly reward?: unknown }): number | null => {
  const { reward } = row
  if (typeof reward === "boolean") return reward ? 1 : 0
  return typeof reward === "number" && reward >= 0 && reward <= 1 ? reward : null
}

/**
 * The rows in an order that needs nothing but the rows: by eval run, ask and index, then id, then the text of the whole
 * row. Calls that must not depend on the order of their input sort it first.
 */
export const sorted = <R extends Placed>(rows: Iterable<R>): ReadonlyArray<R> =>
  Array.from(rows, (row) => ({ row, evalRun: evalRunOf(row), ask: askOf(row), id: textOf(row["row_id"]) }))
    .sort(
      (a, b) =>
        a.evalRun - b.evalRun ||
        byUnits(a.ask, b.ask) ||
        (a.row.rollout_index ?? 0) - (b.row.rollout_index ?? 0) ||
        byUnits(a.id, b.id) ||
        (a.row === b.row ? 0 : byUnits(JSON.stringify(a.row), JSON.stringify(b.row)))
    )
    .map(({ row }) => row)

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** By code unit, which is the same everywhere. */
const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
