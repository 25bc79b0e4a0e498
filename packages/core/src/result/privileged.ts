/**
 * What only graders may see of a run's tasks, such as the gold answers of seeds, kept beside its rows in memory: a replay of
 * that run finds it there. It is in no row and in no file, so a replay of either has none.
 */
import type { Row } from "../row/Row.ts"
import type { Privileged } from "../task/Task.ts"

export type ByTask = ReadonlyMap<string, Privileged>

const held = new WeakMap<ReadonlyArray<Row>, ByTask>()

export const hold = (rows: ReadonlyArray<Row>, byTask: ByTask): void => {
  if (byTask.size > 0) held.set(rows, byTask)
}

export const of = (rows: ReadonlyArray<Row>): ByTask => held.get(rows) ?? new Map()
