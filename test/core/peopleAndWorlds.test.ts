/**
 * People and their worlds are one: nothing that a person knows or says is denied by the world they come to. The long form
 * is the bench `people`.
 */
import { describe, expect, it } from "vitest"
import * as Simulation from "@sandtable/core/Simulation"
import { layer } from "@sandtable/core/node"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { contradictionsOf, rehearse, type Row } from "../support/personChecks.ts"
import { cannotPass, outcomes } from "../support/retailDesk.ts"
import * as ToolSets from "../support/toolSets.ts"

const told = ({ row, what }: ReturnType<typeof contradictionsOf>[number]): string =>
  `${what} <- ${row.prompt} ${JSON.stringify(row.plan)}`

describe("facts of people against their worlds", () => {
  for (const set of ToolSets.all()) {
    it(`are never denied in the ${set.name} set`, async () => {
      const rehearsed = await rehearse(set, 120, 4)
      expect(rehearsed.rows).toHaveLength(120)
      expect(contradictionsOf(set, rehearsed).map(told)).toEqual([])
      const people = rehearsed.rows.filter(({ plan }) => plan.person !== undefined)
      // Of the back office no tool takes a person's identifier.
      expect(people.length).toBe(set.name === "cryptic" ? 0 : 120)
    })
  }

  it("are found out when a row says what its world does not", async () => {
    const set = ToolSets.own.find(({ name }) => name === "bank") ?? ToolSets.own[0]!
    const { call, rows } = await rehearse(set, 40, 4)
    const lying = rows.map((row) => ({
      ...row,
      plan: { ...row.plan, facts: { ...row.plan.facts, phone: "+1-000-555-0100", name: "Nobody Here" } }
    }))
    expect(contradictionsOf(set, { call, rows: lying }).length).toBeGreaterThanOrEqual(60)
  })
})

it("draws what belongs together in one piece: a birth is years ago, and no more bags are paid for than there are", async () => {
  const text = { type: "string" }
  const whole = { type: "integer" }
  const parameters = {
    type: "object",
    properties: {
      user_id: text,
      first_name: text,
      last_name: text,
      dob: text,
      departure_date: { type: "string", format: "date" },
      total_baggages: whole,
      nonfree_baggages: whole
    },
    required: ["user_id", "first_name", "last_name", "dob", "departure_date", "total_baggages", "nonfree_baggages"]
  }
  const tool = (name: string, description: string, given: object) => ({
    type: "function",
    function: { name, description, parameters: given }
  })
  const set = {
    name: "desk",
    policy: "Help people book flights.",
    tools: [
      tool("book_flight", "Book a flight for a user.", parameters),
      tool("get_user", "Get a user.", { type: "object", properties: { user_id: text }, required: ["user_id"] })
    ]
  }
  const { call, rows } = await rehearse(set, 60, 2)
  const booked = rows.filter(({ plan }) => plan.facts["dob"] !== undefined)
  expect(booked.length).toBeGreaterThan(15)
  for (const row of booked) {
    const { facts, person } = row.plan
    expect(facts["dob"]).toMatch(/^(?:19|200)\d+-\d\d-\d\d$/)
    expect(Number(facts["nonfree_baggages"])).toBeLessThanOrEqual(Number(facts["total_baggages"]))
    const user = call(row, "get_user", { user_id: person?.id }) as Json
    if (row.world_state === "missing" || row.world_state === "unknown") continue
    expect([user["first_name"], user["last_name"]]).toEqual([facts["first_name"], facts["last_name"]])
    if (user["dob"] !== undefined) expect(user["dob"]).toBe(facts["dob"])
  }
})

it("gives the words of a seed to the owner of what they name", async () => {
  const set = ToolSets.own.find(({ name }) => name === "bank") ?? ToolSets.own[0]!
  const seeds = [
    "Please close my account AC-90331277.",
    "I don't know the payment TX-5520914, can you look into it?",
    "Good morning, are you open on Sundays?",
    { prompt: "Close my account AC-90331277.", plan: { facts: { name: "Ada Kim" } } }
  ]
  const { call, rows } = await rehearse(set, 4, 4, { seeds, situations: 4 })
  const of = (words: string): Row => rows.find(({ prompt }) => prompt.includes(words)) ?? rows[0]!
  const closing = of("Please close")
  expect(closing.plan.facts["account_id"]).toBe("AC-90331277")
  const account = call(closing, "get_account", { account_id: "AC-90331277" }) as Json
  expect(account["customer_id"]).toBe(closing.plan.person?.id)
  const owner = call(closing, "get_customer", { customer_id: closing.plan.person?.id }) as Json
  expect(owner).toMatchObject({ name: closing.plan.facts["name"], date_of_birth: closing.plan.facts["date_of_birth"] })
  const disputed = of("TX-5520914")
  const transaction = call(disputed, "get_transaction", { transaction_id: "TX-5520914" }) as Json
  const paying = call(disputed, "get_account", { account_id: transaction["account_id"] }) as Json
  expect(paying["customer_id"]).toBe(disputed.plan.person?.id)
  expect(of("Sundays").plan.facts["name"]).toBeTypeOf("string")
  // Of whom the caller says something, they say all there is.
  expect(rows.find(({ prompt }) => prompt.startsWith("Close"))?.plan).toMatchObject({ facts: { name: "Ada Kim" } })
  expect(rows.find(({ prompt }) => prompt.startsWith("Close"))?.plan.person).toBeUndefined()
})

