import { describe, expect, it } from "@effect/vitest"
import * as EvalVariance from "@sandtable/core/EvalVariance"
import * as Node from "@sandtable/core/node"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { group, groups } from "./rows.ts"

const runs = (...patterns: ReadonlyArray<ReadonlyArray<string>>) =>
  patterns.flatMap((run, evalRun) => groups(run, { evalRun }))

describe("the variance between eval runs", () => {
  it("is of the means of runs, and gives the band of as many runs again", () => {
    const found = EvalVariance.evalVariance(runs(["11", "10"], ["11", "00"], ["11", "11"]))
    expect(found).toMatchObject({ split_by: "eval_run", tasks: 2, mean: 0.75, df: 2 })
    expect(found.runs.map(({ mean, rows, run }) => [run, rows, mean])).toEqual([
      ["0", 4, 0.75],
      ["1", 4, 0.5],
      ["2", 4, 1]
    ])
    expect(found.run_std).toBeCloseTo(0.25)
    expect(found.band).toBeCloseTo(4.3027 * 0.25 * Math.sqrt(2 / 3), 3)
  })

  it("is 0 with a band of 0 for a deterministic agent", () => {
    const thirds = ["100", "110", "111", "101"]
    expect(EvalVariance.evalVariance(runs(thirds, thirds, thirds))).toMatchObject({ run_std: 0, band: 0 })
  })

  it("is 0 where means differ by nothing but the rounding of their sums", () => {
    // 2/3 + 2/3 + 2/3 + 2/3 + 1/3 and 0 + 0 + 1 + 1 + 1 are one number, and two sums in floating point.
    const found = EvalVariance.evalVariance(
      runs(["110", "110", "110", "110", "100"], ["111", "111", "111", "000", "000"])
    )
    expect(found.runs[0]?.mean).not.toBe(found.runs[1]?.mean)
    expect(found).toMatchObject({ run_std: 0, band: 0 })
    expect(found.notes.map(({ code }) => code)).toEqual(["spread_hidden"])
    const said = EvalVariance.render(found)
    expect(said).toContain("mean 60.0% in every run: no spread was seen, which few runs do not prove to be none")
    expect(said).toContain("5 of 5 tasks differ between them")
    expect(said).not.toContain("0.0 points")
  })

  it("is over the tasks that every run has", () => {
    const rows = [...runs(["11", "00"], ["11"]), ...group("t1", "??", { evalRun: 1 })]
    expect(EvalVariance.evalVariance(rows)).toMatchObject({ tasks: 1, mean: 1, run_std: 0 })
  })

  it("falls back on scoring passes over the same rows", () => {
    const pass = (id: string, reward: number) =>
      groups(["11", "00"]).map((row) => ({
        ...row,
        reward: row.task_id === "t1" ? reward : 1,
        lineage: { ...row.lineage, scoring_run_id: id }
      }))
    const found = EvalVariance.evalVariance([...pass("score_a", 0), ...pass("score_b", 1)])
    expect(found).toMatchObject({ split_by: "scoring_run_id", tasks: 2, df: 1 })
    expect(found.runs.map(({ mean }) => mean)).toEqual([0.5, 1])
  })

  it("takes a list of runs, whatever their rows say", () => {
    const found = EvalVariance.evalVariance([groups(["11", "10"]), { rows: groups(["11", "11"], { run: "other" }) }])
    expect(found).toMatchObject({ split_by: "given", df: 1 })
    expect(found.runs.map(({ mean }) => mean)).toEqual([0.75, 1])
  })

  it("has no spread of one run, and says how to get one", () => {
    const found = EvalVariance.evalVariance(groups(["11", "10"]))
    expect(found).toMatchObject({ split_by: "one_run", run_std: null, band: null, df: null, mean: 0.75 })
    expect(found.notes[0]?.message).toContain("runs: 3")
    expect(EvalVariance.evalVariance([])).toMatchObject({ mean: null, run_std: null })
  })

  it.effect("reads files", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "measure-"))
      const rows = runs(["11", "10"], ["11", "00"])
      const path = join(folder, "run.jsonl")
      writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"))
      expect(yield* EvalVariance.evalVariance(path)).toEqual(EvalVariance.evalVariance(rows))
      expect((yield* EvalVariance.evalVariance([path, path])).run_std).toBe(0)
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(Node.layer))
  )

  it("prints a line for each run", () => {
    expect(EvalVariance.render(EvalVariance.evalVariance(runs(["11", "10"], ["11", "00"])))).toMatchInlineSnapshot(`
      "pass@1 over 2 tasks in every run
        run 0: 75.0% (4 rows)
        run 1: 50.0% (4 rows)
      mean 62.5%, run_std 17.7 points, band 224.6 points (1 df): 2 runs against as many differ by less 95 times in 100 though nothing changed
      So few runs say next to nothing of their spread: 3 or more do."
    `)
  })
})
