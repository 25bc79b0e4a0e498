/**
 * What benchmarks measure with and how they show it.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export type Result = Readonly<Record<string, number | string>>

/** Seconds of CPU (user and system, all threads of this process) that a piece of work takes. */
export const cpu = async (work: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** The median of several measurements. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const print = (title: string, results: ReadonlyArray<Result>): void => {
  console.log(title)
  console.table(
    results.map((result) =>
      Object.fromEntries(
        Object.entries(result).map(([key, value]) => [
          key,
          typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value
        ])
      )
    )
  )
}

/** Keeps the figures as JSON in `test/bench/results`. */
export const save = (name: string, results: ReadonlyArray<Result>): void => {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "results")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ name, node: process.version, results }, null, 2)}\n`)
}
