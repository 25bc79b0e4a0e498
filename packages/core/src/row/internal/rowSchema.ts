/**
 * The Schemas of a row and its parts: the models that `Row.ts` exports.
 */
import * as Schema from "effect/Schema"
import { FaultMode } from "../../task/Plan.ts"
import { Written } from "../../task/Task.ts"
import * as FieldCodec from "../../json/fieldCodec.ts"
import { Usage } from "../../model/Usage.ts"

/**
 * The version of the row's schema that this release writes.
 * @since 0.1.0
 * @category constants
 */
export const schemaVersion = "1"

const optional = <A, I, R>(schema: Schema.Schema<A, I, R>, description?: string) => {
  const field = Schema.optionalWith(schema, { exact: true })
  return description === undefined ? field : field.annotations({ description })
}
/** A key that is always there. */
const told = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })
const unknowns = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const markers = Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Number) })

/** What a model-backed turn may carry. */
const turnFields = {
  /** Which of the agent's turns, from 0: text and calls of one turn are one assistant message. Left out where every
   * call was a turn of its own. */
  turn: optional(Schema.Int),
  logprob: optional(Schema.Number),
  n_tokens: optional(Schema.Number),
  token_logprobs: optional(Schema.Array(Schema.Unknown)),
  truncated: optional(Schema.Boolean),
  usage: optional(Usage)
}

/**
 * How a call ended. `ok` covers answers that a fault garbled: the step's `fault` says so.
 * @since 0.1.0
 * @category models
 */
export const CallStatus = Schema.Literal(
  "ok",
  "error",
  "timeout",
  "not_found",
  "permission_denied",
  "rate_limited",
  "server_error",
  "already_done"
)
export type CallStatus = typeof CallStatus.Type

/**
 *  Who answered a call: a planned fault, the caller's `execute`, the mock world, an MCP server, the harness (which
 * refuses what cannot be run), or the agent or the person themselves (they only reported the call).
 * @since 0.1.0
 * @category models
 */
export const AnsweredBy = Schema.Literal("fault", "execute", "mock", "mcp", "harness", "agent", "user")
export type AnsweredBy = typeof AnsweredBy.Type

/**
 * A line of the person's.
 * @since 0.1.0
 * @category models
 */
export const UserStep = Schema.Struct({ user: Schema.String })
export type UserStep = typeof UserStep.Type

/**
 * A line of the agent's.
 * @since 0.1.0
 * @category models
 */
export const AgentStep = Schema.Struct({ text: Schema.String, reasoning: optional(Schema.String), ...turnFields })
export type AgentStep = typeof AgentStep.Type

/**
 * A call of a tool, with its answer.
 * @since 0.1.0
 * @category models
 */
export const CallStep = Schema.Struct({
  tool: Schema.String,
  /** The arguments object; what a model sent that was no object is kept as it came. */
  arguments: Schema.Unknown,
  result: Schema.Unknown,
  call_id: Schema.String,
  status: CallStatus,
  answered_by: AnsweredBy,
  /** Whose call it was, where it was not the agent's: in some worlds people have tools of their own. */
  called_by: optional(Schema.Literal("user")),
  fault: optional(FaultMode),
  /** Logical milliseconds since the rollout began, after this call. */
  at_ms: optional(Schema.Number),
  ...turnFields
})
export type CallStep = typeof CallStep.Type

/**
 * One step of a thread.
 * @since 0.1.0
 * @category models
 */
export const Step = Schema.Union(UserStep, CallStep, AgentStep)
export type Step = typeof Step.Type

/**
 * Whether a step is a line of the person's.
 * @since 0.1.0
 * @category functions
 */
export const isUserStep = (step: Step): step is UserStep => "user" in step

/**
 * Whether a step is a call of a tool.
 * @since 0.1.0
 * @category functions
 */
export const isCallStep = (step: Step): step is CallStep => "tool" in step

/**
 * A call that the agent made, and answers for.
 * @since 0.1.0
 * @category functions
 */
export const isAgentCall = (step: Step): step is CallStep => "tool" in step && step.called_by !== "user"

/**
 * Whether a step is a line of the agent's.
 * @since 0.1.0
 * @category functions
 */
export const isAgentStep = (step: Step): step is AgentStep => "text" in step

/**
 * One OpenAI chat message; a row's `messages` can be sent to a chat API as they are.
 * @since 0.1.0
 * @category models
 */
export const ChatMessage = Schema.Union(
  Schema.Struct({ role: Schema.Literal("user", "system"), content: Schema.String }),
  Schema.Struct({
    role: Schema.Literal("assistant"),
    content: Schema.NullOr(Schema.String),
    tool_calls: optional(
      Schema.Array(
        Schema.Struct({
          id: Schema.String,
          type: Schema.Literal("function"),
          function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
        })
      )
    )
  }),
  Schema.Struct({ role: Schema.Literal("tool"), tool_call_id: Schema.String, content: Schema.String })
)
export type ChatMessage = typeof ChatMessage.Type

