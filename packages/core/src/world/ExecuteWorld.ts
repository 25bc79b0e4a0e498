/**
 * The caller's own world: a function that answers tool calls against a real database, repository or service.
 *
 * Its results are copied as JSON (`JsonForm`) and frozen. An object is used as it is and is a failure when its `status`
 * says so (`ResultStatus`); any other value becomes `{ status: "ok", result }`. What is thrown, rejected or failed, and what
 * JSON can say nothing of (a fetch `Response`, a stream), becomes `{ status: "error", reason }` in that call alone; what does
 * not settle in time, `{ status: "timeout", error }`. An Effect that dies is a bug of the world and no answer of it: the
 * rollout is lost (`world_error`).
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type { Scope } from "effect/Scope"
import type { WorldWrite } from "../row/Row.ts"
import type { JsonSchema } from "../json/JsonSchema.ts"
import { CurrentRollout, type RolloutInfo } from "../task/CurrentRollout.ts"
import * as ErrorText from "../task/ErrorText.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import { writes } from "../task/ToolKind.ts"
import * as CallerEffects from "../task/internal/callerEffects.ts"
import * as ExactJson from "../json/ExactJson.ts"
import * as Hash from "../random/Hash.ts"
import { handed } from "./internal/handing.ts"
import { freeze, get, isId, isRecord } from "./internal/records.ts"
import * as ToolPlans from "./internal/toolPlans.ts"
import * as JsonForm from "./JsonForm.ts"
import * as ResultStatus from "./ResultStatus.ts"
import * as World from "./World.ts"

/**
 * Which rollout asks; `signal` is aborted when the call is given up on.
 * @since 0.1.0
 * @category models
 */
export interface Rollout extends RolloutInfo {
  readonly signal: AbortSignal
}

/**
 * Answers a call with a value, a Promise or an Effect of one. `args` is a copy of its own.
 * @since 0.1.0
 * @category models
 */
export type ExecuteFunction<R = never> = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
  rollout: Rollout
) => CallerEffects.Given<R>

/**
 * A world per rollout: what `open` gives (a value, a Promise or an Effect) is handed to every `call` of the rollout, and
 * to `close`, which runs whatever happens. `state`, when given, tells graders how the world ended.
 * @since 0.1.0
 * @category models
 */
export interface PerRollout<W, R = never> {
  readonly open: (rollout: Rollout) => W | PromiseLike<W> | Effect.Effect<W, unknown, R>
  readonly call: (
    world: W,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    rollout: Rollout
  ) => CallerEffects.Given<R>
  readonly close?: (world: W) => CallerEffects.Given<R>
  readonly state?: (world: W) => CallerEffects.Given<R>
  /** Hands such numbers over as `ExactNumber`s (false): for worlds that write JSON, with `ExactJson.stringify`. */
  readonly exactNumbers?: boolean
}

/**
 * `PerRollout` of some world that only the caller knows.
 * @since 0.1.0
 * @category models
 */
export interface ExecuteObject<R = never> {
  readonly open: (rollout: Rollout) => CallerEffects.Given<R>
  readonly call: (...args: ReadonlyArray<never>) => CallerEffects.Given<R>
  readonly close?: (...args: ReadonlyArray<never>) => CallerEffects.Given<R>
  readonly state?: (...args: ReadonlyArray<never>) => CallerEffects.Given<R>
  readonly exactNumbers?: boolean
}

/**
 * Functions of the caller's that answer calls: one for all tools, or one for each.
 * @since 0.1.0
 * @category models
 */
export type Execute<R = never> = ExecuteFunction<R> | ExecuteObject<R>

/**
 * A world whose Effects need no services; for others there are `layer` and `kindEffect`.
 * @since 0.1.0
 * @category functions
 */
export const kind = (execute: Execute): World.Kind => kindOf(perRolloutOf(execute))

/**
 * The same for a world whose Effects need services: they are taken now.
 * @since 0.1.0
 * @category functions
 */
export const kindEffect = <R = never>(execute: Execute<R>): Effect.Effect<World.Kind, never, R> =>
  Effect.map(CallerEffects.capture<R>(), (captured) => {
    const { call, close, open, state, ...rest } = perRolloutOf(execute)
    return kindOf({
      ...rest,
      open: (rollout) => CallerEffects.provideReturned(open(rollout), captured),
      call: (...asked) => CallerEffects.provideGiven(call(...asked), captured),
      ...(close && { close: (world: unknown) => CallerEffects.provideGiven(close(world), captured) }),
      ...(state && { state: (world: unknown) => CallerEffects.provideGiven(state(world), captured) })
    })
  })

