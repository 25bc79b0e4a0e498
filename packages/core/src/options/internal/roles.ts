/**
 * Who plays: from what the caller named to the role as a run takes it.
 */
import * as Grader from "../../grade/Grader.ts"
import * as Agent from "../../rollout/Agent.ts"
import * as SituationWriter from "../../situation/SituationWriter.ts"
import type { OptionIssue } from "../InvalidOptions.ts"
import type { Options } from "./definition.ts"
import type { Environment, Roles } from "./resolved.ts"
import * as Value from "./roleValues.ts"

type Values = typeof Options.Type

/** What a role is, or why nobody can play it. */
interface Cast<A> {
  readonly role: A
  readonly issues: ReadonlyArray<OptionIssue>
}

const context = { _tag: "Context" } as const
const cast = <A>(role: A): Cast<A> => ({ role, issues: [] })

export const resolveRoles = (
  values: Values,
  set: ReadonlySet<string>,
  environment: Environment
): { readonly roles: Roles; readonly issues: ReadonlyArray<OptionIssue> } => {
  const agent = agentOf(values, set, environment)
  const simulator = simulatorOf(values, set, environment, agent.role)
  const grader = graderOf(values.grader)
  return {
    roles: {
      agent: agent.role,
      simulator: simulator.role,
      userModel: userModelOf(values, environment, agent.role, simulator.role),
      execute: values.execute === undefined ? context : { _tag: "Execute", execute: values.execute },
      grader: grader.role,
      embedder: embedderOf(values.advanced?.embedder)
    },
    issues: [...agent.issues, ...simulator.issues, ...grader.issues]
  }
}

const agentOf = (values: Values, set: ReadonlySet<string>, environment: Environment): Cast<Roles["agent"]> => {
  const { agent, backend } = values
  if (agent === undefined) {
    if (set.has("agent")) return cast(context)
    if (backend !== undefined) return cast({ _tag: "Spec", spec: backend })
    if (environment.provided?.includes("agent")) return cast(context)
    if (environment.endpoint) return cast({ _tag: "Hosted" })
    return { role: context, issues: [nobodyPlays(set)] }
  }
  if (typeof agent === "string") return cast({ _tag: "Spec", spec: agent.trim() })
  if (Value.isCommand(agent)) return cast({ _tag: "Spec", spec: agent.command.join(" ") })
  if (typeof agent === "function") return cast({ _tag: "Service", service: Agent.fromFunction(agent) })
  return cast(Value.isAgentService(agent) ? { _tag: "Service", service: agent } : { _tag: "Layer", layer: agent })
}

const nobodyPlays = (set: ReadonlySet<string>): OptionIssue =>
  ["tools", "systemPrompt", "spec"].some((name) => set.has(name))
    ? {
        option: "agent",
        problem: "is not given, and there is no model to play it",
        fix: "Give `agent`: a function of yours, or an AgentBackend service or layer."
      }
    : {
        option: "agent",
        problem: "is not given, and neither are `tools`, `systemPrompt` and `spec`: there is nothing to rehearse",
        fix: "Give `agent`: a function of yours, or an AgentBackend service or layer."
      }

/** Whether the agent is played by a model whose words could also be a writer's or a user's. */
const hasModel = (agent: Roles["agent"]): boolean =>
  agent._tag === "Spec" || agent._tag === "Hosted" || (agent._tag === "Service" && agent.service.kind === "model")

const simulatorOf = (
  values: Values,
  set: ReadonlySet<string>,
  environment: Environment,
  agent: Roles["agent"]
): Cast<Roles["simulator"]> => {
  const { simulator } = values
  if (set.has("tasks")) return cast({ _tag: "None" })
  if (simulator === false) return cast({ _tag: "Template" })
  if (simulator === undefined || simulator === "hosted") {
    if (set.has("simulator") && simulator === undefined) return cast({ _tag: "Template" })
    if (simulator === undefined && environment.provided?.includes("simulator")) return cast(context)
    if (environment.endpoint) return cast({ _tag: "Hosted" })
    if (hasModel(agent)) return cast({ _tag: "AgentModel" })
    return { role: { _tag: "Template" }, issues: [nobodyWrites] }
  }
  if (typeof simulator === "string") return cast({ _tag: "Spec", spec: simulator.trim() })
  if (typeof simulator === "function") {
    return cast({ _tag: "Function", name: simulator.name === "" ? "writer" : simulator.name, write: simulator })
  }
  if (Value.isWriterKind(simulator)) return cast({ _tag: "Service", service: simulator })
  return cast(
    Value.isWriterService(simulator)
      ? { _tag: "Service", service: SituationWriter.ofService(simulator) }
      : { _tag: "Layer", layer: simulator }
  )
}

const nobodyWrites: OptionIssue = {
  option: "simulator",
  problem: "has no model to write situations with: no endpoint is configured, and the agent brings no model",
  fix: "Set `simulator: false` for the offline template writer, or give a writer of your own."
}

const userModelOf = (
  { userModel }: Values,
  environment: Environment,
  agent: Roles["agent"],
  simulator: Roles["simulator"]
): Roles["userModel"] => {
  if (userModel === false) return { _tag: "Template" }
  if (typeof userModel === "string") return { _tag: "Spec", spec: userModel.trim() }
  if (userModel !== undefined) {
    return Value.isUserService(userModel)
      ? { _tag: "Service", service: userModel }
      : { _tag: "Layer", layer: userModel }
  }
  if (environment.provided?.includes("userModel")) return context
  if (simulator._tag === "Hosted" || simulator._tag === "Spec") return { _tag: "WriterModel" }
  return hasModel(agent) ? { _tag: "AgentModel" } : context
}

const graderOf = (grader: Value.GraderValue | undefined): Cast<Roles["grader"]> => {
  if (grader === undefined) return cast(context)
  if (typeof grader === "function") return cast({ _tag: "Service", service: Grader.make(grader) })
  if (Value.isGraderService(grader)) return cast({ _tag: "Service", service: grader })
  if (!("grade" in grader)) return cast({ _tag: "Layer", layer: grader })
  return isScale(grader.scale)
    ? cast({ _tag: "Service", service: Grader.make(grader) })
    : { role: context, issues: [unordered] }
}

const unordered: OptionIssue = {
  option: "grader.scale",
  problem: "is not two numbers in order",
  fix: "Give [lowest, highest], such as [1, 5]."
}

const isScale = (scale: unknown): boolean =>
  scale === undefined ||
  (Array.isArray(scale) && scale.length === 2 && scale.every(Number.isFinite) && scale[0] < scale[1])

const embedderOf = (embedder: Value.EmbedderValue | undefined): Roles["embedder"] =>
  embedder === undefined
    ? context
    : Value.isEmbedderService(embedder)
      ? { _tag: "Service", service: embedder }
      : { _tag: "Layer", layer: embedder }
