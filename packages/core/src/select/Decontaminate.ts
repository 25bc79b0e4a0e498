/**
 * Takes out rows whose asks are in another set, such as a benchmark or the tasks one measures on: what was trained on cannot
 * be measured with. Each rule says what it took, and one that could not run says so.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Embedder from "../model/Embedder.ts"
import * as NearCopies from "../language/NearCopies.ts"
import * as RowSource from "../traces/RowSource.ts"
import type { RunMeta } from "../report/RunMeta.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import { renderDecontamination } from "./internal/decontaminationText.ts"

/**
 * What rows are held against: rows, a run, or the asks alone.
 * @since 0.1.0
 * @category models
 */
export type Against = Iterable<RowSource.Placed | string> | RowSource.Run

/**
 * From where on an ask counts as known to the other set.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * Least share of a text of the other set that an ask holds, by runs of four words and whatever stands around it (0.8).
   * An ask of eight words or more that is itself so much of such a text is taken, too, and so is a near copy.
   */
  readonly coverage?: number
  /** Finds asks with the same meaning; without it that rule does not run. */
  readonly embedder?: Embedder.Service
  /** Least similarity of meaning, as the embedder's cosine (0.9). */
  readonly similarity?: number
}

/**
 * In the order in which rows meet them; a row is counted at the first that takes it.
 * @since 0.1.0
 * @category models
 */
export type RuleName = "same_task" | "exact" | "n_gram" | "semantic"

/**
 * What one rule did.
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly rule: RuleName
  /** `partly`: there were rows it could say nothing of. */
  readonly status: "ran" | "partly" | "not_run"
  readonly rows: number
  /** Why it did not run, or for which rows; null where it ran for all. */
  readonly why: string | null
}

/**
 * Plain JSON. `rows` is `kept` and the rows of all rules.
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly rows: number
  readonly kept: number
  /** Different asks of the other set. */
  readonly against: number
  readonly rules: ReadonlyArray<Rule>
  /** Up to ten asks that were taken, each with the text it is in. */
  readonly examples: ReadonlyArray<{ readonly rule: RuleName; readonly prompt: string; readonly match: string }>
}

/**
 * The rows that stay, and why the others went.
 * @since 0.1.0
 * @category models
 */
export interface Decontaminated<R extends TraceRow = TraceRow> {
  /** In the order they came. */
  readonly rows: ReadonlyArray<R>
  readonly meta: RunMeta | null
  readonly report: Report
}

/**
 * An option makes no sense. Nothing was compared.
 * @since 0.1.0
 * @category errors
 */
export class InvalidDecontamination extends Schema.TaggedError<InvalidDecontamination>()("InvalidDecontamination", {
  option: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `\`${this.option}\` ${this.problem}. ${this.fix}`
  }
}

const examplesShown = 10

/**
 * Takes out the rows whose task, words or meaning are in the other set. A failing embedder leaves its rule unrun, with the
 * reason; the others stand.
 * @since 0.1.0
 * @category functions
 */
export const decontaminate: <R extends TraceRow>(
  source: Iterable<R> | RowSource.Run<R>,
  against: Against,
  options?: Options
) => Effect.Effect<Decontaminated<R>, InvalidDecontamination> = Effect.fn("Decontaminate.decontaminate")(function* <
  R extends TraceRow
>(source: Iterable<R> | RowSource.Run<R>, against: Against, options: Options = {}) {
  const { coverage = 0.8, embedder, similarity = 0.9 } = options
  for (const [option, value] of Object.entries({ coverage, similarity })) {
    if (!(value > 0 && value <= 1)) {
      const problem = `is ${JSON.stringify(value)}`
      return yield* new InvalidDecontamination({ option, problem, fix: "Give a number above 0 and up to 1." })
    }
  }
  const { meta, rows } = RowSource.inMemory(source)
  const others = othersOf(against)
  const taken = new Map<R, { readonly rule: RuleName; readonly match: string }>()
  const held = NearCopies.heldOut(others.texts)
  const copied = once((prompt) => held.copied(prompt, coverage)?.text)
  let short = 0
  for (const row of rows) {
    const match = lexicalMatch(row, others, copied)
    if (match !== undefined) taken.set(row, match)
    else if (NearCopies.isShort(row.prompt)) short += 1
  }
  const left = rows.filter((row) => !taken.has(row))
  const meaning =
    embedder === undefined ? notRun("no embedder was given") : yield* semantic(left, others.texts, embedder, similarity)
  for (const [row, match] of meaning.matches) taken.set(row as R, { rule: "semantic", match })
  const countOf = (rule: RuleName): number => [...taken.values()].filter((one) => one.rule === rule).length
  const ran = (rule: RuleName): Rule => ({ rule, status: "ran", rows: countOf(rule), why: null })
  const nothing = others.texts.length === 0 ? "the other set has no asks" : null
  const keyless = others.keys.size === 0 ? "the other set names no tasks" : null
  const rules: ReadonlyArray<Rule> = [
    keyless === null ? ran("same_task") : { rule: "same_task", status: "not_run", rows: 0, why: keyless },
    nothing === null ? ran("exact") : { rule: "exact", status: "not_run", rows: 0, why: nothing },
    gramRule(countOf("n_gram"), { rows: rows.length, short }, { texts: held.texts.length, short: held.short }, nothing),
    { rule: "semantic", status: meaning.why === null ? "ran" : "not_run", rows: countOf("semantic"), why: meaning.why }
  ]
  const examples = [...taken]
    .slice(0, examplesShown)
    .map(([row, one]) => ({ rule: one.rule, prompt: row.prompt, match: one.match }))
  const kept = rows.filter((row) => !taken.has(row))
  return {
    rows: kept,
    meta,
    report: { rows: rows.length, kept: kept.length, against: others.texts.length, rules, examples }
  }
})

