/**
 * Every public module of the backends, each under its own name, but for `EffectAi`: its types are those of `@effect/ai`, which
 * only its users have. Nothing that a module needs of others is loaded before it is used.
 */
export * as AiSdk from "./AiSdk.ts"
export * as Anthropic from "./Anthropic.ts"
export * as Backends from "./Backends.ts"
export * as Cache from "./Cache.ts"
export * as CommandAgent from "./CommandAgent.ts"
export * as HttpAgent from "./HttpAgent.ts"
export * as Limits from "./Limits.ts"
export * as McpWorld from "./McpWorld.ts"
export * as ModelEndpoint from "./ModelEndpoint.ts"
export * as ModelSpec from "./ModelSpec.ts"
export * as OpenAiCompatible from "./OpenAiCompatible.ts"
export * as OpenAiResponses from "./OpenAiResponses.ts"
export * as Proxy from "./Proxy.ts"
export * as Replay from "./Replay.ts"
export * as Retry from "./Retry.ts"
export * as ToolSchemas from "./ToolSchemas.ts"
