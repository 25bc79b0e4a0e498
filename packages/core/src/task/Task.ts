/**
 * A task: one ask with its executed plan. It is what a rollout runs and what a replay pins.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as FieldCodec from "../json/fieldCodec.ts"
import * as Hash from "../random/Hash.ts"
import { Aim, Arm, Dimensions, Tier } from "./Cell.ts"
import type { Expected } from "./Expected.ts"
import { Fault, Plan } from "./Plan.ts"

/** A field with its key in files and what it says there. */
const field = <A, I, Key extends string>(key: Key, schema: Schema.Schema<A, I>, description: string) =>
  Schema.propertySignature(schema).annotations({ description }).pipe(Schema.fromKey(key))

/** A field that the rows of others may lack. */
const defaulting = <A, I, Key extends string>(
  key: Key,
  schema: Schema.Schema<A, I>,
  value: NoInfer<A>,
  description: string
) =>
  Schema.optionalWith(schema, { exact: true, default: () => value })
    .annotations({ description })
    .pipe(Schema.fromKey(key))

/** A field that not every task has. */
const optional = <A, I, Key extends string>(key: Key, schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description }).pipe(Schema.fromKey(key))

/** Null in files where there are none. */
const faults = Schema.optionalToRequired(Schema.NullOr(Schema.Array(Fault)), Schema.Array(Fault), {
  decode: (given) => Option.getOrNull(given) ?? [],
  encode: (planned) => Option.some(planned.length === 0 ? null : planned)
})

/**
 * What is written of a task, with the keys it has in files: lines of `run.asks.jsonl` hold all of it, rows hold it without
 * `phrasing` and with each label of `shown` under its own key. A field that is added here is in the type, in asks and rows,
 * in the check and the JSON Schema of rows, in their page and in replays.
 * @since 0.1.0
 * @category models
 */
export const Written = Schema.Struct({
  /** `task_` + hash of the situation and the prompt. */
  id: field("task_id", Schema.String, "of the ask"),
  /** `sit_` + hash; all wordings of one situation share it. */
  scenarioId: field("scenario_id", Schema.String, "of the situation"),
  prompt: field("prompt", Schema.String, "the ask"),
  /** The cell, or what the caller gave for a seed. */
  dimensions: defaulting("scenario_dimensions", Dimensions, {}, "the cell: what was decided before the rollout"),
  tier: defaulting("tier", Schema.NullOr(Tier), null, "difficulty; null for a seed without one"),
  /** Labels whose traits the text really shows (stance, tone, texture, history, ...). */
  shown: defaulting("shown", Schema.Record({ key: Schema.String, value: Schema.String }), {}, "labels the text shows"),
  arm: defaulting("arm", Arm, "seed", "how the ask came about"),
  /** 0 is the first wording of the situation. */
  phrasing: defaulting("phrasing", Schema.Int, 0, "which wording of the situation, from 0"),
  /** Who wrote the ask: a model name, `template`, `seed`, or the writer's declared name. */
  writer: defaulting("writer_model", Schema.String, "seed", "who wrote the ask: `template`, `seed`, a name"),
  parentTaskId: optional("parent_task_id", Schema.String, "of a mutation, the task it varies"),
  aim: optional("aim", Aim, "of a mutation, what aimed at its parent"),
  /** World state the rollout meets; null when the situation has none. */
  worldState: defaulting("world_state", Schema.NullOr(Schema.String), null, "what was planned; null when nothing was"),
  /** Planned failures; empty when none. */
  faults: faults.annotations({ description: "failures of tools that were planned; null when none were" }),
  plan: field("plan", Plan, "what else a replay needs: `world_seed`, the person's need, facts and traits")
})

/**
 * One ask that is rehearsed, with its plan.
 * @since 0.1.0
 * @category models
 */
export interface Task extends Schema.Schema.Type<typeof Written> {
  /** For graders only: never written to a row, a message or an export. */
  readonly privileged: Privileged
}

const codec = FieldCodec.make(Written)

/**
 * What is written of a task.
 * @since 0.1.0
 * @category functions
 */
export const encode: (task: Task) => FieldCodec.Encoded<typeof Written.fields> = codec.encode

/**
 * The task of what was written; gold answers are told apart from it.
 * @since 0.1.0
 * @category functions
 */
export const decode = (written: typeof Written.Encoded, privileged: Privileged = {}): Task => ({
  ...codec.decode(written),
  privileged
})

/**
 * What graders know of a task and the agent must not.
 * @since 0.1.0
 * @category models
 */
export interface Privileged {
  /** The gold answer for verifiers. */
  readonly reference?: unknown
  /** What has to have come about, where it is known. */
  readonly expected?: Expected
  readonly [key: string]: unknown
}

/**
 * What only graders may see of the tasks of a run, by task id. In memory alone: no row and no file holds it.
 * @since 0.1.0
 * @category models
 */
export type GoldAnswers = ReadonlyMap<string, Privileged>

/**
 * One rollout's place in the run.
 * @since 0.1.0
 * @category models
 */
export interface RolloutKey {
  readonly taskId: string
  readonly index: number
  readonly evalRun: number
}

/**
 * The `scenarioId` of a caller's seed: by its id, else by its words. `equalBefore` is how many seeds before it in the list
 * have the same words and the same id: each stays a situation of its own.
 * @since 0.1.0
 * @category functions
 */
export const seedScenarioId = (
  { id, prompt }: { readonly id?: string | undefined; readonly prompt: string },
  equalBefore: number
): string => Hash.id("sit", "seed", id ?? prompt, equalBefore)
