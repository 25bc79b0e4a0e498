/**
 * A file that is written whole or left as it was: a temporary file beside the one it becomes, then a rename. Links are
 * followed and permissions kept. A terminal, a pipe or `/dev/null` is written to as it is: nothing can take its place.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Platform from "./internal/platform.ts"
import * as Place from "./Place.ts"
import { fromPlatform, of as fileError, type RowFileError } from "./RowFileError.ts"

/** Writes all of some bytes after those before. */
export type Write = (bytes: Uint8Array) => Effect.Effect<void, RowFileError>

/**
 * `fill` writes the content, and may still refuse after the last byte. Folders that are missing are made. `place` may put
 * the file in its place together with something else, or leave it: then what was there stays.
 */
export const write: <A, E, R, E2 = RowFileError, R2 = never>(
  path: string,
  fill: (write: Write) => Effect.Effect<A, E, R>,
  place?: (put: Effect.Effect<void, RowFileError>) => Effect.Effect<void, E2, R2>
) => Effect.Effect<A, E | E2 | RowFileError, R | R2 | FileSystem.FileSystem> = Effect.fn("WholeFile.write")(function* <
  A,
  E,
  R,
  E2,
  R2
>(
  path: string,
  fill: (write: Write) => Effect.Effect<A, E, R>,
  place?: (put: Effect.Effect<void, RowFileError>) => Effect.Effect<void, E2, R2>
) {
  const fs = yield* Platform.FileSystem
  const failed = Effect.mapError(fromPlatform(path, "write"))
  const at = yield* Place.of(path)
  if (at._tag === "Folder" || at._tag === "Other") return yield* fileError(path, "not_a_file")
  const into = (
    name: string,
    how: FileSystem.OpenFileOptions,
    after: (file: FileSystem.File) => Effect.Effect<void, RowFileError>
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const file = yield* failed(fs.open(name, how))
        const result = yield* fill((bytes) => failed(file.writeAll(bytes)))
        yield* after(file)
        return result
      })
    )
  const placed = (put: Effect.Effect<void, RowFileError>): Effect.Effect<void, E2 | RowFileError, R2> =>
    place === undefined ? put : place(put)
  // appended to: a pipe has no positions to write at
  if (at._tag === "Stream") {
    return yield* Effect.zipLeft(
      into(at.path, { flag: "a" }, () => Effect.void),
      placed(Effect.void)
    )
  }
  if (at._tag === "Nothing") yield* Place.makeFolderOf(at.path)
  const temporary = `${at.path}.part`
  const how = { flag: "w", ...(at._tag === "File" ? { mode: at.mode } : {}) } as const
  let isPut = false
  const put = Effect.gen(function* () {
    // what the process masks of new files is given back
    if (at._tag === "File") yield* failed(fs.chmod(temporary, at.mode))
    yield* failed(fs.rename(temporary, at.path))
    isPut = true
  })
  return yield* Effect.zipLeft(
    into(temporary, how, (file) => failed(file.sync)),
    placed(put)
  ).pipe(Effect.ensuring(Effect.suspend(() => (isPut ? Effect.void : Effect.ignore(fs.remove(temporary))))))
})

/** Writes a text. */
export const text = (path: string, content: string): Effect.Effect<void, RowFileError, FileSystem.FileSystem> =>
  write(path, (bytes) => bytes(new TextEncoder().encode(content)))
