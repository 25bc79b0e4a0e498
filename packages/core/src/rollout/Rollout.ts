/**
 * One rollout: a fresh world, one play of the agent, and the row (or the loss) that comes of it.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Deadline from "../model/Deadline.ts"
import type * as Randomness from "../random/Randomness.ts"
import * as Row from "../row/Row.ts"
import * as Signature from "../row/Signature.ts"
import { CurrentRollout, type RolloutInfo } from "../task/CurrentRollout.ts"
import * as ErrorText from "../task/ErrorText.ts"
import type { RunSettings } from "../task/RunSettings.ts"
import type { Privileged, RolloutKey, Task } from "../task/Task.ts"
import type * as World from "../world/World.ts"
import * as Agent from "./AgentBackend.ts"

/** What all rollouts of a run share. */
export interface Stage {
  readonly settings: RunSettings
  readonly runId: string
  /** SHA-256 of the system prompt; null without one. */
  readonly systemPromptSha: string | null
  readonly randomness: Randomness.Service
  readonly agent: Agent.Service
  /** Opens a world per rollout, planned faults first. */
  readonly world: World.Service
  /** What a replay says of its source. */
  readonly replay: Pick<Row.Lineage, "replayed_from_run" | "replayed_from" | "changed">
  /** Whether graders will want the world's end. */
  readonly keepOutcome: boolean
}

/** A finished rollout: its row, and beside it what only graders may see. */
export interface Finished {
  readonly _tag: "Finished"
  readonly info: RolloutInfo
  readonly row: Row.Row
  readonly privileged: Privileged
  readonly outcome: { readonly writes: ReadonlyArray<unknown>; readonly state: unknown } | null
  readonly endedOnQuestion: boolean
  readonly followupMisses: number
}

/** A rollout that gave no usable row: a line of the file of lost rollouts. */
export interface Lost {
  readonly _tag: "Lost"
  readonly task: Task
  readonly key: RolloutKey
  readonly reason: Agent.LossReason
  readonly detail: string
  readonly steps: ReadonlyArray<unknown>
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Plays a task once. Never fails: an agent that throws, hangs or is interrupted ends as `Lost`. `restore` is what may
 * be interrupted; the record of what happened is always made.
 */
export const play = (stage: Stage, task: Task, key: RolloutKey, restore: Restore): Effect.Effect<Finished | Lost> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(Scope.make(), (scope) => {
      const startedAt = clock.unsafeCurrentTimeMillis()
      const rowId = Row.rowId(stage.runId, task.id, key.evalRun, key.index)
      const info = infoOf(stage, task, key, rowId)
      let opened: World.Session | null = null
      let rollout: Agent.Rollout | null = null
      const played = Effect.flatMap(stage.world.open(task, key), (world) => {
        opened = world
        rollout = Agent.rollout({ info, task, settings: stage.settings, world })
        return stage.agent.play(rollout)
      })
      // One context for all that a rollout provides: each provision costs as much as a call.
      const own = Context.make(Scope.Scope, scope).pipe(Context.add(CurrentRollout, Option.some(info)))
      const provided = Effect.provide(within(played, stage.settings.timeouts.rollout), own)
      return Effect.flatMap(Effect.exit(restore(provided)), (exit): Effect.Effect<Finished | Lost> => {
        if (Exit.isFailure(exit) || opened === null) {
          const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
          return Effect.as(Scope.close(scope, exit), lostBy(stage, task, key, cause, rollout))
        }
        const world: World.Session = opened
        const trajectory = exit.value
        const finished = (writes: ReadonlyArray<Row.WorldWrite>, state: unknown): Effect.Effect<Finished> =>
          Effect.flatMap(Scope.close(scope, Exit.void), () => {
            const elapsed = (clock.unsafeCurrentTimeMillis() - startedAt) / 1000
            const timings = { started_at: new Date(startedAt).toISOString(), elapsed }
            return Effect.succeed({
              _tag: "Finished",
              info,
              row: rowOf(stage, task, key, rowId, trajectory, writes, timings),
              privileged: task.privileged,
              outcome: stage.keepOutcome ? { writes, state } : null,
              endedOnQuestion: trajectory.endedOnQuestion ?? false,
              followupMisses: trajectory.followupMisses ?? 0
            })
          })
        return Effect.flatMap(world.writes, (writes) =>
          stage.keepOutcome ? Effect.flatMap(world.state, (state) => finished(writes, state)) : finished(writes, null)
        )
      })
    })
  )

/** The limit on a whole rollout, where there is one. */
const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  seconds: number | null
): Effect.Effect<A, E | Deadline.DeadlineExceeded, R> => (seconds === null ? effect : Deadline.within(effect, seconds))

