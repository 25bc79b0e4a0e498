/**
 * What to open next: which tier a slot has, which arm fills it, which cell the arm takes.
 */
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Hash from "../../random/Hash.ts"
import type { Draws } from "../../random/Randomness.ts"
import type { Slot, Source } from "../../situation/SituationWriter.ts"
import {
  type Arm,
  type Cell,
  type Dimensions,
  hardTiers,
  multiTool,
  stances,
  type Tier,
  tierOf,
  unrelated
} from "../../task/Cell.ts"
import { firstRollouts } from "./repeats.ts"
import {
  type AimedAsk,
  type ArmTally,
  cellAt,
  cellsOf,
  type Draft,
  hardTiersOf,
  type Opening,
  type State
} from "./state.ts"

/** Share of slots an arm has before it earned anything; `open_ended` follows its option. */
const baseWeight: Readonly<Record<Exclude<Arm, "seed" | "open_ended">, number>> = {
  grid: 0.45,
  behavior_targeted: 0.1,
  failure_mutation: 0.35
}
/** An arm's yield moves its weight between these factors, so that none starves and none takes all. */
const yieldFloor = 0.5
const yieldCeiling = 2

/**
 * Seeds, and asks of traces that went wrong, are varied up to this many times each. While they are, seeds take at most
 * every other situation and traces every fourth.
 */
const variantsPerSeed = 3

/** Situations still wanted, by N when it was given. */
const situationsLeft = (draft: Draft): number => (draft.input.settings.situations ?? Infinity) - draft.situations

/** Rows the budget still pays for, beyond everything running, ready, promised or kept for seeds. */
export const rowsLeft = (draft: Draft): number =>
  draft.input.settings.budget -
  draft.landed -
  HashMap.size(draft.running) -
  draft.ready.length -
  draft.promised -
  draft.reserved

/** How many variants of seeds the run aims for. */
export const seedTarget = (draft: State): number => {
  const { settings } = draft.input
  const given = settings.seeds.filter((seed) => seed.amplify).length
  if (given === 0) return 0
  const perSituation = settings.phrasings * settings.repeats
  const total = settings.situations ?? Math.floor(settings.budget / perSituation)
  return Math.max(0, Math.min(Math.floor((total - settings.seeds.length) / 2), given * variantsPerSeed))
}

/**
 * Whether rows go to something new rather than to another rollout of a unanimous group: the budget still pays for a
 * group and the writer has something left. The caller's N is no lack of fresh asks: a run that reached it is done.
 */
export const freshPossible = (draft: Draft): boolean =>
  draft.input.pinned != null ||
  situationsLeft(draft) <= 0 ||
  (rowsLeft(draft) >= firstRollouts(draft.input.settings) && hasCandidates(draft))

/** The next situation to write, or nothing when none is left. */
export const next = (draft: Draft): Opening | undefined => {
  if (situationsLeft(draft) <= 0) return undefined
  const slotNumber = draft.slotsDrawn
  const draws = draft.input.randomness.stream(["slot", slotNumber])
  const variant = slotNumber % 2 === 0 ? variantOfSeed(draft) : slotNumber % 4 === 3 ? variantOfTrace(draft) : undefined
  if (variant !== undefined) return variant
  for (const tier of tierOrder(draft)) {
    const opening = fill(draft, tier, draws)
    if (opening !== undefined) return opening
  }
  return variantOfSeed(draft) ?? variantOfTrace(draft)
}

/** Whether a text just written could be followed by another for the same place. */
const hasCandidates = (draft: Draft): boolean =>
  HashSet.size(draft.exhausted) < draft.input.grid.cells.length ||
  draft.input.grid.cells.some((cell) => !HashSet.has(draft.exhausted, cell.id)) ||
  probesPossible(draft)

/** Off-grid probes are given up after this many in a row brought nothing new. */
const probeRefusals = 5
const probesPossible = ({ input: { settings }, probesRefused }: Draft): boolean =>
  settings.openEndedShare > 0 && probesRefused < probeRefusals && Object.keys(settings.dimensions).every(isStance)

/** A probe decides its stance alone: with another axis pinned it could leave what the caller pinned. */
const isStance = (axis: string): boolean => axis === "stance"

/** The tier this slot should have first; the others after it, for when the first has nothing left. */
const tierOrder = (draft: Draft): ReadonlyArray<Tier> => {
  const wanted = tierOfSlot(draft)
  const rest = [...hardTiersOf(draft.input.grid), "ordinary" as const].filter((tier) => tier !== wanted)
  return [wanted, ...rest]
}

/**
 * Keeps the share of hard tiers within one item of `hardShare` for every number of slots, and the hard tiers within
 * one item of each other.
 */
