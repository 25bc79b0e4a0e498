/**
 * What the search knows. To whoever looks at it a state is a value; whoever holds one alone steps it in place, since to
 * keep every state valid would cost more than what a step decides.
 */
import type { Coverage } from "../../situation/Coverage.ts"
import type { Slot } from "../../situation/SituationWriter.ts"
import type { Aim, Arm, Tier } from "../../task/Cell.ts"
import type { Task } from "../../task/Task.ts"
import * as Fixed from "./fixed.ts"
import type { Command, Digest, Input, StopReason } from "./protocol.ts"

/** A situation's ask on its way to the writer. */
export interface Opening {
  readonly slot: Slot
  readonly arm: Arm
  readonly tier: Tier | null
  /** Whether it takes one of the slots that `hardShare` speaks of. */
  readonly counted: boolean
  /** The failed task it changes. */
  readonly mutates?: { readonly parent: Task; readonly aim: Aim }
  /** The seed's task, of which it is a further wording. */
  readonly rewords?: Task
}

/** The rollouts of one task. */
export interface Group {
  readonly task: Task
  readonly order: number
  /** Rollouts asked for so far: indices 0..target-1. */
  target: number
  /** Rows of the budget kept back for it: a seed owns all its k. */
  reserved: number
  /** Rollouts that landed (with their verdict) or were given up. */
  settled: number
  landed: number
  readonly labels: Array<string>
  retries: number
  /** A row of it aimed the search. */
  readonly aimed: Record<Aim, boolean>
  /** Fewer rollouts than its policy gives, because the budget ended. */
  cut: boolean
}

/** One of the rollouts of a group. */
export interface Place {
  readonly group: Group
  readonly index: number
}

/** A failed row whose ask is worth mutating. */
export interface AimedAsk {
  readonly task: Task
  /** The task's: at hand, since every aimed ask is asked for it at every mutation. */
  readonly tier: Tier | null
  readonly aim: Aim
  readonly reason?: string
  /** What tells its failure from others. */
  readonly failure?: string
  /** Mutations it may still have. */
  left: number
  readonly weight: number
}

export interface Tally {
  parents: number
  mutated: number
}

export interface ArmTally {
  situations: number
  rows: number
  /** Rows that showed a new behaviour signature, and rows that covered a new tuple. */
  newSignatures: number
  newCells: number
  /** Failed rows that showed a new way to fail. */
  newFailures: number
}

/**
 * Everything a search knows between two events. It is a value: `step` gives another.
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly input: Input
  readonly fixed: Fixed.Fixed
  /** Set once; nothing is begun from then on. */
  readonly stopped: StopReason | null

  /** Rollouts that may begin now. */
  readonly credit: number
  readonly nextRoll: number
  readonly nextWrite: number
  readonly ready: ReadonlyArray<Place>
  readonly running: ReadonlyMap<number, Place>
  /** Rows that landed and wait for their verdict. */
  readonly waiting: ReadonlyMap<number, { readonly group: Group; readonly digest: Digest }>
  readonly groups: ReadonlySet<Group>

  readonly requested: number
  readonly landed: number
  readonly lost: number
  readonly lostBy: Record<string, number>
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
  readonly recalledScenarios: ReadonlyMap<string, { readonly first: Task; readonly wordings: number }>
  readonly recalledMutations: ReadonlyMap<string, number>
  /** Variants of seeds asked for. */
  readonly minted: number
  /** Variants of traced asks asked for. */
  readonly tracedMinted: number

  readonly writing: ReadonlyMap<number, ReadonlyArray<Opening>>
  /** Rollouts that asks being written will need. */
  readonly promised: number
  /** Rows kept back for the groups of seeds, and for rows on disk that were not asked for again yet. */
  readonly reserved: number
  readonly situations: number
  /** Further wordings the writer could not give. */
  readonly wordingsMissing: number
  readonly tasks: number
  readonly texts: ReadonlySet<string>
  readonly tierDrawn: Record<Tier, number>
  readonly tierRows: Record<Tier, number>
  readonly slotsDrawn: number
  readonly cursor: Record<Tier, number>
  /** By index in `grid.cells`. */
  readonly visits: ReadonlyArray<number>
  readonly rows: ReadonlyArray<number>
  readonly failures: ReadonlyArray<number>
  /** Cells the writer has nothing new for, by their ids. */
  readonly exhausted: ReadonlySet<string>
  readonly probesRefused: number
  readonly duplicatesRefused: number
  readonly leaksRefused: number
  readonly highestSimilarity: number
  readonly faultTagged: number
  readonly faultKept: number

  readonly coverage: Coverage
  readonly signatures: ReadonlySet<string>
  readonly shapes: ReadonlySet<string>
  /** Ways to fail that verdicts told of. */
  readonly failureKinds: ReadonlySet<string>
  readonly quietRows: number
  readonly arms: Readonly<Record<Arm, ArmTally>>
  readonly aims: ReadonlyArray<AimedAsk>
  readonly mutationsOpened: Record<Aim, number>
  /** The same by way to fail. */
  readonly mutatedKinds: ReadonlyMap<string, number>
  /** Cells that were opened because one beside them failed, by their ids. */
  readonly neighbours: ReadonlySet<string>
  readonly mutations: Readonly<Record<Aim, Tally>>

  readonly closed: {
    /** Groups with two labels at least, and those of them whose labels differ. */
    labelled: number
    mixed: number
    stoppedUnanimous: number
    complete: number
    partial: number
    saved: number
  }
  /** By number n of equal labels: how many groups went on to n + 1, and how many of these split there. */
  readonly splits: ReadonlyArray<{ tries: number; splits: number }>
  /** Tasks that gave rows, for the runs after this one; kept only when there are some. */
  readonly played: ReadonlyArray<Pick<Group, "task" | "order" | "landed">>
  /** Closed groups with fewer rollouts than their policy gives. */
  readonly cut: ReadonlyArray<{ readonly task_id: string; readonly have: number; readonly want: number }>
  readonly grader: {
    scored: number
    passes: number
    failures: number
    partials: number
    unjudged: number
  }
}

