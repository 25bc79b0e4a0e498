/**
 * The JSON values of a JSONL file, one after the other.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as ExactJson from "../../json/ExactJson.ts"
import * as Measures from "../../row/internal/measures.ts"
import * as RowFile from "../../row/RowFile.ts"
import type { RowFileError } from "../../row/RowFileError.ts"

/** Hands on each value with its line's number, and each line that holds none with what is wrong with it. */
export const forEach = (
  path: string,
  each: (value: unknown, number: number) => void,
  broken: (number: number, problem: string) => void = () => {}
): Effect.Effect<void, RowFileError, FileSystem.FileSystem> =>
  RowFile.readText(path, (lines) =>
    Effect.sync(() => {
      for (const line of lines) {
        if (line._tag === "Unreadable") {
          broken(line.number, line.detail)
          continue
        }
        let value: unknown
        try {
          const text = line.text.charCodeAt(0) === 0xfeff ? line.text.slice(1) : line.text
          value = Measures.rounded(ExactJson.parse(text), "measures")
        } catch {
          broken(line.number, "it is no JSON.")
          continue
        }
        each(value, line.number)
      }
    })
  )
