/**
 * What a run says went less than well: each with a code, a sentence, what to do, and the figures behind it.
 */
import * as Schema from "effect/Schema"
import { counted } from "../language/counted.ts"

/**
 * A number, a word, or nothing; lists for names.
 * @since 0.1.0
 * @category models
 */
export const Figure = Schema.NullOr(Schema.Union(Schema.Number, Schema.String, Schema.Array(Schema.String)))
export type Figure = typeof Figure.Type

/**
 * Something a user should know of a run, with what to do about it.
 * @since 0.1.0
 * @category models
 */
export const Warning = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  /** Names an option or a call. */
  fix: Schema.String,
  figures: Schema.Record({ key: Schema.String, value: Figure })
}).annotations({ identifier: "Warning" })
export type Warning = typeof Warning.Type

/**
 * What may be degraded in a run: results stand, but say less than they seem to.
 * @since 0.1.0
 * @category models
 */
export const DegradedCode = Schema.Literal(
  "same_model",
  "rollouts_lost",
  "agent_errors",
  "empty_replies",
  "no_tool_calls",
  "dead_tools",
  "followups_starved",
  "generator_fallback",
  "tool_draft_unavailable",
  "result_shapes_unavailable",
  "scene_brief_unavailable",
  "embedding_unavailable",
  "judge_errors",
  "faults_not_met",
  "interrupted"
)
export type DegradedCode = typeof DegradedCode.Type

/**
 * Every code of `degraded`.
 * @since 0.1.0
 * @category functions
 */
export const degradedCodes: ReadonlyArray<DegradedCode> = DegradedCode.literals

/**
 * Who calls tools: the run, for a model; an agent outside of the process, in its replies; or a function, by itself.
 * @since 0.1.0
 * @category models
 */
export type AgentKind = "model" | "outside" | "function"

/**
 * A note that degrades nothing, such as an option that does not apply.
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  code: string,
  message: string,
  fix: string,
  figures: Readonly<Record<string, Figure>> = {}
): Warning => ({ code, message, fix, figures })

/**
 * Rows that a verifier could not grade: what is not in the seeds (asks the run wrote, tasks of another run) has no reference.
 * @since 0.1.0
 * @category functions
 */
export const noReferences = (figures: { readonly without: number; readonly rows: number }): Warning =>
  make(
    "no_references",
    `No reward for ${figures.without} of ${counted(figures.rows, "row")}, because there is no reference for their asks.`,
    "Give a `reference` with each of the `seeds` (with `situations` as many as they are, no other asks are written), or grade the rows with `references`.",
    figures
  )

/**
 * The one warning of each degraded code: `degraded.rollouts_lost({ lost: 3, requested: 40, by: ["timeout 3"] })`.
 * `detail` is the cause in a sentence of whoever met it.
 * @since 0.1.0
 * @category functions
 */
