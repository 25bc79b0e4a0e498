/**
 * One rollout: a fresh world, one play of the agent, and the row (or the loss) that comes of it.
 */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Deadline from "../time/Deadline.ts"
import { isoTime } from "../time/isoTime.ts"
import * as Stopwatch from "../time/Stopwatch.ts"
import type * as Randomness from "../random/Randomness.ts"
import * as Row from "../row/Row.ts"
import { CurrentRollout, type RolloutInfo } from "../task/CurrentRollout.ts"
import * as ErrorText from "../task/ErrorText.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import type { Privileged, RolloutKey, Task } from "../task/Task.ts"
import type * as World from "../world/World.ts"
import * as Agent from "./AgentBackend.ts"
import type { Recorded } from "./internal/recorded.ts"
import { rowOf } from "./internal/rowOf.ts"
import { UserSimulator } from "./UserSimulator.ts"

/** What all rollouts of a run share. */
export interface Stage {
  readonly settings: RunSettings
  readonly runId: string
  /** SHA-256 of the system prompt; null without one. */
  readonly systemPromptSha: string | null
  readonly randomness: Randomness.Service
  readonly agent: Agent.Service
  /** Who plays the person; null where nobody does. */
  readonly user: Context.Tag.Service<UserSimulator> | null
  /** Opens a world per rollout, planned faults first. */
  readonly world: World.Service
  /** What every row says of its run. */
  readonly lineage: Row.Lineage
  /** Whether graders will want the world's end. */
  readonly keepOutcome: boolean
  /** How the rollout begins, where one is played again from a step on. */
  readonly recorded?: Recorded
}

/** A finished rollout: its row, and beside it what only graders may see. */
export interface CompletedRollout {
  readonly _tag: "Finished"
  readonly info: RolloutInfo
  readonly row: Row.Row
  /** The results of its calls as text, by step: messages, signature and grade look into them. */
  readonly results: ReadonlyArray<string>
  readonly privileged: Privileged
  readonly outcome: { readonly writes: ReadonlyArray<unknown>; readonly state: unknown } | null
  readonly endedOnQuestion: boolean
  readonly followupMisses: number
}

/** A rollout that gave no usable row: a line of the file of lost rollouts. */
export interface FailedRollout {
  readonly _tag: "Lost"
  readonly task: Task
  readonly key: RolloutKey
  readonly reason: Agent.LossReason
  readonly detail: string
  readonly steps: ReadonlyArray<unknown>
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Plays a task once. Never fails: an agent that throws, hangs or is interrupted ends as `Lost`. `restore` is what may be
 * interrupted; the record of what happened is always made.
 */
export const play = (
  stage: Stage,
  task: Task,
  key: RolloutKey,
  restore: Restore
): Effect.Effect<CompletedRollout | FailedRollout> =>
  Effect.zipWith(Effect.clock, Scope.make(), (clock, scope) => new Play(stage, task, key, clock, scope)).pipe(
    Effect.flatMap((play) =>
      Effect.matchCauseEffect(restore(play.trajectory()), {
        onSuccess: (trajectory) => play.finish(trajectory),
        onFailure: (cause) => play.lose(cause)
      })
    )
  )

type Failure = Agent.AgentFailed | World.WorldFailed | Deadline.DeadlineExceeded

/** One play: a world and a scope of its own, and the record of what happens. */
class Play {
  private readonly stage: Stage
  private readonly task: Task
  private readonly key: RolloutKey
  private readonly info: RolloutInfo
  private readonly rowId: string
  private readonly clock: Clock.Clock
  private readonly startedAt: number
  private readonly began: number
  private readonly scope: Scope.CloseableScope
  private world: World.Session | null = null
  private rollout: Agent.Rollout | null = null

  constructor(stage: Stage, task: Task, key: RolloutKey, clock: Clock.Clock, scope: Scope.CloseableScope) {
    this.stage = stage
    this.task = task
    this.key = key
    this.clock = clock
    this.scope = scope
    this.startedAt = clock.unsafeCurrentTimeMillis()
    this.began = Stopwatch.millis(clock)
    this.rowId = Row.rowId(stage.runId, task.id, key.evalRun, key.index)
    this.info = infoOf(stage, task, key, this.rowId)
  }

