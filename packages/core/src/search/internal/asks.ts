/**
 * What comes from the writer: asks become tasks, are asked for again, or are given up.
 */
import { normalise } from "../../language/NearCopies.ts"
import type { Ask, Slot } from "../../situation/SituationWriter.ts"
import * as Admit from "./admit.ts"
import * as Groups from "./groups.ts"
import * as Open from "./open.ts"
import type { Draft, Opening } from "./state.ts"
import { lossLimit, stop } from "./stopping.ts"

/** A text refused at admission is asked for again this often before its place is given up. */
const rewritesPerSlot = 3

/** A request was answered, not always for every opening. */
export const written = (draft: Draft, id: number, asks: ReadonlyArray<Ask>): void => {
  const openings = draft.writing.get(id)
  if (openings === undefined) return
  draft.writing.delete(id)
  draft.writeFailuresInRow = 0
  if (draft.stopped !== null) return
  const found = asksFor(openings, asks)
  const again: Array<Opening> = []
  openings.forEach((opening, i) => {
    const ask = found[i]
    if (ask === undefined || ask.text.trim() === "") return giveUp(draft, opening)
    const normal = normalise(ask.text)
    if (Admit.refusalOf(draft, ask, normal) === undefined) return admit(draft, opening, ask, normal)
    const { attempt } = opening.slot
    if (attempt >= rewritesPerSlot) return giveUp(draft, opening)
    again.push({ ...opening, slot: { ...opening.slot, attempt: attempt + 1 } })
  })
  Open.request(draft, again)
}

/** A request was not answered. */
export const writeFailed = (draft: Draft, id: number, reason: "failed" | "auth" | "quota" | "empty"): void => {
  const openings = draft.writing.get(id)
  if (openings === undefined) return
  draft.writing.delete(id)
  if (reason === "auth") return stop(draft, "auth_failed")
  if (reason === "quota") return stop(draft, "quota_exceeded")
  draft.writeFailuresInRow += 1
  if (draft.writeFailuresInRow >= lossLimit(draft)) return stop(draft, "writer_failed")
  Open.request(draft, openings)
}

/** The ask for each opening. Writers mostly answer in order, with the slots they were given. */
const asksFor = (openings: ReadonlyArray<Opening>, asks: ReadonlyArray<Ask>): ReadonlyArray<Ask | undefined> => {
  let next = 0
  const inOrder = openings.map(({ slot }) => (asks[next]?.slot === slot ? asks[next++] : undefined))
  if (next === asks.length) return inOrder
  const bySlot = new Map(asks.map((ask) => [slotKey(ask.slot), ask]))
  return openings.map(({ slot }) => bySlot.get(slotKey(slot)))
}

const slotKey = ({ phrasing, scenarioId }: Slot): string => `${scenarioId}/${phrasing}`

const admit = (draft: Draft, opening: Opening, ask: Ask, normal: string): void => {
  const need = draft.fixed.firstRollouts
  draft.texts.add(normal)
  if (opening.arm === "open_ended") draft.probesRefused = 0
  const task =
    opening.rewords === undefined ? Admit.taskOf(draft, opening, ask) : Admit.rewordedTask(opening.rewords, ask)
  draft.promised = Math.max(0, draft.promised - need)
  Groups.openGroup(draft, task, need)
}

/** The writer has nothing new for this place: what it held is given back. */
const giveUp = (draft: Draft, { arm, counted, slot, tier }: Opening): void => {
  draft.promised = Math.max(0, draft.promised - draft.fixed.firstRollouts)
  if (slot.phrasing > 0) {
    draft.wordingsMissing += 1
    return
  }
  draft.situations -= 1
  draft.arms[arm].situations -= 1
  if (counted && tier !== null) draft.tierDrawn[tier] -= 1
  if (arm === "grid" || arm === "behavior_targeted") draft.exhausted.add(slot.cell.id)
  if (arm === "open_ended") draft.probesRefused += 1
}
