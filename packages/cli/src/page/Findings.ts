/**
 * Everything a report tells of a run, read from its files: what the terminal prints, and what a page would show.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as EvalVariance from "@sandtable/core/EvalVariance"
import { Blame } from "@sandtable/core/Explain"
import * as PassAt from "@sandtable/core/PassAt"
import * as PassMark from "@sandtable/core/unstable/PassMark"
import * as Row from "@sandtable/core/Row"
import type { RunMeta } from "@sandtable/core/unstable/RunMeta"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as BlameText from "../BlameText.ts"
import * as Digest from "../Digest.ts"
import type * as ExitStatus from "../ExitStatus.ts"
import * as RunFile from "../RunFile.ts"
import type { Stdio } from "../Stdio.ts"

export interface Findings {
  readonly path: string
  /** Null for rows without a meta file beside them. */
  readonly meta: RunMeta | null
  readonly pass: PassAt.PassAt
  /** How far the eval runs lie apart; null for one run. */
  readonly variance: EvalVariance.EvalVariance | null
  readonly failures: ReadonlyArray<Digest.Failure>
  /** What goes with the failures; null where nothing failed, or where there are too many rows to look at on the way. */
  readonly blame: Blame.Blamed | null
  /** Rows whose conduct grade read no words, for want of a table of their language. */
  readonly structuralOnly: number
  /** Graded rows by the grader's name; `""` for rewards that rows came with. */
  readonly graders: Readonly<Record<string, number>>
}

export interface Options {
  readonly k?: number
  /** Arms whose rows are left out of every figure. */
  readonly exclude?: ReadonlyArray<string>
  /** The least reward of a pass (1). */
  readonly passAt?: number
}

/** Reads a run in passes over its file, none of which holds it. A file without a row is refused. */
export const read = (
  path: string,
  { exclude = [], ...options }: Options = {}
): Effect.Effect<Findings, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.gen(function* () {
    const passAt = options.passAt ?? PassMark.passMark
    const pass = yield* RunFile.measured(PassAt.passAt(path, { ...options, exclude }))
    if (pass.graded.of === 0) return yield* RunFile.empty(path)
    const isLast = pass.graded.duplicates === 0 ? () => true : yield* RunFile.lastOnes(path)
    const failing = Digest.failing(passAt)
    const grading = Digest.grading()
    const blamed: Array<Blame.BlameRow> | null = pass.graded.of <= mostBlamed ? [] : null
    let structuralOnly = 0
    let severalRuns = false
    let line = -1
    yield* RunFile.lines(path, (text) => {
      line += 1
      severalRuns ||= /"eval_run": ?[1-9]/.test(text)
      if (!isLast(line)) return
      // most lines of a long file have nothing to say here but who graded, and reading one costs more than looking
      const grader = exclude.length === 0 ? soleGrader(text) : null
      if (blamed === null && grader !== null && /"reward": ?1[,}]/.test(text) && !text.includes('"structural"')) {
        grading.add({ judge_name: grader, reward: 1 })
        return
      }
      const row = Option.getOrNull(Either.getRight(Row.parse(text)))
      if (row === null || exclude.includes(row.arm ?? "")) return
      blamed?.push(BlameText.read(row))
      grading.add(row)
      failing.add(row)
      if (row.judge_meta?.["rules"] === "structural") structuralOnly += 1
    })
    const variance = severalRuns ? yield* RunFile.measured(EvalVariance.evalVariance(path, { exclude, passAt })) : null
    const by = grading.counts()
    // a log of another format has rewards, and no line of it is a row
    const graders = Object.keys(by).length === 0 && pass.graded.graded > 0 ? { "": pass.graded.graded } : by
    const failures = failing.list()
    const blame = blamed === null || failures.length === 0 ? null : Blame.ofRows(blamed, { passAt })
    return { path, meta: yield* RunFile.meta(path), pass, variance, failures, blame, structuralOnly, graders }
  })

/** Rows up to which a report reads all of each, to tell what goes with failures; `explain` reads any number. */
const mostBlamed = 20_000

/** The grader of a line that was graded and names one only; null where the line has to be read to know. */
const soleGrader = (text: string): string | null => {
  const [only, second] = text.matchAll(/"judge_name": ?"([^"\\]*)"/g)
  return second === undefined && /"judge_status": ?"ok"/.test(text) ? (only?.[1] ?? null) : null
}
