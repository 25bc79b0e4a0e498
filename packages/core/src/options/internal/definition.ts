/**
 * Every option, once: its value, what it is for, and how it is written on a command line. Types, checks, the list of
 * unknown keys' neighbours, descriptors and knobs are all read from here.
 */
import * as Schema from "effect/Schema"
import { toolKinds } from "../../task/ToolKind.ts"
import * as Field from "./fields.ts"
import * as Role from "./roleValues.ts"
import * as Value from "./values.ts"

/**
 * How a value is written on a command line: `switch` takes none, `value` is JSON or else a word, `json` is JSON or a
 * file, `code` can only come from a module.
 */
export type Kind = "switch" | "count" | "number" | "seconds" | "text" | "choice" | "value" | "json" | "code"

/** What is told of an option beside its values. */
export interface About {
  /** Section of the options page. */
  readonly section: number
  readonly kind: Kind
  readonly description: string
  /** The option this is another name of. */
  readonly aliasOf?: string
}

/** An option: what is told of it, and what its value has to be. */
export interface Option<F extends Field.Fields[string]> extends About {
  readonly field: F
}

const option = <A>(
  section: number,
  kind: Kind,
  description: string,
  field: Field.Field<A>
): Option<Field.Field<A>> => ({ section, kind, description, field })

const alias = <A>(of: string, section: number, kind: Kind, field: Field.Field<A>): Option<Field.Field<A>> => ({
  ...option(section, kind, `The same as ${of}.`, field),
  aliasOf: of
})

export const advanced = {
  mutateFailures: option(8, "switch", "Mutate the asks of failed rows (on unless false).", Field.flag),
  mutateGradedFailures: option(8, "switch", "Let the grader's failures aim mutation (on with a grader).", Field.flag),
  armWeights: option(8, "json", "Weights of the arms that propose situations.", Value.armWeights),
  probe: option(8, "count", "Rollouts a successive group begins with (2).", Field.count),
  strength: option(8, "count", "Axes covered together, 2 to 4 (2).", Field.wholeBetween(2, 4)),
  constraints: option(8, "json", "Axis values that cannot occur together.", Value.constraints),
  fixedRows: option(
    8,
    "json",
    "Cells to begin with.",
    Field.listOf(Value.textRecord, "a list of cells { axis: value }")
  ),
  ruleCap: option(8, "count", "Most clauses of the prompt that become rules (16).", Field.count),
  embedder: option(
    8,
    "code",
    "Embeddings for novelty and near copies (lexical).",
    Field.of(Role.isEmbedder, "an embedder service or layer")
  ),
  completionsPerRequest: option(8, "count", "Completions the writer is asked for per request (1).", Field.count),
  seedPrompts: option(
    8,
    "json",
    "Further literal openers, which are not varied.",
    Field.listOf(Field.text, Value.seedList)
  ),
  writerFallback: option(
    8,
    "switch",
    "Fall back to the template writer when the writer fails (on unless false).",
    Field.flag
  ),
  openEndedShare: option(8, "number", "Share of situations off the grid (0.1).", Field.share),
  toolKinds: option(
    8,
    "json",
    "What tools do, by name, where the names mislead.",
    Field.recordOf(Field.choice(...toolKinds), "an object from tool name to kind")
  ),
  faultPlan: option(
    8,
    "json",
    "Failures of the world for every task, instead of the cell's.",
    Field.listOf(Value.plannedFault, "a list of faults { tool, mode, nth | count | always }")
  ),
  realDelays: option(8, "switch", "Let mock latency and timeouts really pass.", Field.flag),
  opening: option(8, "value", "Who opens: user, agent, or the share of threads that the agent opens.", Value.opening),
  gradeTruncated: option(8, "switch", "Grade rows that the length cap cut.", Field.flag),
  locale: option(8, "text", "Word tables of conduct and templates (en).", Field.text),
  grace: option(8, "seconds", "Time for work in flight when the clock runs out (5).", Field.secondsOrNone),
  rolloutTimeout: option(8, "seconds", "Limit of a whole rollout (none).", Field.seconds),
  toolTimeout: option(8, "seconds", "Limit of a tool call (60).", Field.seconds),
  userTimeout: option(8, "seconds", "Limit of a simulated user's line (60).", Field.seconds),
  graderTimeout: option(8, "seconds", "Limit of a verdict (120).", Field.seconds),
  limits: option(8, "json", "Most model calls at once by role, or limits that runs share.", Value.limits),
  prices: option(8, "json", "US dollars per million tokens, by model.", Value.prices)
}

