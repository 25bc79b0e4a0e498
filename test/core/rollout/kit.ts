/** One rollout to play against a tiny world, for the tests of this room. */
import type { Rollout } from "@sandtable/core/AgentBackend"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Options from "@sandtable/core/Options"
import * as Randomness from "@sandtable/core/Randomness"
import type { RunSettings } from "../../../packages/core/src/settings/RunSettings.ts"
import type { Task } from "@sandtable/core/Task"
import type { Tool } from "@sandtable/core/Tool"
import type { Answer, Call, Session } from "@sandtable/core/World"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import { Effect, Either } from "effect"

export const tool = (name: string, required: ReadonlyArray<string> = [], extra: Partial<Tool> = {}): Tool => ({
  name,
  description: `${name}.`,
  parameters: {
    type: "object",
    properties: Object.fromEntries(required.map((field) => [field, { type: "string" }])),
    required
  },
  kind: "read",
  destructive: false,
  ...extra
})

export const tools: ReadonlyArray<Tool> = [
  tool("get_order", ["order_id"]),
  tool("cancel_order", ["order_id"], { kind: "delete", destructive: true }),
  tool("list_stores"),
  tool("quote", [], {
    parameters: {
      type: "object",
      properties: {
        size: { enum: ["small", "large"] },
        count: { type: "integer" },
        tags: { type: "array", items: { type: "string" } }
      }
    }
  })
]

export const settings = (
  conversation: Partial<RunSettings["conversation"]> = {},
  more: Partial<RunSettings> = {}
): RunSettings => {
  const plain = Either.getOrThrow(Options.resolve({ agent: () => "", simulator: false })).settings
  return {
    ...plain,
    seed: 7,
    tools: ToolSet.make(tools),
    systemPrompt: "Help with orders.",
    unique: false,
    conversation: { ...plain.conversation, ...conversation },
    given: [],
    ...more
  }
}

export const task = (more: Partial<Task> = {}): Task => ({
  id: "task_1",
  scenarioId: "sit_1",
  prompt: "Where is my order A1001?",
  dimensions: {},
  tier: "ordinary",
  shown: {},
  arm: "grid",
  phrasing: 0,
  writer: "template",
  worldState: null,
  faults: [],
  plan: {
    world_seed: 1,
    need: "find out where order A1001 is",
    facts: { order_id: "A1001", email: "ana@example.com" },
    traits: {},
    entity: null
  },
  privileged: { reference: "gold" },
  ...more
})

/** A world of one order; it remembers what reached it. */
export interface FakeWorld extends Session {
  readonly reached: Array<Call>
}

export const fakeWorld = (answer?: (call: Call, n: number) => Effect.Effect<Answer>): FakeWorld => {
  const reached: Array<Call> = []
  return {
    reached,
    call: (call) =>
      Effect.suspend(() => {
        reached.push(call)
        return answer === undefined
          ? Effect.succeed(ok({ id: "A1001", status: "shipped" }))
          : answer(call, reached.length)
      }),
    writes: Effect.succeed([]),
    state: Effect.succeed({})
  }
}

export const ok = (result: unknown, elapsedMs = 10): Answer => ({ result, status: "ok", answeredBy: "mock", elapsedMs })

export const rollout = (
  given: {
    readonly index?: number
    readonly evalRun?: number
    readonly task?: Task
    readonly settings?: RunSettings
    readonly world?: Session
  } = {}
): Rollout => {
  const played = given.task ?? task()
  const resolved = given.settings ?? settings()
  const index = given.index ?? 0
  return AgentBackend.rollout({
    info: {
      id: `roll_${index}`,
      prompt: played.prompt,
      taskId: played.id,
      rolloutIndex: index,
      seed: resolved.seed,
      rolloutSeed: Math.floor(Randomness.make(resolved.seed).draw(["rollout", played.id, index]) * 2 ** 32),
      evalRun: given.evalRun ?? 0
    },
    task: played,
    settings: resolved,
    world: given.world ?? fakeWorld()
  })
}
