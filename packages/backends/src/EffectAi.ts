/**
 * Models of `@effect/ai`, both ways: any `LanguageModel` as a chat model that plays agent, writer, user or judge; and a chat
 * model as a `LanguageModel`, so that any program written for `@effect/ai` runs on models and mocks of this project.
 *
 * `@effect/ai` is loaded when one of these layers is built. A reply that it refuses as a whole, for an unknown tool or for
 * arguments that fit no schema, is read all the same: for a rehearsal it is the data.
 */
import type * as AiLanguageModel from "@effect/ai/LanguageModel"
import { ChatModel } from "@sandtable/core/ChatModel"
import type { SamplingRequest, Service } from "@sandtable/core/ChatModel"
import type { Identity } from "@sandtable/core/unstable/Identity"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Asking from "./internal/effectAiAsking.ts"
import * as Serving from "./internal/effectAiServing.ts"
import type * as Foreign from "./internal/foreignModel.ts"

/**
 * What is known of a model of `@effect/ai` beside itself.
 * @since 0.1.0
 * @category models
 */
export interface Options extends Foreign.Options {
  /** The model's name, for rows and for telling it from the models of other roles. */
  readonly model: string
  /** Who serves it (`effect-ai`). */
  readonly provider?: string
  readonly endpoint?: string
  /** Shown on rows; `model` when left out. */
  readonly name?: string
  /**
   * Puts the temperature and the limit of tokens that a run asks for around a call, since `@effect/ai` has them in each
   * provider's own configuration: `({ temperature }) => OpenAiLanguageModel.withConfigOverride({ temperature })`. Without
   * it the provider samples as it is configured, and rows record only the model.
   */
  readonly withSampling?: (
    sampling: SamplingRequest
  ) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * The `LanguageModel` in context as a chat model.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Service, never, AiLanguageModel.LanguageModel> =>
  Effect.flatMap(Asking.modules, (ai) =>
    Effect.map(ai.LanguageModel.LanguageModel, (model) => fromModel(ai, model, options))
  )

/**
 * The `LanguageModel` in context as the `ChatModel`.
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ChatModel, never, AiLanguageModel.LanguageModel> =>
  Layer.effect(ChatModel, make(options))

/**
 * The `ChatModel` in context as a `LanguageModel`. Inside a rollout its calls carry the rollout in their key, so that caches
 * keep repeats apart. `toolChoice: "required"` is checked on the reply, since a chat model cannot be made to call.
 * @since 0.1.0
 * @category layers
 */
export const layerLanguageModel: Layer.Layer<AiLanguageModel.LanguageModel, never, ChatModel> = Layer.unwrapEffect(
  Effect.map(Asking.modules, (ai) =>
    Layer.effect(
      ai.LanguageModel.LanguageModel,
      Effect.flatMap(ChatModel, (model) => ai.LanguageModel.make(Serving.of(ai, model)))
    )
  )
)

const fromModel = (ai: Asking.Modules, model: AiLanguageModel.Service, options: Options): Service => {
  const { endpoint, model: named, name = named, provider = "effect-ai" } = options
  const identity: Identity & { readonly model: string } = {
    name,
    provider,
    model: named,
    ...(endpoint === undefined ? {} : { endpoint })
  }
  return Asking.of(ai, model, identity, options)
}
