import { describe, expect, it } from "@effect/vitest"
import Ajv2020 from "ajv/dist/2020.js"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Tool } from "@sandtable/core/Tool"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"

const ajv = new Ajv2020.default({ strict: false, addUsedSchema: false, logger: false })
const compile = (schema: object) => ajv.compile(schema)

const one = (input: unknown): Tool => {
  const { tools, problems } = ToolDialect.read(input)
  expect(problems).toEqual([])
  expect(tools).toHaveLength(1)
  return tools[0]!
}

const parametersOf = (parameters: unknown) => one({ name: "t", parameters }).parameters

const order = {
  type: "object",
  properties: { order_id: { type: "string", description: "The order." } },
  required: ["order_id"]
}

describe("patterns", () => {
  const kept = (pattern: string): unknown =>
    (parametersOf({ type: "object", properties: { x: { type: "string", pattern } } }).properties as { x: object }).x

  it.each([
    "^(a+)+$",
    "^(a|a)*$",
    "^(?:\\w*\\s?)*$",
    "^(?<x>(a|b)+c)$",
    "^((a?){30})$",
    "^([a-z(]+)*$",
    "(\\(\\d+\\))+",
    "(x".repeat(2000) + ")+".repeat(2000)
  ])("that may take forever are not checked: %s", (pattern) => {
    expect(kept(pattern)).toEqual({ type: "string" })
  })

  it.each([
    "^[A-Z]{3}-\\d{4}$",
    "^\\d+-\\d+$",
    "^(\\d{1,3}\\.){3}\\d{1,3}$",
    "^(ab|cd)$",
    "^(-\\d{2})*$",
    "^(\\+\\d+)?$",
    "^[(+*|)]+$",
    "^\\(a\\+\\)+$",
    "^(?=.{3,})\\p{L}+$"
  ])("of usual kinds are checked: %s", (pattern) => {
    expect(kept(pattern)).toEqual({ type: "string", pattern })
  })

  it("that are not checked forbid no property", () => {
    const open = { type: "object", patternProperties: { "^(a+)+$": { type: "string" } }, additionalProperties: false }
    expect(parametersOf(open)).toEqual({ type: "object", properties: {} })
  })
})

