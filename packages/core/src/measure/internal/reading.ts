/**
 * From what a caller names to a table: rows in memory, a run, or a file that is read line by line.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../../row/RowFileError.ts"
import * as RunMeta from "../../report/RunMeta.ts"
import * as TraceFormat from "../../traces/TraceFormat.ts"
import * as Measured from "../Measured.ts"
import type { InMemory, MeasuredRow, Run } from "../Measured.ts"
import { isObject, nameOf, wholeOf } from "./figures.ts"
import * as Lines from "./jsonLines.ts"
import { Table, type Settings } from "./table.ts"

/** Rows as read, not yet sealed. */
export interface Loaded {
  readonly table: Table
  /** The run's k; null where nothing says it. */
  readonly k: number | null
  /** Degraded codes of the run. */
  readonly degraded: ReadonlyArray<string>
  /** Lines of a file that could not be read, and the first of them. */
  readonly broken: { readonly lines: number; readonly first: string | null }
}

export const inMemory = (source: InMemory, settings: Settings): Loaded => {
  const run: Run = Symbol.iterator in source ? { rows: source } : source
  const table = new Table(settings)
  for (const row of run.rows) table.add(row)
  for (const lost of run.lost ?? []) table.addLost(lost)
  return { table, ...told(run.meta), broken: { lines: 0, first: null } }
}

/** Streams a file; its meta file and its lost rollouts are read where they stand beside it. */
export const file = Effect.fnUntraced(function* (path: string, settings: Settings) {
  let table = new Table(settings)
  let lines = 0
  let first: string | null = null
  const broken = (number: number, problem: string): void => {
    lines += 1
    first ??= `line ${number}: ${problem}`
  }
  yield* Lines.forEach(
    path,
    (record, number) => {
      const rows = rowsOf(record)
      if (typeof rows === "string") broken(number, rows)
      else for (const row of rows) table.add(row)
    },
    broken
  )
  if (table.rows === 0 && lines > 0) {
    // One JSON document, or spans of which several lines make a conversation.
    const { rows, unreadable } = yield* TraceFormat.read(path)
    if (rows.length > 0) {
      table = new Table(settings)
      for (const row of rows) table.add(row)
      lines = unreadable.length
      first = unreadable[0]?.message ?? null
    }
  }
  for (const lost of yield* Measured.lostBeside(path)) table.addLost(lost)
  const meta = yield* Effect.option(RunMeta.readBeside(path))
  return { table, ...told(meta._tag === "Some" ? meta.value : undefined), broken: { lines, first } } satisfies Loaded
}) satisfies (path: string, settings: Settings) => Effect.Effect<Loaded, RowFileError, FileSystem.FileSystem>

/** What a meta file says of how a run was made. */
const told = (meta: Run["meta"]): Pick<Loaded, "k" | "degraded"> => {
  const options = meta?.options ?? {}
  return {
    k: wholeOf(options["rollouts_per_request"]) ?? wholeOf(options["repeats"]) ?? null,
    degraded: meta?.degraded ?? []
  }
}

/** A record as rows: as it is when it says what measuring needs, else by the trace format it is in; or why it is none. */
const rowsOf = (record: unknown): ReadonlyArray<MeasuredRow> | string => {
  if (isObject(record) && "reward" in record && hasKey(record)) return [record as MeasuredRow]
  if (isObject(record) && "schema_version" in record && hasKey(record)) return [record as MeasuredRow]
  const { rows, unreadable } = TraceFormat.fromRecords([record])
  if (rows.length > 0) return rows
  return unreadable[0]?.detail ?? "it holds no row."
}

const hasKey = ({ prompt, scenario_id, task_id }: Readonly<Record<string, unknown>>): boolean =>
  nameOf(task_id) !== undefined || nameOf(scenario_id) !== undefined || typeof prompt === "string"
