import { describe, expect, it } from "@effect/vitest"
import * as ExactJson from "@sandtable/core/ExactJson"
import * as Row from "@sandtable/core/Row"
import * as Signature from "../../../packages/core/src/row/Signature.ts"
import { anySteps } from "./sample.ts"

const call = (fields: Partial<Row.CallStep>): Row.CallStep => ({
  tool: "get_order",
  arguments: {},
  result: {},
  call_id: "c",
  status: "ok",
  answered_by: "mock",
  ...fields
})
const orders = (order: string, wording: string): ReadonlyArray<Row.Step> => [
  { user: `Cancel ${order} for me, ${wording}.` },
  call({
    arguments: { order_id: order },
    result: { id: order, customer: `cust-${order}`, total: 12.5 },
    call_id: wording
  }),
  call({ tool: "cancel_order", arguments: { reason: "changed mind", customer: `cust-${order}` }, status: "error" }),
  { text: wording }
]

describe("behaviour signature", () => {
  it("names each call with the origin of its arguments and its end", () => {
    expect(Signature.describe(orders("A1001", "please"), "Done.")).toBe(
      "get_order(order_id:user) ok > cancel_order(customer:result,reason:nowhere) error | answered | short"
    )
  })

  it("tells a long number from its neighbour", () => {
    const of = (digits: string) => ExactJson.parse(`{"order_id":${digits}}`)
    const steps = (asked: string, called: string): ReadonlyArray<Row.Step> => [
      { user: `Where is ${asked}?` },
      call({ arguments: of(called), result: of("9007199254740993") }),
      call({ arguments: of("9007199254740993") })
    ]
    const told = (asked: string, called: string) => Signature.describe(steps(asked, called), "")
    expect(told("1152921504606846977", "1152921504606846977")).toContain(
      "get_order(order_id:user) ok > get_order(order_id:result)"
    )
    expect(told("1152921504606846977", "1152921504606846978")).toContain("get_order(order_id:nowhere) ok")
  })

  it.prop("is the same where the texts of results are at hand", [anySteps], ([steps]) => {
    const results = Row.resultTexts(steps)
    expect(Signature.describe(steps, "Done.", { results })).toBe(Signature.describe(steps, "Done."))
  })

  it("is equal for equal behaviour under other ids, words and call ids", () => {
    expect(Signature.of(orders("B7", "now"), "All done!")).toBe(Signature.of(orders("A1001", "please"), "Done."))
    expect(Signature.of([], "")).toMatch(/^sig_[0-9a-f]{16}$/)
  })

  it("differs when a call, an origin, an end, the refusal or the length does", () => {
    const base = orders("A1", "x")
    const others = [
      Signature.of(base, "Done."),
      Signature.of(base.slice(0, 2), "Done."),
      Signature.of([{ user: "Cancel it." }, ...base.slice(1)], "Done."),
      Signature.of([...base.slice(0, 2), { ...(base[2] as Row.CallStep), status: "ok" }], "Done."),
      Signature.of(base, "I'm sorry, I can't do that."),
      Signature.of(base, "Done. ".repeat(50))
    ]
    expect(new Set(others).size).toBe(others.length)
  })

  it("finds origins as whole words, in any depth, case and number", () => {
    const origins = (user: string, args: unknown, result: unknown = {}, systemPrompt = "") =>
      Signature.describe([{ user }, call({ result }), call({ tool: "t", arguments: args })], "", { systemPrompt })
        .split(" > ")[1]
        ?.split(" ok")[0]
    expect(origins("order a1234", { id: "a12" })).toBe("t(id:nowhere)")
    expect(origins("order a1234", { id: "1234" })).toBe("t(id:nowhere)")
    expect(origins("order a1234", { id: "A1234" })).toBe("t(id:user)")
    expect(origins("?", { n: 12.5 }, { rows: [{ total: 12.5 }] })).toBe("t(n:result)")
    expect(origins("?", { n: 25 }, { rows: [{ total: 12.5 }] })).toBe("t(n:nowhere)")
    expect(origins("?", { desk: "EU-1" }, {}, "Route to eu-1.")).toBe("t(desk:prompt)")
    expect(origins("x1", { items: [{ sku: "x1" }, { sku: "y2" }], on: true })).toBe("t(items:nowhere+user,on:constant)")
    expect(origins("?", { constructor: "__proto__" })).toBe("t(constructor:nowhere)")
    expect(origins("?", "not an object")).toBe("t(?)")
  })

  it("looks only backwards: a value that comes later is no origin", () => {
    const steps = [call({ arguments: { id: "A1" } }), { user: "A1" }]
    expect(Signature.describe(steps, "")).toContain("id:nowhere")
  })

  it("tells a refusal from a report of failure, and takes the caller's word over its own", () => {
    const ends = (text: string, refused?: boolean) =>
      Signature.describe([], text, refused === undefined ? {} : { refused }).split(" | ")[1]
    expect(ends("I cannot help with that.")).toBe("refused")
    expect(ends("Unfortunately we are not able to refund it.")).toBe("refused")
    expect(ends("I was unable to reach the service.")).toBe("answered")
    expect(ends("You can't miss it.")).toBe("answered")
    expect(ends("Leider nein.", true)).toBe("refused")
  })
})
