/**
 * From the roles a call names to the services that hold them: an option wins over a layer in context.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import * as Embedder from "../model/Embedder.ts"
import { InvalidOptions } from "../options/InvalidOptions.ts"
import type { Environment, Resolved } from "../options/Options.ts"
import * as Randomness from "../random/Randomness.ts"
import * as AgentBackend from "../rollout/AgentBackend.ts"
import * as UserSimulator from "../rollout/UserSimulator.ts"
import * as RowSink from "../row/RowSink.ts"
import * as SituationWriter from "../situation/SituationWriter.ts"
import * as ErrorText from "../task/ErrorText.ts"
import * as ExecuteWorld from "../world/ExecuteWorld.ts"
import * as World from "../world/World.ts"

type Services = Context.Context<never>

/** Which roles layers in context hold. */
export const providedBy = (context: Services): NonNullable<Environment["provided"]> => {
  const tags = [
    ["agent", AgentBackend.AgentBackend.key],
    ["simulator", SituationWriter.SituationWriter.key],
    ["userModel", UserSimulator.UserSimulator.key],
    ["execute", World.World.key],
    ["grader", Grader.Grader.key],
    ["embedder", Embedder.Embedder.key]
  ] as const
  return tags.flatMap(([role, key]) => (context.unsafeMap.has(key) ? [role] : []))
}

/** The context with everything the options name in it. Layers are built in the scope of the run. */
export const cast = Effect.fn("Simulation.cast")(function* (resolved: Resolved) {
  const { roles, settings } = resolved
  const context = yield* Effect.context<never>()
  const parts: Array<Services> = [context]
  const add = (part: Context.Context<never>): void => void parts.push(part)

  if (settings.given.includes("seed") || !context.unsafeMap.has(Randomness.Randomness.key)) {
    add(Context.make(Randomness.Randomness, Randomness.make(settings.seed)))
  }
  switch (roles.agent._tag) {
    case "Service":
      add(Context.make(AgentBackend.AgentBackend, roles.agent.service) as Services)
      break
    case "Layer":
      add(yield* built("agent", roles.agent.layer))
  }
  switch (roles.simulator._tag) {
    case "Service":
      add(Context.make(SituationWriter.SituationWriter, roles.simulator.service) as Services)
      break
    case "Layer":
      add(yield* built("simulator", roles.simulator.layer))
      break
    case "Function": {
      const { name, write } = roles.simulator
      add(
        Context.make(
          SituationWriter.SituationWriter,
          SituationWriter.ofService(SituationWriter.fromFunction(write, { name }))
        ) as Services
      )
      break
    }
    case "Template":
      add(Context.omit(SituationWriter.SituationWriter)(context) as Services)
  }
  if (roles.userModel._tag === "Service") add(Context.make(UserSimulator.UserSimulator, roles.userModel.service))
  if (roles.userModel._tag === "Layer") add(yield* built("userModel", roles.userModel.layer))
  if (roles.userModel._tag === "Template") add(yield* built("userModel", UserSimulator.layerTemplate))
  if (roles.execute._tag === "Execute") add(yield* built("execute", ExecuteWorld.layer(roles.execute.execute)))
  if (roles.grader._tag === "Service") add(Context.make(Grader.Grader, Option.some(roles.grader.service)))
  if (roles.grader._tag === "Layer") add(yield* built("grader", roles.grader.layer))
  if (roles.embedder._tag === "Service") add(Context.make(Embedder.Embedder, roles.embedder.service))
  if (roles.embedder._tag === "Layer") add(yield* built("advanced.embedder", roles.embedder.layer))
  return Context.mergeAll(...parts)
})

/** Where rows go: the file the options name, or the sink in context. The file is opened here, before anything runs. */
export const sinkOf = Effect.fn("Simulation.sinkOf")(function* ({ files }: Resolved) {
  const fs = yield* Effect.serviceOption(FileSystem.FileSystem)
  if (files.output === null || Option.isNone(fs)) return yield* RowSink.RowSink
  const sink = RowSink.layerFile(files.output, { existing: files.overwrite ? "replace" : "refuse" })
  return Context.get(
    yield* Layer.build(Layer.provide(sink, Layer.succeed(FileSystem.FileSystem, fs.value))),
    RowSink.RowSink
  )
})

/** A layer of the caller's as services; one that cannot be built is a fault of the option that gave it. */
const built = <A>(option: string, layer: Layer.Layer<A, unknown>) =>
  Layer.build(layer).pipe(
    Effect.map((context) => context as Services),
    Effect.mapError(
      (error) =>
        new InvalidOptions({
          issues: [
            {
              option,
              problem: `gives a layer that could not be built: ${ErrorText.of(error)}`,
              fix: "Mend the layer, or give a service."
            }
          ]
        })
    )
  )
