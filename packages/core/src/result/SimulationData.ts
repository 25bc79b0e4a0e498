/**
 * What a run gave: its rows, and what is known of it. From memory and from disk it is the same object.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Export from "../export/Export.ts"
import * as Grader from "../grade/Grader.ts"
import * as ScoringPass from "../grade/ScoringPass.ts"
import * as Compare from "../measure/Compare.ts"
import * as DeltaReport from "../measure/DeltaReport.ts"
import * as EvalVariance from "../measure/EvalVariance.ts"
import * as Measured from "../measure/Measured.ts"
import * as PassAt from "../measure/PassAt.ts"
import * as Sizing from "../measure/Sizing.ts"
import { evaluateRows, type Evaluated, type Settings as EvaluateSettings } from "../evaluate/evaluateRows.ts"
import * as Regraded from "../regrade/regraded.ts"
import { regradeFile, type Options as RegradeOptions, type Outcome as Regrade } from "../regrade/regradeFile.ts"
import type { InvalidOptions } from "../options/InvalidOptions.ts"
import type { Report } from "../report/Report.ts"
import type * as Row from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as RowSink from "../row/RowSink.ts"
import * as RunMeta from "../report/RunMeta.ts"
import * as SearchReport from "../report/SearchReport.ts"
import type { DegradedCode, Warning } from "../report/Warning.ts"
import * as Select from "../select/Select.ts"
import type { GoldAnswers } from "../task/Task.ts"

export * as RunMeta from "../report/RunMeta.ts"
export * as SearchReport from "../report/SearchReport.ts"
export * as Warning from "../report/Warning.ts"

export type { Regrade, RegradeOptions }

/**
 * The rows of a run, what is known of it, and the methods that measure, grade and export them.
 * @since 0.1.0
 * @category models
 */
export interface SimulationData {
  /** In the order of (eval run, task, index), whatever the order they landed in. */
  readonly rows: ReadonlyArray<Row.Row>
  /** Everything the meta file holds. */
  readonly meta: RunMeta.RunMeta
  /** Rollouts that gave no row. */
  readonly lost: ReadonlyArray<Measured.LostRollout>
  /** What only graders may see of its tasks, for a replay of them; empty for a run that was read from disk. */
  readonly goldAnswers: GoldAnswers
  readonly runId: string
  /** Null for a run that was cut off before it could say (a killed process). */
  readonly stoppedBecause: string | null
  readonly degraded: ReadonlyArray<DegradedCode>
  readonly warnings: ReadonlyArray<Warning>
  readonly search: SearchReport.SearchReport
  /** What the run delivered; fails with `NoReport` for a run that was cut off before it could say. */
  readonly report: () => Report
  /** The run with its rows graded anew, by the tools and the policy it had; this one stays as it is. */
  readonly grade: (
    grader: Grader.Service | Grader.GradeFunction,
    options?: ScoringPass.Options
  ) => Effect.Effect<SimulationData>
  /** How each ask of a fixed list did in this run, by the grader given or the one that graded its rows. */
  readonly evaluate: (options: EvaluateSettings) => Effect.Effect<Evaluated, InvalidOptions>
  /**
   * The pass rates of the run. Throws `InvalidMeasure` for options that make no sense, as do those below; in an Effect
   * `Measured.attempt(() => data.passAt(options))` fails with it.
   */
  readonly passAt: (options?: PassAt.Options) => PassAt.PassAt
  /** The other side (a run or rows) against this run, task by task. */
  readonly compare: (other: Measured.InMemory, options?: Compare.Options) => Compare.Comparison
  /** How much the run's eval runs (`runs`) differ from one another. */
  readonly evalVariance: (options?: EvalVariance.Options) => EvalVariance.EvalVariance
  /** One verdict on what came after this run, with this run as `before`. */
  readonly deltaReport: (after: Measured.InMemory, options?: DeltaReport.Options) => DeltaReport.DeltaReport
  /** What the run's tasks can show as the base of a comparison. */
  readonly evalPower: (options?: Sizing.PowerOptions) => Sizing.EvalPower
  /** The rows worth training on. Throws `InvalidSelection` for options that make no sense; `Select.attempt` fails with it. */
  readonly select: (options: Select.Options) => Select.Selection<Row.Row>
  /** Writes rows for others: for trainers with the run's tools and policy, or a test report. */
  readonly export: (
    path: string,
    options: Export.WriteOptions
  ) => Effect.Effect<Export.Report, Export.ExportRefused | RowFileError, FileSystem.FileSystem>
  /** Writes rows and meta to `path` and the file beside it; an existing file is refused unless `overwrite`. */
  readonly save: (
    path: string,
    options?: { readonly overwrite?: boolean }
  ) => Effect.Effect<void, RowFileError, FileSystem.FileSystem>
}

