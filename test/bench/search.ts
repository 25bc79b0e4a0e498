/**
 * How many of six planted bugs a run finds by 60, 200 and 600 rows, against cells drawn evenly without looking: the same
 * writer, world and k. Bugs are pairs and triples of values that .4 to 1.3% of even cells have, in three families of agents:
 * by values of the axes, by tools with the failures they meet, and by how an ask is worded.
 *
 * `SEEDS=40 npm run bench -- search`; `PARTS=1` leaves out one part of the search at a time.
 */
import * as Agent from "@sandtable/core/Agent"
import * as Axes from "@sandtable/core/Axes"
import * as Options from "@sandtable/core/Options"
import * as Randomness from "@sandtable/core/Randomness"
import type * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

const seeds = Number(process.env["SEEDS"] ?? 20)
const budgets = [60, 200, 600] as const

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = ["get_order", "cancel_order", "refund_order", "track_parcel", "change_address"].map((name) => ({
  name,
  description: `${name.replace("_", " ")} by its id`,
  parameters: order
}))
const base = {
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003", "A1004", "A1005"] },
  simulator: false,
  systemPrompt:
    "Orders that have shipped cannot be cancelled. Refunds over 100 dollars need a manager. Never give out addresses."
} as const

/** Looks the order up and says so: what is wrong with it is planted in its grader. */
const agent = Agent.fromFunction(
  async (message, { world }) => {
    const order_id = /A\d{4}/.exec(message)?.[0] ?? "A1001"
    await world.call("get_order", { order_id })
    return `I looked at ${order_id}.`
  },
  { name: "planted" }
)

type Values = Readonly<Record<string, string>>
interface Bug {
  readonly name: string
  readonly values: Values
}
interface Family {
  readonly name: string
  /** Axes its bugs are made of. */
  readonly axes: ReadonlyArray<string>
  readonly sizes: ReadonlyArray<number>
}

const families: ReadonlyArray<Family> = [
  { name: "values", axes: ["tool", "rule", "stance", "world_state", "tool_condition", "history"], sizes: [2, 3] },
  { name: "tools and failures", axes: ["tool", "tool_condition", "world_state", "history"], sizes: [3] },
  { name: "wording", axes: ["stance", "texture", "tool", "tier"], sizes: [2, 3] }
]

const valuesOf = (row: Row.Row): Values => ({
  ...row.scenario_dimensions,
  ...(row.texture === undefined || row.texture === null ? {} : { texture: row.texture }),
  ...(row.tier === null || row.tier === undefined ? {} : { tier: row.tier })
})
const has = (own: Values, values: Values): boolean =>
  Object.entries(values).every(([axis, value]) => own[axis] === value)

const settings = Either.getOrThrow(Options.resolve({ agent, ...base })).settings
const axes = Either.getOrThrow(Axes.make(settings))

/** Cells drawn evenly, those that cannot occur left out. */
const evenCells = (n: number, seed: number): ReadonlyArray<Values> => {
  const draws = Randomness.make(seed).stream(["even"])
  const out: Array<Values> = []
  while (out.length < n) {
    const cell = Object.fromEntries(axes.axes.map(({ name, values }) => [name, draws.pick(values)]))
    if (!axes.constraints.some(({ forbid }) => has(cell, forbid))) out.push(cell)
  }
  return out
}

const hardStances: ReadonlySet<string> = new Set(["ambiguous", "unsure", "boundary", "conflicting", "adversarial"])
const run = (budget: number, seed: number, more: object, grader: (row: Row.Row) => unknown) =>
  Effect.map(
    Simulation.simulate({ agent, ...base, budget, seed, grader, concurrency: 8, reproducible: true, ...more } as never),
    ({ rows }) => rows
  ) as Effect.Effect<ReadonlyArray<Row.Row>>

const evenRun = (budget: number, seed: number, grader: (row: Row.Row) => unknown) => {
  const fixedRows = evenCells(budget, seed)
  const hardShare = fixedRows.filter(({ stance }) => hardStances.has(stance ?? "")).length / budget
  return run(
    budget,
    seed,
    {
      hardShare,
      advanced: { openEndedShare: 0, fixedRows, armWeights: { behavior_targeted: 0, failure_mutation: 0 } }
    },
    grader
  )
}

/** What a long even run shows: rarities of bugs come from it. */
const sample = await Effect.runPromise(evenRun(3000, 77, () => 1))

