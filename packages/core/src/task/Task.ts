/**
 * A task: one ask with its executed plan. It is what a rollout runs and what a replay pins.
 */
import * as Hash from "../random/Hash.ts"
import type { Aim, Arm, Dimensions, Tier } from "./Cell.ts"
import type { Expected } from "./Expected.ts"
import type { Fault, Plan } from "./Plan.ts"

export interface Task {
  /** `task_` + hash of the situation and the prompt. */
  readonly id: string
  /** `sit_` + hash; all wordings of one situation share it. */
  readonly scenarioId: string
  readonly prompt: string
  /** The cell, or what the caller gave for a seed. */
  readonly dimensions: Dimensions
  readonly tier: Tier | null
  /** Labels whose traits the text really shows (stance, tone, texture, history, ...). */
  readonly shown: Readonly<Record<string, string>>
  readonly arm: Arm
  /** 0 is the first wording of the situation. */
  readonly phrasing: number
  /** Who wrote the ask: a model name, `template`, `seed`, or the writer's declared name. */
  readonly writer: string
  readonly parentTaskId?: string
  readonly aim?: Aim
  /** World state the rollout meets; null when the situation has none. */
  readonly worldState: string | null
  /** Planned failures; empty when none. */
  readonly faults: ReadonlyArray<Fault>
  readonly plan: Plan
  /** For graders only: never written to a row, a message or an export. */
  readonly privileged: Privileged
}

export interface Privileged {
  /** The gold answer for verifiers. */
  readonly reference?: unknown
  /** What has to have come about, where it is known. */
  readonly expected?: Expected
  readonly [key: string]: unknown
}

/** What only graders may see of the tasks of a run, by task id. In memory alone: no row and no file holds it. */
export type GoldAnswers = ReadonlyMap<string, Privileged>

/** One rollout's place in the run. */
export interface RolloutKey {
  readonly taskId: string
  readonly index: number
  readonly evalRun: number
}

/**
 * The `scenarioId` of a caller's seed: by its id, else by its words. `equalBefore` is how many seeds before it in the list
 * have the same words and the same id: each stays a situation of its own.
 */
export const seedScenarioId = (
  { id, prompt }: { readonly id?: string | undefined; readonly prompt: string },
  equalBefore: number
): string => Hash.id("sit", "seed", id ?? prompt, equalBefore)
