import { describe, expect, it } from "@effect/vitest"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import * as McpWorld from "@sandtable/backends/McpWorld"
import { CurrentRollout } from "@sandtable/core/CurrentRollout"
import { simulate } from "@sandtable/core/node"
import * as FaultedWorld from "../../packages/core/src/world/FaultedWorld.ts"
import * as Randomness from "@sandtable/core/Randomness"
import * as ToolDialect from "../../packages/core/src/task/ToolDialect.ts"
import type * as World from "@sandtable/core/World"
import * as ToolSet from "../../packages/core/src/task/ToolSet.ts"
import { Effect, Fiber, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import http from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import process from "node:process"
import * as zlib from "node:zlib"
import * as Kit from "../core/rollout/kit.ts"
import { gone, runs, speaking } from "./program.ts"

/** The reference server, over its input and output. */
const everything = [
  process.execPath,
  createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  "stdio"
]

/** Opens the world of a run for a rollout of it. */
const opened = (mcp: McpWorld.Mcp, index = 0, seconds = 20) =>
  Effect.suspend(() => {
    const { tools } = ToolDialect.read(mcp.tools)
    const settings = { ids: {}, realDelays: false, timeouts: { tool: seconds } }
    const service = mcp.kind.make({ tools: ToolSet.make(tools), randomness: Randomness.make(1), settings })
    const info = Kit.rollout({ index }).info
    return Effect.provideService(
      service.open(Kit.task(), { taskId: "task_1", index, evalRun: 0 }),
      CurrentRollout,
      Option.some(info)
    )
  })

const call = (tool: string, args: Readonly<Record<string, unknown>> = {}): World.Call => ({ tool, arguments: args })

describe("the reference MCP server as world", () => {
  it.live("gives its tools, and answers their calls", () =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: everything })
      const { problems, tools } = ToolDialect.read(mcp.tools)
      expect(problems).toEqual([])
      expect(tools.find(({ name }) => name === "get-structured-content")).toMatchObject({
        description: expect.stringContaining("structured content"),
        parameters: { properties: { location: { enum: ["New York", "Chicago", "Los Angeles"] } } },
        output: { properties: { temperature: { type: "number" } } },
        kind: "read"
      })
      const world = yield* opened(mcp)
      const told = yield* Effect.forEach(
        [
          call("echo", { message: "hello" }),
          call("get-structured-content", { location: "Chicago" }),
          call("get-sum", { a: "x" }),
          call("get-tiny-image"),
          call("no-such-tool")
        ],
        world.call,
        { concurrency: "unbounded" }
      )
      expect(told).toMatchObject([
        { status: "ok", answeredBy: "mcp", result: { status: "ok", result: "Echo: hello" } },
        { status: "ok", result: { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 } },
        { status: "error", result: { error: expect.stringMatching(/^Input validation error/) } },
        { status: "ok", result: { result: [{}, { type: "image", data: "[4033 bytes]" }, {}] } },
        { status: "error", result: { error: expect.stringContaining("no-such-tool") } }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("meets planned faults first", () =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: everything })
      const faults = [{ tool: "echo", mode: "server_error", nth: [1] } as const]
      const world = FaultedWorld.wrap(yield* opened(mcp), { faults }, { realDelays: false })
      const told = yield* Effect.forEach([1, 2], () => world.call(call("echo", { message: "hi" })))
      expect(told.map(({ answeredBy, status }) => [answeredBy, status])).toEqual([
        ["fault", "server_error"],
        ["mcp", "ok"]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("gives up a call at its limit", () =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: everything })
      const world = yield* opened(mcp, 0, 2)
      const slow = yield* world.call(call("trigger-long-running-operation", { duration: 1000, steps: 1 }))
      expect(slow).toMatchObject({ status: "timeout" })
      expect(yield* world.call(call("echo", { message: "still here" }))).toMatchObject({ status: "ok" })
    }).pipe(Effect.scoped)
  )

  it("is a world for plain TypeScript", async () => {
    const mcp = await McpWorld.open({ command: everything })
    const data = await simulate({
      agent: async (_message, { world }) => JSON.stringify(await world.call("get-sum", { a: 2, b: 3 })),
      tools: mcp.tools,
      execute: mcp.execute,
      faultRate: 0,
      simulator: false,
      budget: 3
    })
    await mcp.close()
    expect(data.rows).toHaveLength(3)
    for (const row of data.rows) expect(row.final_text).toContain("The sum of 2 and 3 is 5.")
  })
})

