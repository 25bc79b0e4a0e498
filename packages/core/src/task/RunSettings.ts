/**
 * What a run does, resolved: every option has its value, nothing is left to default. Plain data; who plays which role
 * is said by services.
 */
import type * as Prices from "../model/Prices.ts"
import type { Dimensions, Tier } from "./Cell.ts"
import type { Expected } from "./Expected.ts"
import type { Fault, Plan } from "./Plan.ts"
import type { Task } from "./Task.ts"
import type { ToolSet } from "./ToolSet.ts"

export type Mode = "explore" | "sft" | "rl" | "adaptive"
export type RepeatPolicy = "none" | "fixed" | "successive" | "adaptive"

/** The order of events a driver keeps (architecture: drivers). */
export type Order =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Batch"; readonly size: number }
  | { readonly _tag: "Lookahead"; readonly window: number }

/** A caller's opening ask. */
export interface Seed {
  readonly prompt: string
  readonly id?: string
  readonly tier?: Tier
  readonly dimensions?: Dimensions
  readonly plan?: Partial<Plan> & { readonly world_state?: string; readonly faults?: ReadonlyArray<Fault> }
  readonly reference?: unknown
  /** For graders alone, as the reference is. */
  readonly expected?: Expected
}

/** Pairs of axis values that cannot occur together. */
export interface Constraint {
  readonly forbid: Dimensions
}

export interface RunSettings {
  readonly mode: Mode
  readonly seed: number
  readonly tools: ToolSet
  /** The policy; empty when none was given. */
  readonly systemPrompt: string
  /** Generation-only guidance for the model-backed agent and the scene writer. */
  readonly scaffold: string | null
  /** Identifiers that exist in the world, by argument name. */
  readonly ids: Readonly<Record<string, ReadonlyArray<string>>>

  /** N, n, k. */
  readonly situations: number | null
  readonly phrasings: number
  readonly repeats: number
  /** Whether the caller set k (adaptive then runs all of it). */
  readonly repeatsGiven: boolean
  readonly repeatPolicy: RepeatPolicy
  readonly probe: number
  readonly unique: boolean

  readonly budget: number
  readonly until: "budget" | "saturation"
  readonly concurrency: number
  readonly order: Order
  /** Seconds, or null. */
  readonly timeBudget: number | null
  readonly tokenBudget: number | null
  /** US dollars, or null. */
  readonly costBudget: number | null
  /** What tokens cost, by model; empty when nothing is priced. */
  readonly prices: Prices.Table
  /** Seconds each. */
  readonly timeouts: {
    readonly agent: number
    readonly rollout: number | null
    readonly tool: number
    readonly user: number
    readonly grader: number
    readonly grace: number
  }

  /** Every opener the caller gave, `advanced.seedPrompts` after `seeds`; `amplify` says whether it may be varied. */
  readonly seeds: ReadonlyArray<Seed & { readonly amplify: boolean }>
  readonly hardShare: number
  readonly dimensions: Readonly<Record<string, ReadonlyArray<string>>>
  readonly faultRate: number
  /** Faults for every task, instead of the cell's. */
  readonly faultPlan: ReadonlyArray<Fault> | null
  readonly strength: number
  readonly constraints: ReadonlyArray<Constraint>
  readonly fixedRows: ReadonlyArray<Dimensions>
  readonly ruleCap: number
  readonly mutateFailures: boolean
  readonly mutateGradedFailures: boolean
  readonly armWeights: Readonly<Record<string, number>>
  readonly openEndedShare: number
  readonly writerFallback: boolean
  readonly completionsPerRequest: number

  readonly conversation: {
    readonly maxTurns: number | null
    readonly avgTurns: number
    readonly minUserTurns: number
    readonly temperature: number
    readonly agentMaxTokens: number | null
    readonly logprobs: false | true | "tokens"
    readonly patience: "normal" | "short" | "endless" | ReadonlyArray<number>
    readonly userTemperature: number | null
    /** Share of threads that the agent opens. */
    readonly agentOpens: number
  }
  readonly realDelays: boolean
  /** The caller's record of sampling for agents that are not model-backed. */
  readonly sampling: Readonly<Record<string, unknown>> | null

  /** Whether rows get the conduct grade. */
  readonly conduct: boolean
  readonly gradeTruncated: boolean
  readonly locale: string

  /** Tasks of an earlier run, to be rolled again. */
  readonly tasks: ReadonlyArray<Task> | null
  readonly runs: number

  /** Option names the caller set, for notes and `report().requested`. */
  readonly given: ReadonlyArray<string>
}