/**
 * The services that its Effects need are taken when the layer is built.
 * @since 0.1.0
 * @category layers
 */
export const layer = <R = never>(execute: Execute<R>): Layer.Layer<never, never, R> =>
  Layer.effect(World.World, kindEffect(execute))

/**
 * Typed form of an object: `ExecuteWorld.layer(ExecuteWorld.perRollout({ open, call, close }))`.
 * @since 0.1.0
 * @category functions
 */
export const perRollout = <W, R = never>(world: PerRollout<W, R>): PerRollout<W, R> => world

const perRolloutOf = <R>(execute: Execute<R>): PerRollout<unknown, R> => {
  if (typeof execute === "function") {
    return { open: () => undefined, call: (_world, tool, args, rollout) => execute(tool, args, rollout) }
  }
  // The world given by `open` is the one handed back: its type is the caller's own affair.
  const { close, exactNumbers = false, state } = execute as PerRollout<unknown, R>
  const world = execute as PerRollout<unknown, R>
  return {
    open: (rollout) => world.open(rollout),
    call: (...asked) => world.call(...asked),
    exactNumbers,
    ...(close && { close: (opened: unknown) => close.call(world, opened) }),
    ...(state && { state: (opened: unknown) => state.call(world, opened) })
  }
}

const kindOf = (world: PerRollout<unknown>): World.Kind => ({
  name: "execute",
  shows: true,
  make: (input) => service(world, input)
})

const service = (world: PerRollout<unknown>, { tools, settings, randomness }: World.WorldInput): World.Service => {
  const { tools: plans } = ToolPlans.compile(tools, settings.ids, new Map(), new Set())
  const seconds = settings.timeouts.tool

  /** Runs the caller's code within the time limit; the signal is aborted when it is given up on. */
  const run = (
    what: string,
    code: (signal: AbortSignal) => unknown,
    late?: (value: unknown) => void
  ): Effect.Effect<unknown, Problem> =>
    Effect.suspend(() => {
      const controller = new AbortController()
      const give = (): void => controller.abort(new Error(`${what} was given up on`))
      try {
        const returned = code(controller.signal)
        if (Effect.isEffect(returned))
          return limited(
            Effect.onInterrupt(caught(returned as Effect.Effect<unknown, unknown>), () => Effect.sync(give)),
            what,
            seconds
          )
        return isThenable(returned) ? limited(settled(returned, give, late), what, seconds) : Effect.succeed(returned)
      } catch (thrown) {
        return Effect.fail(failed(thrown))
      }
    })

  const closed = (opened: unknown): Effect.Effect<void> =>
    world.close === undefined
      ? Effect.void
      : // A fiber of its own: this runs after an interruption, and still has to be able to end by its time limit.
        Effect.fork(Effect.interruptible(run("close", () => world.close?.(opened)))).pipe(
          Effect.flatMap(Fiber.join),
          Effect.catchAllDefect((defect) => Effect.fail(failed(defect))),
          Effect.catchAll((problem) =>
            Effect.logWarning(`The world of a rollout could not be closed: ${problem.reason}`)
          ),
          Effect.asVoid
        )

  const opened = (info: RolloutInfo): Effect.Effect<unknown, World.WorldFailed, Scope> =>
    Effect.uninterruptibleMask((restore) =>
      // A world that opens after all when nobody waits for it any more is closed at once.
      Effect.flatMap(Effect.runtime<never>(), (runtime) =>
        restore(
          run(
            "open",
            (signal) => world.open({ ...info, signal }),
            (value) => void Runtime.runFork(runtime)(closed(value))
          )
        )
      ).pipe(
        Effect.catchAllDefect((defect) => Effect.fail(failed(defect))),
        Effect.mapError(
          (problem) => new World.WorldFailed({ detail: `execute.open failed: ${problem.reason}`, cause: problem.cause })
        ),
        Effect.tap((value) => Effect.addFinalizer(() => closed(value)))
      )
    )

  return {
    name: "execute",
    open: Effect.fnUntraced(function* (task, key) {
      const current = yield* CurrentRollout
      const info = Option.getOrElse(current, () => outside(task, key, randomness.seed))
      const mine = yield* opened(info)
      const accepted: Array<WorldWrite | null> = []

      const call = ({ tool, arguments: args }: World.Call): Effect.Effect<World.Answer> =>
        Effect.suspend(() => {
          const plan = plans.get(tool)
          const place = plan !== undefined && writes(plan.tool.kind) ? accepted.push(null) - 1 : -1
          const own = JsonForm.of(args) as Record<string, unknown>
          const given = world.exactNumbers === true ? own : handed(own, plan?.tool.parameters ?? noSchema)
          const answered =
            typeof given === "string"
              ? Effect.fail(failed(given))
              : run(tool, (signal) => world.call(mine, tool, given, { ...info, signal }))
          return Effect.match(answered, {
            onFailure: (problem) =>
              answer(
                problem.late
                  ? { status: "timeout", error: problem.reason }
                  : { status: "error", reason: problem.reason },
                problem.late ? seconds * 1000 : 0
              ),
            onSuccess: (value) => {
              const given = answer(value, 0)
              if (place >= 0 && plan !== undefined && given.status === "ok") accepted[place] = writeOf(plan, args)
              return given
            }
          })
        })

      return {
        call,
        writes: Effect.sync(() => accepted.filter((write) => write !== null)),
        state:
          world.state === undefined
            ? Effect.succeed(null)
            : run("state", () => world.state?.(mine)).pipe(
                Effect.map((value) => freeze(JsonForm.of(value))),
                Effect.catchAll((problem) => Effect.succeed({ status: "error", reason: problem.reason }))
              )
      }
    })
  }
}

