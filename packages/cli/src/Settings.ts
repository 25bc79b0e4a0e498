/**
 * The call put together: the agent file's options, over them the config file's, over them the flags'.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as McpWorld from "@sandtable/backends/McpWorld"
import * as PassMark from "@sandtable/core/unstable/PassMark"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as AgentModule from "./AgentModule.ts"
import type * as Engine from "./Engine.ts"
import * as Flags from "./Flags.ts"
import type * as Progress from "./Progress.ts"
import * as ToolServer from "./ToolServer.ts"
import type * as Trouble from "./Trouble.ts"

export interface Settings {
  readonly options: Engine.Options
  /** What is wrong with the flags themselves. */
  readonly issues: ReadonlyArray<Trouble.Issue>
  /** Whether what the issues left readable says who the agent is. */
  readonly agentKnown: boolean
  readonly title: string
  /** What tells the agent's code from other code, where it is in a file. */
  readonly code: string | null
  readonly json: boolean
  readonly quiet: boolean
  readonly dryRun: boolean
  readonly progress: Progress.Style | null
  readonly gate: number | null
  /** The MCP server that is the world; null for the world of the options. */
  readonly world: McpWorld.Server | null
  /** The least reward of a pass. */
  readonly passAt: number
  /** Rewrites option names in a sentence as the flags of this command. */
  readonly inFlags: (sentence: string) => string
  /** How an option is named in messages: by its flag, or by its name and the file that says it. */
  readonly whereabouts: (option: string) => { readonly spelled: string; readonly inFile: boolean }
}

/** Options that a command's own words set, and how these words are spelled in messages. */
export type Held = Readonly<Record<string, { readonly value: unknown; readonly spelled: string }>>

export const read = (
  flags: ReadonlyArray<Flags.Flag>,
  given: Flags.Given,
  rest: ReadonlyArray<string>,
  held: Held = {}
): Effect.Effect<Settings, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const issues: Array<Trouble.Issue> = []
    const note = (issue: Trouble.Issue): null => {
      issues.push(issue)
      return null
    }
    const on = (name: string): boolean => given.get(name) === "true"

    const named = given.get("agent")
    const agent = yield* Effect.catchAll(agentOf(named === undefined ? rest : [named, ...rest]), (error) =>
      Effect.sync(() => note({ option: error.agent, problem: error.problem, fix: error.fix }))
    )
    const configFile = given.get("config")
    const config =
      configFile === undefined
        ? {}
        : yield* Effect.catchAll(AgentModule.optionsFile(configFile), (error) =>
            Effect.sync(() => note({ option: `--config ${configFile}`, problem: error.problem, fix: error.fix }) ?? {})
          )

    const flagged: Record<string, unknown> = Object.fromEntries(
      Object.entries(held).map(([option, { value }]) => [option, value])
    )
    const inner: Record<string, unknown> = {}
    for (const flag of flags) {
      const words = given.get(flag.name)
      if (words === undefined || flag.option === null || flag.option === "agent") continue
      const value = yield* Effect.either(Flags.value(flag, words))
      if (Either.isLeft(value)) note(value.left)
      else if (flag.option.startsWith(inAdvanced)) inner[flag.option.slice(inAdvanced.length)] = value.right
      else flagged[flag.option] = value.right
    }
    if (Object.keys(inner).length > 0) flagged["advanced"] = within(flagged["advanced"], inner)
    if (on("offline")) {
      if (Object.hasOwn(flagged, "simulator") && flagged["simulator"] !== false) {
        note({ option: "--offline", problem: "goes with no --simulator", fix: "Leave one of the two out." })
      }
      flagged["simulator"] = false
    }
    const order = orderOf(given, note)
    if (order !== undefined) flagged["reproducible"] = order

    const alike = aliasGroups(flags)
    return {
      options: overlay(withoutOpeners(overlay(agent?.options ?? {}, config, alike), flagged), flagged, alike),
      issues,
      agentKnown: agent !== null || (rest.length === 0 && named === undefined),
      title: agent?.title ?? "simulate",
      code: agent?.code ?? null,
      json: on("json"),
      quiet: on("quiet"),
      dryRun: on("dry-run"),
      progress: progressOf(given, note),
      gate: gateOf(given, note),
      world: worldOf(given, note),
      passAt: passAtOf(given, note),
      inFlags: inFlags(flags),
      whereabouts: (option) => {
        const root = /^\w+/.exec(option)?.[0] ?? option
        const inFile = (name: string) => ({ spelled: `${option} (${name})`, inFile: true })
        if (!Object.hasOwn(flagged, root)) {
          if (configFile !== undefined && Object.hasOwn(config, root)) return inFile(configFile)
          if (agent?.file != null && Object.hasOwn(agent.options, root)) return inFile(agent.file)
        } else if (Object.hasOwn(held, root)) {
          return { spelled: `${held[root]?.spelled ?? root} ${option.slice(root.length)}`.trim(), inFile: false }
        } else if (root === "simulator" && on("offline")) return { spelled: "--offline", inFile: false }
        const flag = flags.find((candidate) => candidate.option !== null && isPart(candidate.option, option))
        const inside = option.slice(flag?.option?.length).replace(/^\./, "")
        const spelled = flag === undefined ? option : `${Flags.spelled(flag)}${inside === "" ? "" : ` ${inside}`}`
        return { spelled, inFile: false }
      }
    }
  })

