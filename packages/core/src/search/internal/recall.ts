/**
 * Going on with a run from disk: its tasks are opened again as they were, in their order, before anything new is chosen,
 * and what they took of the grid, of seeds and of failed asks counts as taken.
 *
 * A run whose order is fixed needs none of this: the search chooses the same tasks again, and only what came of their
 * rollouts is answered from disk.
 */
import * as Hash from "../../random/Hash.ts"
import { normalise } from "../../language/NearCopies.ts"
import type { Grid } from "../../situation/Axes.ts"
import type { Cell } from "../../task/Cell.ts"
import type { Task } from "../../task/Task.ts"
import * as Admit from "./admit.ts"
import * as Choose from "./choose.ts"
import * as Groups from "./groups.ts"
import { aimKey } from "./learn.ts"
import type { Draft } from "./state.ts"

/** Indices of a task's rollouts that are on disk, in order. */
export const keptOf = (draft: Draft, taskId: string): ReadonlyArray<number> =>
  draft.input.recalled?.kept.get(taskId) ?? []

/** Whether every row on disk has been asked for again. */
export const isThrough = (draft: Draft): boolean => {
  const { recalled } = draft.input
  return recalled == null || (draft.recalledOpened >= recalled.tasks.length && draft.landed >= recalled.rows)
}

/** Opens the next task of the run on disk; false when there is none left. */
export const open = (draft: Draft): boolean => {
  const recalled = draft.input.recalled?.tasks[draft.recalledOpened]
  if (recalled === undefined) return false
  draft.recalledOpened += 1
  const kept = keptOf(draft, recalled.id)
  if (kept.length === 0 && Choose.rowsLeft(draft) < 1) {
    // its rows were given to others when its rollouts were lost; its place in the order stays
    draft.tasks += 1
    return true
  }
  const seed = seedOf(draft, recalled)
  const task = seed ?? withCell(draft.input.grid, recalled)
  draft.texts.add(normalise(task.prompt))
  const before = draft.recalledScenarios.get(task.scenarioId)
  if (before === undefined) countScenario(draft, task, seed !== null)
  const scenario = { first: before?.first ?? task, wordings: Math.max(before?.wordings ?? 0, task.phrasing + 1) }
  draft.recalledScenarios.set(task.scenarioId, scenario)
  const group = Groups.openGroup(draft, task, draft.fixed.firstRollouts, kept)
  if (seed !== null) Groups.reserve(draft, group)
  if (draft.recalledOpened === draft.input.recalled?.tasks.length) askForMissingWordings(draft)
  return true
}

/** Whether a situation is one of the run on disk. */
export const has = (draft: Draft, scenarioId: string): boolean => draft.recalledScenarios.has(scenarioId)

/** Situations that were cut before all their wordings were begun get the others. */
const askForMissingWordings = (draft: Draft): void => {
  const { phrasings } = draft.input.settings
  const scenarios = new Map(draft.recalledScenarios)
  // in the order of the tasks on disk, of which some are not opened again
  for (const { scenarioId } of draft.input.recalled?.tasks ?? []) {
    const scenario = scenarios.get(scenarioId)
    scenarios.delete(scenarioId)
    if (scenario !== undefined && scenario.wordings < phrasings) {
      draft.rewordings.push({ task: scenario.first, from: scenario.wordings })
    }
  }
}

/** The caller's own seed behind a task, with what only graders may see. */
const seedOf = (draft: Draft, { id, phrasing, writer }: Task): Task | null => {
  if (writer !== "seed" || phrasing !== 0) return null
  const { seeds } = draft.input.settings
  for (let index = 0; index < seeds.length; index++) {
    const seed = seeds[index]
    const task = seed === undefined ? undefined : Admit.taskOfSeed(draft, seed, index)
    if (task?.id === id) return task
  }
  return null
}

/** The task with the grid's own coordinates, which are known by identity. */
const withCell = (grid: Grid, task: Task): Task => {
  const index = indexByContent(grid).get(Hash.canonical(task.dimensions))
  return index === undefined ? task : { ...task, dimensions: (grid.cells[index] as Cell).dimensions }
}

const countScenario = (draft: Draft, task: Task, isSeed: boolean): void => {
  draft.situations += 1
  draft.arms[task.arm].situations += 1
  if (isSeed) return
  draft.slotsDrawn += 1
  const { aim, arm, parentTaskId, tier } = task
  if (arm === "seed") draft.minted += 1
  else if (arm === "trace_variant") draft.tracedMinted += 1
  else if (tier !== null) draft.tierDrawn[tier] += 1
  if (arm === "failure_mutation") {
    if (aim === undefined || parentTaskId === undefined) return
    const key = aimKey(aim, parentTaskId)
    draft.recalledMutations.set(key, (draft.recalledMutations.get(key) ?? 0) + 1)
    draft.mutationsOpened[aim] += 1
    return
  }
  Admit.countFaults(draft, task)
  if (arm === "seed" || tier === null) return
  const index = indexByContent(draft.input.grid).get(Hash.canonical(task.dimensions))
  if (index !== undefined) draft.visits[index] = (draft.visits[index] ?? 0) + 1
}

/** Derived once per grid. */
const known = new WeakMap<Grid, ReadonlyMap<string, number>>()

const indexByContent = (grid: Grid): ReadonlyMap<string, number> => {
  let index = known.get(grid)
  if (index === undefined) {
    index = new Map(grid.cells.map(({ dimensions }, i) => [Hash.canonical(dimensions), i]))
    known.set(grid, index)
  }
  return index
}
