/**
 * The command as a process: few cases, since each starts one. It is the built one.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { sandtable } from "./folder.ts"
import { command } from "../support/command.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sandtable-binary-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the command; `heard` is told what stands on stderr whenever more came. */
const start = (
  words: ReadonlyArray<string>,
  heard: (stderr: string, signal: (name: NodeJS.Signals) => void) => void = () => {}
): Promise<Ended> =>
  new Promise((resolve) => {
    const { CI: _, NO_COLOR: __, ...env } = process.env
    const child = spawn(process.execPath, [command, ...words], {
      cwd: folder,
      env
    })
    const written = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk) => {
      written.stdout += String(chunk)
    })
    child.stderr.on("data", (chunk) => {
      written.stderr += String(chunk)
      heard(written.stderr, (name) => child.kill(name))
    })
    child.on("close", (status) => resolve({ status, ...written }))
  })

const agentFile = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return name
}
const linesOf = (path: string): ReadonlyArray<{ readonly row_id: string }> =>
  readFileSync(join(folder, path), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly row_id: string })

const tools = `[{ name: "get_order", description: "Look up an order", parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] } }]`

describe("the command", () => {
  it("keeps what an agent prints while it is explained out of the data", { timeout: 60_000 }, async () => {
    const agent = agentFile(
      "loud.mjs",
      `export default {
        agent: async (_, { world }) => {
          console.log("NOISE")
          await world.call("get_order", { order_id: "A1001" })
          return "lost"
        },
        grader: () => 0,
        tools: ${tools},
        ids: { order_id: ["A1001"] }
      }`
    )
    const words = [agent, "--offline", "-q"]
    expect(await start(["simulate", ...words, "--budget", "4", "--output", "loud.jsonl"])).toMatchObject({ status: 0 })
    const { stderr, stdout } = await start(["explain", "loud.jsonl", ...words, "--json"])
    expect(JSON.parse(stdout)).toMatchObject({ command: "explain" })
    expect(stderr).toContain("NOISE")
  })

  it("plays the rows that its sources play", { timeout: 60_000 }, async () => {
    const agent = join(root, "examples/orders/agent.ts")
    const words = ["simulate", agent, "--offline", "--grade", "--reproducible", "--budget", "40", "-q", "--output"]
    expect(await start([...words, "built.jsonl"])).toMatchObject({ status: 0 })
    expect(await Effect.runPromise(sandtable([...words, join(folder, "source.jsonl")]))).toMatchObject({ status: 0 })
    const [built, source] = ["built.jsonl", "source.jsonl"].map((name) =>
      readFileSync(join(folder, name), "utf8")
        .replace(/"timings":\{[^}]*\}/g, "")
        .split("\n")
    )
    expect(built?.filter((line, i) => line !== source?.[i])).toEqual([])
    expect(built?.filter((line) => line.includes('"answered_by":"mock"')).length).toBeGreaterThan(20)
  })

  it("tells the version without anything built", () => {
    const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8")) as { version: string }
    expect(spawnSync(process.execPath, [command, "--version"], { encoding: "utf8" }).stdout).toBe(`${version}\n`)
  })
})

