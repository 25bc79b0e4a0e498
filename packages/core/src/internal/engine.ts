/**
 * One run from its cast to its summary: gives the search its edges (writer, rollouts, grader, sink), counts what lands,
 * and says at the end what the run was.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import type * as SameModelDetector from "../model/SameModelDetector.ts"
import type * as Randomness from "../random/Randomness.ts"
import type * as AgentBackend from "../rollout/AgentBackend.ts"
import type * as PinnedTasks from "../row/PinnedTasks.ts"
import type * as UserSimulator from "../rollout/UserSimulator.ts"
import * as Row from "../row/Row.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import type * as RowSink from "../row/RowSink.ts"
import type * as RunMeta from "../row/RunMeta.ts"
import type { TraceMining } from "../row/SearchReport.ts"
import type { Warning } from "../row/Warning.ts"
import * as Driver from "../search/Driver.ts"
import type { RunEvent } from "../search/RunEvent.ts"
import * as Search from "../search/Search.ts"
import type { Grid } from "../situation/Axes.ts"
import type { Service as Writer } from "../situation/SituationWriter.ts"
import type { RunSettings } from "../task/RunSettings.ts"
import type * as World from "../world/World.ts"
import * as Edges from "./edges.ts"
import { Book } from "./ledger.ts"
import * as Summary from "./summary.ts"

/** Who plays, resolved. */
export interface Cast {
  readonly agent: AgentBackend.Service
  readonly writer: Writer
  /** Writes what `writer` could not; null to stop instead. */
  readonly fallback: Writer | null
  /** Made as the run begins: its writer may first have to say what results look like. */
  readonly world: Effect.Effect<World.Service>
  /** Null for an agent that talks to nobody. */
  readonly user: UserSimulator.Service | null
  readonly grader: Option.Option<Grader.Service>
  readonly randomness: Randomness.Service
  readonly detector: SameModelDetector.Service
  readonly sink: RowSink.Service
}

/** A run ready to begin. */
export interface Prepared {
  readonly settings: RunSettings
  readonly cast: Cast
  readonly grid: Grid
  /** The earlier run whose tasks are rolled again; null for tasks of this run's own. */
  readonly pinned: PinnedTasks.PinnedTasks | null
  /** What traces aimed at; null without any. */
  readonly tracing: Tracing | null
  readonly ahead: number
  readonly runId: string
  readonly systemPromptSha: string | null
  readonly profile: RunMeta.Profile
  readonly knobs: Readonly<Record<string, unknown>>
  readonly notes: ReadonlyArray<Warning>
  /** What the preparation had to do without. */
  readonly degraded: ReadonlyArray<Warning>
}

export interface Tracing {
  readonly strategy: string
  readonly report: TraceMining
  readonly leakage: NonNullable<Search.Input["leakage"]>
  readonly failing: NonNullable<Search.Input["traced"]>
  /** What later lines of people came to. */
  readonly lines: () => { readonly refused: number; readonly highest: number }
}

export interface Hooks {
  readonly onEvent: (event: RunEvent) => void
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
  /** Why rows are in memory alone, when writing them failed. */
  readonly unwritten: RowFileError | null
}

