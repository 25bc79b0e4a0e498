import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Warning from "../../../packages/core/src/report/Warning.ts"

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

/** What some are told beside their figures. */
const circumstances: Readonly<Record<string, object>> = {
  rollouts_lost: { kept: true },
  agent_errors: { kept: true, model: false, named: null },
  interrupted: { unwritten: false, kept: true },
  no_tool_calls: { agent: "function" },
  faults_not_met: { agent: "function" }
}

describe("warnings", () => {
  it("has exactly one for each degraded code, under that code", () => {
    expect(Object.keys(Warning.degraded).sort()).toEqual([...Warning.degradedCodes].sort())
    for (const code of Warning.degradedCodes) {
      const warning = (
        Warning.degraded[code] as (given: typeof figures & { readonly tools: never }) => Warning.Warning
      )({
        ...figures,
        ...circumstances[code],
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
    const fixOf = (by: ReadonlyArray<string>) =>
      Warning.degraded.rollouts_lost({ lost: 2, requested: 4, by, kept: true }).fix
    expect(fixOf(["agent_error 2"])).not.toMatch(/timeout|concurrency/)
    expect(fixOf(["agent_error 1", "timeout 1"])).toMatch(/timeout.*concurrency/)
    const { fix } = Warning.degraded.agent_errors({
      errors: 2,
      requested: 4,
      first: "boom",
      kept: true,
      model: false,
      named: null
    })
    expect(fix).toContain("`tasks` of `run.lost.jsonl`")
    const played = Warning.degraded.agent_errors({
      errors: 2,
      requested: 4,
      first: "404",
      kept: true,
      model: true,
      named: null
    })
    expect(played.fix).toMatch(/its endpoint/)
    expect(played.fix).not.toMatch(/threw|throws/)
  })

  it("points at the file of losses only where there is one", () => {
    const fixes = (kept: boolean) => [
      Warning.degraded.rollouts_lost({ lost: 2, requested: 4, by: ["timeout 2"], kept }).fix,
      Warning.degraded.agent_errors({ errors: 2, requested: 4, first: "boom", kept, model: false, named: null }).fix
    ]
    for (const fix of fixes(true)) expect(fix).toContain("`run.lost.jsonl`")
    for (const fix of fixes(false)) {
      expect(fix).not.toContain("run.lost.jsonl")
      expect(fix).toMatch(/`output`.*beside it/)
    }
  })

  it("blames a stop by a file that cannot be written on no budget", () => {
    const { fix, message } = Warning.degraded.interrupted({ rows: 3, budget: 8, unwritten: true, kept: true })
    expect(message).toBe("The run stopped with 3 of 8 rows, because its file could not be written.")
    expect(fix).not.toMatch(/timeBudget/)
    expect(fix).toContain("`output`")
    expect(Warning.degraded.interrupted({ rows: 3, budget: 8, unwritten: false, kept: true }).message).toContain(
      "from outside"
    )
  })

  it("says the figures it was given", () => {
    const warning = Warning.degraded.rollouts_lost({
      lost: 3,
      requested: 40,
      by: ["timeout 2", "agent_error 1"],
      kept: true
    })
    expect(warning.message).toBe("3 of 40 rollouts gave no row (timeout 2, agent_error 1).")
    expect(warning.figures).toEqual({ lost: 3, requested: 40, by: ["timeout 2", "agent_error 1"] })
  })
})
