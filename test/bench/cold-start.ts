/**
 * B7: how long a process takes before it is of use. Wall-clock times of processes started in turn, one at a time, so that
 * whatever else the machine does meets all alike: the least of several, which others disturbed least, and the median: bare
 * Node with an empty module; `sandtable --version`, a path that loads no Effect; the library's entry against
 * `effect/Schema` alone, which it cannot do without; and a whole keyless run of one row, agent file included. Bare Node
 * reads one empty file and prints nothing. What is measured is what was built: run `npm run build` first.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, print, save } from "./support/measure.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const command = join(root, "packages/cli/bin/sandtable.js")
const built = [join(root, "packages/cli/dist/sandtable.js"), join(root, "packages/core/dist/index.js")]
for (const file of built) if (!existsSync(file)) throw new Error(`${file} is missing: run \`npm run build\` first.`)

// beside the packages, so that they resolve
const folder = mkdtempSync(join(root, "node_modules", ".cold-start-"))
const rows = mkdtempSync(join(tmpdir(), "sandtable-cold-"))
const module = (name: string, text: string): string => {
  const path = join(folder, `${name}.mjs`)
  writeFileSync(path, text)
  return path
}

const runs = 15
let written = 0
const agent = join(root, "examples/orders/agent.ts")
const cases: ReadonlyArray<readonly [string, () => ReadonlyArray<string>]> = [
  ["bare node", () => [bare]],
  ["sandtable --version", () => [command, "--version"]],
  ["sandtable simulate --help", () => [command, "simulate", "--help"]],
  ["effect/Schema alone", () => [schema]],
  ["@sandtable/core", () => [core]],
  [
    "first row of a keyless run",
    () => [
      command,
      "simulate",
      agent,
      "--offline",
      "--budget",
      "1",
      "--quiet",
      "--output",
      join(rows, `${written++}.jsonl`)
    ]
  ]
]
const bare = module("bare", "")
const schema = module("schema", `import "effect/Schema"\n`)
const core = module("core", `import "@sandtable/core"\n`)

const times = new Map<string, Array<number>>(cases.map(([name]) => [name, []]))
for (let run = 0; run <= runs; run++) {
  for (const [name, args] of cases) {
    const started = process.hrtime.bigint()
    const { status, stderr } = spawnSync(process.execPath, args(), { cwd: rows, encoding: "utf8" })
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
    // the first round fills the caches
    if (run > 0) times.get(name)?.push(Number(process.hrtime.bigint() - started) / 1e6)
  }
}
rmSync(folder, { recursive: true })
rmSync(rows, { recursive: true })

const least = (name: string): number => Math.min(...(times.get(name) ?? []))
const middle = (name: string): number => median(times.get(name) ?? [])
const results = cases.map(([name]) => ({
  what: name,
  "least ms": least(name),
  "median ms": middle(name),
  "times bare node (least)": least(name) / least("bare node")
}))
print("Cold start (targets: --version <= 1.5x bare; core <= 100 ms over effect/Schema; first row < 1,000 ms)", results)
const over = (of: (name: string) => number): string => (of("@sandtable/core") - of("effect/Schema alone")).toFixed(0)
console.log(`@sandtable/core over effect/Schema: ${over(least)} ms (least), ${over(middle)} ms (median)`)
save("cold-start", results)
