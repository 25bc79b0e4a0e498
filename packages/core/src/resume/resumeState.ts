/**
 * What is on disk of a run that is gone on with: its rows, its losses and its asks, as the outcomes they were. A row is
 * read once and let go; what the search and the grader said of it stays.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Conduct from "../grade/Conduct.ts"
import { LossReason } from "../rollout/AgentBackend.ts"
import { counted } from "../language/counted.ts"
import * as DistinctFailures from "../report/DistinctFailures.ts"
import * as Row from "../row/Row.ts"
import type * as RowFile from "../row/RowFile.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import type * as RunMeta from "../report/RunMeta.ts"
import * as Warning from "../report/Warning.ts"
import type * as Search from "../search/Search.ts"
import type { Ask } from "../situation/SituationWriter.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import * as AsksFile from "./asksFile.ts"
import { digestOf } from "../search/internal/rowDigest.ts"
import type { Payloads } from "../world/World.ts"

/** Hands on what a file holds, in order and some of it at a time. */
export type Reading<A> = (
  take: (values: ReadonlyArray<A>) => Effect.Effect<unknown>
) => Effect.Effect<void, RowFileError>

/** The files of a run, and what its meta file said. */
export interface Resuming {
  readonly path: string
  readonly meta: RunMeta.RunMeta
  /** Whether the search comes to the same tasks by itself. */
  readonly exact: boolean
  readonly rows: Reading<RowFile.Line>
  /** Lines of the files beside it; none where there is no such file. */
  readonly lost: Reading<string>
  readonly asks: Reading<string>
  /** Puts other lines in place of the rows of the same ids, all at once, and gives the digest of the file. */
  readonly replace: (rows: ReadonlyMap<string, Row.Row>) => Effect.Effect<string, RowFileError>
}

/** A rollout on disk. */
export interface Known {
  readonly digest: Search.Digest
  readonly reward: number | null
  readonly reason: string | undefined
  /** What tells its failure from others; null for a pass. */
  readonly failure: string | null
  /** The row itself, while its verdict is still owed: the run ended before it came. */
  readonly owed: Row.Row | null
}

export interface ResumeState {
  readonly exact: boolean
  /** Rows on disk. */
  readonly rows: number
  /** The rollout, once: a loss of it that was followed by something, or the row. */
  readonly take: (key: RolloutKey) => { readonly _tag: "Lost"; readonly reason: LossReason } | Known | undefined
  /** Rows nobody took, of those whose verdict is owed. */
  readonly left: () => { readonly rows: number; readonly owed: ReadonlyArray<Row.Row> }
  /** What the search is told of a run before it starts. */
  readonly recalled: (evalRun: number) => Search.Recalled
  readonly hasTask: (taskId: string) => boolean
  /** The place of a task in the run. */
  readonly orderOf: (taskId: string) => number | undefined
  /** What was written for a place before; undefined when it was never asked for. */
  readonly written: (slot: string) => Omit<Ask, "slot"> | null | undefined
  readonly payloads: Payloads | null
  readonly notes: ReadonlyArray<Warning.Warning>
}

/** What is told of everything as it is read: tasks, then rows, then losses. */
export interface Reader {
  readonly task: (task: Task) => void
  readonly row: (row: Row.Row, order: number) => Effect.Effect<void>
  readonly lost: (key: RolloutKey, reason: LossReason, detail: string) => void
}

/** Rows whose verdict did not come before the run ended are marked so in `judge_meta`. */
export const owesVerdict = (row: Row.Row): boolean => row.judge_meta?.["owed"] === true

