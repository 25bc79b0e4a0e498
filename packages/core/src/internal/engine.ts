/**
 * One run from its cast to its summary: gives the search its edges (writer, rollouts, grader, sink), counts what lands,
 * and says at the end what the run was.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Conduct from "../grade/Conduct.ts"
import * as Grader from "../grade/Grader.ts"
import * as Deadline from "../model/Deadline.ts"
import type { Identity } from "../model/Identity.ts"
import type * as SameModelDetector from "../model/SameModelDetector.ts"
import type * as Randomness from "../random/Randomness.ts"
import type * as AgentBackend from "../rollout/AgentBackend.ts"
import * as UserSimulator from "../rollout/UserSimulator.ts"
import * as Rollout from "../rollout/Rollout.ts"
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
import type { Ask, Slot, Service as Writer, WriterFailed } from "../situation/SituationWriter.ts"
import { CurrentRollout } from "../task/CurrentRollout.ts"
import type { RunSettings } from "../task/RunSettings.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import type * as World from "../world/World.ts"
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

  const expected = settings.situations === null ? null : settings.situations * settings.phrasings * settings.repeats
  yield* hooks.keepMeta(metaOf("running", {}))
  hooks.onEvent({
    _tag: "Started",
    runId,
    budget: settings.budget,
    expected: expected === null ? settings.budget : Math.min(settings.budget, expected),
    warnings: prepared.notes
  })

  // What results look like may have to be asked for: rollouts wait for it, and end as any other when the run stops.
  const making = yield* Effect.fork(cast.world)
  const world: World.Service = {
    name: "run",
    open: (task, key) =>
      Effect.flatMap(Effect.flatten(Deadline.suspend(Fiber.await(making))), (made) => made.open(task, key))
  }
  const stage: Rollout.Stage = {
    settings,
    runId,
    systemPromptSha: prepared.systemPromptSha,
    randomness: cast.randomness,
    agent: cast.agent,
    world,
    keepOutcome: Option.isSome(grader)
  }
  const conductSettings = { tools: settings.tools, systemPrompt: settings.systemPrompt, locale: settings.locale }

  const roll = ({ task, index, order }: Driver.Roll, restore: Driver.Restore): Effect.Effect<Driver.Outcome<Landing>> =>
    Effect.suspend(() => {
      const key: RolloutKey = { taskId: task.id, index, evalRun: 0 }
      hooks.onEvent({ _tag: "RolloutStarted", ...key })
      const rollout = Rollout.play(stage, task, key, restore)
      const played =
        cast.user === null ? rollout : Effect.provideService(rollout, UserSimulator.UserSimulator, cast.user)
      return Effect.flatMap(played, (played): Effect.Effect<Driver.Outcome<Landing>> => {
        if (played._tag === "Lost") {
          const { reason, detail } = played
          book.lost(played)
          hooks.onEvent({ _tag: "RolloutLost", ...key, reason, detail })
          return Effect.as(kept(sink.lost(Rollout.lostRecord(runId, played))), { _tag: "Lost", reason })
        }
        book.finished(played)
        const finished = { ...played, order }
        return Effect.succeed({ _tag: "Row", finished, digest: digestOf(played.row, conductSettings) })
      })
    })

  const judgeWith =
    (service: Grader.Service) =>
    (finished: Landing, restore: Driver.Restore): Effect.Effect<readonly [Landing, Driver.Verdict]> => {
      if (!Grader.isGradable(finished.row, settings.gradeTruncated)) {
        return Effect.succeed([finished, { reward: null }] as const)
      }
      const context = { ...conductSettings, privileged: finished.privileged, outcome: finished.outcome }
      const graded = Effect.provideService(
        service.grade(finished.row, context),
        CurrentRollout,
        Option.some(finished.info)
      )
      return Effect.map(Effect.exit(restore(graded)), (exit) => {
        const verdict: Grader.Verdict = Exit.isSuccess(exit)
          ? exit.value
          : { reward: null, status: "timeout", reason: "The run stopped before the verdict came.", meta: {} }
        book.judged(verdict)
        const row = Grader.apply(finished.row, verdict, { grader: service, scoringRunId })
        hooks.onEvent({ _tag: "Judged", rowId: row.row_id, reward: verdict.reward, status: verdict.status })
        const { reward, reason } = verdict
        return [
          { ...finished, row },
          { reward, ...(reason === undefined ? {} : { reason }) }
        ] as const
      })
    }

  const land = (finished: Landing): Effect.Effect<void> => {
    const row = settings.conduct ? withConduct(finished.row, Option.isSome(grader), conductSettings) : finished.row
    book.landed(row)
    return Effect.zipRight(
      kept(sink.append(row)),
      Effect.suspend(() => {
        hooks.onEvent({ _tag: "RowLanded", row })
        return hooks.onRow(row, finished.order)
      })
    )
  }

  const input: Search.Input = {
    settings,
    grid: prepared.grid,
    randomness: cast.randomness,
    judged: Option.isSome(grader),
    ahead: prepared.ahead,
    leakage: prepared.tracing?.leakage ?? null,
    traced: prepared.tracing?.failing ?? []
  }
  const state = yield* Driver.run(input, {
    write: (slots) => Effect.tapError(write(cast, slots, book), (error) => Effect.sync(() => book.writerFailed(error))),
    choose: (task, order) => {
      const { privileged: _, ...chosen } = task
      hooks.onEvent({ _tag: "TaskChosen", task: chosen })
      return kept(sink.asks(askRecord(runId, task, order)))
    },
    roll,
    judge: Option.isSome(grader) ? judgeWith(Grader.withTimeout(grader.value, settings.timeouts.grader)) : null,
    land,
    stop: Effect.race(hooks.stop, Deferred.await(halted)),
    onStop: (reason) => Effect.sync(() => hooks.onEvent({ _tag: "Stopping", reason }))
  })
  yield* Fiber.interrupt(making)
  yield* kept(sink.flush)

  const stopped = state.stopped ?? "interrupted"
  const finishedMillis = yield* Clock.currentTimeMillis
  const finishedAt = new Date(finishedMillis).toISOString()
  const roles = {
    agent: cast.agent.identity,
    writer: cast.writer.identity,
    user: cast.user?.identity ?? null,
    judge: Option.match(grader, { onNone: () => null, onSome: judgeIdentity })
  }
  const seen: Summary.Observations = {
    ledger: book,
    degraded: [...prepared.degraded, ...(cast.writer.degraded === undefined ? [] : yield* cast.writer.degraded)],
    tracing: prepared.tracing
  }
  const summary = Summary.make(state, seen, roles, {
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
    counts: { rows, requested: state.requested, completed: state.landed, lost: state.lost, resumed: 0 },
    stopped_because: stopped,
    degraded: summary.degraded,
    warnings: summary.warnings,
    search: summary.search,
    report: summary.report,
    rows_digest: yield* sink.digest,
    group_cut: Search.cutGroups(state).map((group) => ({ ...group, eval_run: 0 }))
  })
  yield* kept(hooks.keepMeta(meta))
  hooks.onEvent({ _tag: "Stopped", reason: stopped, rows })
  const ended: Ended = { meta, stopped, rows, unwritten }
  return ended
})

/** Asks of the writer; what it could not or would not write comes from the fallback, where there is one. */
const write = (
  { fallback, writer }: Cast,
  slots: ReadonlyArray<Slot>,
  book: Book
): Effect.Effect<ReadonlyArray<Ask>, WriterFailed> => {
  if (fallback === null) return writer.write(slots)
  const written = (left: ReadonlyArray<Slot>, detail: string): Effect.Effect<ReadonlyArray<Ask>, WriterFailed> => {
    book.fellBack(left.length, detail)
    return fallback.write(left)
  }
  return Effect.matchEffect(writer.write(slots), {
    onFailure: (error) =>
      error.reason === "auth" || error.reason === "quota" ? Effect.fail(error) : written(slots, error.detail),
    onSuccess: (asks) => {
      const answered = new Set(asks.map(({ slot }) => slot))
      const left = writer.owesEverySlot === true ? slots.filter((slot) => !answered.has(slot)) : []
      if (left.length === 0) return Effect.succeed(asks)
      return Effect.map(written(left, "No usable text came for them."), (more) => [...asks, ...more])
    }
  })
}

