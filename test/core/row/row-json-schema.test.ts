import { describe, expect, it } from "@effect/vitest"
import * as AjvModule from "ajv"
import * as FastCheck from "effect/FastCheck"
import * as NodeFs from "node:fs"
import * as Row from "@sandtable/core/Row"
import * as RowJsonSchema from "../../../packages/core/src/row/RowJsonSchema.ts"
import { anyRow, row } from "./sample.ts"

describe("the JSON Schema of a row", () => {
  const validate = new AjvModule.Ajv({ strict: false }).compile(RowJsonSchema.make())

  it("is the one in the docs", () => {
    const text = NodeFs.readFileSync(new URL("../../../docs/row.schema.json", import.meta.url), "utf8")
    expect(JSON.parse(text), "run `npx tsx --conditions=@sandtable/source packages/core/scripts/rowSchema.ts`").toEqual(
      JSON.parse(JSON.stringify(RowJsonSchema.make()))
    )
  })

  it("accepts what is written, with keys nobody knows", () => {
    FastCheck.assert(FastCheck.property(anyRow, (one) => validate(JSON.parse(Row.encode(one)))))
  })

  it("refuses what a reader refuses", () => {
    expect(validate({ ...row(), reward: "1" })).toBe(false)
    expect(validate({ ...row(), steps: [{ tool: "t" }] })).toBe(false)
    const { final_text: _, ...without } = row()
    expect(validate(without)).toBe(false)
  })
})
