import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Arguments from "../../../packages/core/src/world/Arguments.ts"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"

/** What a schema of some draft accepts and refuses, by a reading of its specification. */
interface Case {
  readonly keyword: string
  readonly draft?: "draft-07" | "2019-09"
  readonly schema: Readonly<Record<string, unknown>>
  readonly accepts: ReadonlyArray<unknown>
  readonly refuses: ReadonlyArray<unknown>
}

/** Written in pairs: an object with a `then` is taken for a promise. */
const condition = (met: object, holds: object | undefined, fails?: object): object =>
  Object.fromEntries(
    [
      ["if", met],
      ["then", holds],
      ["else", fails]
    ].filter(([, schema]) => schema !== undefined)
  )

const text = { type: "string" }
const whole = { type: "integer" }

const cases: ReadonlyArray<Case> = [
  {
    keyword: "oneOf",
    schema: {
      oneOf: [
        { type: "number", multipleOf: 2 },
        { type: "number", multipleOf: 3 }
      ]
    },
    accepts: [4, 9],
    refuses: [6, 5, "4"]
  },
  {
    keyword: "oneOf of objects",
    schema: { type: "object", oneOf: [{ required: ["phone"] }, { required: ["mail"] }] },
    accepts: [{ phone: 1 }, { mail: 1 }],
    refuses: [{}, { phone: 1, mail: 1 }]
  },
  { keyword: "not", schema: { not: { type: "string", minLength: 3 } }, accepts: ["ab", 5], refuses: ["abc"] },
  {
    keyword: "not of a member",
    schema: { type: "object", properties: { at: text }, not: { required: ["at", "in"] } },
    accepts: [{ at: "x" }, { in: 1 }],
    refuses: [{ at: "x", in: 1 }]
  },
  {
    keyword: "if, then and else",
    schema: {
      type: "object",
      properties: { by: { enum: ["card", "cash"] } },
      ...condition(
        { properties: { by: { const: "card" } }, required: ["by"] },
        { required: ["number"] },
        { maxProperties: 1 }
      )
    },
    accepts: [{ by: "card", number: 1 }, { by: "cash" }, {}],
    refuses: [{ by: "card" }, { by: "cash", number: 1 }]
  },
  {
    keyword: "contains",
    schema: { type: "array", contains: { type: "integer", minimum: 5 } },
    accepts: [[5], [1, "x", 9]],
    refuses: [[], [1, 2], ["9"]]
  },
  {
    keyword: "minContains and maxContains",
    schema: { type: "array", contains: { const: 1 }, minContains: 2, maxContains: 3 },
    accepts: [
      [1, 1],
      [1, 2, 1, 1]
    ],
    refuses: [[1], [1, 1, 1, 1], []]
  },
  {
    keyword: "propertyNames",
    schema: { type: "object", propertyNames: { pattern: "^[a-z]{2}$" } },
    accepts: [{}, { de: 1, fr: 2 }],
    refuses: [{ deu: 1 }, { de: 1, X: 2 }]
  },
  {
    keyword: "minProperties and maxProperties",
    schema: { type: "object", minProperties: 1, maxProperties: 2 },
    accepts: [{ a: 1 }, { a: 1, b: 2 }],
    refuses: [{}, { a: 1, b: 2, c: 3 }]
  },
  {
    keyword: "patternProperties",
    schema: {
      type: "object",
      properties: { name: text },
      patternProperties: { "^n": { maxLength: 3 }, _id$: whole },
      additionalProperties: false
    },
    accepts: [{ name: "Ida", nick: "a", order_id: 1 }, {}],
    refuses: [{ name: "Idaho" }, { order_id: "1" }, { n_id: "abcd" }, { other: 1 }]
  },
  {
    keyword: "dependentRequired",
    schema: { type: "object", dependentRequired: { card: ["expiry", "name"] } },
    accepts: [{}, { expiry: 1 }, { card: 1, expiry: 2, name: 3 }],
    refuses: [{ card: 1 }, { card: 1, name: 2 }]
  },
  {
    keyword: "dependentSchemas",
    schema: {
      type: "object",
      dependentSchemas: { gift: { properties: { note: { minLength: 2 } }, required: ["note"] } }
    },
    accepts: [{ note: "x" }, { gift: true, note: "hi" }],
    refuses: [{ gift: true }, { gift: true, note: "x" }]
  },
  {
    keyword: "unevaluatedProperties",
    schema: {
      type: "object",
      properties: { id: whole },
      anyOf: [
        { properties: { mail: text }, required: ["mail"] },
        { properties: { phone: text }, required: ["phone"] }
      ],
      unevaluatedProperties: false
    },
    accepts: [{ mail: "a" }, { id: 1, phone: "b" }, { mail: "a", phone: "b" }],
    refuses: [{ id: 1 }, { mail: "a", fax: "c" }, { mail: 1, phone: "b" }]
  },
  {
    keyword: "unevaluatedProperties beside a condition",
    schema: {
      type: "object",
      if: { properties: { kind: { const: "gift" } }, required: ["kind"] },
      else: { properties: { amount: whole } },
      unevaluatedProperties: false
    },
    accepts: [{ kind: "gift" }, { amount: 3 }],
    refuses: [{ kind: "gift", amount: 3 }, { kind: "other" }]
  },
  {
    keyword: "unevaluatedItems",
    schema: {
      type: "array",
      allOf: [{ prefixItems: [text] }, { prefixItems: [true, whole] }],
      unevaluatedItems: false
    },
    accepts: [[], ["a"], ["a", 1]],
    refuses: [["a", 1, 2], [1], ["a", "b"]]
  },
  {
    keyword: "prefixItems and items",
    schema: { type: "array", prefixItems: [text, whole], items: { type: "boolean" } },
    accepts: [["a", 1, true], ["a"]],
    refuses: [["a", 1, 2], [1]]
  },
  {
    keyword: "items that are none",
    schema: { type: "array", prefixItems: [text], items: false },
    accepts: [[], ["a"]],
    refuses: [["a", "b"]]
  },
  {
    keyword: "a list of items",
    draft: "draft-07",
    schema: { type: "array", items: [text, whole] },
    accepts: [["a", 1], ["a", 1, null], []],
    refuses: [[1], ["a", "b"]]
  },
  {
    keyword: "additionalItems",
    draft: "draft-07",
    schema: { type: "array", items: [text], additionalItems: { type: "boolean" } },
    accepts: [["a"], ["a", true]],
    refuses: [["a", 1]]
  },
  {
    keyword: "additionalItems that are none, in the draft that first knew of unevaluated ones",
    draft: "2019-09",
    schema: {
      type: "object",
      properties: { pair: { type: "array", items: [text, whole], additionalItems: false } },
      unevaluatedProperties: false
    },
    accepts: [{ pair: ["a", 1] }],
    refuses: [{ pair: ["a", 1, 2] }, { other: 1 }]
  },
  {
    keyword: "dependencies",
    draft: "draft-07",
    schema: { type: "object", dependencies: { card: ["expiry"], gift: { required: ["note"] } } },
    accepts: [{}, { card: 1, expiry: 2 }, { gift: 1, note: 2 }, { note: 1 }],
    refuses: [{ card: 1 }, { gift: 1 }, { card: 1, gift: 1, note: 1 }]
  },
  {
    keyword: "definitions, beside which nothing counts",
    draft: "draft-07",
    schema: {
      type: "object",
      definitions: { codes: { type: "array", items: text } },
      properties: { codes: { $ref: "#/definitions/codes", maxItems: 1 } }
    },
    accepts: [{ codes: ["a", "b"] }],
    refuses: [{ codes: [1] }, { codes: "a" }]
  },
  {
    keyword: "$defs, beside which all counts",
    schema: {
      type: "object",
      $defs: { codes: { type: "array", items: text, maxItems: 3 } },
      properties: { codes: { $ref: "#/$defs/codes", maxItems: 1 } }
    },
    accepts: [{ codes: ["a"] }, {}],
    refuses: [{ codes: ["a", "b"] }, { codes: [1] }]
  },
  {
    keyword: "$anchor",
    schema: {
      type: "object",
      properties: { from: { $ref: "#place" }, to: { $ref: "#place" } },
      $defs: { a: { $anchor: "place", type: "object", required: ["city"] } }
    },
    accepts: [{ from: { city: 1 }, to: { city: 2 } }],
    refuses: [{ from: {} }, { to: "Oslo" }]
  },
  {
    keyword: "$id of a schema that holds itself",
    schema: {
      type: "object",
      properties: { root: { $ref: "Node" } },
      $defs: {
        node: {
          $id: "Node",
          type: "object",
          properties: { name: text, under: { type: "array", items: { $ref: "Node" } } },
          required: ["name"]
        }
      }
    },
    accepts: [{ root: { name: "a", under: [{ name: "b", under: [] }] } }],
    refuses: [{ root: { name: "a", under: [{}] } }, { root: { under: [] } }]
  },
  {
    keyword: "$dynamicRef",
    schema: {
      type: "object",
      properties: { tree: { $ref: "#/$defs/tree" } },
      $defs: {
        tree: {
          $dynamicAnchor: "node",
          type: "object",
          properties: { size: whole, next: { $dynamicRef: "#node" } },
          required: ["size"]
        }
      }
    },
    accepts: [{ tree: { size: 1, next: { size: 2 } } }],
    refuses: [{ tree: { size: 1, next: {} } }]
  },
  {
    keyword: "const, whatever the order of keys",
    schema: { type: "object", properties: { at: { const: { x: 1, y: [2, { z: 3, w: 4 }] } } } },
    accepts: [{ at: { y: [2, { w: 4, z: 3 }], x: 1 } }, {}],
    refuses: [{ at: { x: 1 } }, { at: { x: 1, y: [{ z: 3, w: 4 }, 2] } }]
  },
  {
    keyword: "enum, whatever the order of keys",
    schema: { type: "object", properties: { at: { enum: [{ a: 1, b: 2 }, "none"] } } },
    accepts: [{ at: { b: 2, a: 1 } }, { at: "none" }],
    refuses: [{ at: { a: 1 } }, { at: 1 }]
  },
  {
    keyword: "uniqueItems, whatever the order of keys",
    schema: { type: "array", uniqueItems: true },
    accepts: [
      [],
      [1, "1", true],
      [{ a: 1 }, { a: 2 }],
      [
        [1, 2],
        [2, 1]
      ]
    ],
    refuses: [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 }
      ],
      [[1], [1]]
    ]
  },
  {
    keyword: "names that objects have of their own",
    schema: { type: "object", required: ["toString"], properties: { constructor: whole } },
    accepts: [{ toString: 1 }, { toString: 1, constructor: 2 }],
    refuses: [{}, { toString: 1, constructor: "x" }]
  },
  { keyword: "multipleOf", schema: { type: "number", multipleOf: 0.01 }, accepts: [4.35, 0.07, 1e6], refuses: [0.075] },
  {
    keyword: "a length in characters",
    schema: { type: "string", maxLength: 2 },
    accepts: ["👋👋"],
    refuses: ["👋👋👋"]
  }
]

