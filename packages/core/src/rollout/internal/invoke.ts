/**
 * Calls an agent's function: how it reaches its world, and how it ends, whether it answers at once, by a Promise or by an
 * Effect.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import { ModelFailed } from "../../model/ChatModel.ts"
import * as Deadline from "../../model/Deadline.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import * as Immediate from "../../task/internal/immediate.ts"
import { type Answer, isAnswer } from "../../world/World.ts"
import { type AgentContext, contextOf, CurrentWorld } from "./agentContext.ts"
import * as Json from "./json.ts"
import * as Losses from "./losses.ts"
import { backstop } from "./recorder.ts"
import { AgentFailed } from "./trajectory.ts"
import type { LossReason, Rollout } from "./trajectory.ts"

/** A function of the caller's to call, and what is made of what it gives back. */
export interface Asked<A, B> {
  readonly rollout: Rollout
  /** Whose failures they are. */
  readonly name: string
  readonly fn: (context: AgentContext) => A | PromiseLike<A> | Effect.Effect<A, unknown, CurrentWorld>
  readonly read: (returned: A) => Effect.Effect<B, AgentFailed>
  /** Whether the rollout is over with it. */
  readonly last: boolean
}

/** What the effects of a call find in their context beside what the calling fiber has. */
export type Own = () => Context.Context<never>

/** A call that has begun. */
export interface Running<B> {
  readonly outcome: Effect.Effect<B, AgentFailed>
  /** Ends what it left running. */
  readonly end: () => Effect.Effect<void>
}

/**
 * The call of a function with its context, within the agent's time limit, as an effect to be run once. When it is over,
 * however it ended, the calls it left running are interrupted. Whoever sees to that when it is interrupted can begin it by
 * a plain call: keeping watch for it costs more than all else that a rollout does in its fiber.
 */
export class Invocation<A, B> extends Effectable.Class<B, AgentFailed> {
  private readonly asked: Asked<A, B>

  constructor(asked: Asked<A, B>) {
    super()
    this.asked = asked
  }

  begin(fiber: Fiber.RuntimeFiber<unknown, unknown>, own: Own): Running<B> {
    const call = new Call(this.asked, fiber, own)
    return { outcome: call.outcome(), end: () => call.end(true) }
  }

  override commit(): Effect.Effect<B, AgentFailed> {
    return Effect.withFiberRuntime<B, AgentFailed>((fiber) => {
      const { outcome, end } = this.begin(fiber, Context.empty)
      return Effect.onInterrupt(outcome, end)
    })
  }
}

/** One call of an agent function: its abort signal and its world calls in flight. */
class Call<A, B> {
  private readonly asked: Asked<A, B>
  private readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  private readonly own: Own
  private limited: Deadline.Limit | null = null
  private runtime: Runtime.Runtime<never> | null = null
  private controller: AbortController | null = null
  private ended = false
  private calls: Set<Fiber.RuntimeFiber<Answer>> | null = null

  constructor(asked: Asked<A, B>, fiber: Fiber.RuntimeFiber<unknown, unknown>, own: Own) {
    this.asked = asked
    this.fiber = fiber
    this.own = own
  }

  /** Calls the function: an effect that has what is made of its answer. */
  outcome(): Effect.Effect<B, AgentFailed> {
    const { fn, rollout } = this.asked
    let returned
    try {
      returned = fn(contextOf(rollout.info, rollout.settings, this))
      if (!Effect.isEffect(returned)) {
        if (isPromiseLike(returned)) return this.settled(returned)
        return this.answered(returned)
      }
    } catch (error) {
      return this.failed(error)
    }
    return this.evaluated(returned)
  }

  /** Ends what is still running: its signal aborts and its calls in flight are interrupted. */
  end(last: boolean): Effect.Effect<void> {
    if (last) this.asked.rollout.recorder.end()
    this.ended = true
    this.limited?.stop()
    this.controller?.abort()
    return this.calls === null || this.calls.size === 0 ? Effect.void : Fiber.interruptAll([...this.calls])
  }

  /** Made when first read: most agents never look. */
  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController()
      if (this.ended) this.controller.abort()
    }
    return this.controller.signal
  }

  call(tool: string, args: unknown): Promise<unknown> {
    const { recorder, settings } = this.asked.rollout
    const slot = recorder.check(String(tool), args)
    if (slot.answer !== null) return Promise.resolve(Json.copy(slot.answer.result))
    const asked = recorder.ask(slot)
    if (isAnswer(asked)) return Promise.resolve(Json.copy(asked.result))
    this.runtime ??= Runtime.updateContext(this.limit().runtime, (context) => Context.merge(context, this.own()))
    const fiber = Runtime.runFork(this.runtime)(asked)
    const exit = fiber.unsafePoll()
    if (exit !== null) return Promise.resolve(resultOf(exit))
    const calls = (this.calls ??= new Set())
    calls.add(fiber)
    return new Promise((resolve) => {
      const limit = Deadline.limit(fiber, settings.timeouts.tool + backstop)
      limit.start(() => {
        resolve(Json.copy(recorder.late(slot).result))
        fiber.unsafeInterruptAsFork(FiberId.none)
      })
      fiber.addObserver((exit) => {
        limit.stop()
        calls.delete(fiber)
        resolve(resultOf(exit))
      })
    })
  }

  private answered(returned: A): Effect.Effect<B, AgentFailed> {
    const { last, read } = this.asked
    const ending = this.end(last)
    if (ending !== Effect.void) return Effect.flatMap(ending, () => read(returned))
    try {
      return read(returned)
    } catch (defect) {
      return Effect.die(defect)
    }
  }

  private failed(error: unknown): Effect.Effect<never, AgentFailed> {
    const { name, rollout } = this.asked
    return Effect.zipRight(this.end(true), failedBy(rollout, name, error))
  }

  /** The answer of a Promise agent. It needs no fiber of its own: a Promise cannot be interrupted, only let go. */
  private settled(promise: PromiseLike<A>): Effect.Effect<B, AgentFailed> {
    return Immediate.telling((done) => {
      const limit = this.limit()
      const lost = (error: unknown): void => done(this.failed(error))
      limit.start(() => lost(new Deadline.DeadlineExceeded({ seconds: this.asked.rollout.settings.timeouts.agent })))
      promise.then((value) => done(this.answered(value)), lost)
    })
  }

  /** The answer of an Effect agent. */
  private evaluated(effect: Effect.Effect<A, unknown, CurrentWorld>): Effect.Effect<B, AgentFailed> {
    const { name, rollout } = this.asked
    const world = {
      call: (tool: string, args?: unknown) =>
        Effect.map(rollout.recorder.call(String(tool), args), (answer) => Json.copy(answer.result))
    }
    return Effect.provide(effect, Context.add(this.own(), CurrentWorld, world)).pipe(
      Deadline.within(rollout.settings.timeouts.agent),
      Effect.matchCauseEffect({
        onSuccess: (returned) => this.answered(returned),
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.zipRight(this.end(true), fail(rollout, name, "agent_error", "it interrupted itself"))
            : this.failed(Cause.squash(cause))
      })
    )
  }

  private limit(): Deadline.Limit {
    return (this.limited ??= Deadline.limit(this.fiber, this.asked.rollout.settings.timeouts.agent))
  }
}

const resultOf = (exit: Exit.Exit<Answer>): unknown =>
  Exit.isSuccess(exit)
    ? Json.copy(exit.value.result)
    : { status: "error", error: "The rollout ended before this call was answered." }

const isPromiseLike = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

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
