/**
 * Effects that may have their value at once: a mock world's answers and function agents' results. One is an effect like any
 * other; a caller that can use the value without a fiber asks for it with `start`, which a fiber's step would cost several times.
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

/** An effect that the function begins: it gives the value, or an effect that has the value later. */
export const make = <A, E = never, R = never>(begin: () => A | Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  new Immediate(begin)

/** Begins an effect: its value where that is there at once, else the effect to run. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>): A | Effect.Effect<A, E, R> => {
  if (effect instanceof Immediate) return effect.begin()
  return Exit.isExit(effect) && Exit.isSuccess(effect) ? (effect.value as A) : effect
}
