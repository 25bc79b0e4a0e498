/**
 * Which rows are worth training on. Rows pass through gates, each of which says what it dropped; what was dropped and what
 * was kept add up to the input. For reinforcement learning whole groups are kept or dropped, since a group is what an
 * advantage is computed over; for supervised training the best passing rows of each ask are kept.
 *
 * The choice hangs on the rows alone: not on their order, and on no draw.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { References } from "../grade/ScoringPass.ts"
import { isFork } from "../row/internal/forks.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as RowSource from "../traces/RowSource.ts"
import type { RunMeta } from "../report/RunMeta.ts"
import type { TraceRow } from "../traces/TraceFormat.ts"
import * as Attempt from "../task/internal/attempt.ts"
import { judge, referencesOf, type Fate } from "./internal/rowGates.ts"
import { groupsOf, type Candidate } from "./internal/candidates.ts"
import { chooseBest } from "./internal/best.ts"
import { chooseGroups, faultKindOf } from "./internal/groupGates.ts"
import { problemOf, settingsOf } from "./internal/selectOptions.ts"
import { Tally } from "./internal/gateTally.ts"
import { renderReport } from "./internal/selectText.ts"

export * as Curriculum from "./Curriculum.ts"
export * as Decontaminate from "./Decontaminate.ts"
export * as HackScan from "./HackScan.ts"
export * as PreferencePairs from "./PreferencePairs.ts"
export * as SplitHoldout from "./SplitHoldout.ts"

/**
 * What the rows are for: reinforcement learning or supervised fine-tuning.
 * @since 0.1.0
 * @category models
 */
export type Mode = "rl" | "sft"

/**
 * Which rows are kept.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** What the rows are to train: groups of rollouts (`rl`), or single good examples (`sft`). */
  readonly mode: Mode
  /** Most rows to keep; all that pass when left out. In `rl` whole groups are taken while they fit. */
  readonly target?: number
  /** `rl`: least and greatest mean reward of a group ([0.2, 0.8]). */
  readonly band?: readonly [least: number, greatest: number]
  /**
   * Rows the length cap cut (`drop`). `penalise`, for `rl` alone, keeps them with a reward of 0 and says so in
   * `judge_meta.penalised`.
   */
  readonly truncated?: "drop" | "keep" | "penalise"
  /** `sft`: most rows of one ask, each with a behaviour of its own (1). */
  readonly perTask?: number
  /** `sft`: the least reward of an example (1). */
  readonly passAt?: number
  /** Gold answers by task id, scenario id or prompt: rows in which the person says the answer are leaks. */
  readonly references?: References
  /** Continuations of forks, which are left out unless named. */
  readonly include?: ReadonlyArray<"fork">
}

/**
 * In the order in which rows meet them; a row is counted at the first that drops it.
 * @since 0.1.0
 * @category models
 */
export type Gate =
  | "leak"
  | "truncated"
  | "junk"
  | "ungraded"
  | "failed"
  | "duplicate"
  | "lone"
  | "unanimous"
  | "band"
  | "best"
  | "target"

/**
 * What one gate dropped.
 * @since 0.1.0
 * @category models
 */
export interface GateReport {
  readonly gate: Gate
  readonly rows: number
  /** Groups (`rl`) or asks (`sft`) that this gate left without a row. */
  readonly groups: number
  /** Rows by cause, where a gate has several. */
  readonly causes: Readonly<Record<string, number>>
}

/**
 * What was kept and what each gate left out.
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly mode: Mode
  /** Continuations of forks that were left out before anything else. */
  readonly forks: number
  /** `rows` is `kept` and the rows of all gates. */
  readonly rows: number
  readonly kept: number
  /** Different asks before and after. */
  readonly asks: { readonly before: number; readonly after: number }
  /** Rollouts of one ask in one eval run. */
  readonly groups: { readonly before: number; readonly after: number }
  readonly gates: ReadonlyArray<GateReport>
  /** Cut rows that were kept with a reward of 0. */
  readonly penalised: number
  /** Kept rows by kind of planned fault (`rl`) or by behaviour signature (`sft`), the commonest first. */
  readonly spread: ReadonlyArray<{ readonly kind: string; readonly rows: number }>
  /** Mean reward of the rows kept; null when there is none. */
  readonly mean_reward: number | null
  /** For an empty selection, which gate took most and what to do about it; else null. */
  readonly advice: string | null
}

