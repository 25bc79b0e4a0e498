import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import { Minimise } from "@sandtable/core/Explain"
import * as Randomness from "@sandtable/core/Randomness"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: order },
  { name: "refund_order", description: "Refund an order", parameters: order }
]

/** Nine sentences, of which the request is the first. */
const sentences = [
  "Please refund my order A1001.",
  "I bought it for my sister.",
  "My boss is waiting for an answer.",
  "The parcel came on Monday.",
  "It is urgent.",
  "The colour is fine.",
  "I paid by card.",
  "You have always been quick.",
  "Thanks in advance."
]
const seed = {
  prompt: sentences.join(" "),
  plan: {
    need: "Refund my order A1001.",
    faults: [
      { tool: "get_order", mode: "timeout" as const, count: 1 },
      { tool: "refund_order", mode: "rate_limited" as const, count: 1 }
    ]
  }
}

/** Fails where the lookup timed out and two of the sentences stand in the ask: with `hit`, and elsewhere with `miss`. */
const planted = (hit: number, miss: number) =>
  Agent.fromFunction(
    async (message, { rollout, world }) => {
      const looked = JSON.stringify(await world.call("get_order", { order_id: "A1001" }))
      await world.call("refund_order", { order_id: "A1001" })
      const met = looked.includes("timeout") && message.includes("boss") && message.includes("urgent")
      const draw = Randomness.make(rollout.rolloutSeed).draw(["planted"])
      return draw < (met ? hit : miss) ? "WRONG" : "right"
    },
    { name: "planted" }
  )

const runOf = (agent: ReturnType<typeof planted>, seed_: number): Simulation.InMemory => ({
  agent,
  tools,
  ids: { order_id: ["A1001"] },
  seeds: [seed],
  budget: 16,
  situations: 1,
  rolloutsPerRequest: 16,
  repeatPolicy: "fixed",
  grader: (row) => (row.final_text === "WRONG" ? { reward: 0, failure_class: "wrong" } : 1),
  seed: seed_,
  simulator: false
})

const needed = ["It is urgent.", "My boss is waiting for an answer.", "timeout of get_order"]

describe("minimise", () => {
  for (const [name, hit, miss, budget] of [
    ["always", 1, 0, 120],
    ["mostly", 0.7, 0.05, 400]
  ] as const) {
    it.effect(`finds the three factors of an agent that ${name} fails with them`, () =>
      Effect.gen(function* () {
        let exact = 0
        for (let s = 0; s < 20; s += 1) {
          const run = runOf(planted(hit, miss), s)
          const { rows } = yield* Simulation.simulate(run)
          const failed = rows.find(({ reward }) => reward === 0)
          if (failed === undefined) throw new Error("the planted agent did not fail")
          const out = yield* Minimise.minimise(failed, { run, budget })
          expect(out.rollouts).toBeLessThanOrEqual(budget)
          const found = out.needed.map(({ text }) => text).sort()
          if (out.outcome === "minimal" && found.join() === needed.join()) exact += 1
        }
        expect(exact).toBeGreaterThanOrEqual(19)
      })
    )
  }
})

describe("an ask typed without capitals", () => {
  it.effect("loses the sentences that its failure does not need, as any other", () =>
    Effect.gen(function* () {
      const small = { ...seed, prompt: seed.prompt.replaceAll(/(^|\. )([A-Z])(?!\d)/g, (whole) => whole.toLowerCase()) }
      const run = { ...runOf(planted(1, 0), 1), seeds: [small] }
      const { rows } = yield* Simulation.simulate(run)
      const failed = rows.find(({ reward }) => reward === 0)
      if (failed === undefined) throw new Error("the planted agent did not fail")
      const { needed: found, outcome, row } = yield* Minimise.minimise(failed, { run })
      expect([outcome, found.map(({ text }) => text).sort()]).toEqual([
        "minimal",
        ["it is urgent.", "my boss is waiting for an answer.", "timeout of get_order"]
      ])
      expect(row?.prompt).not.toContain("the colour is fine")
    })
  )
})
