/**
 * B2: rollouts that wait for a model. A server in its own process takes a fixed time for each call; a rollout makes six.
 * The ideal is the time the calls take when all in flight wait and nothing else is done. Then the processor time of one
 * call through the backend against undici alone, which sends the same body and parses the same reply, and does not write
 * the body from messages, read the reply into a completion, hold limits and deadlines, nor know when to ask again.
 */
import * as AgentBackend from "@sandtable/core/AgentBackend"
import type { Request } from "@sandtable/core/ChatModel"
import { layer } from "@sandtable/core/node"
import * as Simulation from "@sandtable/core/Simulation"
import { layerUndici } from "@sandtable/backends/node"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import { Agent } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { cpu, median, print, save } from "./support/measure.ts"
import { startServer } from "./support/model-process.ts"
import { ids, policy, tools } from "./support/orders.ts"

const latency = Number(process.env["BENCH_LATENCY"] ?? 2000)
const callsPerRollout = 6
const waves = 2

const rollouts = async (inFlight: number, url: string) => {
  const agent = Layer.provide(AgentBackend.layerModel, OpenAiCompatible.layer({ model: "m", baseUrl: url }))
  const budget = inFlight * waves
  const begun = performance.now()
  const used = await cpu(() =>
    Effect.gen(function* () {
      const { rows, summary } = yield* Simulation.stream({
        agent: Layer.provide(agent, layerUndici),
        tools,
        ids,
        systemPrompt: policy,
        simulator: false,
        budget,
        concurrency: inFlight,
        maxTurns: 1,
        faultRate: 0,
        advanced: { mutateFailures: false }
      })
      const seen = yield* Stream.runFold(rows, 0, (count) => count + 1)
      if (seen !== budget) throw new Error(`${seen} rows instead of ${budget}: ${(yield* summary).stopped_because}`)
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
  )
  const actual = (performance.now() - begun) / 1000
  const ideal = (waves * callsPerRollout * latency) / 1000
  return {
    "in flight": inFlight,
    "ideal (s)": ideal,
    "actual (s)": actual,
    "ideal / actual": ideal / actual,
    "client CPU (ms/call)": (used * 1000) / (budget * callsPerRollout),
    "client cores": used / actual
  }
}

/** Runs so many jobs with so many in flight. */
const pooled = async (count: number, inFlight: number, job: () => Promise<unknown>): Promise<void> => {
  let left = count
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await job()
    })
  )
}

const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) for (const held of Object.values(value)) frozen(held)
  return Object.freeze(value)
}

/** As a conversation asks: what was said before is frozen. */
const request: Request = {
  messages: frozen([
    { role: "system", content: policy },
    { role: "user", content: "Where is my order A1001?" },
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "get_order", arguments: { order_id: "A1001" } }] },
    { role: "tool", callId: "c", name: "get_order", content: '{"order_id":"A1001","status":"shipped"}' }
  ]),
  tools,
  sampling: { temperature: 0.8 }
}

const perCall = async (inFlight: number, url: string) => {
  const count = 20_000
  const agent = new Agent()
  const origin = new URL(url).origin
  const body = {
    model: "m",
    messages: [
      { role: "system", content: policy },
      { role: "user", content: "Where is my order A1001?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "get_order", arguments: '{"order_id":"A1001"}' } }]
      },
      { role: "tool", tool_call_id: "c", content: '{"order_id":"A1001","status":"shipped"}' }
    ],
    tools: tools.map((tool) => ({ type: "function", function: tool })),
    temperature: 0.8
  }
  const bare = async (): Promise<void> => {
    const response = await agent.request({
      origin,
      path: "/v1/chat/completions",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    JSON.parse(await response.body.text())
  }
  const run = Effect.gen(function* () {
    const model = yield* OpenAiCompatible.make({ model: "m", baseUrl: url })
    const complete = model.complete(request)
    const ours = Effect.suspend(() => {
      let left = count
      const worker = Effect.whileLoop({ while: () => left-- > 0, body: () => complete, step: () => undefined })
      return Effect.all(
        Array.from({ length: inFlight }, () => worker),
        { concurrency: "unbounded", discard: true }
      )
    })
    const rounds: Array<{ readonly ours: number; readonly bare: number }> = []
    for (let round = 0; round < 8; round++) {
      const theirs = yield* Effect.promise(() => cpu(() => pooled(count, inFlight, bare)))
      const mine = yield* Effect.promise(() => cpu(() => Effect.runPromise(ours)))
      // The first round warms both up.
      if (round > 0) rounds.push({ ours: mine, bare: theirs })
    }
    return rounds
  })
  const rounds = await Effect.runPromise(Effect.provide(run, layerUndici))
  await agent.destroy()
  return {
    "in flight": inFlight,
    "ours (us/call)": (median(rounds.map(({ ours }) => ours)) * 1e6) / count,
    "undici (us/call)": (median(rounds.map(({ bare }) => bare)) * 1e6) / count,
    ratio: median(rounds.map(({ bare, ours }) => ours / bare))
  }
}

const waiting = []
const slow = await startServer({ latency, calls: callsPerRollout, storm: false })
await rollouts(8, slow.url)
for (const inFlight of [32, 256, 1024]) waiting.push(await rollouts(inFlight, slow.url))
slow.stop()
print("Rollouts that wait for a model (target: ideal / actual >= 0.97, 0.95, 0.90)", waiting)

const instant = await startServer({ latency: 0, calls: callsPerRollout, storm: false })
const calls = []
for (const inFlight of [32, 256]) calls.push(await perCall(inFlight, instant.url))
instant.stop()
print("Processor time of a call (target: ratio <= 1.5)", calls)
save("model-calls", [...waiting, ...calls])
