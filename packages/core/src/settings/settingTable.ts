/**
 * The options that are settings of the run: plain values, each with a default. A line here is all that a new one needs.
 */
import type { Fault } from "../task/Plan.ts"
import * as Field from "./fields.ts"
import { optional, section, setting, type Call } from "./option.ts"
import type { Constraint, Mode, Order, RepeatPolicy } from "./RunSettings.ts"
import * as Value from "./values.ts"

/** A default that depends on the mode: the presets. */
const byMode =
  <A>(presets: Readonly<Record<Mode, A>>) =>
  ({ mode }: Call): A =>
    presets[mode]

/** n or k by the mode, unless every ask is to be another. */
const countByMode =
  (presets: Readonly<Record<Mode, number>>) =>
  ({ mode, unique }: Call): number =>
    unique === true ? 1 : presets[mode]

const repeatPolicyOf = ({ mode, replay, unique }: Call): RepeatPolicy => {
  if (replay) return "fixed"
  return unique === true
    ? "none"
    : ({ explore: "none", sft: "adaptive", rl: "successive", adaptive: "adaptive" } as const)[mode]
}

/** Rollouts of a batch, apart from the concurrency, so that rows are the same at any. */
export const batchSize = 32

/** One rollout at a time is played in batches too, so that two serial runs of one seed give the same rows. */
const orderOf = (
  reproducible: boolean | { readonly batch: number } | { readonly lookahead: number },
  { concurrency }: Pick<Call, "concurrency">
): Order => {
  if (typeof reproducible === "object") {
    return "batch" in reproducible
      ? { _tag: "Batch", size: reproducible.batch }
      : { _tag: "Lookahead", window: reproducible.lookahead }
  }
  return reproducible || concurrency === 1 ? { _tag: "Batch", size: batchSize } : { _tag: "Free" }
}

/** A record whose keys came from a caller. */
export const record = <A, B>(
  given: { readonly [key: string]: A },
  map: (value: A) => B
): Readonly<Record<string, B>> => {
  const out = Object.create(null) as Record<string, B>
  for (const [key, value] of Object.entries(given)) out[key] = map(value)
  return out
}

const same = <A>(value: A): A => value
const empty = record<never, never>({}, same)

/** A fault that does not say when is of the first call; a refused permission stays refused. */
export const faultOf = ({ always, count, mode, nth, tool }: Value.PlannedFault): Fault => {
  if (nth !== undefined) return { tool, mode, nth }
  if (count !== undefined) return { tool, mode, count }
  return always === true || mode === "permission_denied" ? { tool, mode, always: true } : { tool, mode, count: 1 }
}

/** A limit in seconds. */
const timeLimit = <Name extends string>(name: Name, help: string, seconds: number, field = Field.seconds) =>
  setting(field, help, {
    default: seconds,
    settle: Field.inSeconds,
    place: `timeouts.${name}` as const,
    changesRows: false
  })

