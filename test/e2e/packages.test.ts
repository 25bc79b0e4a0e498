/**
 * The packages as they are shipped: packed, installed into empty projects, imported, run and type-checked there. npm reads its
 * cache first; where it needs a registry and reaches none, the tests that install are skipped and say so.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const names = ["core", "backends", "cli"] as const
const folder = realpathSync(mkdtempSync(join(tmpdir(), "sandtable-packages-")))

interface Ran {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** What `npm test` sets for its own project would be taken for the new one's. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache)$)|INIT_CWD|NODE_OPTIONS)/.test(name)
  )
)

const run = (file: string, words: ReadonlyArray<string>, cwd: string): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(file, [...words], { cwd, env, maxBuffer: 1 << 26 }, (error, out, err) =>
      resolve({ status: error === null ? 0 : Number(error.code ?? 1), out, err })
    )
  })

const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
const unreached = /E(AI_AGAIN|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|NOTCACHED)|network/

/** An empty project with these installed, by the words of a user; skips the test where no registry is reached. */
const project = async (name: string, packages: ReadonlyArray<string>, { skip }: TestContext): Promise<string> => {
  const path = join(folder, name)
  mkdirSync(path)
  writeFileSync(join(path, "package.json"), JSON.stringify({ name, private: true, type: "module" }))
  const { err, out, status } = await run("npm", ["install", ...quiet, ...packages], path)
  if (status !== 0 && unreached.test(err)) skip("no registry is reached and npm's cache does not hold what is needed")
  expect(status, out + err).toBe(0)
  return path
}

const tarball = (name: string): string => {
  const file = readdirSync(folder).find((file) => file.startsWith(`sandtable-${name}-`) && file.endsWith(".tgz"))
  if (file === undefined) throw new Error(`${name} was not packed`)
  return join(folder, file)
}

const manifest = (path: string) =>
  JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Readonly<Record<string, unknown>> & {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>> | null>>
  }

/** The programs of the README, which hold no type and are JavaScript as well. */
const programs = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
  ([, code = ""]) => code
)

beforeAll(async () => {
  for (const name of names) {
    const words = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
    const { err, status } = await run("npm", words, join(root, "packages", name))
    expect(status, err).toBe(0)
  }
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }), 120_000)

describe("a tarball", () => {
  it.each(names)("of %s holds what its readers and its exports name, and nothing of the build", async (name) => {
    const path = join(folder, `unpacked-${name}`)
    mkdirSync(path)
    await run("tar", ["-xzf", tarball(name), "-C", path], folder)
    const files = readdirSync(join(path, "package"), { recursive: true, encoding: "utf8" })
    expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]))
    expect(readFileSync(join(path, "package/LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"))
    expect(files.filter((file) => /tsbuildinfo|node_modules|\.env|(^|\/)test\//.test(file))).toEqual([])
    const { exports, ...about } = manifest(join(path, "package"))
    expect(about).toMatchObject({
      license: "Apache-2.0",
      engines: { node: ">=20.19" },
      repository: { type: "git", directory: `packages/${name}` }
    })
    for (const targets of Object.values(exports)) {
      for (const [condition, target] of Object.entries(targets ?? {})) {
        expect(files, `${condition} of ${target}`).toContain(target.slice(2))
        // A condition of another's would have a stranger's bundler compile our sources.
        expect(["@sandtable/source", "types", "default"]).toContain(condition)
      }
    }
    const versions = [about["dependencies"], about["peerDependencies"]].flatMap((all) => Object.values(all ?? {}))
    expect(versions.filter((version) => !/^(\^|>=)\d/.test(String(version)))).toEqual([])
  })

  it.each(names)("of %s is well-formed in the eyes of publint", async (name) => {
    const bytes = readFileSync(tarball(name))
    const { messages, pkg } = await publint({
      pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer }
    })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })
})

