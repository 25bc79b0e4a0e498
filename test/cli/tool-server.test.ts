/**
 * `--world mcp:...`: the tools and the world of a run are an MCP server, by its command or its address.
 */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as ToolServer from "../../packages/cli/src/ToolServer.ts"
import * as Folder from "./folder.ts"

const at = Folder.make()
afterAll(() => at.remove())

const answers = `
const answerTo = ({ id, method, params }) => {
  const tools = [{ name: "get_order", description: "Gets an order by its id.", inputSchema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] } }]
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } }),
    "tools/list": () => ({ tools }),
    "tools/call": () => ({ content: [], structuredContent: { id: params.arguments.order_id, shop: process.argv.slice(2) } })
  }
  return id === undefined ? null : { jsonrpc: "2.0", id, result: results[method]() }
}`

const server = at.write(
  "shop server.mjs",
  `import { createInterface } from "node:readline"
${answers}
for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerTo(JSON.parse(line))
  if (answer !== null) console.log(JSON.stringify(answer))
}`
)
const agent = at.write(
  "agent.mjs",
  `export default {
  agent: async (message, { world }) => "It says " + JSON.stringify(await world.call("get_order", { order_id: "A1001" })),
  systemPrompt: "You help with orders."
}`
)
const own = at.write(
  "own.mjs",
  `export default { agent: () => "Hi.", tools: [], systemPrompt: "Be kind.", execute: () => ({}) }`
)
const asks = at.write("asks.jsonl", '{"prompt":"Where is A1001?"}\n')

const command = `mcp:${process.execPath} '${server}' "two words" --x`
const run = (...words: ReadonlyArray<string>) => Effect.runPromise(Folder.sandtable(words))
const small = (name: string): ReadonlyArray<string> => [
  "--offline",
  "--fault-rate",
  "0",
  "--budget",
  "2",
  "--overwrite",
  "--output",
  at.path(`${name}.jsonl`)
]

const rowsOf = (name: string) =>
  readFileSync(at.path(`${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly final_text: string; readonly steps: ReadonlyArray<object> })

describe("an MCP server as the world of a run", () => {
  it("by its command, words in quotes as one", async () => {
    const { status, stderr } = await run("simulate", agent, "--world", command, ...small("command"))
    expect([status, stderr.includes("error")]).toEqual([0, false])
    const rows = rowsOf("command")
    expect(rows).toHaveLength(2)
    for (const { final_text, steps } of rows) {
      expect(final_text).toBe('It says {"id":"A1001","shop":["two words","--x"]}')
      expect(steps[1]).toMatchObject({ tool: "get_order", answered_by: "mcp", status: "ok" })
    }
  })

  it("by its address", async () => {
    // Answers by the same words as the program.
    const answerTo = new Function("process", `${answers}; return answerTo`)({ argv: [] }) as (said: unknown) => unknown
    const http = createServer((request, response) => {
      let text = ""
      request.on("data", (part) => void (text += String(part)))
      request.on("end", () => {
        const answer = text === "" ? null : answerTo(JSON.parse(text))
        if (answer === null) return void response.writeHead(request.method === "POST" ? 202 : 405).end()
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      })
    })
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp?key=sEcReT`
    const ended = await run("simulate", agent, "--world", `mcp:${url}`, ...small("address"))
    http.close()
    expect(ended.status).toBe(0)
    expect(rowsOf("address")[0]?.final_text).toContain("A1001")
    expect(ended.stdout + ended.stderr).not.toContain("sEcReT")
  })

  it("also of a replay, an evaluation, a preview and a look", async () => {
    await run("simulate", agent, "--world", command, ...small("first"))
    const replayed = await run(
      "replay",
      at.path("first.jsonl"),
      agent,
      "--world",
      command,
      ...small("again").slice(0, 1),
      ...small("again").slice(-3)
    )
    expect([replayed.status, rowsOf("again")[0]?.final_text]).toEqual([0, expect.stringContaining("two words")])
    const evaluated = await run(
      "evaluate",
      asks,
      agent,
      "--world",
      command,
      "--offline",
      "--grade",
      "--json",
      ...small("list").slice(-3)
    )
    expect([evaluated.status, rowsOf("list")[0]?.final_text]).toEqual([0, expect.stringContaining("two words")])
    for (const words of [
      ["simulate", agent, "--world", command, "--offline", "--dry-run"],
      ["doctor", agent, "--world", command, "--offline", "--no-ask"]
    ]) {
      const { status, stdout } = await run(...words)
      expect([status, stdout]).toEqual([0, expect.stringContaining("agent.mjs")])
    }
  })

  it.each([
    ["order desk", "names no MCP server"],
    ["mcp:", "names no command and no address"],
    ['mcp:"open', "a quote that is not closed"],
    ["mcp:no-such-program --x", 'no program "no-such-program" on the PATH'],
    ["mcp:ftp://127.0.0.1/", "neither http: nor https:"],
    ["mcp:http://me:pass-word@127.0.0.1:1/mcp", "holds a password"],
    [`mcp:${process.execPath} -e "process.exit(3)"`, "ended with exit status 3"]
  ])("is refused as %s: %s", async (world, problem) => {
    for (const words of [
      ["simulate", agent, "--world", world, ...small("refused")],
      ["evaluate", asks, agent, "--world", world, "--offline"],
      ["doctor", agent, "--world", world, "--offline", "--no-ask"]
    ]) {
      const { status, stderr } = await run(...words)
      expect([status, stderr]).toEqual([64, expect.stringContaining(problem)])
      expect(stderr).toContain("--world")
      expect(stderr).not.toContain("pass-word")
    }
  })

  it("is refused beside a world of the agent's file", async () => {
    const { status, stderr } = await run("simulate", own, "--world", command, ...small("two"))
    expect([status, stderr]).toEqual([64, expect.stringMatching(/--world\s+goes with no execute \(.*own\.mjs\)/)])
  })

  it.each([
    ["mcp:npx  server -y", ["npx", "server", "-y"]],
    ["MCP: npx server", ["npx", "server"]],
    [`mcp:'a b' "c \\" d" e\\ f g'h i'j ""`, ["a b", 'c " d', "e f", "gh ij", ""]],
    ["mcp:C:\\tools\\server.exe --x", ["C:\\tools\\server.exe", "--x"]],
    ["mcp:echo $HOME *", ["echo", "$HOME", "*"]]
  ])("takes %s apart as a shell does", (words, expected) => {
    expect(ToolServer.read(words)).toMatchObject({ _tag: "Right", right: { command: expected } })
  })
})
