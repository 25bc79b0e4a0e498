import { describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as MockWorld from "@sandtable/core/MockWorld"
import * as SchemaValues from "../../../packages/core/src/world/internal/schemaValues.ts"
import { begin, beginDeclared, define, input, playing, task, tools } from "./worlds.ts"

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

const { taskWorld } = begin()

const text = { type: "string" }
const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more
})

describe("schemas that ask for more than a result can hold", () => {
  const made = (schema: object) =>
    SchemaValues.compile(schema as Record<string, unknown>)(taskWorld.subject("thing", "T-1"))

  it("get a text of at most 4,096 characters and a list of at most 256 items", () => {
    expect(made({ type: "string", minLength: 1e6 })).toHaveLength(4096)
    expect(made({ type: "string", minLength: 1e6, pattern: "^a{1000000}$" })).toHaveLength(4096)
    expect(made({ type: "array", items: { type: "boolean" }, minItems: 1e6 })).toHaveLength(256)
    expect(made({ type: "array", items: { type: "boolean" }, minItems: 1e6, uniqueItems: true })).toHaveLength(2)
    expect(made({ type: "array", items: { type: "boolean" }, minItems: 200 })).toHaveLength(200)
  })

  it("have lists inside lists share the room there is", () => {
    let schema: object = { type: "boolean" }
    for (let i = 0; i < 5; i++) schema = { type: "array", items: schema, minItems: 1e6 }
    const value = made(schema)
    expect(value).toHaveLength(256)
    expect(JSON.stringify(value).length).toBeLessThan(1_000_000)
    const rows = { type: "array", minItems: 100, items: { type: "array", items: { type: "boolean" }, minItems: 20 } }
    expect((made(rows) as ReadonlyArray<unknown>).every((row) => Array.isArray(row) && row.length === 20)).toBe(true)
  })
})

