import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as NodeRowSink from "../../../packages/core/src/node/NodeRowSink.ts"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as RowSink from "@sandtable/core/RowSink"
import { row } from "./sample.ts"

const withId = (id: string) => row({ row_id: id })
const line = (one: Row.Row) => `${Row.encode(one)}\n`
const append = (...rows: ReadonlyArray<Row.Row>) =>
  Effect.flatMap(RowSink.RowSink, (sink) => Effect.forEach(rows, sink.append, { discard: true }))
const inFolder = <A, E, R>(use: (folder: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return yield* use(yield* fs.makeTempDirectoryScoped(), fs)
    })
  )

describe("without a file", () => {
  it.effect("keeps nothing by default, since the result holds the rows", () =>
    Effect.gen(function* () {
      const sink = yield* RowSink.RowSink
      yield* sink.append(row())
      expect(yield* sink.unsaved).toEqual([])
      expect(yield* sink.digest).toBeNull()
    })
  )

  it.effect("keeps rows, losses and asks in memory when asked to", () =>
    Effect.gen(function* () {
      const kept = { rows: [] as Array<Row.Row>, lost: [] as Array<object>, asks: [] as Array<object> }
      const sink = RowSink.makeMemory(kept)
      yield* sink.append(withId("a"))
      yield* sink.lost({ reason: "timeout" })
      yield* sink.asks({ prompt: "?" })
      expect(kept).toEqual({ rows: [withId("a")], lost: [{ reason: "timeout" }], asks: [{ prompt: "?" }] })
      expect(yield* sink.digest).toBe(Row.digest([withId("a")]))
    })
  )
})

const layerFile = RowSink.layerFile
const disks = [
  ["the platform's file system", NodeFileSystem.layer],
  ["Node's own calls", Layer.merge(NodeFileSystem.layer, NodeRowSink.layer)]
] as const

