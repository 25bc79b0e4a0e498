/**
 * Files that commands are pointed at: missing, empty, cut off, of another kind, and very long. Every command tells what is
 * wrong with one in a sentence with a fix, and reads what can be read.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, mkdirSync, readFileSync } from "node:fs"
import { command } from "../support/command.ts"
import * as Folder from "./folder.ts"
import { row } from "./harness.ts"

const at = Folder.make()
afterAll(at.remove)
const agent = at.path("agent.mjs")
const out = at.path("out.jsonl")

const graded = Array.from({ length: 24 }, (_, i) =>
  row(i % 6, {
    row_id: `row_${i}`,
    rollout_index: Math.floor(i / 6),
    reward: i % 4 === 0 ? 0 : 1,
    final_text: `Answer ${i % 5}.`,
    ...(i % 4 === 0 ? { failure_class: "lost_order", reason: "It lost the order." } : {})
  })
)
const lines = graded.map((each) => JSON.stringify(each))

beforeAll(() => {
  at.write("agent.mjs", `export default { agent: () => "Which order?", grader: () => 1 }`)
  at.write("rows.jsonl", `${lines.join("\n")}\n`)
  mkdirSync(at.path("folder"))
  at.write("folder/one.jsonl", `${lines[0]}\n`)
})

/** Every command that reads a run, with what else it needs. */
const readers: ReadonlyArray<readonly [string, (run: string) => ReadonlyArray<string>]> = [
  ["tasks", (run) => ["tasks", run]],
  ["replay", (run) => ["replay", run, agent, "-q", "--output", out, "--overwrite"]],
  ["grade", (run) => ["grade", run, "--conduct", "--output", out, "--overwrite"]],
  ["report", (run) => ["report", run]],
  ["compare", (run) => ["compare", run, at.path("rows.jsonl")]],
  ["compare, after", (run) => ["compare", at.path("rows.jsonl"), run]],
  ["power", (run) => ["power", run]],
  ["select", (run) => ["select", run, "--mode", "sft", "--output", out, "--overwrite"]],
  ["decontaminate", (run) => ["decontaminate", run, at.path("rows.jsonl"), "--output", out, "--overwrite"]],
  ["export", (run) => ["export", run, "--format", "junit", "--output", out, "--overwrite"]],
  ["trust", (run) => ["trust", run]],
  ["traces inspect", (run) => ["traces", "inspect", run]],
  ["traces import", (run) => ["traces", "import", run, "--output", out, "--overwrite"]],
  ["patience fit", (run) => ["patience", "fit", run, "--output", out, "--overwrite"]]
]

describe.each(readers)("%s", (_, words) => {
  const refused = (run: string) =>
    Effect.map(Folder.sandtable(words(run)), ({ status, stderr, stdout }) => {
      expect([status, stdout]).toEqual([64, ""])
      expect(stderr).toMatch(/^error: [^\n]+\n/)
      expect(stderr).toContain("fix:")
      expect(stderr).not.toMatch(/\n\s+at /)
      expect(stderr).not.toContain("\u001b")
      return stderr
    })

  it.effect("refuses a file that is not there", () =>
    Effect.map(refused(at.path("rows.json")), (told) => expect(told).toContain("no such file"))
  )

  it.effect("refuses a folder", () => Effect.map(refused(at.path("folder")), (told) => expect(told).toMatch(/folder/)))

  it.effect("refuses an empty file", () =>
    Effect.map(refused(at.write("empty.jsonl", "")), (told) => expect(told).toMatch(/empty|holds no row/))
  )

  it.effect("refuses rows in UTF-16 without its mark, and says where it saw that", () =>
    Effect.map(refused(at.write("wide.jsonl", `${lines.join("\n")}\n`, "utf16le")), (told) =>
      expect(told.replaceAll(/\s+/g, " ")).toContain("byte 1 (line 1) is zero")
    )
  )

  it.effect("refuses a file of something else", () =>
    Effect.asVoid(refused(at.write("noise.jsonl", "PNG\u0000\u0001\n\u0002\n")))
  )

  it.effect("reads a file whose last line was cut off, and one with Windows line ends", () =>
    Effect.gen(function* () {
      const whole = yield* Folder.sandtable(words(at.path("rows.jsonl")))
      expect([0, 2]).toContain(whole.status)
      const half = at.write("half.jsonl", `${lines.join("\n")}\n${(lines[0] ?? "").slice(0, 40)}`)
      const windows = at.write("windows.jsonl", `\uFEFF${lines.join("\r\n")}\r\n`)
      for (const file of [half, windows]) {
        const ended = yield* Folder.sandtable(words(file))
        expect(ended.status).toBe(whole.status)
        expect((ended.stdout + ended.stderr).trim()).not.toBe("")
      }
    })
  )
})

describe("a run that is in place", () => {
  it.effect("is not graded in place when lines of it would be lost", () =>
    Effect.gen(function* () {
      const file = at.write("cut.jsonl", `${lines.join("\n")}\n${(lines[0] ?? "").slice(0, 40)}`)
      const before = readFileSync(file, "utf8")
      const { status, stderr } = yield* Folder.sandtable(["grade", file, "--conduct"])
      expect([status, readFileSync(file, "utf8") === before]).toEqual([64, true])
      expect(stderr).toContain("line 25")
    })
  )

  it.effect("named by the file beside it is pointed at", () =>
    Effect.gen(function* () {
      const meta = at.write("rows.meta.json", "{}")
      const { status, stderr } = yield* Folder.sandtable(["tasks", meta])
      expect([status, stderr.includes(`Name the rows: ${at.path("rows.jsonl")}`)]).toEqual([64, true])
    })
  )
})

describe("a long file", () => {
  it("is read without being held", { timeout: 120_000 }, async () => {
    const file = at.path("long.jsonl")
    const stream = createWriteStream(file)
    const filler = "x".repeat(4000)
    for (let i = 0; i < 30_000; i++) {
      const line = JSON.stringify(row(i % 500, { row_id: `row_${i}`, reward: i % 3 === 0 ? 0 : 1, final_text: filler }))
      if (!stream.write(`${line}\n`)) await once(stream, "drain")
    }
    stream.end()
    await once(stream, "finish")
    // the rows are 130 MB of text: held, they would not fit
    const node = ["--max-old-space-size=96", command, "report", file, "--json"]
    const { status, stderr, stdout } = spawnSync(process.execPath, node, { encoding: "utf8" })
    expect([status, stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toMatchObject({ rows: 30_000, pass: { tasks: 500 } })
  })
})
