/**
 * The `sandtable` command as one effect: from words to an exit status. `bin.ts` only gives it a process.
 */
import * as Args from "@effect/cli/Args"
import * as CliConfig from "@effect/cli/CliConfig"
import * as CliCommand from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import { masked } from "@sandtable/core/unstable/ModelSource"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Argv from "./Argv.ts"
import type { Command, Entry, Environment } from "./Command.ts"
import { entries } from "./Commands.ts"
import * as ExitStatus from "./ExitStatus.ts"
import * as Flags from "./Flags.ts"
import * as Help from "./Help.ts"
import { Invocation } from "./Invocation.ts"
import { Stdio, withConsole } from "./Stdio.ts"
import * as Style from "./Style.ts"
import * as Trouble from "./Trouble.ts"

/**
 * A command tree of the given commands, each loaded.
 * @since 0.1.0
 * @category functions
 */
export const command = (loaded: ReadonlyArray<readonly [Entry, Command]>) => {
  const of = (entry: Entry, { page, run }: Command) =>
    CliCommand.make(
      entry.name.split(" ").at(-1) ?? entry.name,
      { given: Flags.parser(page.flags), rest: Args.repeated(Args.text({ name: "argument" })) },
      ({ given, rest }) => run(given, rest)
    ).pipe(CliCommand.withDescription(entry.summary))
  const groups = Object.entries(Arr.groupBy(loaded, ([{ name }]) => name.split(" ")[0] ?? name))
  const tree = groups.map(([word, [first, ...others]]) => {
    if (first[0].name === word) return of(...first)
    const [head, ...rest] = [of(...first), ...others.map((each) => of(...each))] as const
    return CliCommand.make(word).pipe(CliCommand.withSubcommands([head, ...rest]))
  })
  const root = CliCommand.make("sandtable").pipe(
    CliCommand.withDescription("rehearse a tool-using agent before it meets people")
  )
  if (!Arr.isNonEmptyReadonlyArray(tree)) throw new RangeError("A command tree needs a command.")
  return CliCommand.withSubcommands(root, tree)
}

/**
 * Does what the words after `sandtable` say, and answers the exit status. It never fails.
 * @since 0.1.0
 * @category functions
 */
export const main = (
  words: ReadonlyArray<string>,
  version: string,
  program = "sandtable"
): Effect.Effect<number, never, Environment> =>
  Effect.gen(function* () {
    const stdio = yield* Stdio
    const { out } = stdio
    const names = entries.map(({ name }) => name)
    const called = Argv.commandOf(words[0] === "help" ? words.slice(1) : words, names)
    const loaded = yield* load(entries.filter(({ name }) => name === called))
    const flags = loaded.flatMap(([, { page }]) => page.flags)
    const reading = Argv.read(
      words,
      new Map(names.map((name) => [name, name === called ? flags.map(Flags.shape) : []])),
      loaded.flatMap(([, { page }]) => page.codeOptions ?? [])
    )
    if (Either.isLeft(reading)) {
      const [found] = loaded
      const also = found === undefined || called === null ? [] : yield* checked(found[1], called, words)
      const told = new Set(reading.left.map(({ option }) => option))
      stdio.err.write(Trouble.issues([...reading.left, ...also.filter(({ option }) => !told.has(option))], stdio.err))
      return ExitStatus.usage
    }
    switch (reading.right._tag) {
      case "Version":
        out.write(`${version}\n`)
        return ExitStatus.done
      case "Help": {
        const of = reading.right.command
        const [found] = loaded
        out.write(
          found !== undefined
            ? Help.page(found[1].page, found[0].summary, out.style, out.columns())
            : Help.root(
                of === null ? entries : entries.filter(({ name }) => name.startsWith(`${of} `)),
                out.style,
                out.columns()
              )
        )
        // Called with nothing at all, help is an answer to a wrong call.
        return words.length === 0 ? ExitStatus.usage : ExitStatus.done
      }
      case "Completions":
        return yield* parsed(yield* load(entries), ["--completions", reading.right.shell], version, false)
      case "Run":
        return yield* Effect.provideService(
          parsed(loaded, reading.right.args, version, reading.right.debug),
          Invocation,
          { program, words: words.map(masked), debug: reading.right.debug }
        )
    }
  })

/** What else is wrong with the flags that could be read: whoever mends one word should not learn of the next by and by. */
const checked = ({ check, page }: Command, called: string, words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { given, rest } = Argv.salvaged(called, words, page.flags.map(Flags.shape))
    const issues = check === undefined ? Flags.problems(page.flags, given) : yield* check(given, rest)
    // What is missing may stand behind a word that was not understood.
    return issues.filter(({ option }) => given.has(option.replace(/^--| .*/g, "")))
  })

const load = (of: ReadonlyArray<Entry>) =>
  Effect.forEach(of, (entry) => Effect.map(Effect.promise(entry.load), (loaded) => [entry, loaded] as const))

const parsed = (
  loaded: ReadonlyArray<readonly [Entry, Command]>,
  args: ReadonlyArray<string>,
  version: string,
  debug: boolean
) =>
  Effect.flatMap(Stdio, (stdio) =>
    CliCommand.run(command(loaded), { name: "sandtable", version, executable: "sandtable" })([
      "node",
      "sandtable",
      ...args
    ]).pipe(
      Effect.provideService(CliConfig.CliConfig, { ...CliConfig.defaultConfig, isCaseSensitive: true }),
      withConsole(stdio),
      Effect.exit,
      Effect.map(
        Exit.match({
          onSuccess: () => ExitStatus.done,
          onFailure: (cause) => {
            const { err } = stdio
            const failure = Option.getOrNull(Cause.failureOption(cause))
            if (failure !== null && failure._tag === "Exit") return failure.status
            if (Cause.isInterruptedOnly(cause)) return ExitStatus.interrupted
            if (failure !== null && ValidationError.isValidationError(failure)) {
              // The parser has said what is wrong on the console.
              if (HelpDoc.isEmpty(failure.error)) err.write(Trouble.sentence("wrong usage", "See --help.", err))
              return ExitStatus.usage
            }
            err.write(Trouble.defect(cause, debug, err))
            if (debug) err.write(Style.strip(Trouble.stack(cause)))
            return ExitStatus.software
          }
        })
      )
    )
  )