/** A server in a few lines: its process id, a note per session, a tool that never answers, one that ends it. */
const small = `
const notes = []
for (;;) {
  const { id, method, params } = await said()
  const answer = (result) => say({ jsonrpc: "2.0", id, result })
  const text = (text, more) => answer({ content: [{ type: "text", text }], ...more })
  if (method === "initialize") {
    say("Listening!\\n")
    answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } })
  } else if (method === "tools/list") {
    const tools = ["note", "hang", "crash", "fail", "told", "list"].map((name) => ({ name, inputSchema: { type: "object" } }))
    answer(params?.cursor === "2" ? { tools: tools.slice(2) } : { tools: tools.slice(0, 2), nextCursor: "2" })
  } else if (method === "tools/call") {
    const { name, arguments: args } = params
    if (name === "note") { notes.push(args.text); text(JSON.stringify({ pid: process.pid, notes })) }
    if (name === "crash") { process.stderr.write("out of memory", () => process.exit(7)) }
    if (name === "fail") text("", { isError: true })
    if (name === "told" && args.rpc) say({ jsonrpc: "2.0", id, error: args.rpc })
    else if (name === "told") answer({ isError: true, ...args })
    if (name === "list") text("[1, 2]")
  }
}`

describe("sessions", () => {
  const noted = (mcp: McpWorld.Mcp) =>
    Effect.forEach(
      [0, 1, 2],
      (index) =>
        Effect.scoped(
          Effect.flatMap(opened(mcp, index), (world) =>
            Effect.map(world.call(call("note", { text: index })), ({ result }) => result as { pid: number; notes: [] })
          )
        ),
      { concurrency: 3 }
    )

  it.live("are each rollout's own, and nothing of them is left", () =>
    Effect.gen(function* () {
      const told = yield* noted(yield* McpWorld.connect({ command: speaking(small) }))
      expect(told.map(({ notes }) => notes)).toEqual([[0], [1], [2]])
      expect(new Set(told.map(({ pid }) => pid)).size).toBe(3)
      yield* Effect.forEach(told, ({ pid }) => gone(pid))
    }).pipe(Effect.scoped)
  )

  it.live("are one where they are shared, as long as the scope", () =>
    Effect.gen(function* () {
      const told = yield* Effect.scoped(
        Effect.flatMap(McpWorld.connect({ command: speaking(small) }, { sessions: "shared" }), noted)
      )
      expect(told.map(({ notes }) => notes.length).sort()).toEqual([1, 2, 3])
      expect(new Set(told.map(({ pid }) => pid)).size).toBe(1)
      yield* gone(told[0]?.pid ?? 0)
    })
  )

  it.live("end with an interrupted rollout", () =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: speaking(small) })
      const noted = yield* Effect.makeLatch()
      let pid = 0
      const rollout = Effect.gen(function* () {
        const world = yield* opened(mcp)
        const { result } = yield* world.call(call("note", { text: "x" }))
        pid = (result as { pid: number }).pid
        yield* noted.open
        yield* world.call(call("hang"))
      })
      const fiber = yield* Effect.fork(Effect.scoped(rollout))
      yield* noted.await
      expect(runs(pid)).toBe(true)
      yield* Fiber.interrupt(fiber)
      yield* gone(pid)
    }).pipe(Effect.scoped)
  )
})

