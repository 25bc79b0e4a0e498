/**
 * From groups to tasks: a task's value is the mean over its groups, so phrasings and eval runs are averaged within a task
 * and never pooled.
 */
import type { Ask, Group, Table } from "./table.ts"

/** What names a task: the situation, the task, or the words of the ask. */
export type Level = "scenario" | "task" | "prompt"

/** The finest name that every ask of a table has. */
export const levelOf = ({ asks }: Table): Level =>
  asks.every(({ scenario }) => scenario !== undefined)
    ? "scenario"
    : asks.every(({ task }) => task !== undefined)
      ? "task"
      : "prompt"

/** The level that all of some logs can be named at. */
export const coarsest = (levels: ReadonlyArray<Level>): Level =>
  levels.includes("prompt") ? "prompt" : levels.includes("task") ? "task" : "scenario"

/**
 * The key of an ask's task: its scenario, else its task, else its normalised prompt. Two logs that are held against each
 * other name their tasks at a level that both have.
 */
export const keyOf = (table: Table, { prompt, scenario, task }: Ask, level: Level = "scenario"): string => {
  if (level === "scenario" && scenario !== undefined) return scenario
  if (level !== "prompt" && task !== undefined) return task
  if (prompt !== undefined) return table.normal(prompt)
  return task ?? scenario ?? ""
}

export interface Tasks {
  /** The number of each ask's task, by the ask's number. */
  readonly of: Int32Array
  readonly keys: ReadonlyArray<string>
}

/** Numbers the tasks of a table; with `known`, by the numbers given there, and -1 for others. */
export const tasksOf = (table: Table, level?: Level, known?: ReadonlyMap<string, number>): Tasks => {
  const numbers = new Map<string, number>()
  const of = new Int32Array(table.asks.length)
  for (const ask of table.asks) {
    const key = keyOf(table, ask, level)
    let number = known === undefined ? numbers.get(key) : (known.get(key) ?? -1)
    if (number === undefined) numbers.set(key, (number = numbers.size))
    of[ask.number] = number
  }
  return { of, keys: known === undefined ? [...numbers.keys()] : [...known.keys()] }
}

/** The mean of a group's value over the groups of each task, by the task's number; NaN for a task without a value. */
export const taskMeans = (
  { keys, of }: Tasks,
  groups: Iterable<Group>,
  valueOf: (group: Group) => number
): Float64Array => {
  const values: Array<number> = []
  const tasks: Array<number> = []
  const starts = new Int32Array(keys.length + 1)
  for (const group of groups) {
    const task = of[group.ask.number] as number
    const value = task < 0 ? Number.NaN : valueOf(group)
    if (Number.isNaN(value)) continue
    values.push(value)
    tasks.push(task)
    starts[task + 1] = (starts[task + 1] as number) + 1
  }
  for (let task = 0; task < keys.length; task++)
    starts[task + 1] = (starts[task + 1] as number) + (starts[task] as number)
  const filled = starts.slice()
  const byTask = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const task = tasks[i] as number
    const place = filled[task] as number
    byTask[place] = values[i] as number
    filled[task] = place + 1
  }
  const means = new Float64Array(keys.length)
  for (let task = 0; task < keys.length; task++) {
    const start = starts[task] as number
    const end = starts[task + 1] as number
    means[task] = end - start === 1 ? (byTask[start] as number) : meanOf(byTask.subarray(start, end))
  }
  return means
}

/** Mean in a fixed order, whatever order the values came in; sorts them. NaN for none. */
export const meanOf = (values: Float64Array): number => {
  const n = values.length
  if (n > 2) values.sort()
  let sum = 0
  for (let i = 0; i < n; i++) sum += values[i] as number
  return n === 0 ? Number.NaN : sum / n
}

/** The values that are there. */
export const present = (values: Float64Array): Float64Array => values.filter((value) => !Number.isNaN(value))

/**
 * The mean of a column over the counted rows of a group; NaN where none has a figure. How many have one is put into
 * `counts`, by the group's number.
 */
export const groupMean = (
  table: Table,
  { end, number, start }: Group,
  figureOf: (row: number) => number,
  counts?: Int32Array
): number => {
  let n = 0
  let whole = 0
  let fractions: Array<number> | undefined
  for (let i = start; i < end; i++) {
    const figure = figureOf(table.order[i] as number)
    if (Number.isNaN(figure)) continue
    n += 1
    if (figure === 0 || figure === 1) whole += figure
    else (fractions ??= []).push(figure)
  }
  if (counts !== undefined) counts[number] = n
  if (n === 0) return Number.NaN
  return (fractions === undefined ? whole : whole + sumOf(Float64Array.from(fractions).sort())) / n
}

const sumOf = (values: Float64Array): number => {
  let sum = 0
  for (const value of values) sum += value
  return sum
}
