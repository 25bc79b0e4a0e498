import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"
import * as ExactJson from "@sandtable/core/ExactJson"
import type * as Grader from "@sandtable/core/Grader"
import { GraderWorker, grade } from "@sandtable/core/node"
import { context, row } from "../grade/fixture.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sandtable-test-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const moduleOf = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const verdictOf = (service: Grader.Service, given = row()) => Effect.runPromise(service.grade(given, context))

describe("GraderWorker", () => {
  it("hands over long numbers as their digits", async () => {
    const path = moduleOf("digits.mjs", `export default (row) => ({ score: 1, seen: row.steps.at(-1).arguments.id })`)
    const step = { tool: "get_order", result: null, call_id: "c", status: "ok", answered_by: "mock" } as const
    const given = row({ steps: [{ ...step, arguments: ExactJson.parse('{"id":1152921504606846977}') }] })
    expect(JSON.stringify(await verdictOf(GraderWorker.make(path), given))).toContain('"seen":"1152921504606846977"')
  })

  it("grades by a module's function with the row and the context, by the contract of every grader", async () => {
    const path = moduleOf(
      "grader.mjs",
      `import { threadId } from "node:worker_threads"
       export default (row, { tools, privileged, locale }) => {
         switch (row.final_text) {
           case "throw": throw new TypeError("no")
           case "function": return () => 1
           case "async": return Promise.resolve(0.5)
           case "nan": return Number.NaN
           default: return { score: 1, thread: threadId, seen: [tools[0].name, privileged.reference === "42", locale] }
         }
       }`
    )
    const service = GraderWorker.make(path, { name: "heavy", version: "2" })
    expect(service).toMatchObject({ name: "heavy", version: "2", kind: "rule", model: null })
    const verdict = await verdictOf(service)
    expect(verdict).toMatchObject({ reward: 1, status: "ok", meta: { seen: ["get_order", true, "en"] } })
    expect(verdict.meta["thread"]).not.toBe(0)
    expect(await verdictOf(service, row({ final_text: "async" }))).toMatchObject({ reward: 0.5 })
    expect(await verdictOf(service, row({ final_text: "nan" }))).toMatchObject({
      reward: null,
      status: "invalid_result"
    })
    const thrown = await verdictOf(service, row({ final_text: "throw" }))
    expect(thrown).toMatchObject({ reward: null, status: "error" })
    expect(thrown.meta["cause"]).toBe("TypeError: no")
    expect(await verdictOf(service, row({ final_text: "function" }))).toMatchObject({ reward: null, status: "error" })
    expect(await verdictOf(service)).toMatchObject({ reward: 1 })
  })

  it("takes a URL, an export called grade, and rows in several threads at once", async () => {
    // Each thread waits until the other one is there too: one thread alone would wait for ever.
    const path = moduleOf(
      "both.mjs",
      `import { BroadcastChannel } from "node:worker_threads"
       export const grade = (row) => new Promise((done) => {
         const channel = new BroadcastChannel("sandtable-both")
         channel.onmessage = ({ data }) => {
           if (data === "hello") channel.postMessage("seen")
           setTimeout(() => { channel.close(); done(1) }, 0)
         }
         channel.postMessage("hello")
       })`
    )
    const service = GraderWorker.make(pathToFileURL(path), { threads: 2 })
    const { counts } = await grade([row(), row({ row_id: "row_2" })], service, { concurrency: 4 })
    expect(counts.scored).toBe(2)
  })

  it("ends a thread that is stuck, and goes on with a new one", async () => {
    const path = moduleOf("stuck.mjs", `export default (row) => { while (row.final_text === "stuck") {} return 1 }`)
    const service = GraderWorker.make(path)
    const fiber = Effect.runFork(service.grade(row({ final_text: "stuck" }), context))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(await verdictOf(service)).toMatchObject({ reward: 1 })
    const late = await grade([row({ final_text: "stuck" })], service, { timeout: 0.3 })
    expect(late.counts.by_status.timeout).toBe(1)
    expect(await verdictOf(service)).toMatchObject({ reward: 1 })
  })

  it("makes a thread that dies, and a module that cannot be loaded, an error of the row", async () => {
    const dying = GraderWorker.make(
      moduleOf("dying.mjs", `export default (row) => row.final_text === "die" ? process.exit(3) : 1`)
    )
    expect(await verdictOf(dying, row({ final_text: "die" }))).toMatchObject({ status: "error", reward: null })
    expect(await verdictOf(dying)).toMatchObject({ reward: 1 })
    const later = GraderWorker.make(
      moduleOf("later.mjs", `export default () => { setTimeout(() => { throw new Error("late") }, 0); return 1 }`)
    )
    for (let i = 0; i < 3; i++) expect(["ok", "error"]).toContain((await verdictOf(later)).status)
    const missing = await verdictOf(GraderWorker.make(join(folder, "nowhere.mjs")))
    expect(missing.status).toBe("error")
    expect(missing.meta["cause"]).toContain("nowhere.mjs")
    expect(missing.meta["cause"]).toMatch(/^Error: the module could not be loaded: /)
    const empty = await verdictOf(GraderWorker.make(moduleOf("empty.mjs", "export const x = 1")))
    expect(empty.meta["cause"]).toContain("no function")
    expect(() => GraderWorker.make("x.mjs", { threads: 0 })).toThrow(RangeError)
  })

  it("does not stall others: a heavy grader leaves the event loop to them", async () => {
    const path = moduleOf(
      "heavy.mjs",
      `export default () => { let x = 0; for (let i = 0; i < 3e8; i++) x += i % 7; return x > 0 }`
    )
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 1)
    const verdict = await verdictOf(GraderWorker.make(path))
    clearInterval(ticking)
    expect(verdict.reward).toBe(1)
    expect(turns).toBeGreaterThan(5)
  })

  it("keeps no process alive that has nothing else to do", () => {
    const grader = moduleOf("quick.mjs", "export default () => 1")
    const program = moduleOf(
      "main.mts",
      `import { GraderWorker, grade } from "${pathToFileURL(resolve("packages/core/src/node.ts"))}"
       const row = ${JSON.stringify(row())}
       grade([row], GraderWorker.make(${JSON.stringify(grader)})).then(({ counts }) => console.log("scored", counts.scored))`
    )
    const { stdout, status } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--conditions", "@sandtable/source", program],
      {
        cwd: process.cwd(),
        encoding: "utf8",
        timeout: 60_000
      }
    )
    expect([stdout.trim(), status]).toEqual(["scored 1", 0])
  })
})
