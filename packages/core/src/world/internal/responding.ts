/**
 * Calls that can be answered on the spot. Such a call is an effect like any other, which says beside that how to begin it
 * without a fiber: a fiber costs as much as the answers of a mock world.
 */
import * as Effect from "effect/Effect"
import type { Answer } from "../World.ts"

type Begin = () => Answer | Effect.Effect<Answer>

/** The key is nobody else's: an effect made of such a call by a caller's own means is an ordinary one. */
const begin: unique symbol = Symbol("@sandtable/core/World/begin")

interface Responding extends Effect.Effect<Answer> {
  readonly [begin]: Begin
}

/** A call that begins as the function says: with its answer, or with an effect that has it later. */
export const respond = (answer: Begin): Effect.Effect<Answer> => {
  const call = Effect.suspend(() => {
    const begun = answer()
    return isAnswer(begun) ? Effect.succeed(begun) : begun
  })
  return Object.assign(call, { [begin]: answer }) satisfies Responding
}

/** Begins a call: its answer where that is there at once, else an effect to go on with. */
export const start = (call: Effect.Effect<Answer>): Answer | Effect.Effect<Answer> =>
  begin in call ? (call as Responding)[begin]() : call

export const isAnswer = (begun: Answer | Effect.Effect<Answer>): begun is Answer => !Effect.isEffect(begun)
