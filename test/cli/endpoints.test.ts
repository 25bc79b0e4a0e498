/**
 * Commands that reach endpoints, over real HTTP: a judge, and what the doctor finds. Keys never show.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Row } from "@sandtable/core/Row"
import { ConfigProvider, Effect } from "effect"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Folder from "./folder.ts"
import { row } from "./harness.ts"

const at = Folder.make()
const key = "sk-very-secret"
const asked: Array<{ readonly path: string; readonly key: string | undefined }> = []
let server: Server
let address = ""

const saying = (content: string) => ({
  status: 200,
  body: { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }
})
const spent = { status: 429, body: { error: { code: "insufficient_quota", message: "You exceeded your quota." } } }
let answered = 0

/** Models that judge nothing, or not for long; null for one that does not answer at all. */
const odd: Readonly<Record<string, () => { readonly status: number; readonly body: unknown } | null>> = {
  nonsense: () => saying("I would rather not say."),
  refusing: () => saying("I'm sorry, but I can't help with that."),
  wrong: () => ({ status: 400, body: { error: { message: "no such parameter" } } }),
  silent: () => null,
  spent: () => spent,
  dying: () => (++answered === 1 ? saying('{"reason": "Fine.", "score": 1}') : spent)
}

/** Judges by the words of a reply, knows one model and one key. */
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", key: request.headers.authorization })
    let body = ""
    request.on("data", (chunk) => void (body += String(chunk)))
    request.on("end", () => {
      const allowed = request.headers.authorization === `Bearer ${key}`
      const { model } = body === "" ? { model: "m" } : (JSON.parse(body) as { readonly model: string })
      const oddly = odd[model]?.()
      if (oddly === null) return
      if (oddly !== undefined) {
        response.writeHead(oddly.status, { "content-type": "application/json" })
        return void response.end(JSON.stringify(oddly.body))
      }
      const score = body.includes("on its way") ? 1 : 0
      const content = JSON.stringify({ reason: "By its words.", score })
      const answer = request.url?.endsWith("/models")
        ? { data: [{ id: "m" }] }
        : {
            choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
            usage: { prompt_tokens: 9, completion_tokens: 3 }
          }
      response.writeHead(allowed ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify(allowed ? answer : { error: { message: `Incorrect API key: ${key}` } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  at.write("rubric.md", "The person is helped.\n")
  const rows = [row(1), row(2, { final_text: "Who knows." }), row(3)]
  at.write("run.jsonl", `${rows.map((each) => JSON.stringify(each)).join("\n")}\n`)
})
afterAll(() => {
  server.close()
  at.remove()
})

const given = (variables: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

describe("grade --judge", () => {
  const words = (): ReadonlyArray<string> =>
    ["grade", at.path("run.jsonl"), "--judge", `openai:m@${address}`, "--rubric", at.path("rubric.md")].concat([
      "--output",
      at.path("judged.jsonl"),
      "--overwrite",
      "--json"
    ])

  it("grades by a model that is named, and says which one", async () => {
    const ended = await Effect.runPromise(given({ OPENAI_API_KEY: key })(Folder.sandtable(words())))
    expect([ended.status, ended.stderr]).toEqual([0, ""])
    expect(Folder.parsed(ended)).toMatchObject({ grader: "judge", model: "m", scored: 3, passes: 2, failures: 1 })
  })

  it("asks through the proxy of the environment", async () => {
    const before = asked.length
    const through = words().map((word) => (word.startsWith("openai:") ? "openai:m@http://models.example/v1" : word))
    const ended = await Effect.runPromise(
      given({ OPENAI_API_KEY: key, http_proxy: address.replace("/v1", "") })(Folder.sandtable(through))
    )
    expect([ended.status, ended.stderr]).toEqual([0, ""])
    expect(Folder.parsed(ended)).toMatchObject({ scored: 3 })
    expect(asked.slice(before).map(({ path }) => path)).toEqual(
      Array.from({ length: 3 }, () => "http://models.example/v1/chat/completions")
    )
  })

  it("ends with 69 when the key is refused, keeps the rows, and shows no key", async () => {
    const ended = await Effect.runPromise(given({ OPENAI_API_KEY: "sk-another" })(Folder.sandtable(words())))
    expect(ended.status).toBe(69)
    expect(Folder.parsed(ended)).toMatchObject({ rows: 3, scored: 0 })
    expect(ended.stderr).toContain("refused the key")
    expect(ended.stdout + ended.stderr).not.toContain("sk-another")
  })

  const verdicts: ReadonlyArray<readonly [model: string, status: number, says: string]> = [
    ["nonsense", 2, "no row got a reward"],
    ["refusing", 2, "no row got a reward"],
    ["wrong", 2, "no row got a reward"],
    ["silent", 2, "no row got a reward"],
    ["spent", 69, "for its quota: no row got a reward"]
  ]
  for (const [model, status, says] of verdicts) {
    it(`in place leaves the file as it was by a judge that is ${model}`, async () => {
      const rows = [row(1, { reward: 1, judge_name: "Ann" }), row(2, { reward: 0.5 })]
      const file = at.write(`${model}.jsonl`, rows.map((each) => `${JSON.stringify(each)}\n`).join(""))
      const before = readFileSync(file, "utf8")
      const judge = ["--judge", `openai:${model}@${address}`, "--rubric", at.path("rubric.md"), "--timeout", "0.5"]
      for (const more of [[], ["--json"]]) {
        const words = ["grade", file, ...judge, ...more]
        const ended = await Effect.runPromise(given({ OPENAI_API_KEY: key })(Folder.sandtable(words)))
        expect(ended.status).toBe(status)
        expect(ended.stderr).toContain(says)
        expect(ended.stderr).toContain(`${file} is as it was`)
        if (more.length > 0) expect(Folder.parsed(ended)).toMatchObject({ output: null, rows: 2, scored: 0, next: [] })
        else expect(ended.stdout).not.toContain("sandtable report")
      }
      expect(readFileSync(file, "utf8")).toBe(before)
    })
  }

  it("in place keeps what rows had in lineage.prior when its quota ends half-way", async () => {
    const rows = [1, 2, 3].map((n) => row(n, { reward: 0.5, reason: "So so.", judge_name: "Ann" }))
    const file = at.write("dying.jsonl", rows.map((each) => `${JSON.stringify(each)}\n`).join(""))
    const judge = ["--judge", `openai:dying@${address}`, "--rubric", at.path("rubric.md"), "--concurrency", "1"]
    const ended = await Effect.runPromise(given({ OPENAI_API_KEY: key })(Folder.sandtable(["grade", file, ...judge])))
    expect([ended.status, ended.stderr.includes("rows were left without a reward")]).toEqual([69, true])
    expect(ended.stdout).toContain("rows without a verdict now keep the one they had in lineage.prior")
    const graded = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row)
    expect(graded.map(({ reward }) => reward)).toEqual([1, null, null])
    for (const { lineage } of graded) {
      expect(lineage?.prior).toMatchObject({ reward: 0.5, reason: "So so.", judge_name: "Ann" })
    }
  })

  it("is refused before any call when nothing is set", async () => {
    const before = asked.length
    const unset = words().map((word) => (word.startsWith("openai:") ? "openai:m" : word))
    const ended = await Effect.runPromise(given({})(Folder.sandtable(unset)))
    expect([ended.status, ended.stdout, asked.length]).toEqual([64, "", before])
    expect(ended.stderr).toContain("OPENAI_API_KEY")
  })
})

describe("doctor", () => {
  const doctor = (variables: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) =>
    Effect.runPromise(given(variables)(Folder.sandtable(["doctor", ...words])))

  it("tells where models are reached, by which variables, and whether they answer; never a value", async () => {
    const ended = await doctor({ SANDTABLE_BASE_URL: address, SANDTABLE_MODEL: "m", SANDTABLE_API_KEY: key })
    expect([ended.status, ended.stderr]).toEqual([0, ""])
    expect(ended.stdout).toMatch(/hosted \(m\) at http:.* by SANDTABLE_BASE_URL, SANDTABLE_MODEL: answers/)
    expect(ended.stdout).not.toContain(key)
    expect(asked.at(-1)).toEqual({ path: "/v1/models", key: `Bearer ${key}` })
  })

  it("ends with 69 when an endpoint refuses the key or is not there", async () => {
    const refused = await doctor({ OPENAI_API_KEY: "sk-another", OPENAI_BASE_URL: address }, "--json")
    expect(refused.status).toBe(69)
    expect(Folder.parsed(refused)).toMatchObject({
      endpoints: [{ name: "openai", key: { variable: "OPENAI_API_KEY", set: true }, reply: { status: "refuses_key" } }]
    })
    expect(refused.stdout).not.toContain("sk-another")
    const gone = await doctor({ SANDTABLE_BASE_URL: "http://127.0.0.1:1/v1", SANDTABLE_MODEL: "m" })
    expect([gone.status, gone.stdout.includes("no answer")]).toEqual([69, true])
  })

  it("names the proxies it goes through, without their users, and goes through them", async () => {
    // The server stands in for a proxy: it answers whatever is asked of it.
    const proxy = address.replace("http://", "http://me:pass-word@").replace("/v1", "")
    const variables = {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: "http://models.example/v1",
      HTTP_PROXY: proxy,
      no_proxy: "a.example"
    }
    const before = asked.length
    const { status, stdout } = await doctor(variables)
    const shown = proxy.replace("me:pass-word", "<redacted>")
    expect(stdout).toContain(`through ${shown}`)
    expect(stdout).toContain(`${shown}, not for a.example`)
    expect(stdout).not.toContain("pass-word")
    expect(status).toBe(0)
    expect(asked.slice(before).map(({ path }) => path)).toContain("http://models.example/v1/models")
    const json = await doctor(variables, "--json", "--no-ask")
    expect(JSON.parse(json.stdout)).toMatchObject({
      proxy: { http: shown, https: shown, except: ["a.example"] },
      endpoints: [{ name: "openai", proxy: shown }]
    })
  })

  it("says what is missing of a half configured endpoint", async () => {
    const { status, stdout } = await doctor({ SANDTABLE_MODEL: "m" }, "--no-ask")
    expect([status, stdout.includes("SANDTABLE_BASE_URL not set")]).toEqual([0, true])
  })

  it("tells a newcomer what to do, with nothing configured", async () => {
    const { status, stdout } = await doctor({}, "--no-ask")
    expect(status).toBe(0)
    expect(stdout).toContain("none is needed")
    expect(stdout).toContain("sandtable init my-agent")
  })
})
