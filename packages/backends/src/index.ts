/**
 * Every public module of the backends, each under its own name. Nothing that a module needs of others is loaded before it is
 * used.
 */
export * as CommandAgent from "./CommandAgent.ts"
export * as HttpAgent from "./HttpAgent.ts"
