import { describe, expect, it } from "@effect/vitest"
import { matchers } from "@sandtable/core/vitest"
import { drawn, groups } from "./rows.ts"

expect.extend(matchers)

const failure = (check: () => void): string => {
  try {
    check()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error("it did not fail")
}

describe("toPassAtLeast", () => {
  const rows = groups(["1111", "1110", "1100", "0000", "1111"])

  it("holds the pass rate over tasks, of rows and of runs", () => {
    expect(rows).toPassAtLeast(0.65)
    expect({ rows }).toPassAtLeast(0.6)
    expect(rows).not.toPassAtLeast(0.66)
    expect(new Set(rows)).toPassAtLeast(0.65)
  })

  it("fails with the rate, its interval, the number of tasks and the worst asks", () => {
    expect(failure(() => expect(rows).toPassAtLeast(0.8))).toMatchInlineSnapshot(`
      "expected the run to pass at least 80.0%, but it passed 65.0% [13.1%, 100.0%] over 5 tasks, 20 rows

      worst asks:
        0 of 4  "Ask t3?"
        2 of 4  "Ask t2?"
        3 of 4  "Ask t1?""
    `)
    expect(failure(() => expect(rows).not.toPassAtLeast(0.5))).toContain(
      "expected the run to pass less than 50.0%, but it passed 65.0%"
    )
  })

  it("can hold the lower end of the interval, so that a small lucky run does not pass", () => {
    const lucky = groups(["1111", "1111", "1110", "1111"])
    expect(lucky).toPassAtLeast(0.9)
    expect(lucky).not.toPassAtLeast(0.9, { hold: "lower" })
    expect(drawn(Array(200).fill(0.97), { seed: 1 })).toPassAtLeast(0.9, { hold: "lower" })
    // All equal: by the rule of three.
    expect(groups(Array(60).fill("11"))).toPassAtLeast(0.95, { hold: "lower" })
    expect(groups(Array(20).fill("11"))).not.toPassAtLeast(0.95, { hold: "lower" })
  })

  it("reads lost rollouts as failures unless told otherwise", () => {
    const run = {
      rows: groups(["11", "11"]),
      lost: [
        { task_id: "t0", reason: "timeout" },
        { task_id: "t1", reason: "timeout" }
      ]
    }
    expect(run).not.toPassAtLeast(0.9)
    expect(run).toPassAtLeast(1, { lost: "leave_out" })
    expect(failure(() => expect(run).toPassAtLeast(0.9))).toContain("2 lost rollouts read as failures")
  })

  it("never passes what has no pass rate", () => {
    expect(failure(() => expect(groups(["??"])).toPassAtLeast(0))).toContain("it has no pass rate")
    expect(failure(() => expect(5).toPassAtLeast(0.5))).toContain("Give a run (SimulationData) or its rows")
    expect(failure(() => expect(rows).toPassAtLeast(80))).toContain("`threshold` is 80. Give a pass rate in [0, 1]")
  })
})
