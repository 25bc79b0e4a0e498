/**
 * Files of rows as commands read them: of a run, or of somebody else's traces; row by row, so that a file may be larger
 * than memory. What is wrong with one is told with what to do.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { InvalidMeasure } from "@sandtable/core/Measured"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as RowSource from "@sandtable/core/unstable/RowSource"
import * as RunMeta from "@sandtable/core/unstable/RunMeta"
import * as TextFile from "@sandtable/core/unstable/TextFile"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Answer from "./Answer.ts"
import * as Asked from "./Asked.ts"
import type * as ExitStatus from "./ExitStatus.ts"
import type { Stdio } from "./Stdio.ts"
import * as Words from "./Words.ts"

/** What was in a file beside its rows. */
export interface Read {
  readonly rows: number
  /** Lines that are no rows. */
  readonly broken: number
}

/** Hands the text of every line of a file on, whatever it holds. */
export const lines = (
  path: string,
  take: (text: string) => void
): Effect.Effect<void, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  RowFile.readText(path, (lines) =>
    Effect.sync(() => {
      for (const line of lines) if (line._tag === "Text") take(line.text)
    })
  ).pipe(Effect.catchAll((error) => unreadable(path, error)))

/** Which lines of a file hold a row that does not come again: of a row that is there twice, the last one counts. */
export const lastOnes = (
  path: string
): Effect.Effect<(line: number) => boolean, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.suspend(() => {
    const found = RowSource.copies()
    return Effect.as(
      lines(path, (text) => found.add(Option.getOrNull(Either.getRight(Row.parse(text))))),
      (line) => !found.isEarlier(line)
    )
  })

/** Hands every row of a file on; lines that are none are counted. */
const scan = (
  path: string,
  take: (row: Row.Row) => void
): Effect.Effect<
  Read & { readonly first: RowFile.BrokenLine | null },
  ExitStatus.Exit,
  FileSystem.FileSystem | Path.Path | Stdio
> =>
  Effect.gen(function* () {
    let first: RowFile.BrokenLine | null = null
    let [rows, broken] = [0, 0]
    yield* RowFile.readRows(path, (own, others) =>
      Effect.sync(() => {
        rows += own.length
        broken += others.length
        first ??= others[0] ?? null
        for (const row of own) take(row)
      })
    ).pipe(Effect.catchAll((error) => unreadable(path, error)))
    return { rows, broken, first }
  })

/** As `scan`; a file without a row is refused, and lines that are none are told on stderr with the first one's cause. */
export const forEach = (
  path: string,
  take: (row: Row.Row) => void
): Effect.Effect<Read, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.gen(function* () {
    const { broken, first, rows } = yield* scan(path, take)
    const cause = first === null ? "" : ` (line ${first.number}: ${first.problem.message.replace(/\.$/, "")})`
    if (rows === 0) return yield* Answer.refuse([yield* noRows(path, cause)])
    if (first !== null) {
      yield* Answer.note(`${path}: ${Words.count(broken, "line")} left out, for being no row${cause}.`)
    }
    return { rows, broken }
  })

/** The rows of a file that is held in memory, or what of each is worth keeping. */
export const collect = <A = Row.Row>(
  path: string,
  keep: (row: Row.Row) => A
): Effect.Effect<ReadonlyArray<A>, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.suspend(() => {
    const kept: Array<A> = []
    return Effect.as(
      forEach(path, (row) => void kept.push(keep(row))),
      kept
    )
  })

/** What is known of the run beside its rows; null where there is no meta file, or none that can be read. */
export const meta = (path: string): Effect.Effect<RunMeta.RunMeta | null, never, FileSystem.FileSystem> =>
  Effect.orElseSucceed(RunMeta.readBeside(path), () => null)

/** An option that makes no sense to the library: `InvalidMeasure`, `InvalidSelection`. */
interface Refusal {
  readonly _tag: string
  readonly option: string
  readonly problem: string
  readonly fix: string
}

