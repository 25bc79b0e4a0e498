/**
 * Appends whole lines to a file in the order of the calls. Lines that come at the same time go by one write, and many
 * are forced to the disk together. A line that could only be written in part is taken back at once, or before the next
 * one where the file does not let us.
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Scope } from "effect/Scope"
import * as Platform from "./platform.ts"
import * as Hash from "../../random/Hash.ts"
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
  /** Writes the entry, after those that earlier failures left unsaved; done when it has landed. */
  readonly append: (entry: E) => Effect.Effect<void, RowFileError>
  /** Takes the entry, to be written by `write` or within a tenth of a second. */
  readonly add: (entry: E) => Effect.Effect<void>
  /** Writes what was taken and what is unsaved. */
  readonly write: Effect.Effect<void, RowFileError>
  /** The same, and waits until all is on the disk. */
  readonly flush: Effect.Effect<void, RowFileError>
  /** Entries that are not written yet, in order. */
  readonly unsaved: () => ReadonlyArray<E>
}

export interface Options<E extends Entry> {
  /** The file must not be there yet. */
  readonly fresh: boolean
  /** Done before every write: what has to be on its file earlier. */
  readonly before: Effect.Effect<void, RowFileError>
  /** Another tail of an entry, for hashing: null for lines that nobody hashes. */
  readonly hashedTail: ((entry: E) => string) | null
  /** Told of every line that landed, with the SHA-256 of its head and hashed tail. */
  readonly onLanded: (entry: E, hash: string) => void
}

/** An fsync costs as much as many rows: this many lines share one, or what came within this time. */
const linesPerSync = 256
const syncEvery = "100 millis"
/** UTF-16 units of the lines of one write, about. */
const unitsPerWrite = 1 << 20