/** Schemas of results, each with something that is easily got wrong. */
const schemas: Readonly<Record<string, object>> = {
  nested: object({
    order_id: text,
    customer: object({ name: text, address: object({ city: text, zip: { type: "string", pattern: "^\\d{5}$" } }) })
  }),
  references: {
    ...object({ order_id: text, lines: { type: "array", items: { $ref: "#/$defs/line" }, minItems: 2 } }),
    $defs: {
      line: object({ sku: { $ref: "#/$defs/sku" }, price: { type: "number", minimum: 0, multipleOf: 0.01 } }),
      sku: { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" }
    }
  },
  recursive: {
    ...object({ order_id: text, tree: { $ref: "#/$defs/node" } }),
    $defs: {
      node: object({ value: { type: "integer" }, children: { type: "array", items: { $ref: "#/$defs/node" } } })
    }
  },
  "recursive with nullable end": {
    ...object({ order_id: text, head: { $ref: "#/$defs/cell" } }),
    $defs: { cell: object({ value: text, next: { anyOf: [{ $ref: "#/$defs/cell" }, { type: "null" }] } }) }
  },
  enumerations: object({
    order_id: text,
    status: { enum: ["PLACED", "SHIPPED", "CANCELED"] },
    kind: { const: "order" },
    level: { enum: [1, 2, 3] },
    flag: { enum: [null, true] }
  }),
  unions: object({
    order_id: text,
    payment: {
      oneOf: [
        object({ type: { const: "card" }, last4: { type: "string", minLength: 4, maxLength: 4 } }),
        object({ type: { const: "paypal" }, email: { type: "string", format: "email" } })
      ]
    },
    note: { anyOf: [text, { type: "null" }] },
    size: { type: ["integer", "null"] }
  }),
  intersections: {
    allOf: [
      { type: "object", properties: { order_id: text }, required: ["order_id"] },
      { type: "object", properties: { total: { type: "number", minimum: 10 } }, required: ["total"] },
      { properties: { total: { maximum: 20 } } }
    ]
  },
  formats: object(
    Object.fromEntries(
      [
        "date-time",
        "date",
        "time",
        "email",
        "uri",
        "uuid",
        "ipv4",
        "ipv6",
        "hostname",
        "duration",
        "json-pointer",
        "regex",
        "uri-reference"
      ].map((format) => [format.replace("-", "_"), { type: "string", format }])
    )
  ),
  bounds: object({
    order_id: text,
    quantity: { type: "integer", minimum: 3, maximum: 5 },
    share: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    step: { type: "integer", multipleOf: 25, minimum: 100 },
    tiny: { type: "number", minimum: 0.001, maximum: 0.002 },
    below: { type: "integer", maximum: -10 }
  }),
  lists: object({
    order_id: text,
    tags: { type: "array", items: { enum: ["a", "b", "c"] }, uniqueItems: true, minItems: 3, maxItems: 3 },
    pair: { type: "array", prefixItems: [{ type: "number" }, text], items: false, minItems: 2 },
    none: { type: "array", items: text, maxItems: 0 },
    has: { type: "array", contains: { const: "x" }, items: text }
  }),
  "open objects": object({
    order_id: text,
    prices: { type: "object", additionalProperties: { type: "number", minimum: 1 }, minProperties: 2 },
    codes: {
      type: "object",
      patternProperties: { "^[a-z]{2}$": { type: "integer" } },
      additionalProperties: false,
      minProperties: 1
    },
    keyed: {
      type: "object",
      propertyNames: { pattern: "^k\\d$" },
      additionalProperties: text,
      minProperties: 2,
      maxProperties: 3
    }
  }),
  "required but not described": {
    type: "object",
    properties: { order_id: text },
    required: ["order_id", "extra"],
    additionalProperties: { type: "integer" }
  },
  conditions: {
    type: "object",
    properties: { order_id: text, paid: { type: "boolean" }, paid_at: { type: "string", format: "date" } },
    required: ["order_id", "paid"],
    if: { properties: { paid: { const: true } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["paid_at"] },
    else: { not: { required: ["paid_at"] } }
  },
  exclusions: {
    type: "object",
    properties: { order_id: text, status: { enum: ["a", "b", "c"] }, x: text, y: text },
    required: ["order_id", "status"],
    not: { properties: { status: { const: "a" } } },
    oneOf: [{ required: ["x"] }, { required: ["y"] }]
  },
  dependent: {
    type: "object",
    properties: { order_id: text, card: text, billing: text },
    required: ["order_id"],
    dependentRequired: { card: ["billing"] },
    not: { required: ["forbidden"] }
  },
  "several wrapped": object({
    data: { type: "array", items: object({ order_id: text, total: { type: "number" } }) },
    total: { type: "integer" }
  }),
  "one wrapped": object({ ok: { const: true }, data: object({ order_id: text, status: { enum: ["open", "done"] } }) }),
  "a list": { type: "array", items: object({ order_id: text, city: text }), minItems: 1 },
  "a text": { type: "string", minLength: 30 },
  "a number": { type: "number", minimum: 5, maximum: 6 },
  "a yes or no": { type: "boolean" },
  "hostile names": object(
    JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "integer"}, "order_id": {"type": "string"}}'),
    { additionalProperties: true }
  ),
  "an id of its own": { $id: "https://example.com/order", ...object({ order_id: text }) },
  "draft 7": {
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: { a: { type: "integer", minimum: 2 } },
    ...object({ order_id: text, a: { $ref: "#/definitions/a" } })
  },
  "no types": { properties: { order_id: {}, total: { minimum: 5 } }, required: ["order_id", "total"] },
  "long and short": object({
    order_id: text,
    code: { type: "string", minLength: 12, maxLength: 12 },
    initial: { type: "string", maxLength: 1 },
    words: { type: "string", minLength: 300 }
  })
}

/** An output that the reader of tools would normalise goes in as it is here: the mock has to stand what comes. */
const withOutput = (output: object) =>
  tools(
    define("get_order", { order_id: text }),
    define("list_orders", {}),
    define("cancel_order", { order_id: text })
  ).map((tool) => ({ ...tool, output: output as Record<string, unknown> }))

