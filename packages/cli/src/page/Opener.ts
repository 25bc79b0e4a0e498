/**
 * Opens a file with what the system opens such files with.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import process from "node:process"

/** Answers why it could not be opened; null when it was handed on. */
export type Open = (file: string) => Effect.Effect<string | null>

export class Opener extends Context.Reference<Opener>()("@sandtable/cli/Opener", {
  defaultValue: (): Open => (file) =>
    Effect.async((resume) => {
      const [command, words] = openers[process.platform] ?? ["xdg-open", []]
      const child = spawn(command, [...words, file], { stdio: "ignore", detached: true })
      child.once("error", (error) => resume(Effect.succeed(`${command}: ${error.message}`)))
      child.once("spawn", () => {
        child.unref()
        resume(Effect.succeed(null))
      })
    })
}) {}

const openers: Readonly<Record<string, readonly [string, ReadonlyArray<string>] | undefined>> = {
  darwin: ["open", []],
  win32: ["explorer.exe", []]
}