export const options = {
  agent: option(
    1,
    "text",
    "The agent: a function, an AgentBackend service or layer, a model spec, an http(s) address, or a command.",
    Field.of(
      Role.isAgent,
      'a function, an AgentBackend service or layer, a model such as "openai:gpt-4.1-mini", an http(s) address, or { command: [...] }'
    )
  ),
  backend: option(1, "text", "The agent's model, as a spec.", Field.text),
  tools: option(
    1,
    "json",
    "The agent's tools, in any usual dialect.",
    Field.of(
      (value): value is object => Value.isObject(value) || typeof value === "function",
      "a list of tool definitions"
    )
  ),
  systemPrompt: option(1, "text", "The agent's policy.", Field.prose),
  policy: alias("systemPrompt", 1, "text", Field.prose),
  spec: option(
    1,
    "text",
    "A file, folder or object with tools and a prompt, or plain prose.",
    Field.of(
      (value): value is string | object =>
        typeof value === "string" ? value.trim() !== "" : Value.isObject(value) && !Array.isArray(value),
      "a path, an object or prose"
    )
  ),
  ids: option(1, "json", "Identifiers that exist in the world, by argument name.", Value.ids),

  situations: option(2, "count", "N: distinct worlds.", Field.count),
  requestsPerSituation: option(2, "count", "n: wordings of one world.", Field.count),
  phrasings: alias("requestsPerSituation", 2, "count", Field.count),
  n: alias("requestsPerSituation", 2, "count", Field.count),
  rolloutsPerRequest: option(2, "count", "k: agent runs of one wording.", Field.count),
  repeats: alias("rolloutsPerRequest", 2, "count", Field.count),
  rolloutsPerPrompt: alias("rolloutsPerRequest", 2, "count", Field.count),
  uniqueSituations: option(2, "switch", "Keep opening new worlds: n = k = 1 unless set.", Field.flag),
  unique: alias("uniqueSituations", 2, "switch", Field.flag),
  mode: option(2, "choice", "Preset of counts and policies.", Field.choice("explore", "sft", "rl", "adaptive")),
  repeatPolicy: option(
    2,
    "choice",
    "How repeats are given to asks.",
    Field.choice("none", "fixed", "successive", "adaptive")
  ),

  simulator: option(
    3,
    "value",
    "Who writes situations: false (templates), a model spec, hosted, or a writer of your own.",
    Field.of(Role.isSimulator, 'false, a model spec, "hosted", or a writer: a function, service or layer')
  ),
  userModel: option(
    3,
    "value",
    "Who plays the person: false (templates), a model spec, or a UserSimulator service or layer.",
    Field.of(Role.isUserModel, "false, a model spec, or a UserSimulator service or layer")
  ),
  execute: option(
    3,
    "code",
    "Your world: answers tool calls.",
    Field.of(Role.isExecute, "a function (tool, args, rollout) => result, or { open, call, close }")
  ),
  grader: option(
    3,
    "code",
    "Scores rows inside the run and steers it.",
    Field.of(Role.isGrader, "a function of a row, or a Grader service or layer")
  ),
  grade: option(
    3,
    "value",
    'Grade rows: true or "conduct" by the rules of conduct, a floor that never steers; "outcome" by whether the job was done.',
    Field.oneOf('true, false, "conduct" or "outcome"', Field.flag, Field.choice("conduct", "outcome"))
  ),

  budget: option(4, "count", "Most rows (1000).", Field.count),
  timeBudget: option(4, "seconds", "Time for the whole run.", Field.seconds),
  until: option(4, "choice", "Stop at the budget, or when nothing new is found.", Field.choice("budget", "saturation")),
  timeout: option(4, "seconds", "Limit of one agent call (300).", Field.seconds),
  concurrency: option(4, "count", "Rollouts in flight (32).", Field.count),
  tokenBudget: option(4, "count", "Most tokens, in and out, over all roles.", Field.count),
  costBudget: option(
    4,
    "number",
    "Most US dollars over all roles, by `advanced.prices`.",
    Field.of(
      (value): value is number => typeof value === "number" && Number.isFinite(value) && value > 0,
      "a number above 0"
    )
  ),
  signal: option(4, "code", "An AbortSignal that ends the run.", Field.of(Role.isSignal, "an AbortSignal")),
  stop: option(4, "code", "An Effect whose end ends the run.", Field.of(Role.isStop, "an Effect")),

  seeds: option(
    5,
    "json",
    "Opening asks; each becomes a situation and is run.",
    Field.listOf(Value.seed, Value.seedList)
  ),
  hardShare: option(5, "number", "Share of situations from the hard tiers (0.40).", Field.share),
  dimensions: option(5, "json", "Pins axes to the listed values.", Value.axisValues),
  faultRate: option(5, "number", "Share of fault-tagged situations that keep their faults (0.5).", Field.share),
  traces: option(5, "text", "Production traces that aim the grid: rows or a path.", Value.rowsOrPath),
  strategy: option(5, "choice", "How traces aim the grid.", Field.choice("auto", "trace", "targeted", "broad")),

  maxTurns: option(6, "count", "Most agent turns of a thread.", Field.count),
  avgTurns: option(6, "number", "Mean depth of threads (12).", Field.finite(1, "a number of at least 1")),
  minUserTurns: option(6, "count", "Fewest user lines of a thread (1).", Field.count),
  temperature: option(6, "number", "The agent model's temperature (0.8).", Field.finite(0, "a number of at least 0")),
  agentMaxTokens: option(6, "count", "Most tokens of an agent's reply.", Field.count),
  logprobs: option(6, "value", "Capture log probabilities: true, false, or tokens.", Value.logprobs),
  scaffold: option(6, "text", "Guidance for the agent model and the scene writer, in this run only.", Field.text),
  patience: option(6, "value", "How long the person goes on answering questions.", Value.patience),
  userTemperature: option(6, "number", "The user model's temperature.", Field.finite(0, "a number of at least 0")),
  sampling: option(
    6,
    "json",
    "Your record of how the agent samples.",
    Field.recordOf(Field.json, "an object such as { temperature: 0.7 }")
  ),

  tasks: option(7, "text", "Tasks of an earlier run, to be run again: a run, its rows, or a path.", Value.rowsOrPath),
  runs: option(7, "count", "How often the task set is run in this call (1).", Field.count),
  seed: option(7, "number", "What everything drawn derives from (0).", Field.seed),
  reproducible: option(7, "value", "The same rows at any concurrency.", Value.reproducible),
  output: option(7, "text", "JSONL file that rows are appended to.", Field.text),
  overwrite: option(7, "switch", "Replace an existing output.", Field.flag),
  checkpoint: option(
    7,
    "text",
    "JSONL file of the run: started when it is not there, gone on with where it stopped when it is.",
    Field.text
  ),

  advanced: option(8, "json", "Finer dials.", () => Field.structOf({}, fieldsOf(advanced))),

  onEvent: option(9, "code", "Receives progress events.", Field.of(Role.isOnEvent, "a function of an event"))
}

/** What the options of a table take, by name. */
type FieldsOf<Table extends Readonly<Record<string, Option<Field.Fields[string]>>>> = {
  readonly [Name in keyof Table]: Table[Name]["field"]
}

const fieldsOf = <Table extends Readonly<Record<string, Option<Field.Fields[string]>>>>(table: Table) =>
  Object.fromEntries(Object.entries(table).map(([name, { field }]) => [name, field])) as unknown as FieldsOf<Table>

export type OptionValues = Field.Struct<{}, FieldsOf<typeof options>>
export type AdvancedValues = Field.Struct<{}, FieldsOf<typeof advanced>>

export const Options: Schema.Schema<OptionValues> = Schema.suspend(() => Field.structOf({}, fieldsOf(options)))
