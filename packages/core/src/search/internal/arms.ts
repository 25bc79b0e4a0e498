/**
 * Where situations come from: cells of the grid, probes off it, failed asks changed, seeds and traces varied.
 */
import * as Hash from "../../random/Hash.ts"
import type { Draws } from "../../random/Randomness.ts"
import type { Slot, Source } from "../../situation/SituationWriter.ts"
import {
  type Aim,
  type Arm,
  type Cell,
  type Dimensions,
  make,
  type PlacingArm,
  stances,
  type Tier,
  tierOf
} from "../../task/Cell.ts"
import type { Task } from "../../task/Task.ts"
import { type Fixed, variantsPerSeed } from "./fixed.ts"
import type { AimedAsk, Draft, Opening } from "./state.ts"
import * as Weights from "./weights.ts"

/** Whether an arm may take a slot of the tier. */
export const isOpen = (draft: Draft, arm: PlacingArm, tier: Tier): boolean => {
  switch (arm) {
    case "grid":
      return true
    case "open_ended":
      return probesLeft(draft.fixed, draft.probesRefused)
    case "behavior_targeted":
      // The array shows every tool first.
      return draft.cursor[tier] >= draft.fixed.coveringCells[tier]
    case "failure_mutation":
      return draft.aims.some((aim) => fits(aim, tier))
  }
}

/** A situation of an arm, if it has one for the tier. */
export const open = (draft: Draft, arm: PlacingArm, tier: Tier, draws: Draws): Opening | undefined => {
  switch (arm) {
    case "grid":
      return fromGrid(draft, tier, draws)
    case "open_ended":
      return probe(draft, tier, draws)
    case "behavior_targeted":
      return towardUnseenShapes(draft, tier, draws)
    case "failure_mutation":
      return mutation(draft, tier, draws)
  }
}

// --- the grid

/** Array order until the tier's part of the array is through, weights from then on. */
const fromGrid = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const indices = draft.fixed.cells[tier]
  while (draft.cursor[tier] < indices.length) {
    const index = indices[draft.cursor[tier]++] as number
    if (!isExhausted(draft, index) && draft.visits[index] === 0) return atCell(draft, index, "grid", tier)
  }
  const picked = Weights.pick(indices.length, (at) => cellWeight(draft, indices[at] as number), draws)
  return picked === -1 ? undefined : atCell(draft, indices[picked] as number, "grid", tier)
}

/** Seldom visited, risky, and informative cells first. */
const cellWeight = (draft: Draft, index: number): number => {
  if (isExhausted(draft, index)) return 0
  const rows = draft.rows[index] ?? 0
  const failing = rows === 0 ? 0 : (draft.failures[index] ?? 0) / rows
  return ((draft.fixed.risky[index] === true ? 1.5 : 1) * (1 + failing)) / (1 + (draft.visits[index] ?? 0))
}

/** A cell whose tool was not yet seen to answer in the way the cell plans. */
const towardUnseenShapes = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const unseen = draft.fixed.cells[tier].filter((index) => {
    const shape = draft.fixed.shapes[index] ?? null
    return shape !== null && !draft.shapes.has(shape) && !isExhausted(draft, index)
  })
  return unseen.length === 0 ? undefined : atCell(draft, draws.pick(unseen), "behavior_targeted", tier)
}

const isExhausted = ({ exhausted, input }: Draft, index: number): boolean =>
  exhausted.size > 0 && exhausted.has((input.grid.cells[index] as Cell).id)

const atCell = (draft: Draft, index: number, arm: Arm, tier: Tier): Opening => {
  const cell = draft.input.grid.cells[index] as Cell
  const visit = draft.visits[index] ?? 0
  draft.visits[index] = visit + 1
  return { slot: slotAt(draft, cell, visit, arm), arm, tier, counted: true }
}

