/**
 * Numbers that JavaScript would round, on their whole way: from a model's call to its tool, back into the thread, into rows
 * on disk and read again, and into every export.
 */
import { layer as nodeLayer } from "@effect/platform-node/NodeContext"
import { layerUndici } from "@sandtable/backends/node"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { ChatModel } from "@sandtable/core/ChatModel"
import * as Export from "@sandtable/core/Export"
import * as ExactJson from "@sandtable/core/ExactJson"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as Simulation from "@sandtable/core/Simulation"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wires } from "./asking.ts"
import * as Shapes from "./fake-shapes.ts"
import * as FakeServer from "./FakeServer.ts"

const id = "1152921504606846977"
const other = "9007199254740993"
const amount = "0.12345678901234567891"

const tools = [
  {
    name: "get_order",
    description: "Looks an order up",
    parameters: {
      type: "object",
      properties: {
        order_id: { type: "integer" },
        lines: { type: "array", items: { type: "integer" } },
        note: { type: ["string", "number"] }
      },
      required: ["order_id"]
    }
  },
  {
    name: "pay",
    description: "Pays an amount",
    parameters: { type: "object", properties: { amount: { type: "number" }, to: { type: "string" } } }
  }
]

describe("the digits of a call", () => {
  for (const { make, name } of wires) {
    it.scopedLive(`${name}: are the same everywhere`, () =>
      Effect.gen(function* () {
        const args = `{"order_id":${id},"lines":[${other},7],"note":${amount}}`
        const pay = `{"amount":${amount}}`
        const wrong = `{"to":${id}}`
        const texts = { get: args, pay, wrong }
        const server = yield* FakeServer.make(({ body, n, path }) => {
          if (n % 2 === 1) return { text: "Done." }
          const calls = Object.entries(texts).map(([key, text]) => ({
            id: `call_${key}`,
            name: key === "get" ? "get_order" : "pay",
            arguments: path.endsWith("/messages") && body["stream"] !== true ? `@${key}@` : text
          }))
          if (!path.endsWith("/messages") || body["stream"] === true) return { calls }
          const json = JSON.stringify(Shapes.message({ calls }, n))
          const text = json.replace(/"@(\w+)@"/g, (_, key: keyof typeof texts) => texts[key])
          return { raw: { text, headers: { "content-type": "application/json" } } }
        })
        const ran: Array<Readonly<Record<string, unknown>>> = []
        const agent = AgentBackend.layerModel.pipe(
          Layer.provide(Layer.effect(ChatModel, make({ model: "m", baseUrl: `${server.url}/v1` }))),
          Layer.provide(layerUndici),
          Layer.orDie
        )
        const output = join(mkdtempSync(join(tmpdir(), "digits-")), "rows.jsonl")
        const data = yield* Simulation.simulate({
          agent,
          tools,
          execute: (_tool: string, given: Readonly<Record<string, unknown>>) => {
            ran.push(given)
            return ExactJson.parse(`{"order_id":${id},"next":${other}}`) as object
          },
          systemPrompt: "You are an order desk agent.",
          simulator: false,
          faultRate: 0,
          budget: 1,
          maxTurns: 1,
          output
        })
        // The tool: a bigint, and text where it takes text; the long decimal for numbers alone is an error, no neighbour.
        expect(ran).toEqual([{ order_id: BigInt(id), lines: [BigInt(other), 7], note: amount }])
        const [first, second, third] = data.rows[0]?.steps.filter((step) => Row.isCallStep(step)) ?? []
        expect(first?.status).toBe("ok")
        expect(second).toMatchObject({ status: "error", answered_by: "execute" })
        expect(JSON.stringify(second?.result)).toContain(amount)
        expect(third).toMatchObject({ status: "error", answered_by: "harness" })
        expect(JSON.stringify(third?.result)).toContain(`must be a string, not ${id}`)
        // The thread that went back to the model.
        const thread = (server.received[1]?.text ?? "").replaceAll("\\", "")
        for (const text of [args, pay, wrong, `{"order_id":${id},"next":${other}}`]) expect(thread).toContain(text)
        // The row on disk, read back and written again.
        const line = readFileSync(output, "utf8").trimEnd()
        expect(line).toContain(`"arguments":${args}`)
        expect(line).toContain(`"result":{"order_id":${id},"next":${other}}`)
        const { broken, rows } = yield* RowFile.readAll(output)
        expect(broken).toEqual([])
        expect(rows.map(Row.encode)).toEqual([line])
        expect(data.rows.map(Row.encode)).toEqual([line])
        // What is exported of it; formats without a mask take no row with a call that could not be run.
        const [row] = rows
        if (row === undefined) throw new Error("there is no row")
        const graded = (steps: ReadonlyArray<Row.Step>, reward: number): Row.Row => {
          const { messages: _, ...rest } = row
          return { ...rest, row_id: `${row.row_id}${reward}`, steps, reward, messages: Row.toMessages(steps) }
        }
        const ask = row.steps.filter((step) => "user" in step)
        const good = graded([...ask, ...(first === undefined ? [] : [first]), { text: "Done." }], 1)
        const bad = graded([...ask, { text: "No." }], 0)
        const options = { tools, systemPrompt: "Help." }
        const exports = [
          Export.lines(rows, { format: "jsonl" }),
          Export.lines(rows, { ...options, format: "openai", failures: true }),
          Export.lines([good], { ...options, format: "openai" }),
          Export.lines([good], { ...options, format: "trl-sft" }),
          Export.lines([good, bad], { ...options, format: "trl-dpo" })
        ]
        for (const exported of exports) {
          const { lines, report } = yield* exported
          const text = lines.join("\n").replaceAll("\\", "")
          for (const digits of [args, `"next":${other}`]) expect(text, report.format).toContain(digits)
        }
        expect(server.violations).toEqual([])
        for (const text of [thread, line]) {
          expect(text).not.toMatch(/115292150460684(?:6976|7000)|9007199254740992|0\.1234567890123456[,}]/)
        }
      }).pipe(Effect.provide(nodeLayer))
    )
  }
})