/** A finished rollout on its way to the sink. */
interface Landing extends Rollout.Finished {
  readonly order: number
}

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

const judgeIdentity = ({ name, model }: Grader.Service): Identity => ({
  name: model ?? name,
  ...(model === null ? {} : { model })
})

/** The conduct grade of a row: its reward, or a marker beside a grader's, so that a failed judge never reads as 0. */
const withConduct = (row: Row.Row, graded: boolean, settings: Conduct.Settings): Row.Row => {
  const verdict = Conduct.grade(row, settings)
  return graded
    ? Grader.mark(row, { conduct: verdict.reward })
    : Grader.apply(row, verdict, { grader: Conduct.service, scoringRunId: null })
}

const digestOf = (row: Row.Row, settings: Conduct.Settings): Search.Digest => {
  const calls = row.steps.filter(Row.isCallStep)
  const worldFault = calls.some(({ fault, status }) => fault !== undefined || status !== "ok")
  return {
    signature: row.behavior_signature ?? "",
    truncated: row.finish_reason === "length",
    worldFault,
    handledBadly: worldFault && (Conduct.grade(row, settings).reward ?? 1) < 1,
    shapes: calls.map(({ tool, status }) => `${tool}:${status}`)
  }
}

/** A line of `run.asks.jsonl`: a task as it was admitted, without what only graders may see. */
const askRecord = (runId: string, task: Task, order: number): object => ({
  schema_version: Row.schemaVersion,
  run_id: runId,
  order,
  task_id: task.id,
  scenario_id: task.scenarioId,
  prompt: task.prompt,
  scenario_dimensions: task.dimensions,
  tier: task.tier,
  shown: task.shown,
  arm: task.arm,
  phrasing: task.phrasing,
  writer_model: task.writer,
  ...(task.parentTaskId === undefined ? {} : { parent_task_id: task.parentTaskId }),
  ...(task.aim === undefined ? {} : { aim: task.aim }),
  world_state: task.worldState,
  faults: task.faults.length === 0 ? null : task.faults,
  plan: task.plan
})
