/**
 * Effects that may have their value on the spot, or tell of it by a call. One is an effect like any other, and says beside
 * that how to begin it by a plain call: what is there at once, or waits for no more than somebody's call, costs no step of
 * a fiber, and no fiber of its own where none is at hand.
 */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"

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
  if (effect instanceof Telling) return start(effect.commit())
  return Exit.isExit(effect) && Exit.isSuccess(effect) ? (effect.value as A) : effect
}

/** What comes of an effect, as immediate as the effect itself. */
export const map = <A, E, R, B>(effect: Effect.Effect<A, E, R>, f: (value: A) => B): Effect.Effect<B, E, R> =>
  make<B, E, R>(() => {
    const begun = start(effect)
    return Effect.isEffect(begun) ? Effect.map(begun, f) : f(begun)
  })

/** Told what came of an effect: its exit, or an effect to go on with. */
export type Told<A, E, R = never> = (outcome: Effect.Effect<A, E, R>) => void

/** Cuts short what was begun, which tells of its end then, too. */
export type Cut = () => void

class Telling<A, E, R> extends Effectable.Class<A, E, R> {
  readonly begin: (told: Told<A, E, R>) => Cut | void

  constructor(begin: (told: Told<A, E, R>) => Cut | void) {
    super()
    this.begin = begin
  }

  override commit(): Effect.Effect<A, E, R> {
    let outcome: Effect.Effect<A, E, R> | null = null
    let tell: Told<A, E, R> = (told) => (outcome ??= told)
    this.begin((told) => tell(told))
    return outcome ?? Effect.async<A, E, R>((resume) => void (tell = resume))
  }
}

/** An effect to be run once that tells of its end by a call: at once or later. */
export const telling = <A, E = never, R = never>(begin: (told: Told<A, E, R>) => Cut | void): Effect.Effect<A, E, R> =>
  new Telling(begin)

/**
 * Runs an effect by plain calls as far as it goes that way: to its end, or to what a fiber has to go on with. Gives what
 * cuts it short, which reaches the effect itself and not what it tells to go on with.
 */
export const follow = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  ended: (exit: Exit.Exit<A, E>) => void,
  rest: (effect: Effect.Effect<A, E, R>) => void
): Cut => {
  try {
    if (effect instanceof Telling) {
      return effect.begin((outcome: Effect.Effect<A, E, R>) => void follow(outcome, ended, rest)) ?? uncut
    }
    if (effect instanceof Immediate) {
      const begun: A | Effect.Effect<A, E, R> = effect.begin()
      return Effect.isEffect(begun) ? follow(begun, ended, rest) : (ended(Exit.succeed(begun)), uncut)
    }
  } catch (defect) {
    ended(Exit.die(defect))
    return uncut
  }
  if (Exit.isExit(effect)) ended(effect as Exit.Exit<A, E>)
  else rest(effect)
  return uncut
}

const uncut: Cut = () => undefined

/** What comes of an effect and of what its end makes of it, by plain calls where both are. */
export const match = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  next: (exit: Exit.Exit<A, E>) => Effect.Effect<B, E2, R2>
): Effect.Effect<B, E2, R | R2> =>
  telling<B, E2, R | R2>((told) =>
    follow(
      effect,
      (exit) => told(attempt(() => next(exit))),
      (rest) => told(Effect.flatMap(Effect.exit(rest), next))
    )
  )

/** The same where only a value goes on. */
export const flatMap = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  next: (value: A) => Effect.Effect<B, E2, R2>
): Effect.Effect<B, E | E2, R | R2> =>
  telling<B, E | E2, R | R2>((told) =>
    follow(
      effect,
      (exit) => told(Exit.isSuccess(exit) ? attempt(() => next(exit.value)) : Effect.failCause(exit.cause)),
      (rest) => told(Effect.flatMap(rest, next))
    )
  )

/** An effect that is interrupted at once when it is cut short, and by its fiber when it has come to one. */
export const interruptible = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  restore: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  telling<A, E, R>((told) => {
    let over = false
    const once = (outcome: Effect.Effect<A, E, R>): void => {
      if (over) return
      over = true
      told(outcome)
    }
    follow(effect, once, (rest) => once(restore(rest)))
    return () => once(Exit.interrupt(FiberId.none))
  })

/** What throws dies as it would in a fiber. */
export const attempt = <A, E, R>(next: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  try {
    return next()
  } catch (defect) {
    return Effect.die(defect)
  }
}
