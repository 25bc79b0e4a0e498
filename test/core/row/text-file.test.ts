import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Either, FastCheck } from "effect"
import * as RowFile from "@sandtable/core/RowFile"
import * as TextFile from "../../../packages/core/src/row/TextFile.ts"
import { decode } from "../../../packages/core/src/row/internal/encoding.ts"
import * as Lines from "../../../packages/core/src/row/internal/lines.ts"

const utf16 = (text: string, bigEndian = false): Uint8Array => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return bigEndian ? bytes.swap16() : bytes
}
const words = "Zażółć gęślą jaźń: naïve café, 東京, 🧾\r\nsecond line \uFFFD kept\n"

describe("the bytes of a text", () => {
  it.each([
    ["UTF-8", Buffer.from(words)],
    ["UTF-8 with a mark", Buffer.from(`\uFEFF${words}`)],
    ["UTF-16, little end first", utf16(words)],
    ["UTF-16, big end first", utf16(words, true)]
  ])("are read as %s", (_, bytes) => expect(decode(bytes)).toEqual(Either.right(words)))

  it.each([
    ["Latin-1", Buffer.from("Be kind.\nTell the café so.", "latin1"), "is not UTF-8: byte 21 (line 2) is 0xE9"],
    ["Windows-1252", Buffer.from([0x69, 0x74, 0x92, 0x73]), "is not UTF-8: byte 2 (line 1) is 0x92"],
    ["UTF-8 cut in a character", Buffer.from("東京").subarray(0, 5), "is not UTF-8: byte 3 (line 1) is 0xE4"],
    ["UTF-16 without its mark", Buffer.from("Be kind.", "utf16le"), "is no text: byte 1 (line 1) is zero"],
    ["UTF-16BE without its mark", Buffer.from("Be kind.", "utf16le").swap16(), "is no text: byte 0 (line 1) is zero"],
    ["UTF-16 cut in a character", utf16("Be kind.").subarray(0, 9), "half a character at byte 8 (line 1)"],
    ["half of a pair in UTF-16", utf16("a\nb\uD83Dc"), "half a character at byte 8 (line 2)"],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x42, 0, 0, 0]), "is not UTF-8: byte 0 (line 1) is 0xFF"],
    ["a mark of UTF-8 before Latin-1", Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xe9]), "byte 4 (line 1) is 0xE9"],
    ["what was written after a replacement character", Buffer.from([0xef, 0xbf, 0xbd, 0xff]), "byte 3 (line 1) is 0xFF"]
  ])("are refused with their place: %s", (_, bytes, problem) => {
    const read = decode(bytes)
    expect(Either.isLeft(read) ? read.left : read.right).toContain(problem)
  })

  it("are never read as something that does not give them back", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ maxLength: 40 }), (bytes) => {
        const read = decode(bytes)
        if (Either.isLeft(read)) {
          expect(read.left).toMatch(/byte \d+/)
          return
        }
        const again = [
          Buffer.from(read.right),
          Buffer.from(`\uFEFF${read.right}`),
          utf16(read.right),
          utf16(read.right, true)
        ]
        expect(again.some((one) => Buffer.compare(one, bytes) === 0)).toBe(true)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("lines", () => {
  const linesOf = (bytes: Uint8Array, block: number) => {
    const splitter = Lines.make()
    const out = []
    for (let at = 0; at < bytes.length; at += block) out.push(...splitter.push(bytes.subarray(at, at + block)))
    return [...out, ...splitter.end()]
  }

  it.each([1, 2, 3, 7, 1000])("of UTF-16 are those of UTF-8, in blocks of %d bytes", (block) => {
    for (const bigEndian of [false, true]) {
      const found = linesOf(utf16(`{"a": "東京 🧾"}\r\n\n{"b": 1}`, bigEndian), block)
      expect(found.map((line) => (line._tag === "Text" ? [line.number, line.text.trim()] : line))).toEqual([
        [1, `{"a": "東京 🧾"}`],
        [3, `{"b": 1}`]
      ])
    }
  })

  it.each([1, 5, 1000])("say where in the file a byte is that is none of UTF-8, in blocks of %d bytes", (block) => {
    const found = linesOf(Buffer.from('{"a": 1}\n{"b": "caf\xe9"}\n{"c": 3}', "latin1"), block)
    expect(found.map((line) => line._tag)).toEqual(["Text", "Unreadable", "Text"])
    expect(found[1]).toMatchObject({ detail: "The line is not UTF-8: byte 19 of the file is 0xE9." })
  })
})

layer(NodeFileSystem.layer)("a file of text", (it) => {
  it.effect("is read, or refused by its path and the byte's place", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFile(`${folder}/policy.md`, utf16("Be kind."))
        expect(yield* TextFile.read(`${folder}/policy.md`)).toBe("Be kind.")
        yield* fs.writeFile(`${folder}/policy.txt`, Buffer.from("café", "latin1"))
        expect(yield* Effect.flip(TextFile.read(`${folder}/policy.txt`))).toMatchObject({
          path: `${folder}/policy.txt`,
          reason: "not_text",
          detail: "is not UTF-8: byte 3 (line 1) is 0xE9."
        })
        expect((yield* Effect.flip(TextFile.read(`${folder}/none`))).reason).toBe("not_found")
      })
    )
  )

  it.effect("of rows in UTF-16 holds the same rows", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const text = `${JSON.stringify({ schema_version: "1", row_id: "row_1", task_id: "t", scenario_id: "s", prompt: "Où?", steps: [], final_text: "Ici." })}\n`
        yield* fs.writeFileString(`${folder}/8.jsonl`, text)
        yield* fs.writeFile(`${folder}/16.jsonl`, utf16(text))
        expect(yield* RowFile.readAll(`${folder}/16.jsonl`)).toEqual(yield* RowFile.readAll(`${folder}/8.jsonl`))
      })
    )
  )
})
