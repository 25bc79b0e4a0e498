/**
 * Sandtable for plain TypeScript on Node: the same calls as Promises, with Node's file system in place. A Promise rejects
 * with the error itself (`InvalidOptions`, `RunFailed`, `RowFileError`).
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as NodeRowSink from "./node/NodeRowSink.ts"
import * as Eval from "./Evaluation.ts"
import * as Export from "./export/Export.ts"
import type { GradeFunction, Service as GraderService } from "./grade/Grader.ts"
import * as ScoringPass from "./grade/ScoringPass.ts"
import * as Compare from "./measure/Compare.ts"
import * as DeltaReport from "./measure/DeltaReport.ts"
import * as PassAt from "./measure/PassAt.ts"
import type { Options } from "./options/Options.ts"
import type { Row } from "./row/Row.ts"
import * as AgentSource from "./rollout/AgentSource.ts"
import type * as RowSource from "./traces/RowSource.ts"
import * as Select from "./select/Select.ts"
import * as Simulation from "./Simulation.ts"
import * as Data from "./result/SimulationData.ts"
import * as ErrorText from "./task/ErrorText.ts"

export type { Options } from "./options/Options.ts"
export type { Preview } from "./Simulation.ts"
export type { SimulationData } from "./result/SimulationData.ts"
export type { Evaluated } from "./Evaluation.ts"

export * as CodeExec from "./node/CodeExec.ts"
export * as GraderWorker from "./node/GraderWorker.ts"

/**
 * Node's file system and paths, for Effect programs whose options name files; rows are written by Node's own calls.
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<FileSystem.FileSystem | Path.Path> = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeRowSink.layer
)

/**
 * `Simulation.simulate` as a Promise.
 * @since 0.1.0
 * @category functions
 */
export const simulate = (options: Options): Promise<Data.SimulationData> => settle(Simulation.simulate(options))

/**
 * `Simulation.preview` as a Promise.
 * @since 0.1.0
 * @category functions
 */
export const preview = (options: Options): Promise<Simulation.Preview> => settle(Simulation.preview(options))

/**
 * `ScoringPass.grade` as a Promise: a pass over rows or a file of them. For a whole run there is `gradeRun`.
 * @since 0.1.0
 * @category functions
 */
export const grade = (
  rows: Iterable<Row> | string,
  grader: GraderService | GradeFunction,
  options?: ScoringPass.Options
): Promise<ScoringPass.Graded> =>
  settle(typeof rows === "string" ? ScoringPass.grade(rows, grader, options) : ScoringPass.grade(rows, grader, options))

/**
 * `data.grade` as a Promise: the run with its rows graded anew.
 * @since 0.1.0
 * @category functions
 */
export const gradeRun = (
  data: Data.SimulationData,
  grader: GraderService | GradeFunction,
  options?: ScoringPass.Options
): Promise<Data.SimulationData> => settle(data.grade(grader, options))

/**
 * A fixed list of asks: with `data` or `rows` held against them (`Evaluation.evaluate`), else run (`Evaluation.run`).
 * @since 0.1.0
 * @category functions
 */
export const evaluate = (options: Eval.Options | Eval.RunOptions): Promise<Eval.Evaluated> =>
  settle(isOverRows(options) ? Eval.evaluate(options) : Eval.run(options))

const isOverRows = (options: Eval.Options | Eval.RunOptions): options is Eval.Options =>
  "data" in options || "rows" in options

/**
 * Reads a run back from its file of rows and the meta file beside it.
 * @since 0.1.0
 * @category functions
 */
export const load = (path: string): Promise<Data.SimulationData> => settle(Data.load(path))

/**
 * `PassAt.passAt` of a file as a Promise. A run has `data.passAt`, and rows in memory need no Promise.
 * @since 0.1.0
 * @category functions
 */
export const passAt = (path: string, options?: PassAt.Options): Promise<PassAt.PassAt> =>
  settle(PassAt.passAt(path, options))

/**
 * `Compare.compare` of two files as a Promise. A run has `data.compare`.
 * @since 0.1.0
 * @category functions
 */
export const compare = (a: string, b: string, options?: Compare.Options): Promise<Compare.Comparison> =>
  settle(Compare.compare(a, b, options))

/**
 * `DeltaReport.deltaReport` of two files as a Promise. A run has `data.deltaReport`.
 * @since 0.1.0
 * @category functions
 */
export const deltaReport = (
  before: string,
  after: string,
  options?: DeltaReport.Options
): Promise<DeltaReport.DeltaReport> => settle(DeltaReport.deltaReport(before, after, options))

/**
 * Writes a run's rows and meta; an existing file is refused unless `overwrite`.
 * @since 0.1.0
 * @category functions
 */
export const save = (
  data: Data.SimulationData,
  path: string,
  options?: { readonly overwrite?: boolean }
): Promise<void> => settle(data.save(path, options))

/**
 * `Select.selectFile` as a Promise: the rows of a file that are worth training on. A run has `data.select`.
 * @since 0.1.0
 * @category functions
 */
export const selectFile = (path: string, options: Select.Options): Promise<Select.Selection> =>
  settle(Select.selectFile(path, options))

/**
 * `Export.write` as a Promise: rows, a run, a selection or a file of rows, written for others.
 * @since 0.1.0
 * @category functions
 */
export const exportRows = (
  source: RowSource.Source,
  path: string,
  options: Export.WriteOptions
): Promise<Export.Report> => settle(Export.write(source, path, options))

/**
 * Models, addresses and commands by name, from `@sandtable/backends` where it is installed: loaded when something is first
 * named. The name is no literal, since the core must be built and run without it.
 */
const named: Layer.Layer<never> = AgentSource.layerLazy(
  Effect.tryPromise({
    try: async (): Promise<Layer.Layer<never>> => {
      const name: string = "@sandtable/backends/node"
      return ((await import(/* @vite-ignore */ name)) as { readonly layer: Layer.Layer<never> }).layer
    },
    catch: (cause) => ({
      problem: `needs \`@sandtable/backends\`, which could not be loaded: ${ErrorText.of(cause)}`,
      fix: "Install it beside the core: npm install @sandtable/backends."
    })
  })
)

const settle = async <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>): Promise<A> => {
  const exit = await Effect.runPromiseExit(Effect.provide(effect, Layer.merge(layer, named)))
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
