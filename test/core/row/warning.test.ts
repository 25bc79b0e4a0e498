import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Warning from "@sandtable/core/Warning"

/** Figures every constructor takes what it needs from. */
const figures = {
  roles: ["user"],
  options: ["userModel"],
  lost: 1,
  requested: 4,
  by: ["timeout 1"],
  errors: 1,
  first: "boom",
  empty: 1,
  rows: 4,
  tools: ["get_order"],
  calls: 9,
  misses: 1,
  wanted: 2,
  asks: 3,
  detail: "no answer.",
  planned: 2,
  fired: 0,
  budget: 8
}

describe("warnings", () => {
  it("has exactly one for each degraded code, under that code", () => {
    expect(Object.keys(Warning.degraded).sort()).toEqual([...Warning.degradedCodes].sort())
    for (const code of Warning.degradedCodes) {
      const warning = (
        Warning.degraded[code] as (given: typeof figures & { readonly tools: never }) => Warning.Warning
      )({
        ...figures,
        tools: figures.tools as never
      })
      expect(warning.code).toBe(code)
      expect(Schema.is(Warning.Warning)(warning)).toBe(true)
      expect(warning.message).not.toMatch(/undefined|NaN/)
      // An option in code, or a call: what a reader can act on.
      expect(warning.fix).toMatch(/`[a-zA-Z.]+(\(.*\))?(: \w+)?`|userModel/)
    }
  })

  it("points at the limits of an agent only where it ran into them", () => {
    const fixOf = (by: ReadonlyArray<string>) => Warning.degraded.rollouts_lost({ lost: 2, requested: 4, by }).fix
    expect(fixOf(["agent_error 2"])).not.toMatch(/timeout|concurrency/)
    expect(fixOf(["agent_error 1", "timeout 1"])).toMatch(/timeout.*concurrency/)
    const { fix } = Warning.degraded.agent_errors({ errors: 2, requested: 4, first: "boom" })
    expect(fix).toMatch(/`agent` alone.*`budget: 1`/)
  })

  it("says the figures it was given", () => {
    const warning = Warning.degraded.rollouts_lost({ lost: 3, requested: 40, by: ["timeout 2", "agent_error 1"] })
    expect(warning.message).toBe("3 of 40 rollouts gave no row (timeout 2, agent_error 1).")
    expect(warning.figures).toEqual({ lost: 3, requested: 40, by: ["timeout 2", "agent_error 1"] })
  })
})
