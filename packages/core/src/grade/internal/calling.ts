/**
 * A caller's function as a grader: called on copies of its own, and held to the contract whatever it answers.
 */
import * as Effect from "effect/Effect"
import type { Privileged } from "../../task/Task.ts"
import type { Tool } from "../../task/Tool.ts"
import type { ToolSet } from "../../task/ToolSet.ts"
import type { FunctionContext, GraderContext, Options, Service, Verdict } from "../Grader.ts"
import { causeText, verdictOf, without } from "./answer.ts"
import { deepFreeze, privateCopy } from "./copy.ts"

/** The grader of a function whose words hold no reference; `Grader.make` is for those of callers. */
export const calling = ({ name, grade, kind, model, identity, version, scale }: Options): Service => {
  if (scale !== undefined && !(Number.isFinite(scale[0]) && Number.isFinite(scale[1]) && scale[0] < scale[1])) {
    throw new RangeError(`The scale of grader ${name} is [${scale[0]}, ${scale[1]}]: give a lower and a higher number.`)
  }
  const settle = (answer: unknown, context: CallContext): Effect.Effect<Verdict> => {
    try {
      return settled(answer, context)
    } catch (thrown) {
      // in a Promise's handler nobody else would catch it
      return Effect.succeed(without("invalid_result", `the answer could not be read: ${causeText(thrown)}`))
    }
  }
  const settled = (answer: unknown, context: CallContext): Effect.Effect<Verdict> => {
    if (Effect.isEffect(answer)) {
      return Effect.matchCauseEffect(answer as Effect.Effect<unknown, unknown>, {
        onFailure: (cause) => Effect.succeed(without("error", causeText(cause))),
        onSuccess: (value) => settle(value, context)
      }).pipe(Effect.onInterrupt(() => Effect.sync(context.abort)))
    }
    if (!isThenable(answer)) return Effect.succeed(verdictOf(answer, scale))
    return Effect.async<Verdict>((resume) => {
      Promise.resolve(answer).then(
        (value) => resume(settle(value, context)),
        (thrown: unknown) => resume(Effect.succeed(without("error", causeText(thrown))))
      )
      return Effect.sync(context.abort)
    })
  }
  return {
    name,
    kind: kind ?? "rule",
    model: model ?? null,
    version: version ?? null,
    conduct: false,
    ...(identity !== undefined && { identity }),
    grade: (row, context) =>
      Effect.suspend(() => {
        try {
          const own = new CallContext(context)
          return settle(grade(privateCopy(row), own), own)
        } catch (thrown) {
          return Effect.succeed(without("error", causeText(thrown)))
        }
      })
  }
}

/** The context of one call: copies of the large parts are made when they are read. */
class CallContext implements FunctionContext {
  readonly tools: ReadonlyArray<Tool>
  readonly systemPrompt: string
  readonly locale: string
  readonly abort = (): void => this.#controller().abort()
  readonly #context: GraderContext
  #privileged: Privileged | undefined
  #outcome: GraderContext["outcome"] | undefined
  #abortController: AbortController | undefined

  constructor(context: GraderContext) {
    this.#context = context
    this.tools = context.tools.derived(frozenCopy)
    this.systemPrompt = context.systemPrompt
    this.locale = context.locale
  }

  get privileged(): Privileged {
    return (this.#privileged ??= privateCopy(this.#context.privileged))
  }

  get outcome(): GraderContext["outcome"] {
    if (this.#outcome === undefined) this.#outcome = privateCopy(this.#context.outcome)
    return this.#outcome
  }

  get signal(): AbortSignal {
    return this.#controller().signal
  }

  #controller(): AbortController {
    return (this.#abortController ??= new AbortController())
  }
}

/** The tools as nobody can change them. */
const frozenCopy = ({ list }: ToolSet): ReadonlyArray<Tool> => deepFreeze(privateCopy(list))

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"
