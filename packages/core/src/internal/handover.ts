/**
 * Rows from those who land them to one who reads them: whoever lands waits while the reader is far behind. Unlike a
 * bounded queue it costs the same with ten thousand waiting as with one.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Immediate from "../task/internal/immediate.ts"

export interface Handover<A, E> {
  /** Hands a value over; waits while `behind` values or more are unread. */
  readonly give: (value: A) => Effect.Effect<void>
  /** No more values come; the stream ends, or fails, once what was given is read. */
  readonly end: (exit: Exit.Exit<unknown, E>) => Effect.Effect<void>
  /** Nobody reads any more: nobody waits. */
  readonly leave: Effect.Effect<void>
  /** What was given since the last time, waited for while there is nothing; null after the end. */
  readonly take: Effect.Effect<ReadonlyArray<A> | null, E>
}

export const make = <A, E>(behind: number): Handover<A, E> => {
  const room = Effect.unsafeMakeLatch(true)
  const filled = Effect.unsafeMakeLatch(false)
  let unread: Array<A> = []
  let ended: Exit.Exit<unknown, E> | null = null
  let left = false

  const put = (value: A): void => {
    if (left) return
    unread.push(value)
    filled.unsafeOpen()
    if (unread.length >= behind) room.unsafeClose()
  }

  const take = Effect.suspend((): Effect.Effect<ReadonlyArray<A> | null, E> => {
    if (unread.length > 0) {
      const values = unread
      unread = []
      if (ended === null) filled.unsafeClose()
      room.unsafeOpen()
      return Effect.succeed(values)
    }
    return ended !== null && Exit.isFailure(ended) ? Effect.failCause(ended.cause) : Effect.succeed(null)
  })

  return {
    give: (value) =>
      Immediate.make<void>(() => {
        if (!left && unread.length >= behind) return room.whenOpen(Effect.sync(() => put(value)))
        put(value)
      }),
    end: (exit) =>
      Effect.sync(() => {
        ended = exit
        filled.unsafeOpen()
      }),
    leave: Effect.sync(() => {
      left = true
      unread = []
      room.unsafeOpen()
    }),
    take: filled.whenOpen(take)
  }
}
