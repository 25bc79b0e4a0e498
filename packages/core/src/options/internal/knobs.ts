/**
 * What was resolved, as flat and plain JSON: an entry for every option, under its name in snake_case.
 */
import * as ModelSource from "../../model/ModelSource.ts"
import type { AdvancedValues, OptionValues } from "./definition.ts"
import type { Resolved } from "./resolved.ts"

type Name = Exclude<keyof OptionValues, "advanced"> | keyof AdvancedValues
/** Other names of the same options. */
type AliasName = "policy" | "phrasings" | "n" | "repeats" | "rolloutsPerPrompt" | "unique"

export const knobsOf = (
  { settings, roles, traces, files, hooks, limits }: Omit<Resolved, "knobs">,
  values: OptionValues
): Readonly<Record<string, unknown>> => {
  const { conversation, timeouts, order } = settings
  // material is counted, not repeated: the profile and the rows hold it
  const knobs: Record<Exclude<Name, AliasName>, unknown> = {
    agent: roleName(roles.agent),
    backend: values.backend === undefined ? null : ModelSource.shown(values.backend),
    tools: settings.tools.size,
    systemPrompt: settings.systemPrompt.length,
    spec: values.spec !== undefined,
    ids: settings.ids,
    situations: settings.situations,
    requestsPerSituation: settings.phrasings,
    rolloutsPerRequest: settings.repeats,
    uniqueSituations: settings.unique,
    mode: settings.mode,
    repeatPolicy: settings.repeatPolicy,
    simulator: roleName(roles.simulator),
    userModel: roleName(roles.userModel),
    execute: roles.execute._tag === "Execute",
    grader: roleName(roles.grader),
    grade: settings.conduct,
    budget: settings.budget,
    timeBudget: settings.timeBudget,
    until: settings.until,
    timeout: timeouts.agent,
    concurrency: settings.concurrency,
    tokenBudget: settings.tokenBudget,
    costBudget: settings.costBudget,
    signal: hooks.signal !== null,
    stop: hooks.stop !== null,
    seeds: settings.seeds.filter((seed) => seed.amplify).length,
    hardShare: settings.hardShare,
    dimensions: settings.dimensions,
    faultRate: settings.faultRate,
    traces: traces === null ? null : typeof traces.source === "string" ? traces.source : "given",
    strategy: traces?.strategy ?? values.strategy ?? "auto",
    maxTurns: conversation.maxTurns,
    avgTurns: conversation.avgTurns,
    minUserTurns: conversation.minUserTurns,
    temperature: conversation.temperature,
    agentMaxTokens: conversation.agentMaxTokens,
    logprobs: conversation.logprobs,
    scaffold: settings.scaffold !== null,
    patience: conversation.patience,
    userTemperature: conversation.userTemperature,
    sampling: settings.sampling,
    tasks: values.tasks === undefined ? null : typeof values.tasks === "string" ? values.tasks : "given",
    runs: settings.runs,
    seed: settings.seed,
    reproducible:
      values.reproducible === undefined || values.reproducible === false
        ? false
        : order._tag === "Batch"
          ? { batch: order.size }
          : order._tag === "Lookahead"
            ? { lookahead: order.window }
            : false,
    output: files.output,
    overwrite: files.overwrite,
    checkpoint: files.checkpoint,
    onEvent: hooks.onEvent !== null,
    mutateFailures: settings.mutateFailures,
    mutateGradedFailures: settings.mutateGradedFailures,
    armWeights: settings.armWeights,
    probe: settings.probe,
    strength: settings.strength,
    constraints: settings.constraints,
    fixedRows: settings.fixedRows,
    ruleCap: settings.ruleCap,
    embedder: roles.embedder._tag === "Context" ? "lexical" : roleName(roles.embedder),
    completionsPerRequest: settings.completionsPerRequest,
    seedPrompts: settings.seeds.filter((seed) => !seed.amplify).length,
    writerFallback: settings.writerFallback,
    openEndedShare: settings.openEndedShare,
    toolKinds: values.advanced?.toolKinds ?? {},
    faultPlan: settings.faultPlan,
    realDelays: settings.realDelays,
    opening: conversation.agentOpens === 0 ? "user" : conversation.agentOpens === 1 ? "agent" : conversation.agentOpens,
    gradeTruncated: settings.gradeTruncated,
    locale: settings.locale,
    grace: timeouts.grace,
    rolloutTimeout: timeouts.rollout,
    toolTimeout: timeouts.tool,
    userTimeout: timeouts.user,
    graderTimeout: timeouts.grader,
    limits: Object.fromEntries(
      Object.entries(limits).map(([role, limit]) => [role, typeof limit === "number" ? limit : "given"])
    ),
    prices: settings.prices
  }
  return Object.fromEntries(Object.entries(knobs).map(([name, value]) => [snakeCase(name), value]))
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface NamedRole {
  readonly _tag: string
  readonly service?: { readonly identity: { readonly name: string } } | { readonly name: string }
  readonly spec?: string
  readonly url?: string
  readonly command?: ReadonlyArray<string>
  readonly name?: string
}

/** Who plays, by name; `layer` and `context` are named on the rows. */
const roleName = (role: NamedRole): string => {
  if (role.service !== undefined) return "identity" in role.service ? role.service.identity.name : role.service.name
  const named = role.spec ?? role.url ?? role.command?.join(" ")
  return named === undefined ? (role.name ?? snakeCase(role._tag).slice(1)) : ModelSource.shown(named)
}
