/**
 * The options that are settings of the run: plain values, each with a default. A line here is all that a new one needs.
 */
import type { Fault } from "../task/Plan.ts"
import * as Field from "./fields.ts"
import { optional, setting, type Call } from "./option.ts"
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

export const advancedSettings = {
  mutateFailures: setting(Field.flag, {
    section: 8,
    help: "Mutate the asks of failed rows",
    default: true,
    choosesAsks: true
  }),
  mutateGradedFailures: setting(Field.flag, {
    section: 8,
    help: "Let the grader's failures aim mutation",
    default: ({ graded }) => graded,
    unset: "on with a grader",
    choosesAsks: true
  }),
  armWeights: setting(Value.armWeights, {
    section: 8,
    help: "Weights of the arms that propose situations",
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
  probe: setting(Field.count, { section: 8, help: "Rollouts a successive group begins with", default: 2 }),
  strength: setting(Field.wholeBetween(2, 4), {
    section: 8,
    help: "Axes covered together, 2 to 4",
    default: 2,
    choosesAsks: true
  }),
  constraints: setting(Value.constraints, {
    section: 8,
    help: "Axis values that cannot occur together",
    default: [],
    settle: (constraints): ReadonlyArray<Constraint> =>
      constraints.map(({ forbid }) => ({ forbid: record(forbid, same) })),
    choosesAsks: true
  }),
  fixedRows: setting(Field.listOf(Value.textRecord, "a list of cells { axis: value }"), {
    section: 8,
    help: "Cells to begin with",
    default: [],
    settle: (rows) => rows.map((row) => record(row, same)),
    choosesAsks: true
  }),
  ruleCap: setting(Field.count, {
    section: 8,
    help: "Most clauses of the prompt that become rules",
    default: 16,
    choosesAsks: true
  }),
  completionsPerRequest: setting(Field.count, {
    section: 8,
    help: "Completions the writer is asked for per request",
    default: 1,
    choosesAsks: true
  }),
  writerFallback: setting(Field.flag, {
    section: 8,
    help: "Fall back to the template writer when the writer fails",
    default: true,
    choosesAsks: true
  }),
  openEndedShare: setting(Field.share, {
    section: 8,
    help: "Share of situations off the grid",
    default: 0.1,
    choosesAsks: true
  }),
  faultPlan: optional(Field.listOf(Value.plannedFault, "a list of faults { tool, mode, nth | count | always }"), {
    section: 8,
    help: "Failures of the world for every task, instead of the cell's",
    settle: (faults) => faults.map(faultOf)
  }),
  realDelays: setting(Field.flag, {
    section: 8,
    help: "Let mock latency and timeouts really pass",
    default: false,
    resume: "any"
  }),
  opening: setting(Value.opening, {
    section: 8,
    help: "Who opens: user, agent, or the share of threads that the agent opens",
    default: 0,
    settle: (opening) => (opening === "agent" ? 1 : opening === "user" ? 0 : opening),
    place: "conversation.agentOpens",
    only: "conversation",
    report: (share) => (share === 0 ? "user" : share === 1 ? "agent" : share)
  }),
  gradeTruncated: setting(Field.flag, {
    section: 8,
    help: "Grade rows that the length cap cut",
    default: false
  }),
  locale: setting(Field.text, { section: 8, help: "Word tables of conduct and templates", default: "en" }),
  grace: setting(Field.secondsOrNone, {
    section: 8,
    help: "Time for work in flight when the clock runs out",
    default: 5,
    settle: Field.inSeconds,
    place: "timeouts.grace",
    changesRows: false
  }),
  rolloutTimeout: optional(Field.seconds, {
    section: 8,
    help: "Limit of a whole rollout",
    unset: "none",
    settle: Field.inSeconds,
    place: "timeouts.rollout",
    changesRows: false
  }),
  toolTimeout: setting(Field.seconds, {
    section: 8,
    help: "Limit of a tool call",
    default: 60,
    settle: Field.inSeconds,
    place: "timeouts.tool",
    changesRows: false
  }),
  userTimeout: setting(Field.seconds, {
    section: 8,
    help: "Limit of a simulated user's line",
    default: 60,
    settle: Field.inSeconds,
    place: "timeouts.user",
    changesRows: false
  }),
  graderTimeout: setting(Field.seconds, {
    section: 8,
    help: "Limit of a verdict",
    default: 120,
    settle: Field.inSeconds,
    place: "timeouts.grader",
    changesRows: false
  }),
  prices: setting(Value.prices, {
    section: 8,
    help: "US dollars per million tokens, by model",
    default: empty,
    settle: (prices) => record(prices, ({ cached, ...price }) => (cached === undefined ? price : { ...price, cached })),
    changesRows: false
  })
}

export const settings = {
  systemPrompt: setting(Field.prose, {
    section: 1,
    help: "The agent's policy",
    aliases: ["policy"],
    default: ({ prompt }) => prompt ?? "",
    report: (prompt) => prompt.length,
    secret: true
  }),
  ids: setting(Value.ids, {
    section: 1,
    help: "Identifiers that exist in the world, by argument name",
    default: empty,
    settle: (ids) => record(ids, (list): ReadonlyArray<string> => list.map(String)),
    secret: true
  }),

  situations: optional(Field.count, {
    section: 2,
    help: "N: distinct worlds",
    settle: (situations, { openers }) => Math.max(situations, openers),
    choosesAsks: true,
    resume: "grows"
  }),
  requestsPerSituation: setting(Field.count, {
    section: 2,
    help: "n: wordings of one world",
    aliases: ["phrasings", "n"],
    default: countByMode({ explore: 1, sft: 3, rl: 1, adaptive: 3 }),
    place: "phrasings",
    choosesAsks: true
  }),
  rolloutsPerRequest: setting(Field.count, {
    section: 2,
    help: "k: agent runs of one wording",
    aliases: ["repeats", "rolloutsPerPrompt"],
    default: countByMode({ explore: 1, sft: 4, rl: 8, adaptive: 3 }),
    place: "repeats",
    resume: "grows"
  }),
  uniqueSituations: setting(Field.flag, {
    section: 2,
    help: "Keep opening new worlds: n = k = 1 unless set",
    aliases: ["unique"],
    default: (call) => (call.repeatPolicy ?? repeatPolicyOf(call)) === "none",
    place: "unique",
    choosesAsks: true,
    // what it decides is compared by itself
    resume: "any"
  }),
  mode: setting(Field.choice("explore", "sft", "rl", "adaptive"), {
    section: 2,
    help: "Preset of counts and policies",
    default: "explore"
  }),
  repeatPolicy: setting(Field.choice("none", "fixed", "successive", "adaptive"), {
    section: 2,
    help: "How repeats are given to asks",
    default: repeatPolicyOf
  }),

  grade: setting(Field.oneOf('true, false, "conduct" or "outcome"', Field.flag, Field.choice("conduct", "outcome")), {
    section: 3,
    help: 'Grade rows: true or "conduct" by the rules of conduct, a floor that never steers; "outcome" by whether the job was done',
    default: false,
    settle: (grade) => grade === true || grade === "conduct",
    place: "conduct"
  }),

  budget: setting(Field.count, { section: 4, help: "Most rows", default: 1000, resume: "grows" }),
  timeBudget: optional(Field.seconds, {
    section: 4,
    help: "Time for the whole run",
    settle: Field.inSeconds,
    changesRows: false
  }),
  until: setting(Field.choice("budget", "saturation"), {
    section: 4,
    help: "Stop at the budget, or when nothing new is found",
    default: "budget",
    choosesAsks: true
  }),
  timeout: setting(Field.seconds, {
    section: 4,
    help: "Limit of one agent call",
    default: 300,
    settle: Field.inSeconds,
    place: "timeouts.agent",
    changesRows: false
  }),
  concurrency: setting(Field.count, {
    section: 4,
    help: "Rollouts in flight",
    default: 32,
    changesRows: false
  }),
  tokenBudget: optional(Field.count, {
    section: 4,
    help: "Most tokens, in and out, over all roles",
    changesRows: false
  }),
  costBudget: optional(
    Field.of(
      (value): value is number => typeof value === "number" && Number.isFinite(value) && value > 0,
      "a number above 0",
      "number"
    ),
    {
      section: 4,
      help: "Most US dollars over all roles, by `advanced.prices`",
      changesRows: false
    }
  ),

  hardShare: setting(Field.share, {
    section: 5,
    help: "Share of situations from the hard tiers",
    default: 0.4,
    choosesAsks: true
  }),
  dimensions: setting(Value.axisValues, {
    section: 5,
    help: "Pins axes to the listed values",
    default: empty,
    settle: (axes) => record(axes, (list): ReadonlyArray<string> => [...new Set(list)]),
    choosesAsks: true
  }),
  faultRate: setting(Field.share, {
    section: 5,
    help: "Share of fault-tagged situations that keep their faults",
    default: byMode({ explore: 0.5, sft: 0.5, rl: 0.8, adaptive: 0.5 })
  }),

  maxTurns: optional(Field.count, {
    section: 6,
    help: "Most agent turns of a thread",
    place: "conversation.maxTurns",
    only: "conversation"
  }),
  avgTurns: setting(Field.finite(1, "a number of at least 1"), {
    section: 6,
    help: "Mean depth of threads",
    default: 12,
    place: "conversation.avgTurns",
    only: "conversation"
  }),
  minUserTurns: setting(Field.count, {
    section: 6,
    help: "Fewest user lines of a thread",
    default: 1,
    place: "conversation.minUserTurns",
    only: "conversation"
  }),
  temperature: setting(Field.finite(0, "a number of at least 0"), {
    section: 6,
    help: "The agent model's temperature",
    default: 0.8,
    place: "conversation.temperature",
    only: "model"
  }),
  agentMaxTokens: optional(Field.count, {
    section: 6,
    help: "Most tokens of an agent's reply",
    place: "conversation.agentMaxTokens",
    only: "model"
  }),
  logprobs: setting(Value.logprobs, {
    section: 6,
    help: "Capture log probabilities: true, false, or tokens",
    default: false,
    place: "conversation.logprobs",
    only: "model"
  }),
  scaffold: optional(Field.text, {
    section: 6,
    help: "Guidance for the agent model and the scene writer, in this run only",
    kind: "prose",
    report: (scaffold) => scaffold !== null,
    secret: true,
    only: "model"
  }),
  patience: setting(Value.patience, {
    section: 6,
    help: "How long the person goes on answering questions",
    default: "normal",
    // a fit is known by its table
    settle: (patience) => (typeof patience === "object" && "table" in patience ? patience.table : patience),
    place: "conversation.patience",
    only: "conversation"
  }),
  userTemperature: optional(Field.finite(0, "a number of at least 0"), {
    section: 6,
    help: "The user model's temperature",
    place: "conversation.userTemperature",
    only: "conversation"
  }),
  sampling: optional(Field.recordOf(Field.json, "an object such as { temperature: 0.7 }"), {
    section: 6,
    help: "Your record of how the agent samples"
  }),

  runs: setting(Field.count, {
    section: 7,
    help: "How often the task set is run in this call",
    default: 1,
    changesRows: false,
    resume: "grows"
  }),
  seed: setting(Field.seed, { section: 7, help: "What everything drawn derives from", default: 0 }),
  reproducible: setting(Value.reproducible, {
    section: 7,
    help: "The same rows at any concurrency",
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
}
