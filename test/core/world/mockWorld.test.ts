import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as ExactJson from "@sandtable/core/ExactJson"
import * as MockWorld from "@sandtable/core/MockWorld"
import { begin, define, input, key, playing, shop, task, tools, type Call, type Loose } from "./worlds.ts"

const about = (id: string) => task({ plan: { entity: { tool: "cancel_pending_order", argument: "order_id", id } } })

describe("MockWorld", () => {
  describe("as a store of records", () => {
    it("shows what was created, changed and deleted to every later read of the rollout", () => {
      const world = playing(begin(about("#W2611340")))
      const made = world.ok("create_support_ticket", { subject: "Late parcel", order_id: "#W2611340", priority: "low" })
      const id = made["support_ticket_id"]
      expect(made).toMatchObject({ subject: "Late parcel", order_id: "#W2611340", priority: "low", status: "open" })
      expect(world.ok("get_support_ticket", { support_ticket_id: id })).toEqual(made)

      world.ok("update_support_ticket", { support_ticket_id: id, priority: "high" })
      expect(world.ok("get_support_ticket", { support_ticket_id: id })).toEqual({ ...made, priority: "high" })
      const listed = world.ok("list_support_tickets")["support_tickets"]
      expect(listed.filter((one: Loose) => one.support_ticket_id === id)).toMatchObject([{ priority: "high" }])

      expect(world.ok("delete_support_ticket", { support_ticket_id: id })).toEqual({
        support_ticket_id: id,
        status: "deleted"
      })
      expect(world.call("get_support_ticket", { support_ticket_id: id }).status).toBe("not_found")
      expect(world.call("delete_support_ticket", { support_ticket_id: id }).status).toBe("already_done")
      const left = world.ok("list_support_tickets")["support_tickets"]
      expect(left.some((one: Loose) => one.support_ticket_id === id)).toBe(false)
    })

    it("knows a long number by all of its digits", () => {
      const orders = tools(
        define("get_order", { order_id: { type: "integer" } }),
        define("cancel_order", { order_id: { type: "integer" } }),
        define("create_refund", { order_id: { type: "integer" } })
      )
      const [long, near] = ["1152921504606846977", "1152921504606846976"]
      const world = playing(begin(task(), { tools: orders, declared: { order_id: [long, near] } }))
      const of = (id: string) => ({ order_id: ExactJson.parse(id) })
      expect(world.ok("cancel_order", of(long))).toMatchObject({ status: "cancelled" })
      expect(world.call("cancel_order", of(long)).status).toBe("already_done")
      expect(world.ok("get_order", of(near))["status"]).not.toBe("cancelled")
      expect(ExactJson.stringify(world.ok("create_refund", of(long)))).toContain(long)
      expect(world.call("get_order", of("1152921504606846975")).status).toBe("not_found")
    })

    it("cancels once; the second time is already done, and the order keeps its record", () => {
      const world = playing(begin(about("#W2611340")))
      const before = world.ok("get_order_details", { order_id: "#W2611340" })
      expect(before["status"]).toBe("pending")
      const args = { order_id: "#W2611340", reason: "no longer needed" }
      expect(world.ok("cancel_pending_order", args)).toMatchObject({
        order_id: "#W2611340",
        status: "cancelled",
        total: before["total"]
      })
      expect(world.ok("get_order_details", { order_id: "#W2611340" })["status"]).toBe("cancelled")
      const again = world.call("cancel_pending_order", args)
      expect(again).toMatchObject({ status: "already_done", result: { status: "already_done" } })
    })

    it("refuses a write that the record's state forbids", () => {
      const world = playing(begin(about("#W2611340")))
      world.ok("cancel_pending_order", { order_id: "#W2611340", reason: "no longer needed" })
      const late = world.call("modify_pending_order_address", {
        order_id: "#W2611340",
        street: "1 A St",
        city: "Denver"
      })
      expect(late.status).toBe("error")
      expect(late.result).toMatchObject({ error: expect.stringContaining("is cancelled") })
    })

    it("puts a changed city into the address it is a part of", () => {
      const world = playing(begin(about("#W2611340")))
      const before = world.ok("get_order_details", { order_id: "#W2611340" })
      world.ok("modify_pending_order_address", { order_id: "#W2611340", street: "1 A St", city: "Denver" })
      const after = world.ok("get_order_details", { order_id: "#W2611340" })
      expect(after["address"]).toEqual({ ...before["address"], street: "1 A St", city: "Denver" })
    })

    it("replaces items only by items that exist and only those in the order, at the price of their own record", () => {
      const world = playing(begin(about("#W2611340")))
      const order = world.ok("get_order_details", { order_id: "#W2611340" })
      const product = world.ok("get_product", { product_id: order["items"][0].product_id })
      expect(product["name"]).toBe(order["items"][0].name)
      const held = order["items"][0].item_id
      const other = product["variants"].find(
        (one: Loose) => !order["items"].some((line: Loose) => line.item_id === one.item_id)
      )
      expect(product["variants"].find((one: Loose) => one.item_id === held).price).toBe(order["items"][0].price)
      const wrong = world.call("modify_pending_order_items", {
        order_id: "#W2611340",
        item_ids: [other.item_id],
        new_item_ids: [held]
      })
      expect(wrong.status).toBe("error")
      const changed = world.ok("modify_pending_order_items", {
        order_id: "#W2611340",
        item_ids: [held],
        new_item_ids: [other.item_id]
      })
      expect(changed["items"][0]).toMatchObject({ item_id: other.item_id, price: other.price })
    })

    it("lists the writes it accepted, in order, and the state it ended in", () => {
      const world = playing(begin(about("#W2611340")))
      world.call("cancel_pending_order", { order_id: "#w2611340", reason: "no longer needed" })
      world.ok("cancel_pending_order", { order_id: "#W2611340", reason: "no longer needed" })
      world.call("cancel_pending_order", { order_id: "#W2611340", reason: "no longer needed" })
      expect(MockWorld.writes(world.now())).toEqual([
        {
          tool: "cancel_pending_order",
          arguments: { order_id: "#W2611340", reason: "no longer needed" },
          entity: "order",
          id: "#W2611340"
        }
      ])
      expect(MockWorld.toJson(world.now())).toMatchObject({ order: { "#W2611340": { status: "cancelled" } } })
    })
  })

  describe("which records exist", () => {
    const exists = (state: MockWorld.State, id: string) =>
      playing(state).call("get_order_details", { order_id: id }).status === "ok"

    it("holds every declared identifier", () => {
      const ids = Array.from({ length: 40 }, (_, i) => `#W${9_000_000 + i * 7}`)
      const state = begin(task(), { declared: { order_id: ids } })
      expect(ids.every((id) => exists(state, id))).toBe(true)
      const known = begin(task(), { ids: new Set(ids) })
      expect(ids.every((id) => exists(known, id))).toBe(true)
    })

    it("holds about seven in ten of the others, the same ones in every rollout and for every tool", () => {
      const ids = Array.from({ length: 2000 }, (_, i) => `#W${1_000_000 + i * 313}`)
      const of = about("#W2611340")
      const [first, second] = [begin(of), begin(of)]
      const found = ids.filter((id) => exists(first, id))
      expect(found.length / ids.length).toBeGreaterThan(0.66)
      expect(found.length / ids.length).toBeLessThan(0.74)
      expect(ids.toReversed().filter((id) => exists(second, id)).length).toBe(found.length)
      const tool = playing(second)
      for (const id of ids.slice(0, 200)) {
        const written = tool.call("create_support_ticket", { subject: "x", order_id: id }).status === "ok"
        expect(written).toBe(found.includes(id))
      }
    })

    it("draws once for an identifier, whatever a tool takes it for", () => {
      const two = tools(
        define("get_parcel", { parcel_id: { type: "string" } }),
        define("get_claim", { claim_id: { type: "string" } })
      )
      const world = playing(begin(task(), { tools: two }))
      for (let i = 0; i < 60; i++) {
        const id = `Q-${7000 + i}`
        expect(world.call("get_parcel", { parcel_id: id }).status).toBe(
          world.call("get_claim", { claim_id: id }).status
        )
      }
    })

    it("holds what the ask itself names, and not what only looks like it", () => {
      const of = task({ prompt: "Where is my order #W5556667? And #W1000001, #W1000314, #W1000627, #W1000940?" })
      const state = begin(of)
      expect(["#W1000001", "#W1000314", "#W1000627", "#W1000940"].every((id) => exists(state, id))).toBe(true)
      expect(exists(state, "#W5556667")).toBe(true)
      expect(exists(state, "W5556667")).toBe(false)
      expect(exists(state, "#w5556667")).toBe(false)
    })

    it("never lends an identifier that one rollout made to another", () => {
      const of = about("#W2611340")
      for (let seed = 0; seed < 60; seed++) {
        const here = { ...of, plan: { ...of.plan, world_seed: seed } }
        const [a, b] = [playing(begin(here)), playing(begin(here))]
        const made = a.ok("create_support_ticket", { subject: "Mine", order_id: "#W2611340" })
        expect(b.call("get_support_ticket", { support_ticket_id: made["support_ticket_id"] }).status).toBe("not_found")
      }
    })
  })

  describe("one record, whoever asks", () => {
    it("gives the same record for an identifier in every call, order of calls and rollout", () => {
      const of = task({ plan: { facts: { user_id: "james_li_5688" } } })
      const [a, b] = [playing(begin(of)), playing(begin(of))]
      const user = a.ok("get_user_details", { user_id: "james_li_5688" })
      const orders: ReadonlyArray<string> = user["orders"]
      const forward = orders.map((id) => a.ok("get_order_details", { order_id: id }))
      const backward = orders.toReversed().map((id) => b.ok("get_order_details", { order_id: id }))
      expect(backward.toReversed()).toEqual(forward)
      expect(b.ok("get_user_details", { user_id: "james_li_5688" })).toEqual(user)
      expect(forward.every((order) => order["user_id"] === "james_li_5688")).toBe(true)
      expect(user["name"]).toBe("James Li")
    })

    it("gives other worlds other records", () => {
      const at = (seed: number) =>
        playing(begin(task({ prompt: "order #W2611340", plan: { world_seed: seed } }))).ok("get_order_details", {
          order_id: "#W2611340"
        })
      expect(at(1)).toEqual(at(1))
      expect(at(1)).not.toEqual(at(2))
    })

    it("shows in a list what a read shows", () => {
      const world = playing(begin(task({ plan: { facts: { user_id: "james_li_5688" } } })))
      const listed: ReadonlyArray<Loose> = world.ok("list_user_orders", { user_id: "james_li_5688" })["orders"]
      for (const hit of listed) expect(world.ok("get_order_details", { order_id: hit.order_id })).toMatchObject(hit)
      const products: ReadonlyArray<Loose> = world.ok("search_products", { query: "trail shoes" })["products"]
      expect(products.length).toBeGreaterThan(0)
      for (const hit of products) {
        expect(hit.name.toLowerCase()).toContain("trail shoes")
        expect(world.ok("get_product", { product_id: hit.product_id })).toMatchObject(hit)
      }
      expect(world.ok("search_products", { query: "trail shoes" })["products"]).toEqual(products)
    })

    it("finds a person again by what it said of them", () => {
      const world = playing(begin(task({ plan: { facts: { user_id: "james_li_5688", email: "jim@example.org" } } })))
      const found = world.ok("find_user_id_by_email", { email: "jim@example.org" })
      expect(found).toEqual({ user_id: "james_li_5688", email: "jim@example.org" })
      expect(world.ok("get_user_details", { user_id: "james_li_5688" })["email"]).toBe("jim@example.org")
      const others = Array.from({ length: 40 }, (_, i) => `ann.lee${i}@example.org`)
      const met = others.map((email) => [email, world.call("find_user_id_by_email", { email })] as const)
      const known = met.filter(([, answer]) => answer.status === "ok")
      expect(known.length).toBeGreaterThan(15)
      expect(known.length).toBeLessThan(40)
      for (const [email, answer] of known) {
        const { user_id } = answer.result as { user_id: string }
        expect(world.ok("get_user_details", { user_id })["email"]).toBe(email)
      }
    })

    it("filters by what is so", () => {
      const world = playing(begin(task({ plan: { facts: { user_id: "james_li_5688" } } })))
      const all: ReadonlyArray<Loose> = world.ok("list_user_orders", { user_id: "james_li_5688" })["orders"]
      for (const status of ["pending", "delivered", "lost"]) {
        const some = world.ok("list_user_orders", { user_id: "james_li_5688", status })["orders"]
        expect(some).toEqual(all.filter((one) => one.status === status))
      }
      expect(world.ok("list_user_orders", { user_id: "james_li_5688", limit: 1 })["orders"]).toEqual(all.slice(0, 1))
    })

    it("does not take a claim for a fact", () => {
      const claims = tools(
        define(
          "get_order",
          { order_id: { type: "string" } },
          {},
          { total: { type: "number" }, status: { type: "string" } }
        ),
        define("refund_order", { order_id: { type: "string" }, amount: { type: "number" } })
      )
      const world = playing(begin(task({ prompt: "order A1001" }), { tools: claims }))
      const plain = world.ok("get_order", { order_id: "A1001" })
      expect(world.ok("get_order", { order_id: "A1001", total: 1, status: "refunded" })).toEqual(plain)
      const greedy = world.call("refund_order", { order_id: "A1001", amount: plain["total"] + 1 })
      expect(greedy.status).toBe("error")
      const refunded = world.ok("refund_order", { order_id: "A1001", amount: 1 })
      expect(refunded).toMatchObject({ status: "refunded", refunded_amount: 1, total: plain["total"] })
      expect(world.call("refund_order", { order_id: "A1001", amount: plain["total"] }).status).toBe("already_done")
    })
  })

  it("moves money between the accounts a transfer names, and only money that is there", () => {
    const id = { type: "string" }
    const bank = tools(
      define("get_account", { account_id: id }),
      define("transfer_funds", { from_account_id: id, to_account_id: id, amount: { type: "number" } })
    )
    const world = playing(begin(task({ prompt: "ACC-1001 ACC-1002" }), { tools: bank }))
    const balance = (account_id: string): number => world.ok("get_account", { account_id })["balance"]
    const [from, to] = [balance("ACC-1001"), balance("ACC-1002")]
    const pay = (amount: number) =>
      world.call("transfer_funds", { from_account_id: "ACC-1001", to_account_id: "ACC-1002", amount })
    expect(pay(from + 1).status).toBe("error")
    expect(pay(12.5).status).toBe("ok")
    expect([balance("ACC-1001"), balance("ACC-1002")]).toEqual([
      Math.round((from - 12.5) * 100) / 100,
      Math.round((to + 12.5) * 100) / 100
    ])
  })

  it("puts things into a cart and takes them out", () => {
    const id = { type: "string" }
    const cart = tools(
      define("get_cart", { cart_id: id }),
      define("add_item_to_cart", { cart_id: id, product_id: id, quantity: { type: "integer" } }),
      define("remove_item_from_cart", { cart_id: id, item_id: id })
    )
    const world = playing(begin(task({ prompt: "CART-11 PROD-77" }), { tools: cart }))
    const full = world.ok("add_item_to_cart", { cart_id: "CART-11", product_id: "PROD-77", quantity: 2 })
    expect(full["items"]).toMatchObject([{ product_id: "PROD-77", quantity: 2 }])
    expect(world.ok("get_cart", { cart_id: "CART-11" })).toEqual(full)
    world.ok("remove_item_from_cart", { cart_id: "CART-11", item_id: full["items"][0].item_id })
    expect(world.ok("get_cart", { cart_id: "CART-11" })["items"]).toEqual([])
  })

  it("finds what happens on the day, or in the days, that were asked for", () => {
    const day = { type: "string" }
    const travel = tools(
      define("search_flights", { origin: day, destination: day, date: day }),
      define("get_flight", { flight_id: day }),
      define("list_events", { start_date: day, end_date: day })
    )
    const world = playing(begin(task(), { tools: travel }))
    const flights: ReadonlyArray<Loose> = world.ok("search_flights", {
      origin: "SFO",
      destination: "JFK",
      date: "2026-07-04"
    })["flights"]
    expect(flights.length).toBeGreaterThan(0)
    for (const flight of flights) {
      expect(flight).toMatchObject({ origin: "SFO", destination: "JFK" })
      expect(flight.departure_time).toContain("2026-07-04T")
      expect(world.ok("get_flight", { flight_id: flight.flight_id })).toMatchObject(flight)
    }
    const events: ReadonlyArray<Loose> = world.ok("list_events", { start_date: "2026-07-01", end_date: "2026-07-09" })[
      "events"
    ]
    expect(events.length).toBeGreaterThan(0)
    for (const event of events) expect(event.start_date >= "2026-07-01" && event.start_date <= "2026-07-09").toBe(true)
  })

  it("shows of a setting only what it was set to, and the same when it is read", () => {
    const settings = tools(define("set_volume", { volume: { type: "integer" } }), define("get_volume", {}))
    const world = playing(begin(task(), { tools: settings }))
    expect(world.ok("set_volume", { volume: 3 })).toEqual({ volume: 3, status: "set" })
    expect(world.ok("get_volume")).toMatchObject({ volume: 3 })
  })

  it("verifies what it is told against the record, and learns nothing from it", () => {
    const clerk = tools(
      define("verify_customer", { customer_id: { type: "string" }, email: { type: "string" } }),
      define("get_customer", { customer_id: { type: "string" } })
    )
    const world = playing(begin(task({ prompt: "C-1000" }), { tools: clerk }))
    const { email } = world.ok("get_customer", { customer_id: "C-1000" })
    expect(world.ok("verify_customer", { customer_id: "C-1000", email: "x@example.org" })).toMatchObject({
      verified: false,
      email
    })
    expect(world.ok("verify_customer", { customer_id: "C-1000", email })).toMatchObject({ verified: true })
  })

  describe("arguments", () => {
    const world = playing(begin(about("#W2611340")))
    const cases: ReadonlyArray<readonly [string, Call, string]> = [
      ["missing", ["get_order_details", {}], "order_id is required"],
      ["of the wrong type", ["get_order_details", { order_id: 5 }], "order_id must be a string, not 5"],
      [
        "outside the listed values",
        ["cancel_pending_order", { order_id: "#W2611340", reason: "bored" }],
        "reason must be one of"
      ],
      ["a placeholder", ["get_order_details", { order_id: "<order id>" }], "placeholder"],
      ["a template", ["get_order_details", { order_id: "{{order_id}}" }], "placeholder"],
      ["the argument's own name", ["get_order_details", { order_id: "ORDER_ID" }], "placeholder"],
      ["somebody else's", ["get_order_details", { order_id: "your_order_id" }], "placeholder"],
      ["the name of a type", ["find_user_id_by_email", { email: "string" }], "placeholder"]
    ]
    it.each(cases)("are refused with the reason when %s", (_name, [tool, args], reason) => {
      const answer = world.call(tool, args)
      expect(answer.status).toBe("error")
      expect((answer.result as { error: string }).error).toContain(reason)
      expect(Object.keys(answer.result as object)).toEqual(["status", "error"])
    })

    it("does not mistake ordinary words for placeholders", () => {
      expect(world.call("search_products", { query: "your best string lights" }).status).toBe("ok")
    })

    it("names the tools there are when there is none of that name", () => {
      for (const name of ["get_orders_detail", "constructor", "__proto__", "toString"]) {
        const answer = world.call(name, {})
        expect(answer.status).toBe("error")
        expect((answer.result as { error: string }).error).toContain("get_order_details")
      }
    })

    it("treats hostile names as names", () => {
      const hostile = tools(
        define("get_thing", { thing_id: { type: "string" } }),
        define("create_thing", JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}'))
      )
      const play = playing(begin(task(), { tools: hostile }))
      const made = play.ok("create_thing", JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}'))
      expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      expect(JSON.parse(JSON.stringify(made))["constructor"]).toBe("b")
      expect(Object.hasOwn(made, "__proto__")).toBe(true)
      for (const id of ["__proto__", "constructor", "hasOwnProperty"]) {
        expect(["ok", "not_found"]).toContain(play.call("get_thing", { thing_id: id }).status)
      }
      expect(({} as Record<string, unknown>)["a"]).toBeUndefined()
    })

    it("takes no hostile name for given when it was not", () => {
      const names = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}')
      const play = playing(
        begin(task(), {
          tools: tools(
            define("search_results", { season: { type: "integer" } }, {}, names),
            define("update_driver", { driver_name: { type: "string" } }, {}, names),
            define("delete_path", {}, {}, names)
          )
        })
      )
      const [first] = play.ok("search_results", { season: 2020 })["results"]
      expect(first["season"]).toBe(2020)
      expect(Object.keys(first)).not.toContain("constructor")
      play.ok("update_driver", { driver_name: "Ada" })
      expect(play.ok("delete_path", {})).toEqual({ status: "deleted" })
      expect(Object.isFrozen(Object.prototype)).toBe(false)
    })
  })

  it("works out expressions, and says what is wrong with others", () => {
    const world = playing(begin())
    const of = (expression: string) => world.call("calculate", { expression }).result
    expect(of("(152 + 103) * 2 - 10 / 4")).toMatchObject({ result: 507.5 })
    expect(of("0.1 + 0.2")).toMatchObject({ result: 0.3 })
    expect(of("-2 ^ 2")).toMatchObject({ result: -4 })
    for (const wrong of ["1 / 0", "2 +", "process.exit()", "(1", "9 ^ 999"]) {
      expect(world.call("calculate", { expression: wrong }).status).toBe("error")
    }
  })

  it("answers with frozen results, so that nobody changes the world through them", () => {
    const world = playing(begin(about("#W2611340")))
    const order = world.ok("get_order_details", { order_id: "#W2611340" })
    expect(() => (order["items"][0].price = 0)).toThrow(TypeError)
    const args = { subject: "Mine", order_id: "#W2611340" }
    world.ok("create_support_ticket", args)
    expect(MockWorld.writes(world.now())[0]?.arguments).toEqual({ subject: "Mine", order_id: "#W2611340" })
  })

  describe("forks", () => {
    const id = FastCheck.constantFrom("#W2611340", "#W7654321", "#W1111111")
    const call: FastCheck.Arbitrary<Call> = FastCheck.oneof(
      id.map((order_id): Call => ["get_order_details", { order_id }]),
      id.map((order_id): Call => ["cancel_pending_order", { order_id, reason: "no longer needed" }]),
      id.map((order_id): Call => ["modify_pending_order_address", { order_id, street: "1 A St", city: "Denver" }]),
      id.map((order_id): Call => ["create_support_ticket", { subject: "Help", order_id }]),
      FastCheck.constant<Call>(["list_support_tickets", {}]),
      FastCheck.constant<Call>(["search_products", { query: "lamp" }]),
      FastCheck.constantFrom("a.b@example.org", "c.d@example.org").map((email): Call => [
        "find_user_id_by_email",
        { email }
      ])
    )
    const run = (from: MockWorld.State, calls: ReadonlyArray<Call>) => {
      const world = playing(from)
      return { answers: calls.map(([tool, args]) => world.call(tool, args)), end: world.now() }
    }

    it.prop(
      "go on from any stored state exactly as the rollout did",
      [FastCheck.array(call, { maxLength: 40 }), FastCheck.nat(40), FastCheck.nat(50)],
      ([calls, cut, seed]) => {
        const of = task({
          plan: { world_seed: seed, entity: { tool: "get_order_details", argument: "order_id", id: "#W2611340" } }
        })
        const whole = run(begin(of), calls)
        const head = run(begin(of), calls.slice(0, cut))
        const tail = run(head.end, calls.slice(cut))
        expect(tail.answers).toEqual(whole.answers.slice(cut))
        expect(MockWorld.toJson(tail.end)).toEqual(MockWorld.toJson(whole.end))
        expect(MockWorld.writes(tail.end)).toEqual(MockWorld.writes(whole.end))
        // What the fork did never reached the state it began from.
        expect(run(head.end, calls.slice(cut)).answers).toEqual(tail.answers)
      }
    )

    it.effect("a session goes on from a snapshot", () =>
      Effect.gen(function* () {
        const session = MockWorld.resume(begin(about("#W2611340")))
        yield* session.call({ tool: "create_support_ticket", arguments: { subject: "One", order_id: "#W2611340" } })
        const stored = yield* session.snapshot
        yield* session.call({ tool: "create_support_ticket", arguments: { subject: "Two", order_id: "#W2611340" } })
        const forked = MockWorld.resume(stored)
        expect((yield* forked.writes).length).toBe(1)
        expect((yield* session.writes).length).toBe(2)
      })
    )
  })

  it.scoped("opens a fresh world for each rollout of a task", () =>
    Effect.gen(function* () {
      const service = MockWorld.kind.make(input())
      const of = about("#W2611340")
      const [a, b] = yield* Effect.all([service.open(of, key), service.open(of, { ...key, index: 1 })])
      yield* a.call({ tool: "cancel_pending_order", arguments: { order_id: "#W2611340", reason: "no longer needed" } })
      const seen = yield* b.call({ tool: "get_order_details", arguments: { order_id: "#W2611340" } })
      expect(seen.result).toMatchObject({ status: "pending" })
      expect(yield* b.writes).toEqual([])
    })
  )

  it.scoped("spends logical time on a call, and real time only when asked to", () =>
    Effect.gen(function* () {
      const get = { tool: "get_order_details", arguments: { order_id: "#W2611340" } }
      const quick = yield* MockWorld.resume(begin(about("#W2611340"))).call(get)
      expect(quick.elapsedMs).toBeGreaterThan(50)
      const fiber = yield* Effect.fork(MockWorld.resume(begin(about("#W2611340")), { realDelays: true }).call(get))
      yield* TestClock.adjust(quick.elapsedMs - 1)
      expect(yield* Fiber.poll(fiber)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toEqual(quick)
    })
  )

  it("reads every tool of the shop as what it is", () => {
    const world = playing(begin(task({ plan: { facts: { user_id: "james_li_5688" } } })))
    expect(shop.map((tool) => tool.kind)).toMatchInlineSnapshot(`
      [
        "read",
        "delete",
        "update",
        "update",
        "update",
        "read",
        "read",
        "read",
        "read",
        "read",
        "create",
        "read",
        "update",
        "read",
        "delete",
        "compute",
      ]
    `)
    expect(world.ok("get_user_details", { user_id: "james_li_5688" })).toMatchInlineSnapshot(`
      {
        "address": {
          "city": "Denver",
          "country": "USA",
          "postal_code": "80233",
          "state": "CO",
          "street": "905 Washington Street",
        },
        "created_at": "2023-11-09T14:50:00Z",
        "email": "james.li95@example.com",
        "name": "James Li",
        "orders": [
          "#W2553812",
          "#W6352184",
        ],
        "phone": "+1-303-555-0196",
        "user_id": "james_li_5688",
      }
    `)
  })
})

