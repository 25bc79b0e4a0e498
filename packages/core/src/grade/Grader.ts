/**
 * The grader contract: a function of a row, and what its answers become.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Deadline from "../time/Deadline.ts"
import type { Identity } from "../model/Identity.ts"
import type { JudgeStatus, PriorVerdict, Row } from "../row/Row.ts"
import type { Tool } from "../task/Tool.ts"
import type { ToolSet } from "../task/ToolSet.ts"
import type { Privileged } from "../task/Task.ts"
import * as CallerEffects from "../task/internal/callerEffects.ts"
import type { Service as Language } from "../language/Language.ts"
import * as Conduct from "./Conduct.ts"
import * as Outcome from "./Outcome.ts"
import { causeText, without } from "./internal/answer.ts"
import { calling } from "./internal/calling.ts"
import { withoutGold } from "./internal/gold.ts"

/**
 * What a grader may look at beside the row.
 * @since 0.1.0
 * @category models
 */
export interface GraderContext {
  readonly tools: ToolSet
  readonly systemPrompt: string
  /** Gold answers and the like: never written anywhere. */
  readonly privileged: Privileged
  /** The world at the end of the rollout, when there was one. */
  readonly outcome: { readonly writes: ReadonlyArray<unknown>; readonly state: unknown } | null
  readonly locale: string
  /** The run's own language, where it is none that is built in. */
  readonly language?: Language
}

/**
 * What a grader says of a row.
 * @since 0.1.0
 * @category models
 */
export interface Verdict {
  /** In [0, 1]; null when there is none, never a silent 0. */
  readonly reward: number | null
  readonly status: JudgeStatus
  readonly reason?: string
  readonly failureClass?: string
  readonly markers?: Readonly<Record<string, number | null>>
  /** Goes to the row's `judge_meta`. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The grader's model refused for good, so that no further row will fare better. Not written to the row. */
  readonly refused?: "auth" | "quota"
}

/**
 * Who grades, as rows record it.
 * @since 0.1.0
 * @category models
 */
export interface GraderIdentity {
  readonly name: string
  readonly kind: "rule" | "model" | "human"
  /** The judge's declared model, if any. */
  readonly model: string | null
  readonly version: string | null
  /** Whether this is the conduct ladder: its rewards get `label_source: "conduct"`. */
  readonly conduct: boolean
}

/**
 * A grader that is ready.
 * @since 0.1.0
 * @category models
 */
