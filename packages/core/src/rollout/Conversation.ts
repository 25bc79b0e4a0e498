/**
 * The conversation of a multi-turn agent with the simulated person: one player, whatever the agent's turns come from.
 */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type * as Model from "../model/ChatModel.ts"
import { ModelFailed } from "../model/ChatModel.ts"
import * as Deadline from "../time/Deadline.ts"
import type { Identity } from "../model/Identity.ts"
import type { Message, ToolCall } from "../model/Message.ts"
import * as ModelCall from "../model/ModelCall.ts"
import type { Usage } from "../model/Usage.ts"
import * as Losses from "./internal/losses.ts"
import { shown } from "./internal/agentContext.ts"
import { Player } from "./internal/player.ts"
import { AgentFailed } from "./internal/trajectory.ts"
import type { Rollout, Service } from "./internal/trajectory.ts"

/**
 * What a turn is made from.
 * @since 0.1.0
 * @category models
 */
export interface TurnRequest {
  /** The thread so far, a system message first for models; frozen. Empty when the agent is to open a chat. */
  readonly messages: ReadonlyArray<Message>
  /** Which of the agent's turns, from 0; a turn ends with every reply, also one of tool calls alone. */
  readonly turn: number
}

/**
 * One reply of an agent: words, tool calls, or both.
 * @since 0.1.0
 * @category models
 */
export interface TurnReply {
  readonly text: string
  /** Kept apart from what is said. */
  readonly reasoning?: string
  /** Their presence decides, not the finish reason. Arguments are raw and may be anything. */
  readonly toolCalls?: ReadonlyArray<ToolCall>
  readonly finishReason?: Model.FinishReason
  readonly usage?: Usage
  readonly sampling?: Model.Sampling
  readonly logprobs?: Model.Completion["logprobs"]
  readonly providerState?: unknown
  /** The agent ends the conversation with this reply. */
  readonly final?: boolean
}

/**
 * Where the turns of one rollout come from.
 * @since 0.1.0
 * @category models
 */
export type Turns = (request: TurnRequest) => Effect.Effect<TurnReply, AgentFailed | ModelFailed>

/**
 * An agent that takes turns: a model, a chat function, an endpoint, a process.
 * @since 0.1.0
 * @category models
 */
export interface TurnSource {
  readonly identity: Identity
  readonly kind: Exclude<Service["kind"], "function">
  /** Opened once per rollout, closed when it is over whatever happens. */
  readonly open: (rollout: Rollout) => Effect.Effect<Turns, AgentFailed | ModelFailed, Scope>
  /** Tokens a thread may hold, where known. */
  readonly contextSize?: number
  /** The model whose turns they are, when it is one. */
  readonly model?: Model.Service
}

/**
 * An agent of a turn source: each reply within the agent's time limit, what fails with the steps so far.
 * @since 0.1.0
 * @category constructors
 */
export const make = (source: TurnSource): Service => ({
  identity: source.identity,
  kind: source.kind,
  turns: "multi",
  ...(source.model === undefined ? {} : { model: source.model }),
  play: (rollout) => {
    const seconds = rollout.settings.timeouts.agent
    const failed = (error: AgentFailed | ModelFailed | Deadline.DeadlineExceeded): AgentFailed =>
      lost(rollout, source.identity, error)
    return Effect.flatMap(source.open(rollout), (turns) =>
      Deadline.stretches(seconds, (stretch) =>
        new Player(rollout, source, (request) => stretch(Effect.mapError(turns(request), failed))).play()
      )
    ).pipe(
      Effect.scoped,
      Effect.mapError(failed),
      Effect.onExit(() => Effect.sync(() => rollout.recorder.end()))
    )
  }
})

/**
 * What is known of a model that plays the agent.
 * @since 0.1.0
 * @category models
 */
export interface ModelOptions {
  /** `http`: an endpoint that is the caller's own agent. It takes no scaffold. */
  readonly kind?: "model" | "http"
}

/**
 * An agent played by a model.
 * @since 0.1.0
 * @category constructors
 */
export const fromModel = (model: Model.Service, { kind = "model" }: ModelOptions = {}): Service =>
  make({
    identity: model.identity,
    kind,
    ...(kind === "model" ? { model } : {}),
    ...(model.contextSize === undefined ? {} : { contextSize: model.contextSize }),
    open: ({ settings, info }) => {
      const { temperature, agentMaxTokens, logprobs } = settings.conversation
      const tools = settings.tools.derived(shown)
      const sampling: Model.SamplingRequest = {
        temperature,
        ...(agentMaxTokens === null ? {} : { maxTokens: agentMaxTokens }),
        ...(logprobs === false ? {} : { logprobs })
      }
      return Effect.succeed(({ messages, turn }) =>
        ModelCall.complete(model, "agent", {
          messages,
          ...(tools.length === 0 ? {} : { tools }),
          sampling,
          key: ["agent", info.taskId, info.evalRun, info.rolloutIndex, turn]
        })
      )
    }
  })

const lost = (
  rollout: Rollout,
  identity: Identity,
  error: AgentFailed | ModelFailed | Deadline.DeadlineExceeded
): AgentFailed => {
  if (error instanceof AgentFailed) return error
  const agent = identity.name
  const steps = rollout.recorder.steps()
  if (error instanceof ModelFailed) {
    return new AgentFailed({ agent, reason: Losses.ofModel(error), detail: error.message, steps, cause: error })
  }
  return new AgentFailed({ agent, reason: "timeout", detail: `no reply within ${error.seconds} s`, steps })
}