const slotAt = (draft: Draft, cell: Cell, visit: number, arm: Arm, source?: Source): Slot => ({
  scenarioId: Hash.id("sit", draft.input.settings.seed, cell.id, visit, arm),
  cell,
  visit,
  phrasing: 0,
  attempt: 0,
  ...(source === undefined ? {} : { source })
})

// --- probes

/** Off-grid probes are given up after this many in a row brought nothing new. */
const probeRefusals = 5

export const probesLeft = (fixed: Fixed, refused: number): boolean => fixed.probes && refused < probeRefusals

/** An ask off the grid: only its stance (and so its tier) is decided. */
const probe = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  if (!probesLeft(draft.fixed, draft.probesRefused)) return undefined
  const pinned = draft.input.settings.dimensions["stance"]
  const usable = (pinned ?? stances).filter((stance) => tierOf(stance) === tier)
  if (usable.length === 0) return undefined
  const dimensions = { stance: draws.pick(usable) }
  const cell = { id: Hash.id("cell", dimensions), dimensions }
  return {
    slot: slotAt(draft, cell, draft.slotsDrawn, "open_ended", { _tag: "OpenEnded" }),
    arm: "open_ended",
    tier,
    counted: true
  }
}

// --- mutations

const fits = (aimed: AimedAsk, tier: Tier): boolean => aimed.tier === tier || aimed.tier === null

/**
 * The ask of a failed row, changed: first a situation that differs from its own by one value, which may fail otherwise, then
 * the same one in other words. The ways to fail take turns, the least mutated first. With a grader at least half of the mutations go to what it failed, so that planned
 * faults, which are many, don't drown them.
 */
const mutation = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const { aims, mutationsOpened } = draft
  const first: Aim = mutationsOpened.graded_failure <= mutationsOpened.world_fault ? "graded_failure" : "world_fault"
  const preferred = aims.some((aimed) => aimed.aim === first && fits(aimed, tier))
  const weightOf = (index: number): number => {
    const aimed = aims[index] as AimedAsk
    if ((preferred && aimed.aim !== first) || !fits(aimed, tier)) return 0
    return aimed.weight / (1 + (draft.mutatedKinds.get(kindOf(aimed)) ?? 0)) ** 2
  }
  const at = Weights.pick(aims.length, weightOf, draws)
  const aimed = aims[at]
  if (aimed === undefined) return undefined
  const { aim, left: visit, task: parent } = aimed
  const other = otherThan(aims, parent, draws)
  mutationsOpened[aim] += 1
  draft.mutatedKinds.set(kindOf(aimed), (draft.mutatedKinds.get(kindOf(aimed)) ?? 0) + 1)
  if (visit > 1) aimed.left -= 1
  else aims.splice(at, 1)
  const neighbour = visit > 1 ? neighbourOf(draft, parent, tier, draws) : undefined
  if (neighbour !== undefined) return { ...neighbour, mutates: { parent, aim } }
  const source: Source = {
    _tag: "Mutate",
    text: parent.prompt,
    ...(other === undefined ? {} : { other: other.prompt }),
    ...(aimed.reason === undefined ? {} : { reason: aimed.reason })
  }
  return {
    slot: {
      scenarioId: Hash.id("sit", draft.input.settings.seed, "mutation", parent.id, aim, visit),
      cell: { id: cellIdOf(parent.dimensions), dimensions: parent.dimensions },
      visit,
      phrasing: 0,
      attempt: 0,
      source
    },
    arm: "failure_mutation",
    tier: parent.tier,
    counted: parent.tier !== null,
    mutates: { parent, aim }
  }
}

/** What tells the failure of an aimed ask: its tool and condition where no verdict says more. */
const kindOf = ({ failure, task: { dimensions } }: AimedAsk): string =>
  failure ?? `${dimensions["tool"] ?? ""} ${dimensions["tool_condition"] ?? ""}`

/** Draws for a neighbour that the constraints allow and that nothing was asked in yet. */
const neighbourTries = 12

