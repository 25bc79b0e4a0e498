/**
 * Where rows go as they land: nowhere beside the result, into memory, or into a file. A landed row is a written row: rows
 * that land together share a write, and groups of them are forced to the disk.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Platform from "./internal/platform.ts"
import * as Appender from "./internal/appender.ts"
import * as Digest from "./internal/rowDigest.ts"
import { jsonText } from "../json/jsonText.ts"
import * as Place from "./Place.ts"
import { addToDigest, digest, encodeParts, placeOf, type EncodedRow, type Row } from "./Row.ts"
import * as RowFile from "./RowFile.ts"
import { fromPlatform, of as fileError, type RowFileError } from "./RowFileError.ts"

/**
 * A line of a file beside the rows: any JSON object.
 * @since 0.1.0
 * @category models
 */
export type SideRecord = object

/**
 * A place that rows land in.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Lands a row. A row that could not be written is kept (`unsaved`) and tried again, in order, with the next one: the
   * failure says that it is not on disk, not that it is gone.
   */
  readonly append: (row: Row) => Effect.Effect<void, RowFileError>
  /** Keeps a lost rollout, with its cause and its steps so far, in `run.lost.jsonl`. */
  readonly lost: (record: SideRecord) => Effect.Effect<void, RowFileError>
  /** Keeps an admitted ask in `run.asks.jsonl`, in order: it is on file before any row that lands after it. */
  readonly asks: (record: SideRecord) => Effect.Effect<void, RowFileError>
  /** Writes what is unsaved and waits until all of it is on the disk. */
  readonly flush: Effect.Effect<void, RowFileError>
  /** Rows that are in memory alone. */
  readonly unsaved: Effect.Effect<ReadonlyArray<Row>>
  /** `Row.digest` of every row that landed, those of a resumed file included; null for a sink that keeps none. */
  readonly digest: Effect.Effect<string | null>
  /** Half last lines that were cut off before appending. */
  readonly repairs: ReadonlyArray<RowFile.Repair & { readonly path: string }>
}

/**
 * What to do with a file that is already there: refuse it, replace it, or append to it (a half last line is cut off).
 * @since 0.1.0
 * @category models
 */
export interface FileOptions {
  readonly existing?: "refuse" | "replace" | "append"
}

/**
 * How lines get to a disk: the platform's file system by default; a platform may have a cheaper way.
 * @since 0.1.0
 * @category models
 */
export interface DiskService {
  readonly open: Appender.Open<FileSystem.FileSystem>
}

/**
 * How files are opened for appending.
 * @since 0.1.0
 * @category services
 */
export class Disk extends Context.Reference<Disk>()("@sandtable/core/RowSink/Disk", {
  defaultValue: (): DiskService => ({ open: Appender.open })
}) {}

const nothing: Service = {
  append: () => Effect.void,
  lost: () => Effect.void,
  asks: () => Effect.void,
  flush: Effect.void,
  unsaved: Effect.succeed([]),
  digest: Effect.succeed(null),
  repairs: []
}

/**
 * By default rows are held by the result of a run and nowhere else.
 * @since 0.1.0
 * @category services
 */
export class RowSink extends Context.Reference<RowSink>()("@sandtable/core/RowSink", {
  defaultValue: (): Service => nothing
}) {}

/**
 * A sink that keeps everything in the given arrays.
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory = (kept: {
  readonly rows: Array<Row>
  readonly lost: Array<SideRecord>
  readonly asks: Array<SideRecord>
}): Service => ({
  append: (row) => Effect.sync(() => void kept.rows.push(row)),
  lost: (record) => Effect.sync(() => void kept.lost.push(record)),
  asks: (record) => Effect.sync(() => void kept.asks.push(record)),
  flush: Effect.void,
  unsaved: Effect.sync(() => [...kept.rows]),
  digest: Effect.sync(() => digest(kept.rows)),
  repairs: []
})

/**
 * Keeps rows in memory: they are what `unsaved` gives.
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<never> = Layer.sync(RowSink, () => makeMemory({ rows: [], lost: [], asks: [] }))

/**
 * Appends rows to a JSONL file; `run.lost.jsonl` and `run.asks.jsonl` appear beside it once there is something to keep.
 * Folders that are missing on the way are made. What is wrong with the path is found here, before a run begins.
 * @since 0.1.0
 * @category layers
 */