describe("dialects", () => {
  const bare = { name: "get_order", description: "Read an order.", parameters: order }
  const dialects: ReadonlyArray<readonly [string, unknown]> = [
    ["a list of bare functions", [bare]],
    ["one bare function", bare],
    ["OpenAI's envelope", [{ type: "function", function: bare }]],
    ["OpenAI's flat form", [{ type: "function", strict: true, ...bare }]],
    ["Anthropic's input_schema", [{ name: "get_order", description: "Read an order.", input_schema: order }]],
    ["an MCP list", { tools: [{ name: "get_order", description: "Read an order.", inputSchema: order }] }],
    ["a list of MCP lists", [{ tools: [{ name: "get_order", description: "Read an order.", inputSchema: order }] }]],
    ["Gemini's declarations", [{ functionDeclarations: [bare] }]],
    [
      "Bedrock's toolSpec",
      [{ toolSpec: { name: "get_order", description: "Read an order.", inputSchema: { json: order } } }]
    ],
    ["an object keyed by name", { get_order: { description: "Read an order.", parameters: order } }],
    ["JSON Schemas keyed by name", { get_order: { description: "Read an order.", ...order } }],
    ["a titled JSON Schema", { title: "get_order", description: "Read an order.", ...order }]
  ]
  it.each(dialects)("reads %s", (_, input) => {
    const { description: _described, ...rest } = one(input).parameters
    expect(one(input)).toMatchObject({ name: "get_order", description: "Read an order.", kind: "read" })
    expect(rest).toMatchObject(order)
  })

  it("reads what it wrote as the same tools", () => {
    const { tools } = ToolDialect.read([bare, { name: "refund_order", parameters: order, outputSchema: order }])
    expect(ToolDialect.read(tools)).toEqual({ tools, problems: [] })
  })

  it("reads Effect Schemas, references written out", () => {
    class Address extends Schema.Class<Address>("Address")({
      street: Schema.String,
      zip: Schema.optional(Schema.Int)
    }) {}
    const tool = one({
      name: "set_address",
      description: "Change the address.",
      parameters: Schema.Struct({ order_id: Schema.String, address: Address }),
      success: Schema.Void
    })
    expect(tool.parameters).toMatchObject({
      type: "object",
      required: ["order_id", "address"],
      properties: { address: { type: "object", properties: { street: { type: "string" }, zip: { type: "integer" } } } }
    })
    expect(tool.parameters).not.toHaveProperty("$defs")
    expect(parametersOf({ id: Schema.String })).toMatchObject({ properties: { id: { type: "string" } } })
    expect(one({ ping: Schema.Struct({}) }).parameters).toMatchObject({ type: "object", properties: {} })
  })

  it("reads tools and toolkits that have the shape of @effect/ai's", () => {
    const weather = {
      id: "@effect/ai/Tool/get_weather",
      name: "get_weather",
      description: "Weather of a city.",
      parametersSchema: Schema.Struct({ city: Schema.String }),
      successSchema: Schema.Struct({ celsius: Schema.Number }),
      failureSchema: Schema.Never,
      annotations: { unsafeMap: new Map<string, unknown>([["@effect/ai/Tool/Readonly", true]]) }
    }
    const toolkit = Object.assign(() => {}, { tools: { get_weather: weather } })
    for (const input of [[weather], { tools: { get_weather: weather } }, toolkit]) {
      expect(one(input)).toMatchObject({
        name: "get_weather",
        kind: "read",
        parameters: { properties: { city: { type: "string" } } },
        output: { properties: { celsius: { type: "number" } } }
      })
    }
  })

  it("keeps the schema and an example of the result", () => {
    const result = { type: "dict", properties: { total: { type: "float" } } }
    for (const key of ["outputSchema", "output_schema", "response", "returns"]) {
      expect(one({ name: "t", [key]: result }).output).toEqual({
        type: "object",
        properties: { total: { type: "number" } }
      })
    }
    expect(one({ name: "t", returns: "the total" }).output).toBeUndefined()
    expect(one({ name: "t", example: { total: 3 } }).example).toEqual({ total: 3 })
    expect(one({ name: "t", examples: [{ input: {}, output: { total: 3 } }] }).example).toEqual({ total: 3 })
    expect(one({ name: "t", outputSchema: { ...result, examples: [{ total: 4 }] } }).example).toEqual({ total: 4 })
  })

  it("takes what nothing explains for a read, and says that it guessed", () => {
    for (const name of ["auftrag_suchen", "rechercher_commande", "注文検索", "zk_7f", "frobnicate", "constructor"]) {
      expect(one({ name })).toMatchObject({ name, kind: "read", kindGuessed: true, destructive: false })
    }
    for (const known of [
      { name: "auftrag_stornieren", description: "Cancels an order." },
      { name: "zk_7f", kind: "other" },
      { name: "zk_7f", annotations: { readOnlyHint: false } },
      { name: "zk_7f", annotations: { readOnlyHint: true } }
    ]) {
      expect(one(known).kindGuessed).toBeUndefined()
    }
    expect(one({ name: "auftrag_stornieren", description: "Cancels an order." }).kind).toBe("delete")
    expect(one({ name: "zk_7f", annotations: { readOnlyHint: false } }).kind).toBe("other")
    expect(ToolDialect.read({ name: "zk_7f" }, { zk_7f: "update" }).tools[0]).not.toHaveProperty("kindGuessed")
  })

  it("takes the caller's word for what a tool does", () => {
    expect(ToolDialect.read({ name: "get_order" }, { get_order: "delete" }).tools[0]).toMatchObject({
      kind: "delete",
      destructive: true
    })
    expect(one({ name: "sync_order", annotations: { readOnlyHint: true } })).toMatchObject({
      kind: "read",
      destructive: false
    })
    expect(one({ name: "sync_all", annotations: { destructiveHint: true } })).toMatchObject({
      kind: "other",
      destructive: true
    })
  })
})