/** A call of the library on a file of rows: what it refuses and what it cannot read is told as a command tells it. */
export const measured = <A>(
  call: Effect.Effect<A, RowFile.RowFileError | Refusal, FileSystem.FileSystem>
): Effect.Effect<A, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  call.pipe(
    Effect.catchAll((error) =>
      "path" in error ? unreadable(error.path, error) : Answer.refuse([Asked.issueOf(error)])
    ),
    Effect.catchAllDefect((thrown) =>
      thrown instanceof InvalidMeasure ? Answer.refuse([Asked.issueOf(thrown)]) : Effect.die(thrown)
    )
  )

/** Refuses a file that is not there, or has nothing in it that could be a row. */
export const filled = (path: string): Effect.Effect<void, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.gen(function* () {
    let found = false
    const isRecord = (line: RowFile.TextLine): boolean => line._tag === "Text" && /^\uFEFF?\s*[[{]/.test(line.text)
    yield* RowFile.readText(path, (lines) => Effect.sync(() => !(found = lines.some(isRecord)))).pipe(
      Effect.catchAll((error) => unreadable(path, error))
    )
    if (!found) yield* empty(path)
  })

/** A file that cannot be read or written: refused, with its cause and what to do. */
export const unreadable = (
  path: string,
  error: RowFile.RowFileError
): Effect.Effect<never, ExitStatus.Exit, FileSystem.FileSystem | Path.Path | Stdio> =>
  Effect.gen(function* () {
    const detail = error.detail.replace(/\.$/, "")
    switch (error.reason) {
      case "not_found":
        return yield* Answer.refuse([
          { option: path, problem: "there is no such file", fix: yield* near(path, "Check the path.") }
        ])
      case "not_a_file":
        return yield* Answer.refuse([
          { option: path, problem: "is a folder, not a file of rows", fix: yield* inside(path) }
        ])
      case "not_text":
        return yield* Answer.refuse([{ option: path, problem: detail, fix: TextFile.fix }])
      default:
        return yield* Answer.refuse([
          { option: path, problem: `cannot be read: ${detail}`, fix: "Check the file and its permissions." }
        ])
    }
  })

/** A file without a row is refused. */
export const empty = (path: string) => Effect.flatMap(noRows(path, ""), (issue) => Answer.refuse([issue]))

const noRows = (path: string, cause: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const size = yield* Effect.orElseSucceed(
      Effect.map(fs.stat(path), (info) => Number(info.size)),
      () => 1
    )
    const beside = /\.(meta\.json|lost\.jsonl|asks\.jsonl)$/.exec(path)
    if (beside !== null) {
      const rows = `${path.slice(0, beside.index)}.jsonl`
      return { option: path, problem: "stands beside a run and holds no rows", fix: `Name the rows: ${rows}.` }
    }
    return size === 0
      ? { option: path, problem: "is empty", fix: "Name the file of a run that has rows." }
      : {
          option: path,
          problem: `holds no row${cause}`,
          fix: "Name a file of rows; logs of another format are made into rows by sandtable traces import."
        }
  })

/** Files of rows in a folder, newest names last. */
const rowFiles = (folder: string): Effect.Effect<ReadonlyArray<string>, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
    return names.filter((name) => name.endsWith(".jsonl") && !/\.(lost|asks)\.jsonl$/.test(name)).sort()
  })

const inside = (folder: string) =>
  Effect.map(rowFiles(folder), (names) => listed(folder, names, "Name a .jsonl file of rows."))

const near = (file: string, otherwise: string) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const folder = path.dirname(file)
    return listed(folder, yield* rowFiles(folder), otherwise)
  })

const listed = (folder: string, names: ReadonlyArray<string>, otherwise: string): string =>
  names.length === 0
    ? otherwise
    : `In ${folder} there is ${names.slice(0, 5).join(", ")}${names.length > 5 ? ", ..." : ""}.`
