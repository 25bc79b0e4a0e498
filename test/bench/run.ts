/**
 * Runs every benchmark beside this file, each in its own process, one after the other. `npm run bench -- own-cost` runs
 * those whose name holds a given word.
 */
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const wanted = process.argv.slice(2)
const names = readdirSync(here)
  .filter((name) => name.endsWith(".ts") && name !== "run.ts")
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  .sort()

/** These measure what users run: the library as it was built. The others run from source. */
const asBuilt = new Set(["model-calls.ts", "own-cost.ts", "sleepers.ts", "storm.ts"])

let failed = false
for (const name of names) {
  console.log(`\n== ${name}`)
  const { status } = spawnSync(
    process.execPath,
    [
      ...(asBuilt.has(name) ? [] : ["--conditions=@sandtable/source"]),
      "--import",
      "tsx",
      "--expose-gc",
      join(here, name)
    ],
    { stdio: "inherit" }
  )
  if (status !== 0) failed = true
}
process.exitCode = failed ? 1 : 0