export interface Service extends GraderIdentity {
  /** Who judges by provider, endpoint and model, to tell whether it is the agent's own model; by `model` when left out. */
  readonly identity?: Identity
  /** Never fails and never dies: what goes wrong is a verdict without a reward. */
  readonly grade: (row: Row, context: GraderContext) => Effect.Effect<Verdict>
  /** Lets the grading of a row wait for its turn, where only so many go at once: a row's limit of time begins after it. */
  readonly admit?: <A, E, R>(grading: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Lowest and highest rating of a scale; mapped linearly to [0, 1].
 * @since 0.1.0
 * @category models
 */
export type Scale = readonly [low: number, high: number]

/**
 * What a caller's function is given beside the row: the context, and a signal that fires when nobody waits any more.
 * @since 0.1.0
 * @category models
 */
export interface FunctionContext extends Omit<GraderContext, "tools"> {
  /** Frozen copies. */
  readonly tools: ReadonlyArray<Tool>
  readonly signal: AbortSignal
}

export type { Given } from "../task/internal/callerEffects.ts"

/**
 * A caller's grader: sync, a Promise or an Effect, of a boolean, a number in [0, 1] (or on the scale), or an object with
 * `reward` or `score` and, if wanted, `reason`, `markers`, `failure_class` and anything else for `judge_meta`.
 * @since 0.1.0
 * @category models
 */
export type GradeFunction<R = never> = (row: Row, context: FunctionContext) => CallerEffects.Given<R>

/**
 * A grader of the caller's, with what is known of it.
 * @since 0.1.0
 * @category models
 */
export interface Options<R = never> {
  readonly name: string
  readonly grade: GradeFunction<R>
  readonly kind?: GraderIdentity["kind"]
  /** The model that judges, when one does. */
  readonly model?: string
  readonly identity?: Identity
  readonly version?: string
  /** The ratings the function answers with, when they are not in [0, 1]; the rating is kept in `judge_meta.rating`. */
  readonly scale?: Scale
}

/**
 * Where a reward came from: the word in a row's `label_source`, absent on rows without a reward.
 * @since 0.1.0
 * @category models
 */
export type LabelSource = "conduct" | "grader" | "human"

/**
 * The grader of a run; none by default: there is no default reward.
 * @since 0.1.0
 * @category services
 */
export class Grader extends Context.Reference<Grader>()("@sandtable/core/Grader", {
  defaultValue: (): Option.Option<Service> => Option.none()
}) {}

/**
 * A grader from a function. Its row and context are its own: what it does to them reaches nobody, and a reference that was
 * given for the row is written nowhere by its answer: `[reference]` stands in its place. A scale whose ends are not finite and in order is a mistake of
 * the caller and throws a `RangeError` here, before any row is graded.
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options | GradeFunction): Service => {
  const service = calling(typeof options === "function" ? named(options) : options)
  return {
    ...service,
    grade: (row, context) => {
      const verdict = service.grade(row, context)
      const { reference } = context.privileged
      return reference === undefined ? verdict : Effect.map(verdict, (verdict) => withoutGold(verdict, reference))
    }
  }
}

/**
 * A grader whose function answers by Effects that need services: they are taken now. What such an Effect fails with or dies
 * of is a verdict without a reward.
 * @since 0.1.0
 * @category constructors
 */
export const makeEffect = <R = never>(options: Options<R> | GradeFunction<R>): Effect.Effect<Service, never, R> => {
  // Its Effects are given what they need around the whole verdict.
  const service = make(options as Options | GradeFunction)
  return Effect.map(CallerEffects.capture<R>(), (captured) => ({
    ...service,
    grade: (row: Row, context: GraderContext) => CallerEffects.provide(service.grade(row, context), captured)
  }))
}

/**
 * The grader with a limit per row, in seconds: what takes longer is interrupted (its AbortSignal fires) and gets a
 * verdict with status `timeout`; what a service dies of is an `error` verdict. Time in which somebody else blocked the
 * event loop is not charged.
 * @since 0.1.0
 * @category functions
 */
export const withTimeout = ({ admit = identity, ...service }: Service, seconds: number): Service => ({
  ...service,
  grade: (row, context) =>
    service.grade(row, context).pipe(
      Effect.catchAllCause((cause) => Effect.succeed(without("error", causeText(cause)))),
      Deadline.within(seconds),
      Effect.catchAll(() => Effect.succeed(without("timeout", `no verdict within ${seconds} s`))),
      admit
    )
})

/**
 * A grader from a function or its options, as the grader of a run; the services it needs are taken when the layer is built.
 * @since 0.1.0
 * @category layers
 */
export const layer = <R = never>(options: Options<R> | GradeFunction<R>): Layer.Layer<never, never, R> =>
  Layer.effect(Grader, Effect.map(makeEffect(options), Option.some))

/**
 * Rows are graded by this service.
 * @since 0.1.0
 * @category layers
 */
export const layerService = (service: Service): Layer.Layer<never> => Layer.succeed(Grader, Option.some(service))

/**
 * The conduct ladder as the grader of a run: it steers the search as any grader does.
 * @since 0.1.0
 * @category layers
 */
export const layerConduct: Layer.Layer<never> = layerService(Conduct.service)

/**
 * The outcome checklist: conduct times what the situation demands.
 * @since 0.1.0
 * @category constants
 */
export const outcome: Service = Outcome.service

/**
 * Rows are graded by what came about in the world.
 * @since 0.1.0
 * @category layers
 */
export const layerOutcome: Layer.Layer<never> = layerService(outcome)

/**
 * A grader that gives no verdict, for tests to fill in.
 * @since 0.1.0
 * @category layers
 */
export const layerNoop = (partial: Partial<Service> = {}): Layer.Layer<never> =>
  layerService({
    name: "noop",
    kind: "rule",
    model: null,
    version: null,
    conduct: false,
    grade: () => Effect.succeed(without("error", "this grader was given nothing to grade with")),
    ...partial
  })

/**
 * One scoring pass over rows.
 * @since 0.1.0
 * @category models
 */
export interface Pass {
  readonly grader: GraderIdentity
  /** Null for the conduct grade inside a run, which is as reproducible as the run. */
  readonly scoringRunId: string | null
}

/**
 * The row with a verdict: an earlier verdict is kept in `lineage.prior` (of a row without lineage in `prior_verdict`), and the id
 * of the pass before as `prior_scoring_run_id`.
 * `judge_meta` always names the grader and its model or null.
 * @since 0.1.0
 * @category functions
 */
export const apply = (row: Row, verdict: Verdict, { grader, scoringRunId }: Pass): Row => ({
  ...withoutVerdict(row),
  reward: verdict.reward,
  ...(verdict.reason !== undefined && { reason: verdict.reason }),
  ...(verdict.reward !== null && { label_source: labelSource(grader) }),
  judge_name: grader.name,
  judge_status: verdict.status,
  judge_meta: judgeMeta(verdict.meta, grader),
  ...(verdict.failureClass !== undefined && { failure_class: verdict.failureClass }),
  ...(verdict.markers !== undefined && { markers: verdict.markers }),
  ...passed(row, scoringRunId)
})

/**
 * The row without any verdict; what it had is kept as `apply` keeps it.
 * @since 0.1.0
 * @category functions
 */
export const cleared = (row: Row): Row => ({
  ...withoutVerdict(row),
  reward: null,
  ...passed(row, null)
})

/**
 * The row with further markers beside those it has.
 * @since 0.1.0
 * @category functions
 */
export const mark = (row: Row, markers: Readonly<Record<string, number | null>>): Row => ({
  ...row,
  markers: { ...row.markers, ...markers }
})

/**
 * Whether a verdict is a failure that steers the search: a reward under one half. Null never is.
 * @since 0.1.0
 * @category functions
 */
export const isGradedFailure = (reward: number | null | undefined): boolean =>
  typeof reward === "number" && reward < 0.5

/**
 * Whether a row is to be graded: one cut by the length cap is not, unless asked.
 * @since 0.1.0
 * @category functions
 */
export const isGradable = (row: Row, gradeTruncated: boolean): boolean =>
  gradeTruncated || row.finish_reason !== "length"

/**
 * The verdict of a row that was not graded because the grader's model had refused for good before.
 * @since 0.1.0
 * @category functions
 */
export const unasked = ({ meta }: Verdict): Verdict =>
  without(
    "error",
    `the grader was not asked, after ${typeof meta["cause"] === "string" ? meta["cause"] : "its model refused"}`
  )

/**
 * Who a grader is to a `SameModelDetector`.
 * @since 0.1.0
 * @category functions
 */
export const identityOf = ({ identity, model, name }: Service): Identity =>
  identity ?? { name: model ?? name, ...(model === null ? {} : { model }) }

/**
 * A fresh id of a scoring pass, `score_` and 12 hex digits; it names the pass and decides nothing.
 * @since 0.1.0
 * @category functions
 */
export const newScoringRunId: Effect.Effect<string> = Effect.map(
  Effect.all([Random.nextIntBetween(0, 0x1000000), Random.nextIntBetween(0, 0x1000000)]),
  (halves) => `score_${halves.map((half) => half.toString(16).padStart(6, "0")).join("")}`
)

const named = (grade: GradeFunction): Options => ({ name: grade.name === "" ? "grader" : grade.name, grade })

const labelSource = (grader: GraderIdentity): LabelSource =>
  grader.conduct ? "conduct" : grader.kind === "human" ? "human" : "grader"

/** The grader's own words come last: a key of the same name in an answer is kept under `answered`. */
const judgeMeta = (meta: Verdict["meta"], { name, kind, model, version }: GraderIdentity): Record<string, unknown> => {
  // A function that judges by a model of its own may say so in its answer.
  const declared = model ?? (typeof meta["model"] === "string" ? meta["model"] : null)
  const identity = { model: declared, name, kind, version }
  const shadowed = Object.entries(meta).filter(
    ([key, value]) => Object.hasOwn(identity, key) && value !== identity[key as keyof typeof identity]
  )
  return { ...meta, ...identity, ...(shadowed.length > 0 && { answered: Object.fromEntries(shadowed) }) }
}

const verdictKeys = [
  "reward",
  "reason",
  "label_source",
  "judge_name",
  "judge_status",
  "judge_meta",
  "failure_class",
  "markers"
] as const

const isVerdictKey: ReadonlySet<string> = new Set(verdictKeys)

const withoutVerdict = (row: Row): Row => {
  if (row.judge_status === undefined && row.reward === undefined) return row
  const kept = Object.entries(row).filter(([key]) => !isVerdictKey.has(key))
  return Object.fromEntries(kept) as Row
}

/** What a later pass leaves of the verdicts before it. */
const passed = (row: Row, scoringRunId: string | null): Pick<Row, "lineage" | "prior_verdict"> => {
  const prior = priorOf(row)
  if (row.lineage === undefined) return prior === undefined ? {} : { prior_verdict: prior }
  const { scoring_run_id: before, ...rest } = row.lineage
  return {
    lineage: {
      ...rest,
      ...(scoringRunId !== null && { scoring_run_id: scoringRunId }),
      ...(before !== undefined && { prior_scoring_run_id: before }),
      ...(prior !== undefined && { prior })
    }
  }
}

/** The verdict a row has; of a row without a reward, the last one that was kept. */
const priorOf = (row: Row): PriorVerdict | undefined => {
  const { lineage, reward } = row
  if (typeof reward !== "number") return lineage?.prior ?? row.prior_verdict
  const told = verdictKeys.filter((key) => row[key] !== undefined).map((key) => [key, row[key]])
  return {
    ...Object.fromEntries(told),
    reward,
    ...(lineage?.scoring_run_id !== undefined && { scoring_run_id: lineage.scoring_run_id })
  }
}
