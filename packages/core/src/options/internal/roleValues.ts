/**
 * What callers may give for the roles of a run: functions, services and layers, and how each is told.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Grader from "../../grade/Grader.ts"
import type * as Embedder from "../../model/Embedder.ts"
import type { AgentFunction, CurrentWorld } from "../../rollout/Agent.ts"
import type * as AgentBackend from "../../rollout/AgentBackend.ts"
import type * as UserSimulator from "../../rollout/UserSimulator.ts"
import type { RunEvent } from "../../search/RunEvent.ts"
import type * as SituationWriter from "../../situation/SituationWriter.ts"
import type * as ExecuteWorld from "../../world/ExecuteWorld.ts"

/** A program that is started for a rollout, with its arguments. */
export interface Command {
  readonly command: readonly [string, ...ReadonlyArray<string>]
}

/**
 * A function, an agent as a service or a layer, or a model spec, URL or command.
 * @since 0.1.0
 * @category models
 */
export type Agent =
  | AgentFunction<unknown, CurrentWorld>
  | AgentBackend.Service
  | Layer.Layer<AgentBackend.AgentBackend, unknown>
  | Command
  | string

/**
 * A writer given as a function.
 * @since 0.1.0
 * @category models
 */
export type WriterFunction = SituationWriter.WriteFunction

/**
 * `false` is the template writer; text is `"hosted"` or a model spec.
 * @since 0.1.0
 * @category models
 */
export type Simulator =
  | false
  | string
  | WriterFunction
  | SituationWriter.Service
  | SituationWriter.Kind
  | Layer.Layer<never, unknown>

/**
 * `false` is the template user; text is a model spec.
 * @since 0.1.0
 * @category models
 */
export type UserModel = false | string | UserSimulator.Service | Layer.Layer<never, unknown>

/**
 * What the option `execute` takes: functions of the caller's that answer calls.
 * @since 0.1.0
 * @category models
 */
export type Execute = ExecuteWorld.Execute

/**
 * A function of a row, its options, or a grader as a service or a layer.
 * @since 0.1.0
 * @category models
 */
export type GraderValue = Grader.GradeFunction | Grader.Options | Grader.Service | Layer.Layer<never, unknown>

/**
 * What the option `embedder` takes.
 * @since 0.1.0
 * @category models
 */
export type EmbedderValue = Embedder.Service | Layer.Layer<never, unknown>

/**
 * A listener for the events of a run; what it returns is not used.
 * @since 0.1.0
 * @category models
 */
export type OnEvent = (event: RunEvent) => unknown

export const isFunction = (value: unknown): value is (...args: ReadonlyArray<never>) => unknown =>
  typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value))

/** An object (or class instance) with a method of each name. */
const hasMethods = (value: unknown, ...names: ReadonlyArray<string>): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  names.every((name) => isFunction((value as Readonly<Record<string, unknown>>)[name]))

const hasIdentity = (value: Readonly<Record<string, unknown>>): boolean =>
  typeof value.identity === "object" && value.identity !== null && "name" in value.identity

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

export const isAgentService = (value: unknown): value is AgentBackend.Service =>
  hasMethods(value, "play") && hasIdentity(value)

export const isCommand = (value: unknown): value is Command =>
  typeof value === "object" &&
  value !== null &&
  "command" in value &&
  Array.isArray(value.command) &&
  value.command.length > 0 &&
  value.command.every(isText)

export const isAgent = (value: unknown): value is Agent =>
  isFunction(value) || isText(value) || Layer.isLayer(value) || isAgentService(value) || isCommand(value)

export const isWriterService = (value: unknown): value is SituationWriter.Service =>
  hasMethods(value, "write") && hasIdentity(value)

/** A writer that is made for each run. */
export const isWriterKind = (value: unknown): value is SituationWriter.Kind =>
  hasMethods(value, "make") && hasIdentity(value)

export const isSimulator = (value: unknown): value is Simulator =>
  value === false ||
  isText(value) ||
  isFunction(value) ||
  Layer.isLayer(value) ||
  isWriterService(value) ||
  isWriterKind(value)

export const isUserService = (value: unknown): value is UserSimulator.Service =>
  hasMethods(value, "react") && hasIdentity(value)

export const isUserModel = (value: unknown): value is UserModel =>
  value === false || isText(value) || Layer.isLayer(value) || isUserService(value)

export const isExecute = (value: unknown): value is Execute => isFunction(value) || hasMethods(value, "open", "call")

export const isGraderService = (value: unknown): value is Grader.Service =>
  hasMethods(value, "grade") && typeof value.conduct === "boolean"

export const isGrader = (value: unknown): value is GraderValue =>
  isFunction(value) || Layer.isLayer(value) || (hasMethods(value, "grade") && typeof value.name === "string")

export const isEmbedderService = (value: unknown): value is Embedder.Service =>
  hasMethods(value, "embed") && hasIdentity(value)

export const isEmbedder = (value: unknown): value is EmbedderValue => Layer.isLayer(value) || isEmbedderService(value)

export const isOnEvent = (value: unknown): value is OnEvent => isFunction(value)

export const isSignal = (value: unknown): value is AbortSignal => value instanceof AbortSignal

export const isStop = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)
