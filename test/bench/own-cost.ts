/**
 * B1: what Sandtable itself costs per rollout. An agent that takes no time makes three world calls; the offline writer
 * writes a new ask for every row; rows go to a file. Against it a bare loop calls the same agent and appends the same
 * JSON. The bare loop writes no asks, keeps no world, draws nothing, checks nothing and reports nothing.
 */
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync, closeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer } from "@sandtable/core/node"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { agent, ids, policy, tools } from "./support/orders.ts"
import { cpu, print, save } from "./support/measure.ts"

const dir = mkdtempSync(join(tmpdir(), "sandtable-bench-"))
const answer = { order_id: "A1001", status: "pending", items: [{ sku: "S1", quantity: 1 }], total: 42.5 }
const context = { world: { call: () => Promise.resolve(answer) } }

const ours = (budget: number, output: string): Promise<void> =>
  Effect.gen(function* () {
    const options = { agent, tools, ids, systemPrompt: policy, simulator: false, budget, output } as const
    const { rows, summary } = yield* Simulation.stream(options)
    const seen = yield* Stream.runFold(rows, 0, (count) => count + 1)
    if (seen !== budget) throw new Error(`${seen} rows instead of ${budget}: ${(yield* summary).stopped_because}`)
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)

const bare = async (rows: ReadonlyArray<object & { readonly prompt?: unknown }>, count: number): Promise<void> => {
  const file = openSync(join(dir, "bare.jsonl"), "w")
  for (let i = 0; i < count; i++) {
    const row = rows[i % rows.length] as { readonly prompt: string }
    await agent(row.prompt, context)
    writeSync(file, `${JSON.stringify(row)}\n`)
  }
  closeSync(file)
}

const sizes = process.env["BENCH_LARGE"] === "1" ? [1_000, 10_000, 100_000] : [1_000, 10_000]
await ours(500, join(dir, "warm.jsonl"))
const results = []
for (const size of sizes) {
  const output = join(dir, `ours-${size}.jsonl`)
  const mine = await cpu(() => ours(size, output))
  const rows = readFileSync(output, "utf8")
    .split("\n", 1_000)
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly prompt: string })
  const theirs = await cpu(() => bare(rows, size))
  results.push({
    rows: size,
    "ours (us/row)": (mine * 1e6) / size,
    "bare (us/row)": (theirs * 1e6) / size,
    ratio: mine / theirs
  })
}
rmSync(dir, { recursive: true })
print("CPU per row (target: ratio <= 4, flat with size)", results)
save("own-cost", results)