/** Plays a run to its end. Fails only when the meta file cannot be begun, before anything was run. */
export const play = Effect.fn("Simulation.play")(function* (prepared: Prepared, hooks: Hooks) {
  const { cast, settings, runId } = prepared
  const { grader, sink } = cast
  const startedMillis = yield* Clock.currentTimeMillis
  const startedAt = new Date(startedMillis).toISOString()
  const scoringRunId = Option.isSome(grader) ? yield* Grader.newScoringRunId : null
  const invocationId = (yield* Grader.newScoringRunId).replace("score_", "call_")
  const halted = yield* Deferred.make<void>()

  const book = new Book(settings.tools, prepared.grid)
  let unwritten: RowFileError | null = null

  const metaOf = (status: RunMeta.Status, ending: Partial<RunMeta.RunMeta>): RunMeta.RunMeta => ({
    schema_version: Row.schemaVersion,
    run_id: runId,
    invocation_id: invocationId,
    status,
    started_at: startedAt,
    finished_at: null,
    options: prepared.knobs,
    profile: prepared.profile,
    counts: { rows: 0, requested: 0, completed: 0, lost: 0, resumed: 0 },
    stopped_because: null,
    degraded: [],
    warnings: prepared.notes,
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
    warnings: prepared.notes
  })

  // What results look like may have to be asked for: rollouts wait for it, and end as any other when the run stops.
  const making = yield* Effect.fork(cast.world)
  const clock = yield* Deferred.make<void>()
  const ticking = yield* Effect.fork(
    settings.timeBudget === null
      ? Effect.never
      : Effect.zipRight(Effect.sleep(Duration.seconds(settings.timeBudget)), Deferred.succeed(clock, undefined))
  )
  const play = (evalRun: number, pinned: Search.Pinned | null) =>
    Driver.run(inputOf(prepared, pinned), {
      ...Edges.make({ prepared, hooks, book, scoringRunId, kept, evalRun, made: Effect.flatten(Fiber.await(making)) }),
      stop: Effect.race(hooks.stop, Deferred.await(halted)),
      isStopped: () => hooks.isStopped() || unwritten !== null,
      clock: Deferred.await(clock),
      onStop: (reason) => Effect.sync(() => hooks.onEvent({ _tag: "Stopping", reason }))
    })
  const states: [Search.State, ...Array<Search.State>] = [yield* play(0, pinnedOf(settings))]
  for (let evalRun = 1; evalRun < settings.runs; evalRun++) {
    if (Search.endsAll(states.at(-1)?.stopped ?? null)) break
    // Between runs too, so that a stop gets through to a long row of short ones.
    yield* Effect.sleep(Duration.zero)
    states.push(yield* play(evalRun, Search.replayOf(states[0])))
  }
  yield* Fiber.interrupt(ticking)
  yield* Fiber.interrupt(making)
  yield* kept(sink.flush)

  const stopped = stoppedBecause(states)
  const finishedMillis = yield* Clock.currentTimeMillis
  const finishedAt = new Date(finishedMillis).toISOString()
  const roles = {
    agent: cast.agent.identity,
    writer: settings.tasks === null ? cast.writer.identity : { name: settings.tasks[0]?.writer ?? "none" },
    user: cast.user?.identity ?? null,
    judge: Option.match(grader, { onNone: () => null, onSome: Grader.identityOf })
  }
  // Null for a sink that keeps nothing.
  const digest = yield* sink.digest
  const seen: Summary.Observations = {
    ledger: book,
    degraded: [...prepared.degraded, ...(cast.writer.degraded === undefined ? [] : yield* cast.writer.degraded)],
    tracing: prepared.tracing,
    pinned: prepared.pinned,
    kept: digest !== null,
    unwritten: unwritten !== null
  }
  const summary = Summary.make(states, seen, roles, {
    knobs: prepared.knobs,
    notes: prepared.notes,
    sameModel: cast.detector.detect(roles),
    startedAt,
    finishedAt,
    elapsed: (finishedMillis - startedMillis) / 1000
  })
  const rows = book.tally.rows()
  const meta = metaOf(statusOf(stopped, rows), {
    finished_at: finishedAt,
    counts: {
      rows,
      requested: summary.report.rollouts_requested,
      completed: summary.report.completed,
      lost: summary.report.lost,
      resumed: 0
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
  const ended: Ended = { meta, stopped, rows, unwritten }
  return ended
})

const statusOf = (stopped: Search.StopReason, rows: number): RunMeta.Status => {
  if (stopped === "interrupted") return "interrupted"
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
  { cast, grid, settings, ahead, tracing }: Prepared,
  pinned: Search.Pinned | null
): Search.Input => ({
  settings,
  grid,
  randomness: cast.randomness,
  judged: Option.isSome(cast.grader),
  ahead,
  leakage: tracing?.leakage ?? null,
  traced: tracing?.failing ?? [],
  pinned
})

/** Rows a call gives if nothing cuts it short, as far as that is known. */
const expectedRows = ({ settings }: Prepared): number => {
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
