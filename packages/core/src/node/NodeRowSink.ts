/**
 * Files of rows by Node's own means: a row of some kilobytes goes to the page cache in a few microseconds when it is written
 * on the spot, and costs several times that when every write goes through the thread pool and back. Only what waits for
 * the disk itself (fsync) goes through it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import type { Open } from "../row/internal/appender.ts"
import { fromErrno, type RowFileError } from "../row/RowFileError.ts"
import * as RowSink from "../row/RowSink.ts"

/** Rows that go to a file go there by Node's own calls. */
export const layer: Layer.Layer<never> = Layer.sync(RowSink.Disk, () => ({ open }))

const open: Open<never> = (path, fresh) =>
  Effect.acquireRelease(
    attempt(path, () => fs.openSync(path, fresh ? "ax" : "a")),
    (descriptor) => Effect.sync(() => fs.closeSync(descriptor))
  ).pipe(
    Effect.flatMap((descriptor) =>
      attempt(path, () => ({
        write: (bytes: Uint8Array) => attempt(path, () => fs.writeSync(descriptor, bytes)),
        truncate: (size: number) => attempt(path, () => fs.ftruncateSync(descriptor, size)),
        sync: Effect.async<void, RowFileError>((resume) =>
          fs.fsync(descriptor, (error) => resume(error === null ? Effect.void : Effect.fail(fromErrno(path, error))))
        ),
        size: fs.fstatSync(descriptor).size
      }))
    )
  )

const attempt = <A>(path: string, act: () => A): Effect.Effect<A, RowFileError> =>
  Effect.try({ try: act, catch: (error) => fromErrno(path, error) })
