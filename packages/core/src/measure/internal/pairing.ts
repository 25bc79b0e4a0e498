/**
 * Two sides of rows held against each other task by task.
 */
import type { RowFileError } from "../../row/RowFileError.ts"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { Source } from "../Measured.ts"
import * as Statistics from "../Statistics.ts"
import * as Reading from "./reading.ts"
import type { Group, Settings, Table } from "./table.ts"
import * as Tasks from "./tasks.ts"

export interface Side {
  readonly table: Table
  /** Numbers of the shared tasks; asks of other tasks have -1. */
  readonly tasks: Tasks.Tasks
}

export interface Pairing {
  readonly a: Side
  readonly b: Side
  /** Tasks on both sides, and on one alone. */
  readonly shared: number
  readonly onlyA: number
  readonly onlyB: number
  readonly loaded: readonly [Reading.Loaded, Reading.Loaded]
}

/** Reads both sides and uses them: at once when both are in memory, else as an effect. */
export const withSides = <A>(
  a: Source,
  b: Source,
  settings: Settings,
  use: (pairing: Pairing) => A
): A | Effect.Effect<A, RowFileError, FileSystem.FileSystem> => {
  if (typeof a !== "string" && typeof b !== "string") {
    return use(pair(Reading.inMemory(a, settings), Reading.inMemory(b, settings)))
  }
  const read = (source: Source): Effect.Effect<Reading.Loaded, RowFileError, FileSystem.FileSystem> =>
    typeof source === "string" ? Reading.file(source, settings) : Effect.sync(() => Reading.inMemory(source, settings))
  return Effect.map(Effect.zip(read(a), read(b)), ([a, b]) => use(pair(a, b)))
}

const pair = (a: Reading.Loaded, b: Reading.Loaded): Pairing => {
  const [left, right] = [a.table.seal(), b.table.seal()]
  // A log that has only prompts has those in common with its replay, which has ids.
  const level = Tasks.coarsest([Tasks.levelOf(left), Tasks.levelOf(right)])
  const keysOf = (table: Table): Set<string> => {
    const keys = new Set<string>()
    for (const ask of table.asks) if (hasRows(ask.first)) keys.add(Tasks.keyOf(table, ask, level))
    return keys
  }
  const [keysA, keysB] = [keysOf(left), keysOf(right)]
  const shared = new Map<string, number>()
  for (const key of keysA) if (keysB.has(key)) shared.set(key, shared.size)
  return {
    a: { table: left, tasks: Tasks.tasksOf(left, level, shared) },
    b: { table: right, tasks: Tasks.tasksOf(right, level, shared) },
    shared: shared.size,
    onlyA: keysA.size - shared.size,
    onlyB: keysB.size - shared.size,
    loaded: [a, b]
  }
}

const hasRows = (first: Group | undefined): boolean => {
  for (let group = first; group !== undefined; group = group.next) if (group.rows > 0) return true
  return false
}

/** The figure of each shared task on one side, NaN where it has none; and of each group, how many rows have one. */
const figuresOf = ({ table, tasks }: Side, metric: number) => {
  const column = table.metrics[metric]
  const figureOf = (row: number): number => column?.at(row) ?? Number.NaN
  const rows = new Int32Array(table.groups.length)
  const means = Tasks.taskMeans(tasks, table.groups, (group) => Tasks.groupMean(table, group, figureOf, rows))
  return { means, rows }
}

/** Figures of the tasks that have one on both sides, in the same order. */
export interface Paired {
  readonly a: Float64Array
  readonly b: Float64Array
  /** Figures behind those tasks, on either side. */
  readonly rows: readonly [number, number]
  /** Whether either side has a figure at all. */
  readonly measured: readonly [boolean, boolean]
}

export const pairedMeans = (pairing: Pairing, metric: number): Paired => {
  const found = [figuresOf(pairing.a, metric), figuresOf(pairing.b, metric)] as const
  const [a, b] = [found[0].means, found[1].means]
  const both = (_: number, task: number): boolean => !Number.isNaN(a[task]) && !Number.isNaN(b[task])
  const rowsOf = ({ table, tasks }: Side, rows: Int32Array): number =>
    table.groups.reduce((sum, { ask, number }) => {
      const task = tasks.of[ask.number] as number
      return task >= 0 && both(0, task) ? sum + (rows[number] as number) : sum
    }, 0)
  return {
    a: a.filter(both),
    b: b.filter(both),
    rows: [rowsOf(pairing.a, found[0].rows), rowsOf(pairing.b, found[1].rows)],
    measured: [a, b].map((side) => Tasks.present(side).length > 0) as [boolean, boolean]
  }
}

export interface PairedEstimate extends Statistics.Estimate {
  readonly p: number | null
}

/**
 * The mean of b - a. Whichever side is called a, the same differences are resampled and only the sign of the outcome is
 * turned, so swapping the sides swaps the outcome to the last bit.
 */
export const differenceOf = ({ a, b }: Paired, seed: number): PairedEstimate => {
  const differences = b.map((value, task) => value - (a[task] as number)).sort()
  const turned = differences.map((difference) => 0 - difference).sort()
  const place = differences.findIndex((difference, i) => difference !== turned[i])
  const turn = place >= 0 && (differences[place] as number) < (turned[place] as number)
  const values = turn ? turned : differences
  const estimate = Statistics.estimate(values, { seed })
  const p = Statistics.signFlip(values, { seed })
  const { interval, mean } = estimate
  // Differences that are their own mirror have the same outcome both ways: none. Summed, they may leave a rest.
  if (place < 0 && mean !== null) {
    const half = interval === null ? 0 : (interval[1] - interval[0]) / 2
    return { ...estimate, p, mean: 0, interval: interval === null ? null : [0 - half, half] }
  }
  if (!turn) return { ...estimate, p }
  return {
    ...estimate,
    p,
    mean: mean === null ? null : 0 - mean,
    interval: interval === null ? null : [0 - interval[1], 0 - interval[0]]
  }
}
