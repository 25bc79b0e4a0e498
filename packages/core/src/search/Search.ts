/**
 * The search: one reducer from events to commands. It decides which situations are opened, how often each ask is
 * rolled out, what failures lead to and when the run stops. It reads no clock, no model and no global; a driver is only
 * an order of events.
 */
import * as Asks from "./internal/asks.ts"
import { open } from "./internal/open.ts"
import type { Command, Event, Input, Pinned, StopReason } from "./internal/protocol.ts"
import * as Report from "./internal/report.ts"
import * as Rows from "./internal/rows.ts"
import { copy, type Draft, initial, type State } from "./internal/state.ts"
import * as Stopping from "./internal/stopping.ts"

export type { Command, Digest, Event, Input, Pinned, Recalled, StopReason } from "./internal/protocol.ts"
export { seedsKept } from "./internal/protocol.ts"
export type { State } from "./internal/state.ts"

/**
 * The state before the first event.
 * @since 0.1.0
 * @category functions
 */
export const start = (input: Input): State => initial(input)

/**
 * The state after an event, and what is to be done; the state before it stays what it is.
 * @since 0.1.0
 * @category functions
 */
export const step = (state: State, event: Event): readonly [State, ReadonlyArray<Command>] => {
  const next = copy(state)
  return [next, advance(next, event)]
}

/**
 * A search of which only the latest state is looked at.
 * @since 0.1.0
 * @category models
 */
export interface Live {
  /** Stays the same object and changes with every event. */
  readonly state: State
  readonly step: (event: Event) => ReadonlyArray<Command>
}

/**
 * Steps one state in place, which costs what the step decides rather than what the state holds.
 * @since 0.1.0
 * @category functions
 */
export const live = (input: Input): Live => {
  const state = initial(input)
  return { state, step: (event) => advance(state, event) }
}

const advance = (draft: Draft, event: Event): ReadonlyArray<Command> => {
  draft.commands = []
  apply(draft, event)
  if (draft.stopped === null) proceed(draft)
  return draft.commands
}

/**
 * Whether every rollout begun has come in; asks still being written matter to nobody once the search has stopped.
 * @since 0.1.0
 * @category functions
 */
export const isIdle = (state: State): boolean => state.running.size === 0 && state.waiting.size === 0

/**
 * Whether a stop ends every run of a call, not only the one it came in.
 * @since 0.1.0
 * @category functions
 */
export const endsAll = (reason: StopReason | null): boolean => reason !== null && !endsOne.has(reason)

const endsOne: ReadonlySet<StopReason> = new Set([
  "budget",
  "situations_exhausted",
  "tasks_done",
  "saturation",
  "writer_exhausted"
] as const)

/**
 * The tasks of a run that has ended, to be rolled again exactly as often as it landed them.
 * @since 0.1.0
 * @category functions
 */
export const replayOf = (state: State): Pinned => {
  const cut = [...state.groups].filter(({ landed }) => landed > 0)
  const played = [...state.played, ...cut].sort((a, b) => a.order - b.order)
  return {
    tasks: played.map(({ task }) => task),
    rollouts: new Map(played.map(({ landed, task }) => [task.id, landed]))
  }
}

/**
 * What was chosen and why, for people.
 * @since 0.1.0
 * @category functions
 */
export const report = Report.of

/**
 * What the search did in a run, from its last state.
 * @since 0.1.0
 * @category functions
 */
export const reportOfRun = Report.ofRun

/**
 * Tasks short of the rollouts that were planned for them, because the run stopped.
 * @since 0.1.0
 * @category functions
 */
export const cutGroups = Report.cutGroups

const apply = (draft: Draft, event: Event): void => {
  switch (event._tag) {
    case "Capacity":
      draft.credit = event.n
      return
    case "Written":
      return Asks.written(draft, event.id, event.asks)
    case "WriteFailed":
      return Asks.writeFailed(draft, event.id, event.reason)
    case "Finished":
      return Rows.finished(draft, event.id, event.digest)
    case "Lost":
      return Rows.lost(draft, event.id, event.reason)
    case "Unbegun":
      return Rows.unbegun(draft, event.id)
    case "Judged":
      Rows.judged(draft, event)
      if (event.refused !== undefined) Stopping.stop(draft, event.refused === "auth" ? "auth_failed" : "quota_exceeded")
      return
    case "AgentDead":
      return Stopping.stop(draft, "agent_failed")
    case "ClockExpired":
      return Stopping.stop(draft, "time_budget")
    case "Spent":
      return Stopping.stop(draft, event.reason)
    case "Interrupted":
      return Stopping.stop(draft, event.reason ?? "interrupted")
  }
}

/** Opens what the free places need, begins what is ready, and stops when nothing is left to do. */
const proceed = (draft: Draft): void => {
  if (Stopping.isSaturated(draft)) return Stopping.stop(draft, "saturation")
  open(draft)
  begin(draft)
  const reason = Stopping.ending(draft)
  if (reason !== undefined) Stopping.stop(draft, reason)
}

/** Begins what is ready, as far as there are places. */
const begin = (draft: Draft): void => {
  if (draft.credit < 1 || draft.ready.length === 0) return
  const beginning = draft.ready.splice(0, draft.credit)
  draft.credit -= beginning.length
  draft.requested += beginning.length
  for (const place of beginning) {
    const { group, index } = place
    const id = draft.nextRoll
    draft.nextRoll += 1
    draft.running.set(id, place)
    draft.commands.push({ _tag: "Roll", id, task: group.task, order: group.order, index })
  }
}
