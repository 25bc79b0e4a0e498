/**
 * The file a call wants its rows in: whether it could be written, asked before anything is called or made.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Platform from "../row/internal/platform.ts"
import type { OptionIssue } from "../options/InvalidOptions.ts"
import type { Resolved } from "../options/Options.ts"
import * as Place from "../row/Place.ts"
import * as RowFile from "../row/RowFile.ts"
import * as RowSink from "../row/RowSink.ts"
import type { Found } from "../resume/checkpoint.ts"

/** What is wrong with `output` or `checkpoint`, if anything; options of another shape are somebody else's to refuse. */
export const issuesOf = (options: unknown): Effect.Effect<ReadonlyArray<OptionIssue>> =>
  Effect.gen(function* () {
    if (typeof options !== "object" || options === null) return []
    const given = options as Readonly<Record<string, unknown>>
    const option = given["checkpoint"] === undefined ? "output" : "checkpoint"
    const path = given[option]
    if (typeof path !== "string" || path.trim() === "") return []
    const fs = yield* Effect.serviceOption(Platform.FileSystem)
    if (fs._tag === "None") return [noFileSystem(option)]
    for (const source of ["tasks", "traces"]) {
      const read = given[source]
      if (typeof read !== "string") continue
      if (
        yield* Effect.provideService(
          Place.isSame(path, RowFile.rowsOfLost(read) ?? read),
          Platform.FileSystem,
          fs.value
        )
      ) {
        const problem = `is ${path}, which \`${source}\` reads: its rows would be lost`
        return [{ option, problem, fix: "Name another file." }]
      }
    }
    const problem = yield* problemOf(fs.value, path, option === "checkpoint" || given["overwrite"] === true)
    return problem === null ? [] : [{ option, ...problem }]
  })

/** Where rows go: the file the options name, or the sink in context. The file is opened here, before anything runs. */
export const sinkOf = Effect.fn("Simulation.sinkOf")(function* (
  { checkpoint, output, overwrite }: Resolved["files"],
  found: Found["_tag"]
) {
  const fs = yield* Effect.serviceOption(Platform.FileSystem)
  if (output === null || Option.isNone(fs)) return yield* RowSink.RowSink
  const replaces = overwrite || (checkpoint !== null && found === "Unbegun")
  const existing = found === "Run" ? "append" : replaces ? "replace" : "refuse"
  const sink = RowSink.layerFile(output, { existing })
  return Context.get(
    yield* Layer.build(Layer.provide(sink, Layer.succeed(Platform.FileSystem, fs.value))),
    RowSink.RowSink
  )
})

export const noFileSystem = (option: string): OptionIssue => ({
  option,
  problem: "names a file, and no file system is in context",
  fix: "Provide `NodeContext.layer` of @effect/platform-node, or call `simulate` of @sandtable/core/node."
})

type Problem = Omit<OptionIssue, "option">

const problemOf = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string, overwrite: boolean) {
  const looked = yield* Effect.either(Effect.provideService(Place.of(path), Platform.FileSystem, fs))
  if (looked._tag === "Left" || looked.right._tag === "Nothing") {
    return yield* folderProblem(fs, looked._tag === "Left" ? path : looked.right.path)
  }
  const place = looked.right
  if (place._tag === "Folder") {
    return { problem: `is ${path}, a folder`, fix: `Name a file, such as ${path}/run.jsonl.` } satisfies Problem
  }
  if (place._tag !== "File") {
    const problem = `is ${path}, a device or a pipe, and a run keeps files beside its rows`
    return { problem, fix: "Name a file in a folder you may write to." } satisfies Problem
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
    const folder = Place.folderOf(path)
    const found = yield* Effect.option(fs.stat(folder))
    if (found._tag === "None") return folder === Place.folderOf(folder) ? null : yield* folderProblem(fs, folder)
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
