/**
 * What the search knows. A state is a value: every collection in it is persistent or copied when it changes, so a step
 * leaves the state it was given as it was.
 */
import * as Chunk from "effect/Chunk"
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import type * as Randomness from "../../random/Randomness.ts"
import type { LossReason } from "../../rollout/AgentBackend.ts"
import type { Grid } from "../../situation/Axes.ts"
import type { Coverage } from "../../situation/Coverage.ts"
import type { Leakage } from "../../situation/Leakage.ts"
import type { Ask, Slot } from "../../situation/SituationWriter.ts"
import type { FailingAsk } from "../../situation/TraceMining.ts"
import { type Aim, type Arm, type Cell, type Dimensions, hardTiers, type Tier, tierOf } from "../../task/Cell.ts"
import type { RunSettings } from "../../task/RunSettings.ts"
import type { Task } from "../../task/Task.ts"

/** Why a run stopped. */
export type StopReason =
  | "budget"
  | "time_budget"
  | "situations_exhausted"
  | "tasks_done"
  | "saturation"
  | "writer_exhausted"
  | "writer_failed"
  | "agent_failed"
  | "empty_replies"
  | "auth_failed"
  | "quota_exceeded"
  | "token_budget"
  | "cost_budget"
  | "interrupted"
  | "output_failed"

export type Command =
  | { readonly _tag: "Write"; readonly id: number; readonly slots: ReadonlyArray<Slot> }
  | { readonly _tag: "Roll"; readonly id: number; readonly task: Task; readonly order: number; readonly index: number }
  | { readonly _tag: "Stop"; readonly reason: StopReason }

/** What the search keeps of a row. */
export interface Digest {
  readonly signature: string
  /** Cut by the length cap: done, but no label. */
  readonly truncated: boolean
  /** A planned fault fired, or a tool answered with an error. */
  readonly worldFault: boolean
  /** The agent handled that badly by the conduct rules. */
  readonly handledBadly: boolean
  /** Tool-call shapes seen, `tool:status`. */
  readonly shapes: ReadonlyArray<string>
}

export type Event =
  /** How many rollouts may be begun now. */
  | { readonly _tag: "Capacity"; readonly n: number }
  | { readonly _tag: "Written"; readonly id: number; readonly asks: ReadonlyArray<Ask> }
  | { readonly _tag: "WriteFailed"; readonly id: number; readonly reason: "failed" | "auth" | "quota" | "empty" }
  /** A row landed. */
  | { readonly _tag: "Finished"; readonly id: number; readonly digest: Digest }
  | { readonly _tag: "Lost"; readonly id: number; readonly reason: LossReason }
  /** A rollout of a run that stopped was never begun. */
  | { readonly _tag: "Unbegun"; readonly id: number }
  /** The verdict on a row that finished, when there is a grader. */
  | {
      readonly _tag: "Judged"
      readonly id: number
      readonly reward: number | null
      readonly reason?: string
      /** The judge's endpoint refused for good. */
      readonly refused?: "auth" | "quota"
    }
  | { readonly _tag: "ClockExpired" }
  /** A cap on what models spend was reached. */
  | { readonly _tag: "Spent"; readonly reason: "token_budget" | "cost_budget" }
  /** Somebody stopped the run, or its rows cannot be kept any more. */
  | { readonly _tag: "Interrupted"; readonly reason?: "output_failed" }

/** Tasks of an earlier run: they are rolled again, and nothing else is opened. */
export interface Pinned {
  readonly tasks: ReadonlyArray<Task>
  /** How often each is rolled; null leaves it to the repeat policy. */
  readonly rollouts: ReadonlyMap<string, number> | null
}