/**
 * What ended a thread.
 * @since 0.1.0
 * @category models
 */
export const EndedBy = Schema.Literal("user_left", "user_done", "max_turns", "agent_done", "repeated")
export type EndedBy = typeof EndedBy.Type

/**
 * Why the agent's last reply ended.
 * @since 0.1.0
 * @category models
 */
export const FinishReason = Schema.Literal("stop", "length", "tool", "content_filter", "error")
export type FinishReason = typeof FinishReason.Type

/**
 * What came of asking the grader.
 * @since 0.1.0
 * @category models
 */
export const JudgeStatus = Schema.Literal("ok", "invalid_result", "missing_reward", "error", "timeout")
export type JudgeStatus = typeof JudgeStatus.Type

/**
 * A change that a call made in the world.
 * @since 0.1.0
 * @category models
 */
export const WorldWrite = Schema.Struct({
  tool: Schema.String,
  arguments: unknowns,
  /** What kind of entity, where the world knows. */
  entity: optional(Schema.String),
  id: optional(Schema.String)
})
export type WorldWrite = typeof WorldWrite.Type

/**
 * The verdict a row had before a later pass: nobody's word is lost because a grader was asked again.
 * @since 0.1.0
 * @category models
 */
export const PriorVerdict = Schema.Struct({
  reward: Schema.Number,
  reason: optional(Schema.String),
  label_source: optional(Schema.String),
  judge_name: optional(Schema.String),
  judge_status: optional(JudgeStatus),
  judge_meta: optional(unknowns),
  failure_class: optional(Schema.String),
  markers: optional(markers),
  scoring_run_id: optional(Schema.String)
})
export type PriorVerdict = typeof PriorVerdict.Type

/**
 * Where a row comes from: run, prompt, models, grader.
 * @since 0.1.0
 * @category models
 */
export const Lineage = Schema.Struct({
  /** Hash of everything that changes results. */
  run_id: Schema.String,
  system_prompt_sha: Schema.NullOr(Schema.String),
  eval_run: Schema.Int,
  /** The eval run replayed, within one call. */
  replayed_from_run: optional(Schema.Int),
  /** The `run_id` of the source, for `tasks`. */
  replayed_from: optional(Schema.String),
  scoring_run_id: optional(Schema.String),
  prior_scoring_run_id: optional(Schema.String),
  /** The last verdict with a reward before this pass. */
  prior: optional(PriorVerdict),
  source: optional(Schema.String),
  parent: optional(Schema.String),
  /** Of a fork: the row that was played again, from which of its steps on, and what was changed there. */
  forked_from: optional(Schema.Struct({ row_id: Schema.String, at: Schema.Int, change: Schema.NullOr(Schema.String) })),
  repeat_policy: Schema.Literal("none", "fixed", "successive", "adaptive"),
  probe: Schema.Int,
  /** What a `tasks` replay changed against its source. */
  changed: optional(Schema.Array(Schema.String))
})
export type Lineage = typeof Lineage.Type

/**
 * The turn at which a row was lost: from before it more continuations pass than after it.
 * @since 0.1.0
 * @category models
 */
export const TurningPoint = Schema.Struct({
  /** Index of the turn's first step. */
  at: Schema.Int,
  /** Shares of continuations that passed. */
  from: Schema.Number,
  to: Schema.Number
})
export type TurningPoint = typeof TurningPoint.Type

/**
 * When a rollout began and how long it took.
 * @since 0.1.0
 * @category models
 */
export const Timings = Schema.Struct({
  /** ISO 8601, UTC. */
  started_at: Schema.String,
  /** Seconds. */
  elapsed: Schema.Number
})
export type Timings = typeof Timings.Type

/** Labels of the ask that rows hold under keys of their own. */
const labels = {
  stance: optional(Schema.String, "a trait that the text shows; left out when it does not"),
  tone: optional(Schema.String, "the same"),
  texture: optional(Schema.String, "the same"),
  history: optional(Schema.String, "the same")
}
const labelNames = Object.keys(labels) as ReadonlyArray<keyof typeof labels>

/**
 * Those of a text's labels that rows hold, from a row or from what is known of its task.
 * @since 0.1.0
 * @category functions
 */
export const labelsOf = (row: Partial<Readonly<Record<keyof typeof labels, string>>>): Record<string, string> => {
  const shown: Record<string, string> = {}
  for (const label of labelNames) {
    const value = row[label]
    if (value !== undefined) shown[label] = value
  }
  return shown
}

