/**
 * Calls an agent's function: what it is shown, how it reaches its world, and how it ends, whether it answers at once, by a
 * Promise or by an Effect.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import type { ToolSpec } from "../../model/ChatModel.ts"
import { ModelFailed } from "../../model/ChatModel.ts"
import * as Deadline from "../../model/Deadline.ts"
import type { RolloutInfo } from "../../task/CurrentRollout.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import type { RunSettings } from "../../task/RunSettings.ts"
import { type Answer, isAnswer } from "../../world/World.ts"
import * as Json from "./json.ts"
import * as Losses from "./losses.ts"
import { backstop } from "./recorder.ts"
import { AgentFailed } from "./trajectory.ts"
import type { LossReason, Rollout } from "./trajectory.ts"

/** What an agent function is given beside the message. Frozen copies: what it does to them reaches nobody else. */
export interface AgentContext {
  /** Which rollout this is, and a signal that aborts when the rollout is interrupted or out of time. */
  readonly rollout: RolloutInfo & { readonly signal: AbortSignal }
  readonly tools: ReadonlyArray<ToolSpec>
  /** The policy under test; empty when none was given. */
  readonly systemPrompt: string
  /** The world, planned faults first: the same one a model-backed agent meets. */
  readonly world: {
    /**
     * Makes a tool call. Never rejects: it resolves to what the world answers, a failure being `{ status, error }`.
     * The answer is the agent's own copy.
     */
    readonly call: (tool: string, args?: unknown) => Promise<unknown>
  }
}

/** The world of the running rollout, for agents written as Effects. */
export class CurrentWorld extends Context.Tag("@sandtable/core/CurrentWorld")<
  CurrentWorld,
  {
    /** Makes a tool call: gives what the world answers, a failure being `{ status, error }`. */
    readonly call: (tool: string, args?: unknown) => Effect.Effect<unknown>
  }
>() {}

/**
 * Calls a function of the caller's with its context, within the agent's time limit. When it is over, however it ended,
 * the calls it left running are interrupted; `last` says whether the rollout is over with it.
 */
export const invoke = <A, E>(
  rollout: Rollout,
  fn: (context: AgentContext) => A | PromiseLike<A> | Effect.Effect<A, E, CurrentWorld>,
  name: string,
  last = true
): Effect.Effect<A, AgentFailed> =>
  Effect.withFiberRuntime<A, AgentFailed>((fiber) => {
    const running = new Running(rollout, fiber)
    let returned
    try {
      returned = fn(running.context())
      if (!Effect.isEffect(returned) && !isPromiseLike(returned)) return running.endWith(returned, last)
    } catch (error) {
      return Effect.zipRight(running.end(true), failedBy(rollout, name, error))
    }
    if (!Effect.isEffect(returned)) return running.promise(returned, name, last)
    return Effect.matchCauseEffect(
      Effect.onInterrupt(running.effect(returned), () => running.end(true)),
      {
        onSuccess: (returned) => running.endWith(returned, last),
        onFailure: (cause) =>
          Effect.zipRight(
            running.end(true),
            Cause.isInterruptedOnly(cause)
              ? fail(rollout, name, "agent_error", "it interrupted itself")
              : failedBy(rollout, name, Cause.squash(cause))
          )
      }
    )
  })

/** One call of an agent function: its context, its abort signal and its world calls in flight. */
class Running {
  private readonly rollout: Rollout
  private readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  private limited: Deadline.Limit | null = null
  private runtime: Runtime.Runtime<never> | null = null
  private controller: AbortController | null = null
  private ended = false
  private readonly calls = new Set<Fiber.RuntimeFiber<Answer>>()

  constructor(rollout: Rollout, fiber: Fiber.RuntimeFiber<unknown, unknown>) {
    this.rollout = rollout
    this.fiber = fiber
  }

  context(): AgentContext {
    const { info, settings } = this.rollout
    return Object.freeze({
      rollout: new RolloutView(info, this),
      tools: shownOf(settings),
      systemPrompt: settings.systemPrompt,
      world: Object.freeze({ call: (tool: string, args?: unknown) => this.call(tool, args) })
    })
  }

  /** The answer of an Effect agent. */
  effect<A, E>(effect: Effect.Effect<A, E, CurrentWorld>): Effect.Effect<A, E | Deadline.DeadlineExceeded> {
    const world = {
      call: (tool: string, args?: unknown) =>
        Effect.map(this.rollout.recorder.call(String(tool), args), (answer) => Json.copy(answer.result))
    }
    return Effect.provideService(effect, CurrentWorld, world).pipe(
      Deadline.within(this.rollout.settings.timeouts.agent)
    )
  }

