/** One rollout to play against a tiny world, for the tests of this room. */
import type { Rollout } from "@sandtable/core/AgentBackend"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Randomness from "@sandtable/core/Randomness"
import type { RunSettings } from "../../../packages/core/src/settings/RunSettings.ts"
import type { Task } from "@sandtable/core/Task"
import type { Tool } from "@sandtable/core/Tool"
import type { Answer, Call, Session } from "@sandtable/core/World"
import * as ToolSet from "../../../packages/core/src/task/ToolSet.ts"
import { Effect } from "effect"

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
): RunSettings => ({
  mode: "explore",
  seed: 7,
  tools: ToolSet.make(tools),
  systemPrompt: "Help with orders.",
  scaffold: null,
  ids: {},
  situations: null,
  phrasings: 1,
  repeats: 1,
  repeatsGiven: false,
  repeatPolicy: "none",
  probe: 2,
  unique: false,
  budget: 1000,
  until: "budget",
  concurrency: 32,
  order: { _tag: "Free" },
  timeBudget: null,
  tokenBudget: null,
  prices: {},
  costBudget: null,
  timeouts: { agent: 300, rollout: null, tool: 60, user: 60, grader: 120, grace: 5 },
  seeds: [],
  hardShare: 0.4,
  dimensions: {},
  faultRate: 0.5,
  faultPlan: null,
  strength: 2,
  constraints: [],
  fixedRows: [],
  ruleCap: 16,
  mutateFailures: true,
  mutateGradedFailures: false,
  armWeights: {},
  openEndedShare: 0.1,
  writerFallback: true,
  completionsPerRequest: 1,
  conversation: {
    maxTurns: null,
    avgTurns: 12,
    minUserTurns: 1,
    temperature: 0.8,
    agentMaxTokens: null,
    logprobs: false,
    patience: "normal",
    userTemperature: null,
    agentOpens: 0,
    ...conversation
  },
  realDelays: false,
  sampling: null,
  conduct: false,
  gradeTruncated: false,
  locale: "en",
  tasks: null,
  runs: 1,
  given: [],
  ...more
})

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
