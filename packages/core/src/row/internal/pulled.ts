/**
 * What can be asked for again and again as a stream. Effect's streams are loaded here, on first use: most programs never
 * take one, and they are a good part of what a program would wait for before it begins.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"

/** `next` gives some values each time, and null once there are no more. */
export const asStream = <A, E, R>(
  next: Effect.Effect<ReadonlyArray<A> | null, E, R>
): Effect.Effect<Stream.Stream<A, E, R>> =>
  Effect.map(
    Effect.promise(() => import("effect/Stream")),
    (streams) =>
      streams.repeatEffectChunkOption(
        Effect.matchCauseEffect(next, {
          onFailure: (cause) => Effect.mapError(Effect.failCause(cause), Option.some),
          onSuccess: (values) =>
            values === null ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(values))
        })
      )
  )
