/**
 * B6: what a fixed order costs. Rollouts take log-normal times (sigma 1, median 100 ms) on a clock that is moved on as soon
 * as everybody waits, so that figures are those of the order alone. The bound of an order is the makespan of the same
 * rollouts under its rule and nothing else: computed here from their times, sharing no code with the drivers. Left out on
 * that side: choosing, worlds, rows.
 */
import * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as Randomness from "@sandtable/core/Randomness"
import * as Effect from "effect/Effect"
import { print, save, type Result } from "./support/measure.ts"
import { ids, policy, tools } from "./support/orders.ts"
import { VirtualClock } from "./support/virtual-clock.ts"

const rows = Number(process.env["BENCH_ROWS"] ?? 3_000)
const random = Randomness.make(9)
const timeOf = (name: string): number => {
  const draws = random.stream(["latency", name])
  const radius = Math.sqrt(-2 * Math.log(1 - draws.next()))
  return 100 * Math.exp(radius * Math.cos(2 * Math.PI * draws.next()))
}

const run = async (concurrency: number, reproducible: Exclude<Simulation.InMemory["reproducible"], undefined>) => {
  const times: Array<number> = []
  const [data, took] = await new VirtualClock().run(
    Simulation.simulate({
      agent: (_, { rollout }) =>
        Effect.suspend(() => {
          const time = timeOf(`${rollout.taskId} ${rollout.rolloutIndex}`)
          times.push(time)
          return Effect.as(Effect.sleep(time), "Which order is it?")
        }),
      tools,
      ids,
      systemPrompt: policy,
      simulator: false,
      budget: rows,
      concurrency,
      reproducible
    })
  )
  return { times, took, digest: Row.digest(data.rows) }
}

/** The end of work that begins in order, at most `places` at once, each piece not before `ready` allows. */
const makespan = (
  times: ReadonlyArray<number>,
  places: number,
  ready: (index: number, ends: ReadonlyArray<number>) => number
): number => {
  const free = Array.from({ length: places }, () => 0)
  const ends: Array<number> = []
  times.forEach((time, index) => {
    const place = free.indexOf(Math.min(...free))
    ends.push(Math.max(free[place] as number, ready(index, ends)) + time)
    free[place] = ends[index] as number
  })
  return Math.max(...ends)
}

const latest = (ends: ReadonlyArray<number>, until: number): number =>
  ends.slice(0, until).reduce((most, end) => Math.max(most, end), 0)

const bounds = {
  free: () => 0,
  batch: (size: number) => (index: number, ends: ReadonlyArray<number>) => latest(ends, index - (index % size)),
  lookahead: (window: number) => {
    let fed = 0
    return (index: number, ends: ReadonlyArray<number>) => {
      if (index >= window) fed = Math.max(fed, ends[index - window] as number)
      return fed
    }
  }
}

const results: Array<Result> = []
const digests = new Map<string, Set<string>>()
for (const concurrency of [1, 8, 32]) {
  // one rollout at a time is played in batches, whatever is asked for: alone it costs nothing
  const free = await run(concurrency, false)
  const orders = [
    ["free running", false, bounds.free],
    ["batch 32", { batch: 32 }, bounds.batch(32)],
    ["batch 128", { batch: 128 }, bounds.batch(128)],
    [`lookahead ${4 * concurrency} (4x)`, { lookahead: 4 * concurrency }, bounds.lookahead(4 * concurrency)],
    [`lookahead ${12 * concurrency} (12x)`, { lookahead: 12 * concurrency }, bounds.lookahead(12 * concurrency)],
    ["lookahead 384", { lookahead: 384 }, bounds.lookahead(384)]
  ] as const
  for (const [name, order, ready] of orders) {
    const { digest, times, took } = order === false ? free : await run(concurrency, order)
    if (name === "batch 32" || name === "lookahead 384") {
      digests.set(name, (digests.get(name) ?? new Set()).add(digest))
    }
    results.push({
      "in flight": concurrency,
      order: name,
      "rows/s": (1000 * rows) / took,
      "of free running": free.took / took,
      "of its bound": makespan(times, concurrency, ready) / took
    })
  }
}
print(`${rows} rollouts of log-normal time (target: >= 0.95 of the bound, look-ahead 12x >= 0.90 of free)`, results)
for (const [order, seen] of digests) console.log(`${order}: ${seen.size} different digests at 1, 8 and 32 in flight`)
save("reproducible", results)
process.exitCode = [...digests.values()].every(({ size }) => size === 1) ? 0 : 1