describe("odd schemas", () => {
  it.each([
    ["dict", { type: "object" }],
    ["float", { type: "number" }],
    ["tuple", { type: "array" }],
    ["any", {}],
    ["int", { type: "integer" }],
    ["str", { type: "string" }],
    ["STRING", { type: "string" }],
    ["bool", { type: "boolean" }],
    ["list", { type: "array" }],
    ["List[str]", { type: "array", items: { type: "string" } }],
    ["number[]", { type: "array", items: { type: "number" } }],
    ["Optional[int]", { anyOf: [{ type: "integer" }, { type: "null" }] }],
    ["int | None", { anyOf: [{ type: "integer" }, { type: "null" }] }],
    ["date", { type: "string", format: "date" }]
  ])("reads the type %s", (type, schema) => {
    expect(parametersOf({ properties: { x: { type } } }).properties).toEqual({ x: schema })
  })

  it("takes required and optional from where people write them", () => {
    const { properties, required } = parametersOf({
      type: "dict",
      properties: {
        a: { type: "string", required: true },
        b: { type: "string", required: "False" },
        c: { type: "string", optional: "True" },
        d: { type: "string" }
      },
      required: ["b", "c", "d", "e"]
    })
    expect(required).toEqual(["d", "e", "a"])
    expect(properties).toEqual({
      a: { type: "string" },
      b: { type: "string" },
      c: { type: "string" },
      d: { type: "string" },
      e: {}
    })
  })

  it("fills in what is missing", () => {
    for (const parameters of [undefined, null, {}, { type: "object" }, { properties: null }]) {
      expect(parametersOf(parameters)).toEqual({ type: "object", properties: {} })
    }
    expect(parametersOf({ city: { type: "string" } })).toEqual({
      type: "object",
      properties: { city: { type: "string" } }
    })
    expect(
      parametersOf({ properties: { list: { items: { type: "str" } }, map: { properties: {} } } }).properties
    ).toEqual({
      list: { type: "array", items: { type: "string" } },
      map: { type: "object", properties: {} }
    })
  })

  it("reads keywords of older drafts and of OpenAPI", () => {
    const { properties } = parametersOf({
      properties: {
        low: { type: "number", minimum: 0, exclusiveMinimum: true },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
        maybe: { type: "string", nullable: true, example: "A1" },
        choice: { type: "string", enum: [1, 2, 2] },
        tags: { type: "array", enum: ["a", "b"] },
        place: { $ref: "#/definitions/Place" }
      },
      definitions: { Place: { type: "dict", properties: { city: { type: "str" } } } }
    })
    expect(properties).toEqual({
      low: { type: "number", exclusiveMinimum: 0 },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
      maybe: { type: ["string", "null"], examples: ["A1"] },
      choice: { enum: [1, 2] },
      tags: { type: "array", items: { enum: ["a", "b"] } },
      place: { type: "object", properties: { city: { type: "string" } } }
    })
  })

  it("keeps recursive references, and they compile", () => {
    const parameters = parametersOf({
      properties: { tree: { $ref: "#/$defs/Tree" } },
      $defs: { Tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } } }
    })
    const validate = compile(parameters)
    expect(validate({ tree: { children: [{ children: [] }] } })).toBe(true)
    expect(validate({ tree: { children: [{ children: 3 }] } })).toBe(false)
  })

  it("leaves out keywords that mean nothing, and compiles", () => {
    const parameters = parametersOf({
      properties: {
        x: { type: "string", pattern: "(?i)abc", minLength: "two", maxLength: "5", format: 3, id: "x", nullable: "no" }
      },
      required: true
    })
    expect(parameters).toEqual({ type: "object", properties: { x: { type: "string", maxLength: 5 } } })
    expect(compile(parameters)({ x: "abc" })).toBe(true)
  })

  it("does not touch what it was given", () => {
    const given = { type: "dict", properties: { x: { type: "float", required: true } } }
    const before = structuredClone(given)
    parametersOf(given)
    expect(given).toEqual(before)
  })
})

