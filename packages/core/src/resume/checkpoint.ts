/**
 * A run on disk that a call names as its `checkpoint`: found, held against the call, and opened to be gone on with.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Platform from "../row/internal/platform.ts"
import { InvalidOptions } from "../options/InvalidOptions.ts"
import * as Row from "../row/Row.ts"
import * as Place from "../row/Place.ts"
import * as RowFile from "../row/RowFile.ts"
import { fromPlatform, type RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../report/RunMeta.ts"
import * as WholeFile from "../row/WholeFile.ts"
import * as AsksFile from "./asksFile.ts"
import type { Resuming } from "./resumeState.ts"
import * as Fingerprint from "./fingerprint.ts"

/** What is at the path: nothing, files of a run that never began (`replace`), or a run. */
export type Found =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Unbegun" }
  | { readonly _tag: "Run"; readonly path: string; readonly meta: RunMeta.RunMeta }

export const nothing: Found = { _tag: "Nothing" }

export const find = (given: string | null): Effect.Effect<Found, InvalidOptions> =>
  Effect.gen(function* () {
    const context = yield* Effect.serviceOption(Platform.FileSystem)
    if (given === null || context._tag === "None") return nothing
    const fs = context.value
    const path = yield* Effect.provideService(Place.real(given), Platform.FileSystem, fs)
    const found = yield* Effect.option(fs.stat(path))
    if (found._tag === "None") return yield* bare(fs, path)
    if (found.value.type === "Directory") return nothing
    const beside = RowFile.beside(path).meta
    const read = yield* Effect.either(Effect.provideService(RunMeta.read(beside), Platform.FileSystem, fs))
    if (Either.isRight(read)) return { _tag: "Run", path, meta: read.right } as const
    // The file of rows is made first: a run that was killed before its meta file has no row.
    if (read.left.reason === "not_found" && Number(found.value.size) === 0) return { _tag: "Unbegun" } as const
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
    const issues = Fingerprint.differences(path, meta.origin, now)
    if (issues.length > 0) return yield* InvalidOptions.of(issues)
    const fs = yield* Platform.FileSystem
    const beside = RowFile.beside(path)
    const torn = yield* tornOf(path, meta.run_id)
    if (torn !== null) return yield* refused(torn)
    const provided = Effect.provideService(Platform.FileSystem, fs)
    return {
      path,
      meta,
      exact: Fingerprint.isExact(meta.origin, now),
      rows: (take) => provided(RowFile.read(path, take)),
      lost: (take) => provided(texts(beside.lost, take)),
      asks: (take) => provided(texts(beside.asks, take)),
      replace: (rows) => Effect.provideService(replace(path, rows), Platform.FileSystem, fs)
    }
  })

const refused = (issue: { readonly problem: string; readonly fix: string }) =>
  new InvalidOptions({ issues: [{ option: "checkpoint", ...issue }] })

/**
 * Rows whose tasks are nowhere would be run again and stand in the file twice, and rows of another run would be added to:
 * neither is gone on with.
 */
const tornOf = Effect.fnUntraced(function* (path: string, runId: string) {
  const fs = yield* Platform.FileSystem
  const { asks, meta } = RowFile.beside(path)
  const unreadable = ({ detail }: RowFileError) =>
    refused({
      problem: `is ${path}, and a file of its run cannot be read: ${detail.replace(/[.;].*$/s, "")}`,
      fix: putBack
    })
  const begun: Array<Row.Row> = []
  yield* RowFile.readRows(path, (rows) => Effect.sync(() => begun.push(...rows.slice(0, 1)) === 0)).pipe(
    Effect.catchAll(unreadable)
  )
  const [first] = begun
  if (first === undefined) return null
  const { lineage } = first
  if (lineage !== undefined && lineage.run_id !== runId) {
    return { problem: `is ${path}, whose rows are of another run than its ${meta}`, fix: putBack }
  }
  if (!(yield* Effect.orElseSucceed(fs.exists(asks), () => false))) {
    return { problem: `is ${path}, and ${asks} with the tasks of its rows is not there`, fix: putBack }
  }
  const known = new Set<string>()
  yield* texts(asks, (lines) =>
    Effect.sync(() => {
      for (const text of lines) {
        const line = AsksFile.read(text)
        if (line?._tag === "Task") known.add(line.task.id)
      }
    })
  ).pipe(Effect.catchAll(unreadable))
  const missing = new Set<string>()
  yield* RowFile.readRows(path, (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        if (row.lineage?.run_id === runId && !known.has(row.task_id)) missing.add(row.task_id)
      }
    })
  ).pipe(Effect.catchAll(unreadable))
  return missing.size === 0
    ? null
    : { problem: `is ${path}, and ${missing.size} tasks of its rows are not in ${asks}`, fix: putBack }
})

const putBack =
  "Put the files of the run back together, or name another `checkpoint`; `tasks` rolls the tasks of its rows again."

/** Hands on the texts of a file's lines; none when there is no such file. */
const texts = (
  path: string,
  take: (texts: ReadonlyArray<string>) => Effect.Effect<unknown, RowFileError>
): Effect.Effect<void, RowFileError, FileSystem.FileSystem> =>
  Effect.flatMap(Platform.FileSystem, (fs) => Effect.mapError(fs.exists(path), fromPlatform(path, "read"))).pipe(
    Effect.flatMap((there) =>
      there
        ? RowFile.readText(path, (lines) => take(lines.flatMap((line) => (line._tag === "Text" ? [line.text] : []))))
        : Effect.void
    )
  )

/** Puts other lines in the place of rows, whole. Gives the digest of all rows. */
const replace = Effect.fn("Checkpoint.replace")(function* (path: string, rows: ReadonlyMap<string, Row.Row>) {
  const digest = Row.makeDigest()
  const encoder = new TextEncoder()
  yield* WholeFile.write(path, (write) => {
    const replaced = (text: string): string => {
      const read = Row.parse(text)
      const row = Either.isRight(read) ? (rows.get(read.right.row_id) ?? read.right) : null
      if (row !== null) Row.addToDigest(digest, [row])
      return row !== null && rows.has(row.row_id) ? Row.encode(row) : text
    }
    return texts(path, (lines) =>
      Effect.suspend(() => write(encoder.encode(lines.map((line) => `${replaced(line)}\n`).join(""))))
    )
  }).pipe(Effect.uninterruptible)
  return digest.hex()
})
