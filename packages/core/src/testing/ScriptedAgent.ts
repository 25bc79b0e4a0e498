/**
 * An agent that does what a test tells it to: the calls of a script, then its line; and a record of what it was given.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RolloutInfo } from "../task/CurrentRollout.ts"
import * as Agent from "../rollout/Agent.ts"
import { AgentBackend } from "../rollout/AgentBackend.ts"

/**
 * The calls an agent makes, and what it says then.
 * @since 0.1.0
 * @category models
 */
export interface Script {
  /** Made one after the other. */
  readonly calls?: ReadonlyArray<readonly [tool: string, args?: unknown]>
  readonly says: string
}

/**
 * What one rollout does.
 * @since 0.1.0
 * @category models
 */
export type Play = (message: string, info: RolloutInfo) => string | Script

/**
 * The rollouts that a scripted agent played.
 * @since 0.1.0
 * @category services
 */
export class ScriptedAgent extends Context.Tag("@sandtable/core/ScriptedAgent")<
  ScriptedAgent,
  { readonly rollouts: () => ReadonlyArray<RolloutInfo> }
>() {}

/**
 * An agent that plays a script in every rollout, and what it played.
 * @since 0.1.0
 * @category layers
 */
export const layer = (play: string | Script | Play): Layer.Layer<AgentBackend | ScriptedAgent> =>
  Layer.effectContext(
    Effect.sync(() => {
      const rollouts: Array<RolloutInfo> = []
      const agent = Agent.fromFunction(
        (message, { rollout }) =>
          Effect.gen(function* () {
            rollouts.push(rollout)
            const given = typeof play === "function" ? play(message, rollout) : play
            const script = typeof given === "string" ? { says: given } : given
            const world = yield* Agent.CurrentWorld
            yield* Effect.forEach(script.calls ?? [], ([tool, args]) => world.call(tool, args), { discard: true })
            return script.says
          }),
        { name: "scripted" }
      )
      return Context.make(AgentBackend, agent).pipe(Context.add(ScriptedAgent, { rollouts: () => rollouts }))
    })
  )

/**
 * The rollouts it was given so far.
 * @since 0.1.0
 * @category functions
 */
export const rollouts: Effect.Effect<ReadonlyArray<RolloutInfo>, never, ScriptedAgent> = Effect.map(
  ScriptedAgent,
  (agent) => agent.rollouts()
)
