/**
 * What rows and verdicts teach the search: coverage, signatures, what arms earn, and which asks are worth mutating.
 */
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import type { Aim } from "../../task/Cell.ts"
import type { Task } from "../../task/Task.ts"
import { type Digest, type Draft, indexOfCell } from "./state.ts"

/** Mutations an aimed ask may have, and how many aimed asks are kept. */
const mutationsPerAim = 2
const aimsKept = 256

/** A row landed. */
export const observe = (draft: Draft, task: Task, digest: Digest): void => {
  const { coverage, fresh } = draft.coverage.add(task.dimensions)
  draft.coverage = coverage
  const novel = !HashSet.has(draft.signatures, digest.signature)
  if (novel) draft.signatures = HashSet.add(draft.signatures, digest.signature)
  for (const shape of digest.shapes) {
    if (!HashSet.has(draft.shapes, shape)) draft.shapes = HashSet.add(draft.shapes, shape)
  }
  draft.quietRows = novel || fresh > 0 ? 0 : draft.quietRows + 1
  const arm = draft.arms[task.arm]
  const tally = {
    situations: arm.situations,
    rows: arm.rows + 1,
    newSignatures: arm.newSignatures + (novel ? 1 : 0),
    newCells: arm.newCells + (fresh > 0 ? 1 : 0)
  }
  draft.arms = { ...draft.arms, [task.arm]: tally }
  if (task.tier !== null && task.arm !== "seed") {
    draft.tierRows = { ...draft.tierRows, [task.tier]: draft.tierRows[task.tier] + 1 }
  }
  const index = indexOfCell(draft.input.grid, task.dimensions)
  if (index !== undefined) draft.rows = draft.rows.with(index, (draft.rows[index] ?? 0) + 1)
  if (task.aim !== undefined) {
    const { parents, mutated } = draft.mutations[task.aim]
    draft.mutations = { ...draft.mutations, [task.aim]: { parents, mutated: mutated + 1 } }
  }
}

/** A verdict came. */
export const tally = (draft: Draft, task: Task, reward: number | null): void => {
  const { scored, passes, failures, partials, unjudged } = draft.grader
  draft.grader = {
    scored: scored + (reward === null ? 0 : 1),
    passes: passes + (reward === 1 ? 1 : 0),
    failures: failures + (reward !== null && reward < 0.5 ? 1 : 0),
    partials: partials + (reward !== null && reward >= 0.5 && reward < 1 ? 1 : 0),
    unjudged: unjudged + (reward === null ? 1 : 0)
  }
  if (reward === null || reward >= 0.5) return
  const index = indexOfCell(draft.input.grid, task.dimensions)
  if (index !== undefined) draft.failures = draft.failures.with(index, (draft.failures[index] ?? 0) + 1)
}

/** Remembers the ask of a failed row for mutation, once per task and aim. */
export const aim = (draft: Draft, task: Task, what: Aim, weight: number, reason?: string): void => {
  const { settings } = draft.input
  if (what === "graded_failure" && !settings.mutateGradedFailures) return
  const group = HashMap.unsafeGet(draft.groups, task.id)
  if (!group.aimed) draft.groups = HashMap.set(draft.groups, task.id, { ...group, aimed: true })
  if (!settings.mutateFailures || draft.input.pinned) return
  const key = aimKey(what, task.id)
  if (HashSet.has(draft.aimedTasks, key)) return
  draft.aimedTasks = HashSet.add(draft.aimedTasks, key)
  const { parents, mutated } = draft.mutations[what]
  draft.mutations = { ...draft.mutations, [what]: { parents: parents + 1, mutated } }
  const left = mutationsPerAim - Option.getOrElse(HashMap.get(draft.recalledMutations, key), () => 0)
  if (left <= 0) return
  const aimed = { task, aim: what, left, weight, ...(reason === undefined ? {} : { reason }) }
  const kept = draft.aims.slice(-(aimsKept - 1))
  kept.push(aimed)
  draft.aims = kept
}

/** An aimed ask by what it was aimed at for and its task. */
export const aimKey = (what: Aim, taskId: string): string => `${what} ${taskId}`
