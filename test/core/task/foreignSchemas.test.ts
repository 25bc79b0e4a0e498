import { describe, expect, it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { jsonSchema, tool, zodSchema } from "ai"
import * as AiV6 from "ai-v6"
import * as AiV7 from "ai-v7"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as v from "valibot"
import * as z from "zod"
import * as z3 from "zod3"
import * as Arguments from "../../../packages/core/src/world/Arguments.ts"
import * as Simulation from "@sandtable/core/Simulation"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"

/** One set of arguments in every library. */
const order = {
  "Zod 4": z.object({
    order_id: z.string().min(3).describe("The order's number"),
    reason: z.enum(["late", "broken"]),
    count: z.number().int().min(1).max(9).optional(),
    lines: z
      .array(z.object({ sku: z.string(), price: z.number().positive() }))
      .max(2)
      .optional()
  }),
  "Zod 3": z3.object({
    order_id: z3.string().min(3).describe("The order's number"),
    reason: z3.enum(["late", "broken"]),
    count: z3.number().int().min(1).max(9).optional(),
    lines: z3
      .array(z3.object({ sku: z3.string(), price: z3.number().positive() }))
      .max(2)
      .optional()
  }),
  Valibot: v.object({
    order_id: v.pipe(v.string(), v.minLength(3), v.description("The order's number")),
    reason: v.picklist(["late", "broken"]),
    count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9))),
    lines: v.optional(
      v.pipe(v.array(v.object({ sku: v.string(), price: v.pipe(v.number(), v.gtValue(0)) })), v.maxLength(2))
    )
  }),
  ArkType: type({
    order_id: type("string >= 3").describe("The order's number"),
    reason: "'late' | 'broken'",
    "count?": "1 <= number.integer <= 9",
    "lines?": type({ sku: "string", price: "number > 0" }).array().atMostLength(2)
  }),
  "Effect Schema": Schema.Struct({
    order_id: Schema.String.pipe(Schema.minLength(3)).annotations({ description: "The order's number" }),
    reason: Schema.Literal("late", "broken"),
    count: Schema.optional(Schema.Int.pipe(Schema.between(1, 9))),
    lines: Schema.optional(
      Schema.Array(Schema.Struct({ sku: Schema.String, price: Schema.Number.pipe(Schema.greaterThan(0)) })).pipe(
        Schema.maxItems(2)
      )
    )
  })
}
const accepted = [
  { order_id: "W301", reason: "late" },
  { order_id: "W301", reason: "broken", count: 9, lines: [{ sku: "a", price: 1 }] }
]
const refused = [
  { order_id: "W301" },
  { order_id: "W", reason: "late" },
  { order_id: "W301", reason: "tired" },
  { order_id: "W301", reason: "late", count: 1.5 },
  { order_id: "W301", reason: "late", count: 10 },
  { order_id: "W301", reason: "late", lines: [{ sku: "a", price: 0 }] },
  { order_id: "W301", reason: "late", lines: [1, 2, 3] }
]

const only = (given: unknown) => {
  const { problems, tools } = ToolDialect.read(given)
  expect(problems).toEqual([])
  expect(tools).toHaveLength(1)
  return tools[0] as (typeof tools)[number]
}

/** Holds values to a schema in all the ways a tool may carry it. */
const holds = (given: unknown, right: ReadonlyArray<unknown>, wrong: ReadonlyArray<unknown>) => {
  const { parameters } = only([{ name: "return_order", parameters: given }])
  const check = Arguments.ofSchema(parameters)
  for (const value of right) expect([value, check(value)]).toEqual([value, null])
  for (const value of wrong) expect([value, check(value)]).toEqual([value, expect.any(String)])
  return parameters
}

