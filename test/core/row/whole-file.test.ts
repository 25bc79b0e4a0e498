import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile, execFileSync } from "node:child_process"
import { promisify } from "node:util"
import * as WholeFile from "../../../packages/core/src/row/WholeFile.ts"

layer(NodeFileSystem.layer)("a file written whole", (it) => {
  const inFolder = <A, E>(
    use: (folder: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem>
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        return yield* use(yield* fs.makeTempDirectoryScoped(), fs)
      })
    )

  it.effect("goes through a link, and keeps the link, its permissions and the folder clean", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        yield* fs.makeDirectory(`${folder}/real`)
        yield* fs.makeDirectory(`${folder}/other`)
        yield* fs.writeFileString(`${folder}/real/a.txt`, "before")
        yield* fs.chmod(`${folder}/real/a.txt`, 0o600)
        yield* fs.symlink("../real/a.txt", `${folder}/other/link.txt`)
        yield* WholeFile.text(`${folder}/other/link.txt`, "after")
        expect(yield* fs.readFileString(`${folder}/real/a.txt`)).toBe("after")
        expect((yield* fs.stat(`${folder}/real/a.txt`)).mode & 0o777).toBe(0o600)
        expect(yield* fs.readLink(`${folder}/other/link.txt`)).toBe("../real/a.txt")
        expect(yield* fs.readDirectory(`${folder}/real`)).toEqual(["a.txt"])
        expect(yield* fs.readDirectory(`${folder}/other`)).toEqual(["link.txt"])
      })
    )
  )

  it.effect("is as it was when what fills it fails, and is not there when it was not", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${folder}/a.txt`, "before")
        for (const name of ["a.txt", "b.txt"]) {
          const broken = WholeFile.write(`${folder}/${name}`, (write) =>
            Effect.zipRight(write(new Uint8Array([65])), Effect.fail("enough"))
          )
          expect(yield* Effect.flip(broken)).toBe("enough")
        }
        expect(yield* fs.readFileString(`${folder}/a.txt`)).toBe("before")
        expect(yield* fs.readDirectory(folder)).toEqual(["a.txt"])
      })
    )
  )

  it.effect("never takes the place of a device or a pipe", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        yield* WholeFile.text("/dev/null", "nobody reads this")
        expect((yield* fs.stat("/dev/null")).type).toBe("CharacterDevice")
        execFileSync("mkfifo", [`${folder}/pipe`])
        const reader = promisify(execFile)("cat", [`${folder}/pipe`])
        yield* WholeFile.write(`${folder}/pipe`, (write) =>
          Effect.forEach(["one ", "two"], (text) => write(new TextEncoder().encode(text)))
        )
        expect((yield* Effect.promise(() => reader)).stdout).toBe("one two")
        expect((yield* fs.stat(`${folder}/pipe`)).type).toBe("FIFO")
        expect(yield* fs.readDirectory(folder)).toEqual(["pipe"])
        expect((yield* Effect.flip(WholeFile.text(folder, ""))).reason).toBe("not_a_file")
      })
    )
  )
})
