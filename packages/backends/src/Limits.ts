/**
 * How many calls may be under way at once. A limit is exact over everybody who shares it, two simultaneous runs included,
 * and adapts to the server: where calls at the top of it are told to come later, it shrinks; where they are served, it
 * grows again. A call that waits before it is tried again holds no place.
 */
import type { Role } from "@sandtable/core/ModelCall"
import * as Deadline from "@sandtable/core/Deadline"
import * as Effect from "effect/Effect"

export interface Options {
  /** Most calls at once; without it only the server limits. */
  readonly max?: number
  /** Whether it shrinks and grows with what the server takes; true when left out. */
  readonly adaptive?: boolean
}

/** What a limit looks like at a moment. */
export interface State {
  /** Calls allowed at once now; Infinity while nothing limits. */
  readonly limit: number
  readonly inFlight: number
  readonly waiting: number
}

/** How a call went, as far as it says something of the server's capacity. */
export type Outcome = "served" | "throttled" | "other"

export interface Limit {
  readonly name: string
  readonly state: () => State
  /** Runs one request in a place of its own; waiting for one is charged to no deadline. */
  readonly run: <A, E, R>(request: Effect.Effect<A, E, R>, outcome: (value: A) => Outcome) => Effect.Effect<A, E, R>
}

/** A limit for each role, to be shared by the runs and backends that should respect it together. */
export type Limits = Readonly<Record<Role, Limit>>

/** Limits by role: a number is the most calls at once. A role that is left out is limited by its server alone. */
export const make = (options: Partial<Readonly<Record<Role, number | Options>>> = {}): Limits => {
  const of = (role: Role): Limit => {
    const given = options[role] ?? {}
    return limit(role, typeof given === "number" ? { max: given } : given)
  }
  return { agent: of("agent"), user: of("user"), writer: of("writer"), judge: of("judge") }
}

/** One limit. A `max` that is no whole number from 1 is a RangeError. */
export const limit = (name: string, options: Options = {}): Limit => {
  const { max = Number.POSITIVE_INFINITY, adaptive = true } = options
  if (!(max === Number.POSITIVE_INFINITY || Number.isInteger(max)) || max < 1) {
    throw new RangeError(`The limit ${JSON.stringify(name)} has a max of ${max}: give a whole number from 1.`)
  }
  return new Adaptive(name, max, adaptive)
}

/** Share of throttled calls at the top, as it is believed to be after nothing was seen and after the limit shrank. */
const restingShare = 0.1
/** How much one call changes that share: about four refusals in a row take it over a half, one in ten never does. */
const shareWeight = 0.15
/** The limit shrinks when more than this share of the calls at its top are told to come later. */
const tooMany = 0.5
/** A call is at the top when it started with at least this share of the limit under way. */
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
  /** The lowest limit that was too high, as last seen. */
  private ceiling = Number.POSITIVE_INFINITY
  /** The lowest level refused in this epoch. */
  private lowest = Number.POSITIVE_INFINITY
  private served = 0

  constructor(name: string, max: number, adaptive: boolean) {
    this.name = name
    this.max = max
    this.adaptive = adaptive
    this.current = max
  }

  readonly state = (): State => ({ limit: this.current, inFlight: this.inFlight, waiting: this.queue.size })

  readonly run = <A, E, R>(request: Effect.Effect<A, E, R>, outcome: (value: A) => Outcome): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(this.take(restore), (place) =>
        Effect.onExit(restore(request), (exit) =>
          Effect.sync(() => {
            if (this.adaptive && exit._tag === "Success") this.learn(place, outcome(exit.value))
            this.leave()
          })
        )
      )
    )

  private take(restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>): Effect.Effect<Place> {
    return Effect.suspend(() => {
      if (this.queue.size === 0 && this.inFlight < this.current) return Effect.succeed(this.enter())
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
    if (outcome === "throttled" && epoch === this.epoch) this.lowest = Math.min(this.lowest, level)
    // Without a limit yet, any level says something: the first refusals find the region.
    const atTop = this.current === Number.POSITIVE_INFINITY || level >= Math.floor(this.current * top)
    if (epoch === this.epoch && atTop) {
      this.share += ((outcome === "throttled" ? 1 : 0) - this.share) * shareWeight
      if (this.share > tooMany) return this.shrink(level)
    }
    if (outcome === "served") this.grow()
  }

  /** To half of what was tried, or to just below the lowest level that was refused, whichever is more. */
  private shrink(level: number): void {
    const tried = Math.min(this.current, Math.max(level, this.inFlight))
    this.ceiling = tried
    this.current = Math.max(1, Math.min(tried - 1, Math.max(Math.floor(tried / 2), this.lowest - 1)))
    this.epoch += 1
    this.share = restingShare
    this.lowest = Number.POSITIVE_INFINITY
    this.served = 0
  }

  /** One more after each round up to the last ceiling; there it stays a while, then goes on, faster. */
  private grow(): void {
    if (this.current >= this.max) return
    this.served += 1
    const below = this.current < this.ceiling - 1
    const atCeiling = this.current === this.ceiling - 1
    if (this.served < this.current * (atCeiling ? roundsAtCeiling : 1)) return
    this.served = 0
    const next = below || atCeiling ? this.current + 1 : this.current + Math.max(1, Math.floor(this.current * growth))
    this.current = Math.min(this.max, next)
    this.admit()
  }
}