describe("what cannot be read", () => {
  const circular: Record<string, unknown> = { type: "object" }
  circular["properties"] = { self: circular }
  it.each<[string, unknown, string, RegExp]>([
    ["no name", [{ description: "x" }], "tools[0]", /has no name/],
    ["a blank name", [{ name: "  " }], "tools[0]", /has no name/],
    ["parameters that are text", [{ name: "a", parameters: "x" }], "tools[0] (a) parameters", /not an object/],
    ["parameters that are a list", [{ name: "a", parameters: [] }], "tools[0] (a) parameters", /a list/],
    ["parameters of a string", [{ name: "a", parameters: { type: "string" } }], "tools[0] (a) parameters", /string/],
    [
      "an unknown type",
      [{ name: "a", parameters: { properties: { x: { type: "quux" } } } }],
      "tools[0] (a) parameters.x",
      /"quux"/
    ],
    [
      "a reference to elsewhere",
      [{ name: "a", parameters: { properties: { x: { $ref: "https://example.com/x.json" } } } }],
      "tools[0] (a) parameters.x.$ref",
      /https:/
    ],
    [
      "a reference to nowhere",
      [{ name: "a", parameters: { properties: { x: { $ref: "#/$defs/X" } } } }],
      "tools[0] (a) parameters.x",
      /\$defs\/X/
    ],
    ["a circular object", [{ name: "a", parameters: circular }], "", /circular/],
    ["a function", [() => 1], "tools[0]", /a function/],
    ["text for the list", "tools.json", "tools", /not tool definitions/],
    ["a number among them", [3], "tools[0]", /is 3/],
    [
      "another library's schema",
      [{ name: "a", parameters: { _def: {} } }],
      "tools[0] (a) parameters",
      /another library/
    ],
    [
      "two tools of one name",
      [{ name: "a" }, { name: "a", description: "other" }],
      "tools[1] (a)",
      /name of an earlier tool/
    ]
  ])("refuses %s by name, with the reason", (_, input, at, reason) => {
    const { problems } = ToolDialect.read(input)
    expect(problems).toHaveLength(1)
    expect(problems[0]!.path.startsWith(at)).toBe(true)
    expect(problems[0]!.problem).toMatch(reason)
    expect(problems[0]!.fix).not.toBe("")
  })

  it("names every broken tool and reads the others", () => {
    const { tools, problems } = ToolDialect.read([{ name: "a" }, {}, { name: "b", parameters: 3 }, { name: "c" }])
    expect(tools.map((tool) => tool.name)).toEqual(["a", "c"])
    expect(problems.map((problem) => problem.path)).toEqual(["tools[1]", "tools[2] (b) parameters"])
  })

  it("keeps one of two equal definitions", () => {
    expect(ToolDialect.read([{ name: "a" }, { name: "a" }])).toMatchObject({ tools: [{ name: "a" }], problems: [] })
  })

  it("takes hostile names as names", () => {
    const input: unknown = JSON.parse(
      '{"__proto__": {"description": "x"}, "constructor": {"parameters": {"properties": {"__proto__": {"type": "str"}}, "required": ["toString"]}}}'
    )
    const { tools, problems } = ToolDialect.read(input)
    expect(problems).toEqual([])
    expect(tools.map((tool) => tool.name)).toEqual(["__proto__", "constructor"])
    expect(Object.keys(tools[1]!.parameters["properties"] as object)).toEqual(["__proto__", "toString"])
    expect(({} as { readonly type?: unknown }).type).toBeUndefined()
  })
})

it("prefers the caller's tool to a spec's of the same name", () => {
  const mine = ToolDialect.read([{ name: "a", description: "mine" }]).tools
  const theirs = ToolDialect.read([{ name: "a", description: "theirs" }, { name: "b" }]).tools
  expect(ToolDialect.merge(mine, theirs).map((tool) => tool.description)).toEqual(["mine", ""])
})

it.prop(
  "never throws, and what it reads compiles",
  [FastCheck.anything({ maxDepth: 4, withBigInt: true })],
  ([junk]) => {
    for (const input of [
      junk,
      [junk],
      { name: "t", parameters: junk },
      { name: "t", parameters: { properties: { x: junk } } }
    ]) {
      for (const tool of ToolDialect.read(input).tools) compile(tool.parameters)
    }
  }
)

const data = process.env["SANDTABLE_TEST_DATA"]

describe.skipIf(data === undefined)("definitions nobody here wrote (SANDTABLE_TEST_DATA)", () => {
  const read = (file: string) => fs.readFileSync(path.join(data ?? "", file), "utf8")

  it("reads all 300 odd functions, and their parameters compile", () => {
    const functions = read("schemas/functions.jsonl")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { readonly function: { readonly name: string } }).function)
    expect(functions).toHaveLength(300)
    for (const definition of functions) {
      const tool = one(definition)
      expect(tool.name).toBe(definition.name)
      expect(JSON.stringify(tool.parameters)).not.toMatch(/"type":"(dict|float|tuple|any)"|"optional":/)
      compile(tool.parameters)
    }
  })

  it("reads the retail tools", () => {
    const { tools, problems } = ToolDialect.read(JSON.parse(read("retail/tools.json")))
    expect(problems).toEqual([])
    expect(tools).toHaveLength(16)
    for (const tool of tools) compile(tool.parameters)
  })
})
