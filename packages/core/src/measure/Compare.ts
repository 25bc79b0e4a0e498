/**
 * Two sides of rows, paired by task: means, their difference with its interval over tasks, and a permutation p.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../row/RowFileError.ts"
import * as Comparability from "./internal/comparability.ts"
import { nameOfMetric, passMetric } from "./internal/figures.ts"
import * as PassOption from "./internal/passOption.ts"
import * as Pairing from "./internal/pairing.ts"
import * as SideNotes from "./internal/sideNotes.ts"
import * as Tasks from "./internal/tasks.ts"
import * as Words from "./internal/words.ts"
import type { InMemory, Interval, InvalidMeasure, Metric, Note, Source } from "./Measured.ts"
import * as Statistics from "./Statistics.ts"

/**
 * How two runs are compared.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `pass_at_1` by default. */
  readonly metric?: Metric | ReadonlyArray<Metric>
  /** What was changed on purpose; what a `tasks` replay recorded of itself when left out. */
  readonly changed?: string | ReadonlyArray<string>
  /** Arms whose rows are left out. */
  readonly exclude?: ReadonlyArray<string>
  /** The least reward of a pass (1), for `pass_at_1`. */
  readonly passAt?: number
  /** Seed of the draws (0). */
  readonly seed?: number
}

/**
 * Plain JSON: `b` against `a`.
 * @since 0.1.0
 * @category models
 */
export interface Comparison {
  /** Tasks on both sides, and on one alone (dropped). */
  readonly tasks: number
  readonly only_a: number
  readonly only_b: number
  readonly metrics: ReadonlyArray<Difference>
  /** What is under test. */
  readonly changed: ReadonlyArray<string>
  /** Why the sides cannot be compared; empty when they can. */
  readonly causes: ReadonlyArray<Note>
  readonly notes: ReadonlyArray<Note>
}

/**
 * The difference of one metric between two runs.
 * @since 0.1.0
 * @category models
 */
export interface Difference {
  readonly metric: string
  /** Tasks with the figure on both sides, of all that both sides have. */
  readonly tasks: number
  readonly tasks_of: number
  /** Rows behind it: of a, and of b. */
  readonly rows: readonly [number, number]
  readonly a: number | null
  readonly b: number | null
  /** b - a, with its interval over tasks. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** Where the interval is null and the figure is a rate: what the rule of three leaves possible. */
  readonly bound: Interval | null
  /** Sign-flip permutation, two-sided; and corrected for the number of metrics (Holm). */
  readonly p: number | null
  readonly p_holm: number | null
  /** Standard deviation of the tasks' differences: what sizing needs. */
  readonly sd: number | null
  /** `higher` and `lower` tell where b stands, when the interval is clear of 0. */
  readonly decision: "higher" | "lower" | "no_change_detected" | "insufficient_data" | "not_measured"
  /** The smallest difference that these tasks would have shown four times in five; null where nothing tells. */
  readonly detectable: number | null
}

/**
 * Under this many shared tasks nothing is decided.
 * @since 0.1.0
 * @category constants
 */
export const fewestShared = 5

/**
 * Compares two sides of rows by the tasks they share; at once when both are in memory, else as an effect that streams the
 * files. There is one rule: a metric is higher or lower when the interval of its paired difference is clear of 0. Throws
 * (for files: fails with) `InvalidMeasure` for a `passAt` that is none.
 * @since 0.1.0
 * @category functions
 */
export const compare: {
  (a: InMemory, b: InMemory, options?: Options): Comparison
  (a: string, b: Source, options?: Options): Streamed
  (a: Source, b: string, options?: Options): Streamed
} = ((a: Source, b: Source, options: Options = {}) => {
  const problem = PassOption.problemOf(options.passAt)
  if (problem !== null) {
    if (typeof a === "string" || typeof b === "string") return Effect.fail(problem)
    throw problem
  }
  const given = options.metric ?? passMetric
  const metrics = typeof given === "string" || "of" in given ? [given] : given
  return Pairing.withSides(a, b, { metrics, exclude: options.exclude ?? [], passAt: options.passAt }, (pairing) =>
    compared(pairing, metrics, options)
  )
}) as typeof compare

/**
 * A comparison of files, which are streamed.
 * @since 0.1.0
 * @category models
 */
export type Streamed = Effect.Effect<Comparison, RowFileError | InvalidMeasure, FileSystem.FileSystem>

/**
 * A line for each metric, and one for each thing to know.
 * @since 0.1.0
 * @category functions
 */
export const render = (comparison: Comparison): string => {
  const { causes, changed, metrics, notes, tasks } = comparison
  return [
    `${Words.count(tasks, "shared task")}${changed.length === 0 ? "" : `, under test: ${changed.join(", ")}`}`,
    ...metrics.map(line),
    ...[...causes, ...notes].map(({ message }) => `- ${message}`)
  ].join("\n")
}

/**
 * A metric in one line.
 * @since 0.1.0
 * @category functions
 */
