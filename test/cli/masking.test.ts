/**
 * Addresses may hold a user and keys: neither is printed or written, whatever the command and however it ends.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Folder from "./folder.ts"

const secrets = ["sEcReT-one", "sEcReT-two", "sEcReT-pw", "sEcReT-bare"]
const query = "?api_key=sEcReT-one&tenant=sEcReT-two&sEcReT-bare"
const at = Folder.make()
let server: Server
let base = ""

/** Says back what it was asked, and fails where it is told to. */
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      const url = request.url ?? ""
      if (url.startsWith("/fail")) return response.writeHead(500, { "content-type": "text/plain" }).end(`no ${url}`)
      if (url.startsWith("/moved")) return response.writeHead(302, { location: `http://else.example${url}` }).end()
      if (!url.includes("completions"))
        return response.writeHead(200, { "content-type": "text/plain" }).end("It has shipped.")
      const completion = { choices: [{ message: { content: "It has shipped." }, finish_reason: "stop" }] }
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  at.write("tools.json", JSON.stringify([{ name: "get_order", parameters: { type: "object", properties: {} } }]))
})
afterAll(() => {
  server.close()
  at.remove()
})

const run = (words: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(
    Effect.withConfigProvider(Folder.sandtable(words), ConfigProvider.fromMap(new Map(Object.entries(variables))))
  )

const small = (name: string): ReadonlyArray<string> =>
  ["--tools", at.path("tools.json"), "--system-prompt", "Be kind.", "--offline", "--budget", "2", "--grade"].concat([
    "--overwrite",
    "--output",
    at.path(`${name}.jsonl`)
  ])

/** Everything that was printed, and everything that is in the folder by now. */
const expectNoSecret = ({ stderr, stdout }: Folder.Ended): void => {
  const written = readdirSync(at.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(`${entry.parentPath}/${entry.name}`, "utf8")] as const)
  const leaks = [["stdout", stdout] as const, ["stderr", stderr] as const, ...written].flatMap(([place, text]) =>
    secrets.flatMap((secret) => {
      const found = text.indexOf(secret)
      return found < 0 ? [] : [`${place}: ${text.slice(Math.max(0, found - 80), found + 20)}`]
    })
  )
  expect(leaks).toEqual([])
}

describe("an address with keys in its query", () => {
  const ways: ReadonlyArray<readonly [string, (name: string) => ReadonlyArray<string>, number]> = [
    ["a run", (name) => ["simulate", `${base}/chat${query}`, ...small(name)], 0],
    ["a run, as JSON", (name) => ["simulate", `${base}/chat${query}`, ...small(name), "--json"], 0],
    ["a preview", (name) => ["simulate", `${base}/chat${query}`, ...small(name), "--dry-run"], 0],
    ["a preview, as JSON", (name) => ["simulate", `${base}/chat${query}`, ...small(name), "--dry-run", "--json"], 0],
    ["a look", (name) => ["doctor", `${base}/chat${query}`, "--no-ask", ...small(name)], 0],
    ["a look, as JSON", (name) => ["doctor", `${base}/chat${query}`, ...small(name), "--no-ask", "--json"], 0],
    ["an agent that fails and says its address", (name) => ["simulate", `${base}/fail${query}`, ...small(name)], 70],
    ["an agent that has moved", (name) => ["simulate", `${base}/moved${query}`, ...small(name)], 70],
    ["a model", (name) => ["simulate", `openai:m@${base}/v1${query}`, ...small(name)], 0],
    [
      "a model whose address has no scheme",
      (name) => ["simulate", `openai:m@127.0.0.1:1/v1${query}`, ...small(name)],
      64
    ],
    ["a provider nobody has", (name) => ["simulate", `nobody:m@${base}/v1${query}`, ...small(name)], 64],
    [
      "a user in the address of an agent",
      (name) => ["simulate", base.replace("//", "//me:sEcReT-pw@") + `/chat${query}`, ...small(name)],
      64
    ],
    [
      "a user in the address of a model",
      (name) => ["simulate", `openai:m@${base.replace("//", "//me:sEcReT-pw@")}/v1`, ...small(name)],
      64
    ],
    ["one agent too many", (name) => ["simulate", "agent.ts", `${base}/chat${query}`, ...small(name)], 64],
    [
      "a flag twice",
      (name) => ["simulate", "--agent", `${base}/a${query}`, "--agent", `${base}/b${query}`, ...small(name)],
      64
    ],
    [
      "a command",
      (name) => [
        "simulate",
        ...small(name),
        "--",
        process.execPath,
        `${base.replace("//", "//me:sEcReT-pw@")}${query}`
      ],
      70
    ],
    [
      "a judge",
      () => ["grade", at.path("rows.jsonl"), "--judge", `openai:m@${base}/v1${query}`, "--criteria", '["Is it kind?"]'],
      2
    ]
  ]

  it("is in none of what a run leaves", async () => {
    expectNoSecret(await run(["simulate", `${base}/chat${query}`, ...small("rows")]))
  })

  it.each(ways)("is kept out of %s", async (name, words, status) => {
    const ended = await run(words(name.replaceAll(" ", "-")), { OPENAI_API_KEY: "k-1234567" })
    expectNoSecret(ended)
    expect([ended.status, ended.stdout + ended.stderr]).toEqual([
      status,
      expect.stringMatching(/127\.0\.0\.1|judge|node/)
    ])
  })

  it("is kept out of what comes after a run", async () => {
    const rows = at.path("rows.jsonl")
    for (const words of [
      ["replay", rows, `${base}/chat${query}`, "--offline", "--output", at.path("again.jsonl"), "--overwrite"],
      ["report", rows],
      ["report", rows, "--json"],
      ["report", rows, "--html", at.path("page.html")],
      ["export", rows, "--format", "junit", "--output", at.path("junit.xml")],
      ["tasks", rows]
    ]) {
      expectNoSecret(await run(words))
    }
  })

  it("is kept out of the configuration that is told", async () => {
    const address = `${base.replace("//", "//me:sEcReT-pw@")}/v1${query}`
    const hosted = { SANDTABLE_BASE_URL: address, SANDTABLE_MODEL: "m", SANDTABLE_API_KEY: "k-1234567" }
    for (const words of [["doctor"], ["doctor", "--json"], ["simulate", "hosted", ...small("hosted")]]) {
      expectNoSecret(await run(words, hosted))
    }
    const odd = { ...hosted, SANDTABLE_BASE_URL: address.replace("http:", "ftp:") }
    expectNoSecret(await run(["simulate", "hosted", ...small("odd")], odd))
    expectNoSecret(await run(["doctor"], { HTTP_PROXY: address, HTTPS_PROXY: address }))
  })

  it("leaves a command that can be filled in", async () => {
    const { stdout } = await run(["simulate", `${base}/chat${query}`, ...small("rows")])
    expect(stdout).toContain(`'${base}/chat?api_key=<redacted>&tenant=<redacted>&<redacted>'`)
  })
})
