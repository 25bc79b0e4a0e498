import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import * as IdPool from "../../../packages/core/src/situation/IdPool.ts"
import * as Randomness from "@sandtable/core/Randomness"
import type { Tool } from "@sandtable/core/Tool"

const random = Randomness.make(3)

const tool = (name: string, properties: Record<string, unknown>, description = "Does a thing."): Tool => ({
  name,
  description,
  parameters: { type: "object", properties, required: Object.keys(properties) },
  kind: "read",
  destructive: false
})

const text = { type: "string" }
const order = (about = "", description = "Get an order.") =>
  tool("get_order", { order_id: { ...text, description: about } }, description)

const pool = (tools: ReadonlyArray<Tool>, more: Partial<IdPool.Input> = {}) => IdPool.make({ tools, random, ...more })

const declared = (tools: ReadonlyArray<Tool>, more: Partial<IdPool.Input> = {}) =>
  pool(tools, more).declared("get_order", "order_id")

describe("where ids come from", () => {
  it("takes very many ids, each once and in order", () => {
    const ids = Array.from({ length: 200_000 }, (_, i) => `A${1000 + i}`)
    expect(declared([order()], { ids: { order_id: [...ids, ...ids] } })).toEqual(ids)
  })

  it("takes the ids option first, then seeds and traces, then what the texts declare", () => {
    const tools = [order("", "Get an order. Orders A1001 and A1002 exist.")]
    const texts = ["Where is my order B2001?"]
    expect(declared(tools)).toEqual(["A1001", "A1002"])
    expect(declared(tools, { texts })).toEqual(["B2001"])
    expect(declared(tools, { texts, mined: { order_id: ["M1"] } })).toEqual(["M1", "B2001"])
    expect(declared(tools, { texts, ids: { order_id: ["C3001"] } })).toEqual(["C3001"])
  })

  it("reads ids that tool texts, enum values, schema examples or the prompt declare", () => {
    expect(declared([order("One of A1001, A1002 or A1003.")])).toEqual(["A1001", "A1002", "A1003"])
    expect(declared([order("", "Known orders: alpha, beta and gamma.")])).toEqual(["alpha", "beta", "gamma"])
    expect(declared([tool("get_order", { order_id: { ...text, enum: ["X1", "X2"] } })])).toEqual(["X1", "X2"])
    expect(declared([tool("get_order", { order_id: { ...text, examples: ["Q-17"] } })])).toEqual(["Q-17"])
    expect(
      declared([order()], { systemPrompt: "Open until 17:30. Orders #4001 and #4002 are open since 2024." })
    ).toEqual(["#4001", "#4002"])
  })

  it("binds ids in seeds to what they name, in any order of words", () => {
    const tools = [tool("look", { order_id: text, user_id: text, case_number: text })]
    const texts = [
      "My user id is mia_li_3668 and I want to return order #W2378156.",
      "cancel #W5744371 please, it's my order",
      "What about case 4411 from May 20th? I paid $250 for 3 nights at 10:30."
    ]
    const { declared: of } = pool(tools, { texts })
    expect(of("look", "order_id")).toEqual(["#W2378156", "#W5744371"])
    expect(of("look", "user_id")).toEqual(["mia_li_3668"])
    expect(of("look", "case_number")).toEqual(["4411"])
  })

  it("serves synonyms: order_id in ids serves orderId, order, order_ids and the id of get_order", () => {
    const ids = { order_id: ["A1"] }
    for (const name of ["orderId", "order", "order_ids", "orderNumber", "order_no"]) {
      const many = name === "order_ids"
      const tools = [tool("get_it", { [name]: many ? { type: "array", items: text } : text })]
      expect(pool(tools, { ids }).take("get_it", name, 5)).toEqual({ id: "A1", invented: false })
    }
    expect(pool([tool("get_order", { id: text })], { ids }).take("get_order", "id", 0).id).toBe("A1")
    expect(
      pool([tool("swap", { new_item_id: text })], { ids: { item_id: ["I9"] } }).take("swap", "new_item_id", 0).id
    ).toBe("I9")
  })

  it("spreads ids evenly", () => {
    const { take } = pool([order()], { ids: { order_id: ["A", "B", "C", "D"] } })
    const counts = new Map<string, number>()
    for (let n = 0; n < 100; n++) {
      const { id } = take("get_order", "order_id", n)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    expect([...counts.values()]).toEqual([25, 25, 25, 25])
  })
})

describe("forms", () => {
  it("reads an id given as a format as a form, not as an id that exists", () => {
    for (const about of [
      "The order id, such as '#W0000000'.",
      "Order id, e.g. #W1234567.",
      "For example: #W1234567",
      "Looks like #W1234567 or #W7654321.",
      "#W0000000"
    ]) {
      const made = pool([order(about)])
      expect(made.known.size).toBe(0)
      expect(made.invented).toBe(true)
      const { id, invented } = made.take("get_order", "order_id", 4)
      expect(invented).toBe(true)
      expect(id).toMatch(/^#W\d{7}$/)
      expect(id).not.toMatch(/0000000|1234567|7654321/)
    }
  })

  it("invents by schema pattern, format and type, else by the argument's name", () => {
    const of = (schema: unknown, name = "order_id") => pool([tool("t", { [name]: schema })]).take("t", name, 1).id
    expect(of({ type: "string", pattern: "^ORD-[A-C]\\d{4}$" })).toMatch(/^ORD-[A-C]\d{4}$/)
    expect(of({ type: "string", format: "uuid" })).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
    )
    expect(of({ type: "integer", minimum: 5, maximum: 9 })).toMatch(/^[5-9]$/)
    expect(of(text)).toMatch(/^ORD-\d{4}$/)
    expect(of(text, "userId")).toMatch(/^USR-\d{4}$/)
  })

  it("invents different ids for different draws, the same for the same", () => {
    const { take } = pool([order()])
    const ids = Array.from({ length: 200 }, (_, n) => take("get_order", "order_id", n).id)
    expect(new Set(ids).size).toBeGreaterThan(190)
    expect(Array.from({ length: 200 }, (_, n) => pool([order()]).take("get_order", "order_id", n).id)).toEqual(ids)
  })
})

describe("find", () => {
  it("finds known ids in a text with the argument they belong to", () => {
    const tools = [tool("t", { order_id: text, account_id: text })]
    const { find } = pool(tools, { ids: { order_id: ["#W1"], account_id: ["acme corp"] } })
    expect(find("Move (#W1), to acme corp's account. Not #W12.")).toEqual([
      { argument: "order_id", id: "#W1" },
      { argument: "account_id", id: "acme corp" }
    ])
  })

  it("finds ids that begin with any sign, inside quotes and brackets too", () => {
    const ids = ["-1", "]x", "^2", "\\d", "(4)", "[5", "é6", "z-9"]
    const { find } = pool([tool("t", { order_id: text })], { ids: { order_id: ids } })
    const named = (said: string) => find(said).map(({ id }) => id)
    expect(named(ids.join(" "))).toEqual(ids)
    expect(named(ids.map((id) => `"${id}",`).join(" "))).toEqual(ids.filter((id) => !/^[([]/.test(id)))
    expect(named("z-99 az-9 -12 a-1 x ^ \\")).toEqual([])
  })
})

it("is not confused by names that objects have anyway", () => {
  const tools = [tool("constructor", { __proto__id: text, toString: text, constructor_id: text })]
  const made = pool(tools, { ids: { constructor: ["K1"] }, texts: ["constructor K9"] })
  expect(made.take("constructor", "constructor_id", 0).id).toBe("K1")
  expect(made.declared("valueOf", "hasOwnProperty")).toEqual([])
})

const data = process.env["SANDTABLE_TEST_DATA"]
describe.skipIf(data === undefined)("the retail tools (set SANDTABLE_TEST_DATA)", () => {
  it("show forms only: none of the ids in their texts exists", () => {
    const retail = JSON.parse(readFileSync(`${data}/retail/tools.json`, "utf8")) as ReadonlyArray<{ function: Tool }>
    const tools = retail.map(({ function: { name, description, parameters } }): Tool => ({
      name,
      description,
      parameters,
      kind: "read",
      destructive: false
    }))
    const made = pool(tools, { systemPrompt: readFileSync(`${data}/retail/policy.md`, "utf8") })
    expect([...made.known]).toEqual([])
    expect(made.take("cancel_pending_order", "order_id", 1).id).toMatch(/^#W\d{7}$/)
    expect(made.take("return_delivered_order_items", "item_ids", 1).id).toMatch(/^\d{10}$/)
    expect(made.take("get_user_details", "user_id", 1).id).toMatch(/^[a-z]+_[a-z]+_\d{3,4}$/)
    expect(made.take("modify_pending_order_payment", "payment_method_id", 0).id).toMatch(/^gift_card_\d{7}$/)
  })
})
