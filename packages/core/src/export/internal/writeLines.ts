/**
 * Writes a stream of lines to a file that appears when it is whole: a reader never meets half an export, and what fails
 * leaves what was there before.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fromPlatform, type RowFileError } from "../../row/RowFileError.ts"

/** Characters of lines that are written at once. */
const groupSize = 1 << 20

/** `whole` is asked after the last line, and may still refuse. */
export const writeLines = <A, E, E2, R, R2>(
  path: string,
  lines: Stream.Stream<string, E, R>,
  whole: Effect.Effect<A, E2, R2>
): Effect.Effect<A, E | E2 | RowFileError, R | R2 | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
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
        yield* Stream.runForEachChunk(lines, (chunk) =>
          Effect.suspend(() => {
            for (const line of Chunk.toReadonlyArray(chunk)) {
              group.push(line, "\n")
              size += line.length + 1
            }
            return size >= groupSize ? flush : Effect.void
          })
        )
        yield* flush
        const result = yield* whole
        yield* failed(file.sync)
        return result
      })
    )
    return yield* written.pipe(
      Effect.zipLeft(failed(fs.rename(temporary, path))),
      Effect.onError(() => Effect.ignore(fs.remove(temporary)))
    )
  })
