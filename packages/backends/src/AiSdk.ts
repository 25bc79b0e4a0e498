/**
 * Models of Vercel's AI SDK, taken by their interface: the `ai` package itself is not needed. Supported are models of
 * specifications v2, v3 and v4 (`ai` 5, 6 and 7 and their providers); others are refused by name.
 */
import { ChatModel } from "@sandtable/core/ChatModel"
import type { Service } from "@sandtable/core/ChatModel"
import type { Identity } from "@sandtable/core/unstable/Identity"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Calls from "./internal/aiSdkCalls.ts"
import * as Foreign from "./internal/foreignModel.ts"
import { isRecord } from "./internal/json.ts"

/**
 * What is used of a model.
 * @since 0.1.0
 * @category models
 */
export type Model = Calls.Model

/**
 * Versions of the model interface that are read.
 * @since 0.1.0
 * @category constants
 */
export const supported: ReadonlyArray<string> = ["v2", "v3", "v4"]

/**
 * What is known of a model of the AI SDK beside itself.
 * @since 0.1.0
 * @category models
 */
export interface Options extends Foreign.Options {
  /** Shown on rows; the model's id when left out. */
  readonly name?: string
  readonly endpoint?: string
  /** Sent with every call, by provider: `{ openai: { reasoningEffort: "low" } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * It is no model, or one of a version that is not read.
 * @since 0.1.0
 * @category errors
 */
export class AiSdkModelRefused extends Schema.TaggedError<AiSdkModelRefused>()("AiSdkModelRefused", {
  problem: Schema.String
}) {
  override get message(): string {
    return `The AI SDK model cannot be used: ${this.problem}. Give a language model of specification ${supported.join(", ")}, such as openai("gpt-4.1-mini") of @ai-sdk/openai (ai 5, 6 or 7).`
  }
}

/**
 * A chat model of an AI SDK model.
 * @since 0.1.0
 * @category constructors
 */
export const make = (model: Model, options: Options = {}): Effect.Effect<Service, AiSdkModelRefused> =>
  Effect.suspend(() => {
    const problem = problemOf(model)
    if (problem !== null) return Effect.fail(new AiSdkModelRefused({ problem }))
    const { endpoint, name = model.modelId } = options
    const identity: Identity & { readonly model: string } = {
      name,
      provider: model.provider,
      model: model.modelId,
      ...(endpoint === undefined ? {} : { endpoint })
    }
    return Effect.succeed(
      Foreign.make(identity, options, (request) => Calls.ask(model, request, options.providerOptions))
    )
  })

/**
 * An AI SDK model as the `ChatModel`.
 * @since 0.1.0
 * @category layers
 */
export const layer = (model: Model, options?: Options): Layer.Layer<ChatModel, AiSdkModelRefused> =>
  Layer.effect(ChatModel, make(model, options))

/** The value may come from untyped code, and types do not tell versions apart at run time. */
const problemOf = (model: unknown): string | null => {
  if (typeof model === "string") return `it is the text ${JSON.stringify(model)}, which only a gateway can resolve`
  if (typeof model === "function") return "it is a provider, not a model; call it with a model's name"
  if (!isRecord(model)) return "it is no model"
  const { doGenerate, modelId, provider, specificationVersion: version } = model
  if (version === undefined) return "it does not say its `specificationVersion`"
  if (!supported.includes(String(version))) return `it is of specification ${String(version)}`
  if (typeof doGenerate !== "function") return "it has no `doGenerate`; it is not a language model"
  return typeof modelId === "string" && typeof provider === "string"
    ? null
    : "it does not say its `provider` and `modelId`"
}
