/**
 * Models for all roles of a run, told apart by their names: `agent-m` looks things up and answers, `writer-m` writes what
 * people ask, `user-m` answers the agent, `judge-m` is content.
 */
import type { Received, Reply, Said } from "../backends/FakeServer.ts"

interface Message {
  readonly role?: string
  readonly content?: unknown
}

export const tools = [
  {
    name: "get_order",
    description: "Look up the state of an order",
    parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
  },
  {
    name: "cancel_order",
    description: "Cancel an order that was not sent yet",
    parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
  }
]
export const ids = { order_id: ["A1001", "A1002", "A1003"] }
export const systemPrompt = "You are an order desk agent. Orders that were sent can no longer be cancelled."

/** Tokens of every reply of a role. */
export const spends = {
  "agent-m": { input: 100, output: 10, cached: 40 },
  "writer-m": { input: 1000, output: 100 },
  "user-m": { input: 50, output: 5 },
  "judge-m": { input: 200, output: 20, reasoning: 8 }
} as const

export const script = (request: Received): Reply => {
  const model = String(request.body["model"])
  const usage = Object.hasOwn(spends, model) ? spends[model as keyof typeof spends] : { input: 1, output: 1 }
  return { ...said(model, threadOf(request.body)), usage }
}

/** The thread of a request, whatever its protocol. */
const threadOf = (body: Received["body"]): ReadonlyArray<Message> => {
  const thread = body["messages"] ?? body["input"]
  return Array.isArray(thread) ? (thread as ReadonlyArray<Message>) : []
}

const said = (model: string, thread: ReadonlyArray<Message>): Said => {
  const text = textOf(thread.at(-1))
  switch (model) {
    case "writer-m":
      return { text: written(text) }
    case "user-m":
      return { text: "I see. Then that is all. [[DONE]]" }
    case "judge-m":
      return { text: '{"reason": "It answered what was asked.", "score": 1}' }
    default:
      return answered(thread, text)
  }
}

const answered = (thread: ReadonlyArray<Message>, text: string): Said => {
  if (isResult(thread.at(-1))) return { text: "I looked it up for you. Is there anything you would like me to change?" }
  const order = /\b(?:ORD-|A)\d{4,5}\b/.exec(text)?.[0]
  return order === undefined
    ? { text: "Which order is it?" }
    : { calls: [{ name: "get_order", arguments: { order_id: order } }] }
}

const isResult = (message: Message | undefined): boolean =>
  message?.role === "tool" || JSON.stringify(message?.content ?? "").includes('"tool_result"')

const textOf = (message: Message | undefined): string => {
  const content = message?.content
  if (typeof content === "string") return content
  return Array.isArray(content)
    ? content.map((part: { readonly text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("\n")
    : ""
}

let asked = 0

const brief =
  "People who ordered something and wait for it. They write from a phone, in plain English, and seldom know a number by heart."

/** A message for each card; results and tools where they are asked for; else some prose. */
const written = (text: string): string => {
  const cards = [...text.matchAll(/^Card (msg-\d+)\n([^]*?)(?=\n\nCard msg-|$(?![^]))/gm)]
  if (text.includes('Answer as {"results"')) {
    const examples = ['{"state": "sent", "carrier": "Nordpost"}', '{"state": "packed", "carrier": "Nordpost"}']
    return JSON.stringify({ results: tools.map(({ name }) => ({ tool: name, examples })) })
  }
  if (text.includes('Answer as {"tools"')) {
    const order_id = { name: "order_id", type: "string", description: "The order's number", required: true }
    return JSON.stringify({
      tools: tools.map(({ description, name }) => ({ name, description, parameters: [order_id] }))
    })
  }
  if (cards.length === 0) return brief
  const messages = cards.map(([, id = "", card = ""]) => {
    const order = /(?:written here|as written): (?:order id )?([A-Z0-9-]{4,})/.exec(card)?.[1] ?? ""
    asked += 1
    const message = `Hello, this is caller ${asked}, where does ${order} stand by now, ${words(asked)}?`
    return { id, message, need: "to know" }
  })
  return JSON.stringify({ messages })
}

const words = (n: number): string => [...String(n * 7919)].map((digit) => vocabulary[Number(digit)] ?? "").join(" ")
const vocabulary = ["apples", "birches", "candles", "doors", "elbows", "forks", "gloves", "hats", "inks", "jars"]
