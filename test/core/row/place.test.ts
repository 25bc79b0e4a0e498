import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as Place from "../../../packages/core/src/row/Place.ts"

const inFolder = <A, E>(
  use: (folder: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return yield* use(yield* fs.makeTempDirectoryScoped(), fs)
    })
  )

layer(NodeFileSystem.layer)("a place", (it) => {
  it.effect("is what a path leads to", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${folder}/rows.jsonl`, "1")
        yield* fs.chmod(`${folder}/rows.jsonl`, 0o640)
        execFileSync("mkfifo", [`${folder}/pipe`])
        expect(yield* Place.of(`${folder}/rows.jsonl`)).toEqual({
          _tag: "File",
          path: `${folder}/rows.jsonl`,
          mode: 0o640
        })
        expect((yield* Place.of(folder))._tag).toBe("Folder")
        expect((yield* Place.of(`${folder}/pipe`))._tag).toBe("Stream")
        expect((yield* Place.of("/dev/null"))._tag).toBe("Stream")
        expect(yield* Place.of(`${folder}/no/such`)).toEqual({ _tag: "Nothing", path: `${folder}/no/such` })
      })
    )
  )

  it.effect("is at the end of a chain of links, whether something is there or not", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${folder}/runs`)
        yield* fs.writeFileString(`${folder}/runs/7.jsonl`, "1")
        yield* fs.symlink("runs/7.jsonl", `${folder}/last.jsonl`)
        yield* fs.symlink(`${folder}/last.jsonl`, `${folder}/again.jsonl`)
        yield* fs.symlink("runs/8.jsonl", `${folder}/next.jsonl`)
        yield* fs.symlink("round.jsonl", `${folder}/round.jsonl`)
        expect(yield* Place.real(`${folder}/again.jsonl`)).toBe(`${folder}/runs/7.jsonl`)
        expect(yield* Place.of(`${folder}/next.jsonl`)).toEqual({ _tag: "Nothing", path: `${folder}/runs/8.jsonl` })
        expect((yield* Effect.flip(Place.of(`${folder}/round.jsonl`))).reason).toBe("not_a_file")
        expect(yield* Place.real(`${folder}/round.jsonl`)).toBe(`${folder}/round.jsonl`)
      })
    )
  )

  it.effect("gets its folders one by one", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        yield* Place.makeFolderOf(`${folder}/a/b/c/rows.jsonl`)
        yield* Place.makeFolder(`${folder}/a/b/c`)
        yield* Place.makeFolder(".")
        expect((yield* Place.of(`${folder}/a/b/c`))._tag).toBe("Folder")
        yield* fs.writeFileString(`${folder}/file`, "")
        const through = yield* Effect.flip(Place.makeFolderOf(`${folder}/file/d/rows.jsonl`))
        expect(through).toMatchObject({ reason: "not_a_file", path: `${folder}/file/d/rows.jsonl` })
        yield* fs.symlink("nowhere", `${folder}/loose`)
        expect((yield* Effect.flip(Place.makeFolder(`${folder}/loose`))).reason).toBe("not_a_file")
      })
    )
  )
})

it.effect("a folder that a parent does not let be made is told of at once", () => {
  const error = (path: string) =>
    new SystemError({ reason: "NotFound", module: "FileSystem", method: "makeDirectory", pathOrDescriptor: path })
  const tried: Array<string> = []
  return Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const root = yield* fs.stat("/")
    const odd = FileSystem.layerNoop({
      stat: (path) => (path === "/odd" ? Effect.succeed(root) : Effect.fail(error(path))),
      makeDirectory: (path) => {
        tried.push(path)
        return Effect.fail(error(path))
      }
    })
    const failure = yield* Effect.flip(Effect.provide(Place.makeFolderOf("/odd/a/b/rows.jsonl"), odd))
    expect(failure).toMatchObject({ path: "/odd/a/b/rows.jsonl", reason: "not_writable" })
    expect(tried).toEqual(["/odd/a"])
  }).pipe(Effect.provide(NodeFileSystem.layer))
})

it.each([
  ["rows.jsonl", "."],
  ["runs/rows.jsonl", "runs"],
  ["/rows.jsonl", "/"],
  ["C:\\runs\\rows.jsonl", "C:\\runs"],
  [".", "."],
  ["/", "/"]
])("the folder of %s is %s", (path, folder) => expect(Place.folderOf(path)).toBe(folder))
