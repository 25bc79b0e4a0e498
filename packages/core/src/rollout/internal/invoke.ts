/**
 * Calls an agent's function: how it reaches its world, and how it ends, whether it answers at once, by a Promise or by an
 * Effect.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { ModelFailed } from "../../model/ChatModel.ts"
import * as Deadline from "../../time/Deadline.ts"
import * as ErrorText from "../../task/ErrorText.ts"
import { type Answer, isAnswer } from "../../world/World.ts"
import { type AgentContext, contextOf, CurrentWorld } from "./agentContext.ts"
import * as Json from "../../json/jsonCopy.ts"
import * as Losses from "./losses.ts"
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

/**
 * The call of a function with its context, within the agent's time limit. When it is over, however it ended, the calls it
 * left running are interrupted.
 */
export const invoke = <A, B>(asked: Asked<A, B>): Effect.Effect<B, AgentFailed> =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) => {
    const call = new Call(asked, runtime)
    return Effect.onInterrupt(call.outcome(), () => call.end(true))
  })

/** One call of an agent function: its abort signal and its world calls in flight. */
class Call<A, B> {
  private readonly asked: Asked<A, B>
  private readonly runtime: Runtime.Runtime<never>
  /** Made when something is waited for. */
  private limited: Deadline.Limit | null = null
  private controller: AbortController | null = null
  private ended = false
  private readonly calls = new Set<Fiber.RuntimeFiber<Answer>>()

  constructor(asked: Asked<A, B>, runtime: Runtime.Runtime<never>) {
    this.asked = asked
    this.runtime = runtime
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
    this.controller?.abort()
    return this.calls.size === 0 ? Effect.void : Fiber.interruptAll([...this.calls])
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
    const { recorder } = this.asked.rollout
    const slot = recorder.check(String(tool), args)
    const asked = slot.answer ?? recorder.askInTime(slot)
    if (isAnswer(asked)) return Promise.resolve(Json.copy(asked.result))
    const fiber = Runtime.runFork(this.runtime)(this.limit().inside(asked))
    this.calls.add(fiber)
    return new Promise((resolve) => {
      fiber.addObserver((exit) => {
        this.calls.delete(fiber)
        resolve(resultOf(exit))
      })
    })
  }

  private answered(returned: A): Effect.Effect<B, AgentFailed> {
    const { last, read } = this.asked
    return Effect.zipRight(
      this.end(last),
      Effect.suspend(() => read(returned))
    )
  }

  private failed(error: unknown): Effect.Effect<never, AgentFailed> {
    const { name, rollout } = this.asked
    return Effect.zipRight(this.end(true), failedBy(rollout, name, error))
  }

  /** The answer of a Promise agent: a Promise cannot be interrupted, only let go. */
  private settled(promise: PromiseLike<A>): Effect.Effect<B, AgentFailed> {
    const answer = Effect.async<A, Rejected>((resume) => {
      promise.then(
        (value) => resume(Effect.succeed(value)),
        (error: unknown) => resume(Effect.fail(new Rejected(error)))
      )
    })
    return Effect.matchEffect(this.limit().run(answer), {
      onSuccess: (value) => this.answered(value),
      onFailure: (error) => this.failed(error instanceof Rejected ? error.error : error)
    })
  }

  /** The answer of an Effect agent. */
  private evaluated(effect: Effect.Effect<A, unknown, CurrentWorld>): Effect.Effect<B, AgentFailed> {
    const { name, rollout } = this.asked
    const world = {
      call: (tool: string, args?: unknown) =>
        Effect.map(rollout.recorder.call(String(tool), args), (answer) => Json.copy(answer.result))
    }
    return this.limit()
      .run(Effect.provideService(effect, CurrentWorld, world))
      .pipe(
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
    const { timeouts } = this.asked.rollout.settings
    return (this.limited ??= Runtime.runSync(this.runtime)(Deadline.make(timeouts.agent)))
  }
}

/** What a Promise was rejected with: any value at all. */
class Rejected {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
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
