/**
 * An order desk by rules: it reads an order number out of the message, looks the order up, and does what was asked.
 * Most of the time it is right. Where it is not, a rehearsal shows it: see what it makes of an answer it did not expect.
 */
import { defineAgent } from "@sandtable/cli"
import type { AgentContext } from "@sandtable/core/Agent"

const systemPrompt = `You answer for the order desk of a shop.
- Look an order up before you change anything about it.
- Ask for the order number when it is missing.
- Never say that something was done unless the tool confirmed it.
- Refund an order only once.
- Hand over to a colleague when the customer asks for something you have no tool for.`

const order = { order_id: { type: "string", description: "The order number" } }
const tool = (name: string, description: string, properties: Record<string, object>) => ({
  name,
  description,
  parameters: { type: "object", properties, required: Object.keys(properties) }
})

const tools = [
  tool("get_order", "Look up an order", order),
  tool("track_shipment", "Track the shipment of an order", order),
  tool("cancel_order", "Cancel an order that has not shipped", { ...order, reason: { type: "string" } }),
  tool("refund_order", "Refund an order", order),
  tool("update_address", "Change the delivery address of an order", { ...order, address: { type: "string" } }),
  tool("escalate_to_human", "Escalate a case to a human colleague", { summary: { type: "string" } })
]

const agent = async (message: string, { world }: AgentContext): Promise<string> => {
  const asks = (words: RegExp): boolean => words.test(message)
  // A tool that does not answer in time is asked again, twice at most.
  const call = async (name: string, args: object, again = 2): Promise<Answer> => {
    const answer = (await world.call(name, args)) as Answer
    return answer.status === "timeout" && again > 0 ? call(name, args, again - 1) : answer
  }

  const order_id = /\bA\d{4}\b/.exec(message)?.[0]
  if (order_id === undefined) {
    if (asks(/order|shipment|parcel|address/i)) return "Could you tell me the order number, please?"
    await call("escalate_to_human", { summary: message })
    return "I cannot help with that here, so I have passed it on to a colleague."
  }

  const found = await call("get_order", { order_id })
  if (found.error !== undefined) return `I could not look up order ${order_id}: ${found.error}`

  if (asks(/refund|pay back|money back/i)) {
    await call("refund_order", { order_id })
    return `I have refunded order ${order_id}. The money will be with you in a few days.`
  }
  if (asks(/cancel|call(ing)? off/i)) {
    const cancelled = await call("cancel_order", { order_id, reason: "Asked for by the customer" })
    if (cancelled.error !== undefined) return `I could not cancel order ${order_id}: ${cancelled.error}`
    return `Order ${order_id} is cancelled.`
  }
  const address = /address(?: is)?:? ([^.]+\d{5})/i.exec(message)?.[1]
  if (address !== undefined) {
    const updated = await call("update_address", { order_id, address })
    if (updated.error !== undefined) return `I could not change the address: ${updated.error}`
    return `Order ${order_id} now goes to ${address}.`
  }
  if (asks(/shipment|parcel|deliver/i)) {
    const parcel = await call("track_shipment", { order_id })
    if (parcel.error !== undefined) return "I cannot see where the parcel is right now. Please try again later."
    return `The parcel of order ${order_id} is ${parcel.status}.`
  }
  return `Order ${order_id} is ${found.status}.`
}

/** What a tool answers: a record, or `{ status, error }` when it failed. */
interface Answer {
  readonly status?: string
  readonly error?: string
}

export default defineAgent({
  agent,
  tools,
  systemPrompt,
  ids: { order_id: ["A1001", "A1002", "A1003", "A1004", "A1005", "A1006"] }
})
