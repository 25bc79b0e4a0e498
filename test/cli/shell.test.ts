/**
 * What a person does in a shell, end to end and offline: the whole way of a change once by processes, and the rest of it in
 * this one.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "../support/command.ts"
import * as Folder from "./folder.ts"

const limit = { timeout: 120_000 }

const at = Folder.make()
afterAll(at.remove)

const inProcess = (...words: ReadonlyArray<string>) => Effect.runPromise(Folder.sandtable(words))

const inShell = (...words: ReadonlyArray<string>) =>
  new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [command, ...words], {
      cwd: at.folder
    })
    const written = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk) => void (written.stdout += String(chunk)))
    child.stderr.on("data", (chunk) => void (written.stderr += String(chunk)))
    child.on("close", (status) => resolve({ status, ...written }))
  })

/** An agent that does as its prompt says, as often as `carefully` or `hastily` in it makes it: a model, for a test. */
const agent = (prompt: string): string => `
  const odds = (prompt) => (prompt.includes("carefully") ? 0.9 : prompt.includes("hastily") ? 0.25 : 0.55)
  const draw = (seed) => {
    let x = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b)
    x = Math.imul(x ^ (x >>> 16), 0x45d9f3b)
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32
  }
  export default {
    agent: (message, { rollout, systemPrompt }) =>
      draw(rollout.rolloutSeed + 7919 * rollout.evalRun + 104729 * systemPrompt.length) < odds(systemPrompt)
        ? "It is done." : "Perhaps.",
    systemPrompt: ${JSON.stringify(prompt)},
    tools: [{ name: "get_order", description: "Look up an order", parameters: { type: "object", properties: { order_id: { type: "string" } } } }],
    ids: { order_id: ["A1", "A2"] },
    grader: (row) => row.final_text === "It is done."
  }`

const read = (file: string): string => readFileSync(at.path(file), "utf8")

describe("a change of the prompt", () => {
  const size = ["--repeats", "4", "--repeat-policy", "fixed", "--situations", "30", "--budget", "400"]
  const before = at.path("before.jsonl")
  beforeAll(async () => {
    const words = ["--offline", "--runs", "3", "-q", "--output", "before.jsonl", "--json", "--no-mutate-failures"]
    at.write("agent.mjs", agent("Answer people."))
    const { status, stderr, stdout } = await inShell("simulate", "agent.mjs", ...size, ...words)
    if (status !== 0) throw new Error(stdout + stderr)
  }, 120_000)

  const compared = async (sandtable: typeof inShell, name: string, prompt: string) => {
    const after = at.path(`${name}.jsonl`)
    const module = at.write(`${name}.mjs`, agent(prompt))
    const replayed = await sandtable("replay", before, module, "--runs", "3", "-q", "--output", after)
    expect([replayed.status, replayed.stderr]).toEqual([0, ""])
    expect(replayed.stdout).toContain(`sandtable compare '${before}' '${after}'`)
    const { status, stderr, stdout } = await sandtable("compare", before, after)
    expect(stderr).toBe("")
    return { status, text: stdout, after }
  }

  it("that helped is improved, with status 0", limit, async () => {
    const { after, status, text } = await compared(inShell, "better", "Answer people carefully.")
    expect(text).toMatch(/verdict: improved\n.*went from/)
    expect(text).toContain("under test: prompt")
    expect(status).toBe(0)
    expect(Folder.parsed(await inProcess("compare", before, after, "--json"))).toMatchObject({
      command: "compare",
      verdict: "improved",
      changed: ["prompt"],
      tasks: 30
    })
  })

  it("that hurt is regressed, with status 1", limit, async () => {
    const { status, text } = await compared(inProcess, "worse", "Answer people hastily.")
    expect([text.includes("verdict: regressed\n"), status]).toEqual([true, 1])
  })

  it("that did nothing is no change, with status 0", limit, async () => {
    const { status, text } = await compared(inProcess, "same", "Answer them all, please.")
    expect(text).toMatch(/verdict: (no_change_detected|within_noise)\n/)
    expect(status).toBe(0)
  })

  it("on other tasks, by others, or half graded is not comparable, causes first, with status 2", limit, async () => {
    const other = at.path("other.jsonl")
    const words = ["simulate", at.path("agent.mjs"), ...size, "--seed", "9", "--offline", "-q", "--output", other]
    expect((await inProcess(...words)).status).toBe(0)
    const unpaired = await inProcess("compare", before, other)
    expect(unpaired.status).toBe(2)
    expect(unpaired.stdout).toMatch(/verdict: not_comparable\n(.*\n){0,3}.*tasks/)
    const rows = read("before.jsonl").trimEnd().split("\n")
    const causes = async (name: string, change: (row: object, i: number) => object) => {
      const lines = rows.map((row, i) => JSON.stringify(change(JSON.parse(row) as object, i)))
      const ended = await inProcess("compare", before, at.write(name, `${lines.join("\n")}\n`), "--json")
      const { causes, verdict } = Folder.parsed(ended) as unknown as {
        readonly verdict: string
        readonly causes: ReadonlyArray<{ readonly code: string }>
      }
      expect([ended.status, verdict]).toEqual([2, "not_comparable"])
      return causes.map(({ code }) => code)
    }
    expect(await causes("writer.jsonl", (row) => ({ ...row, writer_model: "another" }))).toEqual(["writer_differs"])
    expect(await causes("user.jsonl", (row) => ({ ...row, user_model: "another" }))).toEqual(["user_differs"])
    const half = await causes("half.jsonl", (row, i) => (i % 2 === 0 ? row : { ...row, reward: null }))
    expect(half).toContain("graded_share")
  })

  it("seen once on each side stays unreplicated, with status 2", limit, async () => {
    const once = (file: string): string => {
      const rows = read(file).trimEnd().split("\n")
      const first = rows.filter((row) => (JSON.parse(row) as { lineage: { eval_run: number } }).lineage.eval_run === 0)
      return at.write(`once-${file}`, first.join("\n"))
    }
    await compared(inProcess, "clearly", "Answer people very carefully.")
    const { status, stdout } = await inProcess("compare", once("before.jsonl"), once("clearly.jsonl"))
    expect([status, stdout.includes("improved_unreplicated")]).toEqual([2, true])
  })
})

