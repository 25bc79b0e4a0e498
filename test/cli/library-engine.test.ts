import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Engine from "../../packages/cli/src/Engine.ts"
import * as LibraryEngine from "../../packages/cli/src/LibraryEngine.ts"

const cause = Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC" })
const full = new SystemError({ reason: "Unknown", module: "FileSystem", method: "write", cause })

/** Takes two rows and half of the third, however many come in one write. */
const onFullDisk = (fs: FileSystem.FileSystem): FileSystem.FileSystem => {
  let rows = 0
  let isFull = false
  return {
    ...fs,
    open: (path, options) =>
      Effect.map(fs.open(path, options), (file) => {
        if (!path.endsWith("run.jsonl")) return file
        const write = (bytes: Uint8Array) => {
          if (isFull) return Effect.fail(full)
          for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
            rows += 1
            if (rows < 3) continue
            isFull = true
            return file.write(bytes.subarray(0, at / 2 + bytes.lastIndexOf(0x0a, at - 1) / 2))
          }
          return file.write(bytes)
        }
        return Object.assign(Object.create(file) as FileSystem.File, { write })
      })
  }
}

layer(Layer.merge(NodeFileSystem.layer, NodePath.layer))("an output that cannot be written", (it) => {
  it.scoped("ends the run with whole rows in the file, and speaks of what a command has", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const output = `${yield* fs.makeTempDirectoryScoped()}/run.jsonl`
      const engine = Layer.provide(
        LibraryEngine.layer,
        Layer.merge(NodePath.layer, Layer.succeed(FileSystem.FileSystem, onFullDisk(fs)))
      )
      const error = yield* Effect.flatMap(Engine.Engine, ({ simulate }) =>
        simulate(
          { agent: () => "Which order?", systemPrompt: "Be kind.", simulator: false, budget: 50, output },
          { signal: new AbortController().signal, onEvent: () => {} }
        )
      ).pipe(Effect.provide(engine), Effect.flip)
      expect(error).toMatchObject({ _tag: "Failed", reason: "output_failed" })
      expect(error.message).toContain("the disk is full")
      expect(error.message).not.toContain("error's")
      const warnings = error._tag === "Failed" ? (error.outcome?.warnings ?? []) : []
      expect(warnings.find(({ code }) => code === "interrupted")?.message).toContain("could not be written")
      expect(JSON.stringify(warnings)).not.toContain("timeBudget")
      const lines = (yield* fs.readFileString(output)).split("\n")
      expect(lines).toHaveLength(3)
      expect(lines.at(-1)).toBe("")
    })
  )
})
