/**
 * The task set that a call pins: read from the run, the rows or the file that `tasks` names.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Platform from "../row/internal/platform.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import { counted } from "../language/counted.ts"
import * as PinnedTasks from "../row/PinnedTasks.ts"
import type { Row } from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import { noFileSystem } from "./outputFile.ts"
import * as AsksFile from "../resume/asksFile.ts"
import type { GoldAnswers, Task } from "../task/Task.ts"

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
    if (typeof source !== "string") return ofRows(rowsOf(source), goldAnswersOf(source))
    if (source.trim() === "") return none
    const fs = yield* Effect.serviceOption(Platform.FileSystem)
    if (Option.isNone(fs)) return refused(noFileSystem("tasks"))
    // The file of lost rollouts stands for the tasks that lost them.
    const rowsOfLost = RowFile.rowsOfLost(source)
    const path = rowsOfLost ?? source
    const onlyLost = rowsOfLost !== null
    return yield* RowFile.readRun(path).pipe(
      Effect.flatMap(({ rows }) => Effect.map(lostTasks(path, onlyLost ? [] : rows), (lost) => ({ rows, lost }))),
      Effect.provideService(Platform.FileSystem, fs.value),
      Effect.match({
        onFailure: ({ detail }) =>
          refused({
            option: "tasks",
            problem: `is ${source}, which cannot be read: ${detail.replace(/\.$/, "")}`,
            fix: "Name the file of rows of an earlier run, or give the run or its rows."
          }),
        onSuccess: ({ lost, rows }) => {
          if (onlyLost && lost.length === 0) return refused(nothingLost)
          const pinned = PinnedTasks.of(rows)
          return usable({ ...pinned, tasks: onlyLost ? lost : [...pinned.tasks, ...lost] }, rows.length)
        }
      })
    )
  })

const nothingLost: OptionIssue = {
  option: "tasks",
  problem: "holds no rollout that the agent lost, or the file of asks beside it is gone",
  fix: "Name the file of rows of the run instead."
}

/**
 * Tasks of which no rollout gave a row: an agent that crashes on them has to be asked them again. Their plans are in the
 * file of asks. What the end of the run cut short says nothing of the agent, and is left out.
 */
const lostTasks = (path: string, rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Task>, never, FileSystem> =>
  Effect.gen(function* () {
    const { asks, lost } = yield* RowFile.around(path)
    const landed = new Set(rows.map(({ task_id }) => task_id))
    const missing = new Set<string>()
    yield* texts(lost, (text) => {
      const { reason, task_id } = lostLine(text)
      if (task_id !== undefined && reason !== "interrupted" && !landed.has(task_id)) missing.add(task_id)
    })
    const tasks: Array<Task> = []
    if (missing.size === 0) return tasks
    yield* texts(asks, (text) => {
      const line = AsksFile.read(text)
      if (line?._tag === "Task" && missing.delete(line.task.id)) tasks.push(line.task)
    })
    return tasks
  })

/** The lines of a file that may not be there. */
const texts = (path: string, take: (text: string) => void) =>
  Effect.ignore(
    RowFile.readText(path, (lines) =>
      Effect.sync(() => {
        for (const line of lines) if (line._tag === "Text") take(line.text)
      })
    )
  )

const lostLine = (text: string): { readonly task_id?: string; readonly reason?: string } =>
  Option.getOrElse(decodeLost(text), () => ({}))
const decodeLost = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ task_id: Schema.String, reason: Schema.String }))
)

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

const ofRows = (rows: ReadonlyArray<Row>, goldAnswers: GoldAnswers): Reading =>
  usable(PinnedTasks.of(rows, goldAnswers), rows.length)

const usable = (pinned: PinnedTasks.PinnedTasks, rows: number): Reading => {
  if (pinned.tasks.length > 0) return { pinned, issues: [] }
  return refused({
    option: "tasks",
    problem: rows === 0 ? "holds no row" : `holds ${counted(rows, "row")} without a prompt`,
    fix: "Give a run, its rows, or the path of its JSONL file; each row needs a `prompt`."
  })
}
