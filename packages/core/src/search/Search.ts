/**
 * The search: one reducer from events to commands. It decides which situations are opened, how often each ask is
 * rolled out, what failures lead to and when the run stops. It reads no clock, no model and no global; a driver is only
 * an order of events.
 */
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import type { LossReason } from "../rollout/AgentBackend.ts"
import { normalise } from "../row/NearCopies.ts"
import type { Ask, Slot } from "../situation/SituationWriter.ts"
import type { Task } from "../task/Task.ts"
import * as Admit from "./internal/admit.ts"
import * as Choose from "./internal/choose.ts"
import * as Groups from "./internal/groups.ts"
import * as Learn from "./internal/learn.ts"
import * as Recall from "./internal/recall.ts"
import * as Report from "./internal/report.ts"
import * as Repeats from "./internal/repeats.ts"
import {
  type Command,
  type Digest,
  type Draft,
  type Event,
  initial,
  type Input,
  type Opening,
  type Pinned,
  seedsKept,
  type State,
  type StopReason
} from "./internal/state.ts"

export type { Command, Digest, Event, Input, Pinned, Recalled, State, StopReason } from "./internal/state.ts"
export { seedsKept } from "./internal/state.ts"

/** A lost rollout of a task is tried again this often per task. */
const retriesPerTask = 2
/** A text refused at admission is asked for again this often before its place is given up. */
const rewritesPerSlot = 3
/** Asked for in one request to the writer at most. */
const largestRequest = 32
/** A world fault the agent handled badly is mutated this much more often than one it handled well. */
const badlyHandledWeight = 3

export const start = (input: Input): State => initial(input)

/** The state after an event, and what is to be done. */
export const step = (state: State, event: Event): readonly [State, ReadonlyArray<Command>] => {
  const draft: Draft = { ...state, commands: [] }
  apply(draft, event)
  if (draft.stopped === null) proceed(draft)
  // The draft is the next state: to copy some fifty fields once more would cost as much as many a step.
  return [draft, draft.commands]
}

/** Whether every rollout begun has come in; asks still being written matter to nobody once the search has stopped. */
export const isIdle = (state: State): boolean => HashMap.isEmpty(state.running) && HashMap.isEmpty(state.waiting)

/** Rollouts that are running. */
export const inFlight = (state: State): number => HashMap.size(state.running)

/** Whether a stop ends every run of a call, not only the one it came in. */
export const endsAll = (reason: StopReason | null): boolean => reason !== null && !endsOne.has(reason)

const endsOne: ReadonlySet<StopReason> = new Set([
  "budget",
  "situations_exhausted",
  "tasks_done",
  "saturation",
  "writer_exhausted"
] as const)

/** The tasks of a run that has ended, to be rolled again exactly as often as it landed them. */
export const replayOf = (state: State): Pinned => {
  const cut = HashMap.toValues(state.groups).filter(({ landed }) => landed > 0)
  const played = [...state.played, ...cut].sort((a, b) => a.order - b.order)
  return {
    tasks: played.map(({ task }) => task),
    rollouts: new Map(played.map(({ landed, task }) => [task.id, landed]))
  }
}

const apply = (draft: Draft, event: Event): void => {
  switch (event._tag) {
    case "Capacity":
      draft.credit = event.n
      return
    case "Written":
      return written(draft, event.id, event.asks)
    case "WriteFailed":
      return writeFailed(draft, event.id, event.reason)
    case "Finished":
      return finished(draft, event.id, event.digest)
    case "Lost":
      return lost(draft, event.id, event.reason)
    case "Unbegun":
      return unbegun(draft, event.id)
    case "Judged":
      judged(draft, event.id, event.reward, event.reason)
      if (event.refused !== undefined) stop(draft, event.refused === "auth" ? "auth_failed" : "quota_exceeded")
      return
    case "ClockExpired":
      return stop(draft, "time_budget")
    case "Spent":
      return stop(draft, event.reason)
    case "Interrupted":
      return stop(draft, event.reason ?? "interrupted")
  }
}

/** What was chosen and why, for people. */
export const report = Report.of
export const reportOfRun = Report.ofRun
export const cutGroups = Report.cutGroups

// --- going on

/** Opens what the free places need, begins what is ready, and stops when nothing is left to do. */
const proceed = (draft: Draft): void => {
  const { budget, until } = draft.input.settings
  if (until === "saturation" && Recall.isThrough(draft) && draft.quietRows >= saturationWindow(budget))
    return stop(draft, "saturation")
  open(draft)
  begin(draft)
  const reason = stopReason(draft)
  if (reason !== undefined) stop(draft, reason)
}

