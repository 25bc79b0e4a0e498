/**
 * What the command tells people to type is run as it stands: by its help, in summaries and reports, and in errors.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as RowFile from "@sandtable/core/RowFile"
import { spawn } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { entries } from "../../packages/cli/src/Commands.ts"
import { command } from "../support/command.ts"
import * as Folder from "./folder.ts"

const at = Folder.make()
afterAll(at.remove)

const agentText = `
const tools = [{ name: "get_order", description: "Gets an order by its number.", parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] } }]
let calls = 0
const agent = async (message, context) => {
  const id = message.match(/[A-Z]\\d{3,}/)?.[0]
  if (id === undefined) return "Which order do you mean?"
  const { status } = await context.world.call("get_order", { order_id: id })
  calls += 1
  return status === "ok" && calls % 3 > 0 ? "It is on its way." : "I have refunded it."
}
export default { agent, tools, systemPrompt: "Be kind. Never promise a refund.", budget: 24 }
`

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a line of a shell, in which `sandtable` is this one. */
const shell = (line: string, cwd = at.folder): Promise<Ended> =>
  new Promise((resolve) => {
    const { PATH = "" } = process.env
    const child = spawn("sh", ["-c", line], {
      cwd,
      env: { HOME: at.folder, PATH: `${at.path("bin")}:${PATH}`, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const written = { stdout: "", stderr: "" }
    child.stdout.on("data", (chunk) => (written.stdout += String(chunk)))
    child.stderr.on("data", (chunk) => (written.stderr += String(chunk)))
    child.on("close", (status) => resolve({ status, ...written }))
  })

/** As typed; fails with what was said when the call was refused, when we failed, or when there is no such program. */
const runs = async (line: string, cwd?: string): Promise<Ended> => {
  const ended = await shell(line, cwd)
  const isBad = ended.status === null || ended.status === 64 || ended.status === 70 || ended.status > 125
  expect([line, isBad ? ended.stderr : "fine"]).toEqual([line, "fine"])
  return ended
}

/** Commands under a heading \`next\`: what stands alone on a line below its purpose. */
const nextOf = (stdout: string): ReadonlyArray<string> =>
  [...stdout.matchAll(/^ {12}((?:sandtable|grep|cd) .*)$/gm)].map(([, line]) => line ?? "")

/** The files that examples name as given; those they name as made are not there. */
const fresh = (line: string) => {
  for (const name of ["before", "after", "selected", "production"]) {
    for (const [from, to] of [
      ["kept.jsonl", `${name}.jsonl`],
      ["kept.meta.json", `${name}.meta.json`],
      ["kept.asks.jsonl", `${name}.asks.jsonl`]
    ] as const) {
      copyFileSync(at.path(from), at.path(`runs/${to}`))
      copyFileSync(at.path(from), at.path(to))
    }
  }
  if (line.includes("patience fit")) copyFileSync(at.path("questions.jsonl"), at.path("production.jsonl"))
  const made = /--output (\S+)/.exec(line)?.[1]
  for (const file of made === undefined ? [] : [made, ...Object.values(RowFile.beside(made))]) {
    rmSync(at.path(file), { force: true })
  }
}

beforeAll(async () => {
  mkdirSync(at.path("bin"))
  at.write("bin/sandtable", `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`)
  chmodSync(at.path("bin/sandtable"), 0o755)
  at.write("agent.ts", agentText)
  at.write("grader.ts", `export default (row) => (row.final_text.includes("refund") ? 0 : 1)`)
  at.write(
    "tools.json",
    `[{ "name": "get_order", "description": "Gets an order.", "parameters": { "type": "object" } }]`
  )
  at.write("policy.md", "Be kind.\n")
  at.write("rubric.md", "The agent was kind.\n")
  at.write("asks.txt", "Where is A1001?\nCancel A1002.\n")
  at.write("asks.jsonl", `{"prompt":"Where is A1001?"}\n{"prompt":"Cancel A1002."}\n`)
  at.write("holdout.jsonl", `{"prompt":"Nothing like it."}\n`)
  mkdirSync(at.path("runs"))
  const made = await shell(
    "sandtable simulate agent.ts --offline --grade --repeats 4 --repeat-policy fixed --budget 16 --output kept.jsonl -q"
  )
  expect([made.status, made.stderr]).toEqual([0, expect.any(String)])
  const rows = readFileSync(at.path("kept.jsonl"), "utf8")
  for (const name of ["graded.jsonl", "again.jsonl"]) at.write(name, rows)
  at.write(
    "labels.jsonl",
    rows
      .trim()
      .split("\n")
      .map((line) => JSON.stringify({ row_id: (JSON.parse(line) as { row_id: string }).row_id, label: 1 }))
      .join("\n")
  )
  const asked = (last: ReadonlyArray<object>) =>
    JSON.stringify({
      messages: [
        { role: "user", content: "Where is my order?" },
        { role: "assistant", content: "Which order do you mean?" },
        ...last
      ]
    })
  const answered = asked([
    { role: "user", content: "A1001." },
    { role: "assistant", content: "It is on its way." }
  ])
  at.write("questions.jsonl", [answered, answered, asked([])].join("\n"))
}, 60_000)

/** What nobody has here: keys of models, and a server of one's own. */
const foreign = /openai:|anthropic:|mcp:/

describe("examples of the help", async () => {
  const pages = await Promise.all(entries.map(async ({ load, name }) => [name, (await load()).page] as const))
  it.each(pages)("of %s run as they stand", { timeout: 120_000 }, async (_, { examples }) => {
    for (const [, line] of examples) {
      fresh(line)
      if (!foreign.test(line)) await runs(line)
      else if (!line.includes("mcp:")) {
        const { status, stderr } = await shell(line)
        expect([status, stderr]).toEqual([
          expect.toSatisfy((n) => n === 64 || n === 69),
          expect.stringMatching(/_API_KEY/)
        ])
        expect(stderr).not.toMatch(/is no option|no such file|there is no file/)
      }
    }
  })

  it("of the front page run as they stand", { timeout: 120_000 }, async () => {
    const { stdout } = await shell("sandtable --help")
    const lines = [...stdout.matchAll(/^ {2,}(sandtable (?!<).*?)(?: {2,}.*)?$/gm)].map(([, line]) => line ?? "")
    expect(lines.length).toBeGreaterThan(3)
    const folder = at.path("front")
    mkdirSync(folder)
    for (const name of ["agent.ts"]) copyFileSync(at.path(name), join(folder, name))
    for (const line of lines) await runs(line, folder)
  })
})

describe("what is said to do next", () => {
  const followed = async (line: string) => {
    const { stdout } = await runs(line)
    const next = nextOf(stdout)
    expect([line, next.length]).toEqual([line, expect.toSatisfy((n) => n > 0)])
    for (const each of next) await runs(each)
    return next
  }

  it.each([
    ["a graded run", "sandtable simulate agent.ts --offline --grade --budget 16 --output n1.jsonl"],
    ["a run nobody graded", "sandtable simulate agent.ts --offline --budget 8 --output n2.jsonl"],
    ["a replay", "sandtable replay kept.jsonl agent.ts --grade --output n3.jsonl"],
    ["a report", "sandtable report kept.jsonl"],
    ["a pass of a grader", "sandtable grade n2.jsonl --conduct"],
    ["an import", "sandtable traces import kept.jsonl --output n4.jsonl"],
    ["a table of patience", "sandtable patience fit questions.jsonl --output odds.json"],
    ["a selection", "sandtable select kept.jsonl --mode sft --output n5.jsonl"]
  ])("after %s runs as it stands", { timeout: 120_000 }, async (_, line) => void (await followed(line)))

  it("after a new project was made runs as it stands", { timeout: 60_000 }, async () => {
    const { stdout } = await runs("sandtable init fresh")
    const [enter, run] = nextOf(stdout)
    expect(enter).toBe("cd fresh")
    // a project's own types are not there without an installation; nothing else of it is needed to run
    expect((await runs(`${enter} && ${run}`)).status).toBe(0)
  })

  it("of an agent elsewhere names it as it was given", { timeout: 60_000 }, async () => {
    mkdirSync(at.path("my agents"))
    copyFileSync(at.path("agent.ts"), at.path("my agents/desk.ts"))
    await runs("sandtable simulate 'my agents/desk.ts' --offline --grade --budget 8 --output elsewhere.jsonl")
    const next = await followed("sandtable report elsewhere.jsonl")
    expect(next.at(-1)).toBe(
      "sandtable simulate 'my agents/desk.ts' --offline --grade --budget 8 --tasks elsewhere.jsonl"
    )
  })

  it("of a command agent names the command", { timeout: 60_000 }, async () => {
    at.write(
      "agent.py",
      'import sys, json\njson.loads(sys.stdin.readline())\nprint(json.dumps({"type": "final", "text": "Which order?"}))\n'
    )
    const made = await runs(
      "sandtable simulate --offline --grade --budget 4 --output py.jsonl --tools tools.json -- python3 agent.py"
    )
    expect(made.status).toBe(0)
    expect(made.stdout).not.toContain("context.world.call")
    const next = await followed("sandtable report py.jsonl")
    expect(next.at(-1)).toBe(
      "sandtable simulate --offline --grade --budget 4 --tools tools.json --tasks py.jsonl -- python3 agent.py"
    )
  })

  it("of rows that were graded later grades what is played", { timeout: 60_000 }, async () => {
    await runs("sandtable simulate agent.ts --offline --budget 8 --output later.jsonl")
    await runs("sandtable grade later.jsonl --conduct")
    const next = nextOf((await runs("sandtable report later.jsonl")).stdout)
    expect(next.at(-1)).toBe("sandtable simulate agent.ts --offline --budget 8 --grade --tasks later.jsonl")
  })

  it("of somebody else's log names no agent", { timeout: 60_000 }, async () => {
    at.write(
      "log.jsonl",
      `${JSON.stringify({
        messages: [
          { role: "user", content: "Where is A1?" },
          { role: "assistant", content: "Here." }
        ],
        reward: 0
      })}\n`
    )
    const { stdout } = await runs("sandtable report log.jsonl")
    expect(stdout).not.toMatch(/replay|agent\.ts/)
  })
})

describe("errors", () => {
  it("tell of a word nobody knows, and of bad values beside it", { timeout: 60_000 }, async () => {
    const { status, stderr } = await shell(
      "sandtable simulate agent.ts --offline --bugdet 5 --repeats none --gate 7 --concurrency 0"
    )
    expect(status).toBe(64)
    for (const flag of ["--bugdet", "--repeats", "--gate", "--concurrency"]) expect(stderr).toContain(flag)
    const other = await shell("sandtable report kept.jsonl --gat 0.5 --k many")
    expect([other.status, other.stderr]).toEqual([64, expect.stringMatching(/--gat[^e][\s\S]*--k/)])
  })

  it("do not take -q for one where there is no progress to leave out", { timeout: 60_000 }, async () => {
    for (const line of [
      "report kept.jsonl -q",
      "tasks kept.jsonl --quiet",
      "power kept.jsonl -q",
      "compare kept.jsonl again.jsonl -q"
    ]) {
      await runs(`sandtable ${line}`)
    }
  })
})
