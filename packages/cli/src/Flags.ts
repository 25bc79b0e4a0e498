/**
 * The flags of a command: what each is called, what it takes and how its words become the value an option wants. The
 * table feeds the parser, the help page and the completions, so that they cannot tell different stories.
 */
import * as Options from "@effect/cli/Options"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Argv from "./Argv.ts"
import * as DataFile from "./DataFile.ts"

/** How the words of a flag are read. */
export type Kind =
  /** `--x`, `--no-x`. */
  | "switch"
  | "number"
  /** Seconds, or `"10 seconds"`. */
  | "duration"
  | "text"
  | "path"
  /** Words taken as they are, or `@path` for the text of a file. */
  | "prose"
  /** JSON, or a file of JSON, JSON Lines or YAML. */
  | "data"
  /** JSON, a .json or .yaml file of it, or else a word. */
  | "value"
  /** One of the flag's words. */
  | "choice"
  /** A path or prose, which the library reads; YAML is read here. */
  | "spec"
  /** A path that the library itself reads (rows may be many), or JSON. */
  | "rows"
  /** One of the flag's words; bare means true. */
  | "words"

export interface Flag {
  /** Without dashes, kebab-case. */
  readonly name: string
  readonly letter?: string
  /** The option it sets, `budget` or `advanced.grace`; null for a flag of the command itself. */
  readonly option: string | null
  readonly kind: Kind
  readonly words?: ReadonlyArray<string>
  readonly description: string
  /** Heading of the help page it stands under. */
  readonly group: string
  /** The flag this is another name of. */
  readonly aliasOf?: string
}

/** Options that are code, so that no words can stand for them. */
export interface CodeOption {
  readonly name: string
  /** `execute`, or `advanced.embedder`. */
  readonly option: string
}

/** A flag of the command itself, which is no option of a run. */
export const own = (
  name: string,
  kind: Kind,
  description: string,
  more: { readonly letter?: string; readonly words?: ReadonlyArray<string>; readonly group?: string } = {}
): Flag => ({ name, kind, description, option: null, group: "This command", ...more })

/** A flag that sets an option of the library's call behind a command: `--per-task` sets `perTask`. */
export const setting = (
  name: string,
  kind: Kind,
  description: string,
  more: { readonly words?: ReadonlyArray<string>; readonly group?: string } = {}
): Flag => ({
  ...own(name, kind, description, more),
  option: name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
})

/** What every command has. */
export const common: ReadonlyArray<Flag> = [
  own("json", "switch", "Print the summary as one JSON object."),
  own("quiet", "switch", "No progress.", { letter: "q" }),
  own("debug", "switch", "Show where errors come from.")
]

export const shape = (flag: Flag): Argv.FlagShape => ({
  name: flag.name,
  ...(flag.letter === undefined ? {} : { letter: flag.letter }),
  takes: flag.kind === "switch" ? "nothing" : flag.kind === "words" ? "optional" : "value",
  ...(flag.words === undefined ? {} : { words: flag.words })
})

/** How a flag is written where it is shown. */
export const spelled = (flag: { readonly name: string }): string => `--${flag.name}`

/** What a flag's value is called in help. */
export const placeholder = (flag: Flag): string => {
  switch (flag.kind) {
    case "switch":
      return ""
    case "number":
      return "<n>"
    case "duration":
      return "<seconds>"
    case "text":
      return "<text>"
    case "prose":
      return "<text|@file>"
    case "rows":
      return "<file|json>"
    case "data":
      return "<json|file>"
    case "path":
      return "<file>"
    case "value":
      return "<word|json>"
    case "choice":
      return `<${(flag.words ?? []).join("|")}>`
    case "spec":
      return "<file|folder|prose>"
    case "words":
      return `[=${(flag.words ?? []).join("|")}]`
  }
}

/** The words given, by flag name; what was not given is absent. */
export type Given = ReadonlyMap<string, string>

/** The parser's options for a table: every value is taken as text here and read by `value`, so that all that is wrong
 * with a call can be told at once. */
