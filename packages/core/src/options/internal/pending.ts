/**
 * Options whose part of the project does not exist yet: refused by name, so that none is accepted and ignored.
 */
import type { OptionIssue } from "../InvalidOptions.ts"
import type { Options } from "./definition.ts"
import type { Roles } from "./resolved.ts"

interface Pending {
  readonly option: string
  readonly used: (values: typeof Options.Type, roles: Roles) => boolean
  readonly what: string
  readonly fix: string
}

const isHosting = (role: { readonly _tag: string }): boolean => role._tag === "Spec" || role._tag === "Hosted"

const pending: ReadonlyArray<Pending> = [
  {
    option: "agent",
    used: ({ backend }, { agent }) => backend === undefined && isHosting(agent),
    what: "a model, URL or command as the agent",
    fix: "Give a function, or an AgentBackend service or layer; on a command line, a .ts or .js file that exports one."
  },
  {
    option: "backend",
    used: ({ backend }) => backend !== undefined,
    what: "a model as the agent",
    fix: "Give a function, or an AgentBackend service or layer, as `agent`."
  },
  {
    option: "simulator",
    used: (_, { simulator }) => isHosting(simulator) || simulator._tag === "AgentModel",
    what: "a model as the situation writer",
    fix: "Set `simulator: false` for the template writer, or give a writer of your own."
  },
  {
    option: "userModel",
    used: (_, { userModel }) => isHosting(userModel),
    what: "a model as the simulated user",
    fix: "Set `userModel: false` for the template user, or give a UserSimulator service."
  },
  {
    option: "checkpoint",
    used: ({ checkpoint }) => checkpoint !== undefined,
    what: "resuming a run",
    fix: "Use `output` for a file of its own per run."
  },
  {
    option: "tokenBudget",
    used: ({ tokenBudget }) => tokenBudget !== undefined,
    what: "a cap on tokens",
    fix: "Use `budget`."
  },
  {
    option: "costBudget",
    used: ({ costBudget }) => costBudget !== undefined,
    what: "a cap on cost",
    fix: "Use `budget`."
  },
  {
    option: "advanced.limits",
    used: ({ advanced }) => advanced?.limits !== undefined,
    what: "limits per role",
    fix: "Use `concurrency`."
  }
]

export const pendingIssues = (values: typeof Options.Type, roles: Roles): ReadonlyArray<OptionIssue> =>
  pending
    .filter(({ used }) => used(values, roles))
    .map(({ option, what, fix }) => ({ option, problem: `is not available yet (${what})`, fix }))
