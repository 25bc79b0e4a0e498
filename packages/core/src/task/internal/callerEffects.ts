/**
 * Functions of callers that may answer by an Effect, and the services that such an Effect needs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { CurrentRollout } from "../CurrentRollout.ts"

/**
 * A value, a Promise of one, or an Effect that needs `R` and nothing else: any other Effect is a type error.
 * @since 0.1.0
 * @category models
 */
export type Given<R = never> = NoEffect | Effect.Effect<unknown, unknown, R>

type NoEffect =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | void
  | (object & { readonly [Effect.EffectTypeId]?: never })
  // for literals, whose further properties the one above would refuse
  | { readonly [name: string]: unknown; readonly [Effect.EffectTypeId]?: never }

/** The services in context, to be kept for effects that run later, without those of this moment alone. */
export const capture = <R>(): Effect.Effect<Context.Context<R>, never, R> =>
  Effect.map(
    Effect.context<R>(),
    (context) =>
      Context.omit(
        Scope.Scope,
        Tracer.ParentSpan,
        CurrentRollout
      )(context as Context.Context<never>) as Context.Context<R>
  )

/** The effect with services captured before, which win over others of their kind where it runs. */
export const provide = <A, E, R, Own = never>(
  effect: Effect.Effect<A, E, R>,
  captured: Context.Context<Exclude<R, Own>>
): Effect.Effect<A, E, Own> =>
  Effect.mapInputContext(effect, (own: Context.Context<Own>) => Context.merge(own, captured) as Context.Context<R>)

/** The same for whatever a function gave: what is no Effect needs nothing. */
export const provideGiven = <R>(given: Given<R>, captured: Context.Context<R>): Given =>
  Effect.isEffect(given) ? provide(given, captured) : given

/** The same where it is told what is given. */
export const provideReturned = <A, E, R, Own = never>(
  given: A | PromiseLike<A> | Effect.Effect<A, E, R>,
  captured: Context.Context<Exclude<R, Own>>
): A | PromiseLike<A> | Effect.Effect<A, E, Own> =>
  Effect.isEffect(given) ? provide(given as Effect.Effect<A, E, R>, captured) : given
