/**
 * Writes lines to a file that appears when it is whole: a reader never meets half an export, and what fails
 * leaves what was there before.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../../row/RowFileError.ts"
import * as WholeFile from "../../row/WholeFile.ts"

/** Characters of lines that are written at once. */
const groupSize = 1 << 20

/** Takes lines without their newlines, and writes them when there are enough. */
export type Write = (lines: ReadonlyArray<string>) => Effect.Effect<void, RowFileError>

/** `make` writes every line, and may still refuse after the last one. */
export const writeLines = <A, E, R>(
  path: string,
  make: (write: Write) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | RowFileError, R | FileSystem.FileSystem> =>
  WholeFile.write(path, (write) =>
    Effect.gen(function* () {
      const encoder = new TextEncoder()
      let group: Array<string> = []
      let size = 0
      const flush = Effect.suspend(() => {
        const text = group.join("")
        group = []
        size = 0
        return text === "" ? Effect.void : write(encoder.encode(text))
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
      return result
    })
  )
