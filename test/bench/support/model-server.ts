/**
 * A model behind chat completions, in a process of its own: it takes a fixed time for every call, asks for a tool until it
 * has had enough answers, then says its line. Told to, it fails some calls, by their number. Run by `startServer`.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What the server is told when it starts. */
export interface Settings {
  /** Milliseconds from request to reply. */
  readonly latency: number
  /** Calls of a rollout: all but the last ask for a tool. */
  readonly calls: number
  /** Whether a tenth of the calls is told to come later, two in a hundred fail, and one in a hundred is cut off. */
  readonly storm: boolean
}

/** What it did since it was last asked. */
export interface Counts {
  readonly requests: number
  readonly completions: number
  readonly throttled: number
  readonly failed: number
  readonly cut: number
}

const { calls, latency, storm } = JSON.parse(process.argv[2] ?? "{}") as Settings
const none: Counts = { requests: 0, completions: 0, throttled: 0, failed: 0, cut: 0 }
let counts: { -readonly [K in keyof Counts]: number } = { ...none }
let numbered = 0

const answered = /"role":"tool"/g
const order = /A\d{4}/

const send = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(body)
}

const usage = { prompt_tokens: 400, completion_tokens: 20, total_tokens: 420 }

const message = (body: string, n: number): unknown =>
  (body.match(answered)?.length ?? 0) < calls - 1
    ? {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: `call_${n}`,
            type: "function",
            function: { name: "get_order", arguments: JSON.stringify({ order_id: order.exec(body)?.[0] ?? "A1001" }) }
          }
        ]
      }
    : { role: "assistant", content: "I looked at your order: it is on its way." }

const reply = (response: ServerResponse, body: string, n: number): void => {
  const said = message(body, n)
  const finish = "tool_calls" in (said as object) ? "tool_calls" : "stop"
  const streams = body.includes('"stream":true')
  const strike = storm ? n % 100 : -1
  if (strike >= 0 && strike % 10 === 3) {
    counts.throttled += 1
    return send(response, 429, '{"error":{"message":"slow down"}}', { "retry-after-ms": "200" })
  }
  if (strike === 17 || strike === 66) {
    counts.failed += 1
    return send(response, 500, '{"error":{"message":"oops"}}')
  }
  if (strike === 41) counts.cut += 1
  else counts.completions += 1
  if (!streams) {
    if (strike === 41) return void response.destroy()
    return send(
      response,
      200,
      JSON.stringify({ model: "m", choices: [{ index: 0, message: said, finish_reason: finish }], usage })
    )
  }
  const delta = said as { readonly tool_calls?: ReadonlyArray<object> }
  const first = {
    ...delta,
    ...(delta.tool_calls && { tool_calls: delta.tool_calls.map((call, index) => ({ index, ...call })) })
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(
    `data: ${JSON.stringify({ model: "m", choices: [{ index: 0, delta: first, finish_reason: null }] })}\n\n`
  )
  if (strike === 41) return void setImmediate(() => response.destroy())
  const end = { choices: [{ index: 0, delta: {}, finish_reason: finish }], usage }
  response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`)
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    send(response, 200, JSON.stringify(counts))
    counts = { ...none }
    return
  }
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    counts.requests += 1
    const n = numbered++
    const body = Buffer.concat(chunks).toString("latin1")
    if (latency === 0) reply(response, body, n)
    else setTimeout(reply, latency, response, body, n)
  })
})
server.keepAliveTimeout = 120_000
server.listen(0, "127.0.0.1", 8192, () => process.send?.((server.address() as AddressInfo).port))
process.on("disconnect", () => process.exit())
