/**
 * Values that are given as JSON on the command line or as the path of a file: JSON, JSON Lines or YAML by its ending.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as TextFile from "@sandtable/core/unstable/TextFile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export interface Unreadable {
  readonly problem: string
  readonly fix: string
}

/** The value the words stand for; none when they are neither JSON nor an existing file. */
export const jsonOrFile = (words: string): Effect.Effect<Option.Option<unknown>, Unreadable, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (/^\s*[[{"]/.test(words)) {
      return yield* Effect.mapBoth(parse(words, "json"), {
        onFailure: (detail) => ({ problem: `is not valid JSON: ${detail}`, fix: "Check its quotes and commas." }),
        onSuccess: Option.some
      })
    }
    const found = yield* Effect.orElseSucceed(fs.stat(words), () => null)
    if (found === null || found.type !== "File") return Option.none()
    return Option.some(yield* read(words))
  })

/** Reads a file of data by its ending. */
export const read = (path: string): Effect.Effect<unknown, Unreadable, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const content = yield* text(path)
    return yield* Effect.mapError(parse(content, formatOf(path)), (detail) => ({
      problem: `${path} could not be read: ${detail}`,
      fix: "Correct the file; .json, .jsonl, .yaml and .yml are read by their ending."
    }))
  })

/** A list of asks: data, or the lines of a text. */
export const asks = (path: string): Effect.Effect<unknown, Unreadable, FileSystem.FileSystem> =>
  /\.txt$/i.test(path)
    ? Effect.map(text(path), (words) =>
        words
          .split(/\r?\n/)
          .map((line) => line.trim())
          .filter((line) => line !== "")
      )
    : jsonOrFile(path).pipe(
        Effect.flatMap(
          Option.match({
            // neither JSON nor a file: reading it says why
            onNone: () => read(path),
            onSome: (value) => Effect.succeed(value)
          })
        )
      )

/** A spec as the library takes it: YAML read here, since the library has no reader for it, all else as it is. */
export const spec = (words: string): Effect.Effect<unknown, Unreadable, FileSystem.FileSystem> =>
  /^[^\n]+\.ya?ml$/i.test(words)
    ? // a bare list is a list of tools
      Effect.map(read(words), (value) => (Array.isArray(value) ? { tools: value } : value))
    : Effect.succeed(words)

/** The text of a file. */
export const text = (path: string): Effect.Effect<string, Unreadable, FileSystem.FileSystem> =>
  Effect.mapError(TextFile.read(path), ({ detail, reason }) => {
    const cause = detail.replace(/(?:;.*)?\.$/, "")
    return reason === "not_text"
      ? { problem: `the file ${path} ${cause}`, fix: TextFile.fix }
      : {
          problem: reason === "not_found" ? `there is no file ${path}` : `the file ${path} could not be read: ${cause}`,
          fix: "Check the path and its permissions."
        }
  })

type Format = "json" | "jsonl" | "yaml"

const formatOf = (path: string): Format =>
  /\.(jsonl|ndjson)$/i.test(path) ? "jsonl" : /\.ya?ml$/i.test(path) ? "yaml" : "json"

const parse = (content: string, format: Format): Effect.Effect<unknown, string> => {
  switch (format) {
    case "json":
      return Effect.try({ try: (): unknown => JSON.parse(content), catch: explain })
    case "jsonl":
      return Effect.forEach(
        content.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [{ line, number: index + 1 }])),
        ({ line, number }) =>
          Effect.try({ try: (): unknown => JSON.parse(line), catch: (error) => `line ${number}: ${explain(error)}` })
      )
    case "yaml":
      // Loaded on first use: most calls read no YAML.
      return Effect.flatMap(
        Effect.promise(() => import("yaml")),
        (yaml) => Effect.try({ try: (): unknown => yaml.parse(content), catch: explain })
      )
  }
}

const explain = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)
