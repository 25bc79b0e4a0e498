/**
 * Calls that can be answered on the spot. Such a call is an effect like any other, which says beside that how to begin it
 * without a fiber: a fiber costs as much as the answers of a mock world.
 */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import type { Answer } from "../World.ts"

type Begin = () => Answer | Effect.Effect<Answer>

/** An effect made of such a call by a caller's own means is an ordinary one. */
class Responding extends Effectable.Class<Answer> {
  readonly begin: Begin

  constructor(begin: Begin) {
    super()
    this.begin = begin
  }

  override commit(): Effect.Effect<Answer> {
    const begun = this.begin()
    return isAnswer(begun) ? Effect.succeed(begun) : begun
  }
}

/** A call that begins as the function says: with its answer, or with an effect that has it later. */
export const respond = (begin: Begin): Effect.Effect<Answer> => new Responding(begin)

/** Begins a call: its answer where that is there at once, else an effect to go on with. */
export const start = (call: Effect.Effect<Answer>): Answer | Effect.Effect<Answer> =>
  call instanceof Responding ? call.begin() : call

export const isAnswer = (begun: Answer | Effect.Effect<Answer>): begun is Answer => !Effect.isEffect(begun)
