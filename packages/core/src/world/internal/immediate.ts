/**
 * Effects that may have their value on the spot. One is an effect like any other, and says beside that how to begin it by
 * a plain call: what is there at once costs no step of a fiber, and no fiber of its own where none is at hand.
 */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"

class Immediate<A, E, R> extends Effectable.Class<A, E, R> {
  readonly begin: () => A | Effect.Effect<A, E, R>

  constructor(begin: () => A | Effect.Effect<A, E, R>) {
    super()
    this.begin = begin
  }

  override commit(): Effect.Effect<A, E, R> {
    const begun = this.begin()
    return Effect.isEffect(begun) ? begun : Effect.succeed(begun)
  }
}

/** An effect that begins as the function says: with its value, or with an effect that has it later. */
export const make = <A, E = never, R = never>(begin: () => A | Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  new Immediate(begin)

/** Begins an effect: its value where that is there at once, else an effect to go on with. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>): A | Effect.Effect<A, E, R> => {
  if (effect instanceof Immediate) return effect.begin()
  return Exit.isExit(effect) && Exit.isSuccess(effect) ? (effect.value as A) : effect
}

/** What comes of an effect, as immediate as the effect itself. */
export const map = <A, E, R, B>(effect: Effect.Effect<A, E, R>, f: (value: A) => B): Effect.Effect<B, E, R> =>
  make<B, E, R>(() => {
    const begun = start(effect)
    return Effect.isEffect(begun) ? Effect.map(begun, f) : f(begun)
  })
