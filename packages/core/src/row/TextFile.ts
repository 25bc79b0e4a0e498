/**
 * The text of a file that somebody wrote: UTF-8, with a byte order mark or without, or UTF-16 with one. Anything else is
 * refused with the place of the byte that gives it away: read as something it is not, a policy reaches a model as noise.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Platform from "./internal/platform.ts"
import * as Encoding from "./internal/encoding.ts"
import { fromPlatform, RowFileError } from "./RowFileError.ts"

/** Reads a whole file, without its byte order mark. Fails with the reason `not_text` for bytes that are no text. */
export const read: (path: string) => Effect.Effect<string, RowFileError, FileSystem.FileSystem> = Effect.fn(
  "TextFile.read"
)(function* (path: string) {
  const fs = yield* Platform.FileSystem
  const bytes = yield* Effect.mapError(fs.readFile(path), fromPlatform(path, "read"))
  return yield* Either.mapLeft(
    Encoding.decode(bytes),
    (problem) => new RowFileError({ path, reason: "not_text", detail: `${problem}.` })
  )
})

/** What makes a file readable that is refused as `not_text`. */
export const fix = "Save it as UTF-8, or as UTF-16 with a byte order mark."
