/**
 * A limit on how long something may take. All deadlines of a clock share one timer, so ten thousand of them in flight
 * cost one wake-up, and what the caller cannot help is not charged: waiting that is marked by `suspend`, and time in
 * which the event loop was blocked by somebody else.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { dual } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stopwatch from "./Stopwatch.ts"

/** Longest sleep of the shared timer: how finely a blocked event loop is noticed. */
const tickMillis = 100
/** A wake-up this late is an ordinary timer, not a blocked loop. */
const toleranceMillis = 20

/** The effect was not done in time and was interrupted. */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  /** The limit in seconds. */
  seconds: Schema.Number
}) {
  override get message(): string {
    return `Not done within ${this.seconds} s`
  }
}

/** One running limit. */
interface Entry {
  readonly timer: Timer
  readonly parent: Entry | null
  expire: () => void
  /** When it was put on the timer, and when it is due; milliseconds of its clock. */
  since: number
  due: number
  /** How many `suspend`s are running. */
  paused: number
  /** Its place on its timer; -1 when it is on none. */
  at: number
}

interface Timer {
  readonly start: (entry: Entry, millis: number) => void
  readonly stop: (entry: Entry) => void
  readonly pause: (entry: Entry) => void
  readonly resume: (entry: Entry) => void
}

/** Where code runs, and the innermost limit it is under at the moment. */
interface Place {
  limit: Entry | null
}

class Current extends Context.Reference<Current>()("@sandtable/core/Deadline/Current", {
  defaultValue: (): Place => ({ limit: null })
}) {}

/**
 * Runs an effect for at most so many seconds. Late, it is given one more turn of the event loop (its answer may be
 * waiting there), is interrupted, and the result is `DeadlineExceeded`; the caller goes on even when the effect cannot
 * be interrupted. An effect that never waits is never charged. Fiber references set inside stay inside.
 */
export const within: {
  (seconds: number): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DeadlineExceeded, R>
  <A, E, R>(effect: Effect.Effect<A, E, R>, seconds: number): Effect.Effect<A, E | DeadlineExceeded, R>
} = dual(2, <A, E, R>(effect: Effect.Effect<A, E, R>, seconds: number): Effect.Effect<A, E | DeadlineExceeded, R> =>
  Effect.flatMap(make(seconds), (limit) => limit.run(effect))
)

/** Runs an effect for at most the seconds of a stretch, in the fiber it stands in. */
export type Stretch = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Runs an effect some stretches of which are limited, one after the other, each to so many seconds. It is as if each ran
 * `within` them, but that the first late one ends the whole, which therefore needs one fiber for all of them.
 */
export const stretches = <A, E, R>(
  seconds: number,
  work: (stretch: Stretch) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DeadlineExceeded, R> =>
  Effect.flatMap(surroundings, ({ outer, timer }) => {
    const place: Place = { limit: outer }
    let late = false
    let expire = (): void => {
      late = true
    }
    const end = (): void => {
      if (place.limit !== null && place.limit !== outer) timer.stop(place.limit)
      place.limit = outer
    }
    const stretch: Stretch = (effect) =>
      Effect.suspend(() => {
        place.limit = entryOf(timer, outer, () => expire())
        timer.start(place.limit, seconds * 1000)
        return Effect.onExit(effect, () => Effect.sync(end))
      })
    const watch = (onLate: () => void): void => {
      if (late) onLate()
      else expire = onLate
    }
    return run(work(stretch), place, seconds, watch, end)
  })

/** Stops the clock of every limit the effect runs under while it runs: for waiting that is nobody's fault. */
export const suspend = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Current, ({ limit: current }) => {
    if (current === null) return effect
    const each = (act: (entry: Entry) => void): void => {
      for (let at: Entry | null = current; at !== null; at = at.parent) act(at)
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => each((entry) => entry.timer.pause(entry))),
      () => effect,
      () => Effect.sync(() => each((entry) => entry.timer.resume(entry)))
    )
  })

/** A limit that is not running yet: `run` starts it for an effect, `start` and `stop` for what is none. */
export class Limit {
  private readonly entry: Entry
  private readonly seconds: number
  private readonly place: Place

  constructor(entry: Entry, seconds: number) {
    this.entry = entry
    this.seconds = seconds
    this.place = { limit: entry }
  }

  /** From now on: `onLate` is called once, in a turn of its own, unless stopped before. */
  start(onLate: () => void): void {
    this.entry.expire = onLate
    this.entry.timer.start(this.entry, this.seconds * 1000)
  }

  stop(): void {
    this.entry.timer.stop(this.entry)
  }

  /** What the effect suspends counts for this limit, which somebody else runs. */
  inside<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.provideService(effect, Current, this.place)
  }

  /** Runs an effect under the limit: see `within`. */
  run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | DeadlineExceeded, R> {
    return run(
      effect,
      this.place,
      this.seconds,
      (onLate) => this.start(onLate),
      () => this.stop()
    )
  }
}

/** A limit of so many seconds by the clock in context, inside the limits that are there already. */
export const make = (seconds: number): Effect.Effect<Limit> =>
  Effect.map(surroundings, ({ outer, timer }) => new Limit(entryOf(timer, outer, noop), seconds))

/** The timer of the clock in context, and the innermost limit. */
const surroundings = Effect.clockWith((clock) =>
  Effect.map(Current, ({ limit }) => ({ outer: limit, timer: timerOf(clock) }))
)