const tierOfSlot = (draft: Draft): Tier => {
  const { grid, settings } = draft.input
  const hard = hardTiersOf(grid)
  if (hard.length === 0) return "ordinary"
  const hardDrawn = hardTiers.reduce((sum, tier) => sum + draft.tierDrawn[tier], 0)
  const total = hardDrawn + draft.tierDrawn.ordinary
  const wantsHard = Math.round(settings.hardShare * (total + 1)) > hardDrawn
  if (!wantsHard && cellsOf(grid).ordinary.length > 0) return "ordinary"
  return hard.reduce((least, tier) => (draft.tierDrawn[tier] < draft.tierDrawn[least] ? tier : least))
}

const fill = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const candidates: ReadonlyArray<readonly [Arm, () => Opening | undefined]> = [
    ["grid", () => fromGrid(draft, tier, draws)],
    ["open_ended", () => probe(draft, tier, draws)],
    ["behavior_targeted", () => towardUnseenShapes(draft, tier, draws)],
    ["failure_mutation", () => mutation(draft, tier, draws)]
  ]
  const order = weightedOrder(
    candidates.map(([arm]) => [arm, armWeight(draft, arm, tier)] as const),
    draws
  )
  for (const arm of order) {
    const opening = candidates.find(([name]) => name === arm)?.[1]()
    if (opening !== undefined) return opening
  }
  return fromGrid(draft, tier, draws) ?? probe(draft, tier, draws)
}

/** Where an arm stands before the slot is looked at: its base share times what it earned. */
export const earnedWeight = (draft: State, arm: Arm): number => {
  const { settings } = draft.input
  const given = Object.hasOwn(settings.armWeights, arm) ? settings.armWeights[arm] : undefined
  const base = given ?? (arm === "seed" ? 0 : arm === "open_ended" ? settings.openEndedShare : baseWeight[arm])
  return base * yieldFactor(draft, arm)
}

const armWeight = (draft: Draft, arm: Arm, tier: Tier): number => {
  if (arm === "open_ended" && !probesPossible(draft)) return 0
  if (arm === "failure_mutation" && !draft.aims.some((aim) => fits(aim, tier))) return 0
  if (arm === "behavior_targeted" && inArray(draft, tier)) return 0
  return earnedWeight(draft, arm)
}

/** What a row of the arm finds (new signatures and new tuples) against a row of any arm, smoothed by one row each. */
const yieldFactor = (draft: State, arm: Arm): number => {
  let rows = 0
  let found = 0
  for (const tally of Object.values(draft.arms)) {
    rows += tally.rows
    found += foundBy(tally)
  }
  const mean = (found + 1) / (rows + 1)
  const own = (foundBy(draft.arms[arm]) + mean) / (draft.arms[arm].rows + 1)
  return Math.min(yieldCeiling, Math.max(yieldFloor, own / mean))
}

const foundBy = ({ newSignatures, newCells }: ArmTally): number => newSignatures + newCells

/** Arms with a weight, each placed by a draw in proportion to the weights left. */
const weightedOrder = (weights: ReadonlyArray<readonly [Arm, number]>, draws: Draws): ReadonlyArray<Arm> => {
  const left = weights.filter(([, weight]) => weight > 0)
  const out: Array<Arm> = []
  while (left.length > 0) {
    const index = pickWeighted(
      left.map(([, weight]) => weight),
      draws
    )
    out.push(...left.splice(index, 1).map(([arm]) => arm))
  }
  return out
}

const pickWeighted = (weights: ReadonlyArray<number>, draws: Draws): number => {
  let total = 0
  for (let i = 0; i < weights.length; i++) total += weights[i] as number
  let rest = draws.next() * total
  for (let i = 0; i < weights.length; i++) {
    rest -= weights[i] ?? 0
    if (rest < 0) return i
  }
  return weights.length - 1
}

// --- the grid

const inArray = (draft: Draft, tier: Tier): boolean => draft.cursor[tier] < cellsOf(draft.input.grid)[tier].length

/** Array order until the tier's part of the array is through, weights from then on. */
const fromGrid = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const indices = cellsOf(draft.input.grid)[tier]
  for (let cursor = draft.cursor[tier]; cursor < indices.length; cursor++) {
    draft.cursor = { ...draft.cursor, [tier]: cursor + 1 }
    const index = indices[cursor] as number
    if (!isExhausted(draft, index) && draft.visits[index] === 0) return atCell(draft, index, "grid", tier)
  }
  const open = HashSet.size(draft.exhausted) === 0 ? indices : indices.filter((index) => !isExhausted(draft, index))
  if (open.length === 0) return undefined
  const picked = pickWeighted(
    open.map((index) => cellWeight(draft, index)),
    draws
  )
  return atCell(draft, open[picked] as number, "grid", tier)
}

