import * as Node from "@sandtable/backends/node"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { describe, expect, it } from "@effect/vitest"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as ChatModel from "@sandtable/core/ChatModel"
import * as Evaluation from "@sandtable/core/Evaluation"
import * as Simulation from "@sandtable/core/Simulation"
import * as Spans from "../../packages/core/src/model/Spans.ts"
import { InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FakeServer from "../backends/FakeServer.ts"
import { ids, script, systemPrompt, tools } from "./scripted-models.ts"

const exported = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<readonly [A, ReadonlyArray<ReadableSpan>], E> =>
  Effect.suspend(() => {
    const exporter = new InMemorySpanExporter()
    const sdk = NodeSdk.layer(() => ({
      resource: { serviceName: "rehearsal" },
      spanProcessor: new SimpleSpanProcessor(exporter)
    }))
    // the exporter forgets its spans when it is shut down
    return Effect.provide(
      Effect.map(effect, (value) => [value, exporter.getFinishedSpans().slice()] as const),
      sdk
    )
  })

const rehearsed = (url: string) =>
  Simulation.simulate({
    agent: `vllm:agent-m@${url}/v1`,
    simulator: `vllm:writer-m@${url}/v1`,
    userModel: `vllm:user-m@${url}/v1`,
    tools,
    ids,
    systemPrompt,
    faultRate: 0,
    budget: 4,
    concurrency: 2
  }).pipe(Effect.provide(Node.layer))

const named = (spans: ReadonlyArray<ReadableSpan>, name: string) => spans.filter((span) => span.name === name)

describe("spans", () => {
  it.scopedLive("of a run, its rollouts, their model calls and tool calls, in the names of generative AI", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const [data, spans] = yield* exported(rehearsed(server.url))
      const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined)
      expect(roots.map(({ name }) => name)).toEqual(["Simulation.simulate"])
      const [run] = named(spans, "Simulation.play")
      expect(run?.attributes).toMatchObject({ "sandtable.run_id": data.runId })

      const rollouts = named(spans, "invoke_agent agent-m")
      expect(rollouts).toHaveLength(4)
      for (const rollout of rollouts) {
        expect(rollout.spanContext().traceId).toBe(run?.spanContext().traceId)
        expect(rollout.attributes).toMatchObject({
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "agent-m",
          "gen_ai.provider.name": "vllm",
          "sandtable.run_id": data.runId
        })
      }
      expect(new Set(rollouts.map(({ attributes }) => attributes["sandtable.row_id"]))).toEqual(
        new Set(data.rows.map(({ row_id }) => row_id))
      )
      const within = (span: ReadableSpan) =>
        rollouts.some((rollout) => rollout.spanContext().spanId === span.parentSpanContext?.spanId)

      const chats = named(spans, "chat agent-m")
      expect(chats.length).toBeGreaterThan(4)
      expect(chats.every(within)).toBe(true)
      expect(chats[0]?.attributes).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "agent-m",
        "gen_ai.request.temperature": 0.8,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "server.address": "127.0.0.1",
        "sandtable.role": "agent"
      })
      expect(named(spans, "chat writer-m").map(({ attributes }) => attributes["sandtable.role"])).toContain("writer")
      expect(named(spans, "chat user-m").every(within)).toBe(true)

      const calls = named(spans, "execute_tool get_order")
      expect(calls.length).toBe(data.rows.flatMap(({ steps }) => steps).filter((step) => "tool" in step).length)
      expect(calls.every(within)).toBe(true)
      expect(calls[0]?.attributes).toMatchObject({
        "gen_ai.operation.name": "execute_tool",
        "sandtable.answered_by": "mock"
      })

      const held = JSON.stringify(spans.map(({ attributes, events, status }) => ({ attributes, events, status })))
      for (const { final_text, prompt } of data.rows) {
        expect(held).not.toContain(prompt)
        expect(held).not.toContain(final_text)
      }
      expect(held).not.toContain("A1001")
    })
  )

  it.scopedLive("are gone on with by servers: every request says in which call of ours it stands", () =>
    Effect.gen(function* () {
      for (const streaming of [false, true]) {
        const server = yield* FakeServer.make(script)
        const model = yield* OpenAiCompatible.make({ model: "agent-m", baseUrl: `${server.url}/v1`, streaming })
        const [, spans] = yield* exported(
          Simulation.simulate({ systemPrompt, simulator: false, budget: 2, tools, ids }).pipe(
            Effect.provide(AgentBackend.layerModel),
            Effect.provideService(ChatModel.ChatModel, model)
          )
        )
        const chats = named(spans, "chat agent-m").map((span) => span.spanContext())
        const sent = server.received.map(({ headers }) => headers["traceparent"])
        expect(sent.length).toBeGreaterThan(1)
        expect(new Set(sent)).toEqual(new Set(chats.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`)))
      }
    }).pipe(Effect.provide(Node.layerUndici))
  )

  it.scopedLive("are told to nobody where nobody keeps them, or where the program says so", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      yield* rehearsed(server.url)
      yield* exported(Effect.locally(rehearsed(server.url), HttpClient.currentTracerPropagation, false))
      expect(server.received.length).toBeGreaterThan(0)
      for (const { headers } of server.received) expect(headers).not.toHaveProperty("traceparent")
    })
  )

  it.scopedLive("go to an agent behind an address, too", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(() => ({ raw: { json: { text: "It has shipped." } } }))
      const [, spans] = yield* exported(
        Simulation.simulate({ agent: `${server.url}/agent`, tools, ids, simulator: false, budget: 2 }).pipe(
          Effect.provide(Node.layer)
        )
      )
      const traces = new Set(spans.map((span) => span.spanContext().traceId))
      expect(traces.size).toBe(1)
      expect(server.received.length).toBeGreaterThan(1)
      for (const { headers } of server.received)
        expect(traces).toContain(headers["traceparent"]?.toString().slice(3, 35))
    })
  )

  it.scopedLive("have one root, however a run is called", () =>
    Effect.gen(function* () {
      const options = { agent: () => "We open at nine.", systemPrompt: "Tell.", simulator: false, budget: 2 } as const
      const ways: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
        "Simulation.simulate": Simulation.simulate(options),
        "Simulation.preview": Simulation.preview(options),
        "Evaluation.run": Evaluation.run({ agent: options.agent, evalSet: ["When do you open?"], grade: true }),
        "Simulation.stream": Effect.scoped(
          Effect.flatMap(Simulation.stream(options), ({ rows }) => Stream.runDrain(rows))
        )
      }
      for (const [name, way] of Object.entries(ways)) {
        const [, spans] = yield* exported(way)
        const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined)
        expect(roots.map((span) => span.name)).toEqual([name])
      }
    })
  )

  it.scopedLive("hold what was said when they are asked to", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const [data, spans] = yield* exported(Effect.provide(rehearsed(server.url), Spans.layerContent))
      const [chat] = named(spans, "chat agent-m")
      expect(chat?.attributes["gen_ai.input.messages"]).toContain(systemPrompt)
      const said = named(spans, "chat agent-m").map(({ attributes }) => String(attributes["gen_ai.output.messages"]))
      expect(said.some((text) => text.includes(data.rows[0]?.final_text ?? ""))).toBe(true)
      const [call] = named(spans, "execute_tool get_order")
      expect(call?.attributes["gen_ai.tool.call.arguments"]).toContain("A100")
    })
  )

  it.scopedLive("tell of a failure its kind and none of its words", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(() => FakeServer.refusal(401, "the secret words of the server"))
      const [, spans] = yield* exported(Effect.either(rehearsed(server.url)))
      const [chat] = named(spans, "chat writer-m")
      expect(chat?.attributes["error.type"]).toBe("auth")
      expect(chat?.status.code).toBe(2)
      expect(
        JSON.stringify(spans.map(({ attributes, events, status }) => ({ attributes, events, status })))
      ).not.toContain("the secret words")
    })
  )

  it.effect("are of function agents too: their tool calls stand in their rollouts", () =>
    Effect.gen(function* () {
      const [, spans] = yield* exported(
        Simulation.simulate({
          agent: async (_, { world }) =>
            `It is ${JSON.stringify(await world.call("get_order", { order_id: "A1001" }))}.`,
          tools,
          ids,
          simulator: false,
          budget: 3
        })
      )
      const rollouts = named(spans, "invoke_agent function:agent").map((span) => span.spanContext().spanId)
      expect(rollouts).toHaveLength(3)
      const calls = named(spans, "execute_tool get_order")
      expect(new Set(calls.map(({ parentSpanContext }) => parentSpanContext?.spanId))).toEqual(new Set(rollouts))
    }).pipe(Effect.provide(Layer.empty))
  )
})