export const advancedSettings = section(8, {
  mutateFailures: setting(Field.flag, "Mutate the asks of failed rows", { default: true, choosesAsks: true }),
  mutateGradedFailures: setting(Field.flag, "Let the grader's failures aim mutation", {
    default: ({ graded }) => graded,
    unset: "on with a grader",
    choosesAsks: true
  }),
  armWeights: setting(Value.armWeights, "Weights of the arms that propose situations", {
    default: empty,
    settle: (weights): Readonly<Record<string, number>> =>
      record(
        Object.fromEntries(
          Object.entries(weights).flatMap(([arm, weight]) => (weight === undefined ? [] : [[arm, weight] as const]))
        ),
        same
      ),
    choosesAsks: true
  }),
  probe: setting(Field.count, "Rollouts a successive group begins with", { default: 2 }),
  strength: setting(Field.wholeBetween(2, 4), "Axes covered together, 2 to 4", { default: 2, choosesAsks: true }),
  constraints: setting(Value.constraints, "Axis values that cannot occur together", {
    default: [],
    settle: (constraints): ReadonlyArray<Constraint> =>
      constraints.map(({ forbid }) => ({ forbid: record(forbid, same) })),
    choosesAsks: true
  }),
  fixedRows: setting(Field.listOf(Value.textRecord, "a list of cells { axis: value }"), "Cells to begin with", {
    default: [],
    settle: (rows) => rows.map((row) => record(row, same)),
    choosesAsks: true
  }),
  ruleCap: setting(Field.count, "Most clauses of the prompt that become rules", { default: 16, choosesAsks: true }),
  completionsPerRequest: setting(Field.count, "Completions the writer is asked for per request", {
    default: 1,
    choosesAsks: true
  }),
  writerFallback: setting(Field.flag, "Fall back to the template writer when the writer fails", {
    default: true,
    choosesAsks: true
  }),
  openEndedShare: setting(Field.share, "Share of situations off the grid", { default: 0.1, choosesAsks: true }),
  faultPlan: optional(
    Field.listOf(Value.plannedFault, "a list of faults { tool, mode, nth | count | always }"),
    "Failures of the world for every task, instead of the cell's",
    { settle: (faults) => faults.map(faultOf) }
  ),
  realDelays: setting(Field.flag, "Let mock latency and timeouts really pass", { default: false, resume: "any" }),
  opening: setting(Value.opening, "Who opens: user, agent, or the share of threads that the agent opens", {
    default: 0,
    settle: (opening) => (opening === "agent" ? 1 : opening === "user" ? 0 : opening),
    place: "conversation.agentOpens",
    only: "conversation",
    report: (share) => (share === 0 ? "user" : share === 1 ? "agent" : share)
  }),
  gradeTruncated: setting(Field.flag, "Grade rows that the length cap cut", { default: false }),
  locale: setting(Field.text, "Word tables of conduct and templates", { default: "en" }),
  grace: timeLimit("grace", "Time for work in flight when the clock runs out", 5, Field.secondsOrNone),
  rolloutTimeout: optional(Field.seconds, "Limit of a whole rollout", {
    unset: "none",
    settle: Field.inSeconds,
    place: "timeouts.rollout",
    changesRows: false
  }),
  toolTimeout: timeLimit("tool", "Limit of a tool call", 60),
  userTimeout: timeLimit("user", "Limit of a simulated user's line", 60),
  graderTimeout: timeLimit("grader", "Limit of a verdict", 120),
  prices: setting(Value.prices, "US dollars per million tokens, by model", {
    default: empty,
    settle: (prices) => record(prices, ({ cached, ...price }) => (cached === undefined ? price : { ...price, cached })),
    changesRows: false
  })
})