export const read = Effect.fn("ResumeState.read")(function* (
  { asks, exact, lost, meta, path, rows }: Resuming,
  conduct: Conduct.Settings,
  reader: Reader
) {
  const tasks: Array<Task> = []
  const order = new Map<string, number>()
  const written = new Map<string, Omit<Ask, "slot"> | null>()
  const imagined: { payloads: Payloads | null } = { payloads: null }
  const addAsk = (text: string): void => {
    const line = AsksFile.read(text)
    if (line === null) return
    if (line._tag === "Payloads") imagined.payloads = line.payloads
    if (line._tag === "Written") {
      for (const slot of line.slots) written.set(slot, null)
      for (const [slot, ask] of line.asks) written.set(slot, ask)
    }
    if (line._tag !== "Task" || order.has(line.task.id)) return
    order.set(line.task.id, tasks.length)
    tasks.push(line.task)
    reader.task(line.task)
  }
  yield* asks((texts) => Effect.sync(() => texts.forEach(addAsk)))

  const known = new Map<string, Known>()
  const kept = new Map<number, Map<string, Array<number>>>()
  const strays: Strays = { broken: [], doubled: 0, foreign: 0 }
  const addRow = (row: Row.Row): Effect.Effect<void> => {
    const { evalRun, index, taskId } = Row.placeOf(row)
    const key = keyOf({ evalRun, index, taskId })
    const place = order.get(taskId)
    if (place === undefined || row.lineage?.run_id !== meta.run_id) strays.foreign += 1
    else if (known.has(key)) strays.doubled += 1
    else {
      const owed = owesVerdict(row)
      known.set(key, {
        digest: digestOf(row, conduct),
        reward: row.reward ?? null,
        reason: row.reason,
        failure: DistinctFailures.keyOf(row),
        owed: owed ? row : null
      })
      const byTask = kept.get(evalRun) ?? new Map<string, Array<number>>()
      kept.set(evalRun, byTask.set(taskId, [...(byTask.get(taskId) ?? []), index]))
      if (!owed) return reader.row(row, place)
    }
    return Effect.void
  }
  const addLine = (line: RowFile.Line): Effect.Effect<void> => {
    if (line._tag === "Row") return addRow(line.row)
    strays.broken.push(line.number)
    return Effect.void
  }
  yield* rows((lines) => Effect.forEach(lines, addLine, { discard: true }))

  const replayed = new Map<string, Array<LossReason>>()
  const counted = new Map<number, Record<string, number>>()
  const addLoss = (text: string): void => {
    const loss = Option.getOrNull(Schema.decodeUnknownOption(LossLine)(text))
    if (loss === null || loss.run_id !== meta.run_id || cutOff.has(loss.reason)) return
    const { detail, eval_run: evalRun, landed, reason, rollout_index: index, task_id: taskId } = loss
    reader.lost({ evalRun, index, taskId }, reason, detail)
    if (exact && landed < known.size) {
      const key = keyOf({ evalRun, index, taskId })
      replayed.set(key, [...(replayed.get(key) ?? []), reason])
      return
    }
    const by = counted.get(evalRun) ?? {}
    counted.set(evalRun, { ...by, [reason]: (by[reason] ?? 0) + 1 })
  }
  yield* lost((texts) => Effect.sync(() => texts.forEach(addLoss)))
  for (const byTask of kept.values()) for (const indices of byTask.values()) indices.sort((a, b) => a - b)

  const rowsOnDisk = known.size
  return {
    exact,
    rows: rowsOnDisk,
    take: (rollout) => {
      const key = keyOf(rollout)
      const reason = replayed.get(key)?.shift()
      if (reason !== undefined) return { _tag: "Lost" as const, reason }
      const found = known.get(key)
      known.delete(key)
      return found
    },
    left: () => ({
      rows: known.size,
      owed: [...known.values()].flatMap(({ owed }) => (owed === null ? [] : [owed]))
    }),
    recalled: (evalRun) => {
      const lostBy = counted.get(evalRun) ?? {}
      if (exact) return { tasks: [], kept: new Map(), rows: 0, lostBy }
      const own = kept.get(evalRun) ?? new Map<string, ReadonlyArray<number>>()
      return {
        // Later runs of a call roll what the first one did.
        tasks: evalRun === 0 ? tasks : [],
        kept: own,
        rows: [...own.values()].reduce((sum, { length }) => sum + length, 0),
        lostBy
      }
    },
    hasTask: (taskId) => order.has(taskId),
    orderOf: (taskId) => order.get(taskId),
    written: (slot) => written.get(slot),
    payloads: imagined.payloads,
    notes: notesOf(path, strays)
  } satisfies ResumeState
})

/** LostRollouts that the end of a call brought about: those rollouts were never finished, and count when they are. */
const cutOff: ReadonlySet<LossReason> = new Set(["interrupted", "auth", "quota"] as const)

const LossLine = Schema.parseJson(
  Schema.Struct({
    run_id: Schema.String,
    task_id: Schema.String,
    rollout_index: Schema.Int,
    eval_run: Schema.Int,
    reason: LossReason,
    detail: Schema.String,
    /** Rows that had landed before. */
    landed: Schema.Int
  })
)

const keyOf = ({ evalRun, index, taskId }: RolloutKey): string => `${evalRun} ${index} ${taskId}`

/** Lines of the file of rows that are no rows of the run. */
interface Strays {
  readonly broken: Array<number>
  doubled: number
  foreign: number
}

/** A half last line that was cut off before more was appended. */
export const repaired = ({ cut, path, text }: RowFile.Repair & { readonly path: string }): Warning.Warning =>
  Warning.make(
    "half_line",
    `${path} ended in half a line, as a killed process leaves one; its ${cut} bytes were cut off: ${text}`,
    "Nothing is to be done: what it was the half of is run again.",
    { bytes: cut }
  )

const notesOf = (path: string, { broken, doubled, foreign }: Strays): ReadonlyArray<Warning.Warning> => {
  const notes: Array<Warning.Warning> = []
  if (broken.length > 0) {
    notes.push(
      Warning.make(
        "broken_line",
        `${path} is no row on ${counted(broken.length, "line")} (line ${broken.slice(0, 5).join(", ")}); what stood there is run again.`,
        "Take the lines out, since readers report them every time.",
        { lines: broken.length }
      )
    )
  }
  if (doubled + foreign > 0) {
    notes.push(
      Warning.make(
        "stray_rows",
        `${path} holds ${counted(doubled, "row")} twice and ${counted(foreign, "row")} of another run; they do not count.`,
        "Let one call at a time go on with a `checkpoint`, and append nothing else to its file.",
        { doubled, foreign }
      )
    )
  }
  return notes
}