describe("schemas of other libraries", () => {
  for (const [library, schema] of Object.entries(order)) {
    it(`${library}: are read as they are`, () => {
      const parameters = holds(schema, accepted, refused)
      expect(parameters["properties"]).toMatchObject({
        order_id: { type: "string", description: "The order's number" }
      })
      for (const definition of [
        { name: "return_order", inputSchema: schema },
        { name: "return_order", description: "Return an order", input_schema: schema },
        { return_order: { parameters: schema } },
        { return_order: schema }
      ]) {
        expect(only(definition)).toMatchObject({ name: "return_order", parameters: parameters })
      }
      expect(only({ name: "get_order", parameters: {}, outputSchema: schema }).output).toMatchObject({ type: "object" })
    })
  }

  it("are taken from the AI SDK's tools, of every version and with any schema in them", () => {
    const execute = async () => "ok"
    for (const made of [
      ...Object.values(order).map((inputSchema) => ({ description: "d", inputSchema, execute })),
      tool({ description: "d", inputSchema: order["Zod 4"], execute }),
      tool({ description: "d", inputSchema: zodSchema(order["Zod 4"]), execute }),
      tool({ description: "d", inputSchema: jsonSchema(z.toJSONSchema(order["Zod 4"]) as never), execute }),
      AiV6.tool({ description: "d", inputSchema: order["Zod 4"], execute }),
      AiV6.tool({ description: "d", inputSchema: AiV6.zodSchema(order["Zod 4"]), execute }),
      AiV6.tool({ description: "d", inputSchema: toStandardJsonSchema(order.Valibot), execute }),
      AiV7.tool({ description: "d", inputSchema: order["Zod 4"], execute }),
      AiV7.tool({ description: "d", inputSchema: order.ArkType, execute }),
      AiV7.tool({
        description: "d",
        inputSchema: AiV7.jsonSchema(() => z.toJSONSchema(order["Zod 4"]) as never),
        execute
      })
    ]) {
      const { description, name, parameters } = only({ return_order: made })
      expect([name, description]).toEqual(["return_order", "d"])
      const check = Arguments.ofSchema(parameters)
      expect(accepted.map(check)).toEqual(accepted.map(() => null))
      expect(refused.map(check)).not.toContain(null)
    }
  })

  it("are read from what their libraries make of them, a hidden key or not", () => {
    const written = z.toJSONSchema(order["Zod 4"])
    expect("~standard" in written).toBe(true)
    holds(written, accepted, refused)
    holds(toStandardJsonSchema(order.Valibot), accepted, refused)
    holds(Schema.standardSchemaV1(order["Effect Schema"]), accepted, refused)
    holds(order.ArkType.toJsonSchema(), accepted, refused)
  })

  it("may be a map of arguments, and stand inside JSON Schema", () => {
    const right = [{ id: "a" }, { id: "a", n: 1 }]
    const wrong = [{}, { id: 1 }, { id: "a", n: "x" }]
    for (const shape of [
      { id: z.string(), n: z.number().optional() },
      { id: z3.string(), n: z3.number().optional() },
      { id: v.string(), n: v.optional(v.number()) },
      { id: Schema.String, n: Schema.optional(Schema.Number) },
      { type: "object", properties: { id: z.string(), n: type("number") }, required: ["id"] },
      { type: "object", properties: { id: v.string(), n: z3.number() }, required: ["id"] }
    ]) {
      holds(shape, right, wrong)
    }
  })

  it("say what they can where JSON has no word for the rest", () => {
    for (const schema of [
      z.object({ id: z.string(), at: z.date() }),
      z3.object({ id: z3.string(), at: z3.function() }),
      v.object({ id: v.string(), at: v.function() }),
      type({ id: "string", at: "Date" })
    ]) {
      holds(schema, [{ id: "a", at: "2025-01-01T00:00:00Z" }], [{ id: 1, at: "2025-01-01T00:00:00Z" }])
    }
  })

  it.each([
    ["a promise", { parameters: Promise.resolve({}) }, "is there only later (a promise)", "Await it"],
    [
      "the AI SDK's promise",
      { inputSchema: AiV7.jsonSchema(async () => ({ type: "object" as const })) },
      "is there only later (a promise)",
      "Await it"
    ],
    [
      "a library without JSON Schema",
      { parameters: { "~standard": { version: 1, vendor: "toy", validate: () => ({ value: 1 }) } } },
      "is of toy, which offers no JSON Schema",
      "https://standardschema.dev"
    ],
    [
      "Zod 4 before it had one",
      { parameters: { _zod: { def: {} }, "~standard": { version: 1, vendor: "zod", validate: () => ({ value: 1 }) } } },
      "before 4.2",
      "Update zod to 4.2 or later, or give `z.toJSONSchema(schema)`"
    ]
  ])("refuse %s with what to do", (_, definition, problem, fix) => {
    expect(ToolDialect.read({ name: "do_it", ...definition }).problems).toEqual([
      {
        path: expect.stringContaining("do_it"),
        problem: expect.stringContaining(problem),
        fix: expect.stringContaining(fix)
      }
    ])
  })
})