export const layerFile = (
  path: string,
  options: FileOptions = {}
): Layer.Layer<never, RowFileError, FileSystem.FileSystem> =>
  Layer.scoped(RowSink, makeFile(path, options.existing ?? "refuse"))

interface RowEntry extends EncodedRow {
  readonly row: Row
}

const makeFile = Effect.fn("RowSink.makeFile")(function* (
  given: string,
  existing: NonNullable<FileOptions["existing"]>
) {
  const disk = yield* Disk
  const path = yield* Place.real(given)
  const beside = RowFile.beside(path)
  const repairs = yield* prepare([path, beside.lost, beside.asks], existing)
  const hashes = Digest.make()
  if (existing === "append") yield* digestFile(path, hashes)
  const fresh = existing !== "append"
  const lost = yield* openLater(disk, beside.lost, fresh)
  const asks = yield* openLater(disk, beside.asks, fresh)
  const rows = yield* Appender.make(disk.open, path, {
    fresh,
    before: asks.write,
    hashedTail: ({ sharedTail }: RowEntry) => sharedTail,
    onLanded: ({ row }: RowEntry, hash) => hashes.add(placeOf(row), hash)
  })
  return {
    append: (row) =>
      Effect.suspend(() => {
        const { head, sharedTail, tail } = encodeParts(row)
        return rows.append({ row, head, tail, sharedTail })
      }),
    lost: lost.append,
    asks: asks.add,
    flush: Effect.all([rows.flush, lost.flush, asks.flush], { discard: true }),
    unsaved: Effect.sync(() => rows.unsaved().map((entry) => entry.row)),
    digest: Effect.sync(hashes.hex),
    repairs
  } satisfies Service
})

/** A file beside the rows: it is not there until there is something to keep. */
const openLater = Effect.fnUntraced(function* (disk: DiskService, path: string, fresh: boolean) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<FileSystem.FileSystem>()
  const opening = Appender.make(disk.open, path, {
    fresh,
    before: Effect.void,
    hashedTail: null,
    onLanded: () => {}
  }).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(context))
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let opened: Appender.Appender<Appender.Entry> | undefined
  // A failure to open is not kept: there may be room on the disk the next time.
  const file = Effect.suspend(() =>
    opened === undefined
      ? oneAtATime(
          Effect.suspend(() =>
            opened === undefined
              ? Effect.tap(opening, (made) => Effect.sync(() => (opened = made)))
              : Effect.succeed(opened)
          )
        )
      : Effect.succeed(opened)
  )
  const entryOf = (record: SideRecord): Appender.Entry => ({ head: jsonText(record), tail: "" })
  return {
    append: (record: SideRecord) => Effect.flatMap(file, (to) => to.append(entryOf(record))),
    add: (record: SideRecord) => Effect.flatMap(file, (to) => to.add(entryOf(record))),
    write: Effect.suspend(() => opened?.write ?? Effect.void),
    flush: Effect.suspend(() => opened?.flush ?? Effect.void)
  }
})

/** Leaves the place as `existing` says, with every folder on the way. */
const prepare = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  existing: NonNullable<FileOptions["existing"]>
) {
  const fs = yield* Platform.FileSystem
  const there: Array<string> = []
  for (const path of paths) {
    const place = yield* Place.of(path)
    if (place._tag === "Nothing") {
      yield* Place.makeFolderOf(path)
      continue
    }
    // files stand beside the rows, and appending takes back what was written in part
    if (place._tag !== "File") return yield* fileError(path, "not_a_file")
    if (existing === "refuse") return yield* fileError(path, "exists")
    there.push(path)
  }
  if (existing === "replace") {
    yield* Effect.forEach(there, (path) => Effect.mapError(fs.remove(path), fromPlatform(path, "write")))
    return []
  }
  const repairs = yield* Effect.forEach(there, (path) =>
    Effect.map(RowFile.repair(path), (repair) => ({ path, ...repair }))
  )
  return repairs.filter((repair) => repair.cut > 0)
})

const digestFile = (path: string, into: Digest.RowDigest) =>
  Effect.flatMap(Platform.FileSystem, (fs) => Effect.mapError(fs.exists(path), fromPlatform(path, "read"))).pipe(
    Effect.flatMap((there) =>
      there ? RowFile.readRows(path, (rows) => Effect.sync(() => addToDigest(into, rows))) : Effect.void
    )
  )