/**
 * The report of a run that never finished was asked for.
 * @since 0.1.0
 * @category errors
 */
export class NoReport extends Schema.TaggedError<NoReport>()("NoReport", { runId: Schema.String }) {
  override get message(): string {
    return `Run ${this.runId} was cut off before its report was made; its rows can be read and measured as they are.`
  }
}

/**
 * The result of rows that are at hand, with the methods of a run's.
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  rows: ReadonlyArray<Row.Row>,
  meta: RunMeta.RunMeta,
  lost: ReadonlyArray<Measured.LostRollout> = [],
  goldAnswers: GoldAnswers = new Map()
): SimulationData => ({
  rows,
  meta,
  lost,
  goldAnswers,
  runId: meta.run_id,
  stoppedBecause: meta.stopped_because,
  degraded: meta.degraded,
  warnings: meta.warnings,
  search: meta.search ?? SearchReport.empty,
  report: () => {
    if (meta.report === null) throw new NoReport({ runId: meta.run_id })
    return meta.report
  },
  grade: (grader, options = {}) => {
    const service = typeof grader === "function" ? Grader.make(grader) : grader
    const pass = ScoringPass.grade(rows, service, { ...ScoringPass.surroundingsOf(meta), ...options })
    return Effect.map(pass, ({ counts, rows: graded }) => {
      const figures = Regraded.counting(service)
      figures.add(graded)
      return make(graded, Regraded.metaOf(meta, { counts, figures: figures.figures() }, service), lost, goldAnswers)
    })
  },
  evaluate: (options) => evaluateRows(options, { rows, meta, lost: null }),
  passAt: (options) => PassAt.passAt({ rows, meta, lost }, options),
  compare: (other, options) => Compare.compare({ rows, meta, lost }, other, options),
  evalVariance: (options) => EvalVariance.evalVariance({ rows, meta, lost }, options),
  deltaReport: (after, options) => DeltaReport.deltaReport({ rows, meta, lost }, after, options),
  evalPower: (options) => Sizing.evalPower({ rows, meta, lost }, options),
  select: (options) => Select.select({ rows, meta }, options),
  export: (path, options) => Export.write({ rows, meta }, path, options),
  save: (path, { overwrite = false } = {}) => save({ rows, meta, lost }, path, overwrite)
})

/**
 * Reads a run back: its rows and the meta file beside them. Lines that are no rows are told in `warnings`.
 * @since 0.1.0
 * @category functions
 */
export const load: (path: string) => Effect.Effect<SimulationData, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "SimulationData.load"
)(function* (path: string) {
  const { rows, broken } = yield* RowFile.readRun(path)
  const meta = yield* RunMeta.readBeside(path)
  const notes = broken.map(({ number, problem }) => ({
    code: "broken_line",
    message: `Line ${number} of ${path} is no row and was left out: ${problem.message}`,
    fix: "Mend the line, or read on without it.",
    figures: { line: number }
  }))
  const lost = yield* Measured.lostBeside(path)
  return make(rows, { ...meta, warnings: [...meta.warnings, ...notes] }, lost)
})

/**
 * Grades a run on disk anew, row by row: into `output`, or in place. What is written replaces what was there only once it
 * is whole. A pass that gave no row a reward writes nothing; of rows that had a verdict it is kept in `lineage.prior`. In
 * place, a file with lines that are no rows is refused, since they would be lost.
 * @since 0.1.0
 * @category functions
 */
export const regrade: (
  path: string,
  grader: Grader.Service | Grader.GradeFunction,
  options?: RegradeOptions
) => Effect.Effect<Regrade, RowFileError, FileSystem.FileSystem> = (path, grader, options = {}) =>
  regradeFile(path, grader, options)

const save = (
  { lost, meta, rows }: Pick<SimulationData, "lost" | "meta" | "rows">,
  path: string,
  overwrite: boolean
): Effect.Effect<void, RowFileError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const sink = yield* RowSink.RowSink
    const tasks = new Set<string>()
    for (const row of rows) {
      yield* sink.append(row)
      if (tasks.has(row.task_id)) continue
      tasks.add(row.task_id)
      yield* sink.asks({ task_id: row.task_id, prompt: row.prompt })
    }
    for (const rollout of lost) yield* sink.lost(rollout)
    yield* sink.flush
    yield* RunMeta.write((yield* RowFile.around(path)).meta, meta)
  }).pipe(Effect.provide(RowSink.layerFile(path, { existing: overwrite ? "replace" : "refuse" })))
