/**
 * The person of a task and what they come about are drawn from the world the task has.
 */
import { describe, expect, it } from "@effect/vitest"
import * as MockWorld from "@sandtable/core/MockWorld"
import * as Randomness from "@sandtable/core/Randomness"
import * as ToolDialect from "../../../packages/core/src/task/ToolDialect.ts"
import * as Effect from "effect/Effect"
import type * as Draws from "../../../packages/core/src/world/Draws.ts"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import type { Task } from "../../../packages/core/src/task/Task.ts"
import { own } from "../../support/toolSets.ts"

const setOf = (name: string) => own.find((set) => set.name === name) ?? own[0]!

const worldOf = (name: string) => {
  const { policy, tools } = setOf(name)
  const input = {
    tools: ToolSet.make(ToolDialect.read(tools).tools),
    randomness: Randomness.make(5),
    settings: { ids: {}, realDelays: false, timeouts: { tool: 30 }, systemPrompt: policy }
  }
  const draw = MockWorld.kind.draws?.(input)
  const mock = Effect.runSync(MockWorld.load(input))
  if (draw === undefined) throw new Error("the mock draws nobody")
  return { draw, mock }
}

const wanted = (tool: string, reference: string, ...names: ReadonlyArray<string>): Draws.Wanted => ({
  tool,
  reference,
  declared: [],
  arguments: [reference, ...names]
})

const taskOf = (worldSeed: number, want: Draws.Wanted, drawn: Draws.Drawn): Task => ({
  id: "task_1",
  scenarioId: "sit_1",
  prompt: "",
  dimensions: {},
  tier: null,
  shown: {},
  arm: "grid",
  phrasing: 0,
  writer: "template",
  worldState: "exists",
  faults: [],
  plan: {
    world_seed: worldSeed,
    need: null,
    facts: drawn.identity,
    traits: {},
    entity: { tool: want.tool, argument: want.reference ?? "", id: drawn.wants[0]?.reference ?? "" },
    ...(drawn.person === null ? {} : { person: { noun: drawn.person.noun, id: drawn.person.id } })
  },
  privileged: {}
})

const seeds = Array.from({ length: 60 }, (_, i) => i * 7919 + 3)

const answered = (
  mock: MockWorld.Mock,
  of: Task,
  tool: string,
  args: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> =>
  MockWorld.step(mock.begin(of), { tool, arguments: args })[1].result as Readonly<Record<string, unknown>>

describe("the draw of a task", () => {
  it("gives a patient whose record the world shows, with what the policy has compared", () => {
    const { draw, mock } = worldOf("hospital")
    const want = wanted("cancel_appointment", "appointment_id", "reason")
    for (const worldSeed of seeds) {
      const drawn = draw({ worldSeed, worldState: "exists", visit: 0, wants: [want] })
      const of = taskOf(worldSeed, want, drawn)
      const patient = answered(mock, of, "get_patient", { patient_id: drawn.identity["patient_id"] })
      expect(patient).toMatchObject({
        patient_id: drawn.identity["patient_id"],
        name: drawn.identity["name"],
        date_of_birth: drawn.identity["date_of_birth"]
      })
      const appointment = answered(mock, of, "get_appointment", { appointment_id: drawn.wants[0]?.reference })
      expect(appointment["patient_id"]).toBe(drawn.person?.id)
      expect(appointment["status"]).toBe("scheduled")
    }
  })

  it("lets a customer pay from an account of theirs", () => {
    const { draw, mock } = worldOf("bank")
    const want = wanted("transfer_money", "from_account_id", "to_account_id", "amount")
    for (const worldSeed of seeds) {
      const drawn = draw({ worldSeed, worldState: null, visit: 1, wants: [want] })
      const of = { ...taskOf(worldSeed, want, drawn), worldState: null }
      const [knownTo] = drawn.wants[0]?.values.get("to_account_id") ?? []
      const from = answered(mock, of, "get_account", { account_id: drawn.wants[0]?.reference })
      expect(from["customer_id"]).toBe(drawn.person?.id)
      expect(knownTo).not.toBe(drawn.wants[0]?.reference)
      expect(answered(mock, of, "get_account", { account_id: knownTo })["account_id"]).toBe(knownTo)
    }
  })

  it("follows a transaction over its account to its customer", () => {
    const { draw, mock } = worldOf("bank")
    const want = wanted("dispute_transaction", "transaction_id", "reason")
    for (const worldSeed of seeds) {
      const drawn = draw({ worldSeed, worldState: null, visit: 0, wants: [want] })
      const of = { ...taskOf(worldSeed, want, drawn), worldState: null }
      const transaction = answered(mock, of, "get_transaction", { transaction_id: drawn.wants[0]?.reference })
      const owner =
        transaction["customer_id"] ??
        answered(mock, of, "get_account", { account_id: transaction["account_id"] })["customer_id"]
      expect(owner).toBe(drawn.person?.id)
    }
  })

  it("is the same for the same request, and other people come with another seed", () => {
    const { draw } = worldOf("bank")
    const request = { worldSeed: 3, worldState: null, visit: 0, wants: [wanted("get_account", "account_id")] }
    expect(draw(request)).toEqual(draw(request))
    const people = new Set(seeds.map((worldSeed) => draw({ ...request, worldSeed }).person?.id))
    expect(people.size).toBeGreaterThan(seeds.length * 0.9)
  })
})