/** What is on disk of a run that is gone on with. */
export interface Recalled {
  /** Tasks to open again before anything new, in their order: none where the search chooses them again by itself. */
  readonly tasks: ReadonlyArray<Task>
  /** Indices of the rollouts on disk by task, in order, of `rows` in all; none where the search asks for them by itself. */
  readonly kept: ReadonlyMap<string, ReadonlyArray<number>>
  readonly rows: number
  /** Losses of earlier calls that no event tells of. */
  readonly lostBy: Readonly<Record<string, number>>
}

export interface Input {
  readonly settings: RunSettings
  readonly grid: Grid
  readonly randomness: Randomness.Service
  /** Whether a grader gives a verdict on every row inside the run. */
  readonly judged: boolean
  /** Situations asked of the writer ahead of need: 0 for a writer that costs nothing. */
  readonly ahead: number
  /** The source asks that nothing written may be a near copy of; null without traces. */
  readonly leakage: Leakage | null
  readonly pinned?: Pinned | null
  readonly recalled?: Recalled | null
  /** Failing asks of traces, of which variants join the grid. */
  readonly traced?: ReadonlyArray<FailingAsk>
}

/** A situation's ask on its way to the writer. */
export interface Opening {
  readonly slot: Slot
  readonly arm: Arm
  readonly tier: Tier | null
  /** Whether it takes one of the slots that `hardShare` speaks of. */
  readonly counted: boolean
  readonly parent?: Task
  readonly aim?: Aim
  /** The seed's task, of which it is a further wording. */
  readonly rewords?: Task
}

/** The rollouts of one task. */
export interface Group {
  readonly task: Task
  readonly order: number
  /** Rollouts asked for so far: indices 0..target-1. */
  readonly target: number
  /** Rows of the budget kept back for it: a seed owns all its k. */
  readonly reserved: number
  /** Rollouts that landed (with their verdict) or were given up. */
  readonly settled: number
  readonly landed: number
  readonly labels: ReadonlyArray<string>
  readonly retries: number
  /** A row of it aimed the search. */
  readonly aimed: boolean
  /** Fewer rollouts than its policy gives, because the budget ended. */
  readonly cut: boolean
}

/** A failed row whose ask is worth mutating. */
export interface AimedAsk {
  readonly task: Task
  readonly aim: Aim
  readonly reason?: string
  /** Mutations it may still have. */
  readonly left: number
  readonly weight: number
}

export interface Tally {
  readonly parents: number
  readonly mutated: number
}

export interface ArmTally {
  readonly situations: number
  readonly rows: number
  /** Rows that showed a new behaviour signature, and rows that covered a new tuple. */
  readonly newSignatures: number
  readonly newCells: number
}

export interface State {
  readonly input: Input
  /** Set once; nothing is begun from then on. */
  readonly stopped: StopReason | null

  /** Rollouts that may begin now. */
  readonly credit: number
  readonly nextRoll: number
  readonly nextWrite: number
  readonly ready: ReadonlyArray<{ readonly taskId: string; readonly index: number }>
  readonly running: HashMap.HashMap<number, { readonly taskId: string; readonly index: number }>
  /** Rows that landed and wait for their verdict. */
  readonly waiting: HashMap.HashMap<number, { readonly taskId: string; readonly digest: Digest }>
  readonly groups: HashMap.HashMap<string, Group>

  readonly requested: number
  readonly landed: number
  readonly lost: number
  readonly lostBy: Readonly<Record<string, number>>
  readonly lossesInRow: number
  readonly writeFailuresInRow: number

  /** Pinned tasks opened. */
  readonly pinnedOpened: number
  readonly seedsOpened: number
  /** Situations that get further wordings, from the given one on, and how many of them were asked for. */
  readonly rewordings: ReadonlyArray<{ readonly task: Task; readonly from: number }>
  readonly reworded: number
  /** Tasks of a resumed run opened again, their situations, and mutations they were of aimed asks. */
  readonly recalledOpened: number
  readonly recalledScenarios: HashMap.HashMap<string, { readonly first: Task; readonly wordings: number }>
  readonly recalledMutations: HashMap.HashMap<string, number>
  /** Variants of seeds asked for. */
  readonly minted: number
  /** Variants of traced asks asked for. */
  readonly tracedMinted: number

