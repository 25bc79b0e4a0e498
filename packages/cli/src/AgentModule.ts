/**
 * What `<agent>` names on the command line: a module, a spec, a folder, an address, a model, or a command to run.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { masked, shown } from "@sandtable/core/unstable/ModelSource"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Jiti from "jiti"
import { createRequire } from "node:module"
import * as AgentCode from "./AgentCode.ts"
import * as DataFile from "./DataFile.ts"
import { defineAgent } from "./defineAgent.ts"
import type * as Engine from "./Engine.ts"
import * as SharedModules from "./SharedModules.ts"

/** What was named, as options of `simulate`. */
export interface Loaded {
  readonly options: Engine.Options
  /** The file the options come from, as it was typed; null for an address, a model or a command. */
  readonly file: string | null
  /** What the run is called in the progress. */
  readonly title: string
  /** What tells the agent's code from other code; null where there is no file of code. */
  readonly code: string | null
}

/** The agent could not be read. */
export class AgentUnreadable extends Schema.TaggedError<AgentUnreadable>()("AgentUnreadable", {
  agent: Schema.String,
  problem: Schema.String,
  fix: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `${this.agent}: ${this.problem}. ${this.fix}`
  }
}

/** Files of a folder that are taken for its agent, in this order. */
const folderModules = ["agent.ts", "agent.mts", "agent.js", "agent.mjs"] as const

const modules = /\.[cm]?[jt]s$/i
const data = /\.(json|ya?ml)$/i
/** Data that every folder has, and no agent is. */
const noAgent = /^(?:package(?:-lock)?|tsconfig[\w.-]*)\.json$|\.meta\.json$/i

/** Reads what was named: a path when there is such a file, an address or a model otherwise. */
export const resolve = (agent: string): Effect.Effect<Loaded, AgentUnreadable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    if (/^https?:\/\//i.test(agent)) return { options: { agent }, file: null, title: shown(agent), code: null }
    const fs = yield* FileSystem.FileSystem
    const found = yield* Effect.orElseSucceed(fs.stat(agent), () => null)
    if (found?.type === "Directory") return yield* folder(agent)
    if (found !== null) return yield* file(agent)
    if (looksLikePath(agent)) return yield* missing(agent)
    return { options: { agent }, file: null, title: shown(agent), code: null }
  })

/** A command that is started once a rollout and speaks JSON lines. */
export const command = (words: ReadonlyArray<string>): Loaded => ({
  options: { agent: { command: words } },
  file: null,
  title: masked(words.join(" ")),
  code: null
})

/** Options from a file: a module's default export, JSON or YAML. */
export const optionsFile = (
  path: string
): Effect.Effect<Engine.Options, AgentUnreadable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const value = modules.test(path)
      ? yield* defaultExport(path)
      : yield* Effect.mapError(
          DataFile.read(path),
          ({ problem, fix }) => new AgentUnreadable({ agent: path, problem, fix })
        )
    if (isRecord(value)) return value
    return yield* new AgentUnreadable({
      agent: path,
      problem: `holds ${describe(value)}, not an object of options`,
      fix: "Write options by name, such as { budget: 200 }."
    })
  })

const folder = (path: string): Effect.Effect<Loaded, AgentUnreadable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    for (const name of folderModules) {
      const candidate = paths.join(path, name)
      if (yield* Effect.orElseSucceed(fs.exists(candidate), () => false)) return yield* file(candidate)
    }
    return { options: { spec: path }, file: path, title: path, code: null }
  })

const file = (path: string): Effect.Effect<Loaded, AgentUnreadable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    if (modules.test(path)) {
      const fs = yield* FileSystem.FileSystem
      const text = yield* Effect.orElseSucceed(fs.readFileString(path), () => null)
      const code = text === null ? null : AgentCode.of(path, text)
      return { options: agentOptions(yield* defaultExport(path)), file: path, title: path, code }
    }
    const spec = yield* Effect.mapError(
      DataFile.spec(path),
      ({ problem, fix }) => new AgentUnreadable({ agent: path, problem, fix })
    )
    return { options: { spec }, file: path, title: path, code: null }
  })

/** The options of a module: its object, or the agent it exports alone. Anything that is no option is refused later, by name. */
const agentOptions = (exported: unknown): Engine.Options =>
  isRecord(exported) && typeof exported["play"] !== "function" ? exported : { agent: exported }

/** What a module exports by default. */
export const defaultExport = (path: string): Effect.Effect<unknown, AgentUnreadable, Path.Path> =>
  Effect.gen(function* () {
    const paths = yield* Path.Path
    const absolute = paths.resolve(path)
    const module = yield* Effect.tryPromise({
      try: () => importModule(absolute),
      catch: (cause) =>
        new AgentUnreadable({
          agent: path,
          problem: `could not be loaded: ${reason(cause)}`,
          fix: fixOf(cause),
          cause
        })
    })
    const exported = Object.hasOwn(module, "default") ? module["default"] : undefined
    if (exported === undefined || exported === null) {
      const names = Object.keys(module).filter((name) => name !== "default")
      return yield* new AgentUnreadable({
        agent: path,
        problem: names.length === 0 ? "exports nothing" : `has no default export (it exports ${names.join(", ")})`,
        fix: "Export the agent by default: export default { agent, tools, systemPrompt }."
      })
    }
    return exported
  })

/**
 * Imports a module. TypeScript and CommonJS go through jiti, which leaves packages to Node, so that a file which imports
 * a package gets the copy its own folder resolves to, or else the one the command brings. `@sandtable/cli` itself is
 * answered from here.
 */
const importModule = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  // required rather than imported: Node reads a whole CommonJS file twice to import it
  const { createJiti } = createRequire(import.meta.url)("jiti") as typeof Jiti
  const jiti = createJiti(path, {
    interopDefault: false,
    alias: { ...SharedModules.aliases(path) },
    virtualModules: { "@sandtable/cli": { defineAgent } }
  })
  return jiti.import<Readonly<Record<string, unknown>>>(path)
}

const missing = (agent: string): Effect.Effect<never, AgentUnreadable, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const beside = yield* Effect.orElseSucceed(fs.readDirectory(paths.dirname(agent)), () => [])
    const candidates = beside
      .filter((name) => (modules.test(name) || data.test(name)) && !noAgent.test(name))
      .slice(0, 5)
    return yield* new AgentUnreadable({
      agent,
      problem: "there is no such file or folder",
      fix:
        candidates.length === 0
          ? "Name a .ts, .js or .mjs module, or a folder with an agent.ts."
          : `In ${paths.dirname(agent)} there is ${candidates.join(", ")}.`
    })
  })

const looksLikePath = (agent: string): boolean =>
  modules.test(agent) ||
  data.test(agent) ||
  /^[./~]|^[a-z]:\\/i.test(agent) ||
  (agent.includes("/") && !agent.includes(":"))

const reason = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  return (text.split("\nRequire stack:")[0] ?? text).trim()
}

const fixOf = (cause: unknown): string => {
  const missingPackage = /Cannot find (?:module|package) '((?:@[^/']+\/)?[^./'][^/']*)/.exec(reason(cause))?.[1]
  return missingPackage === undefined
    ? "Correct the file; --debug shows where it failed."
    : `Install it beside the file: npm install ${missingPackage}.`
}

const describe = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`

/** A plain object: not a function, a list, or something that was constructed (an Effect layer is an agent, not options). */
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
