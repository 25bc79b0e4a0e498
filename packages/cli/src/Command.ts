/**
 * What every command is made of. A command's module is loaded when the command is called, and not before.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as Terminal from "@effect/platform/Terminal"
import type * as Effect from "effect/Effect"
import type * as Engine from "./Engine.ts"
import type * as ExitStatus from "./ExitStatus.ts"
import type * as Flags from "./Flags.ts"
import type * as Help from "./Help.ts"
import type { Interrupts } from "./Interrupts.ts"
import type { Stdio } from "./Stdio.ts"
import type { Issue } from "./Trouble.ts"

/** What a command needs from its surroundings. */
export type Environment = Stdio | Engine.Engine | Interrupts | FileSystem.FileSystem | Path.Path | Terminal.Terminal

export interface Command {
  readonly page: Help.Page
  /** Anything but success is an `Exit` whose story has been told. */
  readonly run: (given: Flags.Given, rest: ReadonlyArray<string>) => Effect.Effect<void, ExitStatus.Exit, Environment>
  /** What the command would refuse of these flags, without doing anything: told beside words it does not know. */
  readonly check?: (
    given: Flags.Given,
    rest: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Issue>, never, Environment>
}

/** A command before it is loaded. */
export interface Entry {
  /** One word, or two: `traces inspect`. */
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<Command>
}
