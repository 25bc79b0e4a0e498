/**
 * Plain calls as Effects: what they throw for options that make no sense becomes a typed failure.
 */
import * as Effect from "effect/Effect"
import * as ErrorText from "../ErrorText.ts"

/** Anything but the error named is a defect, as it is a bug. */
export const attempt =
  <E>(kind: abstract new (...args: Array<never>) => E) =>
  <A>(call: () => A): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(call())
      } catch (error) {
        return ErrorText.isA(error, kind) ? Effect.fail(error) : Effect.die(error)
      }
    })
