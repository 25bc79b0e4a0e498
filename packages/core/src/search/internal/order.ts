/**
 * When what came of rollouts reaches the search: as it arrives, batch by batch, or one by one behind a window.
 */
import type { RunSettings } from "../../settings/RunSettings.ts"
import type { Event } from "./protocol.ts"
import type { State } from "./state.ts"

/** Events that tell of a rollout. */
export type RolloutEvent = Extract<Event, { readonly _tag: "Finished" | "Lost" | "Judged" }>

export const isOfRollout = (event: Event): event is RolloutEvent =>
  event._tag === "Finished" || event._tag === "Lost" || event._tag === "Judged"

/** When what came of rollouts reaches the search. */
export interface EventOrder {
  /** An event came in. */
  readonly arrived: (event: RolloutEvent) => void
  /** Events to feed now; none when the search has to wait for more to come in. */
  readonly next: (state: State) => ReadonlyArray<Event>
  /** Everything held back, when the run is stopping. */
  readonly release: () => ReadonlyArray<Event>
}

export const of = (order: RunSettings["order"], concurrency: number, judged: boolean): EventOrder => {
  switch (order._tag) {
    case "Free":
      return arrivalOrder(concurrency)
    case "Batch":
      return batchOrder(order.size, judged)
    case "Lookahead":
      return lookaheadOrder(order.window, judged)
  }
}

const capacity = (n: number): Event => ({ _tag: "Capacity", n })

/** Every event at once, in the order of arrival. */
const arrivalOrder = (concurrency: number): EventOrder => {
  let held: Array<Event> = []
  let begun = false
  const release = (): ReadonlyArray<Event> => {
    const events = held
    held = []
    return events
  }
  return {
    arrived: (event) => void held.push(event),
    next: (state) => {
      if (held.length === 0 && begun) return []
      begun = true
      const finished = held.filter(({ _tag }) => _tag !== "Judged").length
      return [...release(), capacity(concurrency - state.running.size + finished)]
    },
    release
  }
}

/** The events of rollouts by their number, until all of a rollout are there. */
const makeHeld = (judged: boolean) => {
  const byRollout = new Map<number, Array<RolloutEvent>>()
  return {
    add: (event: RolloutEvent): void => {
      const events = byRollout.get(event.id)
      if (events === undefined) byRollout.set(event.id, [event])
      else events.push(event)
    },
    isComplete: (id: number): boolean => byRollout.get(id)?.some(({ _tag }) => _tag !== "Finished" || !judged) ?? false,
    take: (id: number): ReadonlyArray<RolloutEvent> => {
      const events = byRollout.get(id) ?? []
      byRollout.delete(id)
      return events
    },
    ids: (): ReadonlyArray<number> => [...byRollout.keys()].sort((a, b) => a - b)
  }
}

/** Holds the events of a batch until the last has come, then gives them in the order of the commands. */
const batchOrder = (size: number, judged: boolean): EventOrder => {
  const held = makeHeld(judged)
  const release = (): ReadonlyArray<Event> => held.ids().flatMap(held.take)
  return {
    arrived: held.add,
    next: (state) => {
      const ids = held.ids()
      if (ids.length < state.running.size || !ids.every(held.isComplete)) return []
      return [capacity(0), ...release(), capacity(size)]
    },
    release
  }
}

/**
 * Feeds the events of one rollout after the other in the order of the commands, and keeps `window` rollouts chosen and
 * not yet fed: the choice of rollout i sees the events up to rollout i - window and no others, however many run at once.
 */
const lookaheadOrder = (window: number, judged: boolean): EventOrder => {
  const held = makeHeld(judged)
  let head = 0
  let begun = false
  return {
    arrived: held.add,
    next: (state) => {
      if (!begun) {
        begun = true
        return [capacity(window)]
      }
      if (!held.isComplete(head)) return []
      const events = held.take(head)
      head += 1
      return [capacity(0), ...events, capacity(window - state.running.size + 1)]
    },
    release: () => held.ids().flatMap(held.take)
  }
}
