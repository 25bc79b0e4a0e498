/**
 * A replay against the run it repeats: the pass rates of the asks both have a verdict on. It says what the two runs
 * gave, not whether the difference is more than chance.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Compare from "@sandtable/core/Compare"
import * as Rows from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

export interface Change {
  /** The path of the source; null when its rows were given as such. */
  readonly source: string | null
  /** Tasks with a reward on both sides, of those that both ran; rates are means over them, lost rollouts left out. */
  readonly tasks: number
  readonly tasks_of: number
  readonly before: number
  readonly after: number
}

/** Null when there is no source, when it cannot be read, or when no ask has a verdict on both sides. */
export const change = (
  tasks: unknown,
  after: ReadonlyArray<Rows.Row>,
  passAt: number
): Effect.Effect<Change | null, never, FileSystem.FileSystem> =>
  Effect.map(rowsOf(tasks), (before) => {
    const ran = new Set(after.map((row) => row.task_id))
    const [difference] = Compare.compare(
      before.filter((row) => ran.has(row.task_id)),
      after,
      { passAt }
    ).metrics
    if (difference === undefined || difference.a === null || difference.b === null) return null
    const { a, b, tasks_of, tasks: both } = difference
    return { source: typeof tasks === "string" ? tasks : null, tasks: both, tasks_of, before: a, after: b }
  })

const rowsOf = (tasks: unknown): Effect.Effect<ReadonlyArray<Rows.Row>, never, FileSystem.FileSystem> => {
  if (typeof tasks === "string") {
    // The run has read the file itself and said what is wrong with it.
    return RowFile.readAll(tasks).pipe(
      Effect.map(({ rows }) => rows),
      Effect.orElseSucceed(() => [])
    )
  }
  const list: unknown = Array.isArray(tasks)
    ? tasks
    : typeof tasks === "object" && tasks !== null && "rows" in tasks
      ? tasks.rows
      : []
  return Effect.succeed(
    Array.isArray(list)
      ? list.flatMap((value: unknown) => Either.match(Rows.fromJson(value), { onLeft: () => [], onRight: (r) => [r] }))
      : []
  )
}
