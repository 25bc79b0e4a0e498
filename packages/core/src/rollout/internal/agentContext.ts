/**
 * What an agent function is given beside the message, and how an agent written as an Effect reaches its world.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ToolSpec } from "../../model/ChatModel.ts"
import type { RolloutInfo } from "../../task/CurrentRollout.ts"
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { ToolSet } from "../../task/ToolSet.ts"
import * as Json from "../../json/jsonCopy.ts"

/**
 * What an agent function is given beside the message. Frozen copies: what it does to them reaches nobody else.
 * @since 0.1.0
 * @category models
 */
export interface AgentContext {
  /** Which rollout this is, and a signal that aborts when the rollout is interrupted or out of time. */
  readonly rollout: RolloutInfo & { readonly signal: AbortSignal }
  readonly tools: ReadonlyArray<ToolSpec>
  /** The policy under test; empty when none was given. */
  readonly systemPrompt: string
  /** The world, planned faults first: the same one a model-backed agent meets. */
  readonly world: {
    /**
     * Makes a tool call. Never rejects: it resolves to what the world answers, a failure being `{ status, error }`.
     * The answer is the agent's own copy.
     */
    readonly call: (tool: string, args?: unknown) => Promise<unknown>
  }
}

/**
 * The world of the running rollout, for agents written as Effects.
 * @since 0.1.0
 * @category services
 */
export class CurrentWorld extends Context.Tag("@sandtable/core/CurrentWorld")<
  CurrentWorld,
  {
    /** Makes a tool call: gives what the world answers, a failure being `{ status, error }`. */
    readonly call: (tool: string, args?: unknown) => Effect.Effect<unknown>
  }
>() {}

/** Whoever calls a function: makes its calls, and has its signal. */
interface Caller {
  readonly call: (tool: string, args: unknown) => Promise<unknown>
  readonly signal: AbortSignal
}

export const contextOf = (info: RolloutInfo, settings: RunSettings, caller: Caller): AgentContext =>
  Object.freeze({
    rollout: new RolloutView(info, caller),
    tools: settings.tools.derived(shown),
    systemPrompt: settings.systemPrompt,
    world: Object.freeze({ call: (tool: string, args?: unknown) => caller.call(tool, args) })
  })

/** What an agent sees of its rollout; the signal is made when it is read. */
class RolloutView implements RolloutInfo {
  readonly id: string
  readonly prompt: string
  readonly taskId: string
  readonly rolloutIndex: number
  readonly seed: number
  readonly rolloutSeed: number
  readonly evalRun: number
  readonly #caller: Caller

  constructor(info: RolloutInfo, caller: Caller) {
    this.id = info.id
    this.prompt = info.prompt
    this.taskId = info.taskId
    this.rolloutIndex = info.rolloutIndex
    this.seed = info.seed
    this.rolloutSeed = info.rolloutSeed
    this.evalRun = info.evalRun
    this.#caller = caller
    Object.freeze(this)
  }

  get signal(): AbortSignal {
    return this.#caller.signal
  }
}

/** The tools as agents and their models are shown them: frozen copies. */
export const shown = ({ list }: ToolSet): ReadonlyArray<ToolSpec> => {
  const tools = list.map(({ name, description, parameters }) => ({ name, description, parameters }))
  return Json.deepFreeze(Json.copy(tools) as ReadonlyArray<ToolSpec>)
}
