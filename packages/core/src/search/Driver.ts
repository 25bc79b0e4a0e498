/**
 * Drivers: what turns the search's commands into effects and feeds it their events. A driver decides nothing but the
 * order of events: as they arrive (free running), batch by batch, or one by one behind a window (look-ahead), the last
 * two in the order of the commands, so that the search sees the same history at any concurrency.
 */
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type { LossReason } from "../rollout/AgentBackend.ts"
import type { Ask, Slot, WriterFailed } from "../situation/SituationWriter.ts"
import type { Task } from "../task/Task.ts"
import * as Order from "./internal/order.ts"
import * as Pulse from "./internal/pulse.ts"
import * as Search from "./Search.ts"

/** A rollout to run: `order` is the place of its task in the run. */
export interface Roll {
  readonly task: Task
  readonly order: number
  readonly index: number
}

/** What came of a rollout. */
export type Outcome<Finished> =
  | { readonly _tag: "Row"; readonly finished: Finished; readonly digest: Search.Digest }
  | { readonly _tag: "Lost"; readonly reason: LossReason; readonly detail?: string }

export interface Verdict {
  readonly reward: number | null
  readonly reason?: string
  /** What tells the failure from others; left out for a pass. */
  readonly failure?: string
  /** The judge's endpoint refused for good: asking it again would only be refused again. */
  readonly refused?: "auth" | "quota"
}

/**
 * The effects at the edge. None of them fails: what goes wrong is an outcome. `roll` and `judge` end as outcomes when
 * they are interrupted, so nothing finished is lost.
 */
export interface Edge<Finished> {
  readonly write: (slots: ReadonlyArray<Slot>) => Effect.Effect<ReadonlyArray<Ask>, WriterFailed>
  /** Called once per task, in the order of the tasks, before its first rollout. */
  readonly choose: (task: Task, order: number) => Effect.Effect<void>
  /** Run uninterruptibly; `restore` makes interruptible what may be cut short. */
  readonly roll: (roll: Roll, restore: Restore) => Effect.Effect<Outcome<Finished>>
  /** The verdict on a finished rollout; null when there is no grader in the loop. */
  readonly judge: ((finished: Finished, restore: Restore) => Effect.Effect<readonly [Finished, Verdict]>) | null
  /** Called once per row, with its verdict. */
  readonly land: (finished: Finished) => Effect.Effect<void>
  /** Ends the run as `interrupted` when it completes. */
  readonly stop: Effect.Effect<void | "output_failed">
  /** Whether `stop` has completed: asked before anything begins. */
  readonly isStopped: () => boolean
  /** Ends the run as `time_budget` when it completes. */
  readonly clock: Effect.Effect<void>
  /** The cap on spending that was reached, and when one is; left out where there is none. */
  readonly cap?: { readonly reached: () => Cap | null; readonly wait: Effect.Effect<Cap> }
  readonly onStop: (reason: Search.StopReason) => Effect.Effect<void>
}

export type Cap = Extract<Search.Event, { readonly _tag: "Spent" }>["reason"]

export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A rollout by its number. */
type Rolled = { readonly id: number } & Roll

/** Messages between the fibers of a run. */
type Mail =
  | Search.Event
  | { readonly _tag: "GraceOver" }
  | { readonly _tag: "Broken"; readonly cause: Cause.Cause<never> }

