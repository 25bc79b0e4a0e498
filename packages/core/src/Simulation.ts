/**
 * The front door: rehearse an agent, see what a run would do, or take its rows as they land.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Preview } from "./run/preview.ts"
import type { RunFailed, SimulationError } from "./result/runFailed.ts"
import * as Running from "./run/run.ts"
import * as RunSpans from "./run/spans.ts"
import type { InvalidOptions } from "./options/InvalidOptions.ts"
import type * as Options from "./options/Options.ts"
import { AgentBackend } from "./rollout/AgentBackend.ts"
import type { RowFileError } from "./row/RowFileError.ts"
import type { RunSettings } from "./settings/RunSettings.ts"
import type { SimulationData } from "./result/SimulationData.ts"

export * as Spans from "./model/Spans.ts"
export { InvalidOptions } from "./options/InvalidOptions.ts"
export type { RunEvent } from "./search/RunEvent.ts"

export type { Preview } from "./run/preview.ts"
export { RunFailed, type SimulationError } from "./result/runFailed.ts"
export type { RunHooks, Streamed } from "./run/run.ts"

/**
 * Options that name no file: such a run needs nothing of the context.
 * @since 0.1.0
 * @category models
 */
export type InMemory = Options.Options & {
  readonly output?: undefined
  readonly checkpoint?: undefined
  readonly spec?: object | undefined
  readonly traces?: object | undefined
  readonly tasks?: object | undefined
}

/**
 * What a run needs whose options name a file.
 * @since 0.1.0
 * @category models
 */
export type Files = FileSystem.FileSystem | Path.Path

/**
 * Rehearses an agent: writes situations, plays them, grades and steers, and gives the rows. Everything wrong with the
 * options is found before anything is called or written.
 * @since 0.1.0
 * @category functions
 */
export const simulate: {
  (options: InMemory): Effect.Effect<SimulationData, SimulationError>
  (options: Options.Options): Effect.Effect<SimulationData, SimulationError, Files>
} = (options: Options.Options): Effect.Effect<SimulationData, SimulationError> =>
  Effect.scoped(Effect.flatMap(Running.begin(options), Running.collect)).pipe(RunSpans.root("Simulation.simulate"))

/**
 * Options that name no agent: it comes from the context.
 * @since 0.1.0
 * @category models
 */
export type WithoutAgent<Given extends Options.Options> = Given & {
  readonly agent?: undefined
  readonly backend?: undefined
}

/**
 * `simulate` for an agent that a layer holds: the type asks for it, and a program that provides none does not compile. The
 * other roles have defaults of their own, which layers swap.
 * @since 0.1.0
 * @category functions
 */
export const rehearse: {
  (options: WithoutAgent<InMemory>): Effect.Effect<SimulationData, SimulationError, AgentBackend>
  (options: WithoutAgent<Options.Options>): Effect.Effect<SimulationData, SimulationError, AgentBackend | Files>
} = (options: Options.Options): Effect.Effect<SimulationData, SimulationError, AgentBackend> =>
  Effect.zipRight(AgentBackend, simulate(options as InMemory))

/**
 * As `simulate`, for runs too long to hold. Closing the scope ends the run.
 * @since 0.1.0
 * @category functions
 */
export const stream: {
  (options: InMemory): Effect.Effect<Running.Streamed, InvalidOptions | RowFileError, Scope.Scope>
  (options: Options.Options): Effect.Effect<Running.Streamed, InvalidOptions | RowFileError, Files | Scope.Scope>
} = (options: Options.Options): Effect.Effect<Running.Streamed, InvalidOptions | RowFileError, Scope.Scope> =>
  Effect.flatMap(Running.begin(options), Running.streamed).pipe(RunSpans.rootScoped("Simulation.stream"))

/**
 * What a run would do, without calling an agent, a model or a world, and without writing a file.
 * @since 0.1.0
 * @category functions
 */
export const preview: {
  (options: InMemory): Effect.Effect<Preview, InvalidOptions>
  (options: Options.Options): Effect.Effect<Preview, InvalidOptions, Files>
} = (options: Options.Options): Effect.Effect<Preview, InvalidOptions> => Effect.scoped(Running.previewed(options))

/**
 * The typed core: settings in, roles from context. The agent is required; roles with a default of their own are swapped
 * by a layer; without a `SituationWriter` the template writer writes.
 * @since 0.1.0
 * @category functions
 */
export const run = (
  settings: RunSettings,
  hooks: Running.RunHooks = {}
): Effect.Effect<SimulationData, InvalidOptions | RunFailed, AgentBackend> =>
  RunSpans.root("Simulation.run")(Running.run(settings, hooks))
