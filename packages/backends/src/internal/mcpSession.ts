/**
 * A connection to an MCP server, over a program's input and output or over HTTP, and what its answers mean.
 */
import * as ExactJson from "@sandtable/core/ExactJson"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as ErrorText from "@sandtable/core/unstable/ErrorText"
import * as ResultStatus from "@sandtable/core/unstable/ResultStatus"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type { Scope } from "effect/Scope"
import { ending, excerpt } from "./excerpt.ts"
import { at, isRecord, listOf, parse } from "./json.ts"
import * as Digits from "./mcpDigits.ts"
import * as LineProcess from "./lineProcess.ts"
import * as Proxy from "../Proxy.ts"
import type { Program } from "./program.ts"

/** Where a server is: a program that was found, or an address. */
export type Place =
  | { readonly _tag: "Program"; readonly file: string; readonly program: Program }
  | {
      readonly _tag: "Address"
      readonly url: URL
      readonly headers: Readonly<Record<string, string | Redacted.Redacted>>
      readonly proxies: Proxy.Proxies
    }

export interface Session {
  readonly list: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, string>
  /** Makes a call; a failure is an answer. Rejects when the signal is aborted. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>
}

/** Loaded when a server is first spoken to. */
const sdk = Effect.promise(async () => {
  const [client, http, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js")
  ])
  return { ...client, ...http, ...types }
})

/** How long a server may take to end by itself, and to take leave over HTTP. */
const grace = Duration.seconds(1)
/** Limits on calls are the world's; the client's own must not come first. Milliseconds. */
const never = 86_400_000
/** Pages of a list of tools: more are a loop. */
const mostPages = 100

/** Connects; fails in words. */
export const open = (place: Place, seconds: number): Effect.Effect<Session, string, Scope> =>
  Effect.gen(function* () {
    const mcp = yield* sdk
    const { leave, tell, transport } = yield* place._tag === "Program" ? overProgram(place) : overHttp(mcp, place)
    const client = new mcp.Client({ name: "sandtable", version: "1.0.0" })
    const close = Effect.ignore(Effect.tryPromise(() => client.close()))
    yield* Effect.addFinalizer(() => Effect.zipRight(leave, LineProcess.atMost(close, grace)))
    yield* Effect.tryPromise({
      try: (signal) => client.connect(transport, { signal, timeout: seconds * 1000 }),
      catch: (error) => tell(error)
    })
    return session(mcp, client, tell)
  })

type Sdk = Effect.Effect.Success<typeof sdk>
/** A transport, what an error of it means in words, and how the server is told that the session is over. */
interface Line {
  readonly transport: Transport
  readonly leave: Effect.Effect<void>
  readonly tell: (error: unknown) => string
}

const session = ({ ErrorCode, McpError, ResultSchema }: Sdk, client: Client, tell: Line["tell"]): Session => ({
  list: Effect.gen(function* () {
    const tools: Array<Readonly<Record<string, unknown>>> = []
    let cursor: unknown
    for (let page = 0; page < mostPages; page++) {
      const params = cursor === undefined ? {} : { cursor: String(cursor) }
      const result = yield* Effect.tryPromise({
        try: (signal) => client.request({ method: "tools/list", params }, ResultSchema, { signal }),
        catch: tell
      })
      // Bounds of whole numbers, such as 2^63 - 1, are for checks to compare with.
      tools.push(...listOf(at(ExactJson.rounded(Digits.received(result)), "tools")).filter(isRecord))
      cursor = at(result, "nextCursor")
      if (cursor === undefined || cursor === null || cursor === "") break
    }
    return tools
  }),
  call: async (tool, args, signal) => {
    try {
      const params = { name: tool, arguments: { ...args } }
      const asked = client.request({ method: "tools/call", params }, ResultSchema, { signal, timeout: never })
      return valueOf(Digits.received(await asked))
    } catch (error) {
      if (signal.aborted) throw error
      // A server may use the same code for errors of its own.
      const closed = Number(ErrorCode.ConnectionClosed)
      if (!(error instanceof McpError) || (error.code === closed && error.message.endsWith("Connection closed")))
        return { status: "server_error", error: tell(error) }
      const { data } = error
      return { status: "error", error: tell(error), ...(data === undefined || data === null ? {} : { details: data }) }
    }
  }
})

/** What a result says: its structured content, its only text (read when it is JSON), or its blocks. */
const valueOf = (result: unknown): unknown => {
  const blocks = listOf(at(result, "content"))
  const structured = at(result, "structuredContent")
  const values = blocks.map(blockOf)
  const [only] = values
  if (at(result, "isError") === true) return failureOf(values, structured)
  if (structured !== undefined && structured !== null) return structured
  if (values.length !== 1) return values
  const read = typeof only === "string" ? parse(only) : undefined
  return typeof read === "object" && read !== null ? read : only
}

