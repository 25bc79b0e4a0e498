/**
 * The file a call wants its rows in: whether it could be written, asked before anything is called or made.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { OptionIssue } from "../options/InvalidOptions.ts"

/** What is wrong with `output`, if anything; options of another shape are somebody else's to refuse. */
export const issuesOf = (options: unknown): Effect.Effect<ReadonlyArray<OptionIssue>> =>
  Effect.gen(function* () {
    if (typeof options !== "object" || options === null || !("output" in options)) return []
    const { output } = options
    if (typeof output !== "string" || output.trim() === "") return []
    const fs = yield* Effect.serviceOption(FileSystem.FileSystem)
    if (fs._tag === "None") return [noFileSystem("output")]
    const problem = yield* problemOf(fs.value, output, "overwrite" in options && options.overwrite === true)
    return problem === null ? [] : [{ option: "output", ...problem }]
  })

export const noFileSystem = (option: string): OptionIssue => ({
  option,
  problem: "names a file, and no file system is in context",
  fix: "Provide `NodeContext.layer` of @effect/platform-node, or call `simulate` of @sandtable/core/node."
})

type Problem = Omit<OptionIssue, "option">

const problemOf = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string, overwrite: boolean) {
  const found = yield* Effect.option(fs.stat(path))
  if (found._tag === "None") return yield* folderProblem(fs, path)
  if (found.value.type === "Directory") {
    return { problem: `is ${path}, a folder`, fix: `Name a file, such as ${path}/run.jsonl.` } satisfies Problem
  }
  if (!overwrite) {
    const fix = "Name another file, or set `overwrite: true`."
    return { problem: `is ${path}, which exists`, fix } satisfies Problem
  }
  const writable = yield* Effect.isSuccess(fs.access(path, { writable: true }))
  return writable ? null : unwritable(path)
})

/** Folders that are missing are made later, so the nearest one that is there has to let us. */
const folderProblem = (fs: FileSystem.FileSystem, path: string): Effect.Effect<Problem | null> =>
  Effect.gen(function* () {
    const folder = parentOf(path)
    const found = yield* Effect.option(fs.stat(folder))
    if (found._tag === "None") return folder === parentOf(folder) ? null : yield* folderProblem(fs, folder)
    if (found.value.type !== "Directory") {
      const problem = `is ${path}, and ${folder} is no folder`
      return { problem, fix: "Name a file in a folder." }
    }
    return (yield* Effect.isSuccess(fs.access(folder, { writable: true }))) ? null : unwritable(folder)
  })

const unwritable = (path: string): Problem => ({
  problem: `cannot be written: ${path} is read-only`,
  fix: "Name a file you may write."
})

const parentOf = (path: string): string => {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))
  return end > 0 ? path.slice(0, end) : end === 0 ? "/" : "."
}