const noSchema: JsonSchema = {}

/** Why the caller's code gave nothing. */
interface Problem {
  readonly reason: string
  readonly late: boolean
  readonly cause?: unknown
}

const failed = (cause: unknown): Problem => ({ reason: reasonOf(cause), late: false, cause })

/** What the caller's Effect fails with; one that interrupts itself has failed, too. What it dies of is not caught. */
const caught = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<unknown, Problem> =>
  Effect.catchAllCause(effect, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.fail(failed(new Error("interrupted itself")))
    return Either.match(Cause.failureOrCause(cause), {
      onLeft: (error) => Effect.fail(failed(error)),
      onRight: Effect.failCause
    })
  })

/** Ends at its time limit even when what is inside cannot be interrupted. */
const limited = (
  effect: Effect.Effect<unknown, Problem>,
  what: string,
  seconds: number
): Effect.Effect<unknown, Problem> =>
  Effect.timeoutFail(Effect.disconnect(effect), {
    duration: Duration.seconds(seconds),
    onTimeout: (): Problem => ({ reason: `${what} did not answer within ${seconds} s`, late: true })
  })

const settled = (
  promise: PromiseLike<unknown>,
  giveUp: () => void,
  late: ((value: unknown) => void) | undefined
): Effect.Effect<unknown, Problem> =>
  Effect.async((resume) => {
    let waiting = true
    promise.then(
      (value) => (waiting ? resume(Effect.succeed(value)) : late?.(value)),
      (cause: unknown) => (waiting ? resume(Effect.fail(failed(cause))) : undefined)
    )
    return Effect.sync(() => {
      waiting = false
      giveUp()
    })
  })

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  value !== null &&
  (typeof value === "object" || typeof value === "function") &&
  typeof (value as { readonly then?: unknown }).then === "function"

/** Reasons are for an agent to read: their beginning says it. */
const longestReason = 2000

const reasonOf = (cause: unknown): string => {
  const form = ErrorText.isA(cause, Error) || typeof cause !== "object" ? ErrorText.of(cause) : JsonForm.of(cause)
  const text = typeof form === "string" ? form : (ExactJson.stringify(form) ?? "null")
  return JsonForm.wellFormed(text.slice(0, longestReason))
}

const answer = (value: unknown, elapsedMs: number): World.Answer => {
  const formless = JsonForm.formless(value)
  const form =
    formless === null
      ? JsonForm.of(value)
      : {
          status: "error",
          reason: `the tool gave back ${formless}, which has no JSON form: give what is in it, such as the value of \`await response.json()\``
        }
  const result = freeze(isRecord(form) ? form : { status: "ok", result: form })
  return { result, status: ResultStatus.of(result), answeredBy: "execute", elapsedMs }
}

const writeOf = (plan: ToolPlans.ToolPlan, args: Readonly<Record<string, unknown>>): WorldWrite => {
  const id = plan.primary === null ? undefined : get(args, plan.primary.name)
  return freeze({
    tool: plan.tool.name,
    arguments: args,
    ...(isId(id) ? { entity: plan.type.noun, id: String(id) } : {})
  })
}

/** For a session opened by hand, outside a run. */
const outside = (task: Task, key: RolloutKey, seed: number): RolloutInfo => ({
  id: Hash.id("roll", task.id, key.evalRun, key.index),
  prompt: task.prompt,
  taskId: task.id,
  rolloutIndex: key.index,
  seed,
  rolloutSeed: 0,
  evalRun: key.evalRun
})