/**
 * The report in a few lines of text.
 * @since 0.1.0
 * @category functions
 */
export const render: (report: Report) => string = renderDecontamination

interface Others {
  readonly keys: ReadonlySet<string>
  readonly exact: ReadonlySet<string>
  readonly texts: ReadonlyArray<string>
}

const othersOf = (against: Against): Others => {
  const keys = new Set<string>()
  const texts = new Map<string, string>()
  for (const one of Symbol.iterator in against ? against : against.rows) {
    const placed: RowSource.Placed = typeof one === "string" ? { prompt: one } : one
    for (const key of keysOf(placed)) keys.add(key)
    const normal = NearCopies.normalise(placed.prompt ?? "")
    if (normal !== "" && !texts.has(normal)) texts.set(normal, placed.prompt ?? "")
  }
  return { keys, exact: new Set(texts.keys()), texts: [...texts.values()] }
}

const keysOf = (row: RowSource.Placed): ReadonlyArray<string> =>
  [row.scenario_id, row.task_id].filter((key) => key !== undefined)

interface LexicalMatch {
  readonly rule: RuleName
  readonly match: string
}

const lexicalMatch = (
  row: TraceRow,
  others: Others,
  copied: (prompt: string) => string | undefined
): LexicalMatch | undefined => {
  const task = keysOf(row).find((key) => others.keys.has(key))
  if (task !== undefined) return { rule: "same_task", match: task }
  if (others.exact.has(NearCopies.normalise(row.prompt))) return { rule: "exact", match: row.prompt }
  const match = copied(row.prompt)
  return match === undefined ? undefined : { rule: "n_gram", match }
}

/** The rollouts of a task have one ask. */
const once = <A>(read: (prompt: string) => A): ((prompt: string) => A) => {
  const known = new Map<string, { readonly value: A }>()
  return (prompt) => {
    let found = known.get(prompt)
    if (found === undefined) known.set(prompt, (found = { value: read(prompt) }))
    return found.value
  }
}

interface Counts {
  /** With fewer words than a run. */
  readonly short: number
}

/** What has no run of words can be told for a copy as a whole, not in parts. */
const gramRule = (
  count: number,
  own: Counts & { readonly rows: number },
  other: Counts & { readonly texts: number },
  nothing: string | null
): Rule => {
  if (nothing !== null) return { rule: "n_gram", status: "not_run", rows: 0, why: nothing }
  const reasons = [
    ...(own.short === 0 ? [] : [`${own.short} of ${own.rows} rows have asks`]),
    ...(other.short === 0 ? [] : [`${other.short} of ${other.texts} texts of the other set are`])
  ]
  if (reasons.length === 0) return { rule: "n_gram", status: "ran", rows: count, why: null }
  const why = `${reasons.join(", and ")} of fewer than ${NearCopies.runLength} words`
  const blind = count === 0 && (own.short === own.rows || other.short === other.texts)
  return { rule: "n_gram", status: blind ? "not_run" : "partly", rows: count, why }
}

interface Meaning {
  readonly matches: ReadonlyMap<TraceRow, string>
  readonly why: string | null
}

const notRun = (why: string): Meaning => ({ matches: new Map(), why })

const semantic = (
  rows: ReadonlyArray<TraceRow>,
  texts: ReadonlyArray<string>,
  embedder: Embedder.Service,
  least: number
): Effect.Effect<Meaning> => {
  if (texts.length === 0) return Effect.succeed(notRun("the other set has no asks"))
  if (rows.length === 0) return Effect.succeed({ matches: new Map(), why: null })
  const prompts = [...new Set(rows.map(({ prompt }) => prompt))]
  return embedder.embed([...prompts, ...texts]).pipe(
    Effect.map((vectors) => {
      const theirs = vectors.slice(prompts.length)
      const matchOf = new Map<string, string>()
      prompts.forEach((prompt, i) => {
        const own = vectors[i] as Embedder.Vector
        const found = theirs.findIndex((vector) => Embedder.similarity(own, vector) >= least)
        if (found >= 0) matchOf.set(prompt, texts[found] as string)
      })
      const matches = new Map<TraceRow, string>()
      for (const row of rows) {
        const match = matchOf.get(row.prompt)
        if (match !== undefined) matches.set(row, match)
      }
      return { matches, why: null }
    }),
    Effect.catchAll((failure) => Effect.succeed(notRun(failure.message)))
  )
}
