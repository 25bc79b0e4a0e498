/**
 * The handlers of one eval run: what the search's commands do to the writer, the agent, the grader and the sink.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Conduct from "../grade/Conduct.ts"
import * as Grader from "../grade/Grader.ts"
import * as Deadline from "../time/Deadline.ts"
import type { Meter } from "../model/Meter.ts"
import { Usage } from "../model/Usage.ts"
import * as Rollout from "../rollout/Rollout.ts"
import * as PinnedTasks from "../row/PinnedTasks.ts"
import type * as Row from "../row/Row.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import type * as Driver from "../search/Driver.ts"
import type { Ask, Slot, WriterFailed } from "../situation/SituationWriter.ts"
import { CurrentRollout } from "../task/CurrentRollout.ts"
import type { RolloutKey } from "../task/Task.ts"
import type * as World from "../world/World.ts"
import * as AsksFile from "../resume/asksFile.ts"
import { digestOf } from "../search/internal/rowDigest.ts"
import type { Hooks } from "./runLoop.ts"
import type { RunCounters } from "./runCounters.ts"
import type { RunRoles, RunPlan } from "./runPlan.ts"
import * as DistinctFailures from "../report/DistinctFailures.ts"
import * as RunSpans from "./spans.ts"

export interface Input {
  readonly prepared: RunPlan
  readonly hooks: Hooks
  readonly counters: RunCounters
  readonly scoringRunId: string | null
  readonly evalRun: number
  /** Puts a row in the place of the one it was on disk, once the run is over. */
  readonly replace: (row: Row.Row) => Effect.Effect<void>
  /** Writes to the sink; what cannot be written ends the run. */
  readonly kept: (write: Effect.Effect<void, RowFileError>) => Effect.Effect<void>
  /** The run's world, once it is there. */
  readonly made: Effect.Effect<World.Service>
  /** Whether somebody takes spans. */
  readonly traced: boolean
}

export type HandlersOf<Finished> = Pick<Driver.Edge<Finished>, "write" | "choose" | "roll" | "judge" | "land">

export interface Handlers extends HandlersOf<PendingRow> {
  /** A row of an earlier call, on its way to the verdict it did not get. */
  readonly landed: (row: Row.Row, roll: Driver.Roll) => PendingRow
}

