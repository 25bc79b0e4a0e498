import { describe, expect, it } from "@effect/vitest"
import { begin, beginDeclared, define, playing, task, tools, type Loose } from "./worlds.ts"

const id = "#W2611340"
const order = { tool: "cancel_pending_order", argument: "order_id", id }
const inState = (worldState: string, entity: object = order, more: object = {}) =>
  playing(begin(task({ worldState, plan: { entity: entity as typeof order, ...more } })))
const cancel = { order_id: id, reason: "no longer needed" }

describe("World states", () => {
  it("exists: the record is there and the situation's tool works", () => {
    const world = inState("exists")
    expect(world.ok("get_order_details", { order_id: id })["status"]).toBe("pending")
    expect(world.ok("cancel_pending_order", cancel)["status"]).toBe("cancelled")
  })

  it("missing: neither a read nor a write nor a list finds it", () => {
    const world = inState("missing", order, { facts: { user_id: "james_li_5688" } })
    expect(world.call("get_order_details", { order_id: id }).status).toBe("not_found")
    expect(world.call("cancel_pending_order", cancel).status).toBe("not_found")
    expect(world.call("create_support_ticket", { subject: "x", order_id: id }).status).toBe("not_found")
    const orders = world.ok("list_user_orders", { user_id: "james_li_5688" })["orders"]
    expect(orders.some((one: Loose) => one.order_id === id)).toBe(false)
    expect(world.ok("get_user_details", { user_id: "james_li_5688" })["orders"]).not.toContain(id)
  })

  it("already acted on: reads show it, writes answer already_done", () => {
    const world = inState("already_acted_on")
    expect(world.ok("get_order_details", { order_id: id })["status"]).toBe("cancelled")
    expect(world.call("cancel_pending_order", cancel).status).toBe("already_done")
    expect(world.call("modify_pending_order_address", { order_id: id, street: "1 A St", city: "Denver" }).status).toBe(
      "already_done"
    )
    const other = inState("already_acted_on", { ...order, tool: "return_delivered_order_items" })
    expect(other.ok("get_order_details", { order_id: id })["status"]).toBe("returned")
  })

  it("already acted on by sending something of it: the record stays, and other writes work", () => {
    const booking = { booking_id: { type: "string" } }
    const desk = tools(
      define("get_booking", booking),
      define("refund_booking", booking),
      define("send_receipt", booking, { description: "Send the receipt of a booking by e-mail" })
    )
    const entity = { tool: "send_receipt", argument: "booking_id", id: "B2002" }
    const world = playing(begin(task({ worldState: "already_acted_on", plan: { entity } }), { tools: desk }))
    const args = { booking_id: "B2002" }
    expect(world.ok("get_booking", args)).toMatchObject({ booking_id: "B2002", receipt_status: "sent" })
    expect(world.ok("get_booking", args)["status"]).not.toBe("sent")
    expect(world.call("send_receipt", args)).toMatchObject({
      status: "already_done",
      result: { error: 'The receipt for the booking "B2002" was already sent.' }
    })
    expect(world.call("refund_booking", args).status).toBe("ok")
    expect(world.call("refund_booking", args).status).toBe("already_done")
  })

  it("duplicate: by the identifier there is one, by anything else there are two to choose from", () => {
    const user = { tool: "find_user_id_by_email", argument: "user_id", id: "james_li_5688" }
    const world = inState("duplicate", user, { facts: { email: "jim@example.org" } })
    const { users } = world.ok("find_user_id_by_email", { email: "jim@example.org" })
    expect(users.length).toBe(2)
    expect(users[0].user_id).toBe("james_li_5688")
    expect(users[1].user_id).not.toBe("james_li_5688")
    expect(users.map((one: Loose) => one.email)).toEqual(["jim@example.org", "jim@example.org"])
    for (const one of users) expect(world.ok("get_user_details", { user_id: one.user_id })).toMatchObject(one)
    const unsure = inState("duplicate", user)
    const read = unsure.ok("get_user_details", { user_id: "james_li_5688" })
    expect(unsure.ok("find_user_id_by_email", { email: "who@example.org" })["users"].length).toBe(2)
    expect(unsure.ok("get_user_details", { user_id: "james_li_5688" })).toEqual(read)
    const plain = inState("exists", user, { facts: { email: "jim@example.org" } })
    expect(plain.ok("find_user_id_by_email", { email: "jim@example.org" })).toEqual({
      user_id: "james_li_5688",
      email: "jim@example.org"
    })
  })

  it("duplicate: a list searched by anything shows the two, and a write that names neither is refused", () => {
    const contacts = tools(
      define("search_contacts", { query: { type: "string" } }),
      define("update_contact", { name: { type: "string" }, phone: { type: "string" } }),
      define("get_contact", { contact_id: { type: "string" } })
    )
    const entity = { tool: "get_contact", argument: "contact_id", id: "C-100" }
    const world = playing(begin(task({ worldState: "duplicate", plan: { entity } }), { tools: contacts }))
    const found = world.ok("search_contacts", { query: "Ann Lee" })["contacts"]
    expect(found.length).toBe(2)
    expect(found[0].contact_id).toBe("C-100")
    const write = world.call("update_contact", { name: "Ann Lee", phone: "+1-555-0100" })
    expect(write.status).toBe("error")
    expect((write.result as { error: string }).error).toContain('2 contacts match: "C-100" and ')
  })

  it("duplicate: a result that can show one record only refuses and names both", async () => {
    const declared = tools(
      define(
        "find_account",
        { email: { type: "string" } },
        {
          outputSchema: {
            type: "object",
            properties: { account_id: { type: "string" }, email: { type: "string" } },
            required: ["account_id"]
          }
        }
      ),
      define("get_account", { account_id: { type: "string" } })
    )
    const of = task({
      worldState: "duplicate",
      plan: { entity: { tool: "find_account", argument: "email", id: "a.b@example.org" } }
    })
    const answer = playing(await beginDeclared(of, { tools: declared })).call("find_account", {
      email: "a.b@example.org"
    })
    expect(answer.status).toBe("error")
    expect((answer.result as { error: string }).error).toMatch(/2 accounts match: ".+" and ".+". Give the account_id/)
  })

  it("partially completed: reads show the first part done; that part is already_done, the rest can be done", () => {
    const whole = inState("partially_completed")
    const shown = whole.ok("get_order_details", { order_id: id })
    const { completed, remaining } = shown["progress"]
    expect(remaining).toEqual(["cancel_pending_order"])
    expect(completed).toEqual(["modify_pending_order_address"])
    expect(whole.call(completed[0], { order_id: id, street: "1 A St", city: "Denver" }).status).toBe("already_done")
    const done = whole.ok("cancel_pending_order", cancel)
    expect(done["progress"]).toEqual({ completed: [...completed, "cancel_pending_order"], remaining: [] })
  })

  it("partially completed: of things picked from a list, the first is done", () => {
    for (let seed = 0; seed < 40; seed++) {
      const world = inState(
        "partially_completed",
        { ...order, tool: "return_delivered_order_items" },
        { world_seed: seed }
      )
      const { items } = world.ok("get_order_details", { order_id: id })
      expect(items[0].status).toBe("returned")
      const first = world.call("return_delivered_order_items", { order_id: id, item_ids: [items[0].item_id] })
      expect(first.status).toBe("already_done")
      if (items.length < 2) continue
      expect(world.call("return_delivered_order_items", { order_id: id, item_ids: [items[1].item_id] }).status).toBe(
        "ok"
      )
      return
    }
    expect.unreachable("no order of several items in forty worlds")
  })

  it("unknown: each world is one of the others, and only a read tells which", () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 80; seed++) {
      const state = () => {
        const world = inState("unknown", order, { world_seed: seed })
        const read = world.call("get_order_details", { order_id: id })
        return read.status === "ok"
          ? (read.result as Loose).progress === undefined
            ? (read.result as Loose).status
            : "partial"
          : read.status
      }
      expect(state()).toBe(state())
      seen.add(state())
    }
    expect([...seen].sort()).toEqual(["cancelled", "not_found", "partial", "pending"])
  })

  it("speaks of a record that is located by something else than an identifier", () => {
    const files = tools(
      define("read_file", { path: { type: "string" } }),
      define("delete_file", { path: { type: "string" } })
    )
    const entity = { tool: "delete_file", argument: "path", id: "/notes/plan.md" }
    const of = (worldState: string) => playing(begin(task({ worldState, plan: { entity } }), { tools: files }))
    expect(of("exists").ok("read_file", { path: "/notes/plan.md" })["path"]).toBe("/notes/plan.md")
    expect(of("missing").call("read_file", { path: "/notes/plan.md" }).status).toBe("not_found")
    expect(of("missing").call("read_file", { path: "/notes/other.md" }).status).toBe("ok")
    expect(of("already_acted_on").call("delete_file", { path: "/notes/plan.md" }).status).toBe("already_done")
    const gone = of("exists")
    expect(gone.ok("delete_file", { path: "/notes/plan.md" })).toEqual({ path: "/notes/plan.md", status: "deleted" })
    expect(gone.call("read_file", { path: "/notes/plan.md" }).status).toBe("not_found")
  })

  it("without an entity, speaks of the record that the ask names, and of nothing without that", () => {
    const of = (prompt: string) =>
      playing(begin(task({ prompt, worldState: "missing", dimensions: { tool: "get_order_details" } })))
    expect(of(`Where is ${id}?`).call("get_order_details", { order_id: id }).status).toBe("not_found")
    const world = of("Where is my order?")
    expect(
      Array.from({ length: 20 }, (_, i) => world.call("get_order_details", { order_id: `#W${1000001 + i * 7}` }).status)
    ).toContain("ok")
  })
})
