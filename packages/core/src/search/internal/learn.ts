/**
 * What rows and verdicts teach the search: coverage, signatures, what arms earn, and which asks are worth mutating.
 */
import { isPass } from "../../row/PassMark.ts"
import type { Aim } from "../../task/Cell.ts"
import type { Task } from "../../task/Task.ts"
import type { Digest } from "./protocol.ts"
import type { Draft, Group } from "./state.ts"

/** Mutations an aimed ask may have, and how many aimed asks are kept. */
const mutationsPerAim = 2
const aimsKept = 256

/** A row landed. */
export const observe = (draft: Draft, task: Task, { shapes, signature }: Digest): void => {
  const novel = !draft.signatures.has(signature)
  if (novel) draft.signatures.add(signature)
  for (const shape of shapes) draft.shapes.add(shape)
  const fresh = cover(draft, task)
  draft.quietRows = novel || fresh ? 0 : draft.quietRows + 1
  const arm = draft.arms[task.arm]
  arm.rows += 1
  if (novel) arm.newSignatures += 1
  if (fresh) arm.newCells += 1
  if (task.tier !== null && task.arm !== "seed") draft.tierRows[task.tier] += 1
  if (task.aim !== undefined) draft.mutations[task.aim].mutated += 1
}

/** Whether the row covered a tuple that none before it had. */
const cover = (draft: Draft, { dimensions }: Task): boolean => {
  const place = draft.fixed.places.get(dimensions)
  const rowsBefore = place === undefined ? 0 : (draft.rows[place] ?? 0)
  if (place !== undefined) draft.rows[place] = rowsBefore + 1
  // Whatever a cell covers, its first row did.
  if (rowsBefore > 0) return false
  const { coverage, fresh } = draft.coverage.add(dimensions)
  draft.coverage = coverage
  return fresh > 0
}

/** A verdict came. */
export const tally = ({ failures, fixed, grader }: Draft, task: Task, reward: number | null): void => {
  if (reward === null) {
    grader.unjudged += 1
    return
  }
  grader.scored += 1
  if (isPass(reward)) grader.passes += 1
  else if (reward >= 0.5) grader.partials += 1
  if (reward >= 0.5) return
  grader.failures += 1
  const place = fixed.places.get(task.dimensions)
  if (place !== undefined) failures[place] = (failures[place] ?? 0) + 1
}

/** A row failed: whether it did so in a way that no row before it had pays its arm. */
export const discover = (draft: Draft, { arm }: Task, failure: string): void => {
  if (draft.failureKinds.has(failure)) return
  draft.failureKinds.add(failure)
  draft.arms[arm].newFailures += 1
}

/** Remembers the ask of a failed row for mutation, once per task and aim. */
export const aim = (
  draft: Draft,
  group: Group,
  what: Aim,
  weight: number,
  { failure, reason }: { readonly failure?: string | undefined; readonly reason?: string | undefined } = {}
): void => {
  const { settings } = draft.input
  if (what === "graded_failure" && !settings.mutateGradedFailures) return
  const known = group.aimed[what]
  group.aimed[what] = true
  if (known || !settings.mutateFailures || draft.input.pinned) return
  const { task } = group
  draft.mutations[what].parents += 1
  const { recalledMutations } = draft
  const opened = recalledMutations.size === 0 ? 0 : (recalledMutations.get(aimKey(what, task.id)) ?? 0)
  const left = mutationsPerAim - opened
  if (left <= 0) return
  if (draft.aims.length >= aimsKept) draft.aims.shift()
  draft.aims.push({
    task,
    tier: task.tier,
    aim: what,
    left,
    weight,
    ...(reason === undefined ? {} : { reason }),
    ...(failure === undefined ? {} : { failure })
  })
}

/** An aimed ask by what it was aimed at for and its task. */
export const aimKey = (what: Aim, taskId: string): string => `${what} ${taskId}`
