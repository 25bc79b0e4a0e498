/**
 * Runs of the command that are killed at any moment and gone on with, and what has to hold of their files every time.
 */
import * as Row from "@sandtable/core/Row"
import { spawn, type ChildProcess } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { command } from "../support/command.ts"

const agentFile = fileURLToPath(new URL("../fixtures/called-agent.ts", import.meta.url))

export interface Ended {
  readonly status: number | null
  readonly stderr: string
}

/** A folder with a run in it. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), "sandtable-kill-"))
  readonly rows = join(this.folder, "run.jsonl")
  readonly meta = join(this.folder, "run.meta.json")
  private readonly words: ReadonlyArray<string>
  private calls = 0

  constructor(words: ReadonlyArray<string>) {
    this.words = words
  }

  /** Starts the command on the run; `file` is where this call's agent writes down what it is called for. */
  start(env: Readonly<Record<string, string>> = {}) {
    const file = join(this.folder, `calls-${(this.calls += 1)}`)
    const words = ["simulate", agentFile, "--offline", "--quiet", "--checkpoint", this.rows, ...this.words]
    const child = spawn(process.execPath, [command, ...words], {
      env: { ...process.env, CALLS: file, ...env },
      stdio: ["ignore", "ignore", "pipe"]
    })
    let stderr = ""
    child.stderr.on("data", (chunk) => void (stderr += String(chunk)))
    const ended = new Promise<Ended>((resolve) => child.on("close", (status) => resolve({ status, stderr })))
    return { child, ended, called: () => linesOf(file) }
  }

  /** Names of the rows on disk; a half last line, as a kill may leave one, is none. */
  landed(): ReadonlyArray<string> {
    if (!existsSync(this.rows)) return []
    const text = readFileSync(this.rows, "utf8")
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => nameOf(JSON.parse(line) as Row.Row))
  }

  digest(): string {
    return Row.digest(
      readFileSync(this.rows, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Row.Row)
    )
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}

export const nameOf = (row: Row.Row): string => `${row.lineage?.eval_run} ${row.task_id} ${row.rollout_index}`

const linesOf = (file: string): ReadonlyArray<string> =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []

/** Kills a process, or sends it another signal, once its agent was called that often, `after` ms later; false when it had ended by itself. */
export const killAt = async (
  running: { readonly child: ChildProcess; readonly called: () => ReadonlyArray<string> },
  calls: number,
  after: number,
  signal: NodeJS.Signals = "SIGKILL"
): Promise<boolean> => {
  while (running.called().length < calls) {
    if (running.child.exitCode !== null) return false
    await setTimeout(2)
  }
  await setTimeout(after)
  return running.child.kill(signal)
}

/** What is wrong with the files of a run after a kill or an end; empty when nothing is. */
export const faultsOf = (
  before: ReadonlyArray<string>,
  called: ReadonlyArray<string>,
  after: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const there = new Set(after)
  const known = new Set(before)
  return [
    ...(there.size === after.length ? [] : [`${after.length - there.size} rows twice`]),
    ...before.filter((name) => !there.has(name)).map((name) => `lost ${name}`),
    ...called.filter((name) => known.has(name)).map((name) => `run again ${name}`),
    ...(new Set(called).size === called.length ? [] : ["called twice for a rollout"])
  ]
}
