/**
 * OpenAI's Responses API. Nothing is stored at the provider: threads are sent whole, and the reasoning of a turn goes back
 * sealed as it came.
 */
import type { HttpClient } from "@effect/platform/HttpClient"
import { ChatModel, type Service } from "@sandtable/core/ChatModel"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Backend from "./internal/backend.ts"
import * as Responses from "./internal/responses.ts"
import { configured, type Configured, type InvalidEndpoint, type Options } from "./ModelEndpoint.ts"

export type { Options } from "./ModelEndpoint.ts"

const kind: Backend.Kind = {
  protocol: Responses.protocol,
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  auth: "bearer",
  reasoning: "all",
  maxTokens: null
}

/**
 * A model behind the API; it has neither `stop` nor `seed`. Nothing is sent before the first call.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Service, InvalidEndpoint, HttpClient> =>
  Backend.make(kind, options)

/**
 * The model at an endpoint that speaks Responses.
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ChatModel, InvalidEndpoint, HttpClient> =>
  Layer.effect(ChatModel, make(options))

/**
 * As `layer`, with options of which any may be a `Config`.
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Configured<Options>
): Layer.Layer<ChatModel, InvalidEndpoint | ConfigError, HttpClient> =>
  Layer.effect(ChatModel, Effect.flatMap(configured(options), make))
