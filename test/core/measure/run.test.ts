import { describe, expect, it } from "@effect/vitest"
import type * as Agent from "@sandtable/core/Agent"
import * as DeltaReport from "@sandtable/core/DeltaReport"
import * as Node from "@sandtable/core/node"
import * as PassAt from "@sandtable/core/PassAt"
import * as Simulation from "@sandtable/core/Simulation"
import * as SimulationData from "@sandtable/core/SimulationData"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Looks orders up; in a share of its rollouts, as a model would, it makes an answer up instead. */
const desk =
  (slips: number): Agent.AgentFunction =>
  async (message, { rollout, world }) => {
    const order_id = /A\d{4}/.exec(message)?.[0]
    if (order_id === undefined) return "Which order is it? I need its number."
    if (Number.parseInt(rollout.id.slice(-4), 16) / 65536 < slips) return "It arrives tomorrow."
    return `Your order: ${JSON.stringify(await world.call("get_order", { order_id }))}`
  }

const call = {
  tools: [{ name: "get_order", description: "Look up an order", parameters: { order_id: { type: "string" } } }],
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  simulator: false,
  grader: (row: { readonly final_text: string }) => /^(Your order|Which order)/.test(row.final_text),
  repeats: 4,
  repeatPolicy: "fixed",
  runs: 3
} as const

const base = Simulation.simulate({
  ...call,
  agent: desk(0.5),
  systemPrompt: "Help with orders.",
  situations: 30,
  seed: 3
})

describe("an edited prompt on pinned tasks", () => {
  it.effect("gives a usable verdict without more words", () =>
    Effect.gen(function* () {
      const before = yield* base
      const after = yield* Simulation.simulate({
        ...call,
        agent: desk(0.1),
        systemPrompt: "Look every order up.",
        tasks: before
      })
      const report = before.deltaReport(after)
      expect(report).toMatchObject({ verdict: "improved", changed: ["prompt"], causes: [], tasks: 30, only_after: 0 })
      expect(report.target.runs).toEqual([3, 3])
      expect(DeltaReport.render(after.deltaReport(before))).toContain("verdict: regressed")
      expect(before.compare(after).metrics[0]?.decision).toBe("higher")
      // The same edit without the pinning: another prompt that nobody declared.
      const rows = after.rows.map(({ lineage, ...row }) => {
        if (lineage === undefined) return row
        const { changed: _, ...rest } = lineage
        return { ...row, lineage: rest }
      })
      expect(before.deltaReport(rows).causes.map(({ code }) => code)).toEqual(["prompt_differs"])
    })
  )

  it.effect("of an agent that did not change is no change", () =>
    Effect.gen(function* () {
      const before = yield* base
      const again = yield* Simulation.simulate({
        ...call,
        agent: desk(0.5),
        systemPrompt: "Help with orders.",
        tasks: before,
        seed: 2
      })
      expect(["no_change_detected", "within_noise"]).toContain(before.deltaReport(again).verdict)
    })
  )
})

describe("a run measures itself", () => {
  it.live("with the k it had, from memory and from disk alike", () =>
    Effect.gen(function* () {
      const data = yield* base
      const folder = mkdtempSync(join(tmpdir(), "measure-"))
      const path = join(folder, "run.jsonl")
      yield* data.save(path)
      const result = data.passAt()
      expect(result).toMatchObject({ k: 4, k_reading: "exact", tasks: 30, groups: 90 })
      expect((yield* SimulationData.load(path)).passAt()).toEqual(result)
      expect(yield* PassAt.passAt(path)).toEqual(result)
      expect(yield* Effect.promise(() => Node.passAt(path))).toEqual(result)
      expect(yield* Effect.promise(() => Node.compare(path, path))).toEqual(data.compare(data))
      expect(yield* Effect.promise(() => Node.deltaReport(path, path))).toEqual(data.deltaReport(data))
      expect(data.evalVariance()).toMatchObject({ split_by: "eval_run", df: 2 })
      expect(data.evalPower()).toMatchObject({ tasks: 30, k: 12, effect: 0.1 })
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(Node.layer))
  )

  it.effect("with what it lost, which is kept with it", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        ...call,
        runs: 1,
        agent: async (message) => {
          if (message.length % 3 === 0) throw new Error("no such luck")
          return "Your order: on its way."
        },
        budget: 40
      })
      expect(data.lost.length).toBe(data.report().lost)
      const { lost, pass_at_1 } = data.passAt()
      expect(lost).toMatchObject({ rollouts: data.report().lost, lost_by: data.report().lost_by })
      expect(lost.pass_at_1).toBeLessThan(pass_at_1 ?? 0)
      const folder = mkdtempSync(join(tmpdir(), "measure-"))
      yield* data.save(join(folder, "run.jsonl"))
      expect((yield* SimulationData.load(join(folder, "run.jsonl"))).passAt()).toEqual(data.passAt())
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(Node.layer))
  )
})
