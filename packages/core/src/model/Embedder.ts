/**
 * Texts to vectors, for telling how new an ask is. Built in: hashed words and word pairs; a layer brings a model.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Identity } from "./Identity.ts"
import * as Lexical from "../language/Lexical.ts"

/**
 * Of unit length (or all zero). One embedder gives one kind: sparse, or dense of one size.
 * @since 0.1.0
 * @category models
 */
export type Vector = Lexical.SparseVector | Float32Array

/**
 * The vectors did not come; the run goes on with the built-in ones and says so.
 * @since 0.1.0
 * @category errors
 */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  embedder: Schema.String,
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `The embedder ${this.embedder} gave no vectors: ${this.detail}`
  }
}

/**
 * Turns texts into vectors.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly identity: Identity
  /** It compares by words alone, as the measure of leakage does by itself: such an embedder adds nothing to it. */
  readonly byWords?: boolean
  /** One vector per text, in order. */
  readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed>
}

/**
 * Hashed words and word pairs, L2-normalised.
 * @since 0.1.0
 * @category constants
 */
export const lexical: Service = {
  identity: { name: "lexical" },
  byWords: true,
  embed: (texts) => Effect.sync(() => texts.map(Lexical.vectorOf))
}

/**
 * An embedder of your own: plain arrays of numbers, all of one length, one per text. They are brought to unit length
 * here; a wrong count, a wrong length or a number that is not finite fails with `EmbeddingFailed`.
 * @since 0.1.0
 * @category functions
 */
export const dense = <E>(
  identity: Identity,
  embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ArrayLike<number>>, E>
): Service => {
  const failed = (detail: string, cause?: unknown): EmbeddingFailed =>
    new EmbeddingFailed({ embedder: identity.name, detail, ...(cause === undefined ? {} : { cause }) })
  return {
    identity,
    embed: (texts) =>
      embed(texts).pipe(
        Effect.mapError((cause) => failed("the call failed", cause)),
        Effect.flatMap((vectors) => {
          const problem = problemOf(texts.length, vectors)
          return problem === undefined ? Effect.succeed(vectors.map(unit)) : Effect.fail(failed(problem))
        })
      )
  }
}

/**
 * What tells how alike two texts are; by their words unless another is provided.
 * @since 0.1.0
 * @category services
 */
export class Embedder extends Context.Reference<Embedder>()("@sandtable/core/Embedder", {
  defaultValue: (): Service => lexical
}) {}

/**
 * The embedder of a run.
 * @since 0.1.0
 * @category layers
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(Embedder, service)

/**
 * The default, written out.
 * @since 0.1.0
 * @category layers
 */
export const layerLexical: Layer.Layer<never> = layer(lexical)

/**
 * `dense` as a layer; the services that `embed` needs are taken when it is built.
 * @since 0.1.0
 * @category layers
 */
export const layerDense = <E, R = never>(
  identity: Identity,
  embed: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ArrayLike<number>>, E, R>
): Layer.Layer<never, never, R> =>
  Layer.effect(
    Embedder,
    Effect.map(Effect.context<R>(), (context) => dense(identity, (texts) => Effect.provide(embed(texts), context)))
  )

/**
 * Cosine of two vectors of one embedder; 0 when they are of different kinds.
 * @since 0.1.0
 * @category functions
 */
export const similarity = (a: Vector, b: Vector): number => {
  if (a instanceof Float32Array) return b instanceof Float32Array ? dot(a, b) : 0
  return b instanceof Float32Array ? 0 : Lexical.cosine(a, b)
}

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] ?? 0)
  return sum
}

const problemOf = (texts: number, vectors: ReadonlyArray<ArrayLike<number>>): string | undefined => {
  if (vectors.length !== texts) return `${texts} texts were given, ${vectors.length} vectors came back`
  const size = vectors[0]?.length ?? 0
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== size) return `vector ${index} has ${vector.length} numbers, vector 0 has ${size}`
    if (!Array.from(vector).every(Number.isFinite)) return `vector ${index} has a number that is not finite`
  }
  return undefined
}

const unit = (values: ArrayLike<number>): Float32Array => {
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] as number) * (values[i] as number)
  const norm = squares > 0 ? Math.sqrt(squares) : 1
  return Float32Array.from(values, (value) => value / norm)
}
