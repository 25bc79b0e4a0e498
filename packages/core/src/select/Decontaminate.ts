/**
 * Takes out rows whose asks are in another set, such as a benchmark or the tasks one measures on: what was trained on cannot
 * be measured with. Each rule says what it took, and one that could not run says so.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Embedder from "../model/Embedder.ts"
import * as Lexical from "../model/Lexical.ts"
import * as NearCopies from "../row/NearCopies.ts"
import * as RowSource from "../row/RowSource.ts"
import type { RunMeta } from "../row/RunMeta.ts"
import type { TraceRow } from "../row/TraceFormat.ts"
import { renderDecontamination } from "./internal/decontaminationText.ts"

/** What rows are held against: rows, a run, or the asks alone. */
export type Against = Iterable<RowSource.Placed | string> | RowSource.Run

export interface Options {
  /** Least share of an ask's runs of eight words that one text of the other set has (0.8). */
  readonly coverage?: number
  /** Finds asks with the same meaning; without it that rule does not run. */
  readonly embedder?: Embedder.Service
  /** Least similarity of meaning, as the embedder's cosine (0.9). */
  readonly similarity?: number
}

/** In the order in which rows meet them; a row is counted at the first that takes it. */
export type RuleName = "same_task" | "exact" | "n_gram" | "semantic"

export interface Rule {
  readonly rule: RuleName
  /** `partly`: there were rows it could say nothing of. */
  readonly status: "ran" | "partly" | "not_run"
  readonly rows: number
  /** Why it did not run, or for which rows; null where it ran for all. */
  readonly why: string | null
}

/** Plain JSON. `rows` is `kept` and the rows of all rules. */
export interface Report {
  readonly rows: number
  readonly kept: number
  /** Different asks of the other set. */
  readonly against: number
  readonly rules: ReadonlyArray<Rule>
  /** Up to ten asks that were taken, each with the text it is in. */
  readonly examples: ReadonlyArray<{ readonly rule: RuleName; readonly prompt: string; readonly match: string }>
}

export interface Decontaminated<R extends TraceRow = TraceRow> {
  /** In the order they came. */
  readonly rows: ReadonlyArray<R>
  readonly meta: RunMeta | null
  readonly report: Report
}

/** An option makes no sense. Nothing was compared. */
export class InvalidDecontamination extends Schema.TaggedError<InvalidDecontamination>()("InvalidDecontamination", {
  option: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `\`${this.option}\` ${this.problem}. ${this.fix}`
  }
}

/** Words in a row that nobody writes twice by chance. */
const gramSize = 8
const examplesShown = 10

/**
 * Takes out the rows whose task, words or meaning are in the other set. A failing embedder leaves its rule unrun, with the
 * reason; the others stand.
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
  const grams = gramIndex(others.texts)
  let short = 0
  for (const row of rows) {
    const lexical = lexicalMatch(row, others, grams, coverage)
    if (lexical._tag === "Taken") taken.set(row, lexical)
    else if (lexical.short) short += 1
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
    gramRule(countOf("n_gram"), rows.length, short, nothing),
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

/** The report in a few lines of text. */
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

type LexicalMatch =
  | { readonly _tag: "Taken"; readonly rule: RuleName; readonly match: string }
  | { readonly _tag: "Kept"; readonly short: boolean }

const lexicalMatch = (
  row: TraceRow,
  others: Others,
  grams: ReadonlyMap<number, ReadonlyArray<number>>,
  coverage: number
): LexicalMatch => {
  const task = keysOf(row).find((key) => others.keys.has(key))
  if (task !== undefined) return { _tag: "Taken", rule: "same_task", match: task }
  if (others.exact.has(NearCopies.normalise(row.prompt))) return { _tag: "Taken", rule: "exact", match: row.prompt }
  const own = [...new Set(Lexical.shingles(row.prompt, gramSize))]
  if (own.length === 0) return { _tag: "Kept", short: true }
  const counts = new Map<number, number>()
  for (const gram of own) for (const text of grams.get(gram) ?? []) counts.set(text, (counts.get(text) ?? 0) + 1)
  let best = -1
  for (const [text, count] of counts) {
    if (count >= coverage * own.length && (best < 0 || count > (counts.get(best) ?? 0))) best = text
  }
  const match = others.texts[best]
  return match === undefined ? { _tag: "Kept", short: false } : { _tag: "Taken", rule: "n_gram", match }
}

/** For each run of words the texts that have it. */
const gramIndex = (texts: ReadonlyArray<string>): ReadonlyMap<number, ReadonlyArray<number>> => {
  const index = new Map<number, Array<number>>()
  texts.forEach((text, i) => {
    for (const gram of new Set(Lexical.shingles(text, gramSize))) {
      const known = index.get(gram)
      if (known === undefined) index.set(gram, [i])
      else known.push(i)
    }
  })
  return index
}

const gramRule = (count: number, rows: number, short: number, nothing: string | null): Rule => {
  if (nothing !== null) return { rule: "n_gram", status: "not_run", rows: 0, why: nothing }
  const why = short === 0 ? null : `${short} of ${rows} rows have asks of fewer than ${gramSize} words`
  return { rule: "n_gram", status: why === null ? "ran" : "partly", rows: count, why }
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
