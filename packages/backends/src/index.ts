/**
 * Every public module of the backends, each under its own name. Nothing that a module needs of others is loaded before it is
 * used.
 */
export * as CommandAgent from "./CommandAgent.ts"
export * as HttpAgent from "./HttpAgent.ts"
export * as Limits from "./Limits.ts"
export * as ModelEndpoint from "./ModelEndpoint.ts"
export * as OpenAiCompatible from "./OpenAiCompatible.ts"
export * as Retry from "./Retry.ts"
export * as ToolSchemas from "./ToolSchemas.ts"
