/**
 * Grading after the run: one pass of a grader over rows. The rows that went in stay as they are; those that come out have
 * this pass's verdict and no other.
 */
import { Language } from "../language/Language.ts"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { JudgeStatus, Row } from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../report/RunMeta.ts"
import type { Expected } from "../task/Expected.ts"
import type { Tool } from "../task/Tool.ts"
import * as ToolSet from "../task/ToolSet.ts"
import * as Grader from "./Grader.ts"
import { isUndecided, lacksReference } from "./internal/answer.ts"

/**
 * Gold answers by task id, scenario id or prompt (looked up in this order), or a function that knows them.
 * @since 0.1.0
 * @category models
 */
export type References = ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>> | ((row: Row) => unknown)

/**
 * How rows are graded again.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Rows graded at once (8). */
  readonly concurrency?: number
  /** The id of the pass; a fresh one (`score_` and 12 hex digits) when left out. */
  readonly runId?: string
  /** Grades rows that the length cap cut; false when left out: they come out without a verdict and are counted. */
  readonly gradeTruncated?: boolean
  /** Seconds for a verdict (120). */
  readonly timeout?: number
  /** For verifiers: they appear in no row. */
  readonly references?: References
  /** What has to have come about, by row: for graders of one's own. */
  readonly expected?: (row: Row) => Expected | undefined
  /** What graders see as the agent's tools, policy and language; a run brings its own. */
  readonly tools?: ReadonlyArray<Tool> | ToolSet.ToolSet
  readonly systemPrompt?: string
  readonly locale?: string
}

/**
 * What a pass gave.
 * @since 0.1.0
 * @category models
 */
export interface Graded {
  /** Copies, in the order they came. */
  readonly rows: ReadonlyArray<Row>
  readonly counts: Counts
  readonly scoringRunId: string
}

/**
 * Graded m (`scored`) of n (`rows`), and why the others were not.
 * @since 0.1.0
 * @category models
 */
export interface Counts {
  readonly rows: number
  readonly scored: number
  /** Verdicts by status; those not `ok` are rows without a reward. */
  readonly by_status: Readonly<Record<JudgeStatus, number>>
  /** Those of `missing_reward` where a verifier was given no reference: that is no failure of the grader. */
  readonly no_reference: number
  /** Those of `missing_reward` where the grader says that the row does not tell: no failure of it either. */
  readonly undecided: number
  /** Rows cut by the length cap, which were not graded. */
  readonly truncated: number
  /** Lines of a file that are no rows. */
  readonly broken: number
  /** The first cause of a missing reward, a failure of the grader before a missing reference; null when none is missing. */
  readonly first_cause: string | null
}

/**
 * Rows without a reward because the grader failed, was late, or answered nothing usable.
 * @since 0.1.0
 * @category functions
 */
export const failuresIn = ({ by_status: by, no_reference: without, undecided }: Counts): number =>
  by.invalid_result + by.missing_reward + by.error + by.timeout - without - undecided

const defaultConcurrency = 8
const defaultTimeout = 120

/**
 * A pass over rows in memory or over a file of them (with the tools and the policy of its meta file, where it has one).
 * A grader that throws, hangs or answers nothing usable leaves its row without a reward; the pass goes on. After a model
 * refused for good (its key, its quota) it is not asked again: the rows left get that error. Options that make no sense are a `RangeError` as a defect.
 * @since 0.1.0
 * @category functions
 */
export const grade: {
  (rows: Iterable<Row>, grader: Grader.Service | Grader.GradeFunction, options?: Options): Effect.Effect<Graded>
  (
    path: string,
    grader: Grader.Service | Grader.GradeFunction,
    options?: Options
  ): Effect.Effect<Graded, RowFileError, FileSystem.FileSystem>
} = ((rows: Iterable<Row> | string, grader: Grader.Service | Grader.GradeFunction, options: Options = {}) =>
  typeof rows === "string" ? gradeFile(rows, grader, options) : gradeRows([...rows], grader, options)) as typeof grade

const gradeFile = Effect.fn("ScoringPass.grade")(function* (
  path: string,
  grader: Grader.Service | Grader.GradeFunction,
  options: Options
) {
  const { rows, broken } = yield* RowFile.readAll(path)
  const meta = yield* Effect.option(RunMeta.readBeside(path))
  const known = meta._tag === "Some" ? surroundingsOf(meta.value) : {}
  const graded = yield* gradeRows(rows, grader, { ...known, ...options })
  return { ...graded, counts: { ...graded.counts, broken: broken.length } } satisfies Graded
})

/**
 * What a run's meta file knows of what graders see.
 * @since 0.1.0
 * @category functions
 */