export const line = (difference: Difference): string => {
  const { a, b, interval, metric, p, rows, tasks, tasks_of } = difference
  if (a === null || b === null || difference.difference === null) return `${Words.metric(metric)}: not on both sides`
  const show = Words.figure(metric)
  const from = `${show.value(a)} to ${show.value(b)}`
  const within = interval === null ? "" : ` [${show.change(interval[0])}, ${show.change(interval[1])}]`
  const chance = p === null ? "" : `, p ${Words.probability(p)}`
  const holm =
    difference.p_holm === null || difference.p_holm === p ? "" : ` (Holm ${Words.probability(difference.p_holm)})`
  return `${Words.metric(metric)}: ${from}, ${show.change(difference.difference)}${show.unit}${within}${chance}${holm}, ${Words.of(tasks, tasks_of, "task")}, ${rowsOf(rows)}: ${decisions[difference.decision]}`
}

const rowsOf = ([a, b]: Difference["rows"]): string =>
  a === b ? `${Words.count(a, "row")} a side` : `${a} and ${Words.count(b, "row")}`

const decisions: Readonly<Record<Difference["decision"], string>> = {
  higher: "higher",
  lower: "lower",
  no_change_detected: "no change detected",
  insufficient_data: "too few tasks to tell",
  not_measured: "not measured"
}

const compared = (pairing: Pairing.Pairing, metrics: ReadonlyArray<Metric>, options: Options): Comparison => {
  const { causes, declared, notes } = Comparability.judge(pairing, options.changed, null)
  const differences = differencesOf(pairing, metrics, options.seed ?? 0)
  return {
    tasks: pairing.shared,
    only_a: pairing.onlyA,
    only_b: pairing.onlyB,
    metrics: differences,
    changed: declared.changed,
    causes,
    notes: [
      ...notes,
      ...SideNotes.of(pairing),
      ...SideNotes.halfCredit(pairing, metrics, "metric"),
      ...SideNotes.partly(pairing.shared, differences)
    ]
  }
}

/**
 * The difference in each metric, in their order.
 * @since 0.1.0
 * @category functions
 */
export const differencesOf = (
  pairing: Pairing.Pairing,
  metrics: ReadonlyArray<Metric>,
  seed: number
): ReadonlyArray<Difference> => {
  const found = metrics.map((metric, i) => ({
    ...differenceIn(Pairing.pairedMeans(pairing, i), nameOfMetric(metric), seed),
    tasks_of: pairing.shared
  }))
  const corrected = Statistics.holm(found.map(({ p }) => p))
  return found.map((difference, i) => ({ ...difference, p_holm: corrected[i] ?? null }))
}

const differenceIn = (paired: Pairing.Paired, metric: string, seed: number): Omit<Difference, "tasks_of"> => {
  const found = Pairing.differenceOf(paired, seed)
  const { mean: difference, n, sd } = found
  const inUnit = (values: Float64Array): boolean => values.every((value) => value >= 0 && value <= 1)
  const isRate = inUnit(paired.a) && inUnit(paired.b)
  const equal = found.method === "all_equal" && difference !== null
  const limit = (x: number): number => (isRate ? Math.max(-1, Math.min(1, x)) : x)
  const interval: Interval | null =
    found.interval === null ? null : [limit(found.interval[0]), limit(found.interval[1])]
  const p = n < fewestShared ? null : found.p
  return {
    metric,
    tasks: n,
    rows: paired.rows,
    a: meanOf(paired.a),
    b: meanOf(paired.b),
    difference,
    interval,
    bound: equal && isRate ? boundOf(difference, n) : null,
    p,
    p_holm: null,
    sd,
    decision: paired.measured.every(Boolean) ? decide(n, difference, interval, p) : "not_measured",
    detectable: detectableOf(n, sd, isRate)
  }
}

/** Where all tasks differ by the same amount there is no interval, and the permutation p decides. */
const decide = (
  n: number,
  difference: number | null,
  interval: Interval | null,
  p: number | null
): Difference["decision"] => {
  if (n < fewestShared || difference === null) return "insufficient_data"
  const clear = interval === null ? p !== null && p <= 0.05 : interval[0] > 0 || interval[1] < 0
  return !clear || difference === 0 ? "no_change_detected" : difference > 0 ? "higher" : "lower"
}

/** At most 3/n of all tasks differ otherwise (rule of three), and by no more than 1. */
const boundOf = (difference: number, n: number): Interval | null =>
  n <= 3 ? null : [difference - (3 / n) * (1 + difference), difference + (3 / n) * (1 - difference)]

const detectableOf = (n: number, sd: number | null, isRate: boolean): number | null => {
  if (n < fewestShared || sd === null) return null
  if (sd === 0) return isRate ? Math.min(1, 3 / n) : null
  return ((Statistics.z95 + Statistics.normalQuantile(0.8)) * sd) / Math.sqrt(n)
}

const meanOf = (values: Float64Array): number | null => (values.length === 0 ? null : Tasks.meanOf(values.slice()))
