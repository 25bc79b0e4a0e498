/**
 * The command with models by name, as a process against servers over HTTP.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../support/command.ts"
import * as FakeServer from "../backends/FakeServer.ts"
import { script, systemPrompt, tools } from "./scripted-models.ts"

const key = "hunter2-hunter2-hunter2"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sandtable-models-"))
  writeFileSync(join(folder, "tools.json"), JSON.stringify(tools))
  writeFileSync(join(folder, "policy.md"), systemPrompt)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sandtable = (
  words: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<{ readonly status: number | null; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: folder, ...variables }
    const child = spawn(process.execPath, [command, ...words], {
      cwd: folder,
      env
    })
    const written = { out: "", err: "" }
    child.stdout.on("data", (chunk) => (written.out += String(chunk)))
    child.stderr.on("data", (chunk) => (written.err += String(chunk)))
    child.on("close", (status) => resolve({ status, ...written }))
  })

const given = ["--tools", "tools.json", "--system-prompt", "@policy.md", "--ids", '{"order_id": ["A1001", "A1002"]}']

// each case starts processes
describe("sandtable simulate", { timeout: 120_000 }, () => {
  it("takes a model for every role, and shows what each spent", async () => {
    const server = await FakeServer.listen(script)
    const { err, out, status } = await sandtable(
      [
        "simulate",
        `openai:agent-m@${server.url}/v1`,
        ...given,
        "--simulator",
        `openai:writer-m@${server.url}/v1`,
        "--user-model",
        `openai:user-m@${server.url}/v1`,
        "--prices",
        '{"agent-m": {"input": 1000, "output": 1000}}',
        "--budget",
        "4",
        "--json"
      ],
      { OPENAI_API_KEY: key }
    )
    await server.close()
    expect(err).toContain("tokens ")
    expect(status).toBe(0)
    const summary = JSON.parse(out) as Record<string, Record<string, unknown>>
    expect(summary["rows"]).toBe(4)
    expect(summary["models"]).toEqual({ agent: "agent-m", writer: "writer-m", user: "user-m", judge: null })
    expect(summary["usage"]?.["agent"]).toMatchObject({ calls: expect.any(Number), input: expect.any(Number) })
    expect(summary["cost"]).toMatchObject({ agent: expect.any(Number), writer: null, user: null })
    expect(server.received.every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true)
  })

  it("leaves with 69 when a key is refused, and names neither it nor anything it was sent with", async () => {
    const server = await FakeServer.listen(() => FakeServer.refusal(401, `Incorrect API key provided: ${key}`))
    const { err, out, status } = await sandtable(
      ["simulate", `openai:agent-m@${server.url}/v1`, ...given, "--offline", "--user-model", "false", "--debug"],
      { OPENAI_API_KEY: key }
    )
    await server.close()
    expect(status).toBe(69)
    expect(`${out}${err}`).toContain("agent's endpoint refused")
    const runs = join(folder, "runs")
    const files = readdirSync(runs).map((file) => readFileSync(join(runs, file), "utf8"))
    expect([out, err, ...files].join("\n").includes(key)).toBe(false)
  })

  it("says what to do when nothing is configured, and calls nobody", async () => {
    const nobody = await sandtable(["simulate", ...given])
    expect(nobody.status).toBe(64)
    expect(nobody.err).toContain("SANDTABLE_BASE_URL")
    expect(nobody.err).toContain("--offline")
    const keyless = await sandtable(["simulate", "openai:gpt-4.1-mini", ...given, "--simulator", "antropic:c"])
    expect(keyless.status).toBe(64)
    expect(keyless.err).toContain("OPENAI_API_KEY is not set")
    expect(keyless.err).toContain("The nearest is `anthropic`")
  })
})
