import { layerUndici } from "@sandtable/backends/node"
import * as ToolSchemas from "@sandtable/backends/ToolSchemas"
import type { ToolSpec } from "@sandtable/core/ChatModel"
import * as ToolDialect from "../../packages/core/src/task/ToolDialect.ts"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { behind, hi, protocols } from "./asking.ts"

const tool = (parameters: Record<string, unknown>, name = "find"): ToolSpec => ({ name, description: "", parameters })

const written = (parameters: Record<string, unknown>, dialect = ToolSchemas.open) => {
  const { refusals, tools } = ToolSchemas.normalise([tool(parameters)], dialect)
  expect(refusals).toEqual([])
  return tools[0]?.parameters
}
const property = (schema: unknown, dialect = ToolSchemas.open) =>
  (written({ type: "object", properties: { x: schema } }, dialect) as { properties: { x: unknown } }).properties.x

describe("a tool's schema", () => {
  it("has references and definitions written out, and is never changed itself", () => {
    const given = {
      type: "object",
      $defs: { Money: { type: "object", properties: { amount: { type: "number" } } } },
      properties: {
        price: { $ref: "#/$defs/Money", description: "What it costs" },
        old: { $ref: "#/definitions/a~1b" }
      },
      definitions: { "a/b": { type: "string" } }
    }
    const before = JSON.stringify(given)
    expect(written(given)).toEqual({
      type: "object",
      properties: {
        price: { type: "object", properties: { amount: { type: "number" } }, description: "What it costs" },
        old: { type: "string" }
      }
    })
    expect(JSON.stringify(given)).toBe(before)
  })

  const tree = {
    type: "object",
    properties: { root: { $ref: "#/$defs/Node" } },
    $defs: {
      Node: {
        type: "object",
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } }
      }
    }
  }

  it("may refer to itself where that is understood", () => {
    expect(written(tree, ToolSchemas.openAi)).toMatchObject({
      properties: { root: { properties: { children: { items: { $ref: "#/$defs/Node" } } } } },
      $defs: { Node: { properties: { children: { items: { $ref: "#/$defs/Node" } } } } }
    })
  })

  it("is cut where it repeats itself elsewhere", () => {
    const schema = JSON.stringify(written(tree))
    expect(schema).not.toContain("$ref")
    expect(schema.match(/"name"/g)).toHaveLength(2)
  })

  it("has nullable lists and enums in the spelling that is read", () => {
    expect(property({ type: ["string", "null"] }, ToolSchemas.openAi)).toEqual({ type: ["string", "null"] })
    expect(property({ type: ["string", "null"] })).toEqual({ type: "string", description: "(may be left out)" })
    expect(property({ type: "string", nullable: true, enum: ["a"] }, ToolSchemas.openAi)).toEqual({
      type: ["string", "null"],
      enum: ["a", null]
    })
    expect(property({ anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }], description: "Which" })).toEqual({
      type: "string",
      enum: ["a"],
      description: "Which (may be left out)"
    })
    expect(property({ type: ["string", "integer"] })).toEqual({ anyOf: [{ type: "string" }, { type: "integer" }] })
    expect(property({ enum: ["a", "b"] })).toEqual({ enum: ["a", "b"], type: "string" })
    expect(property({ enum: [1, 2.5] })).toEqual({ enum: [1, 2.5], type: "number" })
    expect(property({ const: true })).toEqual({ const: true, type: "boolean" })
    expect(property({ type: "array" })).toEqual({ type: "array", items: {} })
  })

  it("has unions told plainly", () => {
    expect(property({ oneOf: [{ type: "string" }, { type: "integer" }] })).toEqual({
      anyOf: [{ type: "string" }, { type: "integer" }]
    })
    expect(
      property({
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "string" } }, required: ["b"] }
        ]
      })
    ).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      required: ["a", "b"]
    })
  })

  it("is one object of arguments whatever it chooses between", () => {
    const one = (name: string) => ({
      type: "object",
      properties: { id: { type: "string" }, [name]: { type: "string" } },
      required: ["id", name]
    })
    expect(written({ anyOf: [one("email"), one("phone")] })).toEqual({
      type: "object",
      properties: { id: { type: "string" }, email: { type: "string" }, phone: { type: "string" } },
      required: ["id"]
    })
    expect(written({})).toEqual({ type: "object", properties: {} })
  })

  it("takes any name as a property", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'
    ) as Record<string, unknown>
    expect(JSON.stringify(written(schema))).toBe(JSON.stringify(schema))
  })
})

