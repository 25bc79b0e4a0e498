/**
 * From the roles a call names to the services that hold them: an option wins over a layer in context.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import type { Service as ChatModel } from "../model/ChatModel.ts"
import * as Embedder from "../model/Embedder.ts"
import * as ModelSource from "../model/ModelSource.ts"
import * as Prices from "../model/Prices.ts"
import { InvalidOptions, type OptionIssue } from "../options/InvalidOptions.ts"
import type { Environment, Resolved } from "../options/Options.ts"
import * as Randomness from "../random/Randomness.ts"
import * as AgentBackend from "../rollout/AgentBackend.ts"
import * as UserSimulator from "../rollout/UserSimulator.ts"
import * as ModelWriter from "../situation/ModelWriter.ts"
import * as TemplateWriter from "../situation/TemplateWriter.ts"
import * as SituationWriter from "../situation/SituationWriter.ts"
import * as ErrorText from "../task/ErrorText.ts"
import * as ExecuteWorld from "../world/ExecuteWorld.ts"
import * as World from "../world/World.ts"
import type * as ResolveModels from "./resolveModels.ts"

/** Services of roles that have a default of their own: whatever is not among them plays by it. */
type Defaulted = Context.Context<never>

/** Which roles layers in context hold. */
export const providedBy = (context: Defaulted): Pick<Environment, "provided" | "agentModel"> => {
  const tags = [
    ["agent", AgentBackend.AgentBackend.key],
    ["simulator", SituationWriter.SituationWriter.key],
    ["userModel", UserSimulator.UserSimulator.key],
    ["execute", World.World.key],
    ["grader", Grader.Grader.key],
    ["embedder", Embedder.Embedder.key]
  ] as const
  const agent = Context.getOption(context, AgentBackend.AgentBackend)
  return {
    provided: tags.flatMap(([role, key]) => (context.unsafeMap.has(key) ? [role] : [])),
    agentModel: Option.isSome(agent) && agent.value.model !== undefined
  }
}

/** The context with everything the options name in it. Layers are built in the scope of the run. */
export const provideRoles = Effect.fn("Simulation.provideRoles")(function* (
  resolved: Resolved,
  made: ResolveModels.Made
) {
  const { limits, roles, settings } = resolved
  const context = yield* Effect.context<never>()
  const parts: Array<Defaulted> = [context]
  const add = (part: Defaulted): void => void parts.push(part)

  if (settings.given.includes("seed") || !context.unsafeMap.has(Randomness.Randomness.key)) {
    add(Context.make(Randomness.Randomness, Randomness.make(settings.seed)))
  }
  if (roles.agent._tag === "Layer") add(yield* built("agent", roles.agent.layer))
  const agent = made.agent ?? (roles.agent._tag === "Service" ? roles.agent.service : agentIn(parts))
  if (agent === null) return yield* InvalidOptions.of([noAgent])
  const agentModel = agent.model ?? null
  switch (roles.simulator._tag) {
    case "Template":
      add(Context.make(SituationWriter.SituationWriter, TemplateWriter.kind))
      break
    case "Service":
      add(Context.make(SituationWriter.SituationWriter, roles.simulator.service))
      break
    case "Layer":
      add(yield* built("simulator", roles.simulator.layer))
      break
    case "Function": {
      const { name, write } = roles.simulator
      const writer = SituationWriter.fromFunction(write, { name })
      add(Context.make(SituationWriter.SituationWriter, SituationWriter.ofService(writer)))
      break
    }
    case "Spec":
    case "Hosted":
    case "AgentModel": {
      const model = made.writer ?? (roles.simulator._tag === "AgentModel" ? agentModel : null)
      if (model !== null) add(Context.make(SituationWriter.SituationWriter, ModelWriter.fromModel(model)))
    }
  }
  const person = personModel(roles, made, agentModel)
  if (person !== null) add(Context.make(UserSimulator.UserSimulator, UserSimulator.fromModel(person)))
  if (roles.userModel._tag === "Service") add(Context.make(UserSimulator.UserSimulator, roles.userModel.service))
  if (roles.userModel._tag === "Layer") add(yield* built("userModel", roles.userModel.layer))
  if (roles.userModel._tag === "Template") add(yield* built("userModel", UserSimulator.layerTemplate))
  if (roles.execute._tag === "Execute") add(yield* built("execute", ExecuteWorld.layer(roles.execute.execute)))
  if (roles.grader._tag === "Service") add(Context.make(Grader.Grader, Option.some(roles.grader.service)))
  if (roles.grader._tag === "Layer") {
    const judges = ModelSource.limited(yield* ModelSource.ModelSource, limits)
    add(yield* Effect.provideService(built("grader", roles.grader.layer), ModelSource.ModelSource, judges))
  }
  if (roles.embedder._tag === "Service") add(Context.make(Embedder.Embedder, roles.embedder.service))
  if (roles.embedder._tag === "Layer") add(yield* built("advanced.embedder", roles.embedder.layer))
  const services = Context.add(Context.mergeAll(...parts), AgentBackend.AgentBackend, agent)
  const issues = unpriced(resolved, services)
  return issues.length > 0 ? yield* InvalidOptions.of(issues) : services
})

const agentIn = (parts: ReadonlyArray<Defaulted>): AgentBackend.Service | null =>
  Option.getOrNull(Context.getOption(Context.mergeAll(...parts), AgentBackend.AgentBackend))

const noAgent: OptionIssue = {
  option: "agent",
  problem: "gives a layer that holds no agent",
  fix: "Give a layer of `AgentBackend`, such as `AgentBackend.layerFunction(...)`."
}

/** The model that plays the person, where one does. */
const personModel = (
  { simulator, userModel }: Resolved["roles"],
  made: ResolveModels.Made,
  agentModel: ChatModel | null
): ChatModel | null => {
  switch (userModel._tag) {
    case "WriterModel":
      return made.user ?? (simulator._tag === "Service" ? (simulator.service.model ?? null) : null)
    case "AgentModel":
      return made.user ?? agentModel
    default:
      return made.user
  }
}

/** A cap on cost holds only where every model has a price. */
const unpriced = (
  { settings: { costBudget, prices } }: Resolved,
  services: Context.Context<AgentBackend.AgentBackend>
): ReadonlyArray<OptionIssue> => {
  if (costBudget === null) return []
  const models = [
    Context.get(services, AgentBackend.AgentBackend).identity,
    Context.get(services, SituationWriter.SituationWriter).identity,
    Context.get(services, UserSimulator.UserSimulator).identity,
    Option.getOrUndefined(Option.flatMapNullable(Context.get(services, Grader.Grader), Grader.identityOf))
  ].flatMap((identity) =>
    identity?.model === undefined || Prices.priceOf(prices, identity) !== undefined ? [] : [identity.model]
  )
  return [...new Set(models)].map((model) => ({
    option: "costBudget",
    problem: `caps US dollars, and \`advanced.prices\` has no price of ${model}`,
    fix: `Add it: { ${JSON.stringify(model)}: { input: 0.4, output: 1.6 } } in US dollars per million tokens.`
  }))
}

/** A layer of the caller's as services; one that cannot be built is a fault of the option that gave it. */
const built = <A>(option: string, layer: Layer.Layer<A, unknown>) =>
  Layer.build(layer).pipe(
    Effect.mapError(
      (error) =>
        new InvalidOptions({
          issues: [
            {
              option,
              problem: `gives a layer that could not be built: ${ErrorText.of(error).replace(/\.$/, "")}`,
              fix: "Mend the layer, or give a service."
            }
          ]
        })
    )
  )
