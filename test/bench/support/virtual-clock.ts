/**
 * A clock whose time is moved on as soon as everybody waits: hours of sleeping take seconds, and what is measured in it is
 * how work was ordered, whatever else the machine does.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private now = 0
  /** Ordered by time. */
  private readonly sleepers: Array<Sleeper> = []

  unsafeCurrentTimeMillis(): number {
    return this.now
  }
  unsafeCurrentTimeNanos(): bigint {
    return BigInt(Math.round(this.now * 1e6))
  }
  readonly currentTimeMillis = Effect.sync(() => this.now)
  readonly currentTimeNanos = Effect.sync(() => this.unsafeCurrentTimeNanos())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.async((resume) => {
      const sleeper = { at: this.now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
      let place = this.sleepers.length
      while (place > 0 && (this.sleepers[place - 1] as Sleeper).at > sleeper.at) place -= 1
      this.sleepers.splice(place, 0, sleeper)
      return Effect.sync(() => {
        const at = this.sleepers.indexOf(sleeper)
        if (at >= 0) this.sleepers.splice(at, 1)
      })
    })
  }

  /** Runs a piece of work to its end; gives what came of it and the milliseconds it took on this clock. */
  async run<A, E>(work: Effect.Effect<A, E>): Promise<readonly [A, number]> {
    const begun = this.now
    let over = false
    const working = Effect.runPromise(Effect.provide(work, Layer.setClock(this))).finally(() => (over = true))
    while (!over) {
      // fibers yield by promises and by timers of no time: when both had their turn, all of them wait
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setTimeout(resolve))
      await new Promise((resolve) => setImmediate(resolve))
      const next = this.sleepers.shift()
      if (over || next === undefined) continue
      this.now = next.at
      next.wake()
    }
    return [await working, this.now - begun]
  }
}
