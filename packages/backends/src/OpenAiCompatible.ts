/**
 * Chat completions at any base URL: OpenAI, Azure, OpenRouter, Groq, DeepSeek, Mistral, and servers of open models such as
 * vLLM, SGLang, TGI, llama.cpp, LM Studio and Ollama.
 */
import type { HttpClient } from "@effect/platform/HttpClient"
import { ChatModel, type Service } from "@sandtable/core/ChatModel"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Backend from "./internal/backend.ts"
import type { Accent } from "./internal/chatBody.ts"
import * as ChatCompletions from "./internal/chatCompletions.ts"
import { configured, type Configured, type InvalidEndpoint, type Options as EndpointOptions } from "./ModelEndpoint.ts"
import * as ToolSchemas from "./ToolSchemas.ts"

/**
 * `baseUrl` is OpenAI's when left out. Thoughts go back in the turn they belong to, as their server gave them.
 * @since 0.1.0
 * @category models
 */
export interface Options extends EndpointOptions {
  /** How tools are spelt; by the provider when left out, the plainest form for one that is not known. */
  readonly tools?: ToolSchemas.Dialect
}

const openAiUrl = "https://api.openai.com/v1"

/** Where a provider differs from the rest; a new one that does is a line here. */
const accents: ReadonlyMap<string, Partial<Accent>> = new Map([
  ["openai", { dialect: ToolSchemas.openAi, maxTokens: "max_completion_tokens" }],
  ["azure", { dialect: ToolSchemas.openAi, maxTokens: "max_completion_tokens" }],
  ["openrouter", { dialect: ToolSchemas.openAi }],
  ["groq", { dialect: ToolSchemas.openAi }],
  ["deepseek", { dialect: ToolSchemas.openAi }],
  ["mistral", { dialect: ToolSchemas.openAi, shortIds: true }]
])

/**
 * A model behind an endpoint. Nothing is sent before the first call.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<Service, InvalidEndpoint, HttpClient> => {
  const { baseUrl = openAiUrl, tools, ...rest } = options
  const provider = options.provider ?? (baseUrl === openAiUrl ? "openai" : "openai-compatible")
  // OpenAI's name at another address says what is spoken there, not who speaks.
  const elsewhere = provider === "openai" && !/^https:\/\/[\w.-]*\bopenai\.(?:com|azure\.com)(?:[:/]|$)/i.test(baseUrl)
  const accent: Accent = {
    dialect: ToolSchemas.open,
    maxTokens: "max_tokens",
    shortIds: false,
    ...(elsewhere ? {} : accents.get(provider)),
    ...(tools !== undefined && { dialect: tools })
  }
  const protocol = ChatCompletions.protocol(accent)
  return Backend.make(
    { protocol, provider, baseUrl, auth: "bearer", reasoning: "turn", maxTokens: null },
    { ...rest, baseUrl }
  )
}

/**
 * The model at an endpoint that speaks chat completions.
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
