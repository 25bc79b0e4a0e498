/**
 * The edges of one eval run: what the search's commands do to the writer, the agent, the grader and the sink.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Conduct from "../grade/Conduct.ts"
import * as Grader from "../grade/Grader.ts"
import * as Deadline from "../model/Deadline.ts"
import * as Rollout from "../rollout/Rollout.ts"
import * as UserSimulator from "../rollout/UserSimulator.ts"
import * as PinnedTasks from "../row/PinnedTasks.ts"
import * as Row from "../row/Row.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import type * as Driver from "../search/Driver.ts"
import type * as Search from "../search/Search.ts"
import type { Ask, Slot, WriterFailed } from "../situation/SituationWriter.ts"
import { CurrentRollout } from "../task/CurrentRollout.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import type * as World from "../world/World.ts"
import type { Cast, Hooks, Prepared } from "./engine.ts"
import type { Book } from "./ledger.ts"

export interface Input {
  readonly prepared: Prepared
  readonly hooks: Hooks
  readonly book: Book
  readonly scoringRunId: string | null
  readonly evalRun: number
  /** Writes to the sink; what cannot be written ends the run. */
  readonly kept: (write: Effect.Effect<void, RowFileError>) => Effect.Effect<void>
  /** The run's world, once it is there. */
  readonly made: Effect.Effect<World.Service>
}

export type Edges = Pick<Driver.Edge<Landing>, "write" | "choose" | "roll" | "judge" | "land">

export const make = ({ book, evalRun, hooks, kept, made, prepared, scoringRunId }: Input): Edges => {
  const { cast, runId, settings } = prepared
  const { grader, sink } = cast
  const stage: Rollout.Stage = {
    settings,
    runId,
    systemPromptSha: prepared.systemPromptSha,
    randomness: cast.randomness,
    agent: cast.agent,
    world: {
      name: "run",
      open: (task, key) => Effect.flatMap(Deadline.suspend(made), (world) => world.open(task, key))
    },
    replay: replayOf(prepared, evalRun),
    keepOutcome: Option.isSome(grader)
  }
  const conductSettings = { tools: settings.tools, systemPrompt: settings.systemPrompt, locale: settings.locale }

  const roll = ({ task, index, order }: Driver.Roll, restore: Driver.Restore): Effect.Effect<Driver.Outcome<Landing>> =>
    Effect.suspend(() => {
      const key: RolloutKey = { taskId: task.id, index, evalRun }
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
        book.finished(played, evalRun)
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
        const { reason, refused, reward } = verdict
        return [
          { ...finished, row },
          { reward, ...(reason === undefined ? {} : { reason }), ...(refused === undefined ? {} : { refused }) }
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

  return {
    write: (slots) => Effect.tapError(write(cast, slots, book), (error) => Effect.sync(() => book.writerFailed(error))),
    choose: (task, order) => {
      // Later runs roll the first one's tasks: they are told of, and kept, once.
      if (evalRun > 0) return Effect.void
      const { privileged: _, ...chosen } = task
      hooks.onEvent({ _tag: "TaskChosen", task: chosen })
      return kept(sink.asks(askRecord(runId, task, order)))
    },
    roll,
    judge: Option.isSome(grader) ? judgeWith(Grader.withTimeout(grader.value, settings.timeouts.grader)) : null,
    land
  }
}

/** What rows say of the run they replay: an earlier run's tasks, or the first run of this call. */
const replayOf = (prepared: Prepared, evalRun: number): Rollout.Stage["replay"] => {
  const { cast, pinned, settings, systemPromptSha } = prepared
  const within = evalRun > 0 ? { replayed_from_run: 0 } : {}
  if (pinned === null) return within
  const now = { systemPromptSha, model: cast.agent.identity.name, sampling: settings.sampling }
  return {
    ...within,
    ...(pinned.source === null ? {} : { replayed_from: pinned.source }),
    changed: PinnedTasks.changes(pinned.played, now)
  }
}

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
