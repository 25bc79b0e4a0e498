/**
 * The agent under rehearsal, in one shape whatever it is made of.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChatModel } from "../model/ChatModel.ts"
import type { RolloutInfo } from "../task/CurrentRollout.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import type { Task } from "../task/Task.ts"
import * as CallerEffects from "../task/internal/callerEffects.ts"
import type { Session } from "../world/World.ts"
import * as Agent from "./Agent.ts"
import * as Conversation from "./Conversation.ts"
import type { Recorded } from "./internal/recorded.ts"
import { Recorder } from "./internal/recorder.ts"
import type { Rollout, Service } from "./internal/trajectory.ts"

export { AgentFailed, LossReason } from "./internal/trajectory.ts"
export type { Rollout, Service, Trajectory } from "./internal/trajectory.ts"

/**
 * The agent that is rehearsed.
 * @since 0.1.0
 * @category services
 */
export class AgentBackend extends Context.Tag("@sandtable/core/AgentBackend")<AgentBackend, Service>() {}

/**
 * What tells the code of an agent that declares no identity from other code: where it was read from, and a hash of it.
 * Null where nobody knows. Whoever loads agents from files provides it, so that a run is gone on with by the same agent.
 * @since 0.1.0
 * @category services
 */
export class Code extends Context.Reference<Code>()("@sandtable/core/AgentBackend/Code", {
  defaultValue: (): string | null => null
}) {}

/**
 * A rollout ready to be played: its world is recorded. One per play.
 * @since 0.1.0
 * @category functions
 */
export const rollout = (given: {
  readonly info: RolloutInfo
  readonly task: Task
  readonly settings: RunSettings
  /** The world to play in, faults first. */
  readonly world: Session
  readonly recorded?: Recorded | undefined
}): Rollout => {
  const recorder = new Recorder(given.world, given.settings)
  return {
    info: given.info,
    task: given.task,
    settings: given.settings,
    world: recorder.session,
    recorder,
    ...(given.recorded === undefined ? {} : { recorded: given.recorded })
  }
}

/**
 * The agent of a run.
 * @since 0.1.0
 * @category layers
 */
export const layer = (service: Service): Layer.Layer<AgentBackend> => Layer.succeed(AgentBackend, service)

/**
 * An agent function, played single-turn. An Effect agent may need services of its own: they are taken when the layer is
 * built; `CurrentWorld` is the rollout's.
 * @since 0.1.0
 * @category layers
 */
export const layerFunction = <E = never, R = never>(
  fn: Agent.AgentFunction<E, R>,
  options?: Agent.AgentOptions
): Layer.Layer<AgentBackend, never, Exclude<R, Agent.CurrentWorld>> =>
  Layer.effect(
    AgentBackend,
    Effect.map(CallerEffects.capture<Exclude<R, Agent.CurrentWorld>>(), (captured) =>
      Agent.fromFunction<E>(
        (message, given) => CallerEffects.provideReturned(fn(message, given), captured),
        named(fn, options)
      )
    )
  )

/**
 * A multi-turn chat function; services as with `layerFunction`.
 * @since 0.1.0
 * @category layers
 */
export const layerChat = <E = never, R = never>(
  fn: Agent.ChatFunction<E, R>,
  options?: Agent.AgentOptions
): Layer.Layer<AgentBackend, never, Exclude<R, Agent.CurrentWorld>> =>
  Layer.effect(
    AgentBackend,
    Effect.map(CallerEffects.capture<Exclude<R, Agent.CurrentWorld>>(), (captured) =>
      Agent.chat<E>(
        (messages, given) => CallerEffects.provideReturned(fn(messages, given), captured),
        named(fn, options)
      )
    )
  )

/**
 * An agent played by the `ChatModel` in context.
 * @since 0.1.0
 * @category layers
 */
export const layerModel: Layer.Layer<AgentBackend, never, ChatModel> = Layer.effect(
  AgentBackend,
  Effect.map(ChatModel, (model) => Conversation.fromModel(model))
)

const named = (fn: { readonly name: string }, options: Agent.AgentOptions = {}): Agent.AgentOptions => ({
  name: fn.name === "" ? "agent" : fn.name,
  ...options
})
