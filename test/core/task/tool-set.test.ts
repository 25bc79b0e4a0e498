import { describe, expect, it } from "@effect/vitest"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"

const { tools } = ToolDialect.read([
  {
    name: "get_order",
    description: "Looks an order up.",
    parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
  },
  { name: "cancel_order", description: "Cancels an order.", parameters: { type: "object", properties: {} } },
  { name: "__proto__", description: "Lists things.", parameters: { type: "object", properties: {} } }
])

describe("ToolSet", () => {
  const set = ToolSet.make(tools)

  it("keeps the tools as they were declared, in their order", () => {
    expect(set.list).toBe(tools)
    expect([...set.byName.keys()]).toEqual(["get_order", "cancel_order", "__proto__"])
    expect(set.size).toBe(3)
  })

  it("is its own set", () => {
    expect(ToolSet.make(set)).toBe(set)
  })

  it("says what a tool does and checks its arguments", () => {
    const order = set.get("get_order")
    expect(order).toMatchObject({ kind: "read", writes: false, destructive: false, noun: "order" })
    expect(order?.check({ order_id: "A1" })).toBeNull()
    expect(order?.check({})).toBe("order_id is required")
    expect(set.get("cancel_order")).toMatchObject({ writes: true, destructive: true })
  })

  it("knows declared tools alone, whatever they are called", () => {
    expect(["get_order", "__proto__", "toString", "refund"].map((name) => set.has(name))).toEqual([
      true,
      true,
      false,
      false
    ])
    expect(set.get("toString")).toBeUndefined()
  })

  it("reads a tool nobody declared from its name", () => {
    expect(set.known("delete_account")).toMatchObject({ kind: "delete", writes: true, noun: "account" })
  })

  it("makes what is derived from it once", () => {
    let made = 0
    const names = ({ list }: ToolSet.ToolSet): ReadonlyArray<string> => {
      made += 1
      return list.map(({ name }) => name)
    }
    expect(set.derived(names)).toBe(set.derived(names))
    expect(made).toBe(1)
    expect(ToolSet.make(tools.slice(1)).derived(names)).toEqual(["cancel_order", "__proto__"])
  })

  it("keeps a derived value that is undefined", () => {
    let asked = 0
    const nothing = (): undefined => void (asked += 1)
    set.derived(nothing)
    set.derived(nothing)
    expect(asked).toBe(1)
  })
})
