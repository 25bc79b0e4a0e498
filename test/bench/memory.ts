/**
 * B8: memory of a streamed run. Rows of about 4 kB go to a file and are handed on without being held; heap after a
 * collection and the peak resident set are read at each size.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer } from "@sandtable/core/node"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { print, save } from "./support/measure.ts"
import { agent, ids, policy, tools } from "./support/orders.ts"

const dir = mkdtempSync(join(tmpdir(), "sandtable-bench-"))
const padded = async (message: string, context: Parameters<typeof agent>[1]): Promise<string> =>
  `${await agent(message, context)} ${"All of this is said at length. ".repeat(40)}`

const heap = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

const run = (rows: number): Promise<number> =>
  Effect.gen(function* () {
    const { rows: stream, summary } = yield* Simulation.stream({
      agent: padded,
      tools,
      ids,
      systemPrompt: policy,
      simulator: false,
      budget: rows,
      output: join(dir, `rows-${rows}.jsonl`)
    })
    const seen = yield* Stream.runFold(stream, 0, (count) => count + 1)
    yield* summary
    return seen
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)

await run(200)
const sizes = process.env["BENCH_LARGE"] === "1" ? [1_000, 10_000, 100_000] : [1_000, 10_000]
const base = heap()
const results = []
for (const size of sizes) {
  const seen = await run(size)
  results.push({
    rows: seen,
    "heap over start (MB)": heap() - base,
    "peak resident (MB)": process.resourceUsage().maxRSS / 1024
  })
}
rmSync(dir, { recursive: true })
print("Memory of a streamed run (target: heap +64 MB at most)", results)
save("memory", results)