describe("Zod 3", () => {
  it.each([
    [z3.object({ a: z3.string().email() }), [{ a: "a@b.co" }], [{ a: "x" }]],
    [z3.object({ a: z3.string().uuid() }).strict(), [{ a: "7f9c24e8-3b12-4fef-91e0-5e8c1c0d9f11" }], [{ a: "x" }]],
    [z3.object({ a: z3.string().startsWith("W.").endsWith("9") }), [{ a: "W.19" }], [{ a: "Wx9" }, { a: "W.1" }]],
    [z3.object({ a: z3.string().regex(/^\d+$/) }), [{ a: "12" }], [{ a: "x" }]],
    [z3.object({ a: z3.string() }).strict(), [{ a: "x" }], [{ a: "x", b: 1 }]],
    [z3.object({ a: z3.string() }).catchall(z3.number()), [{ a: "x", b: 1 }], [{ a: "x", b: "y" }]],
    [z3.object({ a: z3.nullable(z3.number().gt(1).lt(3)) }), [{ a: null }, { a: 2 }], [{ a: 1 }, { a: 3 }, {}]],
    [z3.object({ a: z3.number().multipleOf(5).default(5) }), [{}, { a: 10 }], [{ a: 3 }]],
    [z3.object({ a: z3.union([z3.string(), z3.literal(3)]) }), [{ a: "x" }, { a: 3 }], [{ a: 4 }]],
    [
      z3.object({
        a: z3.discriminatedUnion("k", [
          z3.object({ k: z3.literal("x"), n: z3.number() }),
          z3.object({ k: z3.literal("y") })
        ])
      }),
      [{ a: { k: "x", n: 1 } }, { a: { k: "y" } }],
      [{ a: { k: "x" } }, { a: { k: "z" } }]
    ],
    [z3.object({ a: z3.tuple([z3.string(), z3.number()]) }), [{ a: ["x", 1] }], [{ a: ["x"] }, { a: ["x", 1, 2] }]],
    [z3.object({ a: z3.tuple([z3.string()]).rest(z3.number()) }), [{ a: ["x", 1, 2] }], [{ a: ["x", "y"] }]],
    [z3.object({ a: z3.record(z3.number()) }), [{ a: { x: 1 } }], [{ a: { x: "y" } }]],
    [z3.object({ a: z3.set(z3.number()) }), [{ a: [1, 2] }], [{ a: [1, 1] }]],
    [z3.object({ a: z3.array(z3.any()).length(2) }), [{ a: [1, "x"] }], [{ a: [1] }]],
    [z3.object({ a: z3.string() }).and(z3.object({ b: z3.number() })), [{ a: "x", b: 1 }], [{ a: "x" }, { b: 1 }]],
    [z3.object({ a: z3.string().transform(Number).pipe(z3.number()) }), [{ a: "3" }], [{ a: 3 }]],
    [z3.object({ a: z3.preprocess(String, z3.string()).brand("x").readonly() }), [{ a: "3" }], []],
    [z3.object({ a: z3.nativeEnum({ low: 0, high: 1, 0: "low", 1: "high" } as const) }), [{ a: 0 }], [{ a: "low" }]],
    [z3.object({ a: z3.nativeEnum({ low: "l", high: "h" } as const) }), [{ a: "l" }], [{ a: "low" }]]
  ])("reads %#", (schema, right, wrong) => {
    for (const value of right) expect(schema.safeParse(value).success || value.a instanceof Array).toBe(true)
    for (const value of wrong) expect(schema.safeParse(value).success).toBe(false)
    holds(schema, right, wrong)
  })

  it("reads a schema that holds itself", () => {
    interface Node {
      readonly name: string
      readonly under?: ReadonlyArray<Node> | undefined
    }
    const node: z3.ZodType<Node> = z3.lazy(() => z3.object({ name: z3.string(), under: z3.array(node).optional() }))
    holds(
      z3.object({ root: node }),
      [{ root: { name: "a", under: [{ name: "b", under: [] }] } }],
      [{ root: { name: "a", under: [{}] } }, { root: {} }]
    )
  })
})

