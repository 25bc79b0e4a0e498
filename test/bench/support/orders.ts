/**
 * A small order desk: an agent that takes no time and makes three world calls.
 */
export const policy = `You are an order desk agent.
- Look an order up before you change it.
- Never cancel an order that has shipped.
- Ask for the order number when it is missing.`

const id = { type: "string", description: "The order number" }

export const tools = [
  {
    name: "get_order",
    description: "Look up an order",
    parameters: { type: "object", properties: { order_id: id }, required: ["order_id"] }
  },
  {
    name: "get_invoice",
    description: "Get the invoice of an order",
    parameters: { type: "object", properties: { order_id: id }, required: ["order_id"] }
  },
  {
    name: "track_shipment",
    description: "Track the shipment of an order",
    parameters: { type: "object", properties: { order_id: id }, required: ["order_id"] }
  },
  {
    name: "cancel_order",
    description: "Cancel an order",
    parameters: { type: "object", properties: { order_id: id }, required: ["order_id"] }
  },
  {
    name: "change_address",
    description: "Change the delivery address of an order",
    parameters: {
      type: "object",
      properties: { order_id: id, address: { type: "string" } },
      required: ["order_id", "address"]
    }
  }
]

export const ids = { order_id: Array.from({ length: 50 }, (_, i) => `A${1001 + i}`) }

export const agent = async (
  message: string,
  { world }: { readonly world: { readonly call: (tool: string, args?: unknown) => Promise<unknown> } }
): Promise<string> => {
  const order_id = /A\d{4}/.exec(message)?.[0] ?? "A1001"
  const order = await world.call("get_order", { order_id })
  await world.call("track_shipment", { order_id })
  await world.call("get_invoice", { order_id })
  return `I looked at order ${order_id}. ${JSON.stringify(order).slice(0, 200)}`
}