const bugsOf = (family: Family, seed: number): ReadonlyArray<Bug> => {
  const draws = Randomness.make(seed).stream(["bugs", family.name])
  const bugs: Array<Bug> = []
  while (bugs.length < 6) {
    const own = valuesOf(draws.pick(sample))
    const picked = draws.shuffle(family.axes.filter((axis) => axis in own)).slice(0, draws.pick(family.sizes))
    const values = Object.fromEntries(picked.map((axis) => [axis, own[axis] ?? ""]))
    const share = sample.filter((row) => has(valuesOf(row), values)).length / sample.length
    if (share < 0.004 || share > 0.013 || picked.length < 2) continue
    bugs.push({ name: `bug ${bugs.length}`, values })
  }
  return bugs
}

const graderOf = (bugs: ReadonlyArray<Bug>) => (row: Row.Row) => {
  const own = valuesOf(row)
  const bug = bugs.find(({ values }) => has(own, values))
  return bug === undefined ? 1 : { reward: 0, failure_class: bug.name, reason: bug.name }
}

interface Found {
  readonly distinct: number
  /** Row of the first sight of each bug; Infinity where it was not seen. */
  readonly first: ReadonlyArray<number>
  readonly failing: number
}
const foundIn = (rows: ReadonlyArray<Row.Row>, bugs: ReadonlyArray<Bug>): Found => {
  // in the order in which tasks were chosen: rows of a batch come together
  const ordered = [...rows].sort((a, b) => (a.timings?.started_at ?? "").localeCompare(b.timings?.started_at ?? ""))
  const first = bugs.map(({ name }) => {
    const at = ordered.findIndex(({ failure_class }) => failure_class === name)
    return at === -1 ? Number.POSITIVE_INFINITY : at + 1
  })
  return {
    distinct: first.filter(Number.isFinite).length,
    first,
    failing: rows.filter(({ reward }) => reward === 0).length
  }
}

const mean = (xs: ReadonlyArray<number>): number => xs.reduce((sum, x) => sum + x, 0) / xs.length
const interval = (xs: ReadonlyArray<number>): string => {
  const m = mean(xs)
  const sd = Math.sqrt(xs.reduce((sum, x) => sum + (x - m) ** 2, 0) / Math.max(1, xs.length - 1))
  return `${m.toFixed(2)} ±${((1.96 * sd) / Math.sqrt(xs.length)).toFixed(2)}`
}
const median = (xs: ReadonlyArray<number>): number =>
  [...xs].sort((a, b) => a - b)[Math.floor(xs.length / 2)] ?? Number.NaN

const triplesOf = (rows: ReadonlyArray<Row.Row>): number => {
  const seen = new Set<string>()
  for (const { scenario_dimensions } of rows) {
    const parts = Object.entries(scenario_dimensions ?? {}).map(([axis, value]) => `${axis}=${value}`)
    for (const [i, a] of parts.entries()) {
      for (const [j, b] of parts.entries()) if (j > i) for (const c of parts.slice(j + 1)) seen.add(`${a} ${b} ${c}`)
    }
  }
  return seen.size
}

const variants: ReadonlyArray<readonly [string, object]> = [
  ["search", {}],
  ...(process.env["PARTS"] === undefined
    ? []
    : ([
        ["without mutation", { advanced: { armWeights: { failure_mutation: 0 } } }],
        ["without probes off the grid", { advanced: { openEndedShare: 0 } }]
      ] as const))
]

for (const family of families) {
  console.log(`\n${family.name}: ${seeds} seeds, six bugs each`)
  for (const budget of budgets) {
    const even: Array<Found> = []
    const triples: Array<number> = []
    const own = variants.map((): Array<Found> => [])
    const ownTriples = variants.map((): Array<number> => [])
    for (let seed = 1; seed <= seeds; seed += 1) {
      const bugs = bugsOf(family, seed)
      const grader = graderOf(bugs)
      const rows = await Effect.runPromise(evenRun(budget, seed, grader))
      even.push(foundIn(rows, bugs))
      triples.push(triplesOf(rows))
      for (const [i, [, more]] of variants.entries()) {
        const played = await Effect.runPromise(run(budget, seed, more, grader))
        own[i]?.push(foundIn(played, bugs))
        ownTriples[i]?.push(triplesOf(played))
      }
    }
    const line = (name: string, found: ReadonlyArray<Found>, covered: ReadonlyArray<number>): string =>
      `  ${String(budget).padStart(4)} rows  ${name.padEnd(28)} ${interval(found.map(({ distinct }) => distinct))} of 6` +
      `   first sight ${median(found.flatMap(({ first }) => first))}   failing rows ${mean(found.map(({ failing }) => failing)).toFixed(1)}` +
      `   triples ${mean(covered).toFixed(0)}`
    console.log(line("even cells", even, triples))
    for (const [i, [name]] of variants.entries()) console.log(line(name, own[i] ?? [], ownTriples[i] ?? []))
  }
}
