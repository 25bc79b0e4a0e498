/**
 * The world of a run as a shell names it: `--world mcp:"command args"` or `--world mcp:https://...`. What the server lists are
 * the tools where nobody names others, and it answers their calls.
 */
import type * as McpWorld from "@sandtable/backends/McpWorld"
import { masked } from "@sandtable/core/unstable/ModelSource"
import type { Kind } from "@sandtable/core/World"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Scope } from "effect/Scope"
import type * as Settings from "./Settings.ts"
import type * as Trouble from "./Trouble.ts"

/** The server cannot be the world of this run. */
export class WorldRefused extends Data.TaggedError("WorldRefused")<{ readonly issues: ReadonlyArray<Trouble.Issue> }> {}

const issue = (problem: string, fix: string): Trouble.Issue => ({ option: "--world", problem, fix })

const example = 'Write --world mcp:"npx my-server --flag", or --world mcp:https://host/mcp.'

/** The server that words name. */
export const read = (words: string): Either.Either<McpWorld.Server, Trouble.Issue> => {
  const named = /^mcp:\s*([\s\S]*?)\s*$/i.exec(words)?.[1]
  if (named === undefined) return Either.left(issue(`names no MCP server: ${JSON.stringify(masked(words))}`, example))
  if (named === "") return Either.left(issue("names no command and no address", example))
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(named)) return Either.right({ url: named })
  const command = wordsOf(named)
  return command === null ? Either.left(issue("has a quote that is not closed", example)) : Either.right({ command })
}

/** The words of a command, as a shell takes them apart; nothing in them is replaced. Null where a quote stays open. */
const wordsOf = (line: string): ReadonlyArray<string> | null => {
  const pieces = /\s+|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\([\s"'\\])|([^\s"'])/gy
  const words: Array<string> = []
  let word: string | null = null
  while (pieces.lastIndex < line.length) {
    const piece = pieces.exec(line)
    if (piece === null) return null
    const [whole, double, single, escaped, plain] = piece
    const said = double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain
    if (said !== undefined) word = (word ?? "") + said
    else if (whole !== "" && word !== null) {
      words.push(word)
      word = null
    }
  }
  return word === null ? words : [...words, word]
}

/** Does something with the settings while their world is there; what is wrong with them is told before. */
export const within = <A, E, R>(
  settings: Settings.Settings,
  use: (settings: Settings.Settings) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | WorldRefused, Exclude<R, Scope>> => {
  const { issues, world } = settings
  if (world === null || issues.length > 0) return use(settings) as Effect.Effect<A, E, Exclude<R, Scope>>
  return Effect.scoped(
    Effect.gen(function* () {
      const { World } = yield* Effect.promise(() => import("@sandtable/core/World"))
      const { kind, options } = yield* opened(settings, world)
      return yield* Effect.provideService(use({ ...settings, options }), World, kind)
    })
  )
}

interface Opened {
  readonly kind: Kind
  readonly options: Settings.Settings["options"]
}

const opened = (settings: Settings.Settings, server: McpWorld.Server): Effect.Effect<Opened, WorldRefused, Scope> =>
  Effect.gen(function* () {
    const { options, whereabouts } = settings
    if (options["execute"] !== undefined) {
      const { spelled } = whereabouts("execute")
      return yield* new WorldRefused({ issues: [issue(`goes with no ${spelled}`, "Leave one of the two out.")] })
    }
    const { connect } = yield* Effect.promise(() => import("@sandtable/backends/McpWorld"))
    const { kind, tools } = yield* Effect.mapError(
      connect(server, { proxy: "environment" }),
      (error) =>
        new WorldRefused({
          issues: [
            issue(
              `names ${error.server}, which cannot be used: ${error.problem}`,
              "Start it by itself to see what it says."
            )
          ]
        })
    )
    return { kind, options: options["tools"] === undefined ? { ...options, tools } : options }
  })
