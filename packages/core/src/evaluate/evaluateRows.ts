/**
 * Rows of whatever origin held against a list of asks, by exactly one grader: the given one, or the one that has graded
 * them already.
 */
import * as Effect from "effect/Effect"
import * as Grader from "../grade/Grader.ts"
import * as ScoringPass from "../grade/ScoringPass.ts"
import { InvalidOptions, type OptionIssue } from "../options/InvalidOptions.ts"
import * as PassMark from "../row/PassMark.ts"
import type { Row } from "../row/Row.ts"
import type { RunMeta } from "../report/RunMeta.ts"
import * as Evaluating from "./evaluating.ts"
import { tableOf } from "./evaluationTable.ts"

export interface Settings extends Pick<ScoringPass.Options, "concurrency" | "runId" | "gradeTruncated" | "timeout"> {
  readonly evalSet: Evaluating.EvalSet
  /** Grades the rows of the list anew; without one the verdicts they have are taken. */
  readonly grader?: Grader.Service | Grader.GradeFunction
  /** Rollouts each ask should have; when left out what the run was asked for, else the most any ask has. */
  readonly repeats?: number
  /** The least reward of a pass (1). */
  readonly passAt?: number
}

/**
 * How a list of asks did.
 * @since 0.1.0
 * @category models
 */
export interface Evaluated {
  /** One for each ask, in the order of the list, the missing ones too. */
  readonly asks: ReadonlyArray<Evaluating.AskResult>
  readonly totals: Evaluating.Totals
  /** Who graded. */
  readonly grader: Pick<Grader.GraderIdentity, "name" | "model" | "version">
  /** The rows of the list's asks, graded. */
  readonly rows: ReadonlyArray<Row>
  /** Why the run ended; null where that is not known. */
  readonly stopped_because: string | null
  /** As a table for people. */
  readonly table: () => string
}

/** Where the rows come from, as far as that is known. */
export interface Origin {
  readonly rows: ReadonlyArray<Row>
  readonly meta: RunMeta | null
  readonly lost: ReadonlyArray<Evaluating.LostRollout> | null
}

export const evaluateRows = Effect.fn("Evaluation.evaluate")(function* (settings: Settings, origin: Origin) {
  const listed = [...Evaluating.issuesOf(settings.evalSet), ...markIssues(settings)]
  if (listed.length > 0) return yield* InvalidOptions.of(listed)
  const asks = Evaluating.asksOf(settings.evalSet)
  const given = settings.grader
  const grader = typeof given === "function" ? Grader.make(given) : given
  const earlier = grader === undefined ? gradersOf(origin.rows) : []
  const [only] = earlier
  if (grader === undefined && (only === undefined || earlier.length > 1)) {
    return yield* InvalidOptions.of([notOne(earlier.map(({ name }) => name))])
  }
  const rows = grader === undefined ? origin.rows : yield* graded(asks, grader, settings, origin)
  return evaluated({
    ...origin,
    rows,
    asks,
    repeats: settings.repeats ?? askedFor(origin.meta),
    passAt: settings.passAt,
    grader: grader ?? only
  })
})

export const evaluated = (parts: {
  readonly asks: ReadonlyArray<Evaluating.EvalAsk>
  readonly rows: ReadonlyArray<Row>
  readonly meta: RunMeta | null
  readonly lost: Origin["lost"]
  readonly repeats: number | null
  readonly passAt: number | undefined
  readonly grader: Evaluated["grader"] | undefined
}): Evaluated => {
  const { asks, own, totals } = Evaluating.resultsOf(parts.asks, parts.rows, parts)
  const { name, model, version } = parts.grader ?? { name: "nobody", model: null, version: null }
  return {
    asks,
    totals,
    grader: { name, model, version },
    rows: own,
    stopped_because: parts.meta?.stopped_because ?? null,
    table: () => tableOf(asks, totals, name)
  }
}

/** k as the run resolved it, over all its eval runs; null where an ask may have had fewer on purpose. */
export const askedFor = (meta: RunMeta | null): number | null => {
  const { repeat_policy: policy, rollouts_per_request: repeats, runs } = meta?.options ?? {}
  if (typeof repeats !== "number" || (policy !== "fixed" && policy !== "none")) return null
  return repeats * (typeof runs === "number" ? runs : 1)
}

export const markIssues = ({ passAt }: Pick<Settings, "passAt">): ReadonlyArray<OptionIssue> =>
  passAt === undefined || PassMark.isMark(passAt)
    ? []
    : [{ option: "passAt", problem: `is ${JSON.stringify(passAt)}`, fix: PassMark.fix }]

export const notOne = (names: ReadonlyArray<string>): OptionIssue =>
  names.length === 0
    ? {
        option: "grader",
        problem: "is not given, and no row has a verdict: nobody says how an ask scored",
        fix: "Give one grader: a function, a verifier or a judge."
      }
    : {
        option: "grader",
        problem: `is not given, and the rows have verdicts of several: ${names.join(", ")}`,
        fix: "Give the one grader to grade them all by."
      }

/** Only what belongs to the list is graded; the reference of an ask goes to its rows. */
const graded = (
  asks: ReadonlyArray<Evaluating.EvalAsk>,
  grader: Grader.Service,
  { concurrency, gradeTruncated, runId, timeout }: Settings,
  { meta, rows }: Origin
): Effect.Effect<ReadonlyArray<Row>> => {
  const matching = new Evaluating.Matching(asks, rows)
  const askOf = new Map(
    rows.flatMap((row) => {
      const at = matching.of(row)
      return at === undefined ? [] : [[row, asks[at]] as const]
    })
  )
  const pass = ScoringPass.grade([...askOf.keys()], grader, {
    ...(meta !== null && ScoringPass.surroundingsOf(meta)),
    ...(concurrency !== undefined && { concurrency }),
    ...(gradeTruncated !== undefined && { gradeTruncated }),
    ...(runId !== undefined && { runId }),
    ...(timeout !== undefined && { timeout }),
    references: (row) => askOf.get(row)?.reference,
    expected: (row) => askOf.get(row)?.expected
  })
  return Effect.map(pass, (pass) => {
    const verdicts = new Map([...askOf.keys()].map((row, i) => [row, pass.rows[i] ?? row]))
    return rows.map((row) => verdicts.get(row) ?? row)
  })
}

/** The distinct graders of rows. */
export const gradersOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Evaluated["grader"]> => {
  const found = new Map<string, Evaluated["grader"]>()
  for (const { judge_meta: meta, judge_name: name } of rows) {
    if (name === undefined) continue
    const text = (value: unknown): string | null => (typeof value === "string" ? value : null)
    const [model, version] = [text(meta?.["model"]), text(meta?.["version"])]
    const key = JSON.stringify([name, version])
    if (!found.has(key)) found.set(key, { name, model, version })
  }
  return [...found.values()]
}
