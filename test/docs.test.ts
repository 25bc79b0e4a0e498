/**
 * The pages say what is true: their programs compile, run and print what stands below them, their tables are those of
 * the code, and their links lead somewhere.
 *
 * In a page, a block of `ts` is type-checked and run; a block of `text` right after it is what it prints. `ts no-run` is
 * type-checked only. `npx vitest run test/docs.test.ts -u` writes the tables and what is printed into the pages.
 */
import * as ModelSpec from "@sandtable/backends/ModelSpec"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Conduct from "@sandtable/core/Conduct"
import * as Cell from "../packages/core/src/task/Cell.ts"
import * as Markers from "@sandtable/core/Markers"
import * as Options from "@sandtable/core/Options"
import * as Patience from "@sandtable/core/Patience"
import * as Row from "@sandtable/core/Row"
import * as RowJsonSchema from "../packages/core/src/row/RowJsonSchema.ts"
import type { StopReason } from "@sandtable/core/Search"
import type { SimulationData } from "@sandtable/core/SimulationData"
import * as Warning from "../packages/core/src/report/Warning.ts"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
/** Inside `node_modules`, so that blocks find the packages and no tool takes them for sources. */
const folder = path.join(root, "node_modules/.cache/docs-blocks")

const pages = [
  "README.md",
  ...["core", "backends", "cli"].map((name) => `packages/${name}/README.md`),
  ...fs
    .readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md") && name !== "decisions.md")
    .map((name) => `docs/${name}`)
]
const read = (page: string): string => fs.readFileSync(path.join(root, page), "utf8")

interface Block {
  readonly file: string
  readonly code: string
  readonly runs: boolean
}

const fence = /^```ts( no-run)?\n([\s\S]*?)^```$(\n\n^```text\n[\s\S]*?^```$)?/gm

const fileOf = (page: string, number: number): string =>
  `${page.replace(/\.md$/, "").replaceAll("/", "-")}-${number}.ts`

const blocksOf = (page: string): ReadonlyArray<Block> =>
  [...read(page).matchAll(fence)].map(([, noRun, code = ""], index) => ({
    file: fileOf(page, index + 1),
    code,
    runs: noRun === undefined
  }))

const blocks = pages.flatMap(blocksOf)

/** Imports the blocks one after the other in a folder of their own and tells what each printed. */
const runner = (files: ReadonlyArray<string>, home: string): string => `
import { format } from "node:util"
process.chdir(${JSON.stringify(home)})
const said: Record<string, { printed: Array<string>; error: string | null }> = {}
let current = ""
console.log = (...words) => void said[current]?.printed.push(format(...words))
process.on("unhandledRejection", (error) => {
  const told = said[current]
  if (told) told.error = error instanceof Error ? (error.stack ?? error.message) : String(error)
})
for (const file of ${JSON.stringify(files)}) {
  current = file
  const told = (said[file] = { printed: [] as Array<string>, error: null as string | null })
  try {
    await import("./" + file)
    if (process.exitCode) throw new Error("it set the exit status " + process.exitCode)
  } catch (error) {
    told.error = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  process.exitCode = 0
}
process.stdout.write(JSON.stringify(said))
process.exit(0)
`

const node = (words: ReadonlyArray<string>): Promise<{ readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: 1 << 26, env: { ...process.env, NO_COLOR: "1" } }
    execFile(process.execPath, [...words], options, (_error, out, err) => resolve({ out, err }))
  })

/** What each block that runs printed. */
let ran: Readonly<Record<string, { readonly printed: ReadonlyArray<string>; readonly error: string | null }>> = {}
let typeErrors: ReadonlyArray<string> = []
let demo = ""

beforeAll(async () => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  for (const { code, file } of blocks) fs.writeFileSync(path.join(folder, file), `${code}\nexport {}\n`)
  fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }')
  const tsconfig = {
    extends: "../../../tsconfig.base.json",
    compilerOptions: {
      noEmit: true,
      composite: false,
      incremental: false,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
      types: ["node"]
    },
    files: blocks.map(({ file }) => file)
  }
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "sandtable-docs-"))
  const started = blocks.filter(({ runs }) => runs).map(({ file }) => file)
  fs.writeFileSync(path.join(folder, "run.ts"), runner(started, home))
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href
  const source = ["--conditions=@sandtable/source", "--import", tsx]
  const compiler = path.join(root, "node_modules/@typescript/native/bin/tsc")
  const command = /sandtable (simulate .*)$/m.exec(read("docs/start.md"))?.[1]?.split(" ") ?? []
  const [checked, run, summary] = await Promise.all([
    node([compiler, "-p", folder, "--pretty", "false"]),
    node([...source, path.join(folder, "run.ts")]),
    node([...source, "packages/cli/src/bin.ts", ...command, "--quiet", "--output", path.join(home, "demo.jsonl")])
  ])
  fs.rmSync(home, { recursive: true, force: true })
  // Sources that are being worked on are somebody else's to check.
  typeErrors = checked.out.split("\n").filter((line) => line.includes("docs-blocks"))
  if (run.out === "") throw new Error(`The blocks could not be run: ${run.err}`)
  ran = JSON.parse(run.out) as typeof ran
  demo = summary.out
}, 120_000)