const open = (draft: Draft): void => {
  const { input } = draft
  const wanted: Array<Opening> = []
  if (input.pinned) {
    while (draft.ready.length < draft.credit && openPinned(draft, input.pinned)) continue
    return
  }
  const ahead = input.ahead * input.settings.phrasings * Repeats.firstRollouts(input.settings)
  while (draft.ready.length + draft.promised < draft.credit + ahead && wanted.length < largestRequest) {
    if (Recall.open(draft) || openSeed(draft)) continue
    const openings = nextOpenings(draft)
    if (openings.length === 0) break
    wanted.push(...openings)
  }
  request(draft, wanted)
  if (draft.credit > 0) openRemainder(draft)
}

/** The next pinned task, with its own plan. */
const openPinned = (draft: Draft, { rollouts, tasks }: Pinned): boolean => {
  const task = tasks[draft.pinnedOpened]
  if (task === undefined) return false
  const kept = Recall.keptOf(draft, task.id)
  if (kept.length === 0 && Choose.rowsLeft(draft) < 1) {
    if (Recall.isThrough(draft)) return false
    // rows on disk are of tasks behind it
    draft.pinnedOpened += 1
    draft.tasks += 1
    return true
  }
  draft.pinnedOpened += 1
  draft.situations += 1
  Groups.countSituation(draft, task.arm)
  Groups.openGroup(draft, task, rollouts?.get(task.id) ?? Repeats.firstRollouts(draft.input.settings), kept)
  return true
}

/** The next seed in its own words: no writer is asked. */
const openSeed = (draft: Draft): boolean => {
  const { settings } = draft.input
  if (draft.seedsOpened >= seedsKept(settings)) return false
  const index = draft.seedsOpened
  const seed = settings.seeds[index]
  if (seed === undefined) return false
  draft.seedsOpened += 1
  const task = Admit.taskOfSeed(draft, seed, index)
  if (Recall.has(draft, task.scenarioId)) return true
  draft.situations += 1
  Groups.countSituation(draft, "seed")
  draft.texts = HashSet.add(draft.texts, normalise(task.prompt))
  draft.rewordings = [...draft.rewordings, { task, from: 1 }]
  Groups.openGroup(draft, task, Repeats.firstRollouts(settings))
  Groups.reserve(draft, task.id)
  return true
}

/** Wordings of the next situation, as many as the budget pays for: further wordings of seeds first. */
const nextOpenings = (draft: Draft): ReadonlyArray<Opening> => {
  const { settings } = draft.input
  const need = Repeats.firstRollouts(settings)
  const payable = Math.min(settings.phrasings, Math.floor(Choose.rowsLeft(draft) / need))
  if (payable < 1) return []
  const rewording = draft.rewordings[draft.reworded]
  if (settings.phrasings > 1 && rewording !== undefined) {
    draft.reworded += 1
    const { from, task } = rewording
    const further = wordings(rewordingOf(task), from, Math.min(settings.phrasings, payable + from))
    draft.promised += further.length * need
    return further
  }
  const opening = nextSituation(draft)
  if (opening === undefined) return []
  draft.slotsDrawn += 1
  draft.situations += 1
  if (opening.counted && opening.tier !== null) {
    draft.tierDrawn = { ...draft.tierDrawn, [opening.tier]: draft.tierDrawn[opening.tier] + 1 }
  }
  Groups.countSituation(draft, opening.arm)
  draft.promised += payable * need
  return wordings(opening, 0, payable)
}

/** Not one that a resumed run has on disk. */
const nextSituation = (draft: Draft): Opening | undefined => {
  for (;;) {
    const opening = Choose.next(draft)
    if (opening === undefined || !Recall.has(draft, opening.slot.scenarioId)) return opening
    draft.slotsDrawn += 1
  }
}

const wordings = (opening: Opening, from: number, to: number): ReadonlyArray<Opening> =>
  Array.from({ length: to - from }, (_, i) => ({ ...opening, slot: { ...opening.slot, phrasing: from + i } }))

const rewordingOf = (task: Task): Opening => ({
  slot: {
    scenarioId: task.scenarioId,
    cell: { id: task.scenarioId, dimensions: task.dimensions },
    visit: 0,
    phrasing: 1,
    attempt: 0,
    source: { _tag: "Reword", text: task.prompt }
  },
  arm: "seed",
  tier: task.tier,
  counted: false,
  rewords: task
})