/** A situation of the tier that differs from a task's own by one value; undefined when none is found. */
const neighbourOf = (draft: Draft, { dimensions }: Task, tier: Tier, draws: Draws): Opening | undefined => {
  const { axes, constraints } = draft.input.grid.axes
  if (axes.some(({ name }) => dimensions[name] === undefined)) return undefined
  for (let tried = 0; tried < neighbourTries; tried++) {
    const { name, values } = draws.pick(axes)
    const cell = make({ ...dimensions, [name]: draws.pick(values) })
    const forbidden = constraints.some(({ forbid }) =>
      Object.entries(forbid).every(([axis, value]) => cell.dimensions[axis] === value)
    )
    if (forbidden || tierOf(cell.dimensions["stance"]) !== tier || draft.neighbours.has(cell.id)) continue
    const index = draft.fixed.indices.get(cell.id)
    if (index !== undefined && (draft.visits[index] ?? 0) > 0) continue
    draft.neighbours.add(cell.id)
    if (index !== undefined) draft.visits[index] = 1
    const own = index === undefined ? cell : (draft.input.grid.cells[index] as Cell)
    return { slot: slotAt(draft, own, 0, "failure_mutation"), arm: "failure_mutation", tier, counted: true }
  }
  return undefined
}

/** An aimed task that is not the given one, all aims equally likely. */
const otherThan = (aims: ReadonlyArray<AimedAsk>, parent: Task, draws: Draws): Task | undefined => {
  let count = 0
  for (const { task } of aims) if (task !== parent) count += 1
  if (count === 0) return undefined
  let rest = draws.int(count)
  return aims.find(({ task }) => task !== parent && rest-- === 0)?.task
}

/** Mutants stand where their parents do. */
const cellIdOf = (dimensions: Dimensions): string => {
  let id = cellIds.get(dimensions)
  if (id === undefined) {
    id = Hash.id("cell", dimensions)
    cellIds.set(dimensions, id)
  }
  return id
}

const cellIds = new WeakMap<Dimensions, string>()

// --- variants

/** A new ask like one of the caller's seeds: it has no tier, like a seed, and is counted apart. */
export const variantOfSeed = (draft: Draft): Opening | undefined => {
  const { variants, varied } = draft.fixed
  if (draft.minted >= variants) return undefined
  const { seed: runSeed, seeds } = draft.input.settings
  const index = varied[draft.minted % varied.length] as number
  const seed = seeds[index] as (typeof seeds)[number]
  const visit = Math.floor(draft.minted / varied.length)
  draft.minted += 1
  const dimensions = seed.dimensions ?? {}
  return {
    slot: {
      scenarioId: Hash.id("sit", runSeed, "variant", index, seed.prompt, visit),
      cell: { id: Hash.id("cell", dimensions), dimensions },
      visit,
      phrasing: 0,
      attempt: 0,
      source: { _tag: "Vary", text: seed.prompt }
    },
    arm: "seed",
    tier: seed.tier ?? null,
    counted: false
  }
}

/** A new ask like one that went wrong in a trace, placed where the trace was: it has no tier, and is counted apart. */
export const variantOfTrace = (draft: Draft): Opening | undefined => {
  const traced = draft.input.traced ?? []
  const ask = traced[draft.tracedMinted % traced.length]
  const visit = Math.floor(draft.tracedMinted / traced.length)
  if (ask === undefined || visit >= variantsPerSeed) return undefined
  draft.tracedMinted += 1
  return {
    slot: {
      scenarioId: Hash.id("sit", draft.input.settings.seed, "traced", ask.text, visit),
      cell: { id: Hash.id("cell", "traced", ask.text, ask.dimensions), dimensions: ask.dimensions },
      visit,
      phrasing: 0,
      attempt: 0,
      source: { _tag: "Vary", text: ask.text, facts: ask.facts }
    },
    arm: "trace_variant",
    tier: null,
    counted: false
  }
}