describe("Valibot", () => {
  it.each([
    [v.object({ a: v.pipe(v.string(), v.email()) }), [{ a: "a@b.co" }], [{ a: "x" }]],
    [v.object({ a: v.pipe(v.string(), v.regex(/^\d+$/), v.startsWith("1")) }), [{ a: "12" }], [{ a: "x" }, { a: "2" }]],
    [v.strictObject({ a: v.string() }), [{ a: "x" }], [{ a: "x", b: 1 }]],
    [v.objectWithRest({ a: v.string() }, v.number()), [{ a: "x", b: 1 }], [{ a: "x", b: "y" }]],
    [v.object({ a: v.nullable(v.number()) }), [{ a: null }, { a: 2 }], [{ a: "x" }, {}]],
    [v.object({ a: v.nullish(v.number()) }), [{ a: null }, {}], [{ a: "x" }]],
    [v.object({ a: v.optional(v.picklist(["x", "y"]), "x") }), [{}, { a: "y" }], [{ a: "z" }]],
    [v.object({ a: v.union([v.string(), v.literal(3)]) }), [{ a: "x" }, { a: 3 }], [{ a: 4 }]],
    [
      v.object({
        a: v.variant("k", [v.object({ k: v.literal("x"), n: v.number() }), v.object({ k: v.literal("y") })])
      }),
      [{ a: { k: "x", n: 1 } }, { a: { k: "y" } }],
      [{ a: { k: "x" } }, { a: { k: "z" } }]
    ],
    [v.object({ a: v.strictTuple([v.string(), v.number()]) }), [{ a: ["x", 1] }], [{ a: ["x"] }, { a: ["x", 1, 2] }]],
    [v.object({ a: v.record(v.string(), v.number()) }), [{ a: { x: 1 } }], [{ a: { x: "y" } }]],
    [
      v.object({ a: v.pipe(v.array(v.any()), v.nonEmpty(), v.maxLength(2)) }),
      [{ a: [1, "x"] }],
      [{ a: [] }, { a: [1, 2, 3] }]
    ],
    [
      v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]),
      [{ a: "x", b: 1 }],
      [{ a: "x" }, { b: 1 }]
    ],
    [v.object({ a: v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(5)) }), [{ a: "7" }], [{ a: 7 }]],
    [v.object({ a: v.enum({ low: "l", high: "h" } as const) }), [{ a: "l" }], [{ a: "low" }]],
    [v.object({ a: v.pipe(v.number(), v.multipleOf(5), v.ltValue(20)) }), [{ a: 15 }], [{ a: 3 }, { a: 20 }]]
  ])("reads %#", (schema, right, wrong) => {
    for (const value of right) expect(v.safeParse(schema, value).success).toBe(true)
    for (const value of wrong) expect(v.safeParse(schema, value).success).toBe(false)
    holds(schema, right, wrong)
  })

  it("reads a schema that holds itself", () => {
    interface Node {
      readonly name: string
      readonly under?: ReadonlyArray<Node> | undefined
    }
    const node: v.GenericSchema<Node> = v.object({ name: v.string(), under: v.optional(v.array(v.lazy(() => node))) })
    holds(node, [{ name: "a", under: [{ name: "b", under: [] }] }], [{ name: "a", under: [{}] }, {}])
  })
})

describe("a run", () => {
  it.effect("takes tools of any library by its option", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        agent: async (_, { world }) => {
          const parts = await Promise.all(
            Object.keys(named).map((name) => world.call(name, { order_id: "W301", reason: "late" }))
          )
          return `${JSON.stringify(parts)} ${JSON.stringify(await world.call("return_zod4", { order_id: "W301" }))}`
        },
        tools: named,
        simulator: false,
        faultRate: 0,
        budget: 2
      })
      expect(data.rows).toHaveLength(2)
      for (const { steps } of data.rows) {
        const calls = steps.flatMap((step) => ("tool" in step ? [step] : []))
        expect(calls.slice(0, 5).map(({ status }) => status)).not.toContain("error")
        expect(JSON.stringify(calls[5]?.result)).toContain("reason is required")
      }
    })
  )
})

const named = {
  return_zod4: { description: "Return an order", inputSchema: order["Zod 4"] },
  return_zod3: { description: "Return an order", inputSchema: order["Zod 3"] },
  return_valibot: { description: "Return an order", inputSchema: order.Valibot },
  return_ark: { description: "Return an order", inputSchema: order.ArkType },
  return_effect: { description: "Return an order", inputSchema: order["Effect Schema"] }
}
