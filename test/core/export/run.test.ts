import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as Demo from "../../../packages/core/src/grade/Demo.ts"
import * as Export from "@sandtable/core/Export"
import { exportRows, selectFile } from "@sandtable/core/node"
import * as Row from "@sandtable/core/Row"
import * as RowSource from "../../../packages/core/src/traces/RowSource.ts"
import * as Select from "@sandtable/core/Select"
import * as Simulation from "@sandtable/core/Simulation"
import type { TraceRow } from "../../../packages/core/src/traces/TraceFormat.ts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "sandtable-training-"))
const tools = [{ name: "get_order", description: "Look up an order", parameters: { order_id: { type: "string" } } }]

const simulated = Simulation.simulate({
  agent: Demo.seededAgent(tools, { rate: 0.4 }),
  tools,
  systemPrompt: "You help with orders.",
  ids: { order_id: ["A1001", "A1002"] },
  simulator: false,
  grade: true,
  repeats: 4,
  repeatPolicy: "fixed",
  budget: 48
})

describe("a run", () => {
  it.effect("selects from its rows, and a selection is exported with the run's tools and instructions", () =>
    Effect.gen(function* () {
      const data = yield* simulated
      const before = JSON.stringify(data.rows)
      const selection = data.select({ mode: "sft" })
      expect(selection.rows.length).toBeGreaterThan(5)
      expect(selection.rows.every((row) => row.reward === 1)).toBe(true)
      const { lines, report } = yield* Export.lines(selection, { format: "openai" })
      expect(report.notes).toEqual([])
      expect(lines).toHaveLength(selection.rows.length)
      for (const line of lines) {
        const { messages, tools: declared } = JSON.parse(line) as { messages: Array<unknown>; tools: Array<unknown> }
        expect(messages[0]).toEqual({ role: "system", content: "You help with orders." })
        expect(declared).toHaveLength(1)
      }
      expect(JSON.stringify(data.rows)).toBe(before)
    })
  )

  it.effect("exports the same from memory and from its file", () =>
    Effect.gen(function* () {
      const data = yield* simulated
      const rows = join(folder, "run.jsonl")
      yield* data.save(rows)
      for (const format of Export.formats) {
        const [memory, disk] = [join(folder, `memory.${format}`), join(folder, `disk.${format}`)]
        const report = yield* data.export(memory, { format })
        expect({ ...report, path: null }).toEqual({ ...(yield* Export.write(rows, disk, { format })), path: null })
        expect(readFileSync(disk, "utf8")).toBe(readFileSync(memory, "utf8"))
      }
      const selected = yield* Effect.promise(() => selectFile(rows, { mode: "rl" }))
      expect(selected.rows.map((row) => row["row_id"])).toEqual(
        data.select({ mode: "rl" }).rows.map((row) => row.row_id)
      )
      const told = yield* Effect.promise(() => exportRows(selected, join(folder, "grpo.jsonl"), { format: "trl-grpo" }))
      expect(told.used).toBe(selected.rows.length)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.effect("gives rows back as they were, less what exports leave out", () =>
    Effect.gen(function* () {
      const data = yield* simulated
      const path = join(folder, "rows.jsonl")
      yield* data.export(path, { format: "jsonl" })
      const { rows } = yield* RowSource.load(path)
      expect(data.rows.some((row) => row.plan !== undefined)).toBe(true)
      const wanted = data.rows.map((row) => {
        const { plan, ...rest } = Either.getOrThrow(Row.parse(Row.encode(row)))
        return plan === undefined ? row : rest
      })
      expect(rows).toEqual(wanted)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("a log", () => {
  it("needs no more than a prompt, a final text and a reward", () => {
    const log = [
      { prompt: "Where is it?", final_text: "On its way.", reward: true },
      { prompt: "Where is it?", final_text: "No idea.", reward: 0 }
    ] as unknown as ReadonlyArray<TraceRow>
    expect(Select.select(log, { mode: "rl" }).report.kept).toBe(2)
    const { lines } = Effect.runSync(Export.lines(log, { format: "openai" }))
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      messages: [
        { role: "user", content: "Where is it?" },
        { role: "assistant", content: "On its way." }
      ]
    })
  })

  it.effect("refuses options before it reads a file", () =>
    Effect.gen(function* () {
      const path = join(folder, "none.jsonl")
      const wrong = yield* Effect.flip(Select.selectFile(path, { mode: "rl", target: 0 }))
      expect(wrong._tag).toBe("InvalidSelection")
      writeFileSync(path, "")
      const { report } = yield* Select.selectFile(path, { mode: "rl" })
      expect(report.advice).toContain("no rows")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