/** Rewrites option names in backquotes as their flags: "raise `hardShare`" reads "raise `--hard-share`". */
export const inFlags =
  (flags: ReadonlyArray<Flags.Flag>) =>
  (sentence: string): string =>
    sentence.replace(
      /`([A-Za-z]+(?:\.[A-Za-z]+)*)(?:: ([^`]+))?`/g,
      (whole: string, name: string, value: string | undefined) => {
        const flag = flags.find((candidate) => candidate.option === name)
        if (name === "simulator" && value === "false") return "`--offline`"
        if (flag === undefined) return whole
        const bare = flag.kind === "switch" || flag.kind === "words"
        if (value === undefined || (bare && value === "true")) return `\`${Flags.spelled(flag)}\``
        if (bare && value === "false") return `\`--no-${flag.name}\``
        return `\`${Flags.spelled(flag)} ${value}\``
      }
    )

const agentOf = (
  rest: ReadonlyArray<string>
): Effect.Effect<AgentModule.Loaded | null, AgentModule.AgentUnreadable, FileSystem.FileSystem | Path.Path> => {
  const cut = rest.indexOf("--")
  const [named, command] = cut === -1 ? [rest, null] : [rest.slice(0, cut), rest.slice(cut + 1)]
  const [agent, second] = named
  const wrong = (word: string, problem: string, fix: string) =>
    Effect.fail(new AgentModule.AgentUnreadable({ agent: word, problem, fix }))
  if (second !== undefined) {
    return wrong(second, "is one agent too many", `One run has one agent; ${agent ?? ""} was named before it.`)
  }
  if (command === null) return agent === undefined ? Effect.succeed(null) : AgentModule.resolve(agent)
  if (agent !== undefined) return wrong(agent, "is named beside a command after --", "Name one of the two.")
  if (command.length === 0)
    return wrong("--", "has no command after it", "Write -- and the program, such as -- python agent.py.")
  return Effect.succeed(AgentModule.command(command))
}

const orderOf = (given: Flags.Given, note: (issue: Trouble.Issue) => null): unknown => {
  const batch = given.get("batch")
  const lookahead = given.get("lookahead")
  if (batch === undefined && lookahead === undefined) return undefined
  if (batch !== undefined && lookahead !== undefined) {
    return (
      note({ option: "--batch", problem: "goes with no --lookahead", fix: "Leave one of the two out." }) ?? undefined
    )
  }
  if (given.get("reproducible") === "false") {
    return (
      note({
        option: "--no-reproducible",
        problem: `goes with no --${batch === undefined ? "lookahead" : "batch"}`,
        fix: "Leave one of the two out."
      }) ?? undefined
    )
  }
  return batch === undefined ? { lookahead: numberOr(lookahead) } : { batch: numberOr(batch) }
}