/** Runs the search to its end and gives its last state. Nothing it began is alive when it returns. */
export const run = Effect.fn("Driver.run")(function* <Finished>(input: Search.Input, edge: Edge<Finished>) {
  const { settings } = input
  const { concurrency } = settings
  const mailbox = yield* Queue.unbounded<Mail>()
  const post = (mail: Mail): void => void Queue.unsafeOffer(mailbox, mail)
  const rolls = yield* Queue.unbounded<Rolled>()
  const finished = yield* Queue.bounded<{ readonly id: number; readonly finished: Finished }>(2 * concurrency)

  const { cap } = edge
  /** An endpoint refused for good, or the agent is dead, so the run is about to end. */
  let refused = false
  const pulse = Pulse.make()
  /** Closed while it is in doubt whether the agent lives at all. */
  const lives = Effect.unsafeMakeLatch(true)
  /** Called whenever a rollout has ended: whoever waits for the pulse goes on, or is told that nothing begins any more. */
  const feel = (): void => {
    const state = pulse.state()
    if (state === "doubtful") return
    if (state === "dead" && !refused) {
      refused = true
      post({ _tag: "AgentDead" })
    }
    lives.unsafeOpen()
  }

  const judgeAndLand = (id: number, row: Finished, restore: Restore): Effect.Effect<void> =>
    edge.judge === null
      ? edge.land(row)
      : Effect.flatMap(edge.judge(row, restore), ([judged, verdict]) =>
          Effect.map(edge.land(judged), () => post({ _tag: "Judged", id, ...verdict }))
        )

  /** Hands on what came of a rollout. */
  const rolled = ({ id, task }: Rolled, outcome: Outcome<Finished>, restore: Restore): Effect.Effect<void> => {
    if (outcome._tag === "Lost") {
      if (isRefusal(outcome.reason)) refused = true
      post({ _tag: "Lost", id, reason: outcome.reason })
      pulse.lost({ ...outcome, taskId: task.id })
      feel()
      return Effect.void
    }
    pulse.gaveRow()
    feel()
    const { finished: row, digest } = outcome
    if (edge.judge === null) {
      return Effect.map(edge.land(row), () => post({ _tag: "Finished", id, digest }))
    }
    post({ _tag: "Finished", id, digest })
    return Effect.flatMap(Effect.exit(restore(Queue.offer(finished, { id, finished: row }))), (handed) =>
      Exit.isFailure(handed) ? judgeAndLand(id, row, restore) : Effect.void
    )
  }
  const roller = Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const begin = (roll: Rolled): Effect.Effect<void> => {
        // The search may not have heard yet of what ends the run; what is begun now would only be refused.
        if (refused || (cap !== undefined && cap.reached() !== null)) return unbegin(roll)
        if (pulse.state() === "doubtful") {
          lives.unsafeClose()
          return Effect.flatMap(Effect.exit(restore(lives.await)), (waited) =>
            Exit.isFailure(waited) ? unbegin(roll) : begin(roll)
          )
        }
        pulse.begun()
        return Effect.flatMap(edge.roll(roll, restore), (outcome) => rolled(roll, outcome, restore))
      }
      return Effect.forever(Effect.flatMap(restore(Queue.take(rolls)), begin))
    })
  )
  const unbegin = ({ id }: Rolled): Effect.Effect<void> => Effect.sync(() => post({ _tag: "Unbegun", id }))
  const judge = Effect.uninterruptibleMask((restore) =>
    Effect.forever(
      Effect.flatMap(restore(Queue.take(finished)), ({ id, finished: row }) => judgeAndLand(id, row, restore))
    )
  )

  /** What breaks in a fiber breaks the run, which would wait for that fiber's events for ever. */
  const breaking = <A>(fiber: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.onError(fiber, (cause) =>
      Effect.sync(() => {
        if (!Cause.isInterruptedOnly(cause)) post({ _tag: "Broken", cause })
      })
    )
  const spawn = (worker: Effect.Effect<never>) =>
    Effect.forEach(Array.from({ length: concurrency }), () => Effect.forkScoped(breaking(Effect.interruptible(worker))))
  const rollers = yield* spawn(roller)
  const judges = edge.judge === null ? [] : yield* spawn(judge)

  const bell = (after: number, mail: Mail) =>
    Effect.forkScoped(Effect.map(Effect.sleep(Duration.seconds(after)), () => post(mail)))
  yield* Effect.forkScoped(Effect.map(edge.clock, () => post({ _tag: "ClockExpired" })))
  yield* Effect.forkScoped(
    Effect.map(edge.stop, (reason) => post({ _tag: "Interrupted", ...(reason === "output_failed" ? { reason } : {}) }))
  )
  if (cap !== undefined) {
    yield* Effect.forkScoped(Effect.map(cap.wait, (reason) => post({ _tag: "Spent", reason })))
  }

  /** Ends every worker; what one was busy with still ends as an outcome in the mailbox or on disk. */
  const endWorkers = Effect.gen(function* () {
    yield* Queue.shutdown(rolls)
    yield* Fiber.interruptAll(rollers)
    const waiting = (yield* Queue.isShutdown(finished)) ? [] : yield* Queue.takeAll(finished)
    yield* Queue.shutdown(finished)
    yield* Fiber.interruptAll(judges)
    for (const { id, finished: row } of waiting) {
      yield* judgeAndLand(id, row, (effect) => Effect.zipRight(Effect.interrupt, effect))
    }
  })
  yield* Effect.addFinalizer(() => endWorkers)

  const search = Search.live(input)
  const { state } = search
  /** Tasks told of so far: their first rollouts begin in their order. */
  let chosen = 0
  const writes: Array<Search.Command & { readonly _tag: "Write" }> = []
  const inline = input.ahead === 0 || settings.order._tag !== "Free"

  /** What stepping the state asked for and is not sent yet. */
  let outgoing: Array<Effect.Effect<void>> = []
  let unbegun: Array<Rolled> = []

  const feed = (event: Search.Event): void => {
    for (const command of search.step(event)) dispatch(command)
  }
  const dispatch = (command: Search.Command): void => {
    switch (command._tag) {
      case "Roll":
        unbegun.push(command)
        if (command.order < chosen) return
        chosen = command.order + 1
        outgoing.push(edge.choose(command.task, command.order))
        return
      case "Write":
        writes.push(command)
        return
      case "Stop":
        outgoing.push(Effect.zipRight(callBack, edge.onStop(command.reason)))
        return
    }
  }
  /** Tells of what was chosen, then lets it begin. */
  const send = Effect.suspend(() => {
    const telling = outgoing
    outgoing = []
    const begin = (): void => {
      for (const roll of unbegun) Queue.unsafeOffer(rolls, roll)
      unbegun = []
    }
    return Effect.map(Effect.all(telling, { discard: true }), begin)
  })
  /** Before anything else that came in with it: what a reached cap refuses is no failure of whoever was refused. */
  const feedCap = (): void => {
    const reason = state.stopped === null ? (cap?.reached() ?? null) : null
    if (reason !== null) feed({ _tag: "Spent", reason })
  }
  /** Rollouts that no worker has begun are not begun any more. */
  const callBack = Effect.map(Queue.takeAll(rolls), (waiting) => {
    const back = [...waiting, ...unbegun]
    unbegun = []
    for (const { id } of back) feed({ _tag: "Unbegun", id })
  })
  const writeEvent = ({ id, slots }: Search.Command & { readonly _tag: "Write" }): Effect.Effect<Search.Event> =>
    Effect.match(edge.write(slots), {
      onSuccess: (asks) => ({ _tag: "Written", id, asks }),
      onFailure: ({ reason }) => ({ _tag: "WriteFailed", id, reason })
    })
  /** Sends what is to be written: awaited one by one in their order, or in the background. */
  const write = Effect.gen(function* () {
    while (writes.length > 0 && state.stopped === null) {
      const command = writes.shift()
      if (command === undefined) return
      if (inline) {
        const event = yield* writeEvent(command)
        feedCap()
        feed(event)
        if (writes.length > 0 && settings.order._tag === "Free") {
          // What is written already is begun, and its calls go out, while the rest is written.
          yield* send
          yield* Effect.sleep(Duration.zero)
        }
      } else yield* Effect.forkScoped(breaking(Effect.map(writeEvent(command), post)))
    }
    yield* send
  })

  const order = Order.of(settings.order, concurrency, input.judged)
  let grace = false
  let sinceBreath = 0
  if (edge.isStopped()) feed({ _tag: "Interrupted" })
  while (true) {
    // Rollouts that never wait for anything real would keep timers, signals and files out for as long as the run lasts.
    if (sinceBreath >= eventsPerBreath) {
      sinceBreath = 0
      yield* Effect.sleep(Duration.zero)
    }
    yield* write
    for (let events = order.next(state); events.length > 0; events = order.next(state)) {
      for (const event of events) feed(event)
      if (state.stopped !== null) break
      yield* write
    }
    if (state.stopped !== null) {
      for (const event of order.release()) feed(event)
      yield* send
      if (Search.isIdle(state)) break
      if (!grace && hurries(state.stopped)) {
        grace = true
        yield* bell(settings.timeouts.grace, { _tag: "GraceOver" })
      }
    }
    const mails = Chunk.toReadonlyArray(yield* Queue.takeBetween(mailbox, 1, Number.POSITIVE_INFINITY))
    sinceBreath += mails.length
    feedCap()
    for (const mail of mails) {
      if (mail._tag === "Broken") return yield* Effect.failCause(mail.cause)
      if (mail._tag === "GraceOver") yield* endWorkers
      // Ends the run at once, whatever is held back before it.
      else if (mail._tag === "AgentDead" || (mail._tag === "Lost" && isRefusal(mail.reason))) feed(mail)
      else if (Order.isOfRollout(mail)) order.arrived(mail)
      else feed(mail)
    }
  }
  return state
}, Effect.scoped)

/** Events after which the event loop gets a turn: it costs about a millisecond, in which workers go on. */
const eventsPerBreath = 64

/** Stops that do not wait for what is in flight longer than the grace. */
const hurries = (reason: Search.StopReason): boolean =>
  reason === "time_budget" ||
  reason === "interrupted" ||
  reason === "output_failed" ||
  reason === "auth_failed" ||
  reason === "quota_exceeded" ||
  reason === "token_budget" ||
  reason === "cost_budget"

/** The endpoint will refuse everybody else, too. */
const isRefusal = (reason: LossReason): boolean => reason === "auth" || reason === "quota"