export const parser = (flags: ReadonlyArray<Flag>): Options.Options<Given> => {
  const each: Record<string, Options.Options<Option.Option<string>>> = {}
  for (const flag of flags) {
    const text = Options.text(flag.name).pipe(
      Options.withDescription(flag.description),
      Options.withPseudoName(flag.words?.join("|") ?? flag.kind)
    )
    each[flag.name] = Options.optional(flag.letter === undefined ? text : Options.withAlias(text, flag.letter))
  }
  return Options.map(
    Options.all(each),
    (values) =>
      new Map(
        Object.entries(values).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value] as const] : []))
      )
  )
}

/**
 * The value a flag's words stand for. A number or a duration that cannot be read is handed on as the words it is: the
 * options say what they want better than a parser does.
 */
export const value = (flag: Flag, words: string): Effect.Effect<unknown, Argv.Issue, FileSystem.FileSystem> => {
  switch (flag.kind) {
    case "switch":
      return Effect.succeed(words === "true")
    case "number":
      return Effect.succeed(numeric(words))
    case "duration":
      return Effect.succeed(durationOf(words))
    case "text":
    case "path":
    case "choice":
      return Effect.succeed(words)
    case "prose":
      return words.startsWith("@")
        ? Effect.mapError(DataFile.text(words.slice(1)), (problem) => ({ option: spelled(flag), ...problem }))
        : Effect.succeed(words)
    case "rows":
      return /^\s*[[{]/.test(words) ? data(flag, words) : Effect.succeed(words)
    case "words":
      return Effect.succeed(words === "true" ? true : words === "false" ? false : words)
    case "data":
      return data(flag, words)
    case "value":
      return /\.(json|ya?ml)$/i.test(words)
        ? Effect.map(
            found(flag, words),
            Option.getOrElse((): unknown => words)
          )
        : Effect.succeed(valueOf(words))
    case "spec":
      return Effect.mapError(DataFile.spec(words), (problem) => ({ option: spelled(flag), ...problem }))
  }
}

/** Values that no command would take: words that a flag does not have, and numbers that are none. */
export const problems = (flags: ReadonlyArray<Flag>, given: Given): ReadonlyArray<Argv.Issue> =>
  flags.flatMap((flag) => {
    const words = given.get(flag.name)
    if (words === undefined) return []
    if (flag.kind === "choice" && flag.words?.includes(words) !== true) return [notOneOf(flag, words)]
    if (flag.kind !== "number" || typeof numeric(words) === "number") return []
    return [
      {
        option: spelled(flag),
        problem: `is a number, got ${JSON.stringify(words)}`,
        fix: `Write ${spelled(flag)} 4, for example.`
      }
    ]
  })

/** A word that is none of those a flag has. */
export const notOneOf = (flag: Flag, words: string): Argv.Issue => {
  const known = flag.words ?? []
  return {
    option: spelled(flag),
    problem: `cannot be ${JSON.stringify(words)}`,
    fix: `Give ${known.slice(0, -1).join(", ")} or ${known.at(-1) ?? ""}.`
  }
}

const found = (flag: Flag, words: string) =>
  Effect.mapError(DataFile.jsonOrFile(words), (problem): Argv.Issue => ({ option: spelled(flag), ...problem }))

const data = (flag: Flag, words: string): Effect.Effect<unknown, Argv.Issue, FileSystem.FileSystem> =>
  found(flag, words).pipe(
    Effect.flatMap(
      Option.match({
        onSome: Effect.succeed,
        onNone: () =>
          Effect.fail<Argv.Issue>({
            option: spelled(flag),
            problem: `is neither JSON nor a file that exists: ${JSON.stringify(shortened(words))}`,
            fix: "Give JSON in quotes, or the path of a .json, .jsonl or .yaml file."
          })
      })
    )
  )

const valueOf = (words: string): unknown => {
  try {
    return JSON.parse(words)
  } catch {
    return words
  }
}

const numeric = (words: string): number | string => {
  const text = words.trim().replaceAll("_", "")
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : words
}

const durationOf = (words: string): number | string | Duration.Duration => {
  const number = numeric(words)
  if (typeof number === "number") return number
  const short = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(words.trim())
  if (short !== null) return Duration.millis(Number(short[1]) * (units[short[2] ?? ""] ?? 1000))
  // Effect's own spelling, `"10 seconds"`: its reader takes a template type, so the text is checked by it, not by us.
  return Option.getOrElse(Duration.decodeUnknown(words.trim()), (): string | Duration.Duration => words)
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const shortened = (words: string): string => (words.length > 60 ? `${words.slice(0, 59)}…` : words)
