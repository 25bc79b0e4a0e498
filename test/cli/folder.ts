/**
 * Runs the command against real files and the library, in this process: quicker than a process of its own for each.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cli from "../../packages/cli/src/Cli.ts"
import { Interrupts } from "../../packages/cli/src/Interrupts.ts"
import * as LibraryEngine from "../../packages/cli/src/LibraryEngine.ts"
import * as Sources from "../../packages/cli/src/Sources.ts"
import * as Stdio from "../../packages/cli/src/Stdio.ts"

export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder of its own, with a space in its name. */
export const make = () => {
  const folder = mkdtempSync(join(tmpdir(), "sand table "))
  const path = (name: string): string => join(folder, name)
  return {
    folder,
    path,
    write: (name: string, text: string, encoding: BufferEncoding = "utf8"): string => {
      writeFileSync(path(name), text, encoding)
      return path(name)
    },
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)

/** Runs `sandtable <words>`; paths in the words are absolute. `interrupt` presses Ctrl-C as soon as somebody listens. */
export const sandtable = (
  words: ReadonlyArray<string>,
  options: { readonly terminal?: boolean; readonly columns?: number; readonly interrupt?: boolean } = {}
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const { columns = 100, terminal = false } = options
    const stdio = Stdio.memory({ columns, terminal })
    const status = yield* Effect.provide(
      Cli.main(words, "1.2.3"),
      Layer.mergeAll(
        Layer.succeed(Stdio.Stdio, stdio.service),
        Layer.succeed(Interrupts, {
          onFirst: (handler) => (options.interrupt === true ? Effect.sync(handler) : Effect.void)
        }),
        Layer.provide(LibraryEngine.layer, Layer.merge(platform, Sources.layer)),
        platform
      )
    )
    return { status, stdout: stdio.stdout(), stderr: stdio.stderr() }
  })

/** What `--json` printed: one object on one line and nothing else. */
export const parsed = ({ stdout }: Ended): Readonly<Record<string, unknown>> => {
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error(`This is not one line of JSON: ${stdout}`)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
}
