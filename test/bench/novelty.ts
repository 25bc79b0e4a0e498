/**
 * B10: near-copy checks of 10,000 candidates against 10,000 to 100,000 traces, and the spread of a choice over pools of
 * that size. Sources and candidates are asks the template writer gives for one set of tools under two seeds, which share
 * most of their phrases: the hard case for an index, since hardly a word is rare. The index gives exact answers; beside
 * it, comparing with every source (of the smallest size, for 20 candidates) shows what it saves. `slope` is the
 * exponent of the growth of CPU time with the number of sources: 1 is linear.
 */
import * as Effect from "effect/Effect"
import * as Cell from "../../packages/core/src/task/Cell.ts"
import * as Embedder from "@sandtable/core/Embedder"
import * as IdPool from "../../packages/core/src/situation/IdPool.ts"
import * as NearCopies from "../../packages/core/src/language/NearCopies.ts"
import * as Novelty from "../../packages/core/src/situation/Novelty.ts"
import * as Randomness from "@sandtable/core/Randomness"
import * as TemplateWriter from "@sandtable/core/TemplateWriter"
import { cpu, print, type Result, save } from "./support/measure.ts"
import { tenTools } from "./support/ten-tools.ts"

const asks = (count: number, seed: number): ReadonlyArray<string> => {
  const random = Randomness.make(seed)
  const writer = TemplateWriter.make({
    tools: tenTools,
    clauses: [],
    ids: IdPool.make({ tools: tenTools, random }),
    random
  })
  const draws = random.stream(["bench"])
  const cells = Array.from({ length: count }, (_, i) => ({
    scenarioId: `${i}`,
    cell: {
      id: `${i}`,
      dimensions: {
        tool: draws.pick([...tenTools.map(({ name }) => name), Cell.unrelated, Cell.multiTool]),
        stance: draws.pick(Cell.stances),
        world_state: draws.pick(Cell.worldStates),
        tool_condition: draws.pick(Cell.toolConditions),
        history: draws.pick(Cell.histories)
      }
    },
    visit: 0,
    phrasing: 0,
    attempt: 0
  }))
  return Effect.runSync(writer.write(cells)).map(({ text }) => text)
}

const sizes = [10_000, 30_000, 100_000]
const sources = asks(100_000, 1)
const candidates = asks(10_000, 2)
const seconds = async (work: () => void): Promise<number> => cpu(async () => work())

const nearCopies: Array<Result> = []
for (const size of sizes) {
  const index = NearCopies.make()
  const adding = await seconds(() => sources.slice(0, size).forEach((text) => index.add(text)))
  let refused = 0
  const searching = await seconds(() => {
    for (const text of candidates) if (index.nearest(text) !== undefined) refused += 1
  })
  let highest = 0
  const following = await seconds(() => {
    for (const text of candidates) {
      const match = index.nearest(text, highest)
      if (match !== undefined && match.similarity < NearCopies.nearCopyThreshold) highest = match.similarity
    }
  })
  nearCopies.push({
    sources: size,
    "add, us each": (adding / size) * 1e6,
    "nearest >= 0.9, us each": (searching / candidates.length) * 1e6,
    "highest kept, us each": (following / candidates.length) * 1e6,
    refused
  })
}

const few = candidates.slice(0, 20)
const everyPair = await seconds(() => {
  for (const text of few) for (const source of sources.slice(0, sizes[0])) NearCopies.similarity(text, source)
})
nearCopies.push({ sources: sizes[0] ?? 0, "every pair, us each": (everyPair / few.length) * 1e6 })

const spreads: Array<Result> = []
/** The quietest of three. */
const quiet = async (work: () => void): Promise<number> =>
  Math.min(await seconds(work), await seconds(work), await seconds(work))

for (const size of sizes) {
  const pool = await Effect.runPromise(Embedder.lexical.embed(sources.slice(0, size)))
  const once = await quiet(() => void Novelty.spread(pool, 1))
  const many = await quiet(() => void Novelty.spread(pool, 33))
  spreads.push({
    pool: size,
    "prepare and first pick, ms": once * 1000,
    "each further pick, ms": ((many - once) / 32) * 1000
  })
}

const slope = (results: ReadonlyArray<Result>, by: string, of: string): number => {
  const [first, last] = [results[0], results[sizes.length - 1]]
  const ratio = (key: string): number => Math.log(Number(last?.[key]) / Number(first?.[key]))
  return ratio(of) / ratio(by)
}

const summary: ReadonlyArray<Result> = [
  { what: "a search at 0.9, by sources", slope: slope(nearCopies, "sources", "nearest >= 0.9, us each") },
  { what: "following the highest kept, by sources", slope: slope(nearCopies, "sources", "highest kept, us each") },
  { what: "a pick, by pool", slope: slope(spreads, "pool", "each further pick, ms") }
]
print("B10: near copies, 10,000 candidates", nearCopies)
print("B10: spread", spreads)
print("B10: growth with size (1 is linear)", summary)
save("novelty", [...nearCopies, ...spreads, ...summary])
