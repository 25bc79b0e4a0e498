/**
 * The person on the other side, once a conversation goes past its first line.
 */
import type * as Effect from "effect/Effect"
import type { Identity } from "../model/Identity.ts"
import type { ModelFailed } from "../model/ChatModel.ts"
import type { Usage } from "../model/Usage.ts"
import type { RolloutInfo } from "../task/CurrentRollout.ts"
import type { Task } from "../task/Task.ts"

export interface Line {
  readonly role: "user" | "agent"
  readonly text: string
}

/** What the person is asked to react to. */
export interface Turn {
  readonly task: Task
  readonly info: RolloutInfo
  /** The thread as the person heard it: their own lines and the agent's; no tool traffic. */
  readonly thread: ReadonlyArray<Line>
  /** Whether the agent's last line asks something. */
  readonly question: boolean
  /** Most characters or so the person would type; a hint. */
  readonly temperature: number | null
}

/** What the person does. */
export type Reaction =
  /** They say something; `last` when they would go after the agent's next turn. */
  | { readonly _tag: "Says"; readonly text: string; readonly last: boolean; readonly usage?: Usage }
  /** They have what they came for. */
  | { readonly _tag: "Done"; readonly usage?: Usage }
  /** The agent asked for what they could not or would not know. */
  | { readonly _tag: "CannotAnswer"; readonly text: string; readonly usage?: Usage }
  /** No usable line came. */
  | { readonly _tag: "Missed"; readonly usage?: Usage }

export interface Service {
  readonly identity: Identity
  readonly react: (turn: Turn) => Effect.Effect<Reaction, ModelFailed>
}
