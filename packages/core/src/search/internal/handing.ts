/**
 * What the fibers of a run hand each other. Giving is a plain call, so it costs no step of a fiber; only waiting is an
 * effect.
 */
import * as Effect from "effect/Effect"

/** Values of many for one reader. */
export interface Inbox<A> {
  readonly post: (value: A) => void
  /** Everything posted so far, in order; waits while there is nothing. */
  readonly takeAll: Effect.Effect<ReadonlyArray<A>>
}

export const inbox = <A>(): Inbox<A> => {
  let posted: Array<A> = []
  let wake: (() => void) | null = null
  const taken = (): ReadonlyArray<A> => {
    const values = posted
    posted = []
    return values
  }
  return {
    post: (value) => {
      posted.push(value)
      wake?.()
    },
    takeAll: Effect.suspend(() => {
      if (posted.length > 0) return Effect.succeed(taken())
      return Effect.async<ReadonlyArray<A>>((resume) => {
        wake = () => {
          wake = null
          // Taken when the reader runs: more may have come by then.
          resume(Effect.sync(taken))
        }
        return Effect.sync(() => (wake = null))
      })
    })
  }
}

/** Work of one giver for many workers, first come, first served. Close it before workers are interrupted. */
export interface Work<A> {
  readonly offer: (work: A) => void
  readonly take: Effect.Effect<A>
  /** Takes back what no worker has taken. */
  readonly takeBack: () => ReadonlyArray<A>
  /** Nothing more comes: who waits, or comes to wait, is interrupted. */
  readonly close: () => void
}

type Worker<A> = (work: Effect.Effect<A>) => void

export const work = <A>(): Work<A> => {
  let offered: Array<A> = []
  const idle: Array<Worker<A>> = []
  let closed = false

  return {
    offer: (one) => {
      const worker = offered.length > 0 ? undefined : idle.pop()
      if (worker === undefined) offered.push(one)
      else worker(Effect.succeed(one))
    },
    take: Effect.suspend(() => {
      if (closed) return Effect.interrupt
      if (offered.length > 0) return Effect.succeed(offered.shift() as A)
      return Effect.async<A>((resume) => void idle.push(resume))
    }),
    takeBack: () => {
      const untaken = offered
      offered = []
      return untaken
    },
    close: () => {
      closed = true
      for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) worker(Effect.interrupt)
    }
  }
}