describe("sandtable", () => {
  it.each(["exec", "run-script"])("names npx to whom npm (%s) runs it for", { timeout: 60_000 }, (npm_command) => {
    const { stdout } = spawnSync(process.execPath, [command, "init", npm_command], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, npm_command }
    })
    expect(stdout).toContain("npx sandtable simulate agent.ts")
  })

  it.skipIf(!existsSync("/dev/full"))("says that its output could not be written, and does not end well", () => {
    const full = openSync("/dev/full", "w")
    const { status, stderr } = spawnSync(process.execPath, [command, "--help"], {
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"]
    })
    closeSync(full)
    expect([status, stderr]).toEqual([
      74,
      expect.stringMatching(/^error: the output could not be written: ENOSPC.*\n$/)
    ])
  })

  it("rehearses the example offline and keeps its rows", { timeout: 60_000 }, async () => {
    const { status, stdout, stderr } = await start([
      "simulate",
      join(root, "examples/orders/agent.ts"),
      "--offline",
      "--repeats",
      "4",
      "--repeat-policy",
      "fixed",
      "--budget",
      "64",
      "--grade"
    ])
    expect(status).toBe(0)
    expect(stdout).toContain("64 of 64")
    expect(stdout).toMatch(/pass rate +\d/)
    expect(stderr).toContain("64 of 64 rows")
    expect(stdout + stderr).not.toContain("\u001b")
    const [name] = readdirSync(join(folder, "runs")).filter((file) => /^run_[0-9a-f]+\.jsonl$/.test(file))
    expect(linesOf(join("runs", name ?? ""))).toHaveLength(64)
  })

  it.each([
    ["Ctrl-C", "SIGINT"],
    ["a closed terminal", "SIGHUP"]
  ] as const)("drains on %s: whole rows, meta, summary, 130", { timeout: 60_000 }, async (_, name) => {
    const agent = agentFile(
      "slow.mjs",
      `export default { tools: ${tools}, agent: () => new Promise((done) => setTimeout(done, 50, "Which order?")) }`
    )
    let sent = false
    const { status, stdout, stderr } = await start(
      ["simulate", agent, "--offline", "--budget", "2000", "--concurrency", "4", "--output", `${name}.jsonl`],
      (text, signal) => {
        if (sent || !/^\d+ of 2,000 rows/m.test(text)) return
        sent = true
        signal(name)
      }
    )
    expect(status).toBe(130)
    expect(stderr).toContain("Ctrl-C again leaves at once")
    expect(stdout).toContain("it was interrupted")
    const rows = linesOf(`${name}.jsonl`)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(2000)
    expect(new Set(rows.map((row) => row.row_id)).size).toBe(rows.length)
    const meta = JSON.parse(readFileSync(join(folder, `${name}.meta.json`), "utf8")) as {
      status: string
      counts: { rows: number; requested: number; completed: number; lost: number }
    }
    expect(meta.status).toBe("interrupted")
    expect(meta.counts.rows).toBe(rows.length)
    expect(meta.counts.completed + meta.counts.lost).toBe(meta.counts.requested)
  })

  it("leaves at once on the second, though the agent never answers", { timeout: 60_000 }, async () => {
    const agent = agentFile(
      "never.mjs",
      `console.error("called"); export default { tools: ${tools}, agent: () => { console.error("playing"); return new Promise(() => {}) } }`
    )
    let sent = 0
    const { status, stdout } = await start(
      ["simulate", agent, "--offline", "--grace", "10000", "--timeout", "20000", "--output", "never.jsonl"],
      (text, signal) => {
        if ((sent === 0 && text.includes("playing")) || (sent === 1 && text.includes("Ctrl-C again"))) {
          sent += 1
          signal("SIGINT")
        }
      }
    )
    expect(status).toBe(130)
    expect(stdout).toBe("")
  })

  it(
    "keeps data alone on stdout, whatever the agent prints, and ends though it left a handle open",
    { timeout: 60_000 },
    async () => {
      const agent = agentFile(
        "loud.mjs",
        `setInterval(() => {}, 1000)\nexport default { tools: ${tools}, agent: () => { console.log("debugging"); return "Which order?" } }`
      )
      const { status, stdout, stderr } = await start(["simulate", agent, "--offline", "--budget", "3", "--json", "-q"])
      expect(status).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ rows: 3, stopped_because: "budget" })
      expect(stderr.match(/debugging/g)).toHaveLength(3)
    }
  )

  it("takes an agent's process.exit for no result: a line that says so, and 70", { timeout: 60_000 }, async () => {
    const agent = agentFile("leaves.mjs", `export default { tools: ${tools}, agent: () => process.exit(0) }`)
    const words = ["simulate", agent, "--offline", "--budget", "4", "--gate", "0.99", "--grade", "--json", "-q"]
    const { status, stdout, stderr } = await start(words)
    expect(status).toBe(70)
    expect(stdout).toBe("")
    expect(stderr).toMatch(/^error: the agent file.*process\.exit\(0\).*\n$/)
  })

  it("goes on after errors the agent left to nobody, and tells them once", { timeout: 60_000 }, async () => {
    const agent = agentFile(
      "stray.mjs",
      `export default { tools: ${tools}, agent: async () => {
        Promise.reject(new TypeError("stray"))
        setTimeout(() => { throw new Error("late") }, 0)
        await new Promise((done) => setTimeout(done, 5))
        return "Which order?"
      } }`
    )
    const words = ["simulate", agent, "--offline", "--budget", "4", "--json", "-q"]
    const { status, stdout, stderr } = await start(words)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4 })
    expect(stderr).toMatch(/^warning: .*\(TypeError: stray\); the run goes on.*\n$/)
  })

  it("refuses a call with 64 before anything is written", { timeout: 60_000 }, async () => {
    const agent = agentFile("typo.mjs", `export default { tools: ${tools}, agent: () => "hi", bugdet: 3 }`)
    const { status, stderr, stdout } = await start([
      "simulate",
      agent,
      "--offline",
      "--hard-share",
      "7",
      "--output",
      "typo.jsonl"
    ])
    expect(status).toBe(64)
    expect(stdout).toBe("")
    expect(stderr).toContain("bugdet")
    expect(stderr).toContain("`budget`")
    expect(stderr).toContain("--hard-share")
    expect(existsSync(join(folder, "typo.jsonl"))).toBe(false)
  })
})
