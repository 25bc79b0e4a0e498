/**
 * What every agent is given, gives back, and fails with: the models that `AgentBackend.ts` exports.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Sampling, Service as ChatModel } from "../../model/ChatModel.ts"
import type { Identity } from "../../model/Identity.ts"
import type { Usage } from "../../model/Usage.ts"
import type { EndedBy, FinishReason, Step } from "../../row/Row.ts"
import type { RolloutInfo } from "../../task/CurrentRollout.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Task } from "../../task/Task.ts"
import type { Session } from "../../world/World.ts"
import type { Recorded } from "./recorded.ts"
import type { Recorder } from "./recorder.ts"

/**
 * What an agent is given for one rollout. The plan in `task` is for the harness: agents are shown only `info`.
 * @since 0.1.0
 * @category models
 */
export interface Rollout {
  readonly info: RolloutInfo
  readonly task: Task
  readonly settings: RunSettings
  /** The world, faults first; every call through it is recorded. */
  readonly world: Session
  /** What happened so far: the calls made through `world` and the lines a conversation added. */
  readonly recorder: Recorder
  /** How it begins, where a rollout is played again from a step on. */
  readonly recorded?: Recorded
}

/**
 * What happened in a rollout.
 * @since 0.1.0
 * @category models
 */
export interface Trajectory {
  /** From the first user line on. */
  readonly steps: ReadonlyArray<Step>
  readonly finalText: string
  /** The agent's opening line, when it opened. */
  readonly opener?: string
  readonly finishReason?: FinishReason
  readonly endedBy?: EndedBy
  /** By role: `agent`, `user`. */
  readonly usage?: Readonly<Record<string, Usage>>
  readonly sampling?: Sampling | null
  /** Who spoke for the person; null when nobody could. */
  readonly userModel?: string | null
  readonly malformedToolCalls?: number
  readonly followupMisses?: number
  /** Whether the last agent line was a question nobody answered. */
  readonly endedOnQuestion?: boolean
  /** Lines of the person, the opening included. */
  readonly userTurns?: number
  readonly logprob?: number
  readonly tokens?: number
  /** What a demo agent did wrong on purpose. */
  readonly seeded?: ReadonlyArray<string>
}

/**
 * Why a rollout gave no usable row.
 * @since 0.1.0
 * @category models
 */
export const LossReason = Schema.Literal(
  "agent_error",
  "timeout",
  "empty_reply",
  "tool_markup",
  "context_overflow",
  "content_filter",
  "interrupted",
  "world_error",
  "auth",
  "quota"
)
export type LossReason = typeof LossReason.Type

/**
 * The agent gave no usable trajectory; `steps` is what happened until then.
 * @since 0.1.0
 * @category errors
 */
export class AgentFailed extends Schema.TaggedError<AgentFailed>()("AgentFailed", {
  agent: Schema.String,
  /** Whose failure it was; the agent's unless said. A person's model can be refused for good too. */
  role: Schema.optionalWith(Schema.Literal("agent", "user"), { default: () => "agent" }),
  reason: LossReason,
  detail: Schema.String,
  steps: Schema.Array(Schema.Unknown),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    const who = this.role === "agent" ? `The agent ${this.agent}` : `The simulated user ${this.agent}`
    return `${who} gave no row (${this.reason}): ${this.detail}`
  }
}

/**
 * An agent that can be rehearsed.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly identity: Identity
  /** What the agent is made of: decides which dials apply. */
  readonly kind: "function" | "chat" | "model" | "http" | "command"
  /** A single-turn agent is given one message; a multi-turn one talks with a person. */
  readonly turns: "single" | "multi"
  /** The model that plays it, when one does: it can write the situations and play the person too. */
  readonly model?: ChatModel
  /**
   * Plays one rollout. Ended by its timeout, an error or an empty reply it fails with `AgentFailed` and the steps so far;
   * interrupted from outside it stops at once, and `rollout.recorder.steps()` still has them.
   */
  readonly play: (rollout: Rollout) => Effect.Effect<Trajectory, AgentFailed>
}
