/**
 * Anthropic's Messages API. Thinking is asked for by `body: { thinking: { type: "enabled", budget_tokens: 2000 } }`; what
 * comes signed goes back unchanged.
 */
import type { HttpClient } from "@effect/platform/HttpClient"
import { ChatModel, type Service } from "@sandtable/core/ChatModel"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Backend from "./internal/backend.ts"
import * as Messages from "./internal/messages.ts"
import { configured, type Configured, type InvalidEndpoint, type Options } from "./ModelEndpoint.ts"

export type { Options } from "./ModelEndpoint.ts"

/** Tokens of a reply where nobody says: the API wants a number. */
const usualMaxTokens = 4096

const kind: Backend.Kind = {
  protocol: Messages.protocol,
  provider: "anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  auth: "x-api-key",
  reasoning: "all",
  maxTokens: usualMaxTokens
}

/**
 * A model behind the API; it has no `seed` and tells no log probabilities. Nothing is sent before the first call.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Service, InvalidEndpoint, HttpClient> =>
  Backend.make(kind, options)

/**
 * The model at an endpoint that speaks Messages.
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
