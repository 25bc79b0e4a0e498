/**
 * One completion of a chat model: the only thing any role needs of a provider.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Identity } from "./Identity.ts"
import type { Message, ToolCall } from "./Message.ts"
import type { Usage } from "./Usage.ts"

export type { Identity } from "./Identity.ts"
export type { Message, ToolCall } from "./Message.ts"
export { Usage } from "./Usage.ts"

/**
 * A tool as a model is told of it.
 * @since 0.1.0
 * @category models
 */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/**
 * How a reply is sampled; the endpoint's defaults where nothing is said.
 * @since 0.1.0
 * @category models
 */
export interface SamplingRequest {
  readonly temperature?: number
  /** Most tokens of the reply. */
  readonly maxTokens?: number
  readonly logprobs?: false | true | "tokens"
}

/**
 * What was sampled with, as the backend resolved it; recorded on rows.
 * @since 0.1.0
 * @category models
 */
export type Sampling = Readonly<Record<string, unknown>>

/**
 * What a model is asked.
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<ToolSpec>
  readonly sampling?: SamplingRequest
  /** JSON Schema the reply should satisfy, where the backend can ask for it. */
  readonly responseSchema?: Readonly<Record<string, unknown>>
  /** What the call is for: keeps caches apart and names spans; never sent to a provider. */
  readonly key?: ReadonlyArray<string | number>
}

/**
 * Why a reply ended.
 * @since 0.1.0
 * @category models
 */
export type FinishReason = "stop" | "length" | "tool" | "content_filter" | "error"

/**
 * What a model replied.
 * @since 0.1.0
 * @category models
 */
export interface Completion {
  readonly text: string
  readonly reasoning?: string
  readonly toolCalls: ReadonlyArray<ToolCall>
  readonly finishReason: FinishReason
  /** Tokens of the request that gave this reply; those sent before it in vain are told to the call's notes. */
  readonly usage: Usage
  readonly sampling: Sampling
  readonly logprobs?: {
    readonly total: number
    readonly tokens: number
    readonly each?: ReadonlyArray<{ readonly token: string; readonly logprob: number }>
  }
  /** What the provider needs back unchanged with this turn. */
  readonly providerState?: unknown
  /** The words in which the model or its provider refused; they are also the text where there is no other. */
  readonly refusal?: string
  /** The reply as the provider sent it, for those who record or look into replies; it is on no row. */
  readonly raw?: unknown
}

/**
 * A model call failed. `auth` and `quota` are for good and stop the run; `context` and `content_filter` end the
 * rollout; `stopped`: the run is over its cap or over, so nothing was sent; the others are what is left after the
 * backend's own retries.
 * @since 0.1.0
 * @category errors
 */
export class ModelFailed extends Schema.TaggedError<ModelFailed>()("ModelFailed", {
  reason: Schema.Literal(
    "auth",
    "quota",
    "rate_limited",
    "context",
    "content_filter",
    "bad_request",
    "unavailable",
    "stopped"
  ),
  model: Schema.String,
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `${this.model}: ${this.detail}`
  }
}

/**
 * Something of a tool that a backend cannot tell its model.
 * @since 0.1.0
 * @category models
 */
export interface ToolRefusal {
  readonly tool: string
  /** Where in its definition: `parameters.properties.filter.$ref`. */
  readonly path: string
  /** Completes the sentence "It ...". */
  readonly problem: string
  readonly fix: string
}

/**
 * A model that can be asked.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly identity: Identity
  readonly complete: (request: Request) => Effect.Effect<Completion, ModelFailed>
  /** Tokens a thread may hold, where known. */
  readonly contextSize?: number
  /** The backend's own settings that change replies, as JSON without secrets: caches keep replies under them. */
  readonly settings?: unknown
  /** What of the tools the model could not be told: to be asked before a run. A backend that takes any has none. */
  readonly refusals?: (tools: ReadonlyArray<ToolSpec>) => ReadonlyArray<ToolRefusal>
}

/**
 * The model of a role.
 * @since 0.1.0
 * @category services
 */
export class ChatModel extends Context.Tag("@sandtable/core/ChatModel")<ChatModel, Service>() {}

/**
 * The model of a role.
 * @since 0.1.0
 * @category layers
 */
export const layer = (service: Service): Layer.Layer<ChatModel> => Layer.succeed(ChatModel, service)
