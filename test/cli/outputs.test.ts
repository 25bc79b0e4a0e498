/**
 * Where commands write: places that take nothing, links, devices and pipes.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, execFileSync } from "node:child_process"
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { promisify } from "node:util"
import * as Folder from "./folder.ts"

const at = Folder.make()
afterAll(at.remove)
const agent = at.path("agent.mjs")
const rows = at.path("rows.jsonl")
const simulate = ["simulate", agent, "--offline", "--budget", "4", "-q"]

beforeAll(async () => {
  at.write(
    "agent.mjs",
    `export default { agent: () => "Which order?", tools: [{ name: "get_order", description: "Gets an order by its number.", parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] } }], grader: () => 1 }`
  )
  await Effect.runPromise(Folder.sandtable([...simulate, "--output", rows]))
})

/** Every command that writes, into the given place. */
const writers: ReadonlyArray<readonly [string, (place: string) => ReadonlyArray<string>]> = [
  ["simulate", (place) => [...simulate, "--output", `${place}.jsonl`]],
  ["simulate, with a checkpoint", (place) => [...simulate, "--checkpoint", `${place}.jsonl`]],
  ["replay", (place) => ["replay", rows, agent, "--offline", "-q", "--output", `${place}.jsonl`]],
  ["grade", (place) => ["grade", rows, "--conduct", "--output", `${place}.jsonl`]],
  ["report", (place) => ["report", rows, "--html", `${place}.html`]],
  ["select", (place) => ["select", rows, "--mode", "sft", "--output", `${place}.jsonl`]],
  ["export", (place) => ["export", rows, "--format", "openai", "--output", `${place}.jsonl`]],
  ["traces import", (place) => ["traces", "import", rows, "--output", `${place}.jsonl`]],
  ["decontaminate", (place) => ["decontaminate", rows, at.path("other.jsonl"), "--output", `${place}.jsonl`]],
  ["init", (place) => ["init", place]]
]

describe.each(writers)("%s", (name, words) => {
  it.effect.skipIf(!existsSync("/proc/self"))("refuses at once a folder that cannot be made", () =>
    Effect.gen(function* () {
      at.write("other.jsonl", `${JSON.stringify({ prompt: "Nothing like it.", final_text: "", steps: [] })}\n`)
      const { status, stderr } = yield* Folder.sandtable(words("/proc/nope/x"))
      expect([name, status, stderr]).toEqual([
        name,
        64,
        expect.stringMatching(/^error: .*\/proc\/nope\/x.*nothing can be written here/s)
      ])
    })
  )

  it.effect("makes the folders that are missing", () =>
    Effect.gen(function* () {
      const place = at.path(`made by ${name}/two/three`)
      const { status, stderr } = yield* Folder.sandtable(words(place))
      expect([status, stderr]).toEqual([0, expect.any(String)])
      expect(existsSync(at.path(`made by ${name}/two`))).toBe(true)
    })
  )
})

it.effect("of which nothing is left says what to do in flags", () =>
  Effect.gen(function* () {
    const words = ["select", rows, "--mode", "rl", "--output", at.path("none.jsonl")]
    const { status, stderr } = yield* Folder.sandtable(words)
    expect([status, stderr]).toEqual([2, expect.stringContaining("--repeats 4")])
  })
)