const dialects = {
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema"
}
const judges = {
  "draft-07": (schema: object) =>
    new Ajv({ strict: false, logger: false, ownProperties: true, ignoreKeywordsWithRef: true }).compile(schema),
  "2019-09": (schema: object) => new Ajv2019({ strict: false, ownProperties: true }).compile(schema),
  "2020-12": (schema: object) =>
    new Ajv2020({ strict: false, ownProperties: true, multipleOfPrecision: 9 }).compile(schema)
}

/** As an argument of a tool; references lead from the root, so a schema that has some is that of the arguments itself. */
const asTool = (schema: object, draft?: object): ((value: unknown) => string | null) => {
  const referring = JSON.stringify(schema).includes('ef":"')
  const parameters = referring ? schema : { type: "object", properties: { value: schema }, required: ["value"] }
  const { problems, tools } = ToolDialect.read([{ name: "do_it", parameters: { ...draft, ...parameters } }])
  expect(problems).toEqual([])
  const check = Arguments.ofSchema(tools[0]?.parameters ?? {})
  return referring ? check : (value) => check({ value })
}

describe("schemas of arguments", () => {
  for (const { accepts, draft = "2020-12", keyword, refuses, schema } of cases) {
    it(`hold values to ${keyword}`, () => {
      // a lone condition is what ajv itself reads wrongly
      if (!keyword.includes("beside a condition")) {
        const judge = judges[draft](schema)
        expect([...accepts, ...refuses].map((value) => judge(value))).toEqual([
          ...accepts.map(() => true),
          ...refuses.map(() => false)
        ])
      }
      for (const check of [
        Arguments.ofSchema(schema),
        Arguments.ofSchema({ $schema: dialects[draft], ...schema }),
        asTool(schema),
        asTool(schema, { $schema: dialects[draft] })
      ]) {
        for (const value of accepts) expect([value, check(value)]).toEqual([value, null])
        for (const value of refuses) expect([value, check(value)]).toEqual([value, expect.stringMatching(/\w{3} \w/)])
      }
    })
  }

  it.each([
    [
      { oneOf: [{ type: "number" }, { minimum: 5 }] },
      6,
      "the arguments must be of one of the accepted forms only, and 6 is of several"
    ],
    [{ dependentRequired: { card: ["expiry"] } }, { card: 1 }, "expiry is required when card is given"],
    [{ properties: { at: { dependencies: { a: ["b"] } } } }, { at: { a: 1 } }, "at.b is required when at.a is given"],
    [
      { properties: { tags: { contains: { const: 1 } } } },
      { tags: [2] },
      "tags must have at least 1 item of the kind that its schema asks for"
    ],
    [
      { properties: { tags: { contains: { const: 1 }, minContains: 2, maxContains: 3 } } },
      { tags: [1] },
      "tags must have from 2 to 3 items of the kind that its schema asks for"
    ],
    [
      { properties: { by: { propertyNames: { maxLength: 2 } } } },
      { by: { abc: 1 } },
      "by.abc is not a name that a member of by may have"
    ],
    [{ minProperties: 2 }, { a: 1 }, "the arguments must have at least 2 members"],
    [{ properties: { a: true }, unevaluatedProperties: false }, { b: 1 }, "b is not an argument; accepted: a"],
    [{ properties: { a: { not: { const: 1 } } } }, { a: 1 }, "a is not accepted"],
    [{ properties: { "a/b": { items: { type: "integer" } } } }, { "a/b": ["x"] }, 'a/b[0] must be an integer, not "x"'],
    [
      { properties: { pair: { prefixItems: [true], items: false } } },
      { pair: [1, 2] },
      "pair must have at most 1 item"
    ],
    [condition({ required: ["a"] }, { required: ["b"] }), { a: 1 }, "b is required"]
  ])("say what is wrong under %j", (schema, value, problem) => {
    expect(Arguments.ofSchema(schema as Record<string, unknown>)(value)).toBe(problem)
  })

  it("take a null for a member that may be left out, at any depth, and for no other", () => {
    const line = {
      type: "object",
      properties: { sku: text, note: { anyOf: [{ enum: ["a"] }, whole] } },
      required: ["sku"]
    }
    const check = Arguments.ofSchema({
      type: "object",
      properties: { lines: { type: "array", items: line }, counts: { type: "object", additionalProperties: whole } }
    })
    expect(check({ lines: [{ sku: "x", note: null }, { sku: "y" }], counts: null })).toBeNull()
    expect(check({ lines: [{ sku: null }] })).toBe("lines[0].sku must be a string, not null")
    expect(check({ lines: [null] })).toBe("lines[0] must be an object, not null")
    expect(check({ counts: { a: null } })).toBe("counts.a must be an integer, not null")
    expect(check({ lines: [{ note: null }] })).toBe("lines[0].sku is required")
    expect(check({ lines: undefined, counts: { a: 1 } })).toBeNull()
  })

  it("mean by a format only words where the named draft does", () => {
    const schema = { type: "string", format: "date" }
    const problem = 'the arguments must be a valid date, not "soon"'
    expect(Arguments.ofSchema(schema)("soon")).toBe(problem)
    expect(Arguments.ofSchema({ $schema: dialects["draft-07"], ...schema })("soon")).toBe(problem)
    expect(Arguments.ofSchema({ $schema: dialects["2020-12"], ...schema })("soon")).toBeNull()
    expect(Arguments.ofSchema({ type: "string", format: "iban" })("soon")).toBeNull()
  })

  it("fetch nothing: what is elsewhere is told, when a tool is read and when a value is checked", () => {
    const schema = { type: "object", properties: { at: { $ref: "http://127.0.0.1:9/place.json" } } }
    expect(ToolDialect.read([{ name: "go", parameters: schema }]).problems).toEqual([
      expect.objectContaining({ problem: expect.stringContaining("not in this schema") })
    ])
    expect(Arguments.ofSchema(schema)({ at: 1 })).toContain("127.0.0.1:9/place.json")
  })

  it("skip patterns that are none here or may take for ever", () => {
    const slow = `${"a".repeat(60)}!`
    for (const schema of [
      { pattern: "^(a+)+$" },
      { pattern: "(?P<x>a)" },
      { type: "object", patternProperties: { "^(a+)+$": whole }, additionalProperties: false }
    ]) {
      expect(Arguments.ofSchema(schema)(slow)).toBe(
        "type" in schema ? `the arguments must be an object, not "${slow.slice(0, 59)}...` : null
      )
      expect(Arguments.ofSchema(schema)({ [slow]: "x" })).toBeNull()
    }
  })

  it("keep two tools apart that use one identifier", () => {
    const [a, b] = [text, whole].map((type) =>
      Arguments.ofSchema({
        $id: "https://example.com/args",
        properties: { x: { $ref: "#/$defs/x" } },
        $defs: { x: type }
      })
    )
    expect([a?.({ x: "1" }), b?.({ x: 1 })]).toEqual([null, null])
    expect([a?.({ x: 1 }), b?.({ x: "1" })].every((problem) => typeof problem === "string")).toBe(true)
  })
})