  /** The answer of a Promise agent. It needs no fiber of its own: a Promise cannot be interrupted, only let go. */
  promise<A>(promise: PromiseLike<A>, name: string, last: boolean): Effect.Effect<A, AgentFailed> {
    return Effect.async((done) => {
      const limit = this.limit()
      const lost = (error: unknown): void => {
        limit.stop()
        done(Effect.zipRight(this.end(true), failedBy(this.rollout, name, error)))
      }
      limit.start(() => lost(new Deadline.DeadlineExceeded({ seconds: this.rollout.settings.timeouts.agent })))
      promise.then((value) => {
        limit.stop()
        done(this.endWith(value, last))
      }, lost)
      return Effect.suspend(() => {
        limit.stop()
        return this.end(true)
      })
    })
  }

  /** Ends what is still running: its signal aborts and its calls in flight are interrupted. */
  end(last: boolean): Effect.Effect<void> {
    if (last) this.rollout.recorder.end()
    this.ended = true
    this.controller?.abort()
    return this.calls.size === 0 ? Effect.void : Fiber.interruptAll([...this.calls])
  }

  /** Ends what is still running, and gives a value. */
  endWith<A>(value: A, last: boolean): Effect.Effect<A> {
    const ending = this.end(last)
    return ending === Effect.void ? Effect.succeed(value) : Effect.as(ending, value)
  }

  /** Made when first read: most agents never look. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController()
      if (this.ended) this.controller.abort()
    }
    return this.controller.signal
  }

  private limit(): Deadline.Limit {
    return (this.limited ??= Deadline.limit(this.fiber, this.rollout.settings.timeouts.agent))
  }

  private call(tool: string, args: unknown): Promise<unknown> {
    const { recorder } = this.rollout
    const slot = recorder.check(String(tool), args)
    if (slot.answer !== null) return Promise.resolve(Json.copy(slot.answer.result))
    const asked = recorder.ask(slot)
    if (isAnswer(asked)) return Promise.resolve(Json.copy(asked.result))
    const fiber = Runtime.runFork((this.runtime ??= this.limit().runtime))(asked)
    const exit = fiber.unsafePoll()
    if (exit !== null) return Promise.resolve(resultOf(exit))
    this.calls.add(fiber)
    return new Promise((resolve) => {
      const limit = Deadline.limit(fiber, this.rollout.settings.timeouts.tool + backstop)
      limit.start(() => {
        resolve(Json.copy(recorder.late(slot).result))
        fiber.unsafeInterruptAsFork(FiberId.none)
      })
      fiber.addObserver((exit) => {
        limit.stop()
        this.calls.delete(fiber)
        resolve(resultOf(exit))
      })
    })
  }
}

/** What an agent sees of its rollout; the signal is made when it is read. */
class RolloutView implements RolloutInfo {
  readonly id: string
  readonly prompt: string
  readonly taskId: string
  readonly rolloutIndex: number
  readonly seed: number
  readonly rolloutSeed: number
  readonly evalRun: number
  readonly #running: Running

  constructor(info: RolloutInfo, running: Running) {
    this.id = info.id
    this.prompt = info.prompt
    this.taskId = info.taskId
    this.rolloutIndex = info.rolloutIndex
    this.seed = info.seed
    this.rolloutSeed = info.rolloutSeed
    this.evalRun = info.evalRun
    this.#running = running
    Object.freeze(this)
  }

  get signal(): AbortSignal {
    return this.#running.signal
  }
}

const resultOf = (exit: Exit.Exit<Answer>): unknown =>
  Exit.isSuccess(exit)
    ? Json.copy(exit.value.result)
    : { status: "error", error: "The rollout ended before this call was answered." }

const isPromiseLike = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** The tools as agents are shown them, copied and frozen once per run. */
const shownOf = (settings: RunSettings): ReadonlyArray<ToolSpec> => {
  let shown = shownBy.get(settings)
  if (shown === undefined) {
    const tools = settings.tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
    shown = Json.deepFreeze(Json.copy(tools) as ReadonlyArray<ToolSpec>)
    shownBy.set(settings, shown)
  }
  return shown
}

const shownBy = new WeakMap<RunSettings, ReadonlyArray<ToolSpec>>()

/** What was thrown, rejected with or failed with, as the reason for losing the rollout. */
const failedBy = (rollout: Rollout, name: string, error: unknown): Effect.Effect<never, AgentFailed> => {
  if (ErrorText.isA(error, Deadline.DeadlineExceeded)) {
    return fail(rollout, name, "timeout", `no answer within ${error.seconds} s`)
  }
  if (ErrorText.isA(error, AgentFailed)) return fail(rollout, error.agent, error.reason, error.detail, error.cause)
  if (ErrorText.isA(error, ModelFailed)) return fail(rollout, name, Losses.ofModel(error), error.message, error)
  return fail(rollout, name, "agent_error", Losses.detailOf(error), error)
}

/** Loses the rollout. */
export const fail = (
  rollout: Rollout,
  agent: string,
  reason: LossReason,
  detail: string,
  cause?: unknown,
  steps = rollout.recorder.steps()
): Effect.Effect<never, AgentFailed> =>
  Effect.fail(new AgentFailed({ agent, reason, detail, steps, ...(cause === undefined ? {} : { cause }) }))
