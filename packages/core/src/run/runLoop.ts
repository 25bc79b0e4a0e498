/**
 * One run from its cast to its summary: gives the search its handlers (writer, rollouts, grader, sink), counts what lands,
 * and says at the end what the run was.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import type * as Meter from "../model/Meter.ts"
import { ModelWatch, roles as modelRoles } from "../model/ModelCall.ts"
import * as Spans from "../model/Spans.ts"
import * as Stopwatch from "../time/Stopwatch.ts"
import * as Row from "../row/Row.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../report/RunMeta.ts"
import type { Warning } from "../report/Warning.ts"
import * as Driver from "../search/Driver.ts"
import type { RunEvent } from "../search/RunEvent.ts"
import * as Search from "../search/Search.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import { isoTime } from "../time/isoTime.ts"
import type { GoldAnswers, Privileged } from "../task/Task.ts"
import * as AsksFile from "../resume/asksFile.ts"
import * as Handlers from "./handlers.ts"
import { RunCounters } from "./runCounters.ts"
import type { RunPlan } from "./runPlan.ts"
import type { Payloads } from "../world/World.ts"
import * as ResumeState from "../resume/resumeState.ts"
import * as Replaying from "./replayHandlers.ts"
import * as RunSpans from "./spans.ts"
import type { Observations } from "./runWarnings.ts"
import * as Summary from "./summary.ts"

export interface Hooks {
  readonly onEvent: (event: RunEvent) => void
  /** What went wrong in whoever hears the events. */
  readonly heard: () => ReadonlyArray<Warning>
  readonly onRow: (row: Row.Row, order: number) => Effect.Effect<void>
  /** Ends the run as `interrupted` when it completes. */
  readonly stop: Effect.Effect<void>
  /** Whether `stop` has completed. */
  readonly isStopped: () => boolean
  /** Keeps the meta file, when there is one. */
  readonly keepMeta: (meta: RunMeta.RunMeta) => Effect.Effect<void, RowFileError>
}

export interface Ended {
  readonly meta: RunMeta.RunMeta
  readonly stopped: Search.StopReason
  readonly rows: number
  /** What only graders may see of its tasks. */
  readonly goldAnswers: GoldAnswers
  /** Why rows are in memory alone, when writing them failed. */
  readonly unwritten: RowFileError | null
}

