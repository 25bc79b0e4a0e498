/**
 * `sandtable init`: a small project that can be rehearsed at once.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Place from "@sandtable/core/unstable/Place"
import * as Effect from "effect/Effect"
import * as Answer from "../Answer.ts"
import * as Asked from "../Asked.ts"
import * as Flags from "../Flags.ts"
import type * as Help from "../Help.ts"
import * as Invocation from "../Invocation.ts"
import * as Project from "../Project.ts"

export const page: Help.Page = {
  name: "init",
  usage: ["sandtable init [folder] [options]"],
  arguments: [["[folder]", "where the files go (this folder); it is made when it is not there"]],
  examples: [["a project to begin with", "sandtable init my-agent"]],
  notes: [
    "Files that are already there are never replaced: with an agent.ts, tools.ts, rubric.md or asks.txt in the folder nothing is written at all; a package.json stays as it is.",
    "Exit status: 0 done, 64 refused."
  ],
  flags: Flags.common
}

export const run = (given: Flags.Given, rest: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const [folder] = rest.length === 0 ? ["."] : yield* Asked.words(page, rest, ["folder"])
    const refused = (problem: string, fix: string, at = folder) => Answer.refuse([{ option: at, problem, fix }])
    const isFolder = yield* Effect.orElseSucceed(
      Effect.map(fs.stat(folder), ({ type }) => type === "Directory"),
      () => null
    )
    if (isFolder === false) return yield* refused("is a file, not a folder", "Name another folder.")
    const there = yield* Effect.filter(Project.files, ({ name }) =>
      Effect.orElseSucceed(fs.exists(paths.join(folder, name)), () => false)
    )
    const inTheWay = there.filter(({ mayBeThere }) => mayBeThere !== true)
    if (inTheWay.length > 0) {
      return yield* Answer.refuse(
        inTheWay.map(({ name }) => ({
          option: paths.join(folder, name),
          problem: "is already there, and nothing is replaced",
          fix: "Name another folder, such as sandtable init my-agent."
        }))
      )
    }
    const written = Project.files.filter((file) => !there.includes(file))
    yield* Effect.gen(function* () {
      yield* Place.makeFolder(folder)
      for (const { name, text } of written) yield* fs.writeFileString(paths.join(folder, name), text, { flag: "wx" })
    }).pipe(
      Effect.catchAll((error) =>
        refused(
          `cannot be written: ${error._tag === "RowFileError" ? error.detail.replace(/(?:;.*)?\.$/, "") : error.message}`,
          "Name a folder you may write to."
        )
      )
    )

    const { program } = yield* Invocation.Invocation
    const commands = [
      ...(folder === "." ? [] : [`cd ${Invocation.shell([folder])}`]),
      `${program} simulate agent.ts --offline --grade --repeats 4 --repeat-policy fixed --budget 64`
    ]
    yield* Answer.give(
      given.get("json") === "true",
      {
        command: "init",
        folder,
        written: written.map(({ name }) => name),
        kept: there.map(({ name }) => name),
        next: [{ purpose: "rehearse the agent, offline", command: commands.join(" && ") }]
      },
      ({ style }) =>
        [
          style.bold(`A project to begin with, in ${folder === "." ? "this folder" : folder}`),
          ...written.map(({ name }) => `  ${name.padEnd(14)}${style.dim(purposes.get(name) ?? "")}`),
          ...(there.length === 0 ? [] : [`  ${there.map(({ name }) => name).join(", ")} stayed as it was`]),
          "",
          "next        rehearse the agent: no key, no network",
          ...commands.map((command) => `            ${style.cyan(command)}`)
        ].join("\n")
    )
  })

const purposes: ReadonlyMap<string, string> = new Map([
  ["agent.ts", "the agent under rehearsal: put yours in its place"],
  ["tools.ts", "what it can call"],
  ["rubric.md", "what a judge holds it to"],
  ["asks.txt", "a fixed list to evaluate by"],
  ["package.json", "npm run rehearse, npm run evaluate"],
  [".gitignore", "rows stay out of the repository"]
])
