import { describe, expect, it } from "@effect/vitest"
import * as References from "../../../packages/core/src/task/References.ts"
import type { Tool } from "@sandtable/core/Tool"

const tool: Tool = { name: "t", description: "", kind: "read", destructive: false, parameters: { type: "object" } }

describe("References.referencesOf", () => {
  const found = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    References.referencesOf({ ...tool, parameters: { type: "object", properties, ...more } }).map(
      ({ path, why }) => `${path.join(".")} ${why}`
    )
  const text = { type: "string" }

  it("finds ids, paths, names and numbers, also deep in the schema", () => {
    expect(
      found(
        {
          order_id: text,
          file_path: text,
          name: text,
          invoiceNumber: text,
          items: { type: "array", items: { type: "object", properties: { sku: text, quantity: { type: "integer" } } } },
          either: { anyOf: [{ type: "object", properties: { email: text } }, text] },
          owner: { $ref: "#/$defs/Owner" },
          tagIds: { type: "array", items: text }
        },
        { $defs: { Owner: { type: "object", properties: { user_id: text, parent: { $ref: "#/$defs/Owner" } } } } }
      ).slice(0, 8)
    ).toEqual([
      "order_id id",
      "file_path path",
      "name name",
      "invoiceNumber number",
      "items.*.sku id",
      "either.email email",
      "owner.user_id id",
      "owner.parent.user_id id"
    ])
  })

  it("takes counts, kinds, flags and free text for no reference", () => {
    expect(
      found({
        number: { type: "integer" },
        number_of_guests: { type: "integer" },
        zip_code: text,
        currency_code: text,
        verified_email: { type: "boolean" },
        expression: text,
        order: { type: "string", description: "The sort order: asc or desc." },
        city: text,
        name: { type: "string", enum: ["a", "b"] },
        account: { type: "object", properties: { currency: text } },
        valid: text
      })
    ).toEqual([])
  })

  it("says whether the argument is required all the way", () => {
    const schema = {
      type: "object",
      required: ["order"],
      properties: {
        order: { type: "object", required: ["id"], properties: { id: text, note_id: text } },
        extra: { type: "object", required: ["id"], properties: { id: text } }
      }
    }
    const required = References.referencesOf({ ...tool, parameters: schema }).map((r) => [r.path.join("."), r.required])
    expect(required).toEqual([
      ["order.id", true],
      ["order.note_id", false],
      ["extra.id", false]
    ])
  })
})