/** A number, or the words for the library to refuse by name. */
const numberOr = (words: string | undefined): unknown =>
  words !== undefined && words.trim() !== "" && Number.isFinite(Number(words)) ? Number(words) : words

const progressOf = (given: Flags.Given, note: (issue: Trouble.Issue) => null): Progress.Style | null => {
  const words = given.get("progress")
  switch (words) {
    case undefined:
      return null
    case "window":
    case "lines":
    case "json":
    case "none":
      return words
    default:
      return note({ option: "--progress", problem: `cannot be ${words}`, fix: "Give window, lines, json or none." })
  }
}

const gateOf = (given: Flags.Given, note: (issue: Trouble.Issue) => null): number | null => {
  const words = given.get("gate")
  if (words === undefined) return null
  const gate = Number(words)
  if (words.trim() !== "" && gate >= 0 && gate <= 1) return gate
  return note({
    option: "--gate",
    problem: `is a share from 0 to 1, got ${JSON.stringify(words)}`,
    fix: "Write --gate 0.9, for example."
  })
}

const passAtOf = (given: Flags.Given, note: (issue: Trouble.Issue) => null): number => {
  const words = given.get("pass-at")
  if (words === undefined) return PassMark.passMark
  const passAt = words.trim() === "" ? Number.NaN : Number(words)
  if (PassMark.isMark(passAt)) return passAt
  const problem = `is a reward above 0 and up to 1, got ${JSON.stringify(words)}`
  return note({ option: "--pass-at", problem, fix: "Write --pass-at 0.5, for example." }) ?? PassMark.passMark
}

const worldOf = (given: Flags.Given, note: (issue: Trouble.Issue) => null): McpWorld.Server | null => {
  const words = given.get("world")
  return words === undefined ? null : Either.getOrElse(ToolServer.read(words), note)
}

/** By option, all names of the same option. */
const aliasGroups = (flags: ReadonlyArray<Flags.Flag>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const byMain = new Map<string, Array<string>>()
  for (const flag of flags) {
    if (flag.option === null) continue
    const main = flag.aliasOf ?? flag.name
    byMain.set(main, [...(byMain.get(main) ?? []), flag.option])
  }
  return new Map([...byMain.values()].flatMap((names) => names.map((name) => [name, names] as const)))
}

const inAdvanced = "advanced."

/** Whether an option is the named one, or a place in it. */
const isPart = (option: string, place: string): boolean =>
  place.startsWith(option) && !/^\w/.test(place.slice(option.length)) && (option !== "advanced" || place === option)

/** An object with more in it; what is no object is left for the library to refuse. */
const within = (below: unknown, above: object): unknown =>
  typeof below === "object" || below === undefined ? { ...below, ...above } : below

/** What is said above wins over what is said below, under whichever of its names it was said; `advanced` by its parts. */
const overlay = (
  below: Engine.Options,
  above: Engine.Options,
  alike: ReadonlyMap<string, ReadonlyArray<string>>
): Engine.Options => {
  const said = new Set(Object.keys(above).flatMap((name) => alike.get(name) ?? [name]))
  const advanced = above["advanced"]
  return {
    ...Object.fromEntries(Object.entries(below).filter(([name]) => !said.has(name))),
    ...above,
    ...(typeof advanced === "object" && advanced !== null ? { advanced: within(below["advanced"], advanced) } : {})
  }
}

/** A replay takes its asks from another run: those of the files give way to `--tasks`. */
const withoutOpeners = (files: Engine.Options, flagged: Engine.Options): Engine.Options => {
  if (!Object.hasOwn(flagged, "tasks")) return files
  const { seeds: _seeds, ...rest } = files
  const advanced = rest["advanced"]
  if (typeof advanced !== "object" || advanced === null || !("seedPrompts" in advanced)) return rest
  const { seedPrompts: _prompts, ...others } = advanced
  return { ...rest, advanced: others }
}