describe("a server that goes wrong", () => {
  it.live("fails the call under way and those after it, with its exit status and last words", () =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: speaking(small) })
      const world = yield* opened(mcp)
      const crashed = yield* world.call(call("crash"))
      expect(crashed.status).toBe("server_error")
      expect(crashed.result).toMatchObject({
        error: expect.stringMatching(/the server ended with exit status 7; .*out of memory/)
      })
      expect((yield* world.call(call("note"))).status).toBe("server_error")
    }).pipe(Effect.scoped)
  )

  it.live("says so where it is asked to, also without a word", () =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: speaking(small) })
      expect(mcp.tools.map(({ name }) => name)).toEqual(["note", "hang", "crash", "fail", "told", "list"])
      const world = yield* opened(mcp)
      expect(yield* world.call(call("fail"))).toMatchObject({
        status: "error",
        result: { error: expect.stringMatching(/did not say why/) }
      })
      expect((yield* world.call(call("list"))).result).toEqual({ status: "ok", result: [1, 2] })
    }).pipe(Effect.scoped)
  )

  const text = (text: string) => ({ type: "text", text })
  it.live.each([
    [
      "structured, without a text",
      { content: [], structuredContent: { code: "SEAT_TAKEN", seat: "12A" } },
      { status: "error", error: { code: "SEAT_TAKEN", seat: "12A" } }
    ],
    [
      "structured, and the same as text",
      {
        content: [text('{"error":{"code":7,"message":"no seat"}}')],
        structuredContent: { error: { code: 7, message: "no seat" } }
      },
      { error: { code: 7, message: "no seat" } }
    ],
    [
      "structured, in words that name the failure",
      { content: [text("No such order.")], structuredContent: { status: "not_found", order: "A1" } },
      { status: "not_found", order: "A1", message: "No such order." }
    ],
    [
      "structured with a message of its own, beside words",
      { content: [text("Look again.")], structuredContent: { error: "no order", message: "A1 is gone" } },
      { error: "no order", message: "A1 is gone", details: "Look again." }
    ],
    ["JSON as text", { content: [text('{"code":"E7"}')] }, { status: "error", error: { code: "E7" } }],
    [
      "a text inside what it embeds",
      { content: [{ type: "resource", resource: { uri: "log://1", text: "disk full" } }] },
      { status: "error", error: "disk full" }
    ],
    [
      "no text at all",
      { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }] },
      { status: "error", error: [{ type: "image", mimeType: "image/png", data: "[3 bytes]" }] }
    ],
    [
      "an error of the protocol with data",
      { rpc: { code: -32000, message: "quota used up", data: { limit: 3 } } },
      { status: "error", error: "quota used up", details: { limit: 3 } }
    ]
  ] as const)("hands on a failure that is %s", ([, said, result]) =>
    Effect.gen(function* () {
      const mcp = yield* McpWorld.connect({ command: speaking(small) })
      const world = yield* opened(mcp)
      const answer = yield* world.call(call("told", said))
      expect(answer.result).toEqual(result)
      expect(answer.status).not.toBe("ok")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["is not there", { command: ["no-such-mcp-server"] }, 'no program "no-such-mcp-server" on the PATH'],
    [
      "ends at once",
      { command: [process.execPath, "-e", "console.error('no key'); process.exit(2)"] },
      "exit status 2; its error output ends: no key"
    ],
    ["speaks something else", { command: speaking("for (;;) { await said(); say('hello?\\n') }") }, "timed out"],
    ["has no tools", { command: speaking(small.replace(/\["note.*?"list"\]/, "[]")) }, "it lists no tools"],
    ["has no address", { url: "localhost:3000" }, "neither http: nor https:"],
    ["does not answer", { url: "http://127.0.0.1:9/mcp" }, "cannot be used"],
    ["is named by neither", {} as McpWorld.Server, "neither { command } nor { url }"]
  ] as const)("is refused before a run when it %s", ([, server, problem]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(McpWorld.connect(server, { connectTimeout: 1 }))
      expect(refused._tag).toBe("McpFailed")
      expect(refused.message).toContain(problem)
      expect((yield* Effect.flip(Layer.build(McpWorld.layer(server, { connectTimeout: 1 }))))._tag).toBe("McpFailed")
    }).pipe(Effect.scoped)
  )
})

/** A server over streamable HTTP, and what it saw. */
const overHttp = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly seen: Seen; readonly server: http.Server }>((resume) => {
    const seen: Seen = { keys: new Set(), sessions: 0, closed: 0, cancelled: Effect.runSync(Effect.makeLatch()) }
    const transports = new Map<string, StreamableHTTPServerTransport>()
    const create = async (): Promise<StreamableHTTPServerTransport> => {
      const mcp = new McpServer({ name: "small", version: "1" })
      let visits = 0
      mcp.registerTool("visit", { description: "Count a visit" }, () => ({
        content: [],
        structuredContent: { visits: (visits += 1) }
      }))
      mcp.registerTool("hang", { description: "Never answers" }, async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve))
        seen.cancelled.unsafeOpen()
        return { content: [] }
      })
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void (transports.set(id, transport), (seen.sessions += 1)),
        onsessionclosed: () => void (seen.closed += 1)
      })
      await mcp.connect(transport as Parameters<McpServer["connect"]>[0])
      return transport
    }
    const server = http.createServer((request, response) => {
      seen.keys.add(request.headers.authorization)
      const id = request.headers["mcp-session-id"]
      const known = typeof id === "string" ? transports.get(id) : undefined
      void Promise.resolve(known ?? create()).then((transport) => transport.handleRequest(request, response))
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/mcp`, seen, server }))
    })
  }),
  ({ server }) =>
    Effect.async<void>((done) => {
      server.closeAllConnections()
      server.close(() => done(Effect.void))
    })
)

interface Seen {
  readonly keys: Set<string | undefined>
  sessions: number
  closed: number
  readonly cancelled: Effect.Latch
}

/** A server over HTTP that packs what it says: its answers as JSON, or as events. */
const packing = (encoding: string, pack: (text: Buffer) => Buffer, events: boolean, told: unknown) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly server: http.Server }>((resume) => {
      const answers: Readonly<Record<string, unknown>> = {
        initialize: {
          protocolVersion: "2025-03-26",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" }
        },
        "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
        "tools/call": told
      }
      const server = http.createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          const text = Buffer.concat(parts).toString()
          const { id, method } = (text === "" ? {} : JSON.parse(text)) as {
            readonly id?: number
            readonly method?: string
          }
          if (id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end()
          const said = JSON.stringify({ jsonrpc: "2.0", id, result: answers[method ?? ""] })
          response.writeHead(200, {
            "content-type": events ? "text/event-stream" : "application/json",
            "content-encoding": encoding
          })
          response.end(pack(Buffer.from(events ? `event: message\ndata: ${said}\n\n` : said)))
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server }))
      )
    }),
    ({ server }) =>
      Effect.async<void>((done) => {
        server.closeAllConnections()
        server.close(() => done(Effect.void))
      })
  )

describe("a server over HTTP that packs what it says", () => {
  const packs = [
    ["gzip", zlib.gzipSync],
    ["deflate", zlib.deflateSync],
    ["deflate", zlib.deflateRawSync],
    ["br", zlib.brotliCompressSync],
    ["identity", (bytes: Buffer) => bytes],
    ["gzip, br", (bytes: Buffer) => zlib.brotliCompressSync(zlib.gzipSync(bytes))]
  ] as const

  it.live.each(packs)("is understood: %s", ([encoding, pack]) =>
    Effect.gen(function* () {
      for (const events of [false, true]) {
        const { url } = yield* packing(encoding, pack, events, { content: [{ type: "text", text: "Grüße" }] })
        const mcp = yield* McpWorld.connect({ url })
        const world = yield* opened(mcp)
        expect(yield* world.call(call("look"))).toMatchObject({ status: "ok", result: { result: "Grüße" } })
      }
    }).pipe(Effect.scoped)
  )

  it.live("fails the call, and no more, when it grows without end", () =>
    Effect.gen(function* () {
      const told = { content: [{ type: "text", text: "x".repeat(100_000_000) }] }
      const { url } = yield* packing("gzip", zlib.gzipSync, false, told)
      const world = yield* opened(yield* McpWorld.connect({ url }))
      expect(yield* world.call(call("look"))).toMatchObject({
        status: "server_error",
        result: { error: expect.stringContaining("grows beyond 64 MB as it is unpacked") }
      })
    }).pipe(Effect.scoped)
  )
})

describe("a server over HTTP", () => {
  it.live("has a session per rollout, which it is told the end of, and sees the key with every request", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* overHttp
      const mcp = yield* McpWorld.connect({ url, headers: { authorization: "Bearer k" } })
      const visits = yield* Effect.forEach([0, 1], (index) =>
        Effect.scoped(
          Effect.flatMap(opened(mcp, index), (world) =>
            Effect.zipRight(world.call(call("visit")), world.call(call("visit")))
          )
        )
      )
      expect(visits.map(({ result }) => result)).toEqual([{ visits: 2 }, { visits: 2 }])
      // One more to list the tools.
      expect([seen.sessions, seen.closed]).toEqual([3, 3])
      expect([...seen.keys]).toEqual(["Bearer k"])
    }).pipe(Effect.scoped)
  )

  it.live("is told when a call is given up", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* overHttp
      const world = yield* opened(yield* McpWorld.connect({ url }), 0, 0.3)
      expect((yield* world.call(call("hang"))).status).toBe("timeout")
      yield* seen.cancelled.await
    }).pipe(Effect.scoped)
  )
})
