/**
 * B4: a server in trouble. A tenth of the calls is told to come later, with a hint; two in a hundred fail; one in a hundred
 * is cut off, as a stream or whole. Nothing may be lost, and hardly a call may be made beyond those that make up for the
 * failures.
 */
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { layer } from "@sandtable/core/node"
import * as Simulation from "@sandtable/core/Simulation"
import { layerUndici } from "@sandtable/backends/node"
import * as Limits from "@sandtable/backends/Limits"
import * as OpenAiCompatible from "@sandtable/backends/OpenAiCompatible"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { print, save } from "./support/measure.ts"
import { startServer } from "./support/model-process.ts"
import { ids, policy, tools } from "./support/orders.ts"

const budget = 500
const inFlight = 64
const callsPerRollout = 6

const storm = async (streaming: boolean) => {
  const server = await startServer({ latency: 100, calls: callsPerRollout, storm: true })
  const limit = Limits.limit("agent", { max: inFlight })
  const agent = Layer.provide(
    AgentBackend.layerModel,
    OpenAiCompatible.layer({ model: "m", baseUrl: server.url, streaming, limit })
  )
  const begun = performance.now()
  const { lost, seen } = await Effect.gen(function* () {
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
    return { seen, lost: (yield* summary).counts.lost }
  }).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
  const seconds = (performance.now() - begun) / 1000
  const { cut, failed, requests, throttled } = await server.counts()
  server.stop()
  const failures = cut + failed + throttled
  const wasted = requests - budget * callsPerRollout - failures
  return {
    replies: streaming ? "streams" : "whole",
    rows: seen,
    "lost rollouts": lost,
    requests,
    "told to come later": throttled,
    failed,
    "cut off": cut,
    "calls beyond": wasted,
    "beyond / failures": wasted / failures,
    "limit at the end": limit.state().limit,
    "time (s)": seconds
  }
}

const results = [await storm(false), await storm(true)]
print("Storm (target: no lost rollout, calls beyond those that make up for failures < 5% of the failures)", results)
save("storm", results)
