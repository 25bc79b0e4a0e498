/**
 * What the input settles for the whole search: read at every step, worked out once.
 */
import {
  type Arm,
  type Cell,
  type Dimensions,
  hardTiers,
  multiTool,
  type Tier,
  tierOf,
  unrelated
} from "../../task/Cell.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Input } from "./protocol.ts"
import { firstRollouts } from "./repeats.ts"

export interface Fixed {
  /** Rollouts a fresh group begins with. */
  readonly firstRollouts: number
  /** Indices of the grid's cells by the tier of their stance. */
  readonly cells: Readonly<Record<Tier, ReadonlyArray<number>>>
  /** How many of them, the first ones, cover whatever the array covers, by tier. */
  readonly coveringCells: Readonly<Record<Tier, number>>
  /** The hard tiers that have cells, in their order. */
  readonly hardTiers: ReadonlyArray<Tier>
  /** By index in `grid.cells`: a destructive tool under a hard stance or a fault. */
  readonly risky: ReadonlyArray<boolean>
  /** By index in `grid.cells`: the tool-call shape a cell plans, in the words of a digest. */
  readonly shapes: ReadonlyArray<string | null>
  /** Where a cell stands in the grid. By identity: tasks of it, and mutations of them, carry its own dimensions. */
  readonly places: ReadonlyMap<Dimensions, number>
  /** Cells by their ids. */
  readonly indices: ReadonlyMap<string, number>
  /** Share of slots an arm has before it earned anything. */
  readonly weights: Readonly<Record<Arm, number>>
  /** Whether asks off the grid may be tried at all. */
  readonly probes: boolean
  /** Indices of the seeds that may be varied, and how many variants the run aims for. */
  readonly varied: ReadonlyArray<number>
  readonly variants: number
}

/** Seeds, and asks of traces that went wrong, are varied up to this many times each. */
export const variantsPerSeed = 3

export const of = ({ grid, judged, settings }: Input): Fixed => {
  const cells: Record<Tier, Array<number>> = { ordinary: [], ambiguous: [], boundary: [], adversarial: [] }
  grid.cells.forEach(({ dimensions }, index) => cells[tierOf(dimensions["stance"])].push(index))
  const arrayOf = (tier: Tier): number => cells[tier].filter((index) => index < grid.coveredAt).length
  const varied = settings.seeds.flatMap(({ amplify }, index) => (amplify ? [index] : []))
  return {
    firstRollouts: firstRollouts(settings),
    cells,
    coveringCells: {
      ordinary: arrayOf("ordinary"),
      ambiguous: arrayOf("ambiguous"),
      boundary: arrayOf("boundary"),
      adversarial: arrayOf("adversarial")
    },
    hardTiers: hardTiers.filter((tier) => cells[tier].length > 0),
    risky: grid.cells.map((cell) => isRisky(settings, cell)),
    shapes: grid.cells.map(plannedShape),
    places: new Map(grid.cells.map(({ dimensions }, index) => [dimensions, index])),
    indices: new Map(grid.cells.map(({ id }, index) => [id, index])),
    weights: weightsOf(settings, judged),
    // A probe decides its stance alone: with another axis pinned it could leave what the caller pinned.
    probes: settings.openEndedShare > 0 && Object.keys(settings.dimensions).every((axis) => axis === "stance"),
    varied,
    variants: variantsOf(settings, varied.length)
  }
}

const isRisky = ({ tools }: RunSettings, { dimensions }: Cell): boolean =>
  tools.get(dimensions["tool"] ?? "")?.destructive === true &&
  (tierOf(dimensions["stance"]) !== "ordinary" || (dimensions["tool_condition"] ?? "success") !== "success")

const plannedShape = ({ dimensions }: Cell): string | null => {
  const { tool = unrelated, tool_condition: condition = "success" } = dimensions
  if (tool === unrelated || tool === multiTool) return null
  return `${tool}:${condition === "timeout" || condition === "permission_denied" ? condition : "ok"}`
}

/** `open_ended` follows its option. */
const baseWeights: Readonly<Record<Exclude<Arm, "open_ended">, number>> = {
  seed: 0,
  trace_variant: 0,
  fork: 0,
  grid: 0.45,
  behavior_targeted: 0.1,
  failure_mutation: 0.35
}

/** With verdicts to tell new ways to fail from known ones, mutation begins small and earns its share. */
const mutationWhenJudged = 0.2

const weightsOf = ({ armWeights, openEndedShare }: RunSettings, judged: boolean): Readonly<Record<Arm, number>> => {
  const weights: Record<Arm, number> = { ...baseWeights, open_ended: openEndedShare }
  if (judged) weights.failure_mutation = mutationWhenJudged
  for (const arm of Object.keys(weights) as Array<Arm>) {
    if (Object.hasOwn(armWeights, arm)) weights[arm] = armWeights[arm] ?? weights[arm]
  }
  return weights
}

/** While seeds are varied they take at most half of the room. */
const variantsOf = ({ budget, phrasings, repeats, seeds, situations }: RunSettings, varied: number): number => {
  if (varied === 0) return 0
  const total = situations ?? Math.floor(budget / (phrasings * repeats))
  return Math.max(0, Math.min(Math.floor((total - seeds.length) / 2), varied * variantsPerSeed))
}
