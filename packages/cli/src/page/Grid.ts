/**
 * The coverage grid as a page shows it: every two axes against each other, with the tasks that stood in each cell and how
 * often they passed.
 */
import type { TaskRate } from "@sandtable/core/PassAt"
import type { RunMeta } from "@sandtable/core/unstable/RunMeta"
import type * as Facts from "./Facts.ts"

export interface Grid {
  /** Axis values that the run had, or could have had. */
  readonly axes: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<string> }>
  readonly pairs: ReadonlyArray<Pair>
  /** Values that no row drew, by axis. */
  readonly gaps: ReadonlyArray<readonly [string, ReadonlyArray<string>]>
}

export interface Pair {
  readonly down: string
  readonly across: string
  readonly downValues: ReadonlyArray<string>
  readonly acrossValues: ReadonlyArray<string>
  /** By value down, then by value across. */
  readonly cells: ReadonlyArray<ReadonlyArray<Cell>>
  readonly filled: number
}

export interface Cell {
  readonly tasks: number
  /** Mean over the graded tasks of the cell; null where there is none. */
  readonly rate: number | null
}

/** Values of an axis that are shown; the most frequent ones. */
const mostValues = 24
/** Axes that are set against each other: six make fifteen pairs. */
const mostAxes = 8

/** Null for rows that stand in no grid. */
export const make = (
  rows: ReadonlyArray<Facts.Facts>,
  tasks: ReadonlyArray<TaskRate>,
  meta: RunMeta | null
): Grid | null => {
  const standing = new Map(rows.map(({ dimensions, task }) => [task, dimensions]))
  const counts = new Map<string, Map<string, number>>()
  for (const dimensions of standing.values()) {
    for (const [axis, value] of Object.entries(dimensions)) {
      const values = counts.get(axis) ?? new Map<string, number>()
      counts.set(axis, values.set(value, (values.get(value) ?? 0) + 1))
    }
  }
  const gaps = Object.entries(meta?.search?.axis_gaps ?? {})
    .map(([axis, values]) => [axis, values.filter((value) => value !== "unspecified")] as const)
    .filter(([, values]) => values.length > 0)
  const axes = [...counts].map(([name, values]) => ({
    name,
    values: [
      ...[...values].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([value]) => value),
      ...(gaps.find(([axis]) => axis === name)?.[1] ?? []).filter((value) => !values.has(value))
    ].slice(0, mostValues)
  }))
  const varied = axes.filter(({ values }) => values.length > 1).slice(0, mostAxes)
  if (varied.length < 2) return null
  const rates = new Map(tasks.map(({ pass_at_1, task }) => [task, pass_at_1]))
  const pairs = varied.flatMap((down, i) => varied.slice(i + 1).map((across) => pairOf(down, across, standing, rates)))
  return { axes: varied, pairs, gaps }
}

type Axis = Grid["axes"][number]

const pairOf = (
  down: Axis,
  across: Axis,
  standing: ReadonlyMap<string, Readonly<Record<string, string>>>,
  rates: ReadonlyMap<string, number>
): Pair => {
  const sums = down.values.map(() => across.values.map(() => ({ tasks: 0, graded: 0, sum: 0 })))
  for (const [task, dimensions] of standing) {
    const cell =
      sums[down.values.indexOf(valueOf(dimensions, down.name))]?.[
        across.values.indexOf(valueOf(dimensions, across.name))
      ]
    if (cell === undefined) continue
    cell.tasks += 1
    const rate = rates.get(task)
    if (rate === undefined) continue
    cell.graded += 1
    cell.sum += rate
  }
  const cells = sums.map((row) =>
    row.map(({ graded, sum, tasks }) => ({ tasks, rate: graded === 0 ? null : sum / graded }))
  )
  const filled = cells.flat().filter(({ tasks }) => tasks > 0).length
  return { down: down.name, across: across.name, downValues: down.values, acrossValues: across.values, cells, filled }
}

const valueOf = (dimensions: Readonly<Record<string, string>>, axis: string): string =>
  Object.hasOwn(dimensions, axis) ? (dimensions[axis] ?? "") : ""