for (const [name, disk] of disks) {
  layer(disk)(`into a file, by ${name}`, (it) => {
    it.effect("has a landed row on the file before anything is flushed or closed", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          yield* Effect.gen(function* () {
            yield* append(withId("a"))
            expect(yield* fs.readFileString(path)).toBe(line(withId("a")))
            yield* append(withId("b"))
            expect(yield* fs.readFileString(path)).toBe(line(withId("a")) + line(withId("b")))
          }).pipe(Effect.provide(layerFile(path)))
        })
      )
    )

    it.effect("keeps every row whole when many land at once, and digests them", () =>
      inFolder((folder) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          const rows = Array.from({ length: 50 }, (_, i) =>
            row({ row_id: `${i}`, rollout_index: i, final_text: "é".repeat(i * 999) })
          )
          const digest = yield* Effect.gen(function* () {
            const sink = yield* RowSink.RowSink
            yield* Effect.forEach(rows, sink.append, { concurrency: 10, discard: true })
            return yield* sink.digest
          }).pipe(Effect.provide(layerFile(path)))
          const read = yield* RowFile.readAll(path)
          expect([...read.rows].sort(Row.compare())).toEqual(rows)
          expect(digest).toBe(Row.digest(rows))
        })
      )
    )

    it.effect("has an ask on its file before any row that lands after it", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          yield* Effect.gen(function* () {
            const sink = yield* RowSink.RowSink
            yield* sink.asks({ prompt: "a" })
            yield* sink.asks({ prompt: "b" })
            yield* sink.append(row())
            expect(yield* fs.readFileString(RowFile.beside(path).asks)).toBe('{"prompt":"a"}\n{"prompt":"b"}\n')
          }).pipe(Effect.provide(layerFile(path)))
        })
      )
    )

    it.effect("makes the folders on the way, and the files beside it only once they have something", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          const path = `${folder}/deep/er/run.jsonl`
          yield* Effect.gen(function* () {
            const sink = yield* RowSink.RowSink
            expect(yield* fs.readDirectory(`${folder}/deep/er`)).toEqual(["run.jsonl"])
            yield* sink.lost({ reason: "timeout", text: "a\u2028b" })
            yield* sink.lost({ reason: "agent_error" })
            yield* sink.asks({ prompt: "?" })
          }).pipe(Effect.provide(layerFile(path)))
          expect(yield* fs.readFileString(`${folder}/deep/er/run.lost.jsonl`)).toBe(
            '{"reason":"timeout","text":"a\\u2028b"}\n{"reason":"agent_error"}\n'
          )
          expect(yield* fs.readFileString(`${folder}/deep/er/run.asks.jsonl`)).toBe('{"prompt":"?"}\n')
        })
      )
    )

    it.effect("refuses a file that is there, or one beside it, and touches neither", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          for (const there of ["run.jsonl", "run.lost.jsonl", "run.asks.jsonl"]) {
            yield* fs.writeFileString(`${folder}/${there}`, "precious\n")
            const error = yield* Effect.flip(append(row()).pipe(Effect.provide(layerFile(`${folder}/run.jsonl`))))
            expect(error).toMatchObject({ _tag: "RowFileError", reason: "exists", path: `${folder}/${there}` })
            expect(error.message).toContain("overwrite")
            expect(yield* fs.readFileString(`${folder}/${there}`)).toBe("precious\n")
            yield* fs.remove(`${folder}/${there}`)
          }
        })
      )
    )

    it.effect("replaces an earlier run whole, with what stands beside it", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          yield* fs.writeFileString(path, "old\nold\n")
          yield* fs.writeFileString(RowFile.beside(path).lost, "old\n")
          yield* append(withId("a")).pipe(Effect.provide(layerFile(path, { existing: "replace" })))
          expect(yield* fs.readFileString(path)).toBe(line(withId("a")))
          expect(yield* fs.exists(RowFile.beside(path).lost)).toBe(false)
        })
      )
    )

    it.effect("goes on where a killed process stopped: the half line is cut off, whole rows count", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          yield* fs.writeFileString(path, line(withId("a")) + line(withId("b")).slice(0, 40))
          const { digest, repairs } = yield* Effect.gen(function* () {
            const sink = yield* RowSink.RowSink
            yield* sink.append(withId("c"))
            return { digest: yield* sink.digest, repairs: sink.repairs }
          }).pipe(Effect.provide(layerFile(path, { existing: "append" })))
          expect(yield* fs.readFileString(path)).toBe(line(withId("a")) + line(withId("c")))
          expect(repairs).toMatchObject([{ path, cut: 40 }])
          expect(digest).toBe(Row.digest([withId("a"), withId("c")]))
        })
      )
    )

    it.effect("starts a file to be resumed when there is none", () =>
      inFolder((folder) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          yield* append(withId("a")).pipe(Effect.provide(layerFile(path, { existing: "append" })))
          expect((yield* RowFile.readAll(path)).rows).toEqual([withId("a")])
        })
      )
    )

    it.effect("finds a place that takes no file before a row is rolled", () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          yield* fs.writeFileString(`${folder}/file`, "")
          yield* fs.makeDirectory(`${folder}/run.jsonl`)
          const error = (path: string, existing: "refuse" | "replace" = "refuse") =>
            Effect.flip(append().pipe(Effect.provide(layerFile(path, { existing }))))
          expect((yield* error(`${folder}/file/run.jsonl`)).reason).toBe("not_a_file")
          expect((yield* error(`${folder}/run.jsonl`, "replace")).reason).toBe("not_a_file")
          const denied = new SystemError({ reason: "PermissionDenied", module: "FileSystem", method: "makeDirectory" })
          const locked = { ...fs, makeDirectory: () => Effect.fail(denied) }
          const message = (yield* Effect.provideService(error(`${folder}/a/run.jsonl`), FileSystem.FileSystem, locked))
            .message
          expect(message).toBe(
            `${folder}/a/run.jsonl: nothing can be written here; name an \`output\` in a place you may write to.`
          )
        })
      )
    )

    it.effect("is closed with every landed row when the run is interrupted", () =>
      inFolder((folder) =>
        Effect.gen(function* () {
          const path = `${folder}/run.jsonl`
          const fiber = yield* append(withId("a"), withId("b")).pipe(
            Effect.zipRight(Effect.never),
            Effect.provide(layerFile(path)),
            Effect.fork
          )
          while (
            (yield* Effect.either(RowFile.readAll(path))).pipe((r) => r._tag === "Left" || r.right.rows.length < 2)
          ) {
            yield* Effect.yieldNow()
          }
          yield* Fiber.interrupt(fiber)
          expect((yield* RowFile.readAll(path)).rows).toHaveLength(2)
        })
      )
    )
  })
}

/** A disk that says how much it takes of each write, and counts what is asked of it. */
const disk = (room: () => number) => {
  const state = { text: "", writes: 0, syncs: 0, closed: false }
  const failure = new RowFile.RowFileError({ path: "run.jsonl", reason: "disk_full", detail: "the disk is full." })
  return {
    state,
    layer: (path: string): Layer.Layer<never, RowFile.RowFileError, FileSystem.FileSystem> =>
      Layer.provide(
        RowSink.layerFile(path),
        Layer.succeed(RowSink.Disk, {
          open: () =>
            Effect.acquireRelease(
              Effect.succeed({
                size: 0,
                write: (bytes: Uint8Array) =>
                  Effect.suspend(() => {
                    state.writes += 1
                    const size = Math.min(room(), bytes.length)
                    if (size === 0) return Effect.fail(failure)
                    state.text += new TextDecoder().decode(bytes.subarray(0, size))
                    return Effect.succeed(size)
                  }),
                truncate: (size: number) => Effect.sync(() => void (state.text = state.text.slice(0, size))),
                sync: Effect.sync(() => void (state.syncs += 1))
              }),
              () => Effect.sync(() => (state.closed = true))
            )
        })
      )
  }
}