  readonly writing: HashMap.HashMap<number, ReadonlyArray<Opening>>
  /** Rollouts that asks being written will need. */
  readonly promised: number
  /** Rows kept back for the groups of seeds, and for rows on disk that were not asked for again yet. */
  readonly reserved: number
  readonly situations: number
  /** Further wordings the writer could not give. */
  readonly wordingsMissing: number
  readonly tasks: number
  readonly texts: HashSet.HashSet<string>
  readonly tierDrawn: Readonly<Record<Tier, number>>
  readonly tierRows: Readonly<Record<Tier, number>>
  readonly slotsDrawn: number
  readonly cursor: Readonly<Record<Tier, number>>
  /** By index in `grid.cells`: a destructive tool under a hard stance or a fault. */
  readonly risky: ReadonlyArray<boolean>
  /** By index in `grid.cells`. */
  readonly visits: ReadonlyArray<number>
  readonly rows: ReadonlyArray<number>
  readonly failures: ReadonlyArray<number>
  readonly exhausted: HashSet.HashSet<string>
  readonly probesRefused: number
  readonly duplicatesRefused: number
  readonly leaksRefused: number
  readonly highestSimilarity: number
  readonly faultTagged: number
  readonly faultKept: number

  readonly coverage: Coverage
  readonly signatures: HashSet.HashSet<string>
  readonly shapes: HashSet.HashSet<string>
  readonly quietRows: number
  readonly arms: Readonly<Record<Arm, ArmTally>>
  readonly aims: ReadonlyArray<AimedAsk>
  readonly aimedTasks: HashSet.HashSet<string>
  readonly mutationsOpened: Readonly<Record<Aim, number>>
  readonly mutations: Readonly<Record<Aim, Tally>>

  readonly closed: {
    /** Groups with two labels at least, and those of them whose labels differ. */
    readonly labelled: number
    readonly mixed: number
    readonly stoppedUnanimous: number
    readonly complete: number
    readonly partial: number
    readonly saved: number
  }
  /** By number n of equal labels: how many groups went on to n + 1, and how many of these split there. */
  readonly splits: ReadonlyArray<{ readonly tries: number; readonly splits: number }>
  /** Tasks that gave rows, for the runs after this one; kept only when there are some. */
  readonly played: Chunk.Chunk<Pick<Group, "task" | "order" | "landed">>
  /** Closed groups with fewer rollouts than their policy gives. */
  readonly cut: ReadonlyArray<{ readonly task_id: string; readonly have: number; readonly want: number }>
  readonly grader: {
    readonly scored: number
    readonly passes: number
    readonly failures: number
    readonly partials: number
    readonly unjudged: number
  }
}

/** A state being stepped: its fields are assigned, its collections replaced. */
export type Draft = { -readonly [K in keyof State]: State[K] } & { readonly commands: Array<Command> }

/** How many seeds the budget pays for (k rows each, before anything else; at least one is kept, its group cut). */
export const seedsKept = (settings: RunSettings): number =>
  Math.min(settings.seeds.length, Math.max(1, Math.floor(settings.budget / settings.repeats)))

export const cellsOf = (grid: Grid): Readonly<Record<Tier, ReadonlyArray<number>>> => {
  const known = cellsByTier.get(grid)
  if (known !== undefined) return known
  const byTier: Record<Tier, Array<number>> = { ordinary: [], ambiguous: [], boundary: [], adversarial: [] }
  grid.cells.forEach((cell, index) => byTier[tierOf(cell.dimensions["stance"])].push(index))
  cellsByTier.set(grid, byTier)
  return byTier
}

/** Derived once per grid. */
const cellsByTier = new WeakMap<Grid, Readonly<Record<Tier, ReadonlyArray<number>>>>()

