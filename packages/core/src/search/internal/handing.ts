/**
 * What the fibers of a run hand each other. Giving is a plain call, so it costs no step of a fiber; only waiting is an
 * effect. Work that needs no fiber is done by plain calls, too.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Immediate from "../../task/internal/immediate.ts"

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
  /** Takes back what no worker has taken. */
  readonly takeBack: () => ReadonlyArray<A>
  /** No worker takes anything more. */
  readonly close: () => void
  /**
   * A worker, which does one work after the other. What a work can do by plain calls is done so, while the worker's fiber
   * sleeps; the rest is run in it. Run uninterruptibly; interrupted, it cuts short what it is busy with and sees to its
   * end.
   */
  readonly worker: (restore: Restore, act: (work: A) => Effect.Effect<void>) => Effect.Effect<never>
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const work = <A>(): Work<A> => {
  let offered: Array<A> = []
  const idle: Array<Worker<A>> = []
  let closed = false
  const next = (worker: Worker<A>): A | undefined => {
    if (closed) return undefined
    const one = offered.shift()
    if (one === undefined) idle.push(worker)
    return one
  }

  return {
    offer: (one) => {
      offered.push(one)
      idle.pop()?.take()
    },
    takeBack: () => {
      const untaken = offered
      offered = []
      return untaken
    },
    close: () => {
      closed = true
      idle.length = 0
    },
    worker: (restore, act) => Effect.suspend(() => new Worker(act, next).run(restore))
  }
}

/** One worker: what it does while its fiber sleeps, and what it leaves to it. */
class Worker<A> {
  private readonly act: (work: A) => Effect.Effect<void>
  private readonly next: (worker: Worker<A>) => A | undefined
  /** With what it began by a plain call. */
  private busy = false
  private cut: Immediate.Cut | null = null
  private rest: Effect.Effect<void> | null = null
  private wake: (() => void) | null = null
  private taking = false
  private leaving = false

  constructor(act: (work: A) => Effect.Effect<void>, next: (worker: Worker<A>) => A | undefined) {
    this.act = act
    this.next = next
  }

  run(restore: Restore): Effect.Effect<never> {
    const asleep = Effect.async<void>((resume) => {
      this.wake = () => resume(Effect.void)
      this.take()
      return this.leave()
    })
    return Effect.forever(Effect.flatMap(restore(asleep), () => this.left()))
  }

  /** One work after the other, never one within the other: many may be over as soon as they are begun. */
  take(): void {
    if (this.taking) return
    this.taking = true
    while (!this.busy && this.rest === null) {
      const one = this.next(this)
      if (one === undefined) break
      this.busy = true
      const cut = Immediate.follow(
        Immediate.attempt(() => this.act(one)),
        (exit) => this.over(exit),
        (rest) => this.leaveTo(rest)
      )
      if (this.busy) this.cut = cut
    }
    this.taking = false
  }

  private over(exit: Exit.Exit<void>): void {
    if (Exit.isFailure(exit)) return this.leaveTo(exit)
    this.busy = false
    this.cut = null
    if (this.leaving) this.wake?.()
    else this.take()
  }

  private leaveTo(rest: Effect.Effect<void>): void {
    this.busy = false
    this.cut = null
    this.rest = rest
    this.wake?.()
  }

  /** What is left to the fiber. */
  private left(): Effect.Effect<void> {
    const rest = this.rest ?? Effect.void
    this.rest = null
    return rest
  }

  /** Cuts short what it is busy with, and sees to its end. */
  private leave(): Effect.Effect<void> {
    const ended = Effect.async<void>((resume) => {
      this.leaving = true
      this.wake = () => resume(Effect.void)
      if (this.busy) this.cut?.()
      else this.wake()
    })
    return Effect.flatMap(ended, () => this.left())
  }
}
