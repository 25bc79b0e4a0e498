/**
 * The command in few files, as it is shipped, with agent files that bring copies of `effect` and `@sandtable/core` of
 * their own: what they make must work in the command's runtime.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Row } from "@sandtable/core/Row"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
let folder = ""
let command = ""

beforeAll(() => {
  // beside the packages, so that agent files and the bundle find what is installed
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true })
  folder = mkdtempSync(join(root, "node_modules/.cache/sandtable-bundle-"))
  copyFileSync(join(root, "packages/cli/package.json"), join(folder, "package.json"))
  command = join(folder, "dist/sandtable.js")
  const built = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/tsdown/dist/run.mjs"),
      "--config",
      join(root, "packages/cli/tsdown.config.ts"),
      "--out-dir",
      join(folder, "dist")
    ],
    { cwd: root, encoding: "utf8" }
  )
  if (built.status !== 0) throw new Error(built.stdout + built.stderr)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const simulate = (agent: string, ...words: ReadonlyArray<string>) => {
  writeFileSync(join(folder, "agent.ts"), agent)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    // the library's sources stand in for its build
    [
      "--conditions=@sandtable/source",
      command,
      "simulate",
      "agent.ts",
      "--offline",
      "--quiet",
      "--json",
      "--output",
      "rows.jsonl",
      "--overwrite",
      ...words
    ],
    { cwd: folder, encoding: "utf8" }
  )
  if (status === null || stdout === "") return { status, stderr, summary: {}, rows: [] }
  const rows = readFileSync(join(folder, "rows.jsonl"), "utf8").trimEnd().split("\n")
  return {
    status,
    stderr,
    summary: JSON.parse(stdout) as Record<string, unknown>,
    rows: rows.map((line) => JSON.parse(line) as Row)
  }
}

const tools = `
  tools: [{ name: "get_order", description: "Look up an order", parameters: Schema.Struct({ order_id: Schema.String }) }],
  ids: { order_id: ["A1001", "A1002"] }`

describe("the command as it is shipped", () => {
  it("tells its commands without loading one, or the library", () => {
    const loader = join(folder, "loaded.mjs")
    writeFileSync(
      loader,
      `import { register } from "node:module"
      register("data:text/javascript," + encodeURIComponent(\`
        export const load = async (url, context, next) => {
          if (url.includes("/chunks/")) process._rawDebug(url.replace(/.*chunks./, "chunk "))
          return next(url, context)
        }\`))`
    )
    const loaded = (...words: ReadonlyArray<string>) => {
      const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", loader, command, ...words], {
        encoding: "utf8"
      })
      return { status, stdout, chunks: [...stderr.matchAll(/^chunk (.*?)\d*\.js$/gm)].map(([, name]) => name) }
    }
    const help = loaded("--help")
    expect([help.status, help.stdout.includes("compare")]).toEqual([0, true])
    const compare = loaded("compare", "--help")
    expect(compare.status).toBe(0)
    // the command's own chunk may have a number, where one of the library has its name
    const own = compare.chunks.filter((name) => /^compare\d*$/.test(name ?? ""))
    expect(own).toHaveLength(1)
    for (const name of ["simulate", "LibraryEngine", "Options", ...own]) expect(help.chunks).not.toContain(name)
    for (const name of ["simulate", "LibraryEngine", "report"]) expect(compare.chunks).not.toContain(name)
    expect(loaded("report", "--help").chunks).not.toContain("Page")
  })
})

describe("agent files with copies of their own", () => {
  it(
    "may be Effects that use the world and the current rollout, and fail with errors of theirs",
    { timeout: 60_000 },
    () => {
      const { rows, status, stderr, summary } = simulate(
        `
      import { Effect, Schema } from "effect"
      import { CurrentWorld } from "@sandtable/core/Agent"
      import * as CurrentRollout from "@sandtable/core/CurrentRollout"
      class OutOfOrder extends Schema.TaggedError<OutOfOrder>()("OutOfOrder", { why: Schema.String }) {
        get message() { return this.why }
      }
      export default {
        ${tools},
        agent: () => Effect.gen(function* () {
          const world = yield* CurrentWorld
          const { rolloutIndex, prompt } = yield* CurrentRollout.get
          if (rolloutIndex === 1) return yield* new OutOfOrder({ why: "the second always breaks" })
          const order = yield* world.call("get_order", { order_id: "A1001" })
          yield* Effect.sleep("1 millis")
          return "For " + prompt + ": " + JSON.stringify(order)
        }),
        execute: (tool, args) => Effect.succeed({ tool, ...args, total: 42 }),
        grader: (row) => Effect.succeed({ reward: 1, reason: "graded by an Effect" }).pipe(Effect.delay("1 millis"))
      }`,
        "--repeats",
        "2",
        "--repeat-policy",
        "fixed",
        "--budget",
        "8",
        "--fault-rate",
        "0"
      )
      expect(stderr).toBe("")
      expect(status).toBe(0)
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) {
        expect(row.final_text).toContain('"total":42')
        expect(row).toMatchObject({ rollout_index: 0, reward: 1, reason: "graded by an Effect" })
      }
      expect(summary).toMatchObject({ rollouts: { lost_by: { agent_error: expect.any(Number) as number } } })
    }
  )

  it("may be layers and services of the library", { timeout: 60_000 }, () => {
    const { rows, status, stderr } = simulate(
      `
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      import * as Schema from "effect/Schema"
      import * as Agent from "@sandtable/core/Agent"
      import { AgentBackend } from "@sandtable/core/AgentBackend"
      import * as Conduct from "@sandtable/core/Conduct"
      import { Grader } from "@sandtable/core/Grader"
      import * as Option from "effect/Option"
      const backend = Agent.fromFunction((message, { world }) => world.call("get_order", { order_id: "A1001" }).then(JSON.stringify), { name: "desk" })
      export default {
        ${tools},
        agent: Layer.effect(AgentBackend, Effect.as(Effect.sleep(1), backend)),
        grader: Layer.succeed(Grader, Option.some(Conduct.service))
      }`,
      "--budget",
      "4"
    )
    expect(stderr).toBe("")
    expect(status).toBe(0)
    expect(rows).toHaveLength(4)
    for (const row of rows) expect(row).toMatchObject({ model_version: "function:desk", label_source: "conduct" })
  })

  it("may import what the command brings though nothing is installed beside them", { timeout: 60_000 }, () => {
    const lone = mkdtempSync(join(tmpdir(), "sandtable-lone-"))
    writeFileSync(
      join(lone, "agent.ts"),
      `import * as Effect from "effect/Effect"
      import { Schema } from "effect"
      import { defineAgent } from "@sandtable/cli"
      export default defineAgent({ ${tools}, agent: () => Effect.succeed("Which order do you mean?") })`
    )
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        "--conditions=@sandtable/source",
        command,
        "simulate",
        join(lone, "agent.ts"),
        "--offline",
        "--budget",
        "2",
        "-q"
      ],
      { cwd: lone, encoding: "utf8" }
    )
    rmSync(lone, { recursive: true })
    expect(stderr).toBe("")
    expect(status).toBe(0)
  })
})
