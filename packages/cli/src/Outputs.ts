/**
 * Where a command writes what it made.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Place from "@sandtable/core/unstable/Place"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as RowSink from "@sandtable/core/RowSink"
import * as RunMeta from "@sandtable/core/unstable/RunMeta"
import * as Effect from "effect/Effect"
import * as Answer from "./Answer.ts"

/** `runs/<run id>.jsonl`, then `-2`, `-3` where that exists. */
export const free = (runId: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* Place.makeFolder(runsFolder)
    let candidate = path.join(runsFolder, `${runId}.jsonl`)
    for (let n = 2; yield* fs.exists(candidate); n++) candidate = path.join(runsFolder, `${runId}-${n}.jsonl`)
    return candidate
  }).pipe(
    Effect.catchTags({
      RowFileError: ({ detail }) => cannotWrite(detail),
      SystemError: (error) => cannotWrite(error.message),
      BadArgument: (error) => cannotWrite(error.message)
    })
  )

/** The folder of a file, when it is not there yet: the run makes it. */
export const missingFolder = (file: unknown) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = typeof file === "string" ? path.dirname(file) : "."
    const there = folder === "." || (yield* Effect.orElseSucceed(fs.exists(folder), () => true))
    return there ? null : folder
  })

const runsFolder = "runs"

const cannotWrite = (detail: string) =>
  Answer.refuse([
    {
      option: "--output",
      problem: `${runsFolder}/ cannot be written: ${detail.replace(/(?:;.*)?\.$/, "")}`,
      fix: "Name another file with --output."
    }
  ])

/** A file's name without its folder and ending. */
export const stem = (file: string) =>
  Effect.map(Path.Path, (path) => path.basename(file).replace(/\.(jsonl|ndjson|json)$/i, ""))

/** Text of somebody else's, such as the id of a row, as part of a file's name: it leads nowhere, and is no longer than a name may be. */
export const inName = (text: string): string => text.replace(/[^\w-]+/g, "_").slice(0, 80)

/**
 * Refuses a file that is there, unless it may be replaced, and always one that the command reads: before anything is done. A
 * pipe or a terminal takes what comes.
 */
export const refuseExisting = (file: string, overwrite: boolean, sources: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* refuseSource(file, sources)
    const place = yield* Effect.catchAll(Place.of(file), unwritable)
    if (!overwrite && place._tag !== "Nothing" && place._tag !== "Stream") {
      return yield* Answer.refuse([alreadyThere(file)])
    }
  })

/** Refuses a file that the command reads. */
export const refuseSource = (file: string, sources: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    for (const source of sources) {
      if (!(yield* Place.isSame(file, source))) continue
      const problem = `${file} is what the command reads: it would be lost`
      return yield* Answer.refuse([{ option: "--output", problem, fix: "Name another file with --output." }])
    }
  })

/** Makes the folder of a file that is to be written, where it is not there yet. */
export const makeFolder = (file: string) =>
  Effect.catchAll(Effect.flatMap(Place.real(file), Place.makeFolderOf), unwritable)

/** A file of rows that could not be written. */
export const unwritable = (error: RowFile.RowFileError) =>
  Answer.refuse([
    error.reason === "exists"
      ? alreadyThere(error.path)
      : {
          option: "--output",
          problem: `${error.path} cannot be written: ${error.detail.replace(/(?:;.*)?\.$/, "")}`,
          fix: "Name another file with --output."
        }
  ])

const alreadyThere = (file: string) => ({
  option: "--output",
  problem: `${file} is already there`,
  fix: "Name another, or add --overwrite."
})

/** The rows, and beside them what the run they come from knows of tools and policy. */
export const rows = (source: string, output: string, all: ReadonlyArray<Row.Row>) =>
  Effect.gen(function* () {
    const sink = yield* RowSink.RowSink
    yield* Effect.forEach(all, sink.append, { discard: true })
    yield* sink.flush
    const meta = yield* Effect.option(RunMeta.readBeside(source))
    if (meta._tag === "None") return
    yield* RunMeta.write((yield* RowFile.around(output)).meta, {
      ...meta.value,
      counts: { ...meta.value.counts, rows: all.length },
      // of the whole run, not of these rows
      report: null,
      search: null,
      degraded: [],
      warnings: [],
      group_cut: [],
      rows_digest: Row.digest(all)
    })
  }).pipe(Effect.provide(RowSink.layerFile(output, { existing: "replace" })), Effect.catchAll(unwritable))