describe("Declared results", () => {
  it.each(Object.keys(schemas))("are always valid: %s", async (name) => {
    const output = schemas[name] ?? {}
    const { $schema: _dialect, $id: _id, ...plain } = output as Record<string, unknown>
    const validate = ajv.compile(plain)
    const mock = await Effect.runPromise(MockWorld.load(input({ tools: withOutput(output) })))
    const problems: Array<unknown> = []
    for (let seed = 0; seed < 150; seed++) {
      const world = playing(mock.begin(task({ prompt: "A1001 A1002", plan: { world_seed: seed } })))
      const calls = [
        world.call("get_order", { order_id: "A1001" }),
        world.call("list_orders"),
        world.call("cancel_order", { order_id: "A1001" }),
        world.call("get_order", { order_id: "A1001" })
      ]
      for (const answer of calls) {
        expect(answer.status).toBe("ok")
        if (!validate(answer.result)) problems.push([seed, answer.result, validate.errors])
      }
    }
    expect(problems.slice(0, 2)).toEqual([])
  })

  it("show the record they are asked for, the same through every tool, and what was written to it", async () => {
    const order = object({
      order_id: text,
      status: { enum: ["PLACED", "SHIPPED", "CANCELED"] },
      total: { type: "number", minimum: 1 },
      city: text
    })
    const declared = tools(
      define("get_order", { order_id: text }, { outputSchema: order }),
      define(
        "search_orders",
        { query: text },
        {
          outputSchema: object({
            orders: { type: "array", items: object({ order_id: text, total: { type: "number" } }) },
            count: { type: "integer" }
          })
        }
      ),
      define("update_order", { order_id: text, city: text }, { outputSchema: order }),
      define("cancel_order", { order_id: text }, { outputSchema: order }),
      define("create_order", { city: text }, { outputSchema: order })
    )
    const world = playing(await beginDeclared(task({ prompt: "order A1001" }), { tools: declared }))
    const first = world.ok("get_order", { order_id: "A1001" })
    expect(first["order_id"]).toBe("A1001")
    expect(world.ok("update_order", { order_id: "A1001", city: "Oslo" })).toEqual({ ...first, city: "Oslo" })
    expect(world.ok("cancel_order", { order_id: "A1001" })).toEqual({ ...first, city: "Oslo", status: "CANCELED" })
    expect(world.ok("get_order", { order_id: "A1001" })["status"]).toBe("CANCELED")
    const found = world.ok("search_orders", { query: "lamp" })
    expect(found["count"]).toBe(found["orders"].length)
    for (const hit of found["orders"]) expect(world.ok("get_order", { order_id: hit.order_id })).toMatchObject(hit)
    const made = world.ok("create_order", { city: "Bergen" })
    expect(world.ok("get_order", { order_id: made["order_id"] })).toEqual(made)
    expect(made["city"]).toBe("Bergen")
  })

  it("say no in one shape, whatever the tool declares", async () => {
    const declared = withOutput(schemas["a number"] ?? {})
    const world = playing(
      await beginDeclared(
        task({
          worldState: "missing",
          prompt: "A1001",
          plan: { entity: { tool: "get_order", argument: "order_id", id: "A1001" } }
        }),
        { tools: declared }
      )
    )
    expect(world.call("get_order", { order_id: "A1001" })).toMatchObject({
      status: "not_found",
      result: { status: "not_found" }
    })
  })

  it("follow a declared example, with the identifier that was asked for", () => {
    const examples = tools(define("get_invoice", { invoice_id: text })).map((tool) => ({
      ...tool,
      example: {
        invoice: { invoice_id: "INV-1", lines: [{ sku: "X", qty: 2 }], due: "2024-01-01" },
        links: { self: "/v1" }
      }
    }))
    const mock = Effect.runSync(MockWorld.load(input({ tools: examples })))
    const world = playing(mock.begin(task({ prompt: "INV-77" })))
    expect(world.ok("get_invoice", { invoice_id: "INV-77" })).toEqual({
      invoice: { invoice_id: "INV-77", lines: [{ sku: "X", qty: 2 }], due: "2024-01-01" },
      links: { self: "/v1" }
    })
  })

  it("follow payloads seen before, one for each record", () => {
    const payloads = new Map([
      [
        "get_invoice",
        [
          { invoice_id: "INV-1", amount: 10, state: "due" },
          { invoice_id: "INV-2", amount: 20, state: "paid" }
        ]
      ]
    ])
    const plain = tools(define("get_invoice", { invoice_id: text }), define("list_invoices", {}))
    const mock = Effect.runSync(MockWorld.load(input({ tools: plain, payloads })))
    const world = playing(mock.begin(task({ prompt: "INV-70 INV-71 INV-72 INV-73 INV-74 INV-75" })))
    const amounts = new Set<number>()
    for (let i = 70; i < 76; i++) {
      const invoice = world.ok("get_invoice", { invoice_id: `INV-${i}` })
      expect(invoice["invoice_id"]).toBe(`INV-${i}`)
      expect([10, 20]).toContain(invoice["amount"])
      expect(invoice["state"]).toBe(invoice["amount"] === 10 ? "due" : "paid")
      amounts.add(invoice["amount"])
      expect(world.ok("get_invoice", { invoice_id: `INV-${i}` })).toEqual(invoice)
    }
    expect(amounts.size).toBe(2)
    for (const hit of world.ok("list_invoices")["invoices"]) expect([10, 20]).toContain(hit.amount)
  })

  it("hold what their identifiers promise: what an example shows can be read", () => {
    const payloads = new Map([["get_order", [{ order_id: "O-1", user_id: "ann_1", lines: [{ product_id: "P-7" }] }]]])
    const plain = tools(
      define("get_order", { order_id: text }),
      define("get_user", { user_id: text }),
      define("get_product", { product_id: text })
    )
    const mock = Effect.runSync(MockWorld.load(input({ tools: plain, payloads })))
    for (let seed = 0; seed < 30; seed++) {
      const world = playing(mock.begin(task({ prompt: "O-500", plan: { world_seed: seed } })))
      const order = world.ok("get_order", { order_id: "O-500" })
      expect(world.call("get_user", { user_id: order["user_id"] }).status).toBe("ok")
      expect(world.call("get_product", { product_id: order["lines"][0].product_id }).status).toBe("ok")
    }
  })

  it.prop(
    "are valid for any schema made of the usual keywords",
    [
      FastCheck.letrec((tie) => ({
        schema: FastCheck.oneof(
          { maxDepth: 4 },
          FastCheck.constantFrom<unknown>(
            { type: "string" },
            { type: "string", minLength: 5, maxLength: 8 },
            { type: "string", format: "date-time" },
            { type: "integer", minimum: 3 },
            { type: "number", exclusiveMinimum: 0, maximum: 1 },
            { type: "boolean" },
            { type: "null" },
            { enum: ["a", "b", 3] },
            { const: { fixed: [1] } },
            { type: ["integer", "null"] },
            { $ref: "#/$defs/again" },
            true
          ),
          FastCheck.record({ type: FastCheck.constant("array"), items: tie("schema"), minItems: FastCheck.nat(2) }),
          FastCheck.record({
            type: FastCheck.constant("object"),
            properties: FastCheck.dictionary(
              FastCheck.constantFrom("status", "price", "city", "user_id", "name", "items", "x"),
              tie("schema")
            ),
            required: FastCheck.subarray(["status", "price", "extra"]),
            additionalProperties: FastCheck.constantFrom<unknown>(true, { type: "string" })
          }),
          FastCheck.record({ anyOf: FastCheck.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
          FastCheck.record({ allOf: FastCheck.tuple(tie("schema"), FastCheck.constant({})) })
        )
      })).schema,
      FastCheck.nat(1000)
    ],
    ([schema, seed]) => {
      const root = {
        ...(schema === true ? {} : (schema as object)),
        $defs: {
          again: {
            type: "object",
            properties: { next: { $ref: "#/$defs/again" }, n: { type: "integer" } },
            required: ["n"]
          }
        }
      }
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(root)
      const generate = SchemaValues.compile(root)
      const value = generate(taskWorld.subject("thing", `T-${seed}`))
      expect(validate(value) ? [] : [root, value, validate.errors]).toEqual([])
    }
  )
})
