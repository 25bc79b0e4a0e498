/**
 * Work that Ctrl-C ends: what it holds open is closed and what it has half written is taken back, then the command is over.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ExitStatus from "./ExitStatus.ts"
import { Interrupts } from "./Interrupts.ts"

export const orStop = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | ExitStatus.Exit, R | Interrupts> =>
  Effect.scoped(
    Effect.gen(function* () {
      const interrupts = yield* Interrupts
      const asked = yield* Deferred.make<never, ExitStatus.Exit>()
      yield* interrupts.onFirst(() =>
        Deferred.unsafeDone(asked, Effect.fail(new ExitStatus.Exit({ status: ExitStatus.interrupted })))
      )
      return yield* Effect.raceFirst(work, Deferred.await(asked))
    })
  )