export const settings = {
  ...section(1, {
    systemPrompt: setting(Field.prose, "The agent's policy", {
      aliases: ["policy"],
      default: ({ prompt }) => prompt ?? "",
      report: (prompt) => prompt.length,
      secret: true
    }),
    ids: setting(Value.ids, "Identifiers that exist in the world, by argument name", {
      default: empty,
      settle: (ids) => record(ids, (list): ReadonlyArray<string> => list.map(String)),
      secret: true
    })
  }),
  ...section(2, {
    situations: optional(Field.count, "N: distinct worlds", {
      settle: (situations, { openers }) => Math.max(situations, openers),
      choosesAsks: true,
      resume: "grows"
    }),
    requestsPerSituation: setting(Field.count, "n: wordings of one world", {
      aliases: ["phrasings", "n"],
      default: countByMode({ explore: 1, sft: 3, rl: 1, adaptive: 3 }),
      place: "phrasings",
      choosesAsks: true
    }),
    rolloutsPerRequest: setting(Field.count, "k: agent runs of one wording", {
      aliases: ["repeats", "rolloutsPerPrompt"],
      default: countByMode({ explore: 1, sft: 4, rl: 8, adaptive: 3 }),
      place: "repeats",
      resume: "grows"
    }),
    uniqueSituations: setting(Field.flag, "Keep opening new worlds: n = k = 1 unless set", {
      aliases: ["unique"],
      default: (call) => (call.repeatPolicy ?? repeatPolicyOf(call)) === "none",
      place: "unique",
      choosesAsks: true,
      // the settings that it decides are compared themselves
      resume: "any"
    }),
    mode: setting(Field.choice("explore", "sft", "rl", "adaptive"), "Preset of counts and policies", {
      default: "explore"
    }),
    repeatPolicy: setting(Field.choice("none", "fixed", "successive", "adaptive"), "How repeats are given to asks", {
      default: repeatPolicyOf
    })
  }),
  ...section(3, {
    grade: setting(
      Field.oneOf('true, false, "conduct" or "outcome"', Field.flag, Field.choice("conduct", "outcome")),
      'Grade rows: true or "conduct" by the rules of conduct, a floor that never steers; "outcome" by whether the job was done',
      { default: false, settle: (grade) => grade === true || grade === "conduct", place: "conduct" }
    )
  }),
  ...section(4, {
    budget: setting(Field.count, "Most rows", { default: 1000, resume: "grows" }),
    timeBudget: optional(Field.seconds, "Time for the whole run", { settle: Field.inSeconds, changesRows: false }),
    until: setting(Field.choice("budget", "saturation"), "Stop at the budget, or when nothing new is found", {
      default: "budget",
      choosesAsks: true
    }),
    timeout: timeLimit("agent", "Limit of one agent call", 300),
    concurrency: setting(Field.count, "Rollouts in flight", { default: 32, changesRows: false }),
    tokenBudget: optional(Field.count, "Most tokens, in and out, over all roles", { changesRows: false }),
    costBudget: optional(
      Field.of(
        (value): value is number => typeof value === "number" && Number.isFinite(value) && value > 0,
        "a number above 0",
        "number"
      ),
      "Most US dollars over all roles, by `advanced.prices`",
      { changesRows: false }
    )
  }),
  ...section(5, {
    hardShare: setting(Field.share, "Share of situations from the hard tiers", { default: 0.4, choosesAsks: true }),
    dimensions: setting(Value.axisValues, "Pins axes to the listed values", {
      default: empty,
      settle: (axes) => record(axes, (list): ReadonlyArray<string> => [...new Set(list)]),
      choosesAsks: true
    }),
    faultRate: setting(Field.share, "Share of fault-tagged situations that keep their faults", {
      default: byMode({ explore: 0.5, sft: 0.5, rl: 0.8, adaptive: 0.5 })
    })
  }),
  ...section(6, {
    maxTurns: optional(Field.count, "Most agent turns of a thread", {
      place: "conversation.maxTurns",
      only: "conversation"
    }),
    avgTurns: setting(Field.finite(1, "a number of at least 1"), "Mean depth of threads", {
      default: 12,
      place: "conversation.avgTurns",
      only: "conversation"
    }),
    minUserTurns: setting(Field.count, "Fewest user lines of a thread", {
      default: 1,
      place: "conversation.minUserTurns",
      only: "conversation"
    }),
    temperature: setting(Field.finite(0, "a number of at least 0"), "The agent model's temperature", {
      default: 0.8,
      place: "conversation.temperature",
      only: "model"
    }),
    agentMaxTokens: optional(Field.count, "Most tokens of an agent's reply", {
      place: "conversation.agentMaxTokens",
      only: "model"
    }),
    logprobs: setting(Value.logprobs, "Capture log probabilities: true, false, or tokens", {
      default: false,
      place: "conversation.logprobs",
      only: "model"
    }),
    scaffold: optional(Field.text, "Guidance for the agent model and the scene writer, in this run only", {
      kind: "prose",
      report: (scaffold) => scaffold !== null,
      secret: true,
      only: "model"
    }),
    patience: setting(Value.patience, "How long the person goes on answering questions", {
      default: "normal",
      // a fit is known by its table
      settle: (patience) => (typeof patience === "object" && "table" in patience ? patience.table : patience),
      place: "conversation.patience",
      only: "conversation"
    }),
    userTemperature: optional(Field.finite(0, "a number of at least 0"), "The user model's temperature", {
      place: "conversation.userTemperature",
      only: "conversation"
    }),
    sampling: optional(
      Field.recordOf(Field.json, "an object such as { temperature: 0.7 }"),
      "Your record of how the agent samples"
    )
  }),
  ...section(7, {
    runs: setting(Field.count, "How often the task set is run in this call", {
      default: 1,
      changesRows: false,
      resume: "grows"
    }),
    seed: setting(Field.seed, "What everything drawn derives from", { default: 0 }),
    reproducible: setting(Value.reproducible, "The same rows at any concurrency", {
      flag: "switch",
      default: (call) => orderOf(false, call),
      settle: orderOf,
      place: "order",
      report: (order, value) =>
        value === undefined || value === false || order._tag === "Free"
          ? false
          : order._tag === "Batch"
            ? { batch: order.size }
            : { lookahead: order.window },
      kept: (order, isGiven) => (isGiven && order._tag !== "Free" ? order : false)
    })
  })
}
