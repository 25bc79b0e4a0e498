/**
 * The `sandtable` command as one effect: from words to an exit status. `bin.ts` only gives it a process.
 */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as Terminal from "@effect/platform/Terminal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Argv from "./Argv.ts"
import type * as Engine from "./Engine.ts"
import * as ExitStatus from "./ExitStatus.ts"
import * as Flags from "./Flags.ts"
import * as Help from "./Help.ts"
import type { Interrupts } from "./Interrupts.ts"
import { Invocation } from "./Invocation.ts"
import * as Simulate from "./commands/simulate.ts"
import { codeOptions } from "./OptionFlags.ts"
import { Stdio, withConsole } from "./Stdio.ts"
import * as Style from "./Style.ts"
import * as Trouble from "./Trouble.ts"

/** What a command needs from its surroundings. */
export type Environment = Stdio | Engine.Engine | Interrupts | FileSystem.FileSystem | Path.Path | Terminal.Terminal

const commands = [Simulate]

/** The command tree. */
export const command = Command.make("sandtable").pipe(
  Command.withDescription("rehearse a tool-using agent before it meets people"),
  Command.withSubcommands([Simulate.command])
)

/** Does what the words after `sandtable` say, and answers the exit status. It never fails. */
export const main = (
  words: ReadonlyArray<string>,
  version: string,
  program = "sandtable"
): Effect.Effect<number, never, Environment> =>
  Effect.gen(function* () {
    const stdio = yield* Stdio
    const { out } = stdio
    const reading = Argv.read(
      words,
      new Map(commands.map(({ flags, page }) => [page.name, flags.map(Flags.shape)])),
      codeOptions
    )
    if (Either.isLeft(reading)) {
      stdio.err.write(Trouble.issues(reading.left, stdio.err))
      return ExitStatus.usage
    }
    switch (reading.right._tag) {
      case "Version":
        out.write(`${version}\n`)
        return ExitStatus.done
      case "Help": {
        const named = reading.right.command
        const found = commands.find(({ page }) => page.name === named)
        out.write(
          found === undefined
            ? Help.root(
                commands.map(({ page }) => page),
                out.style,
                out.columns()
              )
            : Help.page(found.page, out.style, out.columns())
        )
        // Called with nothing at all, help is an answer to a wrong call.
        return words.length === 0 ? ExitStatus.usage : ExitStatus.done
      }
      case "Completions":
        return yield* parsed(["--completions", reading.right.shell], version, stdio.err, false)
      case "Run":
        return yield* Effect.provideService(
          parsed(reading.right.args, version, stdio.err, reading.right.debug),
          Invocation,
          {
            program,
            words,
            debug: reading.right.debug
          }
        )
    }
  })

const parsed = (args: ReadonlyArray<string>, version: string, err: Stdio["Type"]["err"], debug: boolean) =>
  Effect.flatMap(Stdio, (stdio) =>
    Command.run(command, { name: "sandtable", version, executable: "sandtable" })(["node", "sandtable", ...args]).pipe(
      Effect.provideService(CliConfig.CliConfig, { ...CliConfig.defaultConfig, isCaseSensitive: true }),
      withConsole(stdio),
      Effect.exit,
      Effect.map(
        Exit.match({
          onSuccess: () => ExitStatus.done,
          onFailure: (cause) => {
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
