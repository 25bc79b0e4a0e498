/**
 * One rollout: a fresh world, one play of the agent, and the row (or the loss) that comes of it.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Deadline from "../model/Deadline.ts"
import type * as Randomness from "../random/Randomness.ts"
import * as Row from "../row/Row.ts"
import { CurrentRollout, type RolloutInfo } from "../task/CurrentRollout.ts"
import * as ErrorText from "../task/ErrorText.ts"
import type { RunSettings } from "../task/RunSettings.ts"
import type { Privileged, RolloutKey, Task } from "../task/Task.ts"
import * as Immediate from "../task/internal/immediate.ts"
import type * as World from "../world/World.ts"
import * as Agent from "./AgentBackend.ts"
import { Invocation, type Running } from "./internal/invoke.ts"
import { isoOf, rowOf } from "./internal/rowOf.ts"
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
}

/** A finished rollout: its row, and beside it what only graders may see. */
export interface Finished {
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
 * Plays a task once, as an effect to be run once. Never fails: an agent that throws, hangs or is interrupted ends as
 * `Lost`. `restore` is what may be interrupted; the record of what happened is always made.
 */
export const play = (stage: Stage, task: Task, key: RolloutKey, restore: Restore): Effect.Effect<Finished | Lost> => {
  const play = new Play(stage, task, key)
  return Effect.matchCauseEffect(
    restore(Effect.withFiberRuntime<Agent.Trajectory, Failure>((fiber) => play.begin(fiber))),
    {
      onSuccess: (trajectory) => play.finish(trajectory),
      onFailure: (cause) => play.lose(cause)
    }
  )
}

/** The same for a fiber that is asleep: it goes on by plain calls as far as world and agent need no fiber to run in. */
export const begin = (
  stage: Stage,
  task: Task,
  key: RolloutKey,
  restore: Restore,
  fiber: Fiber.RuntimeFiber<unknown, unknown>
): Effect.Effect<Finished | Lost> => {
  const play = new Play(stage, task, key)
  const played = Immediate.telling<Agent.Trajectory, Failure>((told) => told(play.begin(fiber)))
  return Immediate.match(Immediate.interruptible(played, restore), (exit) =>
    Exit.isSuccess(exit) ? play.finish(exit.value) : play.lose(exit.cause)
  )
}

type Failure = Agent.AgentFailed | World.WorldFailed | Deadline.DeadlineExceeded

/**
 * One play. Most worlds open at once and most agents are functions: such a rollout takes a fiber no more steps than there
 * are to wait for. All else is run with the rollout in its context and a scope of its own.
 */
class Play {
  private readonly stage: Stage
  private readonly task: Task
  private readonly key: RolloutKey
  private readonly info: RolloutInfo
  private readonly rowId: string
  private clock: Clock.Clock | null = null
  private startedAt = 0
  private scope: Scope.CloseableScope | null = null
  private world: World.Session | null = null
  private rollout: Agent.Rollout | null = null
  private running: Running<Agent.Trajectory> | null = null

  constructor(stage: Stage, task: Task, key: RolloutKey) {
    this.stage = stage
    this.task = task
    this.key = key
    this.rowId = Row.rowId(stage.runId, task.id, key.evalRun, key.index)
    this.info = infoOf(stage, task, key, this.rowId)
  }

  begin(fiber: Fiber.RuntimeFiber<unknown, unknown>): Effect.Effect<Agent.Trajectory, Failure> {
    const { stage, task, key } = this
    const seconds = stage.settings.timeouts.rollout
    this.clock = Context.get(fiber.getFiberRef(DefaultServices.currentServices), Clock.Clock)
    this.startedAt = this.clock.unsafeCurrentTimeMillis()
    const opening = stage.world.open(task, key)
    if (seconds !== null) return Deadline.within(this.opened(opening), seconds)
    const world = Immediate.start(opening)
    if (Effect.isEffect(world)) return this.opened(world)
    const playing = stage.agent.play(this.enter(world))
    if (!(playing instanceof Invocation)) return Effect.provide(playing, this.own())
    this.running = playing.begin(fiber, () => this.own())
    return this.running.outcome
  }

  finish(trajectory: Agent.Trajectory): Effect.Effect<Finished | Lost> {
    const { scope, stage, world } = this
    if (world === null || this.worldDefect() !== null) return this.lose(Cause.empty)
    const written = Immediate.start(world.writes)
    if (scope === null && !stage.keepOutcome && !Effect.isEffect(written)) {
      return Effect.succeed(this.finished(trajectory, written, null))
    }
    const writes = Effect.isEffect(written) ? written : Effect.succeed(written)
    return Effect.matchCauseEffect(Effect.all([writes, stage.keepOutcome ? world.state : Effect.succeed(null)]), {
      onSuccess: (outcome) => Effect.map(this.close(Exit.void), () => this.finished(trajectory, ...outcome)),
      onFailure: (cause) => this.lose(cause, `it died telling how it ended: ${ErrorText.of(Cause.squash(cause))}`)
    })
  }

  private worldDefect(): string | null {
    return this.rollout?.recorder.worldDefect() ?? null
  }

  lose(cause: Cause.Cause<Failure>, worldDefect = this.worldDefect()): Effect.Effect<Lost> {
    return Effect.flatMap(this.running?.end() ?? Effect.void, () =>
      Effect.as(
        this.close(Exit.failCause(cause)),
        lostBy(this.stage, this.task, this.key, cause, this.rollout, worldDefect)
      )
    )
  }

  /** Plays in a world that takes its time to open, with an agent that may want to know which rollout it is in. */
  private opened(opening: Effect.Effect<World.Session, World.WorldFailed, Scope.Scope>) {
    const played = Effect.flatMap(opening, (world) => this.stage.agent.play(this.enter(world)))
    return Effect.provide(played, this.own())
  }

  private enter(world: World.Session): Agent.Rollout {
    this.world = world
    return (this.rollout = Agent.rollout({ info: this.info, task: this.task, settings: this.stage.settings, world }))
  }

  /** What a rollout provides, as one context: each provision costs as much as a call. */
  private own(): Context.Context<Scope.Scope> {
    this.scope ??= Effect.runSync(Scope.make())
    const own = Context.make(Scope.Scope, this.scope).pipe(Context.add(CurrentRollout, Option.some(this.info)))
    const { user } = this.stage
    return user === null ? own : Context.add(own, UserSimulator, user)
  }

  private close(exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    return this.scope === null ? Effect.void : Scope.close(this.scope, exit)
  }

  private finished(trajectory: Agent.Trajectory, writes: ReadonlyArray<Row.WorldWrite>, state: unknown): Finished {
    const { key, rowId, stage, startedAt, task } = this
    const now = this.clock?.unsafeCurrentTimeMillis() ?? startedAt
    const timings = { started_at: isoOf(startedAt), elapsed: (now - startedAt) / 1000 }
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
): Lost => {
  const lost = (reason: Agent.LossReason, detail: string, steps = rollout?.recorder.steps() ?? []): Lost => ({
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