layer(NodeFileSystem.layer)("on a disk that fails", (it) => {
  it.effect("keeps a row that could not be written, takes back the half of it, and writes it with the next", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        let room = [Infinity, 10, 0]
        const full = disk(() => room.shift() ?? Infinity)
        yield* Effect.gen(function* () {
          const sink = yield* RowSink.RowSink
          yield* sink.append(withId("a"))
          const error = yield* Effect.flip(sink.append(withId("b")))
          expect(error.reason).toBe("disk_full")
          expect(yield* sink.unsaved).toEqual([withId("b")])
          expect(full.state.text).toBe(line(withId("a")))
          room = [0]
          expect((yield* Effect.flip(sink.append(withId("c")))).reason).toBe("disk_full")
          expect(yield* sink.unsaved).toEqual([withId("b"), withId("c")])
          yield* sink.flush
          expect(yield* sink.unsaved).toEqual([])
          expect(full.state.text).toBe(line(withId("a")) + line(withId("b")) + line(withId("c")))
        }).pipe(Effect.provide(full.layer(`${folder}/run.jsonl`)))
      })
    )
  )

  it.effect("says in words what the system says in codes", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        const failing = (code: string) => {
          const cause = Object.assign(new Error(`${code}: write`), { code })
          const error = new SystemError({ reason: "Unknown", module: "FileSystem", method: "write", cause })
          const open = (path: string, options?: FileSystem.OpenFileOptions) =>
            Effect.map(fs.open(path, options), (file) =>
              Object.assign(Object.create(file) as FileSystem.File, { write: () => Effect.fail(error) })
            )
          return { ...fs, open }
        }
        const reason = (code: string) =>
          append(row()).pipe(
            Effect.provide(RowSink.layerFile(`${folder}/${code}.jsonl`)),
            Effect.provideService(FileSystem.FileSystem, failing(code)),
            Effect.flip,
            Effect.map((error) => error.reason)
          )
        expect(yield* reason("ENOSPC")).toBe("disk_full")
        expect(yield* reason("EROFS")).toBe("not_writable")
        expect(yield* reason("EIO")).toBe("failed")
      })
    )
  )

  it.effect("writes rows that land at once together, and tells each whether it is on the file", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const rows = ["a", "b", "c", "d"].map(withId)
        let room = [line(rows[0] as Row.Row).length + line(rows[1] as Row.Row).length + 5, 0]
        const counted = disk(() => room.shift() ?? Infinity)
        yield* Effect.gen(function* () {
          const sink = yield* RowSink.RowSink
          const outcomes = yield* Effect.forEach(rows, (one) => Effect.exit(sink.append(one)), {
            concurrency: "unbounded"
          })
          expect(outcomes.map(Exit.isSuccess)).toEqual([true, true, false, false])
          expect(counted.state.text).toBe(line(withId("a")) + line(withId("b")))
          expect(yield* sink.unsaved).toEqual([withId("c"), withId("d")])
          room = []
          const before = counted.state.writes
          yield* Effect.forEach(["e", "f"].map(withId), sink.append, { concurrency: "unbounded", discard: true })
          expect(counted.state.writes).toBe(before + 1)
          expect(counted.state.text).toBe(["a", "b", "c", "d", "e", "f"].map((id) => line(withId(id))).join(""))
          expect(yield* sink.digest).toBe(Row.digest(["a", "b", "c", "d", "e", "f"].map(withId)))
        }).pipe(Effect.provide(counted.layer(`${folder}/run.jsonl`)))
      })
    )
  )

  it.effect("takes a write in pieces", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const slow = disk(() => 7)
        yield* append(withId("a"), withId("b")).pipe(Effect.provide(slow.layer(`${folder}/run.jsonl`)))
        expect(slow.state.text).toBe(line(withId("a")) + line(withId("b")))
      })
    )
  )

  it.effect("forces rows to the disk in groups: at 256, or after 100 ms, and at the end", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const counted = disk(() => Infinity)
        const scope = yield* Scope.make()
        yield* Effect.gen(function* () {
          const sink = yield* RowSink.RowSink
          const land = (n: number) =>
            Effect.zipRight(Effect.replicateEffect(sink.append(row()), n), Effect.repeatN(Effect.yieldNow(), 20))
          yield* land(255)
          expect(counted.state.syncs).toBe(0)
          yield* land(1)
          expect(counted.state.syncs).toBe(1)
          yield* land(3)
          yield* TestClock.adjust("99 millis")
          expect(counted.state.syncs).toBe(1)
          yield* TestClock.adjust("1 millis")
          expect(counted.state.syncs).toBe(2)
          yield* TestClock.adjust("10 seconds")
          expect(counted.state.syncs).toBe(2)
          yield* land(1)
        }).pipe(Effect.provide(counted.layer(`${folder}/run.jsonl`)), Scope.extend(scope))
        yield* Scope.close(scope, Exit.void)
        expect(counted.state).toMatchObject({ syncs: 3, closed: true })
      })
    )
  )
})
