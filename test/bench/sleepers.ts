/**
 * B3: many rollouts that only wait. 10,000 are in flight at once; an agent sleeps twice, in this process, and the shared
 * deadline timer watches over all of them. The ideal is the two sleeps.
 */
import { layer } from "@sandtable/core/node"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { print, save } from "./support/measure.ts"

const inFlight = 10_000
const seconds = Number(process.env["BENCH_SLEEP"] ?? 60)
const sleep = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const agent = async (message: string): Promise<string> => {
  await sleep()
  await sleep()
  return `I thought about it twice: ${message}`
}

const begun = performance.now()
const rows = await Effect.gen(function* () {
  const options = {
    agent,
    simulator: false,
    systemPrompt: "You think twice.",
    budget: inFlight,
    concurrency: inFlight
  } as const
  const { rows, summary } = yield* Simulation.stream({
    ...options,
    timeout: 10 * seconds,
    advanced: { mutateFailures: false }
  })
  const seen = yield* Stream.runFold(rows, 0, (count) => count + 1)
  yield* summary
  return seen
}).pipe(Effect.scoped, Effect.provide(layer), Effect.runPromise)
const actual = (performance.now() - begun) / 1000

const results = [
  {
    rows,
    "in flight": inFlight,
    "ideal (s)": 2 * seconds,
    "actual (s)": actual,
    "ideal / actual": (2 * seconds) / actual,
    "peak resident (MB)": process.resourceUsage().maxRSS / 1024
  }
]
print("Sleepers (target: ideal / actual >= 0.95, at most 500 MB)", results)
save("sleepers", results)