/**
 * Rows with what is known of their run, so that it can be exported as it is.
 * @since 0.1.0
 * @category models
 */
export interface Selection<R extends TraceRow = TraceRow> {
  /** In the order of (eval run, ask, index). */
  readonly rows: ReadonlyArray<R>
  /** Of the run they come from; null where the source has none. */
  readonly meta: RunMeta | null
  readonly report: Report
}

/**
 * An option makes no sense, or the mode does not read it. Nothing was selected.
 * @since 0.1.0
 * @category errors
 */
export class InvalidSelection extends Schema.TaggedError<InvalidSelection>()("InvalidSelection", {
  option: Schema.String,
  /** What is wrong, as the rest of a sentence that begins with the option. */
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `\`${this.option}\` ${this.problem}. ${this.fix}`
  }
}

/**
 * A selection as an Effect that fails where the plain call throws: `yield* Select.attempt(() => data.select({ mode: "sft" }))`.
 * @since 0.1.0
 * @category functions
 */
export const attempt: <A>(select: () => A) => Effect.Effect<A, InvalidSelection> = Attempt.attempt(InvalidSelection)

/**
 * Selects from rows in memory. Throws `InvalidSelection`; `attempt` makes it a failure.
 * @since 0.1.0
 * @category functions
 */
export const select = <R extends TraceRow>(source: Iterable<R> | RowSource.Run<R>, options: Options): Selection<R> => {
  const problem = problemOf(options)
  if (problem !== null) throw new InvalidSelection(problem)
  const settings = settingsOf(options)
  const loaded = RowSource.inMemory(source)
  const all = RowSource.sorted(loaded.rows)
  const rows = options.include?.includes("fork") === true ? all : all.filter((row) => !isFork(row))
  const tally = new Tally(options.mode)
  const referenceOf = referencesOf(options.references)
  const candidates: Array<Candidate<R>> = []
  const groupsBefore = new Set<string>()
  const asksBefore = new Set<string>()
  for (const row of rows) {
    groupsBefore.add(RowSource.groupOf(row))
    asksBefore.add(RowSource.askOf(row))
    const fate: Fate<R> = judge(row, settings, referenceOf)
    if (fate._tag === "Drop") tally.drop(fate.gate, row, fate.cause)
    else candidates.push(fate.candidate)
  }
  const groups = groupsOf(candidates, tally)
  const kept = settings.mode === "rl" ? chooseGroups(groups, settings, tally) : chooseBest(groups, settings, tally)
  const chosen = RowSource.sorted(kept.map((candidate) => candidate.row))
  const gates = tally.gates(kept)
  const report: Report = {
    mode: settings.mode,
    forks: all.length - rows.length,
    rows: rows.length,
    kept: chosen.length,
    asks: { before: asksBefore.size, after: new Set(chosen.map(RowSource.askOf)).size },
    groups: { before: groupsBefore.size, after: new Set(chosen.map(RowSource.groupOf)).size },
    gates,
    penalised: kept.filter((candidate) => candidate.penalised).length,
    spread: spreadOf(kept, settings.mode),
    mean_reward: chosen.length === 0 ? null : kept.reduce((sum, { reward }) => sum + reward, 0) / kept.length,
    advice: chosen.length === 0 ? tally.advice(rows.length, settings) : null
  }
  return { rows: chosen, meta: loaded.meta, report }
}

/**
 * Selects from a file of rows or of traces of any format.
 * @since 0.1.0
 * @category functions
 */
export const selectFile: (
  path: string,
  options: Options
) => Effect.Effect<Selection, RowFileError | InvalidSelection, FileSystem.FileSystem> = Effect.fn("Select.selectFile")(
  function* (path: string, options: Options) {
    const problem = problemOf(options)
    if (problem !== null) return yield* new InvalidSelection(problem)
    return select(yield* RowSource.load(path), options)
  }
)

/**
 * The report in a few lines of text.
 * @since 0.1.0
 * @category functions
 */
export const render: (report: Report) => string = renderReport

const spreadOf = <R extends TraceRow>(kept: ReadonlyArray<Candidate<R>>, mode: Mode): Report["spread"] => {
  const counts = new Map<string, number>()
  for (const candidate of kept) {
    const kind = mode === "rl" ? faultKindOf(candidate.row) : candidate.signature
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts]
    .map(([kind, rows]) => ({ kind, rows }))
    .sort((a, b) => b.rows - a.rows || (a.kind < b.kind ? -1 : 1))
}
