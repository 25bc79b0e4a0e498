/**
 * The task set that a call pins: read from the run, the rows or the file that `tasks` names.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Platform from "../row/internal/platform.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import { counted } from "../language/counted.ts"
import * as PinnedTasks from "../row/PinnedTasks.ts"
import type { Row } from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import { noFileSystem } from "./outputFile.ts"
import type { GoldAnswers } from "../task/Task.ts"

export interface Reading {
  /** Null when the call pins nothing. */
  readonly pinned: PinnedTasks.PinnedTasks | null
  readonly issues: ReadonlyArray<OptionIssue>
}

/** Reads `tasks`; options of another shape are somebody else's to refuse. */
export const read = (options: unknown): Effect.Effect<Reading> =>
  Effect.gen(function* () {
    const source = typeof options === "object" && options !== null && "tasks" in options ? options.tasks : undefined
    if (source === undefined || source === null) return none
    if (typeof source !== "string") return usable(rowsOf(source), goldAnswersOf(source))
    if (source.trim() === "") return none
    const fs = yield* Effect.serviceOption(Platform.FileSystem)
    if (Option.isNone(fs)) return refused(noFileSystem("tasks"))
    return yield* RowFile.readRun(source).pipe(
      Effect.provideService(Platform.FileSystem, fs.value),
      Effect.match({
        onFailure: ({ detail }) =>
          refused({
            option: "tasks",
            problem: `is ${source}, which cannot be read: ${detail.replace(/\.$/, "")}`,
            fix: "Name the file of rows of an earlier run, or give the run or its rows."
          }),
        onSuccess: ({ rows }) => usable(rows)
      })
    )
  })

const none: Reading = { pinned: null, issues: [] }
const refused = (issue: OptionIssue): Reading => ({ pinned: null, issues: [issue] })

const listOf = (source: unknown): unknown =>
  typeof source === "object" && source !== null && "rows" in source ? source.rows : source

/** The rows of a run, or rows themselves; what is no record is left out. */
const rowsOf = (source: unknown): ReadonlyArray<Row> => {
  const rows = listOf(source)
  return Array.isArray(rows) ? rows.filter((row): row is Row => typeof row === "object" && row !== null) : []
}

/** Gold answers of a run in memory. */
const goldAnswersOf = (source: unknown): GoldAnswers =>
  typeof source === "object" && source !== null && "goldAnswers" in source && source.goldAnswers instanceof Map
    ? source.goldAnswers
    : new Map()

const usable = (rows: ReadonlyArray<Row>, goldAnswers: GoldAnswers = new Map()): Reading => {
  const pinned = PinnedTasks.of(rows, goldAnswers)
  if (pinned.tasks.length > 0) return { pinned, issues: [] }
  return refused({
    option: "tasks",
    problem: rows.length === 0 ? "holds no row" : `holds ${counted(rows.length, "row")} without a prompt`,
    fix: "Give a run, its rows, or the path of its JSONL file; each row needs a `prompt`."
  })
}
