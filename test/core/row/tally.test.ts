import { describe, expect, it } from "@effect/vitest"
import type { CallStep, Row } from "@sandtable/core/Row"
import * as Tally from "../../../packages/core/src/report/Tally.ts"

const call = (tool: string, status: CallStep["status"], fault?: CallStep["fault"]): CallStep => ({
  tool,
  arguments: {},
  result: null,
  call_id: "c",
  status,
  answered_by: fault === undefined ? "mock" : "fault",
  ...(fault === undefined ? {} : { fault })
})

const faultsOf = (
  steps: ReadonlyArray<CallStep>,
  faults: Row["faults"] = [{ tool: "pay", mode: "timeout", count: 1 }]
) => {
  const tally = Tally.make([], {})
  tally.add({ schema_version: "1", row_id: "r", task_id: "t", prompt: "Pay.", final_text: "Done.", steps, faults })
  return tally.faults()
}

describe("faults of a run", () => {
  it("are recovered from when the tool was called again, met no fault and answered", () => {
    const steps = [call("pay", "timeout", "timeout"), call("pay", "ok")]
    expect(faultsOf(steps)).toEqual({ planned: 1, fired: 1, recovered: 1 })
  })

  it.each<[string, ReadonlyArray<CallStep>]>([
    ["another tool answered", [call("pay", "timeout", "timeout"), call("get", "ok")]],
    ["the tool had answered before alone", [call("pay", "ok"), call("pay", "timeout", "timeout")]],
    ["the tool failed again", [call("pay", "timeout", "timeout"), call("pay", "error")]],
    ["the answer was old, which no agent can tell", [call("pay", "ok", "stale"), call("pay", "ok")]]
  ])("are not recovered from when %s", (_, steps) => {
    expect(faultsOf(steps)).toEqual({ planned: 1, fired: 1, recovered: 0 })
  })

  it("are not planned by an empty plan", () => {
    expect(faultsOf([call("pay", "ok")], [])).toEqual({ planned: 0, fired: 0, recovered: 0 })
  })
})

describe("dead tools", () => {
  const deadOf = (steps: ReadonlyArray<CallStep>) => {
    const tally = Tally.make([], {})
    tally.add({ schema_version: "1", row_id: "r", task_id: "t", prompt: "Pay.", final_text: "Done.", steps })
    return tally.deadTools().map(({ tool }) => tool)
  }
  const times = (n: number, step: CallStep) => Array.from({ length: n }, () => step)

  it("are those that the world almost never answered", () => {
    expect(deadOf([...times(20, call("pay", "error")), ...times(20, call("get", "ok"))])).toEqual(["pay"])
    expect(deadOf(times(20, { ...call("wait", "timeout"), answered_by: "harness" }))).toEqual(["wait"])
  })

  it("are none that say, of what is done, that it is done already", () => {
    expect(deadOf(times(20, call("pay", "already_done")))).toEqual([])
  })

  it("are none to which no call came through: unknown ones, or with arguments that could not be read", () => {
    expect(deadOf(times(20, { ...call("nope", "error"), answered_by: "harness" }))).toEqual([])
  })
})
