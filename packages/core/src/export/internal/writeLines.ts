/**
 * Writes lines to a file that appears when it is whole: a reader never meets half an export, and what fails
 * leaves what was there before.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Platform from "../../row/internal/platform.ts"
import { fromPlatform, type RowFileError } from "../../row/RowFileError.ts"

/** Characters of lines that are written at once. */
const groupSize = 1 << 20

/** Takes lines without their newlines, and writes them when there are enough. */
export type Write = (lines: ReadonlyArray<string>) => Effect.Effect<void, RowFileError>

/** `make` writes every line, and may still refuse after the last one. */
export const writeLines = <A, E, R>(
  path: string,
  make: (write: Write) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | RowFileError, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* Platform.FileSystem
    const failed = Effect.mapError(fromPlatform(path, "write"))
    const temporary = `${path}.part`
    const folder = path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), 0))
    if (folder !== "") yield* failed(fs.makeDirectory(folder, { recursive: true }))
    const encoder = new TextEncoder()
    const written = Effect.scoped(
      Effect.gen(function* () {
        const file = yield* failed(fs.open(temporary, { flag: "w" }))
        let group: Array<string> = []
        let size = 0
        const flush = Effect.suspend(() => {
          const text = group.join("")
          group = []
          size = 0
          return text === "" ? Effect.void : failed(file.writeAll(encoder.encode(text)))
        })
        const result = yield* make((lines) =>
          Effect.suspend(() => {
            for (const line of lines) {
              group.push(line, "\n")
              size += line.length + 1
            }
            return size >= groupSize ? flush : Effect.void
          })
        )
        yield* flush
        yield* failed(file.sync)
        return result
      })
    )
    return yield* written.pipe(
      Effect.zipLeft(failed(fs.rename(temporary, path))),
      Effect.onError(() => Effect.ignore(fs.remove(temporary)))
    )
  })