describe("an empty project", { timeout: 300_000 }, () => {
  it("with the core alone runs the programs of the README", async (context) => {
    const path = await project("alone", [tarball("core")], context)
    const [first = "", effectful = ""] = programs
    writeFileSync(join(path, "first.mjs"), first)
    writeFileSync(join(path, "effectful.mjs"), effectful)
    const ran = await run("node", ["first.mjs"], path)
    expect(ran.err).toBe("")
    expect(ran.out).toContain('-> The agent said "I have refunded", but its call of refund_order had failed')
    expect(await run("node", ["effectful.mjs"], path)).toEqual({ status: 0, out: "12 rows\n", err: "" })
    const named = `import { simulate } from "@sandtable/core/node"
      await simulate({ agent: "openai:gpt-4.1-mini", systemPrompt: "You help." }).catch((error) => console.log(error.message))`
    writeFileSync(join(path, "named.mjs"), named)
    expect((await run("node", ["named.mjs"], path)).out).toContain("npm install @sandtable/backends")
  })

  it("with an Effect of its own has that one alone, and compiles without optional packages", async (context) => {
    const path = await project("whole", [...names.map(tarball), "effect@3.22.3"], context)
    const installed = await readdir(join(path, "node_modules"), { recursive: true })
    const copies = installed.filter((file) => /(^|node_modules\/)effect\/package\.json$/.test(file))
    expect(copies).toEqual(["effect/package.json"])
    expect(readdirSync(join(path, "node_modules/@effect"))).not.toContain("ai")

    // Two need what is not installed here; the command's own program takes Node's process, and its types.
    const optional = /internal|\/EffectAi$|\/vitest$|\/Cli$/
    const importing = names.flatMap((name) =>
      Object.keys(manifest(join(path, "node_modules/@sandtable", name)).exports)
        .filter((entry) => !optional.test(entry))
        .map((entry) => `@sandtable/${name}${entry.slice(1)}`)
    )
    const imports = importing.map((name, i) => `import * as m${i} from "${name}"`)
    const program = `${imports.join("\n")}\nexport const all = [${imports.map((_, i) => `m${i}`).join(", ")}]\n`
    writeFileSync(join(path, "imports.ts"), program)
    writeFileSync(join(path, "imports.mjs"), `${program}console.log(all.length)\n`)
    for (const [i, code] of programs.entries()) writeFileSync(join(path, `program${i}.ts`), `${code}\nexport {}\n`)
    const compilerOptions = {
      module: "NodeNext",
      target: "ES2022",
      lib: ["ES2023", "DOM"],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true
    }
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const compiler = join(root, "node_modules/@typescript/native/bin/tsc")
    const compiled = await run("node", [compiler, "-p", ".", "--pretty", "false"], path)
    expect(compiled.out).toBe("")
    expect(await run("node", ["imports.mjs"], path)).toEqual({ status: 0, out: `${importing.length}\n`, err: "" })

    const bin = join(path, "node_modules/.bin/sandtable")
    const version = manifest(join(root, "packages/cli"))["version"]
    expect((await run(bin, ["--version"], path)).out.trim()).toBe(version)
    cpSync(join(root, "examples/orders"), join(path, "orders"), { recursive: true })
    const words = [
      "simulate",
      "orders/agent.ts",
      "--offline",
      "--budget",
      "8",
      "--grade",
      "--output",
      "rows.jsonl",
      "-q"
    ]
    const simulated = await run(bin, words, path)
    expect(simulated.status, simulated.err).toBe(0)
    expect(readFileSync(join(path, "rows.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(8)
  })

  it("that links a clone's core runs the first program", async (context) => {
    const path = await project("linked", [join(root, "packages/core")], context)
    writeFileSync(join(path, "first.mjs"), programs[0] ?? "")
    const ran = await run("node", ["first.mjs"], path)
    expect(ran).toMatchObject({ status: 0, err: "" })
    expect(ran.out).toContain("-> The agent said")
  })
})
