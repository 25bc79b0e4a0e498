/**
 * Did the change help? One verdict on two evaluations, that separates a change from re-run noise and refuses to compare
 * what cannot be compared.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../row/RowFileError.ts"
import * as Compare from "./Compare.ts"
import * as Comparability from "./internal/comparability.ts"
import * as DeltaWords from "./internal/deltaWords.ts"
import { nameOfMetric, passMetric } from "./internal/figures.ts"
import * as PassOption from "./internal/passOption.ts"
import * as Pairing from "./internal/pairing.ts"
import * as Runs from "./internal/runs.ts"
import * as SideNotes from "./internal/sideNotes.ts"
import { InvalidMeasure, type InMemory, type Metric, type Note, type Source } from "./Measured.ts"
import * as NoiseBand from "./NoiseBand.ts"

/**
 * Every verdict of a report.
 * @since 0.1.0
 * @category constants
 */
export const verdicts = [
  "improved",
  "regressed",
  "improved_unreplicated",
  "regressed_unreplicated",
  "within_noise",
  "no_change_detected",
  "not_comparable",
  "insufficient_data",
  "target_not_measured"
] as const

/**
 * What a report says of the change.
 * @since 0.1.0
 * @category models
 */
export type Verdict = (typeof verdicts)[number]

/**
 * How a change is reported.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `pass_at_1` by default. */
  readonly target?: Metric
  /** Figures that a change must leave as good as they were. */
  readonly mustNotRegress?: ReadonlyArray<Metric>
  /** Names of the metrics of which less is better. */
  readonly lowerIsBetter?: ReadonlyArray<string>
  /** What was changed on purpose; what a `tasks` replay recorded of itself when left out. */
  readonly changed?: string | ReadonlyArray<string>
  /** The standard deviation of a run's mean between runs, where it is known beforehand: of the target, or by metric. */
  readonly spread?: number | Readonly<Record<string, number>>
  /** Arms whose rows are left out. */
  readonly exclude?: ReadonlyArray<string>
  /** The least reward of a pass (1), for `pass_at_1`. */
  readonly passAt?: number
  /** Seed of the draws (0). */
  readonly seed?: number
}

/**
 * Plain JSON.
 * @since 0.1.0
 * @category models
 */
export interface DeltaReport {
  readonly verdict: Verdict
  /** The verdict in a sentence, and what to do where it is none. */
  readonly because: string
  /** Why it is `not_comparable`; empty otherwise. */
  readonly causes: ReadonlyArray<Note>
  readonly target: MetricDelta
  readonly must_not_regress: ReadonlyArray<MetricDelta>
  /** What is under test. */
  readonly changed: ReadonlyArray<string>
  /** Tasks on both sides, and on one alone (dropped). */
  readonly tasks: number
  readonly only_before: number
  readonly only_after: number
  readonly notes: ReadonlyArray<Note>
}

/**
 * `a` is before, `b` is after.
 * @since 0.1.0
 * @category models
 */
export interface MetricDelta extends Compare.Difference {
  readonly better: "higher" | "lower"
  readonly verdict: Exclude<Verdict, "not_comparable">
  /** What re-run noise stays within; null where no floor is known. */
  readonly band: number | null
  /** Standard deviation between the runs of a side, pooled, or as given. */
  readonly run_std: number | null
  /** Eval runs of each side. */
  readonly runs: readonly [number, number]
}

/**
 * Holds `after` against `before`; at once when both are in memory, else as an effect that streams the files. Throws (for
 * files: fails with) `InvalidMeasure` for a spread that is none.
 * @since 0.1.0
 * @category functions
 */
export const deltaReport: {
  (before: InMemory, after: InMemory, options?: Options): DeltaReport
  (before: string, after: Source, options?: Options): Streamed
  (before: Source, after: string, options?: Options): Streamed
} = ((before: Source, after: Source, options: Options = {}) => {
  const problem = problemOf(options)
  if (problem !== null) {
    if (typeof before === "string" || typeof after === "string") return Effect.fail(problem)
    throw problem
  }
  const metrics = [options.target ?? passMetric, ...(options.mustNotRegress ?? [])]
  return Pairing.withSides(
    before,
    after,
    { metrics, exclude: options.exclude ?? [], passAt: options.passAt },
    (pairing) => reportOf(pairing, metrics, options)
  )
}) as typeof deltaReport

/**
 * A report of files, which are streamed.
 * @since 0.1.0
 * @category models
 */
export type Streamed = Effect.Effect<DeltaReport, RowFileError | InvalidMeasure, FileSystem.FileSystem>

/**
 * The report as a person reads it.
 * @since 0.1.0
 * @category functions
 */
export const render: (report: DeltaReport) => string = DeltaWords.render

