/**
 * Spans of what a run does, in the attribute names that OpenTelemetry has for generative AI (semantic conventions 1.38).
 * They go to Effect's tracer; while it is Effect's own, which keeps them for nobody, none is made and nothing is paid.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/**
 * Whether spans may hold what was said: prompts, replies, arguments and results of tools. They do not unless asked.
 * @since 0.1.0
 * @category services
 */
export class SpanContent extends Context.Reference<SpanContent>()("@sandtable/core/SpanContent", {
  defaultValue: () => false
}) {}

/**
 * Puts what was said into spans.
 * @since 0.1.0
 * @category layers
 */
export const layerContent: Layer.Layer<never> = Layer.succeed(SpanContent, true)

/**
 * What a span of a model's or a tool's call is named and says.
 * @since 0.1.0
 * @category models
 */
export interface SpanOptions<A, E> {
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, unknown>>
  /** Attributes known at the end. */
  readonly ended: (exit: Exit.Exit<A, E>) => Readonly<Record<string, unknown>>
  /** What kind of failure it was, in a word; null when it was none. Errors' own words may quote what was said. */
  readonly failure: (exit: Exit.Exit<A, E>) => string | null
}

/**
 * Whether a fiber's spans reach anybody.
 * @since 0.1.0
 * @category functions
 */
export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean => fiber.currentTracer !== native

/**
 * As `isTraced`, of the current fiber.
 * @since 0.1.0
 * @category functions
 */
export const traced: Effect.Effect<boolean> = Effect.withFiberRuntime((fiber) => Effect.succeed(isTraced(fiber)))

/**
 * The effect inside a span. Asked for only where `isTraced`.
 * @since 0.1.0
 * @category functions
 */
export const span =
  <A, E>({ attributes, ended, failure, kind, name }: SpanOptions<A, E>) =>
  <R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let outcome: Exit.Exit<A, E> | undefined
      return Effect.useSpan(name, { kind, attributes: defined(attributes), captureStackTrace: false }, (span) =>
        Effect.flatMap(Effect.exit(Effect.withParentSpan(effect, span)), (exit) => {
          outcome = exit
          const word = failure(exit)
          for (const [key, value] of Object.entries(defined(ended(exit)))) span.attribute(key, value)
          if (word === null) return Effect.void
          span.attribute("error.type", word)
          return Effect.fail(word)
        })
      ).pipe(
        Effect.exit,
        Effect.flatMap(() => outcome ?? Effect.interrupt)
      )
    })

/**
 * The failure of an exit by a name; what died is `defect`, what was stopped `interrupted`.
 * @since 0.1.0
 * @category functions
 */
export const failureOf = <E>(exit: Exit.Exit<unknown, E>, nameOf: (error: E) => string): string | null => {
  if (Exit.isSuccess(exit)) return null
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) return nameOf(failure.value)
  return Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "defect"
}

/** Attributes without a value are left out. */
const defined = (attributes: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null))

const native = Context.get(DefaultServices.liveServices, Tracer.Tracer)
