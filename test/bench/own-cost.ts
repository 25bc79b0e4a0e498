/**
 * B1: what Sandtable itself costs per rollout. An agent that takes no time makes three world calls; the offline writer
 * writes a new ask for every row; rows go to a file. Against it a bare loop calls the same agent, answers it with what the
 * world had answered, and appends the same JSON, a write a row. The bare loop writes and keeps no asks, keeps no world,
 * draws nothing, limits no time, checks, counts and hashes nothing and reports nothing; it never syncs its file. Both run
 * in this process in turn; each figure is the least of its turns, so that what else the machine does counts little. The
 * first 2,000 rows of a process, in which the engine compiles what runs often, are told apart. What is measured is what
 * was built: run `npm run build` first.
 */
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { layer } from "@sandtable/core/node"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { agent, ids, policy, tools } from "./support/orders.ts"
import { cpu, print, type Result, save } from "./support/measure.ts"

const dir = mkdtempSync(join(tmpdir(), "sandtable-bench-"))
const ours = (budget: number, output: string): Promise<void> =>
  Effect.gen(function* () {
    const options = { agent, tools, ids, systemPrompt: policy, simulator: false, budget, output } as const
    const { rows, summary } = yield* Simulation.stream(options)
    const seen = yield* Stream.runFold(rows, 0, (count) => count + 1)
    if (seen !== budget) throw new Error(`${seen} rows instead of ${budget}: ${(yield* summary).stopped_because}`)
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)

interface Kept {
  readonly prompt: string
  readonly steps: ReadonlyArray<{ readonly tool?: string; readonly result?: unknown }>
}

const bare = async (rows: ReadonlyArray<Kept>, count: number): Promise<void> => {
  const file = openSync(join(dir, "bare.jsonl"), "w")
  for (let i = 0; i < count; i++) {
    const row = rows[i % rows.length] as Kept
    const call = (tool: string): Promise<unknown> =>
      Promise.resolve(row.steps.find((step) => step.tool === tool)?.result ?? null)
    await agent(row.prompt, { world: { call } })
    writeSync(file, `${JSON.stringify(row)}\n`)
  }
  closeSync(file)
}

/** A file of 100,000 rows is too long for one text. */
const firstRows = async (path: string, count: number): Promise<ReadonlyArray<Kept>> => {
  const rows: Array<Kept> = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    rows.push(JSON.parse(line) as Kept)
    if (rows.length === count) break
  }
  return rows
}

const sizes = process.env["BENCH_LARGE"] === "1" ? [1_000, 10_000, 100_000] : [1_000, 10_000]
const warmUp = 2_000
const cold = await cpu(() => ours(warmUp, join(dir, "warm.jsonl")))
/** The least of each size's turns. The turns go round the sizes, so that each size meets a process as warm as the others do. */
const least = new Map(sizes.map((size) => [size, { mine: Infinity, theirs: Infinity }]))
for (let turn = 0; turn < 3; turn++) {
  for (const [size, { mine, theirs }] of least) {
    if (size > 10_000 && turn > 0) continue
    const output = join(dir, `ours-${size}-${turn}.jsonl`)
    const own = await cpu(() => ours(size, output))
    const rows = await firstRows(output, 1_000)
    const loop = await cpu(() => bare(rows, size))
    least.set(size, { mine: Math.min(mine, own), theirs: Math.min(theirs, loop) })
    rmSync(output)
  }
}
const results: ReadonlyArray<Result> = [...least].map(([size, { mine, theirs }]) => ({
  rows: size,
  "ours (us/row)": (mine * 1e6) / size,
  "bare (us/row)": (theirs * 1e6) / size,
  ratio: mine / theirs
}))
rmSync(dir, { recursive: true })
print("CPU per row (target: ratio <= 4, flat with size)", results)
console.log(`The first ${warmUp} rows of a process: ${((cold * 1e6) / warmUp).toFixed(0)} us each`)
save("own-cost", [...results, { rows: `first ${warmUp} of a process`, "ours (us/row)": (cold * 1e6) / warmUp }])
