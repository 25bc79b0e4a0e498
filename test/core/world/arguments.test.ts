import { describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as FastCheck from "effect/FastCheck"
import * as Arguments from "../../../packages/core/src/world/Arguments.ts"
import { define, tools } from "./worlds.ts"

const problemOf = (schema: object, value: unknown) => Arguments.ofSchema(schema as Record<string, unknown>)(value)
const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 20 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    share: { type: "number", exclusiveMinimum: 0, multipleOf: 0.1 },
    email: { type: "string", format: "email" },
    code: { type: "string", pattern: "^[A-Z]{2}\\d+$" },
    tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1, maxItems: 2, uniqueItems: true },
    home: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
    pair: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }] },
    counts: {
      type: "object",
      patternProperties: { "^n": { type: "integer" } },
      additionalProperties: { type: "string" }
    },
    friend: { $ref: "#" }
  },
  required: ["name"]
}

describe("Arguments", () => {
  it.each([
    [{}, "name is required"],
    [{ name: 5 }, "name must be a string, not 5"],
    [{ name: "" }, "name must not be empty"],
    [{ name: "x".repeat(21) }, "name must have at most 20 characters"],
    [{ name: "A", age: 1.5 }, "age must be an integer, not 1.5"],
    [{ name: "A", age: "5" }, 'age must be an integer, not "5"'],
    [{ name: "A", age: 151 }, "age must be at most 150, not 151"],
    [{ name: "A", share: 0 }, "share must be more than 0, not 0"],
    [{ name: "A", share: 0.25 }, "share must be a multiple of 0.1, not 0.25"],
    [{ name: "A", email: "nobody" }, 'email must be a valid email, not "nobody"'],
    [{ name: "A", code: "a1" }, 'code must match ^[A-Z]{2}\\d+$, not "a1"'],
    [{ name: "A", tags: ["c"] }, 'tags[0] must be one of "a", "b", not "c"'],
    [{ name: "A", tags: [] }, "tags must have at least 1 item"],
    [{ name: "A", tags: ["a", "a"] }, "tags must not repeat an item"],
    [{ name: "A", home: {} }, "home.city is required"],
    [{ name: "A", home: { city: "Oslo", zip: 1 } }, "home.zip is not an argument; accepted: city"],
    [{ name: "A", either: true }, "either must be a string, not true"],
    [{ name: "A", pair: [1, 2] }, "pair[1] must be a string, not 2"],
    [{ name: "A", counts: { n1: "x" } }, 'counts.n1 must be an integer, not "x"'],
    [{ name: "A", friend: { name: "B", friend: { age: 1 } } }, "friend.friend.name is required"],
    ["A", 'the arguments must be an object, not "A"']
  ])("says what is wrong with %j", (value, problem) => {
    expect(problemOf(person, value)).toBe(problem)
  })

  it.each([
    { name: "A" },
    { name: "A", age: null, unknown: 1 },
    { name: "A", share: 0.3, tags: ["a", "b"], either: 5, pair: [1, "x", true], counts: { n1: 1, other: "x" } },
    { name: "A", friend: { name: "B", friend: { name: "C" } } }
  ])("finds nothing wrong with %j", (value) => {
    expect(problemOf(person, value)).toBeNull()
  })

  it("shortens a long wrong value", () => {
    expect(problemOf({ type: "integer" }, "x".repeat(5000))?.length).toBeLessThan(120)
  })

  it("tells placeholders from values", () => {
    const [tool] = tools(define("move", { order_id: { type: "string" }, note: { type: "string" } }))
    const check = tool === undefined ? () => "none" : Arguments.compile(tool)
    for (const order_id of [
      "<order_id>",
      "{{order_id}}",
      "${id}",
      "[insert order id]",
      "your_order_id",
      "order_id_here",
      "ORDER-ID",
      "orderId",
      "XXXX",
      "placeholder",
      "unknown",
      "N/A",
      "string",
      "null",
      "..."
    ]) {
      expect([order_id, check({ order_id, note: "x" })]).toEqual([order_id, expect.stringContaining("placeholder")])
    }
    for (const order_id of ["#W1", "A-1001", "unknown-7", "id-55", "ord_x1", "1", "7f9c"])
      expect(check({ order_id, note: "x" })).toBeNull()
    for (const note of ["unknown", "your call", "a < b > c", "[sic]", "n/a", "string theory"])
      expect(check({ order_id: "A1", note })).toBeNull()
    for (const note of ["<note>", "{{note}}", "string"])
      expect(check({ order_id: "A1", note })).toContain("placeholder")
  })

  it.prop(
    "agrees with a full validator wherever a tool's schema is plain",
    [
      FastCheck.letrec((tie) => ({
        schema: FastCheck.oneof(
          { maxDepth: 3 },
          FastCheck.constantFrom<object>(
            { type: "string" },
            { type: "integer", minimum: 0 },
            { type: "number", maximum: 5 },
            { type: "boolean" },
            { enum: ["a", 1, null] },
            { type: ["string", "null"] },
            { type: "string", pattern: "^a" }
          ),
          FastCheck.record({ type: FastCheck.constant("array"), items: tie("schema"), minItems: FastCheck.nat(2) }),
          FastCheck.record({
            type: FastCheck.constant("object"),
            properties: FastCheck.dictionary(FastCheck.constantFrom("a", "b", "c"), tie("schema")),
            required: FastCheck.subarray(["a", "b"]),
            additionalProperties: FastCheck.boolean()
          }),
          FastCheck.record({ anyOf: FastCheck.array(tie("schema"), { minLength: 1, maxLength: 2 }) })
        )
      })).schema,
      FastCheck.jsonValue({ maxDepth: 3 })
    ],
    ([schema, value]) => {
      // Left out on purpose: a null where the tool would let the argument be missing.
      const nulls = JSON.stringify(value).includes("null")
      if (nulls) return
      expect(problemOf(schema as object, value) === null).toBe(
        new Ajv2020({ strict: false }).compile(schema as object)(value)
      )
    }
  )
})
