/**
 * The rollouts of each task: a group opens with those its policy begins with, is filled or stopped by what they show, and
 * closes.
 */
import type { Task } from "../../task/Task.ts"
import * as Choose from "./choose.ts"
import * as Repeats from "./repeats.ts"
import type { Draft, Group } from "./state.ts"

/** Opens the group of a task. `kept`: indices of its rollouts that are on disk, in order. */
export const openGroup = (draft: Draft, task: Task, wanted: number, kept: ReadonlyArray<number> = []): Group => {
  const group: Group = {
    task,
    order: draft.tasks,
    target: 0,
    reserved: 0,
    settled: 0,
    landed: 0,
    labels: [],
    retries: 0,
    aimed: { world_fault: false, graded_failure: false },
    cut: false
  }
  draft.tasks += 1
  draft.groups.add(group)
  if (kept.length === 0) ask(draft, group, wanted)
  else reopen(draft, group, wanted, kept)
  return group
}

/** A group of which rows are on disk: these are paid for; what is missing between them and behind them is asked for. */
const reopen = (draft: Draft, group: Group, wanted: number, kept: ReadonlyArray<number>): void => {
  group.target = (kept.at(-1) ?? -1) + 1
  const missing = Array.from({ length: group.target }, (_, index) => index).filter((index) => !kept.includes(index))
  draft.reserved -= kept.length
  const enter = (index: number): void => void draft.ready.push({ group, index })
  kept.forEach(enter)
  const paid = missing.slice(0, Math.max(0, Choose.rowsLeft(draft)))
  paid.forEach(enter)
  group.settled = missing.length - paid.length
  group.cut = group.settled > 0
  if (wanted <= group.target) return
  if (Choose.rowsLeft(draft) > 0) ask(draft, group, wanted - group.target)
  else group.cut = true
}

/** The rest of a seed's k is kept for it, whatever its policy begins with. */
export const reserve = (draft: Draft, group: Group): void => {
  const reserved = Math.min(draft.input.settings.repeats - group.target, Math.max(0, Choose.rowsLeft(draft)))
  if (reserved <= 0) return
  group.reserved = reserved
  draft.reserved += reserved
}

/** Asks for further rollouts of a group, as far as the budget pays. */
const ask = (draft: Draft, group: Group, wanted: number): void => {
  const more = Math.min(wanted, Math.max(0, Choose.rowsLeft(draft) + group.reserved))
  const own = Math.min(group.reserved, more)
  draft.reserved -= own
  group.reserved -= own
  if (more < wanted) group.cut = true
  for (let i = 0; i < more; i++) draft.ready.push({ group, index: group.target + i })
  group.target += more
  if (more === 0) close(draft, group)
}

/** A rollout that was lost for good. */
export const giveUpRollout = (draft: Draft, group: Group): void => {
  group.settled += 1
  if (group.settled === group.target) decide(draft, group)
}

/** A rollout landed, with its verdict where there is a grader. */
export const settle = (draft: Draft, group: Group, label: string | undefined): void => {
  group.settled += 1
  group.landed += 1
  if (label !== undefined) {
    learnSplit(draft, group.labels, label)
    group.labels.push(label)
  }
  if (group.settled === group.target) decide(draft, group)
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
  if (Choose.rowsLeft(draft) + group.reserved > 0) return ask(draft, group, decision.more)
  group.cut = true
  close(draft, group)
}

const close = (draft: Draft, group: Group): void => {
  const { closed } = draft
  const { repeats, repeatPolicy, runs } = draft.input.settings
  const { landed, order, task } = group
  if (runs > 1 && landed > 0) draft.played.push({ task, order, landed })
  draft.groups.delete(group)
  draft.reserved -= group.reserved
  const saved = repeats - landed
  const short = landed < group.target || group.cut
  const early = !short && saved > 0
  if (group.labels.length > 1) closed.labelled += 1
  if (Repeats.isSplit(group.labels)) closed.mixed += 1
  if (short) {
    closed.partial += 1
    draft.cut.push({ task_id: task.id, have: landed, want: repeats })
  }
  if (early) closed.saved += saved
  if (early && repeatPolicy === "successive") closed.stoppedUnanimous += 1
  if (!short && (!early || repeatPolicy === "adaptive")) closed.complete += 1
}

/** What happens to groups that hold n equal labels when another comes. */
const learnSplit = ({ splits }: Draft, labels: ReadonlyArray<string>, label: string): void => {
  const n = labels.length
  if (n === 0 || Repeats.isSplit(labels)) return
  while (splits.length <= n) splits.push({ tries: 0, splits: 0 })
  const seen = splits[n] as (typeof splits)[number]
  seen.tries += 1
  if (label !== labels[0]) seen.splits += 1
}
