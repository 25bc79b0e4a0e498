/**
 * A fixed list of asks: whether all of them ran, and how each scored. Seeds are asks to build a run around; this is the
 * list to measure by.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Grader from "./grade/Grader.ts"
import * as Evaluating from "./evaluate/evaluating.ts"
import { askedFor, evaluated, evaluateRows, gradersOf, markIssues, notOne } from "./evaluate/evaluateRows.ts"
import type { Evaluated, Origin, Settings } from "./evaluate/evaluateRows.ts"
import * as RunSpans from "./run/spans.ts"
import { InvalidOptions, type OptionIssue } from "./options/InvalidOptions.ts"
import type { Options as SimulateOptions } from "./options/Options.ts"
import type { Row } from "./row/Row.ts"
import * as RowFile from "./row/RowFile.ts"
import type { RowFileError } from "./row/RowFileError.ts"
import * as RunMeta from "./report/RunMeta.ts"
import type { RunEvent } from "./search/RunEvent.ts"
import * as Simulation from "./Simulation.ts"
import type { SimulationData } from "./result/SimulationData.ts"

export type { AskResult, EvalAsk, EvalSet, Totals } from "./evaluate/evaluating.ts"
export type { Evaluated } from "./evaluate/evaluateRows.ts"

/**
 * Rows of a run, of memory or of a file, and the list they are held against.
 * @since 0.1.0
 * @category models
 */
export type Options = Settings &
  (
    | { readonly data: SimulationData; readonly rows?: undefined }
    | { readonly rows: ReadonlyArray<Row> | string; readonly data?: undefined }
  )

type InMemory = Options & { readonly rows?: ReadonlyArray<Row> | undefined }

/**
 * How each ask of the list did, by exactly one grader: the given one, which grades the rows of the list anew, or the one
 * that graded them before. Rows are matched by id (an ask's id, a task's, a situation's), then by normalised text.
 * @since 0.1.0
 * @category functions
 */
export const evaluate: {
  (options: InMemory): Effect.Effect<Evaluated, InvalidOptions>
  (options: Options): Effect.Effect<Evaluated, InvalidOptions | RowFileError, FileSystem.FileSystem>
} = ((options: Options) =>
  Effect.flatMap(originOf(options), (origin) => evaluateRows(options, origin))) as typeof evaluate

/**
 * Options of `simulate` without those that choose what is asked.
 * @since 0.1.0
 * @category models
 */
export type RunOptions = Omit<SimulateOptions, Refused> & {
  readonly evalSet: Evaluating.EvalSet
  /** The least reward of a pass (1). */
  readonly passAt?: number
}

/**
 * Runs the list and evaluates it: the asks are the seeds, each has all its `repeats` (1), nothing else is written or
 * asked. `budget` is what the list needs unless given, and `simulator` is not called. A grader is needed: `grader`, a layer, or
 * `grade`. An agent that fails on every ask gives an evaluation in which all are missing.
 * @since 0.1.0
 * @category functions
 */
export const run: {
  (options: RunOptions & Simulation.InMemory): Effect.Effect<Evaluated, Simulation.SimulationError>
  (options: RunOptions): Effect.Effect<Evaluated, Simulation.SimulationError, Simulation.Files>
} = ((given: RunOptions) => RunSpans.root("Evaluation.run")(evaluation(given))) as typeof run

const evaluation = Effect.fnUntraced(function* (given: RunOptions) {
  const { asks, layered, options } = yield* asRun(given)
  const losses = new Losses()
  const { onEvent } = given
  const data = yield* Simulation.simulate({
    ...options,
    onEvent: (event) => {
      losses.see(event)
      return onEvent?.(event)
    }
  } as Simulation.InMemory).pipe(
    Effect.catchIf(
      (error) => error._tag === "RunFailed" && (error.reason === "agent_failed" || error.reason === "empty_replies"),
      (error) => Effect.succeed((error as Simulation.RunFailed).data)
    )
  )
  return evaluated({
    asks,
    rows: data.rows,
    meta: data.meta,
    lost: losses.rollouts,
    repeats: askedFor(data.meta),
    passAt: given.passAt,
    grader: gradersOf(data.rows)[0] ?? layered
  })
})

/**
 * What `run` would do, without calling anything.
 * @since 0.1.0
 * @category functions
 */
export const preview: {
  (options: RunOptions & Simulation.InMemory): Effect.Effect<Simulation.Preview, InvalidOptions>
  (options: RunOptions): Effect.Effect<Simulation.Preview, InvalidOptions, Simulation.Files>
} = ((given: RunOptions) =>
  Effect.flatMap(asRun(given), ({ options }) => Simulation.preview(options as Simulation.InMemory))) as typeof preview

