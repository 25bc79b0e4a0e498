/**
 * A program to be started, and whether it can be: found the way a shell finds it, before anything is run.
 */
import { shown } from "@sandtable/core/unstable/ModelSource"
import * as Effect from "effect/Effect"
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { basename, delimiter, extname, join, resolve } from "node:path"
import * as Address from "./address.ts"
import * as Redaction from "./redaction.ts"
import { cwd as workingFolder, env as environment, platform } from "node:process"
import { unescape } from "node:querystring"

export interface Program {
  /** The program and its arguments. No shell reads them. */
  readonly command: ReadonlyArray<string>
  /** Folder it is started in; the one of this process when left out. */
  readonly cwd?: string
  /** Variables it gets beside those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** Where the program is, or what is wrong with it in words. */
export const find = ({ command, cwd, env }: Program): Effect.Effect<string, string> =>
  Effect.gen(function* () {
    const [name, ...words] = command
    if (name === undefined || name.trim() === "") return yield* Effect.fail("there is no program in it")
    const odd = [name, ...words].find((word) => typeof word !== "string" || word.includes("\0"))
    if (odd !== undefined) return yield* Effect.fail("one of its words is no text that a program can be given")
    const folder = resolve(workingFolder(), cwd ?? ".")
    if (!(yield* isFolder(folder))) return yield* Effect.fail(`the folder ${JSON.stringify(folder)} does not exist`)
    const named = /[\\/]/.test(name)
    const path = env?.["PATH"] ?? environment["PATH"] ?? ""
    const folders = named ? [folder] : path.split(delimiter).filter((entry) => entry !== "")
    for (const entry of folders) {
      for (const ending of endings(name)) {
        const file = named ? resolve(entry, name + ending) : join(entry, name + ending)
        if (yield* isExecutable(file)) return file
      }
    }
    if (!named) return yield* Effect.fail(`there is no program ${JSON.stringify(name)} on the PATH`)
    const exists = yield* succeeds(() => access(resolve(folder, name)))
    return yield* Effect.fail(
      exists ? `${JSON.stringify(name)} is not executable` : `there is no file ${JSON.stringify(resolve(folder, name))}`
    )
  })

/** What is shown of a command: the program and the first thing it is given, since arguments may hold keys. */
export const shownOf = ([name = "", ...words]: ReadonlyArray<string>): string => {
  const [first = ""] = words
  const program = basename(name)
  if (first === "" || first.startsWith("-")) return program
  return `${program} ${first.includes("://") ? shown(first) : basename(first)}`
}

/** Takes out of texts what the addresses among the words of a command hold of users and queries. */
export const hiding = ({ command }: Program): Redaction.Redact =>
  Redaction.make(
    command.flatMap((word) => {
      const address = /[a-z][a-z0-9+.-]*:\/\/\S+/i.exec(word)?.[0] ?? ""
      if (!URL.canParse(address)) return []
      const url = new URL(address)
      return [unescape(url.username), unescape(url.password), ...Address.valuesOf(url)]
    })
  )

/** Windows runs files by their endings. */
const endings = (name: string): ReadonlyArray<string> =>
  platform === "win32" && extname(name) === "" ? (environment["PATHEXT"] ?? ".EXE;.CMD;.BAT;.COM").split(";") : [""]

const succeeds = (attempt: () => Promise<unknown>): Effect.Effect<boolean> =>
  Effect.isSuccess(Effect.tryPromise(attempt))

const isFolder = (path: string): Effect.Effect<boolean> =>
  Effect.orElseSucceed(
    Effect.map(
      Effect.tryPromise(() => stat(path)),
      (found) => found.isDirectory()
    ),
    () => false
  )

const isExecutable = (path: string): Effect.Effect<boolean> =>
  succeeds(async () => {
    await access(path, constants.X_OK)
    if (!(await stat(path)).isFile()) throw new Error("not a file")
  })
