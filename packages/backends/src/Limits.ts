/**
 * How many calls may be under way at once. A limit is exact over everybody who shares it, two simultaneous runs included,
 * and adapts to the server: where calls at the top of it are told to come later, it shrinks; where they are served, it
 * grows again. A call that waits before it is tried again holds no place.
 */
import type { Role } from "@sandtable/core/unstable/ModelCall"
import * as Deadline from "@sandtable/core/unstable/Deadline"
import * as Effect from "effect/Effect"

/**
 * How many calls may be under way.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Most calls at once; without it only the server limits. */
  readonly max?: number
  /** Whether it shrinks and grows with what the server takes; true when left out. */
  readonly adaptive?: boolean
}

/**
 * What a limit looks like at a moment.
 * @since 0.1.0
 * @category models
 */
export interface State {
  /** Calls allowed at once now; Infinity while nothing limits. */
  readonly limit: number
  readonly inFlight: number
  readonly waiting: number
}

/**
 * How a call went, as far as it says something of the server's capacity.
 * @since 0.1.0
 * @category models
 */
export type Outcome = "served" | "throttled" | "other"

/**
 * A limit that requests share.
 * @since 0.1.0
 * @category models
 */
export interface Limit {
  readonly name: string
  readonly state: () => State
  /** Runs one request in a place of its own; waiting for one is charged to no deadline. */
  readonly run: <A, E, R>(request: Effect.Effect<A, E, R>, outcome: (value: A) => Outcome) => Effect.Effect<A, E, R>
}

/**
 * A limit for each role, to be shared by the runs and backends that should respect it together.
 * @since 0.1.0
 * @category models
 */
export type Limits = Readonly<Record<Role, Limit>>

/**
 * Limits by role: a number is the most calls at once. A role that is left out is limited by its server alone.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Partial<Readonly<Record<Role, number | Options>>> = {}): Limits => {
  const of = (role: Role): Limit => {
    const given = options[role] ?? {}
    return limit(role, typeof given === "number" ? { max: given } : given)
  }
  return { agent: of("agent"), user: of("user"), writer: of("writer"), judge: of("judge") }
}

/**
 * One limit. A `max` that is no whole number from 1 is a RangeError.
 * @since 0.1.0
 * @category functions
 */
export const limit = (name: string, options: Options = {}): Limit => {
  const { max = Number.POSITIVE_INFINITY, adaptive = true } = options
  if (!(max === Number.POSITIVE_INFINITY || Number.isInteger(max)) || max < 1) {
    throw new RangeError(`The limit ${JSON.stringify(name)} has a max of ${max}: give a whole number from 1.`)
  }
  return new Adaptive(name, max, adaptive)
}

/** Share of throttled calls, as it is believed to be after nothing was seen and after the limit shrank. */
const restingShare = 0.1
/** How much one call changes that share: about four refusals in a row take it over a half, one in ten never does. */
const shareWeight = 0.15
/** The limit shrinks when more than this share of the calls from the lowest refused level on are told to come later. */
const tooMany = 0.5
/** A call found the limit used up when it started with at least this share of it under way. */
const top = 0.95
/** Rounds of served calls, each as many as the limit, before the level that was refused last is tried again. */
const roundsAtCeiling = 8
/** Growth above the last ceiling, per round. */
const growth = 0.1

interface Place {
  /** Calls under way when it started, itself included. */
  readonly level: number
  readonly epoch: number
}

interface Waiter {
  place: Place | null
  readonly wake: (place: Effect.Effect<Place>) => void
}

class Adaptive implements Limit {
  readonly name: string
  private readonly max: number
  private readonly adaptive: boolean
  private current: number
  private inFlight = 0
  /** In order of arrival. */
  private readonly queue = new Set<Waiter>()
  /** Counts the times the limit shrank: what started before says nothing about the limit now. */
  private epoch = 0
  private share = restingShare
  /** The level above which calls were refused last. */
  private ceiling = Number.POSITIVE_INFINITY
  /** The lowest level refused in this epoch. */
  private lowest = Number.POSITIVE_INFINITY
  /** Calls served since the limit changed, and whether any of them found it used up. */
  private served = 0
  private usedUp = false
  /** The limit before it grew to the present one; 0 when it did not grow to it. */
  private held = 0