describe("a link", () => {
  it.effect("to a run is the run: graded, reported and gone on with where it stands", () =>
    Effect.gen(function* () {
      mkdirSync(at.path("real"))
      const run = at.path("real/run.jsonl")
      yield* Folder.sandtable([...simulate, "--output", run])
      symlinkSync("real/run.jsonl", at.path("link.jsonl"))
      const { status } = yield* Folder.sandtable(["grade", at.path("link.jsonl"), "--conduct"])
      expect(status).toBe(0)
      expect(lstatSync(at.path("link.jsonl")).isSymbolicLink()).toBe(true)
      expect(readFileSync(run, "utf8")).toContain("conduct")
      expect(readdirSync(at.path("real")).sort()).toEqual(["run.asks.jsonl", "run.jsonl", "run.meta.json"])
      expect(existsSync(at.path("link.meta.json"))).toBe(false)
      const report = yield* Folder.sandtable(["report", at.path("link.jsonl"), "--json"])
      expect(Folder.parsed(report)).toEqual({
        ...Folder.parsed(yield* Folder.sandtable(["report", run, "--json"])),
        run: expect.any(String),
        next: expect.any(Array)
      })
    })
  )

  it.effect("to nothing yet is where the run goes", () =>
    Effect.gen(function* () {
      symlinkSync("later/run.jsonl", at.path("next.jsonl"))
      const { status } = yield* Folder.sandtable([...simulate, "--output", at.path("next.jsonl")])
      expect(status).toBe(0)
      expect(readdirSync(at.path("later")).sort()).toEqual(["run.asks.jsonl", "run.jsonl", "run.meta.json"])
      expect(lstatSync(at.path("next.jsonl")).isSymbolicLink()).toBe(true)
    })
  )

  it.effect("that a run may replace stays a link", () =>
    Effect.gen(function* () {
      mkdirSync(at.path("kept"))
      yield* Folder.sandtable([...simulate, "--output", at.path("kept/run.jsonl")])
      symlinkSync("kept/run.jsonl", at.path("kept.jsonl"))
      const { status } = yield* Folder.sandtable([...simulate, "--output", at.path("kept.jsonl"), "--overwrite"])
      expect(status).toBe(0)
      expect(lstatSync(at.path("kept.jsonl")).isSymbolicLink()).toBe(true)
      expect(readFileSync(at.path("kept/run.jsonl"), "utf8").trim().split("\n")).toHaveLength(4)
    })
  )
})

describe("the file a command reads", () => {
  it.effect("is never replaced by what it writes, through a link neither", () =>
    Effect.gen(function* () {
      const run = at.path("source.jsonl")
      yield* Folder.sandtable([...simulate, "--output", run])
      const before = readFileSync(run, "utf8")
      symlinkSync("source.jsonl", at.path("other-name.jsonl"))
      const [, agent = "", ...flags] = simulate
      for (const output of [run, at.path("other-name.jsonl")]) {
        for (const words of [
          ["replay", run, agent, ...flags],
          ["simulate", agent, "--tasks", run],
          ["simulate", agent, ...flags, "--traces", run],
          ["select", run, "--mode", "sft"],
          ["export", run, "--format", "openai"],
          ["decontaminate", run, run],
          ["traces", "import", run],
          ["patience", "fit", run],
          ["evaluate", run, agent]
        ]) {
          const { status, stderr } = yield* Folder.sandtable([...words, "--output", output, "--overwrite"])
          expect([words[0], status, stderr]).toEqual([words[0], 64, expect.stringContaining("would be lost")])
        }
      }
      expect(readFileSync(run, "utf8")).toBe(before)
      // the tasks of a lost file stand in the files beside the rows
      at.write("source.lost.jsonl", "")
      const lost = ["simulate", agent, "--tasks", at.path("source.lost.jsonl"), "--output", run, "--overwrite"]
      expect(yield* Folder.sandtable(lost)).toMatchObject({
        status: 64,
        stderr: expect.stringContaining("would be lost")
      })
      expect(readFileSync(run, "utf8")).toBe(before)
    })
  )
})

describe("a device or a pipe", () => {
  it.effect("is nowhere for a run, which keeps files beside its rows", () =>
    Effect.gen(function* () {
      execFileSync("mkfifo", [at.path("pipe.jsonl")])
      for (const place of ["/dev/null", at.path("pipe.jsonl")]) {
        const { status, stderr } = yield* Folder.sandtable([...simulate, "--output", place, "--overwrite"])
        expect([status, stderr]).toEqual([64, expect.stringContaining("a device or a pipe")])
      }
      expect(lstatSync(at.path("pipe.jsonl")).isFIFO()).toBe(true)
    })
  )

  it.effect("takes an export as it comes, and stays what it is", () =>
    Effect.gen(function* () {
      execFileSync("mkfifo", [at.path("export.pipe")])
      const reading = promisify(execFile)("cat", [at.path("export.pipe")])
      const words = ["export", rows, "--format", "jsonl", "--output", at.path("export.pipe")]
      expect((yield* Folder.sandtable(words)).status).toBe(0)
      expect((yield* Effect.promise(() => reading)).stdout.trim().split("\n")).toHaveLength(4)
      expect(lstatSync(at.path("export.pipe")).isFIFO()).toBe(true)
      const none = yield* Folder.sandtable(["export", rows, "--format", "openai", "--output", "/dev/null"])
      expect([none.status, lstatSync("/dev/null").isCharacterDevice()]).toEqual([0, true])
    })
  )
})
