/**
 * An agent behind an address: each turn is a POST of the thread so far, and the answer is a line or tool calls. Here the
 * agent is served by this program; yours runs wherever it runs.
 */
import { layerUndici } from "@sandtable/backends/node"
import * as HttpAgent from "@sandtable/backends/HttpAgent"
import { simulate } from "@sandtable/core/node"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import { pathToFileURL } from "node:url"

interface Turn {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

/** The agent itself: looks up the order it is asked for, and says what it found. */
const answer = ({ messages }: Turn): object => {
  const last = messages.at(-1)
  if (last?.role === "tool") return { text: `Your order: ${last.content}`, final: true }
  const order = /A\d{4}/.exec(last?.content ?? "")?.[0]
  if (order === undefined) return { text: "What is the number of your order?" }
  return {
    tool_calls: [{ id: order, function: { name: "get_order", arguments: JSON.stringify({ order_id: order }) } }]
  }
}

const server = createServer(async (request, response) => {
  let body = ""
  for await (const part of request) body += part
  response.setHeader("content-type", "application/json").end(JSON.stringify(answer(JSON.parse(body) as Turn)))
})

export const rehearse = async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  try {
    return await simulate({
      agent: HttpAgent.layer({ url: `http://127.0.0.1:${port}/chat`, name: "order-desk" }).pipe(
        Layer.provide(layerUndici)
      ),
      tools: [{ name: "get_order", description: "Look up an order", parameters: { order_id: { type: "string" } } }],
      ids: { order_id: ["A1001", "A1002", "A1003"] },
      simulator: false,
      userModel: false,
      budget: 20,
      grade: true
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const data = await rehearse()
  for (const row of data.rows.slice(0, 3)) console.log(`- ${row.prompt}\n  ${row.final_text}`)
  console.log(data.report().lost)
}
