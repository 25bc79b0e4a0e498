/**
 * Appends whole lines to a file: one write each, in the order of the calls, forced to the disk in groups. A line that
 * could only be written in part is taken back at once, or before the next one where the file does not let us.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { fromPlatform, type RowFileError } from "../RowFileError.ts"

/** A file that is open for appending. */
export interface OpenFile {
  /** Bytes that were written, which may be fewer than were given. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<number, RowFileError>
  readonly truncate: (size: number) => Effect.Effect<void, RowFileError>
  readonly sync: Effect.Effect<void, RowFileError>
  /** Length when it was opened. */
  readonly size: number
}

/** Opens a file for appending and closes it with the scope; `fresh` when it must not be there yet. */
export type Open<R> = (path: string, fresh: boolean) => Effect.Effect<OpenFile, RowFileError, R | Scope>

/** A line to be written, in two parts, with whatever its owner wants back when it has landed. */
export interface Entry {
  readonly head: string
  readonly tail: string
}

export interface Appender<E extends Entry> {
  /** Writes the entry, after those that earlier failures left unsaved. */
  readonly append: (entry: E) => Effect.Effect<void, RowFileError>
  /** Writes what is unsaved and waits until all is on the disk. */
  readonly flush: Effect.Effect<void, RowFileError>
  /** Entries that could not be written yet, in order. */
  readonly unsaved: () => ReadonlyArray<E>
}

/** An fsync costs as much as many rows: this many lines share one, or what came within this time. */
const linesPerSync = 256
const syncEvery = "100 millis"

/** Through the platform's file system. */
export const open: Open<FileSystem.FileSystem> = Effect.fnUntraced(function* (path: string, fresh: boolean) {
  const fs = yield* FileSystem.FileSystem
  const failed = fromPlatform(path, "write")
  const mapped = <A>(effect: Effect.Effect<A, PlatformError>) => Effect.mapError(effect, failed)
  const file = yield* Effect.mapError(fs.open(path, { flag: fresh ? "ax" : "a" }), failed)
  return {
    write: (bytes) => Effect.map(mapped(file.write(bytes)), Number),
    truncate: (size) => mapped(file.truncate(size)),
    sync: mapped(Effect.suspend(() => file.sync)),
    size: Number((yield* mapped(file.stat)).size)
  } satisfies OpenFile
})

/** Opens the file, and closes it, flushed, with the scope. */
export const make = Effect.fnUntraced(function* <E extends Entry, R>(
  openFile: Open<R>,
  path: string,
  options: {
    readonly fresh: boolean
    /** Told of every line that landed, with the bytes of its head, which are good only for now. */
    readonly onLanded: (entry: E, head: Uint8Array) => void
  }
) {
  const file = yield* openFile(path, options.fresh)
  const encode = lineEncoder()
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const dirty = Effect.unsafeMakeLatch(false)
  const full = Effect.unsafeMakeLatch(false)
  const queue: Array<E> = []
  let size = file.size
  let torn = false
  let unsynced = 0
  /** An fsync reports a failure once: it is kept for whoever asks next. */
  let syncFailure: RowFileError | undefined

  const mend = Effect.suspend(() => (torn ? Effect.map(file.truncate(size), () => void (torn = false)) : Effect.void))

  const writeAll = (bytes: Uint8Array): Effect.Effect<void, RowFileError> =>
    Effect.flatMap(file.write(bytes), (written) =>
      written === bytes.length ? Effect.void : writeAll(bytes.subarray(written))
    )

  const landed = (entry: E, line: EncodedLine): void => {
    queue.shift()
    size += line.bytes.length
    unsynced += 1
    dirty.unsafeOpen()
    if (unsynced >= linesPerSync) full.unsafeOpen()
    options.onLanded(entry, line.head)
  }

  const drain: Effect.Effect<void, RowFileError> = Effect.suspend(() => {
    const entry = queue[0]
    if (entry === undefined) return Effect.void
    const line = encode(entry)
    return Effect.matchEffect(torn ? Effect.zipRight(mend, writeAll(line.bytes)) : writeAll(line.bytes), {
      onFailure: (error) => {
        torn = true
        // At once, since nothing may come after it: a file that ends in half a line is no file of rows to a reader.
        return Effect.zipRight(Effect.ignore(mend), Effect.fail(error))
      },
      onSuccess: () => {
        landed(entry, line)
        return queue.length === 0 ? Effect.void : drain
      }
    })
  })

  const sync = Effect.suspend(() => {
    unsynced = 0
    dirty.unsafeClose()
    full.unsafeClose()
    return file.sync
  })

  const flush = oneAtATime(Effect.zipRight(drain, sync)).pipe(
    Effect.zipRight(Effect.suspend(() => (syncFailure === undefined ? Effect.void : Effect.fail(syncFailure)))),
    Effect.uninterruptible
  )

  const syncInGroups = dirty.await.pipe(
    Effect.zipRight(Effect.race(Effect.sleep(syncEvery), full.await)),
    Effect.zipRight(sync),
    Effect.catchAll((error) => Effect.sync(() => void (syncFailure = error))),
    Effect.forever
  )

  yield* Effect.addFinalizer(() => Effect.ignoreLogged(flush))
  yield* Effect.forkScoped(Effect.interruptible(syncInGroups))

  return {
    append: (entry) => {
      const appended = Effect.suspend(() => {
        queue.push(entry)
        return drain
      })
      return Effect.uninterruptible(oneAtATime(appended))
    },
    flush,
    unsaved: () => queue
  } satisfies Appender<E>
})

interface EncodedLine {
  readonly bytes: Uint8Array
  readonly head: Uint8Array
}

/** Encodes into one buffer again and again: lines are written one at a time, and a fresh buffer each costs more. */
const lineEncoder = (): ((entry: Entry) => EncodedLine) => {
  const encoder = new TextEncoder()
  let buffer = new Uint8Array(64 * 1024)
  return ({ head, tail }) => {
    // A UTF-16 unit takes three bytes at most.
    const most = 3 * (head.length + tail.length) + 1
    if (most > buffer.length) buffer = new Uint8Array(2 * most)
    const headEnd = encoder.encodeInto(head, buffer).written
    const end = headEnd + encoder.encodeInto(tail, buffer.subarray(headEnd)).written
    buffer[end] = 0x0a
    return { bytes: buffer.subarray(0, end + 1), head: buffer.subarray(0, headEnd) }
  }
}