const request = (draft: Draft, openings: ReadonlyArray<Opening>): void => {
  if (openings.length === 0) return
  const id = draft.nextWrite
  draft.nextWrite += 1
  draft.writing = HashMap.set(draft.writing, id, openings)
  draft.commands.push({ _tag: "Write", id, slots: openings.map(({ slot }) => slot) })
}

/**
 * Rows the budget still pays for when they are too few for a whole group: one cut group, once everything else is in.
 */
const openRemainder = (draft: Draft): void => {
  const left = Choose.rowsLeft(draft)
  const settled = HashMap.isEmpty(draft.groups) && HashMap.isEmpty(draft.writing)
  if (left < 1 || left >= Repeats.firstRollouts(draft.input.settings) || !settled) return
  const opening = nextSituation(draft)
  if (opening === undefined) return
  draft.slotsDrawn += 1
  draft.situations += 1
  Groups.countSituation(draft, opening.arm)
  draft.promised += left
  request(draft, [opening])
}

/** Begins what is ready, as far as there are places. */
const begin = (draft: Draft): void => {
  const beginning = draft.ready.slice(0, Math.max(0, draft.credit))
  if (beginning.length === 0) return
  draft.ready = draft.ready.slice(beginning.length)
  draft.credit -= beginning.length
  draft.requested += beginning.length
  for (const entry of beginning) {
    const { order, task } = Groups.groupOf(draft, entry.taskId)
    const id = draft.nextRoll
    draft.nextRoll += 1
    draft.running = HashMap.set(draft.running, id, entry)
    draft.commands.push({ _tag: "Roll", id, task, order, index: entry.index })
  }
}

const stopReason = (draft: Draft): StopReason | undefined => {
  const { settings } = draft.input
  if (!HashMap.isEmpty(draft.running) || !HashMap.isEmpty(draft.waiting) || draft.ready.length > 0) return undefined
  const { pinned } = draft.input
  if (pinned && draft.pinnedOpened >= pinned.tasks.length) return "tasks_done"
  if (draft.landed >= settings.budget) return "budget"
  if (!HashMap.isEmpty(draft.writing) || draft.credit === 0) return undefined
  if (settings.situations !== null && draft.situations >= settings.situations) return "situations_exhausted"
  return "writer_exhausted"
}

/** Rows without a new signature or covered tuple after which a run counts as saturated. */
const saturationWindow = (budget: number): number => Math.max(50, Math.ceil(budget / 10))

const stop = (draft: Draft, reason: StopReason): void => {
  if (draft.stopped !== null) return
  draft.stopped = reason
  draft.ready = []
  draft.commands.push({ _tag: "Stop", reason })
}

// --- asks

const written = (draft: Draft, id: number, asks: ReadonlyArray<Ask>): void => {
  const openings = HashMap.get(draft.writing, id)
  if (openings._tag === "None") return
  draft.writing = HashMap.remove(draft.writing, id)
  draft.writeFailuresInRow = 0
  if (draft.stopped !== null) return
  const bySlot = new Map(asks.map((ask) => [slotKey(ask.slot), ask]))
  const again: Array<Opening> = []
  for (const opening of openings.value) {
    const ask = bySlot.get(slotKey(opening.slot))
    if (ask === undefined || ask.text.trim() === "") {
      giveUp(draft, opening)
      continue
    }
    const normal = normalise(ask.text)
    const refusal = Admit.refusalOf(draft, ask, normal)
    if (refusal === undefined) admit(draft, opening, ask, normal)
    else if (opening.slot.attempt < rewritesPerSlot) {
      again.push({ ...opening, slot: { ...opening.slot, attempt: opening.slot.attempt + 1 } })
    } else giveUp(draft, opening)
  }
  request(draft, again)
}

const slotKey = (slot: Slot): string => `${slot.scenarioId}/${slot.phrasing}`

const admit = (draft: Draft, opening: Opening, ask: Ask, normal: string): void => {
  const need = Repeats.firstRollouts(draft.input.settings)
  draft.texts = HashSet.add(draft.texts, normal)
  if (opening.arm === "open_ended") draft.probesRefused = 0
  const task =
    opening.rewords === undefined ? Admit.taskOf(draft, opening, ask) : Admit.rewordedTask(opening.rewords, ask)
  draft.promised = Math.max(0, draft.promised - need)
  Groups.openGroup(draft, task, need)
}

