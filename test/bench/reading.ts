/**
 * B12: reading a file of rows, against a bare loop that splits and parses it. Both read the same file in turn, in this
 * process, and hold nothing. The bare loop decodes by block and takes whatever JSON it meets: it does not check that a
 * line is a row, that its bytes are UTF-8, or which line it is. 200 MB, 1 GB with BENCH_LARGE=1. The sinks' own cost is
 * measured on the same rows.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as RowSink from "@sandtable/core/RowSink"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeRowSink from "../../packages/core/src/node/NodeRowSink.ts"
import { cpu, median, print, save } from "./support/measure.ts"

const megabytes = Number(process.argv[2] ?? (process.env["BENCH_LARGE"] === "1" ? 1_000 : 200))
const blockSize = 1024 * 1024

/** A rollout of three calls, about 4 kB with its messages, some of its text beyond Latin-1. */
const row = (n: number): Row.Row => {
  const order = `A${1000 + n}`
  const call = (i: number): Row.CallStep => ({
    tool: ["get_order", "get_customer", "create_ticket"][i % 3] ?? "get_order",
    arguments: { order_id: order, attempt: i },
    result: {
      id: order,
      status: "shipped",
      items: [{ sku: "S-1", quantity: 2, price: 12.5 }],
      note: "left at the door"
    },
    call_id: `call_${i}`,
    status: "ok",
    answered_by: "mock",
    turn: i
  })
  const said = `Your order ${order} has shipped and will arrive on Tuesday. `.repeat(6)
  const text = n % 4 === 0 ? `${said} – спасибо` : said
  const steps = [{ user: `Hi, where is my order ${order}?` }, call(0), call(1), call(2), { text }]
  return {
    schema_version: Row.schemaVersion,
    row_id: Row.rowId("run_bench", `task_${n % 5000}`, 0, n),
    task_id: `task_${n % 5000}`,
    prompt: `Hi, where is my order ${order}?`,
    steps,
    messages: Row.toMessages(steps),
    final_text: text,
    tier: "ordinary",
    world_state: "exists",
    faults: null,
    rollout_index: n,
    usage: { agent: { input: 812, cached: null, output: 96, reasoning: null } },
    reward: 1,
    timings: { started_at: "2024-01-01T00:00:00.000Z", elapsed: 0.01 },
    lineage: { run_id: "run_bench", system_prompt_sha: null, eval_run: 0, repeat_policy: "fixed", probe: 2 }
  }
}

const write = (path: string): number => {
  const file = openSync(path, "w")
  let n = 0
  for (let size = 0; size < megabytes * 1e6; n++) size += writeSync(file, `${Row.encode(row(n))}\n`)
  closeSync(file)
  return n
}

const bare = async (path: string): Promise<void> => {
  const file = openSync(path, "r")
  const block = Buffer.allocUnsafe(blockSize)
  const decoder = new TextDecoder()
  let rest = ""
  for (let size = readSync(file, block); size > 0; size = readSync(file, block)) {
    const lines = (rest + decoder.decode(block.subarray(0, size), { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) JSON.parse(line)
  }
  closeSync(file)
}

const ours = (path: string): Promise<void> =>
  Effect.runPromise(RowFile.readRows(path, () => Effect.void).pipe(Effect.provide(NodeFileSystem.layer)))

const appendAll = (disk: Layer.Layer<never>, path: string, rows: ReadonlyArray<Row.Row>): Promise<void> =>
  Effect.flatMap(RowSink.RowSink, (sink) => Effect.forEach(rows, sink.append, { discard: true })).pipe(
    Effect.provide(RowSink.layerFile(path, { existing: "replace" })),
    Effect.provide(disk),
    Effect.provide(NodeFileSystem.layer),
    Effect.runPromise
  )

const appendBare = async (path: string, rows: ReadonlyArray<Row.Row>): Promise<void> => {
  const file = openSync(path, "w")
  for (const one of rows) writeSync(file, `${JSON.stringify(one)}\n`)
  closeSync(file)
}

const folder = mkdtempSync(join(tmpdir(), "sandtable-bench-"))
try {
  const path = join(folder, "rows.jsonl")
  const count = write(path)
  const bytes = statSync(path).size
  const reads = { bare: [] as Array<number>, ours: [] as Array<number> }
  let heap = 0
  for (let round = 0; round < 3; round++) {
    reads.bare.push(await cpu(() => bare(path)))
    reads.ours.push(await cpu(() => ours(path)))
    globalThis.gc?.()
    heap = process.memoryUsage().heapUsed
  }
  const reading = [
    {
      bytes,
      rows: count,
      "bare us/row": (median(reads.bare) / count) * 1e6,
      "ours us/row": (median(reads.ours) / count) * 1e6,
      ratio: median(reads.ours) / median(reads.bare),
      "heap MB after": heap / 1e6
    }
  ]
  print("B12: reading rows (CPU)", reading)

  const rows = Array.from({ length: 20_000 }, (_, n) => row(n))
  const target = join(folder, "out.jsonl")
  const appending: Array<{ readonly sink: string; readonly "us/row": number }> = []
  for (const [name, act] of [
    ["bare stringify and write", () => appendBare(target, rows)],
    ["by Node's own calls", () => appendAll(NodeRowSink.layer, target, rows)],
    ["by the platform's file system", () => appendAll(Layer.empty, target, rows)]
  ] as const) {
    const times: Array<number> = []
    for (let round = 0; round < 3; round++) times.push(await cpu(act))
    appending.push({ sink: name, "us/row": (median(times) / rows.length) * 1e6 })
  }
  print("Appending rows, with digest and grouped fsync (CPU)", appending)
  save("reading", [...reading, ...appending])
} finally {
  rmSync(folder, { recursive: true })
}