describe("a hotel desk", () => {
  const day = { type: "string" }
  const desk = tools(
    define("search_rooms", { check_in: day, check_out: day, guests: { type: "integer" } }),
    define("get_booking", { booking_id: { type: "string" } }),
    define("create_booking", {
      guest_name: { type: "string" },
      room_id: { type: "string" },
      check_in: day,
      check_out: day
    }),
    define("request_late_checkout", { booking_id: { type: "string" }, until: { type: "string" } })
  )
  const at = (seed: number, changes: Parameters<typeof task>[0] = {}, declared: Record<string, Array<string>> = {}) =>
    playing(
      begin(task({ ...changes, plan: { world_seed: seed, facts: { booking_id: "BKG-1200" }, ...changes?.plan } }), {
        tools: desk,
        settings: { ids: declared, realDelays: false, timeouts: { tool: 60 } }
      })
    )
  const stay = { check_in: "2025-03-22", check_out: "2025-03-25", guests: 2 }

  it("finds rooms, each once, with a kind and a price, under numbers that doors have", () => {
    for (let seed = 0; seed < 20; seed++) {
      const world = at(seed)
      const { rooms } = world.ok("search_rooms", stay)
      const ids: ReadonlyArray<string> = rooms.map((room: Loose) => room.room_id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const room of rooms) {
        expect(room.room_id).toMatch(/^[1-5][01]\d$/)
        expect(room).toMatchObject({ type: expect.any(String), price_per_night: expect.any(Number), available: true })
      }
      const booking = world.ok("create_booking", {
        guest_name: "Mia Rossi",
        room_id: ids[0],
        ...stay,
        guests: undefined
      })
      expect(booking).toMatchObject({ room_id: ids[0], status: "confirmed" })
    }
    const { rooms } = at(1, {}, { room_id: ["R-204", "R-305"] }).ok("search_rooms", stay)
    expect(rooms.map((room: Loose) => room.room_id)).toEqual(expect.arrayContaining(["R-204", "R-305"]))
  })

  it("keeps bookings of one to six guests, whose stay is in order", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { check_in, check_out, guests } = at(seed).ok("get_booking", { booking_id: "BKG-1200" })
      expect(guests).toBeGreaterThan(0)
      expect(guests).toBeLessThan(7)
      expect(check_in < check_out).toBe(true)
    }
  })

  it("answers a request with the request, and says of one made before that it was", () => {
    const late = { booking_id: "BKG-1200", until: "14:00" }
    const made = at(1).ok("request_late_checkout", late)
    expect(made).toMatchObject({ ...late, request_id: expect.any(String), status: "requested" })
    expect(made).not.toHaveProperty("amount")
    const before = at(1, {
      worldState: "already_acted_on",
      plan: { entity: { tool: "request_late_checkout", argument: "booking_id", id: "BKG-1200" } }
    })
    expect(before.call("request_late_checkout", late)).toMatchObject({
      status: "already_done",
      result: { error: 'A late checkout for the booking "BKG-1200" was already requested.' }
    })
    expect(before.ok("get_booking", { booking_id: "BKG-1200" })).toMatchObject({ late_checkout: "requested" })
  })
})
