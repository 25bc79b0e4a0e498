/**
 * A replay against the run it repeats: the pass rates of the asks both have a verdict on. It says what the two runs
 * gave, not whether the difference is more than chance.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Rows from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Score from "./Score.ts"

export interface Change {
  /** The path of the source; null when its rows were given as such. */
  readonly source: string | null
  /** Tasks with a 0/1 verdict on both sides; rates are means over them, lost rollouts left out. */
  readonly tasks: number
  readonly before: number
  readonly after: number
}

/** Null when there is no source, when it cannot be read, or when no ask has a verdict on both sides. */
export const change = (
  tasks: unknown,
  after: ReadonlyArray<Rows.Row>
): Effect.Effect<Change | null, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const judged = new Set(after.filter(Score.counts).map((row) => row.task_id))
    if (judged.size === 0) return null
    const before = (yield* rowsOf(tasks)).filter((row) => judged.has(row.task_id) && Score.counts(row))
    const shared = new Set(before.map((row) => row.task_id))
    const then = Score.of(before)
    const now = Score.of(after.filter((row) => shared.has(row.task_id)))
    if (then.passRate === null || now.passRate === null) return null
    return {
      source: typeof tasks === "string" ? tasks : null,
      tasks: now.tasks,
      before: then.passRate,
      after: now.passRate
    }
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
