/**
 * What agent code can do to the process it shares with the command: end it, or leave it an error that nobody catches.
 * Neither may pass for a result, and the second need not cost one.
 */
import type * as Stdio from "./Stdio.ts"
import * as ExitStatus from "./ExitStatus.ts"
import * as Style from "./Style.ts"
import * as Trouble from "./Trouble.ts"

export type ProcessLike = Pick<NodeJS.Process, "on" | "off" | "exitCode" | "stderr">

/**
 * Watches the process until the answer is called, which the command does before it ends the process itself. An end
 * before that is told and becomes 70, whatever status was asked for. An error that nobody caught is told once, and the
 * run goes on.
 */
export const watch = (process: ProcessLike, stdio: Stdio.Service, debug: boolean): (() => void) => {
  const exited = (status: number): void => {
    // The run's own watcher is dead by now, and nothing asynchronous happens any more.
    stdio.restore()
    stdio.err.write(
      Trouble.sentence(
        `the agent file, or a module it loads, called process.exit(${status}) before the command was done, ` +
          "so there is no result: let it return or throw instead.",
        null,
        stdio.err
      )
    )
    // The listener runs inside the call that ended the process: its stack says whose that was.
    if (debug) stdio.err.write(`${Trouble.trace(new Error("process.exit was called here"))}\n`)
    process.exitCode = ExitStatus.software
  }
  let told = false
  const uncaught =
    (what: string) =>
    (error: unknown): void => {
      if (told) return
      told = true
      const [message = ""] = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split("\n")
      const line =
        `warning: the agent's code left ${what} that nothing caught (${message}); the run goes on, and further ones ` +
        "are not told."
      // Not past the run's watcher, which puts it above its window.
      process.stderr.write(`${Style.strip(line)}\n${debug ? `${Trouble.trace(error)}\n` : ""}`)
    }
  const rejected = uncaught("a rejected promise")
  const thrown = uncaught("an error")
  process.on("exit", exited)
  process.on("unhandledRejection", rejected)
  process.on("uncaughtException", thrown)
  return () => {
    process.off("exit", exited)
    process.off("unhandledRejection", rejected)
    process.off("uncaughtException", thrown)
  }
}