/** The hard tiers that have cells, in their order. */
export const hardTiersOf = (grid: Grid): ReadonlyArray<Tier> =>
  hardTiers.filter((tier) => cellsOf(grid)[tier].length > 0)

/** Where a cell with these dimensions stands in the grid, if it is one of its cells. */
export const indexOfCell = (grid: Grid, dimensions: Dimensions): number | undefined => {
  let known = indexByDimensions.get(grid)
  if (known === undefined) {
    known = new Map(grid.cells.map((cell, index) => [cell.dimensions, index]))
    indexByDimensions.set(grid, known)
  }
  return known.get(dimensions)
}

/** By identity: tasks of a cell, and mutations of them, carry the cell's own dimensions object. */
const indexByDimensions = new WeakMap<Grid, ReadonlyMap<Dimensions, number>>()

export const cellAt = (grid: Grid, index: number): Cell => grid.cells[index] as Cell

const isRisky = ({ tools }: RunSettings, { dimensions }: Cell): boolean =>
  tools.some((tool) => tool.name === dimensions["tool"] && tool.destructive) &&
  (tierOf(dimensions["stance"]) !== "ordinary" || (dimensions["tool_condition"] ?? "success") !== "success")

const noArm: ArmTally = { situations: 0, rows: 0, newSignatures: 0, newCells: 0 }

const lostBefore = ({ recalled }: Input): number =>
  Object.values(recalled?.lostBy ?? {}).reduce((sum, count) => sum + count, 0)

export const initial = (input: Input): State => ({
  input,
  stopped: null,
  credit: 0,
  nextRoll: 0,
  nextWrite: 0,
  ready: [],
  running: HashMap.empty(),
  waiting: HashMap.empty(),
  groups: HashMap.empty(),
  requested: lostBefore(input),
  landed: 0,
  lost: lostBefore(input),
  lostBy: input.recalled?.lostBy ?? {},
  lossesInRow: 0,
  writeFailuresInRow: 0,
  pinnedOpened: 0,
  seedsOpened: 0,
  rewordings: [],
  reworded: 0,
  recalledOpened: 0,
  recalledScenarios: HashMap.empty(),
  recalledMutations: HashMap.empty(),
  minted: 0,
  tracedMinted: 0,
  writing: HashMap.empty(),
  promised: 0,
  reserved: input.recalled?.rows ?? 0,
  situations: 0,
  wordingsMissing: 0,
  tasks: 0,
  texts: HashSet.empty(),
  tierDrawn: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 },
  tierRows: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 },
  slotsDrawn: 0,
  cursor: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 },
  risky: input.grid.cells.map((cell) => isRisky(input.settings, cell)),
  visits: input.grid.cells.map(() => 0),
  rows: input.grid.cells.map(() => 0),
  failures: input.grid.cells.map(() => 0),
  exhausted: HashSet.empty(),
  probesRefused: 0,
  duplicatesRefused: 0,
  leaksRefused: 0,
  highestSimilarity: 0,
  faultTagged: 0,
  faultKept: 0,
  coverage: input.grid.coverage,
  signatures: HashSet.empty(),
  shapes: HashSet.empty(),
  quietRows: 0,
  arms: { seed: noArm, grid: noArm, open_ended: noArm, behavior_targeted: noArm, failure_mutation: noArm },
  aims: [],
  aimedTasks: HashSet.empty(),
  mutationsOpened: { world_fault: 0, graded_failure: 0 },
  mutations: { world_fault: { parents: 0, mutated: 0 }, graded_failure: { parents: 0, mutated: 0 } },
  closed: { labelled: 0, mixed: 0, stoppedUnanimous: 0, complete: 0, partial: 0, saved: 0 },
  splits: [],
  played: Chunk.empty(),
  cut: [],
  grader: { scored: 0, passes: 0, failures: 0, partials: 0, unjudged: 0 }
})