describe("what a provider cannot take", () => {
  const refused: ReadonlyArray<readonly [string, Record<string, unknown>, string, RegExp]> = [
    [
      "a reference to nothing",
      { type: "object", properties: { a: { $ref: "#/$defs/None" } } },
      "parameters.properties.a.$ref",
      /does not hold/
    ],
    [
      "a reference to another document",
      { type: "object", properties: { a: { $ref: "https://x/y.json" } } },
      "parameters.properties.a.$ref",
      /another document/
    ],
    ["arguments that are no object", { type: "string" }, "parameters", /arguments are an object/],
    [
      "a type nobody has",
      { type: "object", properties: { a: { type: "money" } } },
      "parameters.properties.a.type",
      /JSON Schema does not have/
    ],
    ["what is no schema", { type: "object", properties: { a: 5 } }, "parameters.properties.a", /is no schema/]
  ]
  for (const [what, parameters, path, problem] of refused) {
    it(`is named by tool and path: ${what}`, () => {
      const { refusals } = ToolSchemas.normalise([tool(parameters)], ToolSchemas.openAi)
      expect(refusals).toHaveLength(1)
      expect(refusals[0]).toMatchObject({ tool: "find", path })
      expect(ToolSchemas.sentence(refusals[0]!)).toMatch(problem)
    })
  }

  it("grows without end: is said, and costs no time", () => {
    const level = (n: number): unknown =>
      n === 0
        ? { type: "string" }
        : { type: "object", properties: { a: { $ref: `#/$defs/l${n - 1}` }, b: { $ref: `#/$defs/l${n - 1}` } } }
    const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`l${n}`, level(n)]))
    const { refusals } = ToolSchemas.normalise(
      [tool({ type: "object", properties: { a: { $ref: "#/$defs/l29" } }, $defs })],
      ToolSchemas.openAi
    )
    expect(refusals).toHaveLength(1)
    expect(refusals[0]?.problem).toContain("grows without end")
  })

  it("names and numbers count too", () => {
    const many = Array.from({ length: 129 }, (_, i) => tool({}, `t${i}`))
    expect(ToolSchemas.normalise(many, ToolSchemas.openAi).refusals).toMatchObject([
      { tool: "t128", path: "tools[128]" }
    ])
    expect(ToolSchemas.normalise([tool({}, "get order")], ToolSchemas.anthropic).refusals).toMatchObject([
      { path: "name" }
    ])
    const odd = tool({ type: "object", properties: { "customer name": { type: "string" } } })
    expect(ToolSchemas.normalise([odd], ToolSchemas.anthropic).refusals).toMatchObject([
      { path: "parameters.properties.customer name" }
    ])
    expect(ToolSchemas.normalise([odd], ToolSchemas.openAi).refusals).toEqual([])
  })

  for (const { make, name } of protocols) {
    it.scoped(`${name}: is known before a run, and no call is made with it`, () =>
      Effect.gen(function* () {
        const { model, server } = yield* behind([{ text: "ok" }], {}, make)
        const tools = [tool({ type: "object", properties: { a: { $ref: "#/no" } } })]
        expect(model.refusals?.(tools)).toMatchObject([{ tool: "find", path: "parameters.properties.a.$ref" }])
        const failed = yield* Effect.flip(model.complete({ ...hi, tools }))
        expect(failed).toMatchObject({ reason: "bad_request" })
        expect(failed.message).toContain(
          'the tool "find" cannot be told: parameters.properties.a.$ref points at "#/no"'
        )
        expect(server.received).toEqual([])
      }).pipe(Effect.provide(layerUndici))
    )
  }
})

describe("a schema for replies", () => {
  it("is strict when every object is closed and requires all it has", () => {
    const closed = {
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
      required: ["a"],
      additionalProperties: false
    }
    expect(ToolSchemas.isStrict(closed)).toBe(true)
    expect(ToolSchemas.isStrict({ ...closed, required: [] })).toBe(false)
    expect(ToolSchemas.isStrict({ type: "array", items: { type: "object" } })).toBe(false)
  })
})

const data = process.env["SANDTABLE_TEST_DATA"]

describe.skipIf(data === undefined)("schemas of others (SANDTABLE_TEST_DATA says where they are)", () => {
  it("are taken in every dialect once they were read", () => {
    const lines = readFileSync(`${data}/schemas/functions.jsonl`, "utf8").trim().split("\n")
    const functions = lines.map((line) => JSON.parse(line) as { readonly function?: unknown })
    let told = 0
    for (const each of functions) {
      const { tools } = ToolDialect.read([each.function ?? each])
      told += tools.length
      for (const dialect of [ToolSchemas.openAi, ToolSchemas.open]) {
        const { refusals } = ToolSchemas.normalise(tools, dialect)
        // Names with dots are the one thing that one of them does not take.
        expect(refusals.filter(({ path }) => path !== "name")).toEqual([])
      }
    }
    expect(told).toBeGreaterThan(200)
  })
})