describe("init", () => {
  it("gives a project that runs offline at once, and replaces nothing", limit, async () => {
    const made = await inProcess("init", at.path("my agent"))
    expect([made.status, made.stderr]).toEqual([0, ""])
    expect(made.stdout).toContain(`cd '${at.path("my agent")}'`)
    const words = [
      "--offline",
      "--grade",
      "--repeats",
      "4",
      "--repeat-policy",
      "fixed",
      "--budget",
      "64",
      "-q",
      "--json"
    ]
    const run = await inProcess("simulate", at.path("my agent/agent.ts"), ...words, "--output", at.path("made.jsonl"))
    expect([run.status, run.stderr]).toEqual([0, ""])
    const { pass, rows } = JSON.parse(run.stdout) as { rows: number; pass: { pass_at_1: number } }
    expect(rows).toBe(64)
    // it finds the agent's fault, and the agent is right most of the time
    expect(pass.pass_at_1).toBeGreaterThan(0.5)
    expect(pass.pass_at_1).toBeLessThan(1)
    const list = ["evaluate", at.path("my agent/asks.txt"), at.path("my agent/agent.ts"), "--offline", "--grade", "-q"]
    const listed = await inProcess(...list, "--output", at.path("listed.jsonl"))
    expect([listed.status, listed.stderr]).toEqual([0, ""])
    const again = await inProcess("init", at.path("my agent"))
    expect([again.status, again.stdout]).toEqual([64, ""])
    expect(again.stderr).toContain("my agent/agent.ts")
  })
})

const data = process.env["SANDTABLE_TEST_DATA"]

describe.skipIf(data === undefined)("the airline conversations (SANDTABLE_TEST_DATA)", () => {
  it("are imported, and their pass rates printed, pass^1 to pass^4", limit, async () => {
    const traces = join(data ?? "", "traces/airline-openai-chat.jsonl")
    const imported = await inProcess("traces", "import", traces, "--output", at.path("airline.jsonl"), "--json")
    expect([imported.status, imported.stderr]).toEqual([0, ""])
    expect(JSON.parse(imported.stdout)).toMatchObject({ rows: 32, tasks: 8, graded: 32, unreadable: [] })
    const said = await inProcess("report", at.path("airline.jsonl"), "--k", "4")
    expect(said.status).toBe(0)
    for (const label of ["pass@1", "pass^4", "pass@4", "headroom"]) expect(said.stdout).toContain(label)
    const rewards = readFileSync(traces, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { task_id: string; reward: number })
    const tasks = new Map<string, ReadonlyArray<number>>()
    for (const { reward, task_id } of rewards) tasks.set(task_id, [...(tasks.get(task_id) ?? []), reward])
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)
    const all = (k: number): number =>
      [...tasks.values()].reduce((sum, own) => {
        const passes = own.filter((reward) => reward === 1).length
        return sum + (passes < k ? 0 : choose(passes, k) / choose(own.length, k))
      }, 0) / tasks.size
    for (const k of [2, 3, 4]) {
      const { stdout } = await inProcess("report", at.path("airline.jsonl"), "--k", String(k), "--json")
      const { pass } = JSON.parse(stdout) as { pass: Record<string, number> }
      expect(pass["pass_at_1"]).toBeCloseTo(all(1), 12)
      expect(pass["pass_hat_k"]).toBeCloseTo(all(k), 12)
      expect(pass).toMatchObject({ k, tasks: 8, groups: 8 })
    }
  })
})
