/**
 * Agents that are functions of yours: one message in and one trajectory out, or a chat function that talks with the
 * simulated person.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { FinishReason, Sampling } from "../model/ChatModel.ts"
import type { Identity } from "../model/Identity.ts"
import type { Message, ToolCall } from "../model/Message.ts"
import type { Usage } from "../model/Usage.ts"
import * as Conversation from "./Conversation.ts"
import type { AgentContext, CurrentWorld } from "./internal/agentContext.ts"
import { fail, invoke } from "./internal/invoke.ts"
import * as Json from "../json/jsonCopy.ts"
import * as Losses from "./internal/losses.ts"
import * as Returned from "./internal/returned.ts"
import type { AgentFailed, Rollout, Service, Trajectory } from "./internal/trajectory.ts"

export { CurrentWorld } from "./internal/agentContext.ts"
export type { AgentContext } from "./internal/agentContext.ts"

/** What an agent function may give back. */
export type { Returned, ReturnedMessage, ReturnedNotes, ReturnedStep } from "./internal/returned.ts"

/**
 * One message in, one trajectory out: sync, a Promise, or an Effect (which reaches the world by `CurrentWorld`).
 * @since 0.1.0
 * @category models
 */
export type AgentFunction<E = never, R = never> = (
  message: string,
  context: AgentContext
) => Returned.Returned | PromiseLike<Returned.Returned> | Effect.Effect<Returned.Returned, E, R>

/**
 * What is known of a function agent beside the function.
 * @since 0.1.0
 * @category models
 */
export interface AgentOptions {
  /** Shown on rows as `function:<name>`; the function's own name when left out. */
  readonly name?: string
  /** Who really answers, when the function calls a model: shown on rows and compared with the other roles. */
  readonly identity?: Identity
  /** How the agent samples, recorded on rows as given; the run's `sampling` when left out. */
  readonly sampling?: Sampling
}

/**
 * An agent of a function, played single-turn. What it throws, rejects or fails with, and anything it gives back that is
 * not understood, is `AgentFailed` with what happened until then.
 * @since 0.1.0
 * @category constructors
 */
export const fromFunction = <E = never>(fn: AgentFunction<E, CurrentWorld>, options: AgentOptions = {}): Service => {
  const identity = options.identity ?? { name: `function:${options.name ?? (fn.name === "" ? "agent" : fn.name)}` }
  return {
    identity,
    kind: "function",
    turns: "single",
    play: (rollout) => {
      const { info, recorder, settings } = rollout
      return invoke({
        rollout,
        name: identity.name,
        fn: (context) => {
          recorder.say({ user: info.prompt })
          return fn(info.prompt, context)
        },
        read: (returned) => {
          const read = Returned.read(returned, info.prompt, recorder)
          if (Either.isLeft(read)) return fail(rollout, identity.name, "agent_error", read.left)
          return finish(rollout, identity.name, read.right, options.sampling ?? settings.sampling)
        },
        last: true
      })
    }
  }
}

/**
 * What a chat function may give back: a line, or a line with notes and tool calls for the harness to make.
 * @since 0.1.0
 * @category models
 */
export type ChatReply =
  | string
  | {
      readonly text?: string
      /** In place of `text`, as in a chat message. */
      readonly content?: string | null
      readonly reasoning?: string
      /** Answered by the world; the function is asked again with the results in the thread. */
      readonly toolCalls?: ReadonlyArray<ToolCall>
      readonly finishReason?: FinishReason
      readonly usage?: Partial<Usage> | Readonly<Record<string, unknown>>
      /** The agent ends the conversation with this line. */
      readonly final?: boolean
    }

/**
 * The thread so far in, the agent's next line out: sync, a Promise or an Effect.
 * @since 0.1.0
 * @category models
 */
export type ChatFunction<E = never, R = never> = (
  messages: ReadonlyArray<Message>,
  context: AgentContext
) => ChatReply | PromiseLike<ChatReply> | Effect.Effect<ChatReply, E, R>

/**
 * An agent of a chat function: the simulated person answers it as they answer a model. Tool calls go by
 * `context.world.call`, or in the reply for the harness to make.
 * @since 0.1.0
 * @category functions
 */
export const chat = <E = never>(fn: ChatFunction<E, CurrentWorld>, options: AgentOptions = {}): Service => {
  const identity = options.identity ?? { name: `function:${options.name ?? (fn.name === "" ? "agent" : fn.name)}` }
  return Conversation.make({
    identity,
    kind: "chat",
    open: (rollout) =>
      Effect.succeed(({ messages }) =>
        invoke({
          rollout,
          name: identity.name,
          fn: (context) => fn(messages, context),
          read: (returned) => {
            const reply = replyOf(returned, options.sampling)
            return typeof reply === "string"
              ? fail(rollout, identity.name, "agent_error", reply)
              : Effect.succeed(reply)
          },
          last: false
        })
      )
  })
}

/** What a chat function gave back as a reply, or what was wrong with it in words. */
const replyOf = (returned: unknown, sampling: Sampling | undefined): Conversation.TurnReply | string => {
  const sampled = sampling === undefined ? {} : { sampling }
  if (typeof returned === "string") return { text: returned, ...sampled }
  if (!Json.isRecord(returned)) return unusable(returned)
  const { text = returned["content"] ?? "", toolCalls, reasoning, finishReason, usage, final } = returned
  const calls = toolCalls ?? []
  if (typeof text !== "string" || !Array.isArray(calls)) return unusable(returned)
  if (text === "" && calls.length === 0 && returned["text"] === undefined && returned["content"] === undefined) {
    return unusable(returned)
  }
  if (finishReason !== undefined && !Returned.isFinishReason(finishReason)) {
    return `\`finishReason\` was ${Json.describe(finishReason)}`
  }
  return {
    text,
    toolCalls: calls.map(Returned.toolCall),
    ...sampled,
    ...(typeof reasoning === "string" ? { reasoning } : {}),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(Json.isRecord(usage) ? { usage: Returned.tokens(usage) } : {}),
    ...(final === true ? { final } : {})
  }
}

const unusable = (returned: unknown): string =>
  `it gave back ${Json.describe(returned)}; a text or { text, toolCalls } is understood`

/** A trajectory that a row can be made of, or why it gives none. */
const finish = (
  rollout: Rollout,
  name: string,
  trajectory: Trajectory,
  sampling: Sampling | null
): Effect.Effect<Trajectory, AgentFailed> => {
  const loss = Losses.ofText(trajectory.finalText, trajectory.finishReason, (tool) => rollout.recorder.declared(tool))
  if (loss !== null) return fail(rollout, name, loss.reason, loss.detail, undefined, trajectory.steps)
  const { steps, finalText, finishReason = "stop", endedBy = "agent_done", usage, seeded } = trajectory
  const whole: Draft = { steps, finalText, finishReason, endedBy, userModel: null, userTurns: 1, sampling }
  if (usage !== undefined) whole.usage = usage
  if (seeded !== undefined) whole.seeded = seeded
  return Effect.succeed(whole)
}

type Draft = { -readonly [Key in keyof Trajectory]: Trajectory[Key] }