/** A state being stepped, and what the step asks for. */
export type Draft = { -readonly [K in keyof State]: Opened<State[K]> } & { commands: Array<Command> }

type Opened<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? Map<K, V>
    : T extends ReadonlySet<infer A>
      ? Set<A>
      : T extends ReadonlyArray<infer A>
        ? Array<A>
        : T

const noArm = (): ArmTally => ({
  situations: 0,
  rows: 0,
  newSignatures: 0,
  newCells: 0,
  newFailures: 0
})

const lostBefore = ({ recalled }: Input): number =>
  Object.values(recalled?.lostBy ?? {}).reduce((sum, count) => sum + count, 0)

export const initial = (input: Input): Draft => ({
  commands: [],
  input,
  fixed: Fixed.of(input),
  stopped: null,
  credit: 0,
  nextRoll: 0,
  nextWrite: 0,
  ready: [],
  running: new Map(),
  waiting: new Map(),
  groups: new Set(),
  requested: lostBefore(input),
  landed: 0,
  lost: lostBefore(input),
  lostBy: { ...input.recalled?.lostBy },
  lossesInRow: 0,
  writeFailuresInRow: 0,
  pinnedOpened: 0,
  seedsOpened: 0,
  rewordings: [],
  reworded: 0,
  recalledOpened: 0,
  recalledScenarios: new Map(),
  recalledMutations: new Map(),
  minted: 0,
  tracedMinted: 0,
  writing: new Map(),
  promised: 0,
  reserved: input.recalled?.rows ?? 0,
  situations: 0,
  wordingsMissing: 0,
  tasks: 0,
  texts: new Set(),
  tierDrawn: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 },
  tierRows: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 },
  slotsDrawn: 0,
  cursor: { ordinary: 0, ambiguous: 0, boundary: 0, adversarial: 0 },
  visits: input.grid.cells.map(() => 0),
  rows: input.grid.cells.map(() => 0),
  failures: input.grid.cells.map(() => 0),
  exhausted: new Set(),
  probesRefused: 0,
  duplicatesRefused: 0,
  leaksRefused: 0,
  highestSimilarity: 0,
  faultTagged: 0,
  faultKept: 0,
  coverage: input.grid.coverage,
  signatures: new Set(),
  shapes: new Set(),
  failureKinds: new Set(),
  quietRows: 0,
  arms: {
    seed: noArm(),
    grid: noArm(),
    open_ended: noArm(),
    behavior_targeted: noArm(),
    failure_mutation: noArm(),
    trace_variant: noArm(),
    fork: noArm()
  },
  aims: [],
  mutationsOpened: { world_fault: 0, graded_failure: 0 },
  mutatedKinds: new Map(),
  neighbours: new Set(),
  mutations: { world_fault: { parents: 0, mutated: 0 }, graded_failure: { parents: 0, mutated: 0 } },
  closed: { labelled: 0, mixed: 0, stoppedUnanimous: 0, complete: 0, partial: 0, saved: 0 },
  splits: [],
  played: [],
  cut: [],
  grader: { scored: 0, passes: 0, failures: 0, partials: 0, unjudged: 0 }
})

const copyOf = (group: Group): Group => ({ ...group, labels: [...group.labels], aimed: { ...group.aimed } })

/** A state of its own, equal to another: stepping either leaves the other as it is. */
export const copy = (state: State): Draft => {
  const groups = new Map(Array.from(state.groups, (group) => [group, copyOf(group)]))
  const own = <A extends { readonly group: Group }>(one: A): A => ({
    ...one,
    group: groups.get(one.group) ?? one.group
  })
  const { arms, mutations } = state
  return {
    ...state,
    commands: [],
    ready: state.ready.map(own),
    running: new Map(Array.from(state.running, ([id, place]) => [id, own(place)])),
    waiting: new Map(Array.from(state.waiting, ([id, row]) => [id, own(row)])),
    groups: new Set(groups.values()),
    lostBy: { ...state.lostBy },
    rewordings: [...state.rewordings],
    recalledScenarios: new Map(state.recalledScenarios),
    recalledMutations: new Map(state.recalledMutations),
    writing: new Map(state.writing),
    texts: new Set(state.texts),
    tierDrawn: { ...state.tierDrawn },
    tierRows: { ...state.tierRows },
    cursor: { ...state.cursor },
    visits: [...state.visits],
    rows: [...state.rows],
    failures: [...state.failures],
    exhausted: new Set(state.exhausted),
    signatures: new Set(state.signatures),
    shapes: new Set(state.shapes),
    failureKinds: new Set(state.failureKinds),
    arms: {
      seed: { ...arms.seed },
      grid: { ...arms.grid },
      open_ended: { ...arms.open_ended },
      behavior_targeted: { ...arms.behavior_targeted },
      failure_mutation: { ...arms.failure_mutation },
      trace_variant: { ...arms.trace_variant },
      fork: { ...arms.fork }
    },
    aims: state.aims.map((aimed) => ({ ...aimed })),
    mutationsOpened: { ...state.mutationsOpened },
    mutatedKinds: new Map(state.mutatedKinds),
    neighbours: new Set(state.neighbours),
    mutations: { world_fault: { ...mutations.world_fault }, graded_failure: { ...mutations.graded_failure } },
    closed: { ...state.closed },
    splits: state.splits.map((split) => ({ ...split })),
    played: [...state.played],
    cut: [...state.cut],
    grader: { ...state.grader }
  }
}
