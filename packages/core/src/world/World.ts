/**
 * The world an agent acts on: a session per rollout that answers tool calls.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type { AnsweredBy, CallStatus, WorldWrite } from "../row/Row.ts"
import type { FaultMode } from "../task/Plan.ts"
import type { RolloutKey, Task } from "../task/Task.ts"

/** A call with arguments that were already read as an object. */
export interface Call {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Answer {
  /** What the agent sees: JSON. */
  readonly result: unknown
  readonly status: CallStatus
  readonly answeredBy: AnsweredBy
  readonly fault?: FaultMode
  /** Logical milliseconds the call took. */
  readonly elapsedMs: number
}

export interface Session {
  /** Answers a call; never fails: what goes wrong is an answer. */
  readonly call: (call: Call) => Effect.Effect<Answer>
  /** Writes the world accepted, in order. */
  readonly writes: Effect.Effect<ReadonlyArray<WorldWrite>>
  /** The world as it stands, as JSON. */
  readonly state: Effect.Effect<unknown>
}

export class WorldFailed extends Schema.TaggedError<WorldFailed>()("WorldFailed", {
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `The world could not be opened: ${this.detail}`
  }
}

export interface Service {
  readonly name: string
  readonly open: (task: Task, key: RolloutKey) => Effect.Effect<Session, WorldFailed, Scope>
}
