/**
 * A run on disk that a call names as its `checkpoint`: found, held against the call, and opened to be gone on with.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { InvalidOptions } from "../options/InvalidOptions.ts"
import * as Row from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import { fromPlatform, type RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../row/RunMeta.ts"
import * as AsksFile from "./asksFile.ts"
import type { Resuming } from "./recorded.ts"
import * as SameRun from "./sameRun.ts"

/** What is at the path: nothing, files of a run that never began (`replace`), or a run. */
export type Found =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Unbegun" }
  | { readonly _tag: "Run"; readonly path: string; readonly meta: RunMeta.RunMeta }

export const nothing: Found = { _tag: "Nothing" }

export const find = (path: string | null): Effect.Effect<Found, InvalidOptions> =>
  Effect.gen(function* () {
    const context = yield* Effect.serviceOption(FileSystem.FileSystem)
    if (path === null || context._tag === "None") return nothing
    const fs = context.value
    const found = yield* Effect.option(fs.stat(path))
    if (found._tag === "None") return yield* bare(fs, path)
    if (found.value.type === "Directory") return nothing
    const beside = RowFile.beside(path).meta
    const read = yield* Effect.either(Effect.provideService(RunMeta.read(beside), FileSystem.FileSystem, fs))
    if (Either.isRight(read)) return { _tag: "Run", path, meta: read.right } as const
    // The file of rows is made first: a run that was killed before its meta file has no row.
    if (read.left.reason === "not_found" && found.value.size === FileSystem.Size(0)) return { _tag: "Unbegun" } as const
    return yield* refused({
      problem: `is ${path}, and its ${beside} cannot be read: ${read.left.detail.replace(/(?:[.;]| \().*$/s, "")}`,
      fix: "Put the meta file of the run back beside its rows, or name another `checkpoint`."
    })
  })

/** No file of rows: nothing of another run may stand where the files beside it will. */
const bare = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Found, InvalidOptions> =>
  Effect.gen(function* () {
    const { asks, lost } = RowFile.beside(path)
    for (const left of [asks, lost]) {
      if (!(yield* Effect.orElseSucceed(fs.exists(left), () => false))) continue
      return yield* refused({
        problem: `is ${path}, which is not there, and ${left} of its run is`,
        fix: "Put the rows back beside it, or remove it to begin anew."
      })
    }
    return nothing
  })

/** Whether the call may go on with the run, and how; fails naming all that differs. */
export const resume = (
  { meta, path }: Extract<Found, { readonly _tag: "Run" }>,
  now: RunMeta.Origin
): Effect.Effect<Resuming, InvalidOptions, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    if (meta.origin === undefined) {
      return yield* refused({
        problem: `is ${path}, which does not say what it was begun with`,
        fix: "Name another `checkpoint`; its tasks can be rolled again with `tasks`."
      })
    }
    const issues = SameRun.differences(path, meta.origin, now)
    if (issues.length > 0) return yield* InvalidOptions.of(issues)
    const fs = yield* FileSystem.FileSystem
    const beside = RowFile.beside(path)
    const torn = yield* tornOf(path, meta.run_id)
    if (torn !== null) return yield* refused(torn)
    const provided = <A>(stream: Stream.Stream<A, RowFileError, FileSystem.FileSystem>) =>
      Stream.provideService(stream, FileSystem.FileSystem, fs)
    return {
      path,
      meta,
      exact: SameRun.isExact(meta.origin, now),
      rows: provided(RowFile.read(path)),
      lost: provided(lines(beside.lost)),
      asks: provided(lines(beside.asks)),
      replace: (rows) => Effect.provideService(replace(path, rows), FileSystem.FileSystem, fs)
    }
  })

const refused = (issue: { readonly problem: string; readonly fix: string }) =>
  new InvalidOptions({ issues: [{ option: "checkpoint", ...issue }] })

/**
 * Rows whose tasks are nowhere would be run again and stand in the file twice, and rows of another run would be added to:
 * neither is gone on with.
 */
const tornOf = Effect.fnUntraced(function* (path: string, runId: string) {
  const fs = yield* FileSystem.FileSystem
  const { asks, meta } = RowFile.beside(path)
  const unreadable = ({ detail }: RowFileError) =>
    refused({
      problem: `is ${path}, and a file of its run cannot be read: ${detail.replace(/[.;].*$/s, "")}`,
      fix: putBack
    })
  const first = yield* Stream.runHead(RowFile.readRows(path)).pipe(Effect.catchAll(unreadable))
  if (Option.isNone(first)) return null
  const { lineage } = first.value
  if (lineage !== undefined && lineage.run_id !== runId) {
    return { problem: `is ${path}, whose rows are of another run than its ${meta}`, fix: putBack }
  }
  if (!(yield* Effect.orElseSucceed(fs.exists(asks), () => false))) {
    return { problem: `is ${path}, and ${asks} with the tasks of its rows is not there`, fix: putBack }
  }
  const known = new Set<string>()
  yield* Stream.runForEach(lines(asks), (text) =>
    Effect.sync(() => {
      const line = AsksFile.read(text)
      if (line?._tag === "Task") known.add(line.task.id)
    })
  ).pipe(Effect.catchAll(unreadable))
  const missing = new Set<string>()
  yield* Stream.runForEach(RowFile.readRows(path), (row) =>
    Effect.sync(() => {
      if (row.lineage?.run_id === runId && !known.has(row.task_id)) missing.add(row.task_id)
    })
  ).pipe(Effect.catchAll(unreadable))
  return missing.size === 0
    ? null
    : { problem: `is ${path}, and ${missing.size} tasks of its rows are not in ${asks}`, fix: putBack }
})

const putBack =
  "Put the files of the run back together, or name another `checkpoint`; `tasks` rolls the tasks of its rows again."

/** The texts of a file's lines; none when there is no such file. */
const lines = (path: string): Stream.Stream<string, RowFileError, FileSystem.FileSystem> =>
  Stream.unwrap(
    Effect.map(
      Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.mapError(fs.exists(path), fromPlatform(path, "read"))),
      (there) =>
        there
          ? Stream.filterMap(RowFile.text(path), (line) =>
              line._tag === "Text" ? Option.some(line.text) : Option.none()
            )
          : Stream.empty
    )
  )

/** Puts other lines in the place of rows, whole: a temporary file, then a rename. Gives the digest of all rows. */
const replace = Effect.fn("Checkpoint.replace")(function* (path: string, rows: ReadonlyMap<string, Row.Row>) {
  const fs = yield* FileSystem.FileSystem
  const temporary = `${path}.part`
  const failed = fromPlatform(path, "write")
  const digest = Row.makeDigest()
  const encoder = new TextEncoder()
  const write = Effect.scoped(
    Effect.gen(function* () {
      const file = yield* Effect.mapError(fs.open(temporary, { flag: "w" }), failed)
      yield* Stream.runForEach(RowFile.text(path), (line) => {
        if (line._tag !== "Text") return Effect.void
        const read = Row.parse(line.text)
        const row = Either.isRight(read) ? (rows.get(read.right.row_id) ?? read.right) : null
        if (row !== null) Row.addToDigest(digest, [row])
        const text = row !== null && rows.has(row.row_id) ? Row.encode(row) : line.text
        return Effect.mapError(file.writeAll(encoder.encode(`${text}\n`)), failed)
      })
      yield* Effect.mapError(file.sync, failed)
    })
  )
  yield* Effect.zipRight(write, Effect.mapError(fs.rename(temporary, path), failed)).pipe(
    Effect.tapError(() => Effect.ignore(fs.remove(temporary))),
    Effect.uninterruptible
  )
  return digest.hex()
})