describe("programs in the pages", () => {
  it("compile", () => expect(typeErrors).toEqual([]))

  it.each(blocks.filter(({ runs }) => runs))("$file runs", ({ file }) => expect(ran[file]?.error).toBeNull())
})

describe("what the pages show", () => {
  /** The page as it should be: its tables and what its blocks print. */
  const current = (page: string): string => {
    let index = 0
    const printed = read(page).replace(fence, (whole: string, noRun?: string, _code?: string, text?: string) => {
      const file = fileOf(page, ++index)
      if (text === undefined || noRun !== undefined) return whole
      const lines = ran[file]?.printed ?? []
      return `${whole.slice(0, whole.length - text.length)}\n\n\`\`\`text\n${lines.join("\n")}\n\`\`\``
    })
    return printed
      .replace(
        /(<!-- options (\d) -->\n)[\s\S]*?(<!-- \/options -->)/g,
        (_, before: string, section: string, after: string) => `${before}${optionTable(Number(section))}${after}`
      )
      .replace(/(<!-- row keys -->\n)[\s\S]*?(<!-- \/row keys -->)/, `$1${rowTable()}$2`)
      .replace(/(<!-- providers -->\n)[\s\S]*?(<!-- \/providers -->)/, `$1${providerTable()}$2`)
  }

  it.each(pages)("%s is up to date", async (page) => {
    await expect(current(page)).toMatchFileSnapshot(path.join(root, page))
  })

  it("the summary in docs/start.md has the lines of the command above it", () => {
    const shown = /```text\n(simulate examples[\s\S]*?)```/.exec(read("docs/start.md"))?.[1] ?? ""
    const labels = (text: string): ReadonlyArray<string> =>
      [...text.matchAll(/^ {0,2}([a-zA-Z][a-zA-Z ]*?)(?: {2,}\S|$)/gm)].map(([, label = ""]) => label)
    expect(labels(shown)).toEqual(labels(demo))
  })
})

describe("lists in the pages", () => {
  /** First cells of the tables of a page that are code. */
  const firstCells = (page: string, heading: string): ReadonlyArray<string> => {
    const [, section = ""] = read(page).split(`${heading}\n`)
    const [own = ""] = section.split(/^## /m)
    return [...own.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)
    )
  }

  it("docs/options.md has every option under its own name", () => {
    const sections = new Set(Options.descriptors.map(({ section }) => section))
    for (const section of sections) expect(read("docs/options.md")).toContain(`<!-- options ${section} -->`)
  })

  it("docs/options.md has every reason to stop", () => {
    const reasons: Record<StopReason, true> = {
      budget: true,
      time_budget: true,
      situations_exhausted: true,
      tasks_done: true,
      saturation: true,
      writer_exhausted: true,
      writer_failed: true,
      agent_failed: true,
      empty_replies: true,
      output_failed: true,
      auth_failed: true,
      quota_exceeded: true,
      token_budget: true,
      cost_budget: true,
      interrupted: true
    }
    const told = new Set(firstCells("docs/options.md", "### Why a run stops"))
    expect([...told].sort()).toEqual(Object.keys(reasons).sort())
  })

  it("docs/agents.md has every reason a rollout is lost for", () => {
    const reasons = firstCells("docs/agents.md", "## Lost rollouts")
    expect([...reasons].sort()).toEqual([...AgentBackend.LossReason.literals].sort())
  })

  it("docs/users.md has every end of a thread, and the odds of each level of patience", () => {
    expect([...firstCells("docs/users.md", "## How a thread goes on, and ends")].sort()).toEqual(
      [...Row.EndedBy.literals].sort()
    )
    const odds = [1, 2, 3].map((question) => (level: Patience.Patience) => Patience.oddsAt(level, question))
    for (const level of Object.keys(Patience.levels) as Array<keyof typeof Patience.levels>) {
      expect(read("docs/users.md")).toContain(`| \`"${level}"\` | ${odds.map((at) => at(level)).join(" | ")} |`)
    }
  })

  it("docs/grading.md has every rule of conduct in its order, and every marker", () => {
    expect(firstCells("docs/grading.md", "## Conduct")).toEqual(Conduct.rungs.map(({ id }) => id))
    expect(firstCells("docs/grading.md", "## Markers")).toEqual([...Markers.names])
  })

  it("docs/situations.md has every axis and value", () => {
    expect(firstCells("docs/situations.md", "## The axes")).toEqual([...Cell.axisNames])
    const page = read("docs/situations.md")
    const values = [Cell.stances, Cell.worldStates, Cell.toolConditions, Cell.histories].flat()
    for (const value of values) expect(page, value).toContain(value)
  })

  it("docs/row.md has every field and method of a result", () => {
    const fields: Record<keyof SimulationData, true> = {
      rows: true,
      meta: true,
      lost: true,
      goldAnswers: true,
      runId: true,
      stoppedBecause: true,
      degraded: true,
      warnings: true,
      search: true,
      report: true,
      grade: true,
      evaluate: true,
      passAt: true,
      compare: true,
      evalVariance: true,
      deltaReport: true,
      evalPower: true,
      select: true,
      export: true,
      save: true
    }
    const listed = firstCells("docs/row.md", "## The result").map((cell) => cell.replace(/\(.*\)/, ""))
    expect([...listed].sort()).toEqual(Object.keys(fields).sort())
  })

  it("docs/row.md has every key of a row and every degraded code", () => {
    const keys = firstCells("docs/row.md", "## The keys")
    expect([...keys].sort()).toEqual(Object.keys(Row.Row.fields).sort())
    expect([...firstCells("docs/row.md", "## What may be degraded")].sort()).toEqual([...Warning.degradedCodes].sort())
  })
})

