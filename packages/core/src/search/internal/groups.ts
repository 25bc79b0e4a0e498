/**
 * The rollouts of each task: a group opens with those its policy begins with, is filled or stopped by what they show, and
 * closes.
 */
import * as Chunk from "effect/Chunk"
import * as HashMap from "effect/HashMap"
import type { Task } from "../../task/Task.ts"
import * as Choose from "./choose.ts"
import * as Repeats from "./repeats.ts"
import type { Draft, Group } from "./state.ts"

/** Opens the group of a task. `kept`: indices of its rollouts that are on disk, in order. */
export const openGroup = (draft: Draft, task: Task, wanted: number, kept: ReadonlyArray<number> = []): void => {
  const group: Group = {
    task,
    order: draft.tasks,
    target: 0,
    reserved: 0,
    settled: 0,
    landed: 0,
    labels: [],
    retries: 0,
    aimed: false,
    cut: false
  }
  draft.tasks += 1
  if (kept.length === 0) ask(draft, group, wanted)
  else reopen(draft, group, wanted, kept)
}

/** A group of which rows are on disk: these are paid for; what is missing between them and behind them is asked for. */
const reopen = (draft: Draft, group: Group, wanted: number, kept: ReadonlyArray<number>): void => {
  const { id } = group.task
  const target = (kept.at(-1) ?? -1) + 1
  const missing = Array.from({ length: target }, (_, index) => index).filter((index) => !kept.includes(index))
  draft.reserved -= kept.length
  const enter = (indices: ReadonlyArray<number>): void => {
    draft.ready = [...draft.ready, ...indices.map((index) => ({ taskId: id, index }))]
  }
  enter(kept)
  const paid = missing.slice(0, Math.max(0, Choose.rowsLeft(draft)))
  enter(paid)
  const unpaid = missing.length - paid.length
  const reopened = { ...group, target, settled: unpaid, cut: unpaid > 0 }
  draft.groups = HashMap.set(draft.groups, id, reopened)
  if (wanted <= target) return
  if (Choose.rowsLeft(draft) > 0) ask(draft, reopened, wanted - target)
  else draft.groups = HashMap.set(draft.groups, id, { ...reopened, cut: true })
}

/** The rest of a seed's k is kept for it, whatever its policy begins with. */
export const reserve = (draft: Draft, taskId: string): void => {
  const group = groupOf(draft, taskId)
  const reserved = Math.min(draft.input.settings.repeats - group.target, Math.max(0, Choose.rowsLeft(draft)))
  if (reserved <= 0) return
  draft.groups = HashMap.set(draft.groups, taskId, { ...group, reserved })
  draft.reserved += reserved
}

/** Asks for further rollouts of a group, as far as the budget pays. */
const ask = (draft: Draft, group: Group, wanted: number): void => {
  const more = Math.min(wanted, Math.max(0, Choose.rowsLeft(draft) + group.reserved))
  const own = Math.min(group.reserved, more)
  draft.reserved -= own
  const cut = group.cut || more < wanted
  const next = { ...group, target: group.target + more, reserved: group.reserved - own, cut }
  draft.groups = HashMap.set(draft.groups, group.task.id, next)
  const entries = Array.from({ length: more }, (_, i) => ({ taskId: group.task.id, index: group.target + i }))
  draft.ready = [...draft.ready, ...entries]
  if (more === 0) close(draft, next)
}

export const groupOf = (draft: Draft, taskId: string): Group => HashMap.unsafeGet(draft.groups, taskId)

/** A rollout that was lost for good. */
export const giveUpRollout = (draft: Draft, taskId: string): void => {
  const group = groupOf(draft, taskId)
  const next = { ...group, settled: group.settled + 1 }
  draft.groups = HashMap.set(draft.groups, taskId, next)
  if (next.settled === next.target) decide(draft, next)
}

/** A rollout landed, with its verdict where there is a grader. */
export const settle = (draft: Draft, taskId: string, label: string | undefined): void => {
  const group = groupOf(draft, taskId)
  if (label !== undefined) learnSplit(draft, group.labels, label)
  const next: Group = {
    ...group,
    settled: group.settled + 1,
    landed: group.landed + 1,
    labels: label === undefined ? group.labels : [...group.labels, label]
  }
  draft.groups = HashMap.set(draft.groups, taskId, next)
  if (next.settled === next.target) decide(draft, next)
}

const decide = (draft: Draft, group: Group): void => {
  if (draft.stopped !== null) return close(draft, group)
  const { closed } = draft
  const groups = closed.complete + closed.partial + closed.stoppedUnanimous
  const history = { groups, mixed: closed.mixed, after: draft.splits }
  // A later run of one call rolls each task exactly as often as the first did.
  if (draft.input.pinned?.rollouts) return close(draft, group)
  const decision = Repeats.decide(draft.input.settings, group, history, Choose.freshPossible(draft))
  if (decision._tag === "Close") return close(draft, group)
  if (Choose.rowsLeft(draft) + group.reserved > 0) ask(draft, group, decision.more)
  else close(draft, { ...group, cut: true })
}

const close = (draft: Draft, group: Group): void => {
  if (draft.input.settings.runs > 1 && group.landed > 0) {
    draft.played = Chunk.append(draft.played, { task: group.task, order: group.order, landed: group.landed })
  }
  draft.groups = HashMap.remove(draft.groups, group.task.id)
  draft.reserved -= group.reserved
  const { repeats, repeatPolicy } = draft.input.settings
  const saved = repeats - group.landed
  const short = group.landed < group.target || group.cut
  const early = !short && saved > 0
  draft.closed = {
    labelled: draft.closed.labelled + (group.labels.length > 1 ? 1 : 0),
    mixed: draft.closed.mixed + (Repeats.isSplit(group.labels) ? 1 : 0),
    stoppedUnanimous: draft.closed.stoppedUnanimous + (early && repeatPolicy === "successive" ? 1 : 0),
    complete: draft.closed.complete + (!short && (!early || repeatPolicy === "adaptive") ? 1 : 0),
    partial: draft.closed.partial + (short ? 1 : 0),
    saved: draft.closed.saved + (early ? saved : 0)
  }
  if (short) draft.cut = [...draft.cut, { task_id: group.task.id, have: group.landed, want: repeats }]
}

/** What happens to groups that hold n equal labels when another comes. */
const learnSplit = (draft: Draft, labels: ReadonlyArray<string>, label: string): void => {
  const n = labels.length
  if (n === 0 || Repeats.isSplit(labels)) return
  const seen = draft.splits[n] ?? { tries: 0, splits: 0 }
  const splits = Array.from(
    { length: Math.max(draft.splits.length, n + 1) },
    (_, i) => draft.splits[i] ?? { tries: 0, splits: 0 }
  )
  splits[n] = { tries: seen.tries + 1, splits: seen.splits + (label === labels[0] ? 0 : 1) }
  draft.splits = splits
}

/** A situation was opened by an arm. */
export const countSituation = (draft: Draft, arm: Task["arm"]): void => {
  draft.arms = { ...draft.arms, [arm]: { ...draft.arms[arm], situations: draft.arms[arm].situations + 1 } }
}
