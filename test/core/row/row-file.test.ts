import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import { anyRow, row } from "./sample.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A file system with one file, read in blocks of the given sizes. */
const oneFile = (content: Uint8Array, blocks: ReadonlyArray<number> = [64]) => {
  let at = 0
  let reads = 0
  const file = {
    read: (into: Uint8Array) =>
      Effect.sync(() => {
        const size = Math.min(blocks[reads++ % blocks.length] ?? 1, into.length, content.length - at)
        into.set(content.subarray(at, at + size))
        at += size
        return FileSystem.Size(size)
      })
  }
  return FileSystem.layerNoop({ open: () => Effect.succeed(file as unknown as FileSystem.File) })
}

const readBytes = (content: Uint8Array, blocks?: ReadonlyArray<number>) =>
  Effect.runSync(Effect.provide(RowFile.readAll("run.jsonl"), oneFile(content, blocks)))
const numbers = (lines: ReadonlyArray<RowFile.BrokenLine>) => lines.map((l) => `${l.number} ${l.problem.reason}`)
const withId = (id: string) => row({ row_id: id })
const ids = (rows: ReadonlyArray<Row.Row>) => rows.map((r) => r.row_id)

describe("reading rows", () => {
  const content = FastCheck.array(
    FastCheck.oneof(
      anyRow.map(Row.encode),
      FastCheck.constantFrom("", " ", "\r", "{", "[]", "null", "\ufeff", '{"a":"\u2028"}')
    ),
    { maxLength: 8 }
  )
  const ends = FastCheck.constantFrom("\n", "\r\n")
  const blocks = FastCheck.array(FastCheck.integer({ min: 1, max: 40 }), { minLength: 1 })

  it.prop(
    "gives what splitting the whole text at newlines gives, however it is cut into blocks",
    [content, ends, blocks],
    ([lines, end, sizes]) => {
      const text = lines.join(end)
      const naive = text.split("\n").map((line) => line.replace(/^\ufeff/, "").trim())
      const kept = naive.flatMap((line) => (line === "" ? [] : [Row.parse(line)]))
      const read = readBytes(bytesOf(text), sizes)
      expect(read.rows).toEqual(kept.flatMap((r) => (r._tag === "Right" ? [r.right] : [])))
      expect(read.broken.map((b) => b.problem.reason)).toEqual(
        kept.flatMap((r) => (r._tag === "Left" ? [r.left.reason] : []))
      )
    }
  )

  const cut = FastCheck.tuple(
    FastCheck.array(anyRow, { minLength: 1, maxLength: 3 }),
    FastCheck.double({ min: 0, max: 1, noNaN: true })
  )
  it.prop("loses no whole line of a file that was cut at any byte", [cut], ([[rows, where]]) => {
    const lines = rows.map((one) => bytesOf(`${Row.encode(one)}\n`))
    const whole = new Uint8Array(Buffer.concat(lines))
    const size = Math.floor(where * whole.length)
    let end = 0
    const complete = lines.filter((line) => (end += line.length) - 1 <= size).length
    const read = readBytes(whole.subarray(0, size))
    expect(read.rows.length).toBe(complete)
    expect(read.broken.length).toBeLessThanOrEqual(1)
  })

  it("reads over CRLF, byte order marks and blank lines, and reports broken lines by number", () => {
    const text = `\ufeff${Row.encode(withId("a"))}\r\n\n  \nnot json\n${Row.encode(withId("b"))}\n[]\n{"schema_version":"1"}\n${Row.encode(withId("c"))}`
    const read = readBytes(bytesOf(text))
    expect(ids(read.rows)).toEqual(["a", "b", "c"])
    expect(numbers(read.broken)).toEqual(["4 not_json", "6 not_an_object", "7 not_a_row"])
  })

  it("ends lines at byte 0x0A alone", () => {
    const text = `${JSON.stringify(row({ final_text: "a\u2028b\u2029c\u0085d\u000be" }))}\n`
    expect(readBytes(bytesOf(text)).rows[0]?.final_text).toBe("a\u2028b\u2029c\u0085d\u000be")
  })

  it("reports a line that is not UTF-8 instead of reading it wrong", () => {
    const bytes = bytesOf(`${Row.encode(withId("a"))}\n${Row.encode(row({ row_id: "b", final_text: "caf?" }))}\n`)
    bytes[bytes.lastIndexOf(0x3f)] = 0xe9
    const read = readBytes(bytes)
    expect(ids(read.rows)).toEqual(["a"])
    expect(numbers(read.broken)).toEqual(["2 not_utf8"])
  })

  it.effect("reads no further than it is asked to", () => {
    let reads = 0
    const line = bytesOf(`${Row.encode(row())}\n`)
    const endless = FileSystem.layerNoop({
      open: () =>
        Effect.succeed({
          read: (into: Uint8Array) =>
            Effect.sync(() => {
              reads += 1
              into.set(line)
              return FileSystem.Size(line.length)
            })
        } as unknown as FileSystem.File)
    })
    return Effect.gen(function* () {
      let taken = 0
      yield* RowFile.readRows("run.jsonl", (rows) => Effect.sync(() => (taken += rows.length) < 3))
      expect([taken, reads]).toEqual([3, 3])
      const rows = yield* RowFile.stream("run.jsonl")
      expect(yield* Stream.runCount(Stream.take(rows, 3))).toBe(3)
      expect(reads).toBeLessThan(9)
    }).pipe(Effect.scoped, Effect.provide(endless))
  })
})

it("stands the other files beside the rows", () => {
  expect(RowFile.beside("out/run.jsonl")).toEqual({
    lost: "out/run.lost.jsonl",
    asks: "out/run.asks.jsonl",
    meta: "out/run.meta.json"
  })
  expect(RowFile.beside("out.d/run").meta).toBe("out.d/run.meta.json")
})

layer(NodeFileSystem.layer)("on a disk", (it) => {
  const inFolder = <A, E>(
    use: (path: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem>
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        return yield* use(`${yield* fs.makeTempDirectoryScoped()}/run.jsonl`, fs)
      })
    )
  const whole = `${Row.encode(withId("a"))}\n${Row.encode(withId("b"))}\n`

  it.effect("says that a file is not there, or is a folder", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        const missing = yield* Effect.flip(RowFile.readAll(path))
        expect(missing).toMatchObject({ _tag: "RowFileError", reason: "not_found", path })
        yield* fs.makeDirectory(path)
        expect((yield* Effect.flip(RowFile.readAll(path))).message).toContain("no file")
      })
    )
  )

  it.effect("cuts off a half last line, however long, and says what it was", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        for (const half of ['{"schema_version":"1","row', `{"a":"${"é".repeat(100_000)}`, "\u0000\u0000\u0000"]) {
          yield* fs.writeFileString(path, whole + half)
          const repair = yield* RowFile.repair(path)
          expect(repair.cut).toBe(bytesOf(half).length)
          expect(repair.text).toBe(half.slice(0, 120))
          expect(yield* fs.readFileString(path)).toBe(whole)
          expect(repair.size).toBe(whole.length)
        }
      })
    )
  )

  it.effect("leaves a whole file, and gives a whole last row the newline it lacks", () =>
    inFolder((path, fs) =>
      Effect.gen(function* () {
        for (const [content, after] of [
          ["", ""],
          [whole, whole],
          [whole.slice(0, -1), whole]
        ] as const) {
          yield* fs.writeFileString(path, content)
          expect(yield* RowFile.repair(path)).toEqual({ cut: 0, text: "", size: after.length })
          expect(yield* fs.readFileString(path)).toBe(after)
        }
      })
    )
  )
})
