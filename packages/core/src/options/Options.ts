/**
 * Everything a caller can say of a run, and what it comes to.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Platform from "../row/internal/platform.ts"
import type { Service as AgentService } from "../rollout/AgentBackend.ts"
import type { Warning } from "../report/Warning.ts"
import { samplingRefused } from "./internal/conflicts.ts"
import { dialNotes } from "./internal/notes.ts"
import type { OptionValues } from "./internal/optionTable.ts"
import { resolve as resolveWith, rolesOf as rolesIn } from "./internal/resolve.ts"
import { nobodyWrites } from "./internal/roles.ts"
import type { Environment, Resolved, Roles } from "./internal/resolved.ts"
import { InvalidOptions } from "./InvalidOptions.ts"
import * as SpecFile from "./SpecFile.ts"

export { sections } from "../settings/option.ts"
export type { Kind, Seconds } from "../settings/fields.ts"
export { nearest } from "./internal/nearest.ts"
export { entries as descriptors, snakeCase, type Entry as Descriptor } from "./internal/optionTable.ts"
export type { Environment, Hosting, Limits, Resolved, Role, Roles, Traces } from "./internal/resolved.ts"
export type {
  Agent,
  EmbedderValue,
  Execute,
  GraderValue,
  OnEvent,
  Simulator,
  UserModel,
  WriterFunction
} from "./internal/roleValues.ts"
export { InvalidOptions, OptionIssue } from "./InvalidOptions.ts"

/**
 * Every option: unset unless the caller sets it (`undefined` is unset).
 * @since 0.1.0
 * @category models
 */
export interface Options extends OptionValues {}

/**
 * What the options come to, or everything that is wrong with them: unknown keys, values out of range, options that
 * exclude each other, tools that cannot be read, roles nobody can play. Pure; a `spec` on disk is read by `load`.
 * @since 0.1.0
 * @category functions
 */
export const resolve = (input: unknown, environment: Environment = {}): Either.Either<Resolved, InvalidOptions> =>
  resolveWith(input, environment)

/**
 * Who plays each role, as far as the options say; whatever else is wrong with them.
 * @since 0.1.0
 * @category functions
 */
export const rolesOf = (input: unknown, environment: Environment = {}): Roles => rolesIn(input, environment)

/**
 * As `resolve`, with a `spec` that is a path read from the file system in context, if there is one.
 * @since 0.1.0
 * @category functions
 */
export const load: (
  input: unknown,
  environment?: Environment,
  specOptions?: SpecFile.ReadOptions
) => Effect.Effect<Resolved, InvalidOptions> = Effect.fn("Options.load")(function* (
  input: unknown,
  environment: Environment = {},
  specOptions: SpecFile.ReadOptions = {}
) {
  const spec = specOf(input)
  if (typeof spec !== "string") return yield* resolveWith(input, environment)
  const fs = yield* Effect.serviceOption(Platform.FileSystem)
  const path = yield* Effect.serviceOption(Platform.Path)
  if (Option.isNone(fs) || Option.isNone(path)) return yield* resolveWith(input, environment)
  const platform = Context.make(Platform.FileSystem, fs.value).pipe(Context.add(Platform.Path, path.value))
  const reading = yield* Effect.provide(SpecFile.read(spec, specOptions), platform)
  return yield* resolveWith(input, environment, reading)
})

/**
 * What only the built agent can tell of options given with a layer: dials without effect as notes; refused are `sampling`
 * with a model-backed agent, and situations left to the model of an agent that has none.
 * @since 0.1.0
 * @category functions
 */
export const checkAgent = (
  { roles, settings: { given } }: Resolved,
  agent: AgentService
): Either.Either<ReadonlyArray<Warning>, InvalidOptions> => {
  const set = new Set(given)
  const issues = [
    ...(agent.kind === "model" && set.has("sampling") ? [samplingRefused] : []),
    ...(roles.agent._tag === "Layer" && roles.simulator._tag === "AgentModel" && agent.model === undefined
      ? [nobodyWrites]
      : [])
  ]
  return issues.length > 0 ? Either.left(InvalidOptions.of(issues)) : Either.right(dialNotes(set, agent))
}

const specOf = (input: unknown): unknown =>
  typeof input === "object" && input !== null && "spec" in input ? input.spec : undefined
