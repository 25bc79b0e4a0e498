import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as AgentModule from "../../packages/cli/src/AgentModule.ts"

let folder = ""
const files: Readonly<Record<string, string>> = {
  "options.ts": `
    import { defineAgent } from "@sandtable/cli"
    import { policy } from "./policy.ts"
    const agent = async (message: string): Promise<string> => message
    export default defineAgent({ agent, systemPrompt: policy, budget: 3 })`,
  "policy.ts": `export const policy: string = "Be kind."`,
  "function.mjs": `export default function orders(message) { return message }`,
  "common.js": `module.exports = { systemPrompt: "old style" }`,
  "backend.ts": `export default { identity: { name: "mine" }, kind: "function", turns: "single", play: () => null }`,
  "named.ts": `export const agent = () => "hi"`,
  "throws.ts": `throw new Error("no database")`,
  "broken.ts": `export default { a: [ }`,
  "package.ts": `import nothing from "a-package-nobody-has"\nexport default nothing`,
  "spec.yaml": `tools:\n  - name: lookup_order\nsystemPrompt: Be kind.\n`,
  "spec.json": `{"systemPrompt": "Be kind."}`,
  "prose.md": `You answer about orders.`,
  "desk/agent.mjs": `export default { systemPrompt: "desk" }`,
  "plain/tools.json": `[]`
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sandtable-agents-"))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const layer = Layer.merge(NodeFileSystem.layer, NodePath.layer)
const resolve = (name: string) => AgentModule.resolve(join(folder, name)).pipe(Effect.provide(layer))
const refused = (name: string) => Effect.map(Effect.flip(resolve(name)), ({ problem, fix }) => `${problem}. ${fix}`)

describe("a module", () => {
  it.effect("gives the options of its default export, in TypeScript with its imports", () =>
    Effect.gen(function* () {
      const { options } = yield* resolve("options.ts")
      expect(options).toMatchObject({ systemPrompt: "Be kind.", budget: 3 })
      expect(options["agent"]).toBeTypeOf("function")
    })
  )

  it.effect("that exports a function, or a service with `play`, exports the agent", () =>
    Effect.gen(function* () {
      const plain = yield* resolve("function.mjs")
      expect(Object.keys(plain.options)).toEqual(["agent"])
      expect((plain.options["agent"] as { name: string }).name).toBe("orders")
      const backend = yield* resolve("backend.ts")
      expect(Object.keys(backend.options)).toEqual(["agent"])
    })
  )

  it.effect("may be CommonJS", () =>
    Effect.gen(function* () {
      expect((yield* resolve("common.js")).options).toEqual({ systemPrompt: "old style" })
    })
  )

  it.effect("that cannot be used says why and what to do", () =>
    Effect.gen(function* () {
      expect(yield* refused("named.ts")).toBe(
        "has no default export (it exports agent). Export the agent by default: export default { agent, tools, systemPrompt }."
      )
      expect(yield* refused("throws.ts")).toContain("could not be loaded: no database")
      expect(yield* refused("broken.ts")).toContain("broken.ts:1:22")
      expect(yield* refused("package.ts")).toContain("npm install a-package-nobody-has.")
      expect(yield* refused("nobody.ts")).toContain("there is no such file or folder")
    })
  )
})

describe("what else can be named", () => {
  it.effect("specs, read here when they are YAML and by the library otherwise", () =>
    Effect.gen(function* () {
      expect((yield* resolve("spec.yaml")).options).toEqual({
        spec: { tools: [{ name: "lookup_order" }], systemPrompt: "Be kind." }
      })
      expect((yield* resolve("spec.json")).options).toEqual({ spec: join(folder, "spec.json") })
      expect((yield* resolve("prose.md")).options).toEqual({ spec: join(folder, "prose.md") })
    })
  )

  it.effect("a folder: its agent module, else the folder as a spec", () =>
    Effect.gen(function* () {
      expect((yield* resolve("desk")).options).toEqual({ systemPrompt: "desk" })
      expect((yield* resolve("plain")).options).toEqual({ spec: join(folder, "plain") })
    })
  )

  it.effect("an address or a model, taken as they are", () =>
    Effect.gen(function* () {
      for (const agent of [
        "https://localhost:8000/v1",
        "openai:gpt-4.1-mini",
        "vllm:Qwen/Qwen3-4B@http://host:8000/v1"
      ]) {
        const loaded = yield* AgentModule.resolve(agent).pipe(Effect.provide(layer))
        expect(loaded.options).toEqual({ agent })
      }
    })
  )
})
