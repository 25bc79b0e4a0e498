/**
 * What to open next: which tier a slot has, and which arm fills it.
 */
import type { Draws } from "../../random/Randomness.ts"
import { hardTiers, type PlacingArm, type Tier } from "../../task/Cell.ts"
import * as Arms from "./arms.ts"
import type { Draft, Opening } from "./state.ts"
import * as Weights from "./weights.ts"

/** Situations still wanted, by N when it was given. */
const situationsLeft = (draft: Draft): number => (draft.input.settings.situations ?? Infinity) - draft.situations

/** Rows the budget still pays for, beyond everything running, ready, promised or kept for seeds. */
export const rowsLeft = (draft: Draft): number =>
  draft.input.settings.budget - draft.landed - draft.running.size - draft.ready.length - draft.promised - draft.reserved

/**
 * Whether rows go to something new rather than to another rollout of a unanimous group: the budget still pays for a
 * group and the writer has something left. The caller's N is no lack of fresh asks: a run that reached it is done.
 */
export const freshPossible = (draft: Draft): boolean =>
  draft.input.pinned != null ||
  situationsLeft(draft) <= 0 ||
  (rowsLeft(draft) >= draft.fixed.firstRollouts && hasCandidates(draft))

/** Whether a text just written could be followed by another for the same place. */
const hasCandidates = ({ exhausted, fixed, input: { grid }, probesRefused }: Draft): boolean =>
  exhausted.size < grid.cells.length ||
  grid.cells.some(({ id }) => !exhausted.has(id)) ||
  Arms.probesLeft(fixed, probesRefused)

/**
 * The next situation to write, or nothing when none is left. While they are varied, seeds take at most every other
 * situation and traces every fourth.
 */
export const next = (draft: Draft): Opening | undefined => {
  if (situationsLeft(draft) <= 0) return undefined
  const slotNumber = draft.slotsDrawn
  const variant =
    slotNumber % 2 === 0 ? Arms.variantOfSeed(draft) : slotNumber % 4 === 3 ? Arms.variantOfTrace(draft) : undefined
  return variant ?? placed(draft, slotNumber) ?? Arms.variantOfSeed(draft) ?? Arms.variantOfTrace(draft)
}

/** A situation of the tier the slot should have, or of another when that has nothing left. */
const placed = (draft: Draft, slotNumber: number): Opening | undefined => {
  const draws = draft.input.randomness.stream(["slot", slotNumber])
  const wanted = tierOfSlot(draft)
  const opening = fill(draft, wanted, draws)
  if (opening !== undefined) return opening
  for (const tier of [...draft.fixed.hardTiers, "ordinary" as const]) {
    const other = tier === wanted ? undefined : fill(draft, tier, draws)
    if (other !== undefined) return other
  }
  return undefined
}

/**
 * Keeps the share of hard tiers within one item of `hardShare` for every number of slots, and the hard tiers within
 * one item of each other.
 */
const tierOfSlot = ({ fixed, input: { settings }, tierDrawn }: Draft): Tier => {
  const hard = fixed.hardTiers
  if (hard.length === 0) return "ordinary"
  let hardDrawn = 0
  for (const tier of hardTiers) hardDrawn += tierDrawn[tier]
  const total = hardDrawn + tierDrawn.ordinary
  const wantsHard = Math.round(settings.hardShare * (total + 1)) > hardDrawn
  if (!wantsHard && fixed.cells.ordinary.length > 0) return "ordinary"
  return hard.reduce((least, tier) => (tierDrawn[tier] < tierDrawn[least] ? tier : least))
}

const arms = [
  "grid",
  "open_ended",
  "behavior_targeted",
  "failure_mutation"
] as const satisfies ReadonlyArray<PlacingArm>

/** From the first arm that has something: each is placed by a draw in proportion to the weights left. */
const fill = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const mean = Weights.meanYield(draft)
  const weights = arms.map((arm) => (Arms.isOpen(draft, arm, tier) ? Weights.earned(draft, arm, mean) : 0))
  const pick = (): number => Weights.pick(arms.length, (i) => weights[i] as number, draws)
  const order: Array<(typeof arms)[number]> = []
  for (let at = pick(); at !== -1; at = pick()) {
    order.push(arms[at] as (typeof arms)[number])
    weights[at] = 0
  }
  for (const arm of order) {
    const opening = Arms.open(draft, arm, tier, draws)
    if (opening !== undefined) return opening
  }
  return Arms.open(draft, "grid", tier, draws) ?? Arms.open(draft, "open_ended", tier, draws)
}