describe("links", () => {
  it.each(["README.md", "docs/start.md"])("of %s lead to every page", (from) => {
    const targets = new Set([...read(from).matchAll(/\]\(([^)#]+)/g)].map(([, target = ""]) => path.basename(target)))
    const names = [...pages, "docs/decisions.md"].map((page) => path.basename(page))
    expect(names.filter((name) => !targets.has(name) && name !== path.basename(from) && name !== "README.md")).toEqual(
      []
    )
  })

  it.each(pages)("of %s lead somewhere", (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target)
    const missing = targets.filter((target) => !fs.existsSync(path.resolve(root, path.dirname(page), target)))
    expect(missing).toEqual([])
  })

  it.each(pages)("of %s to a heading meet one", (page) => {
    const slugsOf = (file: string): ReadonlyArray<string> =>
      [...fs.readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => slugOf(heading))
    const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
    const missing = targets.filter(([, target = "", slug = ""]) => {
      const file = target === "" ? path.join(root, page) : path.resolve(root, path.dirname(page), target)
      return !slugsOf(file).includes(slug)
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })
})

/** A heading as the readers of Markdown link to it: lower case, without punctuation, hyphens for spaces. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

const kinds: Readonly<Record<Options.Kind, string>> = {
  switch: "true or false",
  words: "see notes",
  count: "whole number, 1 or more",
  number: "number",
  seconds: "seconds, or a Duration",
  text: "text",
  prose: "text",
  path: "text",
  spec: "text",
  rows: "text",
  choice: "",
  value: "see notes",
  json: "object or list",
  code: "code"
}

/** The options of a section as a table. */
const optionTable = (section: number): string => {
  const rows = Options.descriptors
    .filter((option) => option.section === section)
    .map(({ aliases, choices, description, kind, name }) => {
      const names = [name, ...aliases].map((word) => `\`${word}\``).join(", ")
      const value = kind === "choice" ? choices.map((word) => `\`${word}\``).join(", ") : kinds[kind]
      return `| ${names} | ${value} | ${description} |\n`
    })
  return `| option | value | meaning |\n|---|---|---|\n${rows.join("")}`
}

/** What a row holds, as a table. */
const rowTable = (): string => {
  const { properties } = RowJsonSchema.make() as {
    readonly properties: Record<string, { readonly description: string }>
  }
  const rows = Object.entries(properties).map(([key, { description }]) => `| \`${key}\` | ${description} |\n`)
  return `| key | meaning |\n|---|---|\n${rows.join("")}`
}

/** Who can be named in a model's spec, as a table. */
const providerTable = (): string => {
  const talks = { chat: "chat completions", responses: "Responses", messages: "Messages" }
  const rows = ModelSpec.providers.map(
    ({ api, baseUrl, key, name, needsKey }) =>
      `| \`${name}:\` | ${talks[api]} | ${baseUrl ?? "none: give it"} | \`${key}\`${needsKey ? "" : ", if it takes one"} |\n`
  )
  return `| provider | speaks | address | key |\n|---|---|---|---|\n${rows.join("")}`
}
