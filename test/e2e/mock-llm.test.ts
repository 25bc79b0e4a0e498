/**
 * Runs against a mock OpenAI server that this project did not write: what it takes for the protocol is what others take
 * for it.
 */
import * as Node from "@sandtable/backends/node"
import { createServer as createMock } from "@dwmkerr/mock-llm/dist/server.js"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import * as Judge from "@sandtable/core/Judge"
import * as Simulation from "@sandtable/core/Simulation"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ids, systemPrompt, tools } from "./scripted-models.ts"

interface Rule {
  readonly match: string
  readonly message: object
  readonly usage?: object
}

const usage = { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24, prompt_tokens_details: { cached_tokens: 8 } }

/** Last match wins. */
const rules: ReadonlyArray<Rule> = [
  { match: "body.model == 'agent'", message: { content: "Which order is it?" }, usage },
  {
    match: "body.model == 'agent' && body.messages[-1].role == 'user' && contains(body.messages[-1].content, 'A1002')",
    message: {
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "get_order", arguments: '{"order_id": "A1002"}' } }
      ]
    },
    usage
  },
  {
    match: "body.model == 'agent' && body.messages[-1].role == 'tool'",
    message: { content: "It is on its way." },
    usage
  },
  { match: "body.model == 'talker'", message: { content: "It is on its way." } },
  { match: "body.model == 'person'", message: { content: "It is A1002." } },
  { match: "body.model == 'judge'", message: { content: '{"reason": "fine", "score": 1}' }, usage },
  {
    match: "body.model == 'writer'",
    message: {
      content: "People who wait for what they ordered. They write from a phone, in haste, and seldom know a number."
    },
    usage
  }
]

const served = Effect.acquireRelease(
  Effect.promise(async () => {
    const config = {
      streaming: { chunkSize: 10, chunkIntervalMs: 1 },
      rules: rules.map(({ match, message, usage }) => ({
        path: "/v1/chat/completions",
        method: "POST",
        match,
        response: {
          status: 200,
          content: JSON.stringify({
            id: "chatcmpl-1",
            object: "chat.completion",
            model: "{{jmes request body.model}}",
            choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
            ...(usage === undefined ? {} : { usage })
          })
        }
      }))
    }
    const server = createServer(createMock(config, "127.0.0.1", 0))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return server
  }),
  (server) =>
    Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        })
    )
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))

describe("a mock server of others", () => {
  // it tells of every request
  beforeAll(() => void vi.spyOn(console, "log").mockImplementation(() => {}))
  afterAll(() => vi.restoreAllMocks())

  const run = (url: string, agent: string) =>
    Simulation.simulate({
      agent: `openai:${agent}@${url}`,
      simulator: `openai:writer@${url}`,
      userModel: `openai:person@${url}`,
      grader: Judge.layer({ model: `openai:judge@${url}`, rubric: "The agent finds the order." }),
      seeds: ["Where is my order A1002?", "Where is my order?"],
      requestsPerSituation: 1,
      situations: 2,
      tools,
      ids,
      systemPrompt,
      patience: "endless",
      faultRate: 0
    })
  const configured = Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["OPENAI_API_KEY", "sk-mock"]])))

  it.scopedLive("plays every role of a run", () =>
    Effect.gen(function* () {
      const data = yield* run(yield* served, "agent")
      expect(data.stoppedBecause).toBe("situations_exhausted")
      expect(data.report().lost).toBe(0)
      const [known, asked] = data.rows
      expect(known?.tools_used).toEqual(["get_order"])
      expect(known?.final_text).toBe("It is on its way.")
      expect(asked?.steps.filter((step) => "user" in step).map((step) => step.user)).toContain("It is A1002.")
      expect(data.rows.every(({ reward }) => reward === 1)).toBe(true)
      const { usage: spent } = data.report()
      const calls = spent["agent"]?.calls ?? 0
      expect(spent["agent"]).toMatchObject({ uncounted: 0, input: calls * 20, cached: calls * 8, output: calls * 4 })
      expect(spent["user"]).toMatchObject({ input: null, output: null })
    }).pipe(Effect.provide(Node.layer), configured)
  )

  it.scopedLive("plays it in streams, which of this server are words alone and tell no tokens", () =>
    Effect.gen(function* () {
      const data = yield* run(yield* served, "talker")
      expect(data.rows.map(({ final_text }) => final_text)).toEqual(["It is on its way.", "It is on its way."])
      const { usage: spent } = data.report()
      expect(spent["agent"]).toMatchObject({ input: null, uncounted: spent["agent"]?.calls })
    }).pipe(Effect.provide(Node.layerWith({ streaming: true })), configured)
  )

  it.scopedLive("says in its own words that it has no answer", () =>
    Effect.gen(function* () {
      const url = yield* served
      const error = yield* Effect.flip(
        Simulation.simulate({
          agent: `openai:nobody@${url}`,
          simulator: false,
          userModel: false,
          tools,
          budget: 5,
          concurrency: 2
        })
      )
      expect(error).toMatchObject({ _tag: "RunFailed", reason: "agent_failed" })
      expect(error.message).toContain("404")
    }).pipe(Effect.provide(Node.layer), configured)
  )
})