/** Seldom visited, risky, and informative cells first. */
const cellWeight = (draft: Draft, index: number): number => {
  const rows = draft.rows[index] ?? 0
  const failing = rows === 0 ? 0 : (draft.failures[index] ?? 0) / rows
  return ((draft.risky[index] ? 1.5 : 1) * (1 + failing)) / (1 + (draft.visits[index] ?? 0))
}

/** A cell whose tool was not yet seen to answer in the way the cell plans. */
const towardUnseenShapes = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const unseen = cellsOf(draft.input.grid)[tier].filter((index) => {
    const { tool = unrelated, tool_condition: condition = "success" } = cellAt(draft.input.grid, index).dimensions
    if (isExhausted(draft, index) || tool === unrelated || tool === multiTool) return false
    return !HashSet.has(draft.shapes, shapeOf(tool, condition))
  })
  if (unseen.length === 0) return undefined
  return atCell(draft, draws.pick(unseen), "behavior_targeted", tier)
}

/** The shape a cell plans, in the words of a digest. */
const shapeOf = (tool: string, condition: string): string =>
  `${tool}:${condition === "timeout" || condition === "permission_denied" ? condition : "ok"}`

const isExhausted = (draft: Draft, index: number): boolean =>
  HashSet.has(draft.exhausted, cellAt(draft.input.grid, index).id)

const atCell = (draft: Draft, index: number, arm: Arm, tier: Tier): Opening => {
  const cell = cellAt(draft.input.grid, index)
  const visit = draft.visits[index] ?? 0
  draft.visits = draft.visits.with(index, visit + 1)
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

// --- probes, mutations, variants

/** An ask off the grid: only its stance (and so its tier) is decided. */
const probe = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  if (!probesPossible(draft)) return undefined
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

const fits = (aim: AimedAsk, tier: Tier): boolean => aim.task.tier === tier || aim.task.tier === null

/**
 * The ask of a failed row, changed. With a grader at least half of the mutations go to what it failed, so that planned
 * faults, which are many, don't drown them.
 */
const mutation = (draft: Draft, tier: Tier, draws: Draws): Opening | undefined => {
  const { aims } = draft
  const fitting = aims.filter((aim) => fits(aim, tier))
  if (fitting.length === 0) return undefined
  const { graded_failure: graded, world_fault: faulted } = draft.mutationsOpened
  const first = graded <= faulted ? "graded_failure" : "world_fault"
  const preferred = fitting.filter((aim) => aim.aim === first)
  const pool = preferred.length > 0 ? preferred : fitting
  const aimed = pool[
    pickWeighted(
      pool.map((aim) => aim.weight),
      draws
    )
  ] as AimedAsk
  const parent = aimed.task
  const others = aims.filter((aim) => aim.task !== parent)
  draft.mutationsOpened = { ...draft.mutationsOpened, [aimed.aim]: draft.mutationsOpened[aimed.aim] + 1 }
  const at = aims.indexOf(aimed)
  draft.aims = aimed.left > 1 ? aims.with(at, { ...aimed, left: aimed.left - 1 }) : aims.toSpliced(at, 1)
  const source: Source = {
    _tag: "Mutate",
    text: parent.prompt,
    ...(others.length > 0 ? { other: draws.pick(others).task.prompt } : {}),
    ...(aimed.reason === undefined ? {} : { reason: aimed.reason })
  }
  const cell = { id: cellIdOf(parent.dimensions), dimensions: parent.dimensions }
  return {
    slot: {
      scenarioId: Hash.id("sit", draft.input.settings.seed, "mutation", parent.id, aimed.aim, aimed.left),
      cell,
      visit: aimed.left,
      phrasing: 0,
      attempt: 0,
      source
    },
    arm: "failure_mutation",
    tier: parent.tier,
    counted: parent.tier !== null,
    parent,
    aim: aimed.aim
  }
}

/** A new ask like one of the caller's seeds: it has no tier, like a seed, and is counted apart. */
const variantOfSeed = (draft: Draft): Opening | undefined => {
  if (draft.minted >= seedTarget(draft)) return undefined
  const { seeds } = draft.input.settings
  const varied = seeds.flatMap((seed, index) => (seed.amplify ? [index] : []))
  const index = varied[draft.minted % varied.length] as number
  const seed = seeds[index] as (typeof seeds)[number]
  const visit = Math.floor(draft.minted / varied.length)
  draft.minted += 1
  const dimensions = seed.dimensions ?? {}
  return {
    slot: {
      scenarioId: Hash.id("sit", draft.input.settings.seed, "variant", index, seed.prompt, visit),
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
const variantOfTrace = (draft: Draft): Opening | undefined => {
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
    arm: "grid",
    tier: null,
    counted: false
  }
}
