import { describe, expect, it } from "@effect/vitest"
import * as Row from "@sandtable/core/Row"
import * as TraceFormat from "../../../packages/core/src/traces/TraceFormat.ts"
import * as Traces from "@sandtable/core/Traces"
import { Either } from "effect"

const rowsOf = (...records: ReadonlyArray<unknown>) => Traces.complete(TraceFormat.fromRecords(records).rows)

describe("complete", () => {
  it("gives rows that can be written and read back", () => {
    for (const row of rowsOf({ prompt: "Where is A1?", final_text: "On its way." }, { task_id: "t", output: "x" }))
      expect(Row.parse(Row.encode(row))).toEqual(Either.right(row))
  })

  it("puts traces of one ask into one task, each a rollout of its own", () => {
    const rows = rowsOf(
      { prompt: "Where is A1?", final_text: "a" },
      { prompt: "where is  A1?", final_text: "b" },
      { prompt: "Cancel A1.", final_text: "c" }
    )
    expect(new Set(rows.map(({ task_id }) => task_id)).size).toBe(2)
    expect(rows.map(({ rollout_index }) => rollout_index)).toEqual([0, 1, 0])
    expect(new Set(rows.map(({ row_id }) => row_id)).size).toBe(3)
  })

  it("keeps the task, the trial and the score a record names, and no trial twice", () => {
    const rows = rowsOf(
      { task_id: "t", trial: 3, prompt: "x", output: "1", reward: 1 },
      { task_id: "t", trial: 3, prompt: "x", output: "2", reward: 0 }
    )
    expect(rows).toMatchObject([
      { task_id: "t", rollout_index: 3, reward: 1 },
      { task_id: "t", rollout_index: 4, reward: 0 }
    ])
  })

  it("leaves rows of our own as they are, and gives the same rows for the same log", () => {
    const [own] = rowsOf({ prompt: "Where is A1?", final_text: "On its way." })
    expect(rowsOf(own)).toEqual([own])
    expect(rowsOf({ prompt: "Where is A1?", final_text: "On its way." })).toEqual([own])
  })
})