const problemOf = ({ passAt, spread }: Options): InvalidMeasure | null => {
  const given = spread === undefined ? [] : typeof spread === "number" ? [spread] : Object.values(spread)
  const odd = given.find((std) => !(std >= 0 && std < Infinity))
  if (odd === undefined) return PassOption.problemOf(passAt)
  return new InvalidMeasure({ option: "spread", problem: `is ${odd}`, fix: "Give a standard deviation from 0." })
}

const reportOf = (pairing: Pairing.Pairing, metrics: ReadonlyArray<Metric>, options: Options): DeltaReport => {
  const lower = new Set(options.lowerIsBetter)
  const differences = Compare.differencesOf(pairing, metrics, options.seed ?? 0)
  const deltas = differences.map((difference, i): MetricDelta => {
    const noise = noiseOf(pairing, i, spreadOf(options, nameOfMetric(metrics[i] ?? passMetric), i === 0))
    const better = lower.has(difference.metric) ? "lower" : "higher"
    return { ...difference, better, ...noise, verdict: verdictOf(difference, better, noise.band) }
  })
  const [target, ...guards] = deltas as [MetricDelta, ...Array<MetricDelta>]
  const { causes, declared, notes } = Comparability.judge(pairing, options.changed, ofShares(target))
  const report: Omit<DeltaReport, "because"> = {
    verdict: causes.length > 0 ? "not_comparable" : overall(target, guards),
    causes,
    target,
    must_not_regress: guards,
    changed: declared.changed,
    tasks: pairing.shared,
    only_before: pairing.onlyA,
    only_after: pairing.onlyB,
    notes: [
      ...notes,
      ...SideNotes.of(pairing, ["before", "after"]),
      ...SideNotes.halfCredit(pairing, metrics, "target", ["before", "after"]),
      ...SideNotes.partly(pairing.shared, deltas),
      ...unmeasured(guards)
    ]
  }
  return { ...report, because: DeltaWords.because(report) }
}

/** The band of tokens or seconds is none of shares. */
const ofShares = ({ band, metric }: MetricDelta): number | null => (metric === passMetric ? band : null)

/** What a guard lost outweighs what the target gained. */
const overall = (target: MetricDelta, guards: ReadonlyArray<MetricDelta>): Verdict => {
  const { verdict } = target
  if (verdict === "target_not_measured" || verdict === "insufficient_data" || verdict === "regressed") return verdict
  const lost = new Set(guards.map((guard) => guard.verdict))
  if (lost.has("regressed")) return "regressed"
  return lost.has("regressed_unreplicated") ? "regressed_unreplicated" : verdict
}

const verdictOf = (
  { decision, difference }: Compare.Difference,
  better: MetricDelta["better"],
  band: number | null
): MetricDelta["verdict"] => {
  switch (decision) {
    case "not_measured":
      return "target_not_measured"
    case "insufficient_data":
    case "no_change_detected":
      return decision
    default: {
      const gained = decision === better
      if (band === null) return gained ? "improved_unreplicated" : "regressed_unreplicated"
      if (Math.abs(difference ?? 0) < band) return "within_noise"
      return gained ? "improved" : "regressed"
    }
  }
}

const spreadOf = ({ spread }: Options, metric: string, isTarget: boolean): number | undefined => {
  if (typeof spread === "number") return isTarget ? spread : undefined
  return spread !== undefined && Object.hasOwn(spread, metric) ? spread[metric] : undefined
}

/** The noise floor of a metric: from the spread given, or from the runs of both sides when each has two. */
const noiseOf = (
  { a, b }: Pairing.Pairing,
  metric: number,
  given: number | undefined
): Pick<MetricDelta, "band" | "run_std" | "runs"> => {
  const means = [a, b].map(({ table, tasks }) => {
    const runs = Runs.evalRuns(table)
    return { count: runs.length, ...Runs.meansOf(runs, { metric, among: () => tasks }) }
  })
  const runs: readonly [number, number] = [means[0]?.count ?? 0, means[1]?.count ?? 0]
  if (given !== undefined) {
    const least: readonly [number, number] = [Math.max(1, runs[0]), Math.max(1, runs[1])]
    return { band: NoiseBand.noiseBand({ std: given, runs: least }), run_std: given, runs }
  }
  const sets = means.map((side) => side.means.filter((mean) => mean !== null))
  const spread = sets.every((set) => set.length >= 2) ? NoiseBand.pooledSpread(...sets) : null
  if (spread === null) return { band: null, run_std: null, runs }
  return { band: NoiseBand.noiseBand({ ...spread, runs }), run_std: spread.std, runs }
}

const unmeasured = (guards: ReadonlyArray<MetricDelta>): ReadonlyArray<Note> =>
  guards.flatMap(({ metric, verdict }) =>
    verdict === "target_not_measured" || verdict === "insufficient_data"
      ? [
          {
            code: "guard_not_measured",
            message: `Nothing can be said of ${metric}, which must not regress: ${verdict === "insufficient_data" ? "too few tasks have it on both sides" : "a side has no figure of it"}.`
          }
        ]
      : []
  )
