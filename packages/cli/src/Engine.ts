/**
 * What the command needs of the library: to run and to preview. The only module that knows the front door, so that a
 * test can hand the command another engine.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Evaluated } from "@sandtable/core/Evaluation"
import type { Explanation } from "@sandtable/core/Explain"
import type { Report } from "@sandtable/core/Report"
import type { Row } from "@sandtable/core/Row"
import type { SearchReport } from "@sandtable/core/unstable/SearchReport"
import type { Warning } from "@sandtable/core/unstable/Warning"

/** Options by name, as a caller of the library gives them. */
export type Options = Readonly<Record<string, unknown>>

/** What a run tells while it goes on: of the library's events what a watcher reads. */
export type Event =
  /** Before the first rollout; `expected` is null where the number of rows is not known beforehand. */
  | {
      readonly _tag: "Started"
      readonly budget: number
      readonly expected: number | null
      readonly warnings: ReadonlyArray<Warning>
    }
  | { readonly _tag: "RolloutStarted"; readonly evalRun?: number }
  /** A row that an earlier call left on disk. */
  | { readonly _tag: "RowResumed"; readonly row: Row }
  | { readonly _tag: "RowLanded"; readonly row: Row }
  | {
      /** Lost now, or by an earlier call of the run. */
      readonly _tag: "RolloutLost" | "LossResumed"
      readonly taskId: string
      readonly index: number
      readonly evalRun: number
      readonly reason: string
    }
  | {
      readonly _tag: "TaskChosen"
      readonly task: { readonly id: string; readonly scenarioId: string; readonly prompt: string }
    }
  /** Somebody waits for a model's endpoint; `until` in milliseconds since 1970, null when it goes on. */
  | { readonly _tag: "Waiting"; readonly role: string; readonly who: string; readonly until: number | null }
  /** What the models of all roles spent so far: tokens, and US dollars; null where nothing is known. */
  | {
      readonly _tag: "Spent"
      readonly input: number | null
      readonly output: number | null
      readonly cost: number | null
    }
  | { readonly _tag: "Stopping"; readonly reason: string }
  | { readonly _tag: "Judged" | "Stopped" }

/** How a run ended. */
export interface Outcome {
  readonly rows: ReadonlyArray<Row>
  readonly stoppedBecause: string
  /** Rows that earlier calls of the run left on disk. */
  readonly resumed?: number
  readonly degraded: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<Warning>
  readonly search: SearchReport
  readonly report: Report
}

/** What a run would do. */
export interface Plan {
  readonly runId: string
  /** Rows the run asks for. */
  readonly rows: number
  readonly counts: Readonly<Record<string, number | string | null>>
  /** False when only the beginning of the run was looked at: counts and calls are the least then. */
  readonly isWhole: boolean
  readonly asks: ReadonlyArray<{ readonly prompt: string; readonly tier: string | null }>
  readonly coverage: { readonly strength: number; readonly planned: number; readonly covered: number } | null
  readonly seedsDropped: ReadonlyArray<string>
  /** Model calls by role; null where they cannot be told. */
  readonly calls: Readonly<Record<string, number | null>>
  readonly warnings: ReadonlyArray<Warning>
}

/** One option that was refused. */
export interface Issue {
  readonly option: string
  readonly problem: string
  readonly fix: string
}

/** Options were refused; nothing was called and nothing written. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  issues: Schema.Array(Schema.Struct({ option: Schema.String, problem: Schema.String, fix: Schema.String }))
}) {
  override get message(): string {
    return this.issues.map((issue) => `${issue.option} ${issue.problem}: ${issue.fix}`).join("\n")
  }
}

/** A run ended without a row, or a file could not be written. */
export class Failed extends Data.TaggedError("Failed")<{
  /** A stop reason, or `file`. */
  readonly reason: string
  /** What happened, in a sentence. */
  readonly detail: string
  /** What there is to sum up all the same. */
  readonly outcome: Outcome | null
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.detail
  }
}

export interface Hooks {
  /** Ends the run as `interrupted` when it aborts. */
  readonly signal: AbortSignal
  readonly onEvent: (event: Event) => void
}

export interface Service {
  readonly preview: (options: Options) => Effect.Effect<Plan, Refused>
  readonly simulate: (options: Options, hooks: Hooks) => Effect.Effect<Outcome, Refused | Failed>
  /** What `evaluate` would do. The list of asks is one of the options, `evalSet`. */
  readonly previewEvaluation: (options: Options) => Effect.Effect<Plan, Refused>
  readonly evaluate: (options: Options, hooks: Hooks) => Effect.Effect<Evaluated, Refused | Failed>
  /** Explains one failed row; `options` are those the run was made with. */
  readonly explain: (
    row: Row,
    options: Options,
    how: { readonly budget: number | undefined; readonly passAt: number }
  ) => Effect.Effect<Explanation, Refused | Failed>
}

export class Engine extends Context.Tag("@sandtable/cli/Engine")<Engine, Service>() {}

/** An engine that is loaded when it is first asked for something. */
export const lazy = (load: () => Promise<Layer.Layer<Engine>>): Service => {
  const loaded = <A, E>(use: (engine: Service) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Effect.promise(load), (layer) => Effect.provide(Effect.flatMap(Engine, use), layer))
  return {
    preview: (options) => loaded((engine) => engine.preview(options)),
    simulate: (options, hooks) => loaded((engine) => engine.simulate(options, hooks)),
    previewEvaluation: (options) => loaded((engine) => engine.previewEvaluation(options)),
    evaluate: (options, hooks) => loaded((engine) => engine.evaluate(options, hooks)),
    explain: (row, options, how) => loaded((engine) => engine.explain(row, options, how))
  }
}