/** The writer has nothing new for this place: what it held is given back. */
const giveUp = (draft: Draft, opening: Opening): void => {
  draft.promised = Math.max(0, draft.promised - Repeats.firstRollouts(draft.input.settings))
  if (opening.slot.phrasing > 0) {
    draft.wordingsMissing += 1
    return
  }
  draft.situations -= 1
  draft.arms = {
    ...draft.arms,
    [opening.arm]: { ...draft.arms[opening.arm], situations: draft.arms[opening.arm].situations - 1 }
  }
  if (opening.counted && opening.tier !== null) {
    draft.tierDrawn = { ...draft.tierDrawn, [opening.tier]: draft.tierDrawn[opening.tier] - 1 }
  }
  if (opening.arm === "grid" || opening.arm === "behavior_targeted") {
    draft.exhausted = HashSet.add(draft.exhausted, opening.slot.cell.id)
  }
  if (opening.arm === "open_ended") draft.probesRefused += 1
}

const writeFailed = (draft: Draft, id: number, reason: "failed" | "auth" | "quota" | "empty"): void => {
  const openings = HashMap.get(draft.writing, id)
  if (openings._tag === "None") return
  draft.writing = HashMap.remove(draft.writing, id)
  if (reason === "auth") return stop(draft, "auth_failed")
  if (reason === "quota") return stop(draft, "quota_exceeded")
  draft.writeFailuresInRow += 1
  if (draft.writeFailuresInRow >= lossLimit(draft)) return stop(draft, "writer_failed")
  request(draft, openings.value)
}

/** Losses in a row after which going on is pointless. */
const lossLimit = (draft: Draft): number => Math.max(10, draft.input.settings.concurrency)

// --- rollouts

const finished = (draft: Draft, id: number, digest: Digest): void => {
  const entry = HashMap.get(draft.running, id)
  if (entry._tag === "None") return
  draft.running = HashMap.remove(draft.running, id)
  draft.landed += 1
  draft.lossesInRow = 0
  const { taskId } = entry.value
  const group = Groups.groupOf(draft, taskId)
  Learn.observe(draft, group.task, digest)
  if (digest.worldFault) Learn.aim(draft, group.task, "world_fault", digest.handledBadly ? badlyHandledWeight : 1)
  if (draft.input.judged) {
    draft.waiting = HashMap.set(draft.waiting, id, { taskId, digest })
    return
  }
  Groups.settle(draft, taskId, digest.truncated ? undefined : digest.signature)
}

const unbegun = (draft: Draft, id: number): void => {
  if (!HashMap.has(draft.running, id)) return
  draft.running = HashMap.remove(draft.running, id)
  draft.requested -= 1
}

const judged = (draft: Draft, id: number, reward: number | null, reason: string | undefined): void => {
  const entry = HashMap.get(draft.waiting, id)
  if (entry._tag === "None") return
  draft.waiting = HashMap.remove(draft.waiting, id)
  const { taskId, digest } = entry.value
  const { task } = Groups.groupOf(draft, taskId)
  Learn.tally(draft, task, reward)
  if (reward !== null && reward < 0.5) Learn.aim(draft, task, "graded_failure", 1, reason)
  Groups.settle(draft, taskId, labelOf(digest, reward))
}

/** The reward when it is 0 or 1, the behaviour otherwise; without a verdict, or cut by the length cap, none. */
const labelOf = (digest: Digest, reward: number | null): string | undefined => {
  if (digest.truncated || reward === null) return undefined
  return reward === 0 || reward === 1 ? `reward ${reward}` : digest.signature
}

const lost = (draft: Draft, id: number, reason: LossReason): void => {
  const entry = HashMap.get(draft.running, id)
  if (entry._tag === "None") return
  draft.running = HashMap.remove(draft.running, id)
  draft.lost += 1
  draft.lostBy = { ...draft.lostBy, [reason]: (draft.lostBy[reason] ?? 0) + 1 }
  if (reason === "auth") stop(draft, "auth_failed")
  if (reason === "quota") stop(draft, "quota_exceeded")
  if (draft.stopped !== null) return
  draft.lossesInRow += 1
  // After a row has landed the agent is known to work, so a longer streak is waited out before giving up.
  const limit = draft.landed === 0 ? lossLimit(draft) : 3 * lossLimit(draft)
  if (draft.lossesInRow >= limit) return stop(draft, reason === "empty_reply" ? "empty_replies" : "agent_failed")
  const { taskId, index } = entry.value
  const group = Groups.groupOf(draft, taskId)
  if (group.retries < retriesPerTask) {
    draft.groups = HashMap.set(draft.groups, taskId, { ...group, retries: group.retries + 1 })
    draft.ready = [{ taskId, index }, ...draft.ready]
  } else Groups.giveUpRollout(draft, taskId)
}