export const degraded = {
  same_model: (figures: { readonly roles: ReadonlyArray<string>; readonly options: ReadonlyArray<string> }): Warning =>
    make(
      "same_model",
      `The agent's model also plays: ${figures.roles.join(", ")}. It then meets its own words or its own judgement.`,
      `Name another model with ${figures.options.map(quoted).join(", ")}.`,
      figures
    ),
  rollouts_lost: ({
    kept,
    ...figures
  }: {
    readonly lost: number
    readonly requested: number
    readonly by: ReadonlyArray<string>
    /** Whether there is a file of lost rollouts. */
    readonly kept: boolean
  }): Warning =>
    make(
      "rollouts_lost",
      `${figures.lost} of ${counted(figures.requested, "rollout")} gave no row (${figures.by.join(", ")}).`,
      [
        kept
          ? "Read their causes in `run.lost.jsonl` (`output`)"
          : "Name an `output` and run again: their causes are kept beside it then",
        ...(figures.by.some((reason) => reason.startsWith("timeout "))
          ? ["raise `timeout` or lower `concurrency` for an agent that needs longer"]
          : [])
      ].join("; ") + ".",
      figures
    ),
  agent_errors: ({
    kept,
    model,
    named,
    ...figures
  }: {
    readonly errors: number
    readonly requested: number
    readonly first: string
    /** Whether there is a file of lost rollouts. */
    readonly kept: boolean
    /** Whether the run plays a model itself: what failed is then its endpoint. */
    readonly model: boolean
    /** The address or the command of an agent outside of the process; null for one inside. */
    readonly named: string | null
  }): Warning =>
    make(
      "agent_errors",
      `The agent${named === null ? "" : ` ${named}`} failed in ${figures.errors} of ${counted(figures.requested, "rollout")}; the first said: ${figures.first}`,
      model
        ? "Mend what the first one says of its endpoint, or name another model as `agent`."
        : kept
          ? "Ask again what it threw on, in the same world (`tasks` of `run.lost.jsonl`), and mend what it throws."
          : "Name an `output` and run again: what it threw on is kept beside it, to be run alone.",
      figures
    ),
  empty_replies: (figures: { readonly empty: number; readonly requested: number; readonly first: string }): Warning =>
    make(
      "empty_replies",
      `The agent said nothing in ${figures.empty} of ${counted(figures.requested, "rollout")}${
        figures.first === "" ? "" : `; in the first ${figures.first}`
      }.`,
      "Return the final text from `agent`; with a model that thinks, raise `agentMaxTokens`.",
      figures
    ),
  no_tool_calls: ({
    agent,
    ...figures
  }: {
    readonly rows: number
    readonly tools: number
    readonly agent: AgentKind
  }): Warning =>
    make(
      "no_tool_calls",
      `No tool was called in any of ${counted(figures.rows, "row")}, though the agent has ${figures.tools}.`,
      {
        model: "Name a model that calls tools as `agent`; a server of one's own may have to be told to read its calls.",
        outside: "Let the `agent` answer with the calls it wants made: each request tells it of its `tools`.",
        function: "Give the agent its `tools`, and call them through `context.world.call`."
      }[agent],
      figures
    ),
  dead_tools: (figures: { readonly tools: ReadonlyArray<string>; readonly calls: number }): Warning =>
    make(
      "dead_tools",
      `These tools almost never answered, planned faults left out: ${figures.tools.join(", ")}.`,
      "Make them answer in `execute`, or give ids that exist with `ids`; see `report().tools`.",
      figures
    ),
  followups_starved: (figures: { readonly misses: number; readonly rows: number }): Warning =>
    make(
      "followups_starved",
      `${figures.misses} of ${counted(figures.rows, "thread")} ended because the person had no usable line.`,
      "Name another `userModel`, or `userModel: false` for the template user.",
      figures
    ),
  generator_fallback: (figures: { readonly asks: number; readonly detail: string }): Warning =>
    make(
      "generator_fallback",
      `The template writer wrote ${counted(figures.asks, "ask")}, because the model writer gave none: ${figures.detail}`,
      "Name another `simulator`, or set `advanced.writerFallback` to false to stop instead.",
      figures
    ),
  tool_draft_unavailable: (figures: { readonly detail: string }): Warning =>
    make(
      "tool_draft_unavailable",
      `No tools were drafted from the prompt: ${figures.detail}`,
      "Give the agent's `tools`, or another `simulator`.",
      figures
    ),
  result_shapes_unavailable: (figures: { readonly tools: ReadonlyArray<string>; readonly detail: string }): Warning =>
    make(
      "result_shapes_unavailable",
      `Results of ${figures.tools.join(", ")} are shaped by name and parameters alone: ${figures.detail}`,
      "Declare an output schema or an example in `tools`, or give `traces` that show results.",
      figures
    ),
  scene_brief_unavailable: (figures: { readonly detail: string }): Warning =>
    make(
      "scene_brief_unavailable",
      `Asks were written without a scene brief: ${figures.detail}`,
      "Name another `simulator`, or say who talks to the agent in `systemPrompt`.",
      figures
    ),
  embedding_unavailable: (figures: { readonly detail: string }): Warning =>
    make(
      "embedding_unavailable",
      `Novelty and near copies were judged by words alone: ${figures.detail}`,
      "Give another `advanced.embedder`, or leave it unset.",
      figures
    ),
  judge_errors: (figures: { readonly errors: number; readonly rows: number; readonly first: string }): Warning =>
    make(
      "judge_errors",
      `No reward for ${figures.errors} of ${counted(figures.rows, "row")}, because the grader failed or answered nothing usable; the first: ${figures.first}`,
      "Mend `grader` (or raise `advanced.graderTimeout`) and grade the rows again with `data.grade(...)`.",
      figures
    ),
  faults_not_met: ({
    agent,
    ...figures
  }: {
    readonly planned: number
    readonly fired: number
    readonly agent: AgentKind
  }): Warning =>
    make(
      "faults_not_met",
      `A fault was planned for ${counted(figures.planned, "row")}, and ${figures.fired} met it.`,
      {
        model: "Name a model that calls tools as `agent`, or set `faultRate: 0`.",
        outside: "Let the agent answer with its calls, so that faults can fire, or set `faultRate: 0`.",
        function: "Call tools through `context.world.call` so that faults can fire, or set `faultRate: 0`."
      }[agent],
      figures
    ),
  interrupted: ({
    kept,
    unwritten,
    ...figures
  }: {
    readonly rows: number
    readonly budget: number
    /** Whether it stopped because rows could not be written. */
    readonly unwritten: boolean
    /** Whether its rows are in a file. */
    readonly kept: boolean
  }): Warning =>
    unwritten
      ? make(
          "interrupted",
          `The run stopped with ${figures.rows} of ${counted(figures.budget, "row")}, because its file could not be written.`,
          "Make room for the rows or name another `output`, and run again.",
          figures
        )
      : make(
          "interrupted",
          `The run was stopped from outside with ${figures.rows} of ${counted(figures.budget, "row")}.`,
          kept
            ? "The finished rows stand; name their file as `checkpoint` to go on with it."
            : "The finished rows stand; run again for the whole `budget`, with an `output` to go on with a run that was stopped.",
          figures
        )
} as const satisfies Record<DegradedCode, (figures: never) => Warning>

/** An option as messages write it; words around one have its quotes already. */
function quoted(option: string): string {
  return option.includes("`") ? option : `\`${option}\``
}