/** What a tool says of its failure: as it is where it says that it is one, else under `error`. */
const failureOf = (values: ReadonlyArray<unknown>, structured: unknown): unknown => {
  const words = values.flatMap(wordsIn).join("\n").replace(rpcPrefix, "").trim()
  const read = parse(words)
  const told = isRecord(structured) ? structured : isRecord(read) ? read : undefined
  if (told === undefined || Object.keys(told).length === 0) {
    if (words !== "") return { status: "error", error: words }
    return {
      status: "error",
      error: values.some((value) => value !== "") ? values : "The tool failed and did not say why."
    }
  }
  const failure = ResultStatus.of(told) === "ok" ? { status: "error", error: told } : told
  // Most servers write what is structured as text, too: once is enough.
  if (words === "" || isRecord(read)) return failure
  const free = ["message", "details"].find((name) => !Object.hasOwn(failure, name))
  return free === undefined ? { status: "error", error: told, message: words } : { ...failure, [free]: words }
}

/** The text of a block: its own, or that of what it embeds. */
const wordsIn = (value: unknown): ReadonlyArray<string> => {
  const text = typeof value === "string" ? value : at(value, "resource", "text")
  return typeof text === "string" && text.trim() !== "" ? [text] : []
}

/** A block as a value: words as text, and of pictures and sounds what they are, since an agent here reads text. */
const blockOf = (block: unknown): unknown => {
  if (!isRecord(block)) return block
  const { annotations: _annotations, _meta, ...own } = block
  if (own["type"] === "text") return String(own["text"] ?? "")
  if (typeof own["data"] === "string") return { ...own, data: `[${bytesOf(own["data"])} bytes]` }
  const resource = own["resource"]
  if (isRecord(resource) && typeof resource["blob"] === "string") {
    return { ...own, resource: { ...resource, blob: `[${bytesOf(resource["blob"])} bytes]` } }
  }
  return own
}

const bytesOf = (base64: string): number => Math.floor((base64.replace(/=+$/, "").length * 3) / 4)

/** JSON lines over a program: what the SDK does, in a process group that is gone with the scope. */
const overProgram = ({
  file,
  program
}: Extract<Place, { readonly _tag: "Program" }>): Effect.Effect<Line, string, Scope> =>
  Effect.gen(function* () {
    const process = yield* Effect.mapError(LineProcess.open(file, program), ({ how }) => `the server ${how}`)
    let over: string | null = null
    let reader: Fiber.RuntimeFiber<void> | null = null
    const transport: Transport = {
      start: async () => {
        reader = Effect.runFork(read)
      },
      send: (message) => Effect.runPromise(process.send(ExactJson.stringify(message))),
      close: async () => {
        if (reader !== null) await Effect.runPromise(Fiber.interrupt(reader))
        transport.onclose?.()
      }
    }
    const read = Effect.gen(function* () {
      while (true) {
        const message = parse(yield* process.next)
        // Servers print what is no message, too.
        if (isRecord(message)) transport.onmessage?.(message as Parameters<NonNullable<Transport["onmessage"]>>[0])
      }
    }).pipe(
      Effect.catchAll(({ how }) =>
        Effect.sync(() => {
          over = how
          transport.onclose?.()
        })
      )
    )
    const tell = (error: unknown): string => {
      const errors = ending(process.errors())
      if (over !== null) return `the server ${over}${errors === "" ? "" : `; its error output ends: ${errors}`}`
      return wordsOf(error)
    }
    return { transport, leave: process.finish(grace), tell }
  })

const overHttp = (
  { StreamableHTTPClientTransport }: Sdk,
  { headers, proxies, url }: Extract<Place, { readonly _tag: "Address" }>
): Effect.Effect<Line, string, Scope> =>
  Effect.gen(function* () {
    const plain = Object.entries(headers).map(
      ([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value] as const
    )
    const { make } = yield* Effect.promise(() => import("./fetching.ts"))
    const fetch = yield* Effect.acquireRelease(
      Effect.try({ try: () => make(Proxy.of(proxies, url.href)), catch: wordsOf }),
      ({ close }) => Effect.promise(close)
    )
    const requestInit = { headers: Object.fromEntries(plain) }
    const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch: Digits.through(fetch.fetch) })
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(Digits.toSend(message), options)
    // A server that does not answer to this is not waited for.
    const leave = LineProcess.atMost(Effect.ignore(Effect.tryPromise(() => transport.terminateSession())), grace)
    // The SDK's class has an undefined `sessionId` where its interface has none.
    return { transport: transport as Transport, leave, tell: wordsOf }
  })

/** The innermost words: fetch says no more than that it failed. */
const wordsOf = (error: unknown): string => {
  const inner = at(error instanceof Error ? { cause: error.cause } : {}, "cause") ?? error
  return excerpt(ErrorText.of(inner).replace(rpcPrefix, ""), 500)
}

/** A number that says nothing to an agent. */
const rpcPrefix = /^MCP error -?\d+: /