/** What rows hold of their task. A field of a task that is not named here stands with the rest of its plan. */
const {
  phrasing: _,
  prompt: __,
  scenario_dimensions,
  scenario_id,
  shown: ___,
  task_id: ____,
  tier,
  writer_model,
  ...planned
} = FieldCodec.optional(Written)

/**
 * One rollout: the ask, the thread, the verdict, and where they come from. One line of a file of rows.
 * @since 0.1.0
 * @category models
 */
export const Row = Schema.Struct({
  schema_version: told(Schema.String, '`"1"`'),
  row_id: told(Schema.String, "of the rollout; ids derive from content, so equal runs have equal ids"),
  task_id: told(Schema.String, "of the ask"),
  scenario_id,
  prompt: told(Schema.String, "the ask"),
  opener: optional(Schema.String, "the agent's opening line, when it opens"),
  steps: told(
    Schema.Array(Step),
    'in order: `{ user }`, `{ text, reasoning? }` of the agent, or a call `{ tool, arguments, result, call_id, status, answered_by, called_by?, fault?, at_ms? }`; `called_by: "user"` is a call the person made with a tool of their own'
  ),
  messages: optional(Schema.Array(ChatMessage), "the same thread in OpenAI's chat shape"),
  final_text: told(Schema.String, "the agent's last line"),
  scenario_dimensions,
  tier,
  ...labels,
  ...planned,
  world_writes: optional(Schema.Array(WorldWrite), "writes the world accepted"),
  rollout_index: optional(Schema.Int, "place in the group, from 0"),
  seed: optional(Schema.Int, "the run's seed"),
  model_version: optional(Schema.String, "the agent: `function:<name>`, or what it says it is"),
  policy_version: optional(Schema.String, "`model_version` with a hash of the prompt"),
  writer_model,
  user_model: optional(Schema.NullOr(Schema.String), "who played the person; null when nobody spoke after the ask"),
  sampling: optional(Schema.NullOr(unknowns), "how the agent sampled, where known"),
  finish_reason: optional(FinishReason, "how the last reply ended"),
  ended_by: optional(EndedBy, "how the conversation ended"),
  reward: optional(Schema.NullOr(Schema.Number), "in [0, 1]; null when there is none"),
  reason: optional(Schema.String, "why it has this reward"),
  label_source: optional(Schema.String, "`conduct`, `grader` or `human`"),
  judge_name: optional(Schema.String, "who graded"),
  judge_status: optional(JudgeStatus, "whether grading worked"),
  judge_meta: optional(unknowns, "what else the grader said"),
  failure_class: optional(Schema.String, "which rule was broken"),
  turning_point: optional(
    TurningPoint,
    "where it was lost, when that was looked for: the step of the turn, and the share of continuations that passed from before it and after it"
  ),
  markers: optional(markers, "named side measures"),
  prior_verdict: optional(PriorVerdict, "of a row without `lineage`: what `lineage.prior` is"),
  behavior_signature: optional(
    Schema.String,
    "a hash of which tools were called with what kind of arguments, how they ended, and the reply's form"
  ),
  tools_used: optional(Schema.Array(Schema.String), "tools called"),
  malformed_tool_calls: optional(
    Schema.Int,
    "calls that could not be run as the model wrote them: no name, an unknown tool, arguments that are not one whole JSON object or do not fit the tool"
  ),
  usage: optional(Schema.Record({ key: Schema.String, value: Usage }), "tokens by role; unknown is null"),
  logprob: optional(Schema.Number, "the sum over agent turns, when captured"),
  n_tokens: optional(Schema.Number, "the sum over agent turns, when captured"),
  seeded: optional(Schema.Array(Schema.String), "what a demo agent did wrong on purpose"),
  timings: optional(Timings, "`started_at` and `elapsed` (seconds): the only wall-clock fields"),
  lineage: optional(
    Lineage,
    "where the row comes from: `run_id`, `system_prompt_sha`, `eval_run`, `repeat_policy`, `probe`, `scoring_run_id`; of a row that was graded before, `prior_scoring_run_id` and `prior` (the last verdict with a reward before this pass: reward, reason, who judged and the rest); of a replay `replayed_from` (the source's `run_id`) or `replayed_from_run` (the eval run), and `changed` (what the replay changed against its source); of a fork `forked_from` (`row_id`, `at`, `change`)"
  )
}).annotations({ identifier: "Row" })
export type Row = typeof Row.Type & { readonly [key: string]: unknown }

/**
 * Paths at which two equal seeded runs may differ: wall-clock fields, and the identity of the scoring pass.
 * @since 0.1.0
 * @category constants
 */
export const perInvocationPaths = [["timings"], ["lineage", "scoring_run_id"]] as const
