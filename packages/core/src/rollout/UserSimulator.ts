/**
 * The person on the other side, once a conversation goes past its first line.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChatModel, type ModelFailed } from "../model/ChatModel.ts"
import type * as Model from "../model/ChatModel.ts"
import type { Identity } from "../model/Identity.ts"
import type { Usage } from "../model/Usage.ts"
import type { RolloutInfo } from "../task/CurrentRollout.ts"
import type { Task } from "../task/Task.ts"
import * as ModelUser from "./internal/modelUser.ts"
import * as TemplateUser from "./internal/templateUser.ts"

/**
 * A line of the thread as the person sees it.
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly role: "user" | "agent"
  readonly text: string
}

/**
 * What the person is asked to react to.
 * @since 0.1.0
 * @category models
 */
export interface Turn {
  readonly task: Task
  readonly info: RolloutInfo
  /** The thread as the person heard it: their own lines and the agent's; no tool traffic. */
  readonly thread: ReadonlyArray<Line>
  /** Whether the agent's last line asks something. */
  readonly question: boolean
  /** Whether the thread is still short of the length it aims at: the person may bring up something more. */
  readonly more: boolean
  /** How the person's model samples; null leaves it to the model. */
  readonly temperature: number | null
  /** Lines that may not be said, such as those of source traces; left out when all may. */
  readonly refuses?: (text: string) => boolean
}

/**
 * What the person does.
 * @since 0.1.0
 * @category models
 */
export type Reaction =
  /** They say something; `last` when they would go after the agent's next turn. */
  | { readonly _tag: "Says"; readonly text: string; readonly last: boolean; readonly usage?: Usage }
  /** They have what they came for. */
  | { readonly _tag: "Done"; readonly usage?: Usage }
  /** The agent asked for what they could not or would not know. */
  | { readonly _tag: "CannotAnswer"; readonly text: string; readonly usage?: Usage }
  /** No usable line came, also not at the second try. `repeated`: because nothing new was left to say. */
  | { readonly _tag: "Missed"; readonly repeated: boolean; readonly usage?: Usage }

/**
 * Plays the person: reacts to what the agent said.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly identity: Identity
  readonly react: (turn: Turn) => Effect.Effect<Reaction, ModelFailed>
  /** The same reaction to the same turn, at no cost: what is on record can be decided again. */
  readonly deterministic?: boolean
}

const template: Service = { identity: { name: "template" }, react: TemplateUser.react, deterministic: true }

/**
 * The template user unless another one is provided.
 * @since 0.1.0
 * @category services
 */
export class UserSimulator extends Context.Reference<UserSimulator>()("@sandtable/core/UserSimulator", {
  defaultValue: (): Service => template
}) {}

/**
 * A person played by a model.
 * @since 0.1.0
 * @category constructors
 */
export const fromModel = (model: Model.Service): Service => ({
  identity: model.identity,
  react: (turn) => ModelUser.react(model, turn)
})

/**
 * The person of every thread.
 * @since 0.1.0
 * @category layers
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(UserSimulator, service)

/**
 * Offline and deterministic: answers from the task's facts, says so when asked for anything else.
 * @since 0.1.0
 * @category layers
 */
export const layerTemplate: Layer.Layer<never> = layer(template)

/**
 * Played by the `ChatModel` in context.
 * @since 0.1.0
 * @category layers
 */
export const layerModel: Layer.Layer<never, never, ChatModel> = Layer.effect(
  UserSimulator,
  Effect.map(ChatModel, fromModel)
)

/**
 * The given reactions in turn, by rollout (a text is said); when they run out the person is done. For tests.
 * @since 0.1.0
 * @category layers
 */
export const layerScripted = (...script: ReadonlyArray<string | Reaction>): Layer.Layer<never> =>
  layer(scripted(script))

/**
 * A person who says these lines one after the other, and then is done.
 * @since 0.1.0
 * @category constructors
 */
export const scripted = (script: ReadonlyArray<string | Reaction>): Service => ({
  identity: { name: "scripted" },
  react: (turn) => {
    const spoken = turn.thread.reduce((lines, line) => (line.role === "user" ? lines + 1 : lines), 0)
    const next = script[spoken - 1]
    if (next === undefined) return Effect.succeed({ _tag: "Done" })
    return Effect.succeed(typeof next === "string" ? { _tag: "Says", text: next, last: false } : next)
  }
})