/** Which rollout this is, as the code that answers it is told. */
export const infoOf = (stage: Stage, task: Task, key: RolloutKey, rowId: string): RolloutInfo => ({
  id: rowId.replace("row_", "roll_"),
  prompt: task.prompt,
  taskId: task.id,
  rolloutIndex: key.index,
  seed: stage.settings.seed,
  rolloutSeed: Math.floor(stage.randomness.draw(["rollout", task.id, key.index]) * 4294967296),
  evalRun: key.evalRun
})

/** The keys of a row in the order a person reads them: what was asked, what happened, how it was judged, who and when. */
const rowOf = (
  stage: Stage,
  task: Task,
  key: RolloutKey,
  rowId: string,
  trajectory: Agent.Trajectory,
  writes: ReadonlyArray<Row.WorldWrite>,
  timings: Row.Timings
): Row.Row => {
  const { settings } = stage
  const { steps } = trajectory
  const model = stage.agent.identity.name
  const { stance, tone, texture, history } = task.shown
  const row: Row.Row = {
    schema_version: Row.schemaVersion,
    row_id: rowId,
    task_id: task.id,
    scenario_id: task.scenarioId,
    prompt: task.prompt,
    ...(trajectory.opener === undefined ? {} : { opener: trajectory.opener }),
    steps,
    messages: Row.toMessages(steps, trajectory.opener),
    final_text: trajectory.finalText,
    scenario_dimensions: task.dimensions,
    tier: task.tier,
    ...(stance === undefined ? {} : { stance }),
    ...(tone === undefined ? {} : { tone }),
    ...(texture === undefined ? {} : { texture }),
    ...(history === undefined ? {} : { history }),
    arm: task.arm,
    ...(task.parentTaskId === undefined ? {} : { parent_task_id: task.parentTaskId }),
    ...(task.aim === undefined ? {} : { aim: task.aim }),
    world_state: task.worldState,
    faults: task.faults.length === 0 ? null : task.faults,
    plan: task.plan,
    world_writes: writes,
    rollout_index: key.index,
    seed: settings.seed,
    model_version: model,
    policy_version: stage.systemPromptSha === null ? model : `${model}@${stage.systemPromptSha.slice(0, 12)}`,
    writer_model: task.writer,
    user_model: trajectory.userModel ?? null,
    sampling: trajectory.sampling ?? settings.sampling,
    finish_reason: trajectory.finishReason ?? "stop",
    ended_by: trajectory.endedBy ?? "agent_done",
    reward: null,
    behavior_signature: Signature.of(steps, trajectory.finalText, { systemPrompt: settings.systemPrompt }),
    tools_used: [...new Set(steps.flatMap((step) => (Row.isCallStep(step) ? [step.tool] : [])))],
    malformed_tool_calls: trajectory.malformedToolCalls ?? 0,
    ...(trajectory.usage === undefined ? {} : { usage: trajectory.usage }),
    ...(trajectory.logprob === undefined ? {} : { logprob: trajectory.logprob }),
    ...(trajectory.tokens === undefined ? {} : { n_tokens: trajectory.tokens }),
    ...(trajectory.seeded === undefined ? {} : { seeded: trajectory.seeded }),
    timings,
    lineage: {
      run_id: stage.runId,
      system_prompt_sha: stage.systemPromptSha,
      eval_run: key.evalRun,
      repeat_policy: settings.repeatPolicy,
      probe: settings.probe,
      ...stage.replay
    }
  }
  return row
}

const lostBy = (
  stage: Stage,
  task: Task,
  key: RolloutKey,
  cause: Cause.Cause<Agent.AgentFailed | World.WorldFailed | Deadline.DeadlineExceeded>,
  rollout: Agent.Rollout | null
): Lost => {
  const lost = (reason: Agent.LossReason, detail: string, steps = rollout?.recorder.steps() ?? []): Lost => ({
    _tag: "Lost",
    task,
    key,
    reason,
    detail,
    steps
  })
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  switch (failure?._tag) {
    case "AgentFailed":
      return lost(failure.reason, failure.detail, failure.steps as ReadonlyArray<Row.Step>)
    case "WorldFailed":
      return lost("world_error", failure.message)
    case "DeadlineExceeded":
      return lost("timeout", `The rollout was not over within ${failure.seconds} s.`)
    case undefined:
      return Cause.isInterruptedOnly(cause)
        ? lost("interrupted", "The run stopped before the rollout ended.")
        : lost("agent_error", `The agent ${stage.agent.identity.name} died: ${ErrorText.of(Cause.squash(cause))}`)
  }
}

/** A lost rollout as a line of its file; `landed` counts the rows there were by then. */
export const lostRecord = (runId: string, { task, key, reason, detail, steps }: Lost, landed: number): object => ({
  schema_version: Row.schemaVersion,
  run_id: runId,
  task_id: task.id,
  scenario_id: task.scenarioId,
  prompt: task.prompt,
  rollout_index: key.index,
  eval_run: key.evalRun,
  reason,
  detail,
  landed,
  steps
})
