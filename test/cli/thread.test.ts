import { describe, expect, it } from "@effect/vitest"
import type { Row } from "@sandtable/core/Row"
import * as Thread from "../../packages/cli/src/Thread.ts"
import { row } from "./harness.ts"

const call = (n: number, more: object = {}): Row["steps"][number] => ({
  tool: "refund_order",
  arguments: { order_id: `A${n}` },
  result: { status: "done" },
  call_id: `c${n}`,
  status: "ok",
  answered_by: "mock",
  ...more
})

describe("a row as a person reads it", () => {
  it("is the ask, each call with its answer and its fault, and the last word", () => {
    const steps = [
      call(1, { status: "permission_denied", fault: "permission_denied", result: { error: "no" } }),
      call(2, { fault: "stale" }),
      { user: "And\nnow?\u001b[31m" }
    ]
    expect(Thread.lines(row(1, { prompt: "Refund A1.", steps: [{ user: "Refund A1." }, ...steps] }))).toEqual([
      "user: Refund A1.",
      'call: refund_order {"order_id":"A1"} -> permission_denied (planned): {"error":"no"}',
      'call: refund_order {"order_id":"A2"} -> ok (planned: stale): {"status":"done"}',
      "user: And now?",
      "agent: It is on its way."
    ])
  })

  it("says the ask and the last word where the steps do not, and the last word once", () => {
    expect(Thread.lines(row(1))).toEqual(["user: Where is order A1001?", "agent: It is on its way."])
    expect(Thread.lines(row(1, { steps: [{ text: "It is on its way." }] }))).toHaveLength(2)
  })

  it("keeps how a long one began and how it ended", () => {
    const lines = Thread.lines(row(1, { steps: Array.from({ length: 20 }, (_, n) => call(n)) }))
    expect(lines).toHaveLength(9)
    expect(lines[5]).toBe("... 14 more steps")
    expect(lines.at(-1)).toBe("agent: It is on its way.")
  })

  it("cuts what is too long for a line", () => {
    const [, line = ""] = Thread.lines(row(1, { steps: [call(1, { result: "x".repeat(5000) })] }))
    expect(line.length).toBeLessThan(240)
  })
})
