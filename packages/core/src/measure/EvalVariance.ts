/**
 * How much a mean moves between eval runs of the same tasks, when nothing changes but chance.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../row/RowFileError.ts"
import { nameOfMetric, passMetric } from "./internal/figures.ts"
import * as PassOption from "./internal/passOption.ts"
import * as Reading from "./internal/reading.ts"
import * as Runs from "./internal/runs.ts"
import * as Words from "./internal/words.ts"
import type { InMemory, InvalidMeasure, Metric, Note, Source } from "./Measured.ts"
import * as NoiseBand from "./NoiseBand.ts"

export * as NoiseBand from "./NoiseBand.ts"

/**
 * How a run is split and measured.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `pass_at_1` by default. */
  readonly metric?: Metric
  /** Arms whose rows are left out. */
  readonly exclude?: ReadonlyArray<string>
  /** The least reward of a pass (1), for `pass_at_1`. */
  readonly passAt?: number
}

/**
 * Plain JSON.
 * @since 0.1.0
 * @category models
 */
export interface EvalVariance {
  readonly metric: string
  /** What tells the runs apart; `one_run` when nothing does. */
  readonly split_by: "eval_run" | "scoring_run_id" | "given" | "one_run"
  readonly runs: ReadonlyArray<RunMean>
  /** Tasks with a figure in every run, of all that there are: the means are over them. */
  readonly tasks: number
  readonly tasks_of: number
  /** Mean over the runs. */
  readonly mean: number | null
  /** Standard deviation of the runs' means (n - 1); null under two runs. */
  readonly run_std: number | null
  readonly df: number | null
  /** Two evaluations of as many runs each differ by less than this 95 times in 100 though nothing changed. */
  readonly band: number | null
  readonly notes: ReadonlyArray<Note>
}

/**
 * The mean of one eval run.
 * @since 0.1.0
 * @category models
 */
export interface RunMean {
  readonly run: string
  readonly rows: number
  readonly mean: number | null
}

/**
 * The runs of rows (by `lineage.eval_run`, else by `scoring_run_id`), or of a list of runs; at once in memory, else as an
 * effect. Throws (for files: fails with) `InvalidMeasure` for a `passAt` that is none.
 * @since 0.1.0
 * @category functions
 */
export const evalVariance: {
  (rows: InMemory | ReadonlyArray<InMemory>, options?: Options): EvalVariance
  (
    paths: string | readonly [string, ...ReadonlyArray<string>],
    options?: Options
  ): Effect.Effect<EvalVariance, RowFileError | InvalidMeasure, FileSystem.FileSystem>
} = ((source: Source | ReadonlyArray<Source>, options: Options = {}) => {
  const metric = options.metric ?? passMetric
  const settings = { metrics: [metric], exclude: options.exclude ?? [], passAt: options.passAt }
  const given = isListOfRuns(source)
  const sources = given ? source : [source]
  const problem = PassOption.problemOf(options.passAt)
  if (problem !== null) {
    if (sources.some((one) => typeof one === "string")) return Effect.fail(problem)
    throw problem
  }
  const use = (loaded: ReadonlyArray<Reading.Loaded>): EvalVariance => varianceOf(loaded, given, nameOfMetric(metric))
  if (sources.every((one) => typeof one !== "string")) return use(sources.map((one) => Reading.inMemory(one, settings)))
  return Effect.map(
    Effect.forEach(sources, (one) =>
      typeof one === "string" ? Reading.file(one, settings) : Effect.sync(() => Reading.inMemory(one, settings))
    ),
    use
  )
}) as typeof evalVariance

/**
 * The runs in a line each, then their spread and its band.
 * @since 0.1.0
 * @category functions
 */
export const render = ({ band, df, mean, metric, notes, run_std, runs, tasks, tasks_of }: EvalVariance): string => {
  const show = Words.figure(metric)
  const spread =
    run_std === null || band === null || mean === null
      ? []
      : run_std === 0
        ? [`mean ${show.value(mean)} in every run: no spread was seen, which few runs do not prove to be none`]
        : [
            `mean ${show.value(mean)}, run_std ${show.size(run_std)}, band ${show.size(band)} (${df} df): ${Words.count(runs.length, "run")} against as many differ by less 95 times in 100 though nothing changed`
          ]
  const wide =
    metric === passMetric && band !== null && band > 1
      ? ["So few runs say next to nothing of their spread: 3 or more do."]
      : []
  return [
    `${Words.metric(metric)} over ${Words.of(tasks, tasks_of, "task")} in every run`,
    ...runs.map(
      (run) => `  run ${run.run}: ${run.mean === null ? "-" : show.value(run.mean)} (${Words.count(run.rows, "row")})`
    ),
    ...spread,
    ...wide,
    ...notes.map(({ message }) => `- ${message}`)
  ].join("\n")
}

/** A list of rows holds records; a list of runs holds lists of rows, runs or paths. */
const isListOfRuns = (source: Source | ReadonlyArray<Source>): source is ReadonlyArray<Source> => {
  if (!Array.isArray(source)) return false
  const first: unknown = source[0]
  if (typeof first === "string") return true
  return (
    typeof first === "object" &&
    first !== null &&
    (Symbol.iterator in first || ("rows" in first && !("reward" in first)))
  )
}

const varianceOf = (loaded: ReadonlyArray<Reading.Loaded>, given: boolean, metric: string): EvalVariance => {
  const { by, runs } = Runs.split(
    loaded.map(({ table }) => table),
    given
  )
  const { means, moved, of, tasks } = Runs.meansOf(runs)
  const values = means.filter((mean) => mean !== null)
  const spread = values.length === runs.length ? NoiseBand.pooledSpread(values) : null
  const sorted = [...values].sort((a, b) => a - b)
  return {
    metric,
    split_by: by,
    runs: runs.map(({ name, rows }, i) => ({ run: name, rows, mean: means[i] ?? null })),
    tasks,
    tasks_of: of,
    mean: values.length === 0 ? null : sorted.reduce((sum, mean) => sum + mean, 0) / values.length,
    run_std: spread?.std ?? null,
    df: spread?.df ?? null,
    band: spread === null ? null : NoiseBand.noiseBand({ ...spread, runs: [runs.length, runs.length] }),
    notes: [...hidden(spread, moved, tasks), ...notesOf(runs.length, tasks, loaded)]
  }
}

/** Ups and downs of tasks that cancel out leave the means alike, and the agent is not the same each time. */
const hidden = (spread: NoiseBand.Spread | null, moved: number, tasks: number): ReadonlyArray<Note> =>
  spread?.std !== 0 || moved === 0
    ? []
    : [
        {
          code: "spread_hidden",
          message: `The runs have one mean by chance: ${moved} of ${Words.count(tasks, "task")} differ between them, so a band of 0 says too little. More runs show it.`
        }
      ]

const notesOf = (runs: number, tasks: number, loaded: ReadonlyArray<Reading.Loaded>): ReadonlyArray<Note> => {
  const notes: Array<Note> = []
  if (runs < 2) {
    notes.push({
      code: "one_run",
      message: "One run shows no spread: run the same tasks again (`runs: 3`), or give several runs."
    })
  } else if (tasks === 0) {
    notes.push({
      code: "no_shared_tasks",
      message: "No task has a figure in every run, so the runs cannot be held against each other."
    })
  }
  const broken = loaded.reduce((sum, one) => sum + one.broken.lines, 0)
  if (broken > 0)
    notes.push({ code: "broken_lines", message: `${Words.count(broken, "line")} could not be read and were left out.` })
  return notes
}
