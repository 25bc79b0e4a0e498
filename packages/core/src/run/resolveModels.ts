/**
 * Makes what a call only names: models by their specs, agents by an address or a command. Nobody is called; what cannot be
 * made is told with everything else that is wrong with the call.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type * as ChatModel from "../model/ChatModel.ts"
import type { Role } from "../model/ModelCall.ts"
import * as ModelSource from "../model/ModelSource.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import type { Hosting, Limits, Roles } from "../options/Options.ts"
import type { Service as Agent } from "../rollout/AgentBackend.ts"
import { AgentSource } from "../rollout/AgentSource.ts"
import * as Conversation from "../rollout/Conversation.ts"

/** Who was made, by role; null where the call names nobody. */
export interface Made {
  readonly agent: Agent | null
  readonly writer: ChatModel.Service | null
  readonly user: ChatModel.Service | null
}

export interface Making {
  readonly made: Made
  readonly issues: ReadonlyArray<OptionIssue>
}

/** `input` is the call as it was given: its words name the options in what is told. */
export const make = (roles: Roles, limits: Limits, input: unknown): Effect.Effect<Making, never, Scope.Scope> =>
  Effect.gen(function* () {
    const issues: Array<OptionIssue> = []
    const told = new Set<string>()
    const models = new Map<string, Array<{ readonly limit: unknown; readonly model: ChatModel.Service }>>()

    const refused = (option: string, { problem, spec, fix }: ModelSource.SpecRefused): null => {
      // One sentence for an endpoint of the environment, however many roles it would play.
      const issue = spec === ModelSource.hosted ? "" : option
      if (!told.has(issue + problem)) {
        issues.push({ option, problem: spec === ModelSource.hosted ? problem : `names ${spec}, which ${problem}`, fix })
      }
      told.add(issue + problem)
      return null
    }

    /** The same spec under the same limit is one model, whatever roles it plays. */
    const modelOf = Effect.fnUntraced(function* (option: string, { spec }: Spec, role: Role) {
      const limit = limits[role]
      const known = models.get(spec)?.find((each) => each.limit === limit)
      if (known !== undefined) return known.model
      const made = yield* Effect.either(ModelSource.model(spec, { role, ...(limit === undefined ? {} : { limit }) }))
      if (Either.isLeft(made)) return refused(option, made.left)
      models.set(spec, [...(models.get(spec) ?? []), { limit, model: made.right }])
      return made.right
    })

    const agentSpec = specOf(roles.agent)
    const writerSpec = roles.simulator._tag === "AgentModel" ? agentSpec : specOf(roles.simulator)
    const userSpec =
      roles.userModel._tag === "AgentModel"
        ? agentSpec
        : roles.userModel._tag === "WriterModel"
          ? writerSpec
          : specOf(roles.userModel)

    const agentOption = isGiven(input, "backend") ? "backend" : "agent"
    let agent: Agent | null = null
    if (agentSpec !== null) {
      const model = yield* modelOf(agentOption, agentSpec, "agent")
      agent = model === null ? null : Conversation.fromModel(model)
    } else if (roles.agent._tag === "Url" || roles.agent._tag === "Command") {
      const source = yield* AgentSource
      const made = yield* Effect.either(source.agent(roles.agent))
      agent = Either.isRight(made) ? made.right : refused("agent", made.left)
    }
    // What the agent's spec is refused for is told of the agent alone.
    const failed = agentSpec !== null && agent === null ? agentSpec.spec : null
    const roleModel = (option: string, spec: Spec | null, role: Role) =>
      spec === null || spec.spec === failed ? Effect.succeed(null) : modelOf(option, spec, role)
    const writer = yield* roleModel("simulator", writerSpec, "writer")
    const followsWriter = roles.userModel._tag === "WriterModel" && writer === null
    const user = followsWriter ? null : yield* roleModel("userModel", userSpec, "user")
    return { made: { agent, writer, user }, issues }
  })

interface Spec {
  readonly spec: string
}

const specOf = (role: { readonly _tag: string } | Hosting): Spec | null => {
  if (role._tag === "Hosted") return { spec: ModelSource.hosted }
  return role._tag === "Spec" && "spec" in role ? { spec: role.spec } : null
}

const isGiven = (input: unknown, name: string): boolean =>
  typeof input === "object" && input !== null && (input as Readonly<Record<string, unknown>>)[name] !== undefined
