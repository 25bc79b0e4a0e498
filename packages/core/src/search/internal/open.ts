/**
 * Opening tasks: those of an earlier run, seeds in their own words, and situations whose asks are to be written.
 */
import { normalise } from "../../language/NearCopies.ts"
import type { Task } from "../../task/Task.ts"
import * as Admit from "./admit.ts"
import * as Choose from "./choose.ts"
import * as Groups from "./groups.ts"
import { type Pinned, seedsKept } from "./protocol.ts"
import * as Recall from "./recall.ts"
import type { Draft, Opening } from "./state.ts"

/** Asked for in one request to the writer at most. */
const largestRequest = 32

/** Opens what the free places need. */
export const open = (draft: Draft): void => {
  const { ahead, pinned, settings } = draft.input
  if (pinned) {
    while (draft.ready.length < draft.credit && openPinned(draft, pinned)) continue
    return
  }
  const enough = draft.credit + ahead * settings.phrasings * draft.fixed.firstRollouts
  const wanted: Array<Opening> = []
  while (draft.ready.length + draft.promised < enough && wanted.length < largestRequest) {
    if (Recall.open(draft) || openSeed(draft)) continue
    const before = wanted.length
    openNext(draft, wanted)
    if (wanted.length === before) break
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
  draft.arms[task.arm].situations += 1
  Groups.openGroup(draft, task, rollouts?.get(task.id) ?? draft.fixed.firstRollouts, kept)
  return true
}

/** The next seed in its own words: no writer is asked. */
const openSeed = (draft: Draft): boolean => {
  const { settings } = draft.input
  const index = draft.seedsOpened
  const seed = index < seedsKept(settings) ? settings.seeds[index] : undefined
  if (seed === undefined) return false
  draft.seedsOpened += 1
  const task = Admit.taskOfSeed(draft, seed, index)
  if (Recall.has(draft, task.scenarioId)) return true
  draft.situations += 1
  draft.arms.seed.situations += 1
  draft.texts.add(normalise(task.prompt))
  draft.rewordings.push({ task, from: 1 })
  Groups.reserve(draft, Groups.openGroup(draft, task, draft.fixed.firstRollouts))
  return true
}

/** Wordings of the next situation, as many as the budget pays for: further wordings of seeds first. */
const openNext = (draft: Draft, wanted: Array<Opening>): void => {
  const { phrasings } = draft.input.settings
  const need = draft.fixed.firstRollouts
  const payable = Math.min(phrasings, Math.floor(Choose.rowsLeft(draft) / need))
  if (payable < 1) return
  const rewording = draft.rewordings[draft.reworded]
  if (phrasings > 1 && rewording !== undefined) {
    draft.reworded += 1
    const { from, task } = rewording
    const to = Math.min(phrasings, payable + from)
    for (let phrasing = from; phrasing < to; phrasing++) wanted.push(worded(rewordingOf(task), phrasing))
    draft.promised += (to - from) * need
    return
  }
  const opening = openSituation(draft)
  if (opening === undefined) return
  if (opening.counted && opening.tier !== null) draft.tierDrawn[opening.tier] += 1
  draft.promised += payable * need
  wanted.push(opening)
  for (let phrasing = 1; phrasing < payable; phrasing++) wanted.push(worded(opening, phrasing))
}

/** The next situation that a resumed run does not have on disk. */
const openSituation = (draft: Draft): Opening | undefined => {
  for (;;) {
    const opening = Choose.next(draft)
    if (opening === undefined) return undefined
    draft.slotsDrawn += 1
    if (Recall.has(draft, opening.slot.scenarioId)) continue
    draft.situations += 1
    draft.arms[opening.arm].situations += 1
    return opening
  }
}

const worded = (opening: Opening, phrasing: number): Opening => ({ ...opening, slot: { ...opening.slot, phrasing } })

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

/** Asks the writer for openings. */
export const request = (draft: Draft, openings: ReadonlyArray<Opening>): void => {
  if (openings.length === 0) return
  const id = draft.nextWrite
  draft.nextWrite += 1
  draft.writing.set(id, openings)
  draft.commands.push({ _tag: "Write", id, slots: openings.map(({ slot }) => slot) })
}

/**
 * Rows the budget still pays for when they are too few for a whole group: one cut group, once everything else is in.
 */
const openRemainder = (draft: Draft): void => {
  const left = Choose.rowsLeft(draft)
  const settled = draft.groups.size === 0 && draft.writing.size === 0
  if (left < 1 || left >= draft.fixed.firstRollouts || !settled) return
  const opening = openSituation(draft)
  if (opening === undefined) return
  draft.promised += left
  request(draft, [opening])
}