export const make = (input: Input): Handlers => {
  const { counters, evalRun, hooks, kept, made, prepared, scoringRunId, traced } = input
  const { cast, meter, runId, settings } = prepared
  const { grader, sink } = cast
  const stage = stageOf(prepared, worldOf(made), evalRun)
  const conductSettings = conductSettingsOf(prepared)

  const roll = (
    { task, index, order }: Driver.Roll,
    restore: Driver.Restore
  ): Effect.Effect<Driver.Outcome<PendingRow>> => {
    const key: RolloutKey = { taskId: task.id, index, evalRun }
    hooks.onEvent({ _tag: "RolloutStarted", ...key })
    const playing = Rollout.play(stage, task, key, restore)
    const rollout = traced ? RunSpans.rollout(cast.agent.identity, runId, task, key)(playing) : playing
    return Effect.flatMap(rollout, (played): Effect.Effect<Driver.Outcome<PendingRow>> => {
      if (played._tag === "Lost") {
        const { reason, detail } = played
        counters.lost(played)
        hooks.onEvent({ _tag: "RolloutLost", ...key, reason, detail })
        return Effect.as(kept(sink.lost(Rollout.lostRecord(runId, played, counters.tally.rows()))), {
          _tag: "Lost",
          reason,
          detail
        })
      }
      counters.finished(played, evalRun)
      told(meter, cast, played.row)
      const { results, row } = played
      const finished: PendingRow = { _tag: "Finished", played, row, order, replaces: false }
      return Effect.succeed({ _tag: "Row", finished, digest: digestOf(row, conductSettings, results) })
    })
  }

  /** A judge that was not asked any more because the run reached its cap. */
  const isCapped = ({ reward, status }: Grader.Verdict): boolean =>
    meter.reachedCap() !== null && reward === null && status === "error"

  const judgeWith =
    (service: Grader.Service) =>
    (finished: PendingRow, restore: Driver.Restore): Effect.Effect<readonly [PendingRow, Driver.Verdict]> => {
      if (!Grader.isGradable(finished.row, settings.gradeTruncated)) {
        return Effect.succeed([finished, { reward: null }] as const)
      }
      const graded = gradeOf(service, conductSettings, finished.played, finished.row)
      return Effect.map(Effect.exit(restore(graded)), (exit) => {
        const verdict = Exit.isSuccess(exit) && !isCapped(exit.value) ? owing(exit.value) : stopped
        counters.judged(verdict, finished.row.lineage?.eval_run ?? 0)
        const judge = Grader.identityOf(service)
        if (judge !== null && isUsage(verdict.meta["usage"])) meter.told("judge", judge, verdict.meta["usage"])
        const row = Grader.apply(finished.row, verdict, { grader: service, scoringRunId })
        hooks.onEvent({ _tag: "Judged", rowId: row.row_id, reward: verdict.reward, status: verdict.status })
        const { reason, refused, reward } = verdict
        const failure = DistinctFailures.keyOf(row)
        return [
          { ...finished, row },
          {
            reward,
            ...(reason === undefined ? {} : { reason }),
            ...(failure === null ? {} : { failure }),
            ...(refused === undefined ? {} : { refused })
          }
        ] as const
      })
    }

  const land = (finished: PendingRow): Effect.Effect<void> => {
    const { results } = finished.played
    const row = settings.conduct
      ? withConduct(finished.row, Option.isSome(grader), conductSettings, results)
      : finished.row
    counters.landed(row, finished.order)
    const landed = finished.replaces ? input.replace(row) : kept(sink.append(row))
    return Effect.flatMap(landed, () => {
      hooks.onEvent({ _tag: "RowLanded", row })
      return hooks.onRow(row, finished.order)
    })
  }

  return {
    write: (slots) =>
      write(prepared, slots, counters).pipe(
        Effect.tapError((error) => Effect.sync(() => counters.writerFailed(error))),
        // What templates write can be written again at no cost.
        Effect.tap((asks) =>
          prepared.ahead === 0 ? Effect.void : kept(sink.asks(AsksFile.ofWritten(runId, slots, asks)))
        )
      ),
    choose: (task, order) => {
      // Later runs roll the first one's tasks: they are told of, and kept, once.
      if (evalRun > 0) return Effect.void
      const { privileged: _, ...chosen } = task
      hooks.onEvent({ _tag: "TaskChosen", task: chosen })
      return kept(sink.asks(AsksFile.ofTask(runId, task, order)))
    },
    roll,
    judge: Option.isSome(grader) ? judgeWith(Grader.withTimeout(grader.value, settings.timeouts.grader)) : null,
    land,
    landed: (row, { index, order, task }) => ({
      _tag: "Finished",
      played: {
        info: Rollout.infoOf(stage, task, { taskId: task.id, index, evalRun }, row.row_id),
        privileged: task.privileged,
        // the world it was played in is gone
        outcome: null
      },
      row: unjudged(row),
      order,
      replaces: true
    })
  }
}

/** What the rollouts of one eval run are played with. */
export const stageOf = (plan: RunPlan, world: World.Service, evalRun: number): Rollout.Stage => {
  const { cast, runId, settings, systemPromptSha } = plan
  return {
    settings,
    runId,
    systemPromptSha,
    randomness: cast.randomness,
    agent: cast.agent,
    user: cast.user,
    world,
    lineage: lineageOf(plan, evalRun),
    keepOutcome: Option.isSome(cast.grader)
  }
}

/** What the rules of conduct read a run's rows by. */
export const conductSettingsOf = ({ cast: { language }, settings: { locale, systemPrompt, tools } }: RunPlan) => ({
  tools,
  systemPrompt,
  locale,
  language
})

/** The verdict on a rollout that was played, with what its grader may know of it. */
export const gradeOf = (
  grader: Grader.Service,
  settings: ReturnType<typeof conductSettingsOf>,
  { info, outcome, privileged }: PendingRow["played"],
  row: Row.Row
): Effect.Effect<Grader.Verdict> =>
  Effect.provideService(grader.grade(row, { ...settings, privileged, outcome }), CurrentRollout, Option.some(info))

/** The run's world, waited for only until it is there. */
const worldOf = (made: Effect.Effect<World.Service>): World.Service => {
  let there: World.Service | null = null
  return {
    name: "run",
    open: (task, key) => {
      if (there !== null) return there.open(task, key)
      return Effect.flatMap(Deadline.suspend(made), (world) => {
        there = world
        return world.open(task, key)
      })
    }
  }
}