export const surroundingsOf = ({
  options,
  profile
}: RunMeta.RunMeta): Pick<Options, "tools" | "systemPrompt" | "locale"> => {
  const { locale } = options
  return {
    tools: profile.tools.filter(isTool),
    systemPrompt: profile.policy,
    ...(typeof locale === "string" && { locale })
  }
}

const gradeRows = Effect.fn("ScoringPass.grade")(function* (
  rows: ReadonlyArray<Row>,
  given: Grader.Service | Grader.GradeFunction,
  options: Options
) {
  const { concurrency = defaultConcurrency, gradeTruncated = false, timeout = defaultTimeout } = options
  if (!(Number.isInteger(concurrency) && concurrency > 0)) {
    throw new RangeError(`concurrency of a scoring pass is ${concurrency}: give a whole number from 1.`)
  }
  if (!(timeout > 0)) throw new RangeError(`timeout of a scoring pass is ${timeout}: give seconds above 0.`)
  if (options.runId?.trim() === "") throw new RangeError("runId of a scoring pass is empty.")
  const service = typeof given === "function" ? Grader.make(given) : given
  if (typeof service?.grade !== "function")
    throw new TypeError("A scoring pass needs a grader: a function or a service.")
  const grader = Grader.withTimeout(service, timeout)
  const scoringRunId = options.runId ?? (yield* Grader.newScoringRunId)
  const referenceOf = referencesOf(options.references)
  const context = {
    tools: ToolSet.make(options.tools ?? []),
    systemPrompt: options.systemPrompt ?? "",
    locale: options.locale ?? "en",
    language: yield* Language,
    outcome: null
  }
  const counting = new Counting(rows.length)
  let refused: Grader.Verdict | null = null
  const graded = yield* Effect.forEach(
    rows,
    (row) => {
      if (!Grader.isGradable(row, gradeTruncated)) {
        counting.truncated += 1
        return Effect.succeed(Grader.cleared(row))
      }
      const reference = referenceOf(row)
      const expected = options.expected?.(row)
      const privileged = {
        ...(reference === undefined ? {} : { reference }),
        ...(expected === undefined ? {} : { expected })
      }
      const judged =
        refused === null ? grader.grade(row, { ...context, privileged }) : Effect.succeed(Grader.unasked(refused))
      return Effect.map(judged, (verdict) => {
        if (verdict.refused !== undefined) refused ??= verdict
        counting.add(verdict)
        return Grader.apply(row, verdict, { grader: service, scoringRunId })
      })
    },
    { concurrency }
  )
  return { rows: graded, counts: counting.counts(graded), scoringRunId } satisfies Graded
})

const isTool = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & Tool =>
  typeof value["name"] === "string" && typeof value["kind"] === "string" && typeof value["parameters"] === "object"

const referencesOf = (references: References | undefined): ((row: Row) => unknown) => {
  if (references === undefined) return () => undefined
  if (typeof references === "function") return references
  const known = references instanceof Map ? references : new Map(Object.entries(references))
  return (row) =>
    [row.task_id, row.scenario_id, row.prompt].flatMap((key) =>
      key !== undefined && known.has(key) ? [known.get(key)] : []
    )[0]
}

const isUnjudged = ({ judge_meta: meta = {}, judge_status: status = "ok" }: Row): boolean =>
  lacksReference({ meta, status }) || isUndecided({ meta, status })

class Counting {
  truncated = 0
  readonly #rows: number
  #noReference = 0
  #undecided = 0
  readonly #byStatus = { ok: 0, invalid_result: 0, missing_reward: 0, error: 0, timeout: 0 }

  constructor(rows: number) {
    this.#rows = rows
  }

  add(verdict: Grader.Verdict): void {
    this.#byStatus[verdict.status] += 1
    if (lacksReference(verdict)) this.#noReference += 1
    if (isUndecided(verdict)) this.#undecided += 1
  }

  counts(graded: ReadonlyArray<Row>): Counts {
    // In the order of the rows, whichever verdict came first.
    const missing = graded.filter(({ judge_status }) => judge_status !== undefined && judge_status !== "ok")
    const failed = missing.find((row) => !isUnjudged(row)) ?? missing[0]
    return {
      rows: this.#rows,
      scored: graded.filter(({ reward }) => typeof reward === "number").length,
      by_status: this.#byStatus,
      no_reference: this.#noReference,
      undecided: this.#undecided,
      truncated: this.truncated,
      broken: 0,
      first_cause: failed === undefined ? null : String(failed.judge_meta?.["cause"] ?? failed.judge_status)
    }
  }
}