/** Through the platform's file system. */
export const open: Open<FileSystem.FileSystem> = Effect.fnUntraced(function* (path: string, fresh: boolean) {
  const fs = yield* Platform.FileSystem
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

/** An entry on its way, and whoever waits for it. */
interface Queued<E> {
  readonly entry: E
  told: ((outcome: Exit.Exit<void, RowFileError>) => void) | null
}

/** Opens the file, and closes it, flushed, with the scope. */
export const make = Effect.fnUntraced(function* <E extends Entry, R>(
  openFile: Open<R>,
  path: string,
  options: Options<E>
) {
  const file = yield* openFile(path, options.fresh)
  const encode = linesEncoder(options.hashedTail)
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const dirty = Effect.unsafeMakeLatch(false)
  const full = Effect.unsafeMakeLatch(false)
  let queue: Array<Queued<E>> = []
  /** A fiber is about to write what is queued, or writes it. */
  let led = false
  let size = file.size
  let torn = false
  let unsynced = 0
  /** An fsync reports a failure once: it is kept for whoever asks next. */
  let syncFailure: RowFileError | undefined

  const mend = Effect.suspend(() => (torn ? Effect.map(file.truncate(size), () => void (torn = false)) : Effect.void))

  /** Writes all bytes; gives how many were written, and what stopped it. */
  const writeAll = (bytes: Uint8Array, from = 0): Effect.Effect<readonly [number, RowFileError | null]> =>
    Effect.matchEffect(file.write(from === 0 ? bytes : bytes.subarray(from)), {
      onFailure: (error) => Effect.succeed([from, error] as const),
      onSuccess: (written) =>
        from + written === bytes.length
          ? Effect.succeed([bytes.length, null] as const)
          : writeAll(bytes, from + written)
    })

  const tell = (one: Queued<E>, outcome: Exit.Exit<void, RowFileError>): void => {
    const { told } = one
    one.told = null
    told?.(outcome)
  }

  /** The lines that are whole have landed. */
  const landed = ({ ends, hashes, queued }: Group<E>, written: number): void => {
    let count = 0
    while (count < ends.length && (ends[count] as number) <= written) count += 1
    if (count === 0) return
    size += ends[count - 1] as number
    unsynced += count
    queue = queue.slice(count)
    dirty.unsafeOpen()
    if (unsynced >= linesPerSync) full.unsafeOpen()
    for (let i = 0; i < count; i++) options.onLanded((queued[i] as Queued<E>).entry, hashes[i] ?? "")
    for (let i = 0; i < count; i++) tell(queued[i] as Queued<E>, Exit.void)
  }

  const drain: Effect.Effect<void, RowFileError> = Effect.suspend(() => {
    if (queue.length === 0) return Effect.void
    const group = encode(queue)
    const writing = torn ? Effect.zipRight(mend, writeAll(group.bytes)) : writeAll(group.bytes)
    return Effect.flatMap(writing, ([written, error]) => {
      landed(group, written)
      if (error === null) return drain
      torn = true
      // At once, since nothing may come after it: a file that ends in half a line is no file of rows to a reader.
      return Effect.zipRight(Effect.ignore(mend), Effect.fail(error))
    })
  })

  const write = oneAtATime(
    Effect.suspend(() => (queue.length === 0 ? Effect.void : Effect.zipRight(options.before, drain)))
  )

  const sync = Effect.suspend(() => {
    unsynced = 0
    dirty.unsafeClose()
    full.unsafeClose()
    return file.sync
  })

  const flush = Effect.zipRight(write, oneAtATime(sync)).pipe(
    Effect.zipRight(Effect.suspend(() => (syncFailure === undefined ? Effect.void : Effect.fail(syncFailure)))),
    Effect.uninterruptible
  )

  const syncInGroups = dirty.await.pipe(
    Effect.zipRight(Effect.race(Effect.sleep(syncEvery), full.await)),
    // What cannot be written stays queued: the next one who writes is told.
    Effect.zipRight(Effect.ignore(write)),
    Effect.zipRight(sync),
    Effect.catchAll((error) => Effect.sync(() => void (syncFailure = error))),
    Effect.forever
  )

  yield* Effect.addFinalizer(() => Effect.ignoreLogged(flush))
  yield* Effect.forkScoped(Effect.interruptible(syncInGroups))

  /** Writes what is queued for all who wait; those whose lines did not land are told why. */
  const lead: Effect.Effect<void> = Effect.flatMap(Effect.exit(write), (outcome) => {
    // Somebody came while the last write ended.
    if (Exit.isSuccess(outcome) && queue.length > 0) return lead
    led = false
    const unsaved = queue.slice()
    for (const one of unsaved) tell(one, outcome)
    return Effect.void
  })

  return {
    append: (entry) =>
      Effect.async<void, RowFileError>((told) => {
        queue.push({ entry, told })
        if (led) return
        led = true
        // Rows that are ready now land with this one, in a fiber that nobody interrupts.
        Effect.runFork(Effect.zipRight(Effect.yieldNow(), lead))
      }),
    add: (entry) =>
      Effect.sync(() => {
        queue.push({ entry, told: null })
        dirty.unsafeOpen()
        if (unsynced + queue.length >= linesPerSync) full.unsafeOpen()
      }),
    write,
    flush,
    unsaved: () => queue.map(({ entry }) => entry)
  } satisfies Appender<E>
})

/** The bytes of some lines, and where each ends. */
interface Group<E> {
  readonly queued: ReadonlyArray<Queued<E>>
  readonly bytes: Uint8Array
  readonly ends: ReadonlyArray<number>
  /** Empty where nobody hashes. */
  readonly hashes: ReadonlyArray<string>
}

/** Encodes into one buffer again and again: only one group is written at a time, and a fresh buffer each costs more. */
const linesEncoder = <E extends Entry>(
  hashedTail: Options<E>["hashedTail"]
): ((queue: ReadonlyArray<Queued<E>>) => Group<E>) => {
  const encoder = new TextEncoder()
  let buffer = new Uint8Array(64 * 1024)
  return (queue) => {
    let units = 0
    let count = 0
    for (; count < queue.length && units < unitsPerWrite; count++) {
      const { entry } = queue[count] as Queued<E>
      units += entry.head.length + Math.max(entry.tail.length, hashedTail?.(entry).length ?? 0) + 1
    }
    // A UTF-16 unit takes three bytes at most.
    if (3 * units > buffer.length) buffer = new Uint8Array(3 * units)
    const queued = queue.slice(0, count)
    const ends: Array<number> = []
    const hashes: Array<string> = []
    let end = 0
    for (const { entry } of queued) {
      const start = end
      end += encoder.encodeInto(entry.head, buffer.subarray(end)).written
      if (hashedTail !== null) {
        // Where the tail will be: the bytes of the head, which are most of the line, serve twice.
        const to = end + encoder.encodeInto(hashedTail(entry), buffer.subarray(end)).written
        hashes.push(Hash.sha256HexOfBytes(buffer.subarray(start, to)))
      }
      end += encoder.encodeInto(entry.tail, buffer.subarray(end)).written
      buffer[end++] = 0x0a
      ends.push(end)
    }
    return { queued, bytes: buffer.subarray(0, end), ends, hashes }
  }
}
