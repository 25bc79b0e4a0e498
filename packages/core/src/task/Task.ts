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

const key = <A, I, Key extends string>(name: Key, schema: Schema.Schema<A, I>) =>
  Schema.fromKey(Schema.propertySignature(schema), name)
const defaulting = <A, I>(schema: Schema.Schema<A, I>, value: NoInfer<A>) =>
  Schema.optionalWith(schema, { exact: true, default: () => value })

/** Null where there are none. */
const faults = Schema.optionalToRequired(Schema.NullOr(Schema.Array(Fault)), Schema.Array(Fault), {
  decode: (given) => Option.getOrNull(given) ?? [],
  encode: (planned) => Option.some(planned.length === 0 ? null : planned)
})

/**
 * What is written of a task, with the keys it has in files: lines of `run.asks.jsonl` hold all of it, rows hold it without
 * `phrasing` and with each label of `shown` under its own key. Defaults are for rows of others, which say less.
 */
export const Written = Schema.Struct({
  /** `task_` + hash of the situation and the prompt. */
  id: key("task_id", Schema.String),
  /** `sit_` + hash; all wordings of one situation share it. */
  scenarioId: key("scenario_id", Schema.String),
  prompt: Schema.propertySignature(Schema.String),
  /** The cell, or what the caller gave for a seed. */
  dimensions: Schema.fromKey(defaulting(Dimensions, {}), "scenario_dimensions"),
  tier: defaulting(Schema.NullOr(Tier), null),
  /** Labels whose traits the text really shows (stance, tone, texture, history, ...). */
  shown: defaulting(Schema.Record({ key: Schema.String, value: Schema.String }), {}),
  arm: defaulting(Arm, "seed"),
  /** 0 is the first wording of the situation. */
  phrasing: defaulting(Schema.Int, 0),
  /** Who wrote the ask: a model name, `template`, `seed`, or the writer's declared name. */
  writer: Schema.fromKey(defaulting(Schema.String, "seed"), "writer_model"),
  parentTaskId: Schema.fromKey(Schema.optionalWith(Schema.String, { exact: true }), "parent_task_id"),
  aim: Schema.optionalWith(Aim, { exact: true }),
  /** World state the rollout meets; null when the situation has none. */
  worldState: Schema.fromKey(defaulting(Schema.NullOr(Schema.String), null), "world_state"),
  /** Planned failures; empty when none. */
  faults,
  plan: Schema.propertySignature(Plan)
})

export interface Task extends Schema.Schema.Type<typeof Written> {
  /** For graders only: never written to a row, a message or an export. */
  readonly privileged: Privileged
}

const codec = FieldCodec.make(Written)

/** What is written of a task. */
export const encode: (task: Task) => FieldCodec.Encoded<typeof Written.fields> = codec.encode

/** The task of what was written; gold answers are told apart from it. */
export const decode = (written: typeof Written.Encoded, privileged: Privileged = {}): Task => ({
  ...codec.decode(written),
  privileged
})

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