/** Plays a run to its end. Fails only when the meta file cannot be begun, before anything was run. */
export const play = Effect.fn("Simulation.play")(function* (prepared: RunPlan, hooks: Hooks) {
  const { cast, meter, settings, runId } = prepared
  const { grader, sink } = cast
  meter.listener = listenerOf(hooks)
  yield* Effect.annotateCurrentSpan("sandtable.run_id", runId)
  const traced = yield* Spans.traced
  const time = yield* Clock.clockWith(Effect.succeed)
  const began = Stopwatch.millis(time)
  const startedAt = isoTime(time.unsafeCurrentTimeMillis())
  const scoringRunId = Option.isSome(grader) ? yield* Grader.newScoringRunId : null
  const invocationId = (yield* Grader.newScoringRunId).replace("score_", "call_")
  const halted = yield* Deferred.make<void>()

  const counters = new RunCounters(settings.tools.list, prepared.grid, cast.language)
  let notes = [...prepared.notes, ...sink.repairs.map(ResumeState.repaired)]
  let unwritten: RowFileError | null = null

  const called = yield* RunMeta.Called
  const metaOf = (status: RunMeta.Status, ending: Partial<RunMeta.RunMeta>): RunMeta.RunMeta => ({
    schema_version: Row.schemaVersion,
    run_id: runId,
    invocation_id: invocationId,
    status,
    started_at: prepared.resuming?.meta.started_at ?? startedAt,
    finished_at: null,
    options: prepared.resolvedOptions,
    origin: prepared.origin,
    profile: prepared.profile,
    ...(called === null ? {} : { called }),
    counts: { rows: 0, requested: 0, completed: 0, lost: 0, resumed: 0 },
    stopped_because: null,
    degraded: [],
    warnings: notes,
    search: null,
    report: null,
    rows_digest: null,
    group_cut: [],
    ...ending
  })

  /** A sink that fails says so once; the run ends, and what finished stays in memory. */
  const kept = (write: Effect.Effect<void, RowFileError>): Effect.Effect<void> =>
    Effect.catchAll(write, (error) => {
      unwritten ??= error
      return Effect.asVoid(Deferred.succeed(halted, undefined))
    })

  yield* hooks.keepMeta(metaOf("running", {}))
  hooks.onEvent({
    _tag: "Started",
    runId,
    budget: settings.budget,
    expected: expectedRows(prepared),
    warnings: notes
  })
  const recorded = prepared.resuming === null ? null : yield* recall(prepared, prepared.resuming, counters, hooks)
  if (recorded !== null) notes = [...notes, ...recorded.notes]

  // What results look like may have to be asked for: rollouts wait for it, and end as any other when the run stops.
  const imagined = payloadsOf(prepared, recorded, (payloads) => kept(sink.asks(AsksFile.ofPayloads(runId, payloads))))
  const making = yield* Effect.map(imagined, cast.world).pipe(
    Effect.map((world) => (traced ? RunSpans.world(world) : world)),
    Effect.provideService(ModelWatch, meter),
    Effect.fork
  )
  const clock = yield* Deferred.make<void>()
  const ticking = yield* Effect.fork(
    settings.timeBudget === null
      ? Effect.never
      : Effect.zipRight(Effect.sleep(Duration.seconds(settings.timeBudget)), Deferred.succeed(clock, undefined))
  )
  const replaced = new Map<string, Row.Row>()
  const goldAnswers = new Map<string, Privileged>()
  const play = (evalRun: number, pinned: Search.Pinned | null) => {
    const live = Handlers.make({
      prepared,
      hooks,
      counters,
      scoringRunId,
      kept,
      evalRun,
      replace: (row) => Effect.sync(() => void replaced.set(row.row_id, row)),
      made: Effect.flatten(Fiber.await(making)),
      traced
    })
    const input = { ...inputOf(prepared, pinned), recalled: recorded?.recalled(evalRun) ?? null }
    const drive = <Finished>(handlers: Handlers.HandlersOf<Finished>) =>
      Driver.run(input, {
        ...handlers,
        choose: (task, order) => {
          if (Object.keys(task.privileged).length > 0) goldAnswers.set(task.id, task.privileged)
          return handlers.choose(task, order)
        },
        stop: Effect.race(hooks.stop, Effect.as(Deferred.await(halted), "output_failed" as const)),
        isStopped: () => hooks.isStopped() || unwritten !== null,
        clock: Deferred.await(clock),
        cap: { reached: () => meter.reachedCap(), wait: Deferred.await(meter.reached) },
        onStop: (reason) => Effect.sync(() => hooks.onEvent({ _tag: "Stopping", reason }))
      }).pipe(Effect.provideService(ModelWatch, meter))
    return recorded === null ? drive(live) : drive(Replaying.over(live, recorded, evalRun, counters))
  }
  const states: [Search.State, ...Array<Search.State>] = [yield* play(0, pinnedOf(settings))]
  for (let evalRun = 1; evalRun < settings.runs; evalRun++) {
    if (Search.endsAll(states.at(-1)?.stopped ?? null)) break
    // Between runs too, so that a stop gets through to a long row of short ones.
    yield* Effect.sleep(Duration.zero)
    states.push(yield* play(evalRun, Search.replayOf(states[0])))
  }
  meter.close()
  yield* Fiber.interrupt(ticking)
  yield* Fiber.interrupt(making)
  yield* kept(sink.flush)

  const stopped = stoppedBecause(states)
  const elapsed = Stopwatch.secondsSince(time, began)
  const finishedAt = isoTime(time.unsafeCurrentTimeMillis())
  const roles = {
    agent: cast.agent.identity,
    writer: settings.tasks === null ? cast.writer.identity : { name: settings.tasks[0]?.writer ?? "none" },
    user: cast.user?.identity ?? null,
    judge: Option.match(grader, { onNone: () => null, onSome: Grader.identityOf })
  }
  const unclaimed = recorded?.left() ?? { rows: 0, owed: [] }
  for (const row of unclaimed.owed) {
    const order = recorded?.orderOf(row.task_id) ?? 0
    counters.landed(row, order)
    yield* hooks.onRow(row, order)
  }
  // Null for a sink that keeps nothing.
  let digest = yield* sink.digest
  if (prepared.resuming !== null && replaced.size > 0) {
    const replacing = Effect.map(prepared.resuming.replace(replaced), (hex) => void (digest = hex))
    yield* kept(replacing)
  }
  const seen: Observations = {
    counters,
    meter,
    agentKind: agentKinds[cast.agent.kind],
    agentNamed: cast.agent.kind === "http" || cast.agent.kind === "command" ? cast.agent.identity.name : null,
    degraded: [...prepared.degraded, ...(cast.writer.degraded === undefined ? [] : yield* cast.writer.degraded)],
    tracing: prepared.tracing,
    pinned: prepared.pinned,
    kept: digest !== null,
    unwritten: unwritten !== null,
    unclaimed: unclaimed.rows
  }
  const summary = Summary.make(states, seen, roles, {
    resolvedOptions: prepared.resolvedOptions,
    notes: [...notes, ...hooks.heard()],
    sameModel: cast.detector.detect(roles),
    startedAt,
    finishedAt,
    elapsed
  })
  const rows = counters.tally.rows()
  const meta = metaOf(statusOf(stopped, rows), {
    finished_at: finishedAt,
    counts: {
      rows,
      requested: summary.report.rollouts_requested,
      completed: summary.report.completed,
      lost: summary.report.lost,
      resumed: recorded?.rows ?? 0
    },
    stopped_because: stopped,
    degraded: summary.degraded,
    warnings: summary.warnings,
    search: summary.search,
    report: summary.report,
    rows_digest: digest,
    group_cut: states.flatMap((state, evalRun) =>
      Search.cutGroups(state).map((group) => ({ ...group, eval_run: evalRun }))
    )
  })
  yield* kept(hooks.keepMeta(meta))
  hooks.onEvent({ _tag: "Stopped", reason: stopped, rows })
  const ended: Ended = { meta, stopped, rows, goldAnswers, unwritten }
  return ended
})

