/**
 * The eval runs of rows: the same tasks, run again.
 */
import type { Group, Table } from "./table.ts"
import * as Tasks from "./tasks.ts"

/** The rows of a run: groups of a table, or the rows of one scoring pass in them. */
export interface Run {
  readonly name: string
  readonly table: Table
  readonly groups: ReadonlyArray<Group>
  readonly rows: number
  readonly scoring: number | null
}

export interface Split {
  readonly by: "eval_run" | "scoring_run_id" | "given" | "one_run"
  readonly runs: ReadonlyArray<Run>
}

/** Tables that are not sealed yet, into runs. */
export const split = (tables: ReadonlyArray<Table>, given: boolean): Split => {
  if (given) return { by: "given", runs: tables.map((table, i) => whole(table.seal(), String(i))) }
  const [table] = tables
  if (table === undefined) return { by: "one_run", runs: [] }
  const runs = evalRuns(table)
  if (runs.length > 1) {
    table.seal()
    return { by: "eval_run", runs: evalRuns(table) }
  }
  const passes = table.scorings.names.length
  table.seal({ apart: passes > 1 })
  if (passes < 2) return { by: "one_run", runs: table.rows === 0 ? [] : [whole(table, "0")] }
  const scored = table.scorings.names.map((name, scoring) => {
    let rows = 0
    for (let row = 0; row < table.rows; row++) if (table.scoring.at(row) === scoring) rows += 1
    return { name: name === "" ? "unscored" : name, table, groups: table.groups, rows, scoring }
  })
  return { by: "scoring_run_id", runs: scored.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** The eval runs of each run in a table, in their order. */
export const evalRuns = (table: Table): ReadonlyArray<Run> => {
  const several = table.runs.names.length > 1
  const found = new Map<string, { name: string; run: string; evalRun: number; groups: Array<Group>; rows: number }>()
  for (const group of table.groups) {
    if (group.rows === 0) continue
    const run = table.runs.names[group.run] ?? ""
    const name = several ? `${run} ${group.evalRun}` : String(group.evalRun)
    let held = found.get(name)
    if (held === undefined) found.set(name, (held = { name, run, evalRun: group.evalRun, groups: [], rows: 0 }))
    held.groups.push(group)
    held.rows += group.rows - group.copies
  }
  return [...found.values()]
    .sort((a, b) => (a.run < b.run ? -1 : a.run > b.run ? 1 : a.evalRun - b.evalRun))
    .map(({ groups, name, rows }) => ({ name, table, groups, rows, scoring: null }))
}

const whole = (table: Table, name: string): Run => ({
  name,
  table,
  groups: table.groups,
  rows: table.distinct,
  scoring: null
})

/** The mean of each run over the tasks that have a figure in all of them: the first metric of the tables, unless told. */
export const meansOf = (
  runs: ReadonlyArray<Run>,
  options: { readonly metric?: number; readonly among?: (table: Table) => Tasks.Tasks } = {}
): {
  readonly means: ReadonlyArray<number | null>
  readonly moved: number
  readonly tasks: number
  readonly of: number
} => {
  const { among = sharedBy(runs), metric = 0 } = options
  const byRun = runs.map(({ groups, scoring, table }) => {
    const column = table.metrics[metric]
    const figureOf = (row: number): number =>
      scoring !== null && table.scoring.at(row) !== scoring ? Number.NaN : (column?.at(row) ?? Number.NaN)
    return Tasks.taskMeans(among(table), groups, (group) => Tasks.groupMean(table, group, figureOf))
  })
  const everywhere = (_: number, task: number): boolean => byRun.every((means) => !Number.isNaN(means[task]))
  const shared = byRun.map((means) => means.filter(everywhere))
  return {
    means: shared.map((means) => (means.length === 0 ? null : Tasks.meanOf(means))),
    /** Tasks whose figure is not the same in all runs. */
    moved: (shared[0] ?? []).filter((first, task) => shared.some((means) => means[task] !== first)).length,
    tasks: shared[0]?.length ?? 0,
    of: byRun[0]?.length ?? 0
  }
}

/** Tasks numbered alike in all tables. */
const sharedBy = (runs: ReadonlyArray<Run>): ((table: Table) => Tasks.Tasks) => {
  const tables = new Set(runs.map(({ table }) => table))
  const levels = [...tables].map((table) => Tasks.levelOf(table))
  const level = Tasks.coarsest(levels)
  const known = new Map<string, number>()
  for (const table of tables) {
    for (const ask of table.asks) {
      const key = Tasks.keyOf(table, ask, level)
      if (!known.has(key)) known.set(key, known.size)
    }
  }
  const found = new Map([...tables].map((table) => [table, Tasks.tasksOf(table, level, known)] as const))
  return (table) => found.get(table) ?? Tasks.tasksOf(table, level, known)
}
