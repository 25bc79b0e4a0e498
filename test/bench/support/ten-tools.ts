/**
 * Ten ordinary tools of a shop's help desk, without anything said about which records exist.
 */
import type { Tool } from "@sandtable/core/Tool"
import * as ToolKind from "../../../packages/core/src/task/ToolKind.ts"

const text = { type: "string" }

const tool = (name: string, description: string, properties: Readonly<Record<string, unknown>>): Tool => {
  const kind = ToolKind.classify(name, description)
  return {
    name,
    description,
    parameters: { type: "object", properties, required: Object.keys(properties) },
    kind,
    destructive: ToolKind.isDestructive(kind)
  }
}

export const tenTools: ReadonlyArray<Tool> = [
  tool("get_order", "Look up an order by its id.", { order_id: text }),
  tool("cancel_order", "Cancel an order that has not shipped yet.", { order_id: text, reason: text }),
  tool("refund_payment", "Refund a payment in full or in part.", { payment_id: text, amount: { type: "number" } }),
  tool("update_shipping_address", "Change the shipping address of an order.", {
    order_id: text,
    street: text,
    city: text,
    zip: text
  }),
  tool("track_shipment", "Track the current position of a shipment.", { tracking_number: text }),
  tool("search_products", "Search products by keyword and category.", { query: text, category: text }),
  tool("create_ticket", "Open a support ticket.", {
    subject: text,
    priority: { type: "string", enum: ["low", "normal", "high"] }
  }),
  tool("send_invoice", "Send the invoice of an order to an email address.", { order_id: text, email: text }),
  tool("book_appointment", "Book a repair appointment at a store.", { city: text, date: text, time: text }),
  tool("check_gift_card_balance", "Check the balance of a gift card.", { gift_card_id: text })
]
