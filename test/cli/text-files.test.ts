/**
 * Files of text that people write, wherever a command takes one: UTF-8, or UTF-16 with its mark, and nothing else.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as Folder from "./folder.ts"

const at = Folder.make()
afterAll(at.remove)

const policy = "Tell people about the café.\nBe kind to José.\n"
const tools = JSON.stringify([{ name: "get_order", description: "Gets an order, café or not.", parameters: {} }])
const asks = "Où est la commande A1001?\nCancel A1002 for José.\n"
const run = ["--offline", "--budget", "2", "-q", "--overwrite", "--output", at.path("out.jsonl")]
const agent = at.path("agent.mjs")
const bare = at.path("bare.mjs")

beforeAll(() => {
  at.write("bare.mjs", `export default { agent: () => "Which order?" }`)
  at.write("agent.mjs", `export default { agent: () => "Which order?", tools: ${tools}, grader: () => 1 }`)
})

/** Where a text goes: the file's name, what is in it, and the command. */
const doors: ReadonlyArray<readonly [string, string, string, (file: string) => ReadonlyArray<string>]> = [
  ["a policy", "policy.md", policy, (file) => ["simulate", agent, "--policy", `@${file}`, ...run]],
  ["tools", "tools.json", tools, (file) => ["simulate", bare, "--tools", file, ...run]],
  ["a spec", "spec.md", policy, (file) => ["simulate", agent, "--spec", file, ...run]],
  [
    "a spec in YAML",
    "spec.yaml",
    `prompt: café\ntools: ${tools}\n`,
    (file) => ["simulate", bare, "--spec", file, ...run]
  ],
  [
    "seeds",
    "seeds.json",
    JSON.stringify(asks.trim().split("\n")),
    (file) => ["simulate", agent, "--seeds", file, ...run]
  ],
  ["options", "options.json", `{ "policy": "café" }`, (file) => ["simulate", agent, "--config", file, ...run]],
  [
    "asks",
    "asks.txt",
    asks,
    (file) => ["evaluate", file, agent, "--offline", "-q", "--overwrite", "--output", at.path("out.jsonl")]
  ]
]

describe.each(doors)("%s", (_, name, text, words) => {
  const given = (bytes: Uint8Array) => {
    writeFileSync(at.path(name), bytes)
    return Folder.sandtable(words(at.path(name)))
  }
  /** What the run was, without what differs between any two. */
  const ran = (bytes: Uint8Array) =>
    Effect.map(given(bytes), ({ status, stderr }) => {
      expect([status, stderr]).toEqual([0, ""])
      const meta = JSON.parse(readFileSync(at.path("out.meta.json"), "utf8")) as { readonly profile: unknown }
      return [meta.profile, readFileSync(at.path("out.asks.jsonl"), "utf8").match(/"prompt":"[^"]*"/g)]
    })

  it.effect("is the same in UTF-8 and UTF-16 with a mark", () =>
    Effect.gen(function* () {
      const plain = yield* ran(Buffer.from(text))
      const wide = Buffer.from(`\uFEFF${text}`, "utf16le")
      expect(yield* ran(Buffer.from(`\uFEFF${text}`))).toEqual(plain)
      expect(yield* ran(wide)).toEqual(plain)
      expect(yield* ran(wide.swap16())).toEqual(plain)
    })
  )

  it.effect("is refused in Latin-1 and in UTF-16 without a mark, with the byte's place", () =>
    Effect.gen(function* () {
      for (const encoding of ["latin1", "utf16le"] as const) {
        const { status, stderr } = yield* given(Buffer.from(text, encoding))
        const byte = encoding === "latin1" ? Buffer.from(text, encoding).findIndex((each) => each > 127) : 1
        expect([status, stderr.replaceAll(/\s+/g, " ")]).toEqual([64, expect.stringContaining(`byte ${byte} (line`)])
      }
    })
  )
})
