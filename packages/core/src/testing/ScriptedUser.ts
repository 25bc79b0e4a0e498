/**
 * A person who says what a test tells them to, and a record of what they were asked to react to.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UserSimulator from "../rollout/UserSimulator.ts"
import type { Reaction, Turn } from "../rollout/UserSimulator.ts"

/**
 * Reactions in turn within a rollout (a text is said; then the person is done), or a function of the turn.
 * @since 0.1.0
 * @category models
 */
export type Script = ReadonlyArray<string | Reaction> | ((turn: Turn) => string | Reaction)

/**
 * The turns that a scripted person was asked for.
 * @since 0.1.0
 * @category services
 */
export class ScriptedUser extends Context.Tag("@sandtable/core/ScriptedUser")<
  ScriptedUser,
  { readonly turns: () => ReadonlyArray<Turn> }
>() {}

/**
 * A person who reacts by a script, and the turns asked for.
 * @since 0.1.0
 * @category layers
 */
export const layer = (script: Script): Layer.Layer<ScriptedUser> =>
  Layer.effectContext(
    Effect.sync(() => {
      const seen: Array<Turn> = []
      const react: UserSimulator.Service["react"] =
        typeof script === "function"
          ? (turn) => Effect.sync(() => reactionOf(script(turn)))
          : UserSimulator.scripted(script).react
      const service: UserSimulator.Service = {
        identity: { name: "scripted" },
        react: (turn) => Effect.suspend(() => (seen.push(turn), react(turn)))
      }
      return Context.make(ScriptedUser, { turns: () => seen }).pipe(Context.add(UserSimulator.UserSimulator, service))
    })
  )

/**
 * What the person was asked to react to so far.
 * @since 0.1.0
 * @category functions
 */
export const turns: Effect.Effect<ReadonlyArray<Turn>, never, ScriptedUser> = Effect.map(ScriptedUser, (user) =>
  user.turns()
)

const reactionOf = (given: string | Reaction): Reaction =>
  typeof given === "string" ? { _tag: "Says", text: given, last: false } : given
