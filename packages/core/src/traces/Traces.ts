/**
 * Traces of other tools: read from their files, and completed to rows, so that anyone's log can be kept, measured and
 * compared as a run of one's own. What a row needs and a trace does not say is made from its words: the same log gives the
 * same rows.
 */
import * as Hash from "../random/Hash.ts"
import { normalise } from "../language/NearCopies.ts"
import * as Row from "../row/Row.ts"
import type { TraceRow } from "./TraceFormat.ts"

export { fromDocument, fromRecords, read, TraceProblem } from "./TraceFormat.ts"
export type { Imported, PassedOver, TraceRow } from "./TraceFormat.ts"

/**
 * Rows of traces, in their order. A trace without a task id belongs to the task of its normalised prompt; one without a
 * rollout index, or with one that its task has had, gets the next that is free. Rows of our own stay as they are.
 * @since 0.1.0
 * @category functions
 */
export const complete = (traces: Iterable<TraceRow>): ReadonlyArray<Row.Row> => {
  const taken = new Map<string, Set<number>>()
  return [...traces].map((trace) => {
    if (isRow(trace)) return trace
    const taskId = trace.task_id ?? Hash.id("task", "traced", normalise(trace.prompt))
    const index = freeIndex(taken, taskId, trace.rollout_index)
    return {
      schema_version: Row.schemaVersion,
      row_id: Hash.id("row", "traced", taskId, index, trace.prompt, trace.final_text),
      ...trace,
      task_id: taskId,
      rollout_index: index
    }
  })
}

const isRow = (trace: TraceRow): trace is TraceRow & Row.Row =>
  typeof trace["schema_version"] === "string" && typeof trace["row_id"] === "string" && trace.task_id !== undefined

const freeIndex = (taken: Map<string, Set<number>>, taskId: string, given: number | undefined): number => {
  const own = taken.get(taskId) ?? new Set<number>()
  taken.set(taskId, own)
  let index = given ?? own.size
  while (own.has(index)) index += 1
  own.add(index)
  return index
}
