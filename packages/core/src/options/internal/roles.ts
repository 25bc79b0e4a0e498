/**
 * Who plays: from what the caller named to the role as a run takes it.
 */
import * as Grader from "../../grade/Grader.ts"
import * as Agent from "../../rollout/Agent.ts"
import * as SituationWriter from "../../situation/SituationWriter.ts"
import type { OptionIssue } from "../InvalidOptions.ts"
import type { OptionValues } from "./optionTable.ts"
import type { Environment, Roles } from "./resolved.ts"
import * as Value from "./roleValues.ts"

type Values = OptionValues

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
  const grader = graderOf(values.grader, values.grade)
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
    if (backend !== undefined) return cast({ _tag: "Spec", spec: backend.trim() })
    if (environment.provided?.includes("agent")) return cast(context)
    if (environment.endpoint) return cast({ _tag: "Hosted" })
    return { role: context, issues: [nobodyPlays(set)] }
  }
  if (typeof agent === "string") return named(agent.trim())
  if (Value.isCommand(agent)) return cast({ _tag: "Command", command: agent.command })
  if (typeof agent === "function") return cast({ _tag: "Service", service: Agent.fromFunction(agent) })
  return cast(Value.isAgentService(agent) ? { _tag: "Service", service: agent } : { _tag: "Layer", layer: agent })
}

/** What text names as an agent: an address, a model, or the words of a command. */
const named = (text: string): Cast<Roles["agent"]> => {
  if (/^https?:\/\//i.test(text)) return cast({ _tag: "Url", url: text })
  if (/^[a-z][\w-]*:(?![/\\])\S/i.test(text) || !/\s|^[./~]|^[a-z]:\\/i.test(text))
    return cast({ _tag: "Spec", spec: text })
  const [program = text, ...rest] = text.split(/\s+/)
  const role = { _tag: "Command", command: [program, ...rest] } as const
  return /["'`$|&;<>\\*?]/.test(text) ? { role, issues: [unsplit] } : cast(role)
}

const unsplit: OptionIssue = {
  option: "agent",
  problem: "is a command with quotes or signs that a shell would read, and none is asked to",
  fix: 'Give the words apart: { command: ["python", "my agent.py"] }.'
}

const variables = "SANDTABLE_BASE_URL and SANDTABLE_MODEL (SANDTABLE_API_KEY with a key)"
const waysToPlay = `Give \`agent\` (a function, a service, an address or a command) or \`backend\` (a model such as "openai:gpt-4.1-mini"), or set ${variables}.`

const nobodyPlays = (set: ReadonlySet<string>): OptionIssue => ({
  option: "agent",
  problem: ["tools", "systemPrompt", "spec"].some((name) => set.has(name))
    ? "is not given, and there is no model to play it"
    : "is not given, and neither are `tools`, `systemPrompt` and `spec`: there is nothing to rehearse",
  fix: waysToPlay
})

/** Whether the agent is played by a model whose words could also be a writer's or a user's. */
const hasModel = (agent: Roles["agent"], { agentModel }: Environment): boolean => {
  switch (agent._tag) {
    case "Spec":
    case "Hosted":
      return true
    case "Service":
      return agent.service.model !== undefined
    case "Context":
      return agentModel === true
    // seen once it is built
    case "Layer":
      return true
    default:
      return false
  }
}

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
    if (hasModel(agent, environment)) return cast({ _tag: "AgentModel" })
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

export const nobodyWrites: OptionIssue = {
  option: "simulator",
  problem: "has no model to write situations with: no endpoint is configured, and the agent brings no model",
  fix: `Set \`simulator: false\` for the offline template writer, name a model such as "openai:gpt-4.1-mini", give a writer of your own, or set ${variables}.`
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
  const written = simulator._tag === "Service" && simulator.service.model !== undefined
  if (simulator._tag === "Hosted" || simulator._tag === "Spec" || written) return { _tag: "WriterModel" }
  return hasModel(agent, environment) ? { _tag: "AgentModel" } : context
}

const graderOf = (grader: Value.GraderValue | undefined, grade: Values["grade"]): Cast<Roles["grader"]> => {
  if (grader === undefined) return cast(grade === "outcome" ? { _tag: "Service", service: Grader.outcome } : context)
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
