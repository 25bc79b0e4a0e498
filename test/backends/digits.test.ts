/**
 * Numbers that JavaScript would round, on their whole way: from a model's call to its tool, back into the thread, into rows
 * on disk and read again, and into every export.
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import type { PartEncoded } from "@effect/ai/Response"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import { layer as nodeLayer } from "@effect/platform-node/NodeContext"
import { layerUndici } from "@sandtable/backends/node"
import * as AiSdk from "@sandtable/backends/AiSdk"
import * as Cache from "@sandtable/backends/Cache"
import * as CommandAgent from "@sandtable/backends/CommandAgent"
import * as EffectAi from "@sandtable/backends/EffectAi"
import * as HttpAgent from "@sandtable/backends/HttpAgent"
import * as McpWorld from "@sandtable/backends/McpWorld"
import * as Replay from "@sandtable/backends/Replay"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as ChatModels from "@sandtable/core/ChatModel"
import * as Conversation from "@sandtable/core/Conversation"
import * as Randomness from "@sandtable/core/Randomness"
import * as ToolDialect from "../../packages/core/src/task/ToolDialect.ts"
import { ScriptedChatModel } from "@sandtable/core/testing"
import * as Export from "@sandtable/core/Export"
import * as ExactJson from "@sandtable/core/ExactJson"
import * as Row from "@sandtable/core/Row"
import * as RowFile from "@sandtable/core/RowFile"
import * as Simulation from "@sandtable/core/Simulation"
import * as ToolSet from "../../packages/core/src/task/ToolSet.ts"
import { describe, expect, it } from "@effect/vitest"
import { MockLanguageModelV2 } from "ai/test"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, readFileSync } from "node:fs"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Kit from "../core/rollout/kit.ts"
import { wires } from "./asking.ts"
import * as Shapes from "./fake-shapes.ts"
import * as FakeServer from "./FakeServer.ts"
import { speaking } from "./program.ts"

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
          Layer.provide(Layer.effect(ChatModels.ChatModel, make({ model: "m", baseUrl: `${server.url}/v1` }))),
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

describe("the digits of an agent of another kind", () => {
  const settings = Kit.settings({ maxTurns: 1 })
  const args = `{"count":${id}}`
  const seen = (world: Kit.FakeWorld) => world.reached.map((call) => ExactJson.stringify(call.arguments))
  const counted = () => Kit.fakeWorld(() => Effect.succeed(Kit.ok(ExactJson.parse(`{"next":${other}}`))))

  it.scopedLive("are kept on the way to and from a command", () =>
    Effect.gen(function* () {
      const body = `
        await said()
        say('{"type":"call","id":1,"tool":"quote","arguments":${args}}\\n')
        const line = (await lines.next()).value
        say({ type: "final", text: line })`
      const world = counted()
      const agent = yield* CommandAgent.make({ command: speaking(body) })
      const { finalText } = yield* agent.play(Kit.rollout({ settings, world }))
      expect(seen(world)).toEqual([args])
      expect(finalText).toContain(`"next":${other}`)
    })
  )

  it.scopedLive("are kept on the way to and from an address", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const url = yield* listening((text) => {
        asked.push(text)
        const call = `{"id":"a","function":{"name":"quote","arguments":${args}}}`
        return [asked.length === 1 ? `{"tool_calls":[${call}]}` : '{"text":"Done."}', "application/json"]
      })
      const world = counted()
      const agent = yield* HttpAgent.make({ url }).pipe(Effect.provide(layerUndici))
      yield* agent.play(Kit.rollout({ settings, world }))
      expect(seen(world)).toEqual([args])
      expect(asked[1]?.replaceAll("\\", "")).toContain(args)
      expect(asked[1]?.replaceAll("\\", "")).toContain(`"next":${other}`)
    })
  )

  it.effect("are kept through a model of the AI SDK, whose arguments are text", () =>
    Effect.gen(function* () {
      const threads: Array<string> = []
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      const model = new MockLanguageModelV2({
        doGenerate: async ({ prompt }) => {
          const call = { type: "tool-call", toolCallId: "a", toolName: "quote", input: args } as const
          const said = { type: "text", text: "Done." } as const
          const content = threads.push(JSON.stringify(prompt)) === 1 ? [call] : [said]
          return { content, finishReason: "stop", usage, warnings: [] }
        }
      })
      const world = counted()
      yield* Conversation.fromModel(yield* AiSdk.make(model)).play(Kit.rollout({ settings, world }))
      expect(seen(world)).toEqual([args])
      for (const digits of [id, other]) expect(threads[1]).toContain(digits)
    })
  )

  it.effect("are asked for again where a model of @effect/ai has rounded them", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const layer = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: ({ prompt }) =>
            Effect.sync((): Array<PartEncoded> => {
              const params: unknown = JSON.parse(args)
              const finish = {
                type: "finish",
                reason: "stop",
                usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
              } as const
              return prompts.push(JSON.stringify(prompt)) === 1
                ? [{ type: "tool-call", id: "a", name: "quote", params }, finish]
                : [{ type: "text", text: "Done." }, finish]
            }),
          streamText: () => Stream.die("not asked for")
        })
      )
      const model = yield* EffectAi.make({ model: "some-model" }).pipe(Effect.provide(layer))
      const world = counted()
      const { malformedToolCalls } = yield* Conversation.fromModel(model).play(Kit.rollout({ settings, world }))
      expect(world.reached).toEqual([])
      expect(malformedToolCalls).toBe(1)
      expect(prompts[1]).toContain("which was rounded on its way")
    })
  )

  it.scoped("are kept in recordings and in the cache", () =>
    Effect.gen(function* () {
      const path = join(mkdtempSync(join(tmpdir(), "digits-")), "recorded.jsonl")
      const toolCalls = [{ id: "a", name: "quote", arguments: ExactJson.parse(args) }]
      const live = ScriptedChatModel.make([{ toolCalls }, "Done."])
      const played = (model: ChatModels.Service) => {
        const world = counted()
        return Effect.as(Conversation.fromModel(model).play(Kit.rollout({ settings, world })), world)
      }
      const worlds = [yield* played(yield* Replay.record(live, path)), yield* played(yield* Replay.make(path))]
      expect(worlds.map(seen)).toEqual([[args], [args]])
      const store = yield* KeyValueStore.KeyValueStore
      const asked = { messages: [{ role: "user" as const, content: "Hi" }], key: ["a"] }
      const once = Cache.wrap(ScriptedChatModel.make([{ toolCalls }]), store)
      yield* once.complete(asked)
      expect((yield* once.complete(asked)).toolCalls).toEqual(toolCalls)
    }).pipe(Effect.provide([nodeLayer, KeyValueStore.layerMemory]))
  )
})

describe("the digits of an MCP server", () => {
  const tool = {
    name: "get_order",
    description: "Looks an order up",
    inputSchema: { type: "object", properties: { id: { type: "integer", maximum: "@" }, share: { type: "number" } } }
  }
  const args = ExactJson.parse(`{"id":${id},"share":${amount}}`) as Readonly<Record<string, unknown>>
  /** What a server answers to a message, as text: its schema has a bound of 64 bits. */
  const answerOf = (text: string): string | null => {
    const {
      id: n,
      method,
      params
    } = JSON.parse(text) as { id?: number; method: string; params: { protocolVersion: string } }
    if (n === undefined) return null
    const given = /"arguments":(\{.*?\})/.exec(text)?.[1] ?? "{}"
    const listed = JSON.stringify({ tools: [tool] }).replace('"@"', "9223372036854775807")
    const started = {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" }
    }
    const result =
      method === "initialize"
        ? JSON.stringify(started)
        : method === "tools/list"
          ? listed
          : `{"content":[],"structuredContent":{"given":${given},"next":${other},"text":"${id}"}}`
    return `{"jsonrpc":"2.0","id":${n},"result":${result}}`
  }
  const expectExact = (server: McpWorld.Server) =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect(server)
      const { tools } = ToolDialect.read(mcp.tools)
      const [bounded] = tools
      expect(bounded?.parameters).toMatchObject({ properties: { id: { maximum: 2 ** 63 } } })
      const service = mcp.kind.make({
        tools: ToolSet.make(tools),
        randomness: Randomness.make(1),
        settings: { ids: {}, realDelays: false, timeouts: { tool: 20 } }
      })
      const world = yield* service.open(Kit.task(), { taskId: "task_1", index: 0, evalRun: 0 })
      const { result, status } = yield* world.call({ tool: "get_order", arguments: args })
      expect(status).toBe("ok")
      expect(ExactJson.stringify(result)).toBe(`{"given":${ExactJson.stringify(args)},"next":${other},"text":"${id}"}`)
    })

  it.scopedLive("are kept over its input and output", () =>
    expectExact({
      command: speaking(`
        const tool = ${JSON.stringify(tool)}
        const answerOf = ${answerOf.toString().replace("ExactJson", "JSON")}
        const other = "${other}"
        const id = "${id}"
        for (;;) {
          const { value, done } = await lines.next()
          if (done) process.exit(0)
          const answer = answerOf(value)
          if (answer !== null) say(answer + "\\n")
        }`)
    })
  )

  for (const type of ["application/json", "text/event-stream"]) {
    it.scopedLive(`are kept over HTTP (${type})`, () =>
      Effect.gen(function* () {
        const url = yield* listening((text) => {
          const answer = answerOf(text)
          if (answer === null) return ["", type]
          return [type === "application/json" ? answer : `event: message\r\ndata: ${answer}\r\n\r\n`, type]
        })
        yield* expectExact({ url })
      })
    )
  }
})

/** A server of a few lines: what it answers to a body, and of what type; nothing to nothing. */
const listening = (answer: (text: string) => readonly [body: string, type: string]) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly server: http.Server }>((resume) => {
      const server = http.createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          if (request.method !== "POST") return void response.writeHead(405).end()
          const [body, type] = answer(Buffer.concat(parts).toString())
          if (body === "") response.writeHead(202).end()
          else response.writeHead(200, { "content-type": type }).end(body)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, server }))
      })
    }),
    ({ server }) =>
      Effect.async<void>((done) => {
        server.closeAllConnections()
        server.close(() => done(Effect.void))
      })
  ).pipe(Effect.map(({ url }) => url))