  trajectory(): Effect.Effect<Agent.Trajectory, Failure> {
    const { stage, task, key } = this
    const seconds = stage.settings.timeouts.rollout
    const playing = Effect.flatMap(stage.world.open(task, key), (world) => {
      this.world = world
      this.rollout = Agent.rollout({
        info: this.info,
        task,
        settings: stage.settings,
        world,
        recorded: stage.recorded
      })
      return stage.agent.play(this.rollout)
    })
    return Effect.provide(seconds === null ? playing : Deadline.within(playing, seconds), this.context())
  }

  finish(trajectory: Agent.Trajectory): Effect.Effect<CompletedRollout | FailedRollout> {
    const { stage, world } = this
    if (world === null || this.worldDefect() !== null) return this.lose(Cause.empty)
    return Effect.matchCauseEffect(Effect.zip(world.writes, stage.keepOutcome ? world.state : Effect.succeed(null)), {
      onSuccess: (outcome) =>
        Effect.map(Scope.close(this.scope, Exit.void), () => this.finished(trajectory, ...outcome)),
      onFailure: (cause) => this.lose(cause, `it died telling how it ended: ${ErrorText.of(Cause.squash(cause))}`)
    })
  }

  private worldDefect(): string | null {
    return this.rollout?.recorder.worldDefect() ?? null
  }

  lose(cause: Cause.Cause<Failure>, worldDefect = this.worldDefect()): Effect.Effect<FailedRollout> {
    return Effect.as(
      Scope.close(this.scope, Exit.failCause(cause)),
      lostBy(this.stage, this.task, this.key, cause, this.rollout, worldDefect)
    )
  }

  /** What a rollout provides, as one context: each provision costs as much as a call. */
  private context(): Context.Context<Scope.Scope> {
    const own = Context.make(Scope.Scope, this.scope).pipe(Context.add(CurrentRollout, Option.some(this.info)))
    const { user } = this.stage
    return user === null ? own : Context.add(own, UserSimulator, user)
  }

  private finished(
    trajectory: Agent.Trajectory,
    writes: ReadonlyArray<Row.WorldWrite>,
    state: unknown
  ): CompletedRollout {
    const { key, rowId, stage, startedAt, task } = this
    const elapsed = Stopwatch.secondsSince(this.clock, this.began)
    const timings = { started_at: isoTime(startedAt), elapsed }
    const results = Row.resultTexts(trajectory.steps)
    return {
      _tag: "Finished",
      info: this.info,
      row: rowOf(stage, task, key.index, rowId, trajectory, { results, writes, timings }),
      results,
      privileged: task.privileged,
      outcome: stage.keepOutcome ? { writes, state } : null,
      endedOnQuestion: trajectory.endedOnQuestion ?? false,
      followupMisses: trajectory.followupMisses ?? 0
    }
  }
}

/** Which rollout this is, as the code that answers it is told. */
export const infoOf = (stage: Stage, task: Task, key: RolloutKey, rowId: string): RolloutInfo => ({
  id: `roll_${rowId.slice("row_".length)}`,
  prompt: task.prompt,
  taskId: task.id,
  rolloutIndex: key.index,
  seed: stage.settings.seed,
  rolloutSeed: Math.floor(stage.randomness.draw(["rollout", task.id, key.index]) * 4294967296),
  evalRun: key.evalRun
})

const lostBy = (
  stage: Stage,
  task: Task,
  key: RolloutKey,
  cause: Cause.Cause<Agent.AgentFailed | World.WorldFailed | Deadline.DeadlineExceeded>,
  rollout: Agent.Rollout | null,
  worldDefect: string | null
): FailedRollout => {
  const lost = (reason: Agent.LossReason, detail: string, steps = rollout?.recorder.steps() ?? []): FailedRollout => ({
    _tag: "Lost",
    task,
    key,
    reason,
    detail,
    steps
  })
  const interrupted = !Cause.isEmpty(cause) && Cause.isInterruptedOnly(cause)
  // Whatever the agent made of it.
  if (worldDefect !== null && !interrupted) return lost("world_error", `The world broke: ${worldDefect}`)
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
export const lostRecord = (
  runId: string,
  { task, key, reason, detail, steps }: FailedRollout,
  landed: number
): object => ({
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