/** The run that a list comes to, or everything that is wrong with the call. */
const asRun = Effect.fnUntraced(function* ({ evalSet, passAt, ...given }: RunOptions) {
  const layered = Option.getOrUndefined(yield* Grader.Grader)
  const graded = given.grader !== undefined || (given.grade ?? false) !== false || layered !== undefined
  const issues = [
    ...Evaluating.issuesOf(evalSet),
    ...markIssues({ ...(passAt !== undefined && { passAt }) }),
    ...refusals(given),
    ...(graded ? [] : [notOne([])])
  ]
  if (issues.length > 0) return yield* InvalidOptions.of(issues)

  const asks = Evaluating.asksOf(evalSet)
  const repeats = given.rolloutsPerRequest ?? given.repeats ?? given.rolloutsPerPrompt
  const rollouts = (typeof repeats === "number" && repeats >= 1 ? Math.ceil(repeats) : 1) * asks.length
  const options = {
    ...given,
    seeds: asks,
    situations: asks.length,
    requestsPerSituation: 1,
    repeatPolicy: "fixed" as const,
    ...(repeats === undefined && { rolloutsPerRequest: 1 }),
    // One more than the list needs: a run that is through then says so, and not that its budget is spent.
    budget: given.budget ?? rollouts + 1,
    simulator: given.simulator ?? false
  }
  return { asks, layered, options }
})

/** Options that choose what is asked: here the list does. */
const refused = [
  "seeds",
  "tasks",
  "situations",
  "requestsPerSituation",
  "phrasings",
  "n",
  "uniqueSituations",
  "unique",
  "repeatPolicy",
  "traces",
  "strategy"
] as const
type Refused = (typeof refused)[number]

const refusals = (given: object): ReadonlyArray<OptionIssue> =>
  refused
    .filter((option) => (given as Readonly<Record<string, unknown>>)[option] !== undefined)
    .map((option) => ({
      option,
      problem: "chooses what is asked, and in an evaluation the list does",
      fix: "Leave it out, or use `simulate`."
    }))

/** The rollouts a run lost, as its events tell them. */
class Losses {
  readonly rollouts: Array<Evaluating.LostRollout> = []
  readonly #tasks = new Map<string, { readonly scenarioId: string; readonly prompt: string }>()

  see(event: RunEvent): void {
    if (event._tag === "TaskChosen") this.#tasks.set(event.task.id, event.task)
    if (event._tag !== "RolloutLost") return
    const task = this.#tasks.get(event.taskId)
    const { reason, taskId } = event
    this.rollouts.push({ scenarioId: task?.scenarioId, taskId, prompt: task?.prompt ?? "", reason })
  }
}

const originOf = (options: Options): Effect.Effect<Origin, InvalidOptions | RowFileError, FileSystem.FileSystem> => {
  if (options.data !== undefined)
    return Effect.succeed({ rows: options.data.rows, meta: options.data.meta, lost: null })
  if (typeof options.rows === "string") return originOfFile(options.rows)
  return Array.isArray(options.rows)
    ? Effect.succeed({ rows: options.rows, meta: null, lost: null })
    : InvalidOptions.of([
        {
          option: "rows",
          problem: "is not given, and neither is `data`",
          fix: "Give rows, the path of their file, or a run."
        }
      ])
}

const originOfFile = Effect.fnUntraced(function* (path: string) {
  const { rows } = yield* RowFile.readAll(path)
  const meta = yield* Effect.option(RunMeta.readBeside(path))
  const lost: Array<Evaluating.LostRollout> = []
  const known = yield* Effect.either(
    RowFile.readText((yield* RowFile.around(path)).lost, (lines) =>
      Effect.sync(() => {
        for (const line of lines) {
          const record = line._tag === "Text" ? lostOf(line.text) : undefined
          if (record === undefined) continue
          const { prompt, reason, scenario_id: scenarioId, task_id: taskId } = record
          lost.push({ scenarioId, taskId, prompt, reason })
        }
      })
    )
  )
  return { rows, meta: Option.getOrNull(meta), lost: known._tag === "Right" ? lost : null } satisfies Origin
})

/** A line of the file of lost rollouts, as far as it is needed. */
const LostLine = Schema.parseJson(
  Schema.Struct({
    task_id: Schema.String,
    scenario_id: Schema.optionalWith(Schema.String, { exact: true }),
    prompt: Schema.String,
    reason: Schema.String
  })
)

const lostOf = (text: string) => Option.getOrUndefined(Schema.decodeUnknownOption(LostLine)(text))