/** What rows say of their run, and of the one they replay: an earlier run's tasks, or the first run of this call. */
export const lineageOf = (prepared: RunPlan, evalRun: number): Row.Lineage => {
  const { cast, pinned, runId, settings, systemPromptSha } = prepared
  const own = {
    run_id: runId,
    system_prompt_sha: systemPromptSha,
    eval_run: evalRun,
    repeat_policy: settings.repeatPolicy,
    probe: settings.probe,
    ...(evalRun > 0 ? { replayed_from_run: 0 } : {})
  }
  if (pinned === null) return own
  const { agent, user } = cast
  // A model's backend settles its sampling as it plays; where the source tells no temperature, nothing is known to differ.
  const temperature =
    agent.kind !== "model"
      ? PinnedTasks.temperatureOf(settings.sampling)
      : pinned.played.temperature === null
        ? null
        : settings.conversation.temperature
  const now = { systemPromptSha, model: agent.identity.name, user: user?.identity.name ?? null, temperature }
  return {
    ...own,
    ...(pinned.source === null ? {} : { replayed_from: pinned.source }),
    changed: PinnedTasks.changes(pinned.played, now)
  }
}

/** Writes in a row that gave nothing, after which a writer is not asked any more where there is another. */
const mostEmptyWrites = 3

/** Asks of the writer; what it could not or would not write comes from the fallback, where there is one. */
const write = (
  { cast: { fallback, writer }, meter }: RunPlan,
  slots: ReadonlyArray<Slot>,
  counters: RunCounters
): Effect.Effect<ReadonlyArray<Ask>, WriterFailed> => {
  if (fallback === null) return writer.write(slots)
  const written = (left: ReadonlyArray<Slot>, detail: string): Effect.Effect<ReadonlyArray<Ask>, WriterFailed> => {
    counters.fellBack(left.length, detail)
    return fallback.write(left)
  }
  if (counters.emptyWrites >= mostEmptyWrites) return written(slots, "The writer gave nothing time and again.")
  return Effect.matchEffect(writer.write(slots), {
    onFailure: (error) => {
      if (error.reason === "auth" || error.reason === "quota" || meter.reachedCap() !== null) return Effect.fail(error)
      counters.emptyWrites += 1
      return written(slots, error.detail)
    },
    onSuccess: (asks) => {
      if (asks.length > 0) counters.emptyWrites = 0
      const answered = new Set(asks.map(({ slot }) => slot))
      const left = writer.owesEverySlot === true ? slots.filter((slot) => !answered.has(slot)) : []
      if (left.length === 0) return Effect.succeed(asks)
      return Effect.map(written(left, "No usable text came for them."), (more) => [...asks, ...more])
    }
  })
}

const stopped: Grader.Verdict = {
  reward: null,
  status: "timeout",
  reason: "The run stopped before the verdict came.",
  meta: { owed: true }
}

/** The pass that ended before its verdict came was none: the row becomes what it would have been without it. */
const unjudged = (row: Row.Row): Row.Row => {
  if (row.lineage === undefined) return row
  const { scoring_run_id: _, ...lineage } = row.lineage
  return { ...row, lineage }
}

/** Nobody judges after a refusal for good; whoever goes on with the run has the row judged then. */
const owing = (verdict: Grader.Verdict): Grader.Verdict =>
  verdict.refused === undefined ? verdict : { ...verdict, meta: { ...verdict.meta, owed: true } }

/** Tokens that agents and people of the caller's tell of themselves. */
const told = (meter: Meter, { agent, user }: RunRoles, { usage }: Row.Row): void => {
  if (usage === undefined) return
  if (usage["agent"] !== undefined) meter.told("agent", agent.identity, usage["agent"])
  if (usage["user"] !== undefined && user !== null) meter.told("user", user.identity, usage["user"])
}

const isUsage = Schema.is(Usage)

/** A finished rollout on its way to the sink. */
export interface PendingRow {
  readonly _tag: "Finished"
  readonly played: Pick<Rollout.CompletedRollout, "info" | "privileged" | "outcome"> &
    Partial<Pick<Rollout.CompletedRollout, "results">>
  /** As it was played; once it was judged, with its verdict. */
  readonly row: Row.Row
  readonly order: number
  /** Its row is on disk already, and gets its verdict now. */
  readonly replaces: boolean
}

/** The conduct grade of a row: its reward, or a marker beside a grader's, so that a failed judge never reads as 0. */
export const withConduct = (
  row: Row.Row,
  graded: boolean,
  settings: Conduct.Settings,
  results: ReadonlyArray<string> | undefined
): Row.Row => {
  const verdict = Conduct.grade(row, settings, results)
  return graded
    ? Grader.mark(row, { conduct: verdict.reward })
    : Grader.apply(row, verdict, { grader: Conduct.service, scoringRunId: null })
}
