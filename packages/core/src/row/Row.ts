/**
 * The row: the record of one finished rollout, one JSON line. The type is the JSON object itself, so there is nothing
 * to map; keys this version does not know survive a read and a write.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as ExactJson from "../json/ExactJson.ts"
import * as Hash from "../random/Hash.ts"
import * as ErrorText from "../task/ErrorText.ts"
import { jsonText } from "../json/jsonText.ts"
import { checkOf } from "../json/schemaCheck.ts"
import * as Measures from "./internal/measures.ts"
import * as Digest from "./internal/rowDigest.ts"
import { Row, schemaVersion, type Lineage } from "./internal/rowSchema.ts"

export * as PassMark from "./PassMark.ts"

export * from "./internal/rowSchema.ts"
export { resultTexts, toMessages } from "./internal/chatThread.ts"
export { isFork } from "./internal/forks.ts"

/**
 * Why a line is no row.
 * @since 0.1.0
 * @category errors
 */
export class RowProblem extends Schema.TaggedError<RowProblem>()("RowProblem", {
  reason: Schema.Literal("not_utf8", "not_json", "not_an_object", "other_version", "not_a_row", "too_long"),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * `row_` and a hash of the rollout's place: the same run gives the same ids.
 * @since 0.1.0
 * @category functions
 */
export const rowId = (runId: string, taskId: string, evalRun: number, rolloutIndex: number): string =>
  Hash.id("row", runId, taskId, evalRun, rolloutIndex)

/**
 * The row as one line of JSON, without its newline. `lineage` and `timings` come last. Characters that some readers end
 * a line at are escaped, and halves of surrogate pairs replaced by U+FFFD.
 * @since 0.1.0
 * @category functions
 */
export const encode = (row: Row): string => {
  const { head, tail } = encodeParts(row)
  return head + tail
}

/**
 * A line in two parts, so that most of its text serves twice.
 * @since 0.1.0
 * @category models
 */
export interface EncodedRow {
  /** The line is `head + tail`. */
  readonly head: string
  readonly tail: string
  /** What two equal seeded runs share is `head + sharedTail`: `perInvocationPaths` are left out. `digest` hashes it. */
  readonly sharedTail: string
}

/**
 * A row as its line, cut before lineage and timings.
 * @since 0.1.0
 * @category functions
 */
export const encodeParts = (row: Row): EncodedRow => {
  const { lineage, timings } = row
  const origin = lineage === undefined ? "" : lineageText(lineage)
  const tail = timings === undefined ? `${origin}}` : `${origin},"timings":${jsonText(timings)}}`
  const head = headOf(row, tail)
  if (lineage?.scoring_run_id === undefined) return { head, tail, sharedTail: `${origin}}` }
  const { scoring_run_id: _, ...sharedLineage } = lineage
  return { head, tail, sharedTail: `${lineageText(sharedLineage)}}` }
}

/** What comes before the tail: most rows hold both of its keys last, and the others are copied without them. */
const headOf = (row: Row, tail: string): string => {
  const line = jsonText(row)
  if (line.endsWith(tail)) return line.slice(0, -tail.length)
  const { timings: _, lineage: __, ...rest } = row
  return jsonText(rest).slice(0, -1)
}

/**
 * Reads one line. A byte order mark and a trailing carriage return are no part of it.
 * @since 0.1.0
 * @category functions
 */
export const parse = (line: string): Either.Either<Row, RowProblem> => {
  let value: unknown
  try {
    value = Measures.rounded(ExactJson.parse(line.charCodeAt(0) === 0xfeff ? line.slice(1) : line))
  } catch (cause) {
    return problem("not_json", `The line is no JSON: ${ErrorText.of(cause)}`)
  }
  return fromJson(value)
}

/**
 * A JSON value as a row.
 * @since 0.1.0
 * @category constructors
 */
export const fromJson = (value: unknown): Either.Either<Row, RowProblem> => {
  if (!isRow(value)) return explain(value)
  // Keys that the Schema does not name are part of a row.
  const row = value as Row
  return row.schema_version === schemaVersion ? Either.right(row) : otherVersion(row.schema_version)
}

const isRow = checkOf(Row)

/**
 * Where a row stands in its run: rows sort by (eval run, task, index).
 * @since 0.1.0
 * @category functions
 */
export const placeOf = (row: Row): Digest.Place => ({
  evalRun: row.lineage?.eval_run ?? 0,
  taskId: row.task_id,
  index: row.rollout_index ?? 0
})

/**
 * The order of rows: by eval run, then task, then index. Tasks stand in the order given, others after them by id;
 * without an order all stand by id, which needs nothing but the rows.
 * @since 0.1.0
 * @category functions
 */
export const compare = (taskOrder: ReadonlyMap<string, number> = new Map()): ((a: Row, b: Row) => number) => {
  const asked = (taskId: string): number => taskOrder.get(taskId) ?? Number.MAX_SAFE_INTEGER
  return (a, b) => {
    const left = placeOf(a)
    const right = placeOf(b)
    const tasks = asked(left.taskId) - asked(right.taskId)
    return left.evalRun - right.evalRun || tasks || Digest.comparePlaces(left, right)
  }
}

/**
 * `rows_digest`: SHA-256 (hex) over rows in the order of `compare()`, without `perInvocationPaths`.
 * @since 0.1.0
 * @category functions
 */
export const digest = (rows: Iterable<Row>): string => {
  const all = Digest.make()
  addToDigest(all, rows)
  return all.hex()
}

/**
 * Adds rows to a digest that is made bit by bit.
 * @since 0.1.0
 * @category functions
 */
export const addToDigest = (into: Digest.RowDigest, rows: Iterable<Row>): void => {
  for (const row of rows) {
    const { head, sharedTail } = encodeParts(row)
    into.add(placeOf(row), Hash.sha256Hex(head + sharedTail))
  }
}

/**
 * A digest that is made bit by bit, in any order, at 32 bytes and a place a row.
 * @since 0.1.0
 * @category constructors
 */
export const makeDigest: () => Digest.RowDigest = Digest.make

const lineageText = (lineage: Lineage): string => `,"lineage":${jsonText(lineage)}`

const problem = (reason: RowProblem["reason"], detail: string): Either.Either<never, RowProblem> =>
  Either.left(new RowProblem({ reason, detail }))

const otherVersion = (version: string): Either.Either<never, RowProblem> =>
  problem("other_version", `The row has schema_version "${version}"; this version reads "${schemaVersion}".`)

/** The Schema says what the check only found wrong. */
const explain = (value: unknown): Either.Either<never, RowProblem> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return problem("not_an_object", "The line is JSON but no object, so it is no row.")
  }
  const version = (value as { readonly schema_version?: unknown }).schema_version
  if (typeof version === "string" && version !== schemaVersion) return otherVersion(version)
  const decoded = Schema.decodeUnknownEither(Row)(value)
  if (Either.isRight(decoded)) return problem("not_a_row", "The line is no row.")
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
  const path = issue === undefined ? "" : issue.path.map(String).join(".")
  return problem("not_a_row", `The line is no row: ${path === "" ? "" : `${path}: `}${issue?.message ?? ""}`)
}
