import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Simulation from "@sandtable/core/Simulation"
import * as Pulse from "../../../packages/core/src/search/internal/pulse.ts"

const loss = (taskId: string, detail: string) => ({ taskId, reason: "agent_error" as const, detail })

describe("the pulse of an agent", () => {
  it("is gone when its first rollouts died of one error, whatever numbers are in it", () => {
    const pulse = Pulse.make()
    for (const [task, port] of [
      ["a", 40112],
      ["b", 40113],
      ["c", 40120]
    ] as const) {
      expect(pulse.state()).toBe("unknown")
      pulse.begun()
      pulse.lost(loss(task, `connect ECONNREFUSED 127.0.0.1:${port}`))
    }
    expect(pulse.state()).toBe("dead")
  })

  it("is in doubt while rollouts are under way that may yet give a row", () => {
    const pulse = Pulse.make()
    for (let i = 0; i < 4; i++) pulse.begun()
    for (const task of ["a", "b", "c"]) {
      pulse.lost(loss(task, "boom"))
      expect(pulse.state()).toBe("doubtful")
    }
    pulse.gaveRow()
    expect(pulse.state()).toBe("unknown")
  })

  it.each([
    ["another error", loss("c", "bang")],
    ["another reason", { taskId: "c", reason: "timeout" as const, detail: "boom" }],
    ["a loss of an earlier call", { taskId: "c", reason: "agent_error" as const }],
    ["no ask but one", loss("a", "boom")]
  ])("is not given up for %s", (name, last) => {
    const pulse = Pulse.make()
    const asks = name === "no ask but one" ? ["a", "a"] : ["a", "b"]
    for (const one of [...asks.map((task) => loss(task, "boom")), last]) {
      pulse.begun()
      pulse.lost(one)
    }
    expect(pulse.state()).toBe("unknown")
  })
})

const base = {
  tools: [{ name: "get_order", description: "Gets an order.", parameters: { type: "object" } }],
  simulator: false,
  budget: 60
} as const

describe("an agent that is plainly dead", () => {
  it.effect.each([1, 2, 3, 8])("is tried no more often than its places, at a concurrency of %d", (concurrency) =>
    Effect.gen(function* () {
      let calls = 0
      const error = yield* Effect.flip(
        Simulation.simulate({
          ...base,
          concurrency,
          repeats: 1,
          agent: async () => {
            calls += 1
            await Promise.resolve()
            throw new Error(`refused by 127.0.0.1:80${calls}`)
          }
        })
      )
      expect(error._tag === "RunFailed" && error.reason).toBe("agent_failed")
      expect(calls).toBeLessThanOrEqual(Math.max(3, concurrency) + (concurrency === 2 ? 1 : 0))
    })
  )

  it.effect("is told from one that fails fast on some asks and is slow on others", () =>
    Effect.gen(function* () {
      let calls = 0
      const data = yield* Simulation.simulate({
        ...base,
        concurrency: 6,
        repeats: 1,
        repeatPolicy: "none",
        agent: async () => {
          calls += 1
          if (calls <= 5) throw new Error("no such order")
          // as slow as anything else there is to do
          for (let turn = 0; calls === 6 && turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
          return "Here it is."
        }
      })
      expect(data.rows).toHaveLength(60)
      expect(data.report().lost).toBe(5)
    })
  )

  it.effect("says in its warning who was tried, where it is outside of the process", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Simulation.simulate({
          ...base,
          agent: {
            identity: { name: "http://desk.example/chat" },
            kind: "http",
            turns: "single",
            play: () => Effect.die(new Error("nothing answered"))
          }
        })
      )
      expect(error.message).toMatch(
        /The agent http:\/\/desk\.example\/chat failed in \d+ of \d+ rollouts.*nothing answered/
      )
    })
  )
})
