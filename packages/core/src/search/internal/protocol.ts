/**
 * What the search is given, told and asks for.
 */
import type { SeedPerson } from "../../situation/SeedPerson.ts"
import type * as Randomness from "../../random/Randomness.ts"
import type { LossReason } from "../../rollout/AgentBackend.ts"
import type { Grid } from "../../situation/Axes.ts"
import type { Leakage } from "../../situation/Leakage.ts"
import type { Ask, Slot } from "../../situation/SituationWriter.ts"
import type { FailingAsk } from "../../situation/TraceMining.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Task } from "../../task/Task.ts"

/**
 * Why a run stopped.
 * @since 0.1.0
 * @category models
 */
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

/**
 * What the search asks for next.
 * @since 0.1.0
 * @category models
 */
export type Command =
  | { readonly _tag: "Write"; readonly id: number; readonly slots: ReadonlyArray<Slot> }
  | { readonly _tag: "Roll"; readonly id: number; readonly task: Task; readonly order: number; readonly index: number }
  | { readonly _tag: "Stop"; readonly reason: StopReason }

/**
 * What the search keeps of a row.
 * @since 0.1.0
 * @category models
 */
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

/**
 * What the search is told.
 * @since 0.1.0
 * @category models
 */
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
      /** What tells the failure from others; left out for a pass. */
      readonly failure?: string
      /** The judge's endpoint refused for good. */
      readonly refused?: "auth" | "quota"
    }
  /** The first rollouts were all lost by one error. */
  | { readonly _tag: "AgentDead" }
  | { readonly _tag: "ClockExpired" }
  /** A cap on what models spend was reached. */
  | { readonly _tag: "Spent"; readonly reason: "token_budget" | "cost_budget" }
  /** Somebody stopped the run, or its rows cannot be kept any more. */
  | { readonly _tag: "Interrupted"; readonly reason?: "output_failed" }

/**
 * Tasks of an earlier run: they are rolled again, and nothing else is opened.
 * @since 0.1.0
 * @category models
 */
export interface Pinned {
  readonly tasks: ReadonlyArray<Task>
  /** How often each is rolled; null leaves it to the repeat policy. */
  readonly rollouts: ReadonlyMap<string, number> | null
}

/**
 * What is on disk of a run that is gone on with.
 * @since 0.1.0
 * @category models
 */
export interface Recalled {
  /** Tasks to open again before anything new, in their order: none where the search chooses them again by itself. */
  readonly tasks: ReadonlyArray<Task>
  /** Indices of the rollouts on disk by task, in order, of `rows` in all; none where the search asks for them by itself. */
  readonly kept: ReadonlyMap<string, ReadonlyArray<number>>
  readonly rows: number
  /** Losses of earlier calls that no event tells of. */
  readonly lostBy: Readonly<Record<string, number>>
}

/**
 * What a search begins with.
 * @since 0.1.0
 * @category models
 */
export interface Input {
  readonly settings: RunSettings
  readonly grid: Grid
  readonly randomness: Randomness.Service
  /** Whether a grader gives a verdict on every row inside the run. */
  readonly judged: boolean
  /** Situations asked of the writer ahead of need: 0 for a writer that costs nothing. */
  readonly ahead: number
  /** Who is behind the words of a caller's seed; left out where the world cannot be asked. */
  readonly seedPerson?: SeedPerson | null
  /** The source asks that nothing written may be a near copy of; null without traces. */
  readonly leakage: Leakage | null
  readonly pinned?: Pinned | null
  readonly recalled?: Recalled | null
  /** Failing asks of traces, of which variants join the grid. */
  readonly traced?: ReadonlyArray<FailingAsk>
}

/**
 * How many seeds the budget pays for (k rows each, before anything else; at least one is kept, its group cut).
 * @since 0.1.0
 * @category functions
 */
export const seedsKept = (settings: RunSettings): number =>
  Math.min(settings.seeds.length, Math.max(1, Math.floor(settings.budget / settings.repeats)))
