/**
 * An order desk by rules: it reads an order number out of the message, looks the order up, and does what was asked.
 * Most of the time it is right. Where it is not, a rehearsal shows it: see how it treats an answer it did not expect.
 */
import { defineAgent } from "@sandtable/cli"
import type { AgentContext } from "@sandtable/core/Agent"

const order = { order_id: { type: "string", description: "An order number" } }
const tool = (name: string, description: string, properties: Record<string, object>) => ({
  name,
  description,
  parameters: { type: "object", properties, required: Object.keys(properties) }
})

const tools = [
  tool("get_order", "Look up an order: its status, items and total", order),
  tool("track_shipment", "See where the parcel of an order is", order),
  tool("cancel_order", "Cancel an order that has not shipped", { ...order, reason: { type: "string" } }),
  tool("refund_order", "Refund an order to the card it was paid with", order),
  tool("update_address", "Change where an order is delivered", { ...order, address: { type: "string" } }),
  tool("escalate_to_human", "Hand the conversation to a colleague", { summary: { type: "string" } })
]

const systemPrompt = `You answer for the order desk of a shop.
- Look an order up before you change anything about it.
- Ask for the order number when it is missing.
- Never say that something was done unless the tool confirmed it.
- Refund an order only once.
- Hand over to a colleague when the customer asks for something you have no tool for.`

const agent = async (message: string, { world }: AgentContext): Promise<string> => {
  const order_id = /\b[A-Z]\d{4}\b/.exec(message)?.[0]
  const wants = (...words: ReadonlyArray<string>) => words.some((word) => message.toLowerCase().includes(word))

  if (order_id === undefined) {
    if (wants("order", "parcel", "package", "refund", "cancel", "address")) {
      return "Could you tell me the order number, please?"
    }
    await world.call("escalate_to_human", { summary: message })
    return "That is beyond what I can do here. A colleague will get back to you."
  }

  const found = await world.call("get_order", { order_id })
  if (failed(found)) return `I could not look up order ${order_id} right now. Please try again a little later.`

  if (wants("refund", "money back")) {
    await world.call("refund_order", { order_id })
    return `I have refunded order ${order_id}. The money is on its way to your card.`
  }
  if (wants("cancel")) {
    const cancelled = await world.call("cancel_order", { order_id, reason: "The customer asked for it" })
    return failed(cancelled)
      ? `I could not cancel order ${order_id}: ${cancelled.error}.`
      : `Order ${order_id} is cancelled.`
  }
  if (wants("address", "deliver")) return `What is the new address for order ${order_id}?`

  const parcel = await world.call("track_shipment", { order_id })
  if (failed(parcel)) return `Order ${order_id} is in our system, but I cannot see where the parcel is at the moment.`
  return `Here is what I see for order ${order_id}: ${JSON.stringify(parcel)}.`
}

/** A failure of a tool comes back as `{ status, error }`. */
const failed = (answer: unknown): answer is { readonly status: string; readonly error: string } =>
  typeof answer === "object" && answer !== null && "error" in answer

export default defineAgent({
  agent,
  tools,
  systemPrompt,
  ids: { order_id: ["A1001", "A1002", "A1003", "A1004", "A1005", "A1006"] }
})