const agentKinds = {
  model: "model",
  http: "outside",
  command: "outside",
  function: "function",
  chat: "function"
} as const

/** Reads what is on disk of the run, and counts it as what it was. */
const recall = (
  { cast, meter, settings }: RunPlan,
  resuming: ResumeState.Resuming,
  counters: RunCounters,
  hooks: Hooks
) => {
  const { report } = resuming.meta
  for (const role of modelRoles) {
    const usage = report?.usage[role]
    if (usage !== undefined) meter.recall(role, { ...usage, cost: report?.cost[role] ?? null })
  }
  const { locale, systemPrompt, tools } = settings
  const conduct = { tools, systemPrompt, locale, language: cast.language }
  // rows do not tell them
  counters.all.followupMisses += resuming.meta.search?.followup_misses ?? 0
  return ResumeState.read(resuming, conduct, {
    row: (row, order) => {
      counters.recalled(row, order, cast.user !== null, Option.isSome(cast.grader))
      // A run that was cut off told no sums.
      for (const role of report === null ? modelRoles : []) {
        const usage = row.usage?.[role]
        if (usage !== undefined) meter.recall(role, { ...usage, calls: null, uncounted: 0, cost: null })
      }
      hooks.onEvent({ _tag: "RowResumed", row })
      return hooks.onRow(row, order)
    },
    lost: (key, reason, detail) => {
      counters.lost({ reason, detail })
      hooks.onEvent({ _tag: "LossResumed", ...key, reason, detail })
    },
    task: (task) => {
      const { privileged: _, ...chosen } = task
      hooks.onEvent({ _tag: "TaskChosen", task: chosen })
    }
  })
}

/** What results look like: known, from disk, or imagined now. */
const payloadsOf = (
  { cast }: RunPlan,
  recorded: ResumeState.ResumeState | null,
  keep: (payloads: Payloads) => Effect.Effect<void>
): Effect.Effect<Payloads> => {
  if (cast.payloads === null) return Effect.succeed(new Map())
  return recorded?.payloads === null || recorded === null
    ? Effect.tap(cast.payloads, keep)
    : Effect.succeed(recorded.payloads)
}

const listenerOf = ({ onEvent }: Hooks): Meter.Listener => ({
  spent: (role, total) => onEvent({ _tag: "Spent", role, ...total }),
  waiting: (role, who, until) => onEvent({ _tag: "Waiting", role, who, until })
})

const statusOf = (stopped: Search.StopReason, rows: number): RunMeta.Status => {
  if (stopped === "interrupted") return "interrupted"
  if (stopped === "output_failed") return "failed"
  return failedStops.has(stopped) && rows === 0 ? "failed" : "done"
}

/** Stops that are failures when not one row landed. */
export const failedStops: ReadonlySet<Search.StopReason> = new Set([
  "agent_failed",
  "writer_failed",
  "empty_replies",
  "auth_failed",
  "quota_exceeded"
] as const)

/** What the first run of a call plays: the tasks it pins, or none of its own yet. */
export const pinnedOf = ({ tasks }: RunSettings): Search.Pinned | null =>
  tasks === null ? null : { tasks, rollouts: null }

export const inputOf = (
  { cast, grid, settings, ahead, tracing }: RunPlan,
  pinned: Search.Pinned | null
): Search.Input => ({
  settings,
  grid,
  randomness: cast.randomness,
  judged: Option.isSome(cast.grader),
  ahead,
  seedPerson: cast.seedPerson,
  leakage: tracing?.leakage ?? null,
  traced: tracing?.failing ?? [],
  pinned
})

/** Rows a call gives if nothing cuts it short, as far as that is known. */
const expectedRows = ({ settings }: RunPlan): number => {
  const { budget, phrasings, repeats, runs, situations, tasks } = settings
  const wanted =
    tasks !== null ? tasks.length * repeats : situations === null ? budget : situations * phrasings * repeats
  return Math.min(budget, wanted) * runs
}

/** Why a call stopped: what ended all its runs, else what ended the first, which chose the tasks. */
const stoppedBecause = (states: readonly [Search.State, ...Array<Search.State>]): Search.StopReason => {
  const last = states.at(-1)?.stopped ?? null
  return (Search.endsAll(last) ? last : states[0].stopped) ?? "interrupted"
}