  constructor(name: string, max: number, adaptive: boolean) {
    this.name = name
    this.max = max
    this.adaptive = adaptive
    this.current = max
  }

  readonly state = (): State => ({ limit: this.current, inFlight: this.inFlight, waiting: this.queue.size })

  readonly run = <A, E, R>(request: Effect.Effect<A, E, R>, outcome: (value: A) => Outcome): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const within = (place: Place): Effect.Effect<A, E, R> =>
        Effect.flatMap(Effect.exit(restore(request)), (exit) => {
          if (this.adaptive) this.learn(place, exit._tag === "Success" ? outcome(exit.value) : "other")
          this.leave()
          return exit
        })
      const free = this.queue.size === 0 && this.inFlight < this.current
      return free ? within(this.enter()) : Effect.flatMap(this.queued(restore), within)
    })

  private queued(restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>): Effect.Effect<Place> {
    return Effect.suspend(() => {
      let waiter: Waiter | undefined
      const woken = Effect.async<Place>((wake) => {
        waiter = { place: null, wake }
        this.queue.add(waiter)
      })
      // A place may have been given in the very moment of the interruption: it goes to the next.
      return Effect.onInterrupt(restore(Deadline.suspend(woken)), () =>
        Effect.sync(() => {
          if (waiter === undefined) return
          if (waiter.place === null) this.queue.delete(waiter)
          else this.leave()
        })
      )
    })
  }

  private enter(): Place {
    this.inFlight += 1
    return { level: this.inFlight, epoch: this.epoch }
  }

  private leave(): void {
    this.inFlight -= 1
    this.admit()
  }

  private admit(): void {
    for (const waiter of this.queue) {
      if (this.inFlight >= this.current) return
      this.queue.delete(waiter)
      waiter.place = this.enter()
      waiter.wake(Effect.succeed(waiter.place))
    }
  }

  private learn({ epoch, level }: Place, outcome: Outcome): void {
    if (outcome === "other") return
    const atTop = this.current === Number.POSITIVE_INFINITY || level >= Math.floor(this.current * top)
    if (epoch === this.epoch) {
      if (outcome === "throttled" && level < this.lowest) this.lowest = level
      if (this.lowest === Number.POSITIVE_INFINITY ? atTop : level >= this.lowest) {
        this.share += ((outcome === "throttled" ? 1 : 0) - this.share) * shareWeight
        if (this.share > tooMany) return this.shrink(level)
      }
    }
    if (atTop) this.usedUp = true
    if (outcome === "served") this.grow()
  }

  /** To the limit that held before it grew to this one, or to half of what was tried. */
  private shrink(level: number): void {
    const tried = Math.min(this.current, Math.max(level, this.inFlight))
    this.ceiling = tried
    this.current = Math.max(1, this.held > 0 && this.held < tried ? this.held : Math.floor(tried / 2))
    this.held = 0
    this.epoch += 1
    this.share = restingShare
    this.lowest = Number.POSITIVE_INFINITY
    this.served = 0
    this.usedUp = false
  }

  /** Stays below what was refused last for a while, then goes on, ever faster. */
  private grow(): void {
    if (this.current >= this.max) return
    this.served += 1
    const atCeiling = this.current === this.ceiling - 1
    // A limit that nobody reaches is high enough.
    if (this.served < this.current * (atCeiling ? roundsAtCeiling : 1) || !this.usedUp) return
    this.served = 0
    this.usedUp = false
    this.held = this.current
    this.current = Math.min(this.max, this.current + Math.max(1, Math.floor(this.current * growth)))
    this.admit()
  }
}
