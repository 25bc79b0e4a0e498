/**
 * What a rollout of a task meets, decided once and stored with the task: world state, faults and the person.
 * Rows carry these objects as they are, so their keys are the rows' keys.
 */
import * as Schema from "effect/Schema"

export const FaultMode = Schema.Literal(
  "timeout",
  "malformed",
  "stale",
  "permission_denied",
  "rate_limited",
  "partial",
  "server_error"
)
export type FaultMode = typeof FaultMode.Type

/**
 * One planned failure of one tool (`*` is every tool): the `nth` calls of that tool (from 1), the first `count` calls,
 * or `always`. Exactly one of the three is given.
 */
export const Fault = Schema.Struct({
  tool: Schema.String,
  mode: FaultMode,
  nth: Schema.optionalWith(Schema.Array(Schema.Int.pipe(Schema.positive())), { exact: true }),
  count: Schema.optionalWith(Schema.Int.pipe(Schema.positive()), { exact: true }),
  always: Schema.optionalWith(Schema.Literal(true), { exact: true })
}).annotations({ identifier: "Fault" })
export type Fault = typeof Fault.Type

/** The record the situation is about: the argument that names it and the id the person gives (or would give). */
export const Entity = Schema.Struct({
  tool: Schema.String,
  argument: Schema.String,
  id: Schema.String
}).annotations({ identifier: "Entity" })
export type Entity = typeof Entity.Type

/** A record of the world: what it is, as a snake_case noun, and its identifier. */
export const Owner = Schema.Struct({ noun: Schema.String, id: Schema.String }).annotations({ identifier: "Owner" })
export type Owner = typeof Owner.Type

export const Plan = Schema.Struct({
  /** Seed of the world: all rollouts of a situation meet the same one. */
  world_seed: Schema.Int,
  /** What the person wants, in one sentence, when known. */
  need: Schema.NullOr(Schema.String),
  /** What the person knows and may tell, by argument name. */
  facts: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** Traits of the person that later lines keep. */
  traits: Schema.Record({ key: Schema.String, value: Schema.String }),
  entity: Schema.NullOr(Entity),
  /** The person's own record, where the facts were read from the world the rollout meets. */
  person: Schema.optionalWith(Owner, { exact: true }),
  /** What the person would be asked for and does not know, by name. */
  unknown: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
}).annotations({ identifier: "Plan" })
export type Plan = typeof Plan.Type
