/**
 * The engine that runs the library.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import type { InvalidOptions, Options } from "@sandtable/core/Options"
import * as Explain from "@sandtable/core/Explain"
import * as Evaluation from "@sandtable/core/Evaluation"
import * as RunMeta from "@sandtable/core/unstable/RunMeta"
import * as Simulation from "@sandtable/core/Simulation"
import type { SimulationData } from "@sandtable/core/SimulationData"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentCode } from "./AgentCode.ts"
import * as Engine from "./Engine.ts"
import { Invocation } from "./Invocation.ts"

export const layer: Layer.Layer<Engine.Engine, never, FileSystem.FileSystem | Path.Path> = Layer.effect(
  Engine.Engine,
  Effect.map(Effect.context<FileSystem.FileSystem | Path.Path>(), (platform) => ({
    preview: (options) =>
      byItsCode(Simulation.preview(unchecked(options))).pipe(
        Effect.provide(platform),
        Effect.map(planOf),
        Effect.mapError(refused)
      ),
    simulate: (options, hooks) =>
      byItsCode(Simulation.simulate(unchecked({ ...options, ...joined(options, hooks) }))).pipe(
        Effect.provide(platform),
        Effect.map(outcomeOf),
        Effect.mapError(failed)
      ),
    previewEvaluation: (options) =>
      byItsCode(Evaluation.preview(uncheckedList(options))).pipe(
        Effect.provide(platform),
        Effect.map(planOf),
        Effect.mapError(refused)
      ),
    evaluate: (options, hooks) =>
      byItsCode(Evaluation.run(uncheckedList({ ...options, ...joined(options, hooks) }))).pipe(
        Effect.provide(platform),
        Effect.mapError(failed)
      ),
    explain: (row, options, { budget, passAt }) =>
      byItsCode(
        Explain.explain(row, { run: unchecked(options), passAt, ...(budget === undefined ? {} : { budget }) })
      ).pipe(Effect.provide(platform), Effect.mapError(failed))
  }))
)

/** An agent that declares no identity is known by the file it was read from, and a run by the words that called it. */
const byItsCode = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.all([AgentCode, Invocation]), ([code, { words }]) =>
    run.pipe(Effect.provideService(AgentBackend.Code, code), Effect.provideService(RunMeta.Called, words))
  )

const failed = (error: Simulation.SimulationError): Engine.Refused | Engine.Failed => {
  switch (error._tag) {
    case "InvalidOptions":
      return refused(error)
    case "RowFileError":
      return new Engine.Failed({ reason: "file", detail: error.message, outcome: null, cause: error })
    case "RunFailed":
      return new Engine.Failed({
        reason: error.reason,
        detail: detailOf(error),
        outcome: outcomeOf(error.data),
        cause: error.cause
      })
  }
}

/** Whoever typed the command holds no error whose rows could be saved: what did not get into the file is gone. */
const detailOf = ({ cause, detail, reason }: Simulation.RunFailed): string =>
  reason === "output_failed" && cause instanceof Error
    ? `the output could not be written: ${cause.message} What is in the file by now stands; other rows of this run are lost.`
    : detail

/** Options that come from files and flags are held against the library's schema when the run begins, not by types. */
const unchecked = (options: Engine.Options): Options => options as Options

const uncheckedList = (options: Engine.Options): Evaluation.RunOptions => options as Evaluation.RunOptions

/** The command's hooks beside those of the agent file; what is no hook is left for the library to refuse. */
const joined = (options: Engine.Options, { onEvent, signal }: Engine.Hooks): Engine.Options => {
  const { onEvent: told = onEvent, signal: stop = signal } = options
  return {
    onEvent:
      typeof told === "function" && told !== onEvent
        ? (event: Engine.Event) => {
            onEvent(event)
            return told(event) as unknown
          }
        : told,
    signal: stop instanceof AbortSignal ? AbortSignal.any([stop, signal]) : stop
  }
}

const refused = ({ issues }: InvalidOptions): Engine.Refused => new Engine.Refused({ issues })

const outcomeOf = (data: SimulationData): Engine.Outcome => ({
  rows: data.rows,
  stoppedBecause: data.stoppedBecause ?? "interrupted",
  resumed: data.meta.counts.resumed,
  degraded: data.degraded,
  warnings: data.warnings,
  search: data.search,
  report: data.report()
})

const planOf = (preview: Simulation.Preview): Engine.Plan => ({
  runId: preview.runId,
  rows: preview.counts.budget,
  counts: preview.counts,
  isWhole: preview.isWhole,
  asks: preview.asks,
  coverage: preview.coverage,
  seedsDropped: preview.seedsDropped,
  calls: preview.calls,
  warnings: preview.warnings
})
