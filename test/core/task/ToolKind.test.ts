import { describe, expect, it } from "@effect/vitest"
import * as ToolKind from "../../../packages/core/src/task/ToolKind.ts"

describe("ToolKind.classify", () => {
  it.each<[string, string, ToolKind.ToolKind]>([
    ["find_user_id_by_email", "Find user id by email.", "read"],
    ["get_order_details", "Get details, also of a cancelled order, to cancel it later.", "read"],
    ["list_all_product_types", "List the name and product id of all product types.", "read"],
    ["lookup_user", "", "read"],
    ["check_stock", "", "read"],
    ["query_orders", "", "read"],
    ["browse_catalog", "", "read"],
    ["search", "", "read"],
    ["think", "Use the tool to think about something.", "read"],
    ["order_status", "", "read"],
    ["order_status", "Retrieve the status of an order.", "read"],
    ["sports.match_schedule", "Retrieve the match schedule for a team.", "read"],
    ["lowest_price", "Returns the lowest price for a product.", "read"],
    ["latest_exchange_rate", "Retrieve the latest exchange rate.", "read"],
    ["book.find", "Find a book in a library.", "read"],
    ["mcp__shop__list_files", "", "read"],
    ["GetPrimeMinisters", "", "read"],
    ["calculate", "Calculate the result of a mathematical expression.", "compute"],
    ["currency_exchange.convert", "Convert an amount from a base currency.", "compute"],
    ["math.hypot", "Calculate the Euclidean norm.", "compute"],
    ["sort_list", "Sort the elements of a list.", "compute"],
    ["cancel_pending_order", "Cancel a pending order. The payment will be refunded.", "delete"],
    ["cancelOrder", "", "delete"],
    ["user_delete_account", "", "delete"],
    ["modify_pending_order_address", "Modify the shipping address.", "update"],
    ["exchange_delivered_order_items", "Exchange items in a delivered order.", "update"],
    ["return_delivered_order_items", "Return some items of a delivered order.", "update"],
    ["set_status", "", "update"],
    ["transfer_to_human_agents", "Transfer the user to a human agent.", "send"],
    ["send_email", "Send an email.", "send"],
    ["email_customer", "", "send"],
    ["transfer_money", "", "pay"],
    ["issue_refund", "", "pay"],
    ["charge_card", "", "pay"],
    ["book_flight", "Books a flight.", "create"],
    ["hotel_booking", "Books a hotel room.", "create"],
    ["place_order", "", "create"],
    ["frobnicate", "", "other"],
    ["constructor", "", "other"],
    ["toString", "", "other"]
  ])("%s (%s) is %s", (name, description, kind) => {
    expect(ToolKind.classify(name, description)).toBe(kind)
  })

  it("takes what it cannot tell for a write", () => {
    expect(ToolKind.writes("other")).toBe(true)
    expect(ToolKind.toolKinds.filter((kind) => !ToolKind.writes(kind))).toEqual(["read", "compute"])
    expect(ToolKind.toolKinds.filter(ToolKind.isDestructive)).toEqual(["delete", "send", "pay"])
  })
})