/** The shop's own database, as a world of the caller's. */
const database = (folder: string) => {
  const table = (name: string): Readonly<Record<string, Json>> =>
    JSON.parse(readFileSync(`${folder}/retail/db/${name}.json`, "utf8")) as Readonly<Record<string, Json>>
  const [users, orders, products] = [table("users"), table("orders"), table("products")]
  const calls: Array<string> = []
  const execute = (tool: string, args: Json): unknown => {
    calls.push(tool)
    const tables: Readonly<Record<string, () => unknown>> = {
      get_user_details: () => users[String(args["user_id"])],
      get_order_details: () => orders[String(args["order_id"])],
      get_product_details: () => products[String(args["product_id"])]
    }
    return tables[tool]?.() ?? { status: "not_found", error: "no such record" }
  }
  return { users, orders, calls, execute }
}
type Json = Readonly<Record<string, unknown>>

const asked = (options: unknown): Promise<ReadonlyArray<Row>> =>
  Simulation.simulate(options as Parameters<typeof Simulation.simulate>[0]).pipe(
    Effect.provide(layer),
    Effect.map(({ rows }) => rows as unknown as ReadonlyArray<Row>),
    Effect.runPromise
  )

const shop = ToolSets.retail()
describe.skipIf(shop === null)(
  "a desk that verifies people as the retail policy says (set SANDTABLE_TEST_DATA)",
  () => {
    it("finds those who come, and nobody who says another name and address", async () => {
      if (shop === null) return
      const all = await outcomes(shop, 150, 6)
      const should = all.filter(({ row }) => !cannotPass(row))
      expect(should.length).toBeGreaterThan(90)
      expect(should.filter(({ found, row }) => found !== row.plan.person?.id).map(({ row }) => row.plan)).toEqual([])
      const others = await outcomes(shop, 60, 7, (line) =>
        line.replace(/[\w.+-]+@/, "nobody.here12@").replace(/name is \p{L}+/u, "name is Zebulon")
      )
      expect(others.filter(({ found }) => found !== null)).toEqual([])
    })
  }
)

describe.skipIf(shop === null)("a world of the caller's (set SANDTABLE_TEST_DATA)", () => {
  const folder = process.env["SANDTABLE_TEST_DATA"] ?? ""
  const options = (execute: unknown, more: object) => ({
    agent: () => "One moment.",
    tools: shop?.tools,
    systemPrompt: shop?.policy,
    execute,
    simulator: false,
    rolloutsPerRequest: 1,
    budget: 80,
    seed: 3,
    ...more
  })

  it("is asked by its reads with the ids that exist, and its own people come", async () => {
    const { calls, execute, orders, users } = database(folder)
    const ids = { user_id: Object.keys(users).slice(0, 25) }
    const rows = await asked(options(execute, { ids }))
    const people = rows.filter(({ plan }) => plan.person !== undefined)
    expect(people.length).toBe(rows.length)
    for (const { plan, scenario_dimensions: dimensions } of rows) {
      const own = users[plan.person?.id ?? ""] as {
        readonly name: Json
        readonly email: string
        readonly address: Json
        readonly payment_methods: Json
        readonly orders: ReadonlyArray<string>
      }
      const { facts } = plan
      expect(facts["first_name"]).toBe(own.name["first_name"])
      expect(facts["current_zip"] ?? facts["zip"]).toBe(own.address["zip"])
      if (facts["email"] !== undefined) expect(facts["email"]).toBe(own.email)
      const order = facts["order_id"]
      if (order !== undefined) expect(own.orders, dimensions["tool"]).toContain(order)
      if (facts["payment_method_id"] !== undefined) {
        expect(Object.keys(own.payment_methods)).toContain(facts["payment_method_id"])
      }
      const items = (orders[order ?? ""] as { readonly items?: ReadonlyArray<Json> } | undefined)?.items ?? []
      for (const id of (facts["item_ids"] ?? "").split(", ").filter(Boolean)) {
        expect(items.map((item) => item["item_id"])).toContain(id)
      }
    }
    // Asked before the first task, by reads alone.
    expect(calls.length).toBeGreaterThan(25)
    expect(calls.length).toBeLessThanOrEqual(240)
    expect(calls.filter((tool) => !tool.startsWith("get_"))).toEqual([])
  })

  it("of which nothing is known gives people who know what their ask names and no more", async () => {
    const { calls, execute } = database(folder)
    const rows = await asked(options(execute, {}))
    expect(calls).toEqual([])
    for (const { plan, prompt } of rows) {
      expect(plan.person).toBeUndefined()
      expect(prompt).not.toMatch(/\n\p{Lu}\p{L}+ \p{Lu}\p{L}+$/u)
    }
  })
})