const entryOf = (timer: Timer, parent: Entry | null, expire: () => void): Entry => ({
  timer,
  parent,
  expire,
  since: 0,
  due: 0,
  paused: 0,
  at: -1
})

const noop = (): void => undefined

/** The effect in a fiber of its own, interrupted when `start` calls that it is late; `stop` once it is over. */
const run = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  place: Place,
  seconds: number,
  start: (onLate: () => void) => void,
  stop: () => void
): Effect.Effect<A, E | DeadlineExceeded, R> =>
  Effect.flatMap(Effect.runtime<R>(), (runtime) => {
    const child = Runtime.runFork(runtime)(Effect.provideService(effect, Current, place))
    const exit = child.unsafePoll()
    if (exit !== null) return exit
    return Effect.async<A, E | DeadlineExceeded>((done) => {
      let late = false
      let abandon = noop
      const exceeded = (): void => done(Effect.fail(new DeadlineExceeded({ seconds })))
      start(() => {
        late = true
        abandon()
        child.unsafeInterruptAsFork(FiberId.none)
        turn(exceeded)
      })
      child.addObserver((exit) => {
        stop()
        if (late && Exit.isFailure(exit)) exceeded()
        else done(exit)
      })
      // Interrupted from outside it waits for the end of what it interrupts, though not longer than the limit.
      return Effect.async<void>((ended) => {
        abandon = () => ended(Effect.void)
        child.addObserver(abandon)
        child.unsafeInterruptAsFork(FiberId.none)
      })
    })
  })

const timers = new WeakMap<Clock.Clock, Timer>()

const timerOf = (clock: Clock.Clock): Timer => {
  let timer = timers.get(clock)
  if (timer === undefined) {
    timer = makeTimer(clock)
    timers.set(clock, timer)
  }
  return timer
}

/** The machine's own clock: turns of the loop are real also where time is a test's. */
const live = Context.get(DefaultServices.liveServices, Clock.Clock)

/** Runs after everything that is ready now had its turn. */
const turn = (then: () => void): void => {
  Effect.runFork(live.sleep(Duration.zero)).addObserver(then)
}

/**
 * The shared timer of a clock. It sleeps until the nearest limit, a tick at most, and looks at all limits on waking:
 * thousands of them are looked at in well under a millisecond, and starting or ending one costs next to nothing.
 */
const makeTimer = (clock: Clock.Clock): Timer => {
  // In no Set: the tables that one outgrows keep what is long over, with all it was for, from being collected.
  const entries: Array<Entry> = []
  // Only the machine's time can be blocked; another clock is woken for its limits alone, whatever time it shows.
  const real = clock === live
  const now = (): number => Stopwatch.millis(clock)
  const tick = real ? tickMillis : Number.POSITIVE_INFINITY
  let sleeper: Fiber.RuntimeFiber<void> | null = null
  let wakeAt = Number.POSITIVE_INFINITY

  const sleepUntil = (at: number): void => {
    if (at >= wakeAt || at === Number.POSITIVE_INFINITY) return
    if (sleeper !== null) sleeper.unsafeInterruptAsFork(FiberId.none)
    wakeAt = at
    const mine = Effect.runFork(clock.sleep(Duration.millis(Math.max(0, at - now()))))
    sleeper = mine
    mine.addObserver(() => {
      if (sleeper === mine) wake()
    })
  }

  const wake = (): void => {
    const at = now()
    const late = at - wakeAt
    const blocked = real && late > toleranceMillis ? late : 0
    sleeper = null
    wakeAt = Number.POSITIVE_INFINITY
    let next = entries.length > 0 ? at + tick : Number.POSITIVE_INFINITY
    const expired: Array<Entry> = []
    for (const entry of entries) {
      if (entry.paused > 0) continue
      entry.due += Math.min(blocked, at - entry.since)
      if (entry.due <= at) expired.push(entry)
      else if (entry.due < next) next = entry.due
    }
    if (expired.length > 0) turn(() => expired.forEach(expire))
    sleepUntil(next)
  }

  const expire = (entry: Entry): void => {
    // Done in its last turn, or waiting on something that is not charged.
    if (entry.at < 0 || entry.paused > 0) return
    remove(entry)
    entry.expire()
  }

  /** The last one takes its place. */
  const remove = (entry: Entry): void => {
    const last = entry.at < 0 ? undefined : entries.pop()
    if (last === undefined) return
    if (last !== entry) {
      entries[entry.at] = last
      last.at = entry.at
    }
    entry.at = -1
  }

  return {
    start: (entry, millis) => {
      if (entry.at < 0) entry.at = entries.push(entry) - 1
      // An effect may have been suspended before it first waited: what is left is kept until it is resumed.
      entry.due = millis
      entry.paused += 1
      resume(entry)
    },
    stop: remove,
    pause: (entry) => {
      if (entry.paused === 0) entry.due -= now()
      entry.paused += 1
    },
    resume: (entry) => resume(entry)
  }

  /** From now on for what is left, once nothing holds it any more. */
  function resume(entry: Entry): void {
    entry.paused -= 1
    if (entry.paused > 0) return
    entry.since = now()
    entry.due += entry.since
    if (entry.at >= 0) sleepUntil(Math.min(entry.due, entry.since + tick))
  }
}
