/**
 * Runs aimed by production traces, from the option to the rows.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import * as Agent from "@sandtable/core/Agent"
import * as Embedder from "@sandtable/core/Embedder"
import * as NearCopies from "../../packages/core/src/language/NearCopies.ts"
import type { Row } from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import type * as SituationWriter from "@sandtable/core/SituationWriter"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { airlineTools } from "./airline.ts"

const id = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: id },
  { name: "refund_order", description: "Refund an order", parameters: id },
  { name: "track_parcel", description: "Track a parcel", parameters: id }
]

/** A recorded thread: one call, and what came of it. */
const trace = (prompt: string, tool: string, result: unknown, over: object = {}) => ({
  prompt,
  steps: [{ user: prompt }, { tool, arguments: { order_id: /W\d+/.exec(prompt)?.[0] ?? "W7" }, result }],
  final_text: "There you are.",
  ...over
})
const limited = { status: "rate_limited", error: "too many" }
const traces = [
  trace("Please refund W301, the lamp broke in a week", "refund_order", limited, { reward: 0 }),
  trace("Refund order W302 to my card, it never came", "refund_order", limited, { reward: 0 }),
  {
    steps: [
      { user: "My parcel is gone and nobody says a word, do something" },
      { text: "Which order is it?" },
      { user: "It is W304" },
      { tool: "refund_order", arguments: { order_id: "W304" }, result: limited },
      { tool: "get_order", arguments: { order_id: "W305" }, result: { order_id: "W305" } }
    ],
    final_text: "Later, please.",
    reward: 0
  },
  trace(
    "Where is order W303 now, it was due on Monday?",
    "get_order",
    { order_id: "W303", depot_mark: "Ghent" },
    { reward: 1 }
  )
]

const agent: Agent.AgentFunction = async (message, { world }) => {
  const order_id = /W\d+/.exec(message)?.[0] ?? "W301"
  await world.call("refund_order", { order_id })
  const found = await world.call("get_order", { order_id })
  return `I looked: ${JSON.stringify(found)}.`
}
const base = { agent, tools, simulator: false, budget: 40 } as const

const isCopy = (row: Row, of: ReadonlyArray<string>): boolean =>
  of.some((source) => NearCopies.similarity(row.prompt, source) >= NearCopies.nearCopyThreshold)

/** The share of a source's runs of four words that a text holds, written out. */
const shareHeld = (source: string, text: string): number => {
  const runs = (of: string) => {
    const words = of.toLowerCase().match(/[a-z0-9]+/g) ?? []
    return new Set(words.slice(3).map((_, i) => words.slice(i, i + 4).join(" ")))
  }
  const [own, given] = [runs(source), runs(text)]
  return [...own].filter((run) => given.has(run)).length / own.size
}
const asks = [
  "Please refund W301, the lamp broke in a week",
  "Refund order W302 to my card, it never came",
  "My parcel is gone and nobody says a word, do something",
  "Where is order W303 now, it was due on Monday?"
]

describe("a run with traces", () => {
  it.effect("is aimed at the tools that failed, by the conditions and states that were seen", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, traces, faultRate: 1 })
      const { search } = data
      expect(search.strategy).toBe("trace")
      expect(search.trace_mining).toMatchObject({
        threads: 4,
        tools: [
          { tool: "refund_order", calls: 3, failures: 3 },
          { tool: "get_order", calls: 2, failures: 0 }
        ],
        tool_conditions: ["success", "rate_limited"],
        world_states: ["exists"],
        payloads: 2,
        asks: 4,
        failing_asks: 3
      })
      const grid = data.rows.filter((row) => row.scenario_dimensions?.["stance"] !== undefined && row.arm === "grid")
      const conditions = new Set(grid.map((row) => row.scenario_dimensions?.["tool_condition"]))
      expect(conditions).toEqual(new Set(["success", "rate_limited"]))
      expect(new Set(grid.map((row) => row.scenario_dimensions?.["world_state"]))).toEqual(new Set(["exists"]))
      const planned = grid.find((row) => row.scenario_dimensions?.["tool_condition"] === "rate_limited")
      expect(planned?.faults?.[0]?.mode).toBe("rate_limited")
      expect(
        data.rows.flatMap(({ steps }) => steps).some((step) => "tool" in step && step.fault === "rate_limited")
      ).toBe(true)
    })
  )

  it.effect("varies the asks that failed, where they failed, and never runs one itself", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, traces, faultRate: 1, situations: 40 })
      const variants = data.rows.filter((row) => row.arm === "trace_variant")
      expect(variants).toHaveLength(9)
      for (const row of variants) {
        expect(row).toMatchObject({
          tier: null,
          writer_model: "template",
          scenario_dimensions: { tool: "refund_order", tool_condition: "rate_limited" }
        })
        expect(row.faults?.[0]).toMatchObject({ tool: "refund_order", mode: "rate_limited" })
      }
      // What the person knows is what they said in the thread, at first or later.
      expect(new Set(variants.map((row) => row.plan?.facts["order_id"]))).toEqual(new Set(["W301", "W302", "W304"]))
      expect(variants.filter((row) => /W304/.test(row.prompt))).toEqual([])
      expect(data.rows.filter((row) => isCopy(row, asks))).toEqual([])
      const { trace_leakage } = data.search
      expect(trace_leakage).toMatchObject({ sources: 4, threshold: 0.9 })
      expect(trace_leakage?.highest_similarity).toBeGreaterThan(0.3)
      expect(trace_leakage?.highest_similarity).toBeLessThan(0.9)
      expect(data.search.tier_mix?.drawn).toBeCloseTo(0.4, 1)
    })
  )

  it.effect("counts variants in an arm of their own: no rate of the grid holds them", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, traces, situations: 24, grade: true })
      const of = (arm: string) => data.rows.filter((row) => row.arm === arm)
      expect(of("trace_variant").length).toBeGreaterThan(3)
      expect(of("grid").every((row) => row.tier !== null)).toBe(true)
      expect(data.search.arms?.["trace_variant"]).toMatchObject({ rows: of("trace_variant").length, weight: null })
      expect(data.search.arms?.["grid"]?.rows).toBe(of("grid").length)
      const { arms } = data.passAt()
      expect(arms["grid"]?.rows).toBe(of("grid").length)
      expect(arms["trace_variant"]?.rows).toBe(of("trace_variant").length)
    })
  )

  it.effect("writes nothing that holds most of a source, whatever stands around it", () =>
    Effect.gen(function* () {
      const goods = ["kettle", "lamp", "rug", "tent", "sofa"]
      const faults = ["the lid does not close", "it came with a scratch on one side", "it no longer fits anywhere"]
      const wishes = ["send it back and get the money", "have it replaced before the weekend"]
      const sources = Array.from({ length: 30 }, (_, i) => {
        const [good, fault, wish] = [goods[i % 5], faults[i % 3], wishes[i % 2]]
        return `Hello, I ordered a ${good} last month and ${fault}, so I would like to ${wish}, order W${500 + i}.`
      })
      const data = yield* Simulation.simulate({
        ...base,
        traces: sources.map((text) => trace(text, "refund_order", limited, { reward: 0 })),
        budget: 120,
        repeats: 1
      })
      const variants = data.rows.filter(({ arm }) => arm === "trace_variant")
      expect(variants.length).toBeGreaterThan(10)
      const held = data.rows.map(({ prompt }) => Math.max(...sources.map((source) => shareHeld(source, prompt))))
      expect(Math.max(...held)).toBeLessThan(0.8)
      const { trace_leakage } = data.search
      expect(trace_leakage?.refused).toBeGreaterThan(0)
      expect(trace_leakage?.highest_similarity).toBeGreaterThanOrEqual(Math.max(...held) - 1e-9)
      expect(trace_leakage?.highest_similarity).toBeLessThan(0.9)
    })
  )

  it.effect("names identifiers that the traces show, in a world that answers as theirs did", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, traces, faultRate: 0 })
      const named = data.rows.flatMap((row) => row.prompt.match(/\b[A-Z]{1,3}-?\d{3,}\b/g) ?? [])
      expect(named.length).toBeGreaterThan(5)
      expect(new Set(named)).toEqual(new Set(["W301", "W302", "W303", "W305"]))
      expect(JSON.stringify(data.rows.map(({ steps }) => steps))).toContain("depot_mark")
      expect(data.warnings.map(({ code }) => code)).not.toContain("ids_invented")
    })
  )

  it.effect("refuses an ask that copies a source, and asks for another", () =>
    Effect.gen(function* () {
      const copying: SituationWriter.WriteFunction = (slots) =>
        slots.map((slot) => ({
          slot,
          text:
            slot.attempt === 0 ? `${asks[3]?.toUpperCase()} ` : `wish ${slot.scenarioId} of mine, try ${slot.attempt}`
        }))
      const data = yield* Simulation.simulate({ ...base, traces, simulator: copying, budget: 10 })
      expect(data.rows).toHaveLength(10)
      expect(data.rows.every((row) => row.prompt.endsWith("try 1"))).toBe(true)
      expect(data.search.trace_leakage?.refused).toBeGreaterThanOrEqual(10)
    })
  )

  it.effect("keeps later lines of the person off the sources as well", () =>
    Effect.gen(function* () {
      const chat = Agent.chat((messages) => (messages.length > 2 ? "Thank you." : "Which order is it?"))
      const userModel = UserSimulator.scripted([asks[0] ?? ""])
      const options = { ...base, agent: chat, userModel, budget: 4 }
      const free = yield* Simulation.simulate(options)
      expect(free.rows.some(({ steps }) => steps.some((step) => "user" in step && step.user === asks[0]))).toBe(true)
      const data = yield* Simulation.simulate({ ...options, traces })
      expect(data.rows.some(({ steps }) => steps.some((step) => "user" in step && step.user === asks[0]))).toBe(false)
      expect(data.search.trace_leakage?.refused).toBeGreaterThanOrEqual(4)
      expect(data.search.followup_misses).toBe(4)
      expect(data.degraded).toContain("followups_starved")
      expect(free.degraded).not.toContain("followups_starved")
    })
  )

  it.effect("runs the caller's seeds as they are, also one that a trace holds", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, traces, seeds: [asks[0] ?? ""], budget: 8 })
      expect(data.rows[0]).toMatchObject({ prompt: asks[0], arm: "seed" })
      expect(data.rows.filter((row) => isCopy(row, asks))).toHaveLength(1)
    })
  )

  it.effect("changes no other option: pins stand, and counts, seeds and policy are as given", () =>
    Effect.gen(function* () {
      const dimensions = { tool: ["track_parcel"], tool_condition: ["timeout"] }
      const data = yield* Simulation.simulate({ ...base, traces, dimensions, situations: 10, strategy: "targeted" })
      const placed = data.rows.filter((row) => row.tier !== null && row.arm === "grid")
      expect(placed.every((row) => row.scenario_dimensions?.["tool"] === "track_parcel")).toBe(true)
      expect(placed.every((row) => row.scenario_dimensions?.["tool_condition"] === "timeout")).toBe(true)
      expect(data.rows).toHaveLength(10)
      expect(data.stoppedBecause).toBe("situations_exhausted")
    })
  )

  it.effect("gives another run than without, equal for equal traces, and previews as it runs", () =>
    Effect.gen(function* () {
      const plain = yield* Simulation.preview(base)
      const aimed = yield* Simulation.preview({ ...base, traces })
      const again = yield* Simulation.preview({ ...base, traces: traces.map((one) => ({ ...one, extra: 1 })) })
      const targeted = yield* Simulation.preview({ ...base, traces, strategy: "targeted" })
      expect(new Set([plain.runId, aimed.runId, again.runId, targeted.runId]).size).toBe(3)
      expect(again.runId).toBe(aimed.runId)
      const data = yield* Simulation.simulate({
        ...base,
        agent: () => "ok",
        traces,
        advanced: { mutateFailures: false }
      })
      const shown = yield* Simulation.preview({
        ...base,
        agent: () => "ok",
        traces,
        advanced: { mutateFailures: false }
      })
      expect(shown.asks.map(({ prompt }) => prompt)).toEqual(data.rows.map(({ prompt }) => prompt))
    })
  )
})

describe("strategies", () => {
  const toolsOf = (rows: ReadonlyArray<Row>) =>
    new Set(rows.filter((row) => row.tier !== null).flatMap((row) => row.scenario_dimensions?.["tool"] ?? []))

  it.effect("targeted leaves out what no trace shows", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, traces, strategy: "targeted", budget: 60 })
      expect(toolsOf(data.rows)).toEqual(new Set(["refund_order", "get_order", "multi_tool"]))
      expect(data.search.strategy).toBe("targeted")
    })
  )

  it.effect("broad keeps the whole grid and takes results alone", () =>
    Effect.gen(function* () {
      // What the other arms open depends on what tools answer.
      const grid = { openEndedShare: 0, armWeights: { behavior_targeted: 0, failure_mutation: 0 } }
      const broad = yield* Simulation.simulate({ ...base, traces, strategy: "broad", faultRate: 0, advanced: grid })
      const plain = yield* Simulation.simulate({ ...base, faultRate: 0, advanced: grid })
      const cells = (rows: ReadonlyArray<Row>) => rows.map((row) => row.scenario_dimensions)
      expect(cells(broad.rows)).toEqual(cells(plain.rows))
      expect(broad.search.strategy).toBe("broad")
      const answers = (rows: ReadonlyArray<Row>) => JSON.stringify(rows.map(({ steps }) => steps))
      expect(answers(broad.rows)).toContain("depot_mark")
      expect(answers(plain.rows)).not.toContain("depot_mark")
    })
  )
})

describe("an embedder", () => {
  /** Knows two meanings: of waiting for something, and of everything else. */
  const meaning = Embedder.dense({ name: "meaning" }, (texts) =>
    Effect.succeed(texts.map((text) => (/due|late|arrive/.test(text) ? [1, 0] : [0, 1])))
  )
  const writing: SituationWriter.WriteFunction = (slots) =>
    slots.map((slot) => ({ slot, text: `${slot.attempt === 0 ? "did my thing arrive" : "hello"} ${slot.scenarioId}` }))
  const options = { ...base, traces: [traces[3] as object], simulator: writing, budget: 5 }

  it.effect("finds copies that share no words", () =>
    Effect.gen(function* () {
      const byWords = yield* Simulation.simulate(options)
      expect(byWords.search.trace_leakage?.refused).toBe(0)
      const data = yield* Simulation.simulate({ ...options, advanced: { embedder: meaning } })
      expect(data.rows.every((row) => row.prompt.startsWith("hello"))).toBe(true)
      expect(data.search.trace_leakage?.refused).toBeGreaterThanOrEqual(5)
    })
  )

  it.effect("that fails leaves it to the words, and that is said", () =>
    Effect.gen(function* () {
      const broken = Embedder.dense({ name: "broken" }, () => Effect.fail(new Error("no route")))
      const data = yield* Simulation.simulate({ ...options, advanced: { embedder: broken } })
      expect(data.rows).toHaveLength(5)
      expect(data.degraded).toContain("embedding_unavailable")
    })
  )
})

describe("traces that cannot be used", () => {
  /** Without a file system, unless one is in context. */
  const simulate = Simulation.simulate as (options: object) => Effect.Effect<unknown, Simulation.SimulationError>
  const issuesOf = (options: object) =>
    Effect.map(Effect.flip(simulate({ ...base, ...options })), (error) =>
      error._tag === "InvalidOptions" ? error.issues.map(({ option, problem }) => `${option} ${problem}`) : [error._tag]
    )
  const inFile = (content: string) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const path = Path.join(folder, "traces.jsonl")
      yield* fs.writeFileString(path, content)
      return path
    })

  it.scoped("are refused by name, together with everything else, before anything is called", () =>
    Effect.gen(function* () {
      let calls = 0
      const counting = () => `ok ${++calls}`
      const missing = yield* issuesOf({ agent: counting, traces: "/no/such/file.jsonl", budget: 0 })
      expect(missing).toHaveLength(2)
      expect(missing.join("\n")).toMatch(
        /budget .*\n?traces is \/no\/such\/file\.jsonl, which cannot be read: there is no such file/
      )
      const prose = yield* inFile("once upon a time\nthere was no JSON\n")
      expect((yield* issuesOf({ agent: counting, traces: prose })).join()).toContain(
        "holds no record that is a trace (Record 1"
      )
      expect((yield* issuesOf({ agent: counting, traces: [] })).join()).toContain("holds no record that is a trace")
      expect((yield* issuesOf({ agent: counting, traces: [{ hello: "world" }] })).join()).toContain(
        "Record 1 was left out"
      )
      expect(calls).toBe(0)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("need a file system when they are a path", () =>
    Effect.gen(function* () {
      const issues = yield* issuesOf({ traces: "traces.jsonl" })
      expect(issues.join()).toContain("traces names a file, and no file system is in context")
    })
  )

  it.effect("of other tools leave nothing to target, and are noted otherwise", () =>
    Effect.gen(function* () {
      const others = [trace("Book me a table", "book_table", { ok: true })]
      expect((yield* issuesOf({ traces: others, strategy: "targeted" })).join()).toContain(
        "show no call of any of the tools"
      )
      const data = yield* Simulation.simulate({ ...base, traces: others, budget: 3 })
      expect(data.warnings.map(({ code }) => code)).toContain("traces_of_other_tools")
    })
  )

  it.scoped("in part are read as far as they go", () =>
    Effect.gen(function* () {
      const path = yield* inFile(`${JSON.stringify(traces[0])}\nbroken\n${JSON.stringify(traces[3])}\n`)
      const data = yield* Simulation.simulate({ ...base, traces: path, budget: 3 })
      expect(data.search.trace_mining).toMatchObject({ threads: 2, unreadable: 1 })
      const [warning] = data.warnings.filter(({ code }) => code === "traces_unreadable")
      expect(warning?.message).toBe(
        "One record of `traces` could not be read; the first: Record 2 was left out: it is no JSON."
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("may be a run of ours", () =>
    Effect.gen(function* () {
      const first = yield* Simulation.simulate({
        ...base,
        ids: { order_id: ["W1", "W2"] },
        budget: 20,
        faultRate: 1,
        seed: 5
      })
      const data = yield* Simulation.simulate({ ...base, traces: first, budget: 20 })
      expect(data.search.trace_mining?.threads).toBe(20)
      expect(
        data.rows.filter((row) =>
          isCopy(
            row,
            first.rows.map(({ prompt }) => prompt)
          )
        )
      ).toEqual([])
    })
  )
})

const data = process.env["SANDTABLE_TEST_DATA"]
describe.skipIf(data === undefined)("32 recorded conversations of an airline (set SANDTABLE_TEST_DATA to run)", () => {
  const options = {
    agent: () => "I will look into it.",
    tools: airlineTools,
    simulator: false as const,
    traces: Path.join(data ?? "", "traces/airline-openai-chat.jsonl")
  }

  it.effect("aim the grid: what failed comes first, and only what was seen remains", () =>
    Effect.gen(function* () {
      const run = yield* Simulation.simulate({ ...options, budget: 120, situations: 120 })
      const { search } = run
      expect(search.trace_mining).toMatchObject({
        threads: 32,
        unreadable: 0,
        tool_conditions: ["success"],
        world_states: ["exists", "missing"],
        asks: 30,
        failing_asks: 13
      })
      expect(
        search.trace_mining?.tools.slice(0, 4).map(({ tool, calls, failures }) => [tool, calls, failures])
      ).toEqual([
        ["update_reservation_flights", 31, 21],
        ["book_reservation", 14, 7],
        ["update_reservation_baggages", 2, 1],
        ["get_reservation_details", 60, 0]
      ])
      const grid = run.rows.filter((row) => row.arm === "grid" && row.tier === "ordinary")
      const order = [...new Set(grid.map((row) => row.scenario_dimensions?.["tool"]))]
      expect(order.slice(0, 4)).toEqual([
        "update_reservation_flights",
        "book_reservation",
        "update_reservation_baggages",
        "get_reservation_details"
      ])
      expect(new Set(grid.map((row) => row.scenario_dimensions?.["tool_condition"]))).toEqual(new Set(["success"]))
      expect(new Set(grid.map((row) => row.scenario_dimensions?.["world_state"]))).toEqual(
        new Set(["exists", "missing"])
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("are varied where they failed and never run themselves", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const records = (yield* fs.readFileString(options.traces)).trim().split("\n")
      const sources = records.map((line): string => {
        const { messages } = JSON.parse(line) as { messages: ReadonlyArray<{ role: string; content: string }> }
        return messages.find(({ role }) => role === "user")?.content ?? ""
      })
      expect(sources).toHaveLength(32)
      const run = yield* Simulation.simulate({ ...options, budget: 200, situations: 200 })
      expect(run.rows.filter((row) => row.tier === null).length).toBeGreaterThanOrEqual(30)
      expect(run.rows.filter((row) => isCopy(row, sources))).toEqual([])
      expect(run.search.trace_leakage?.sources).toBe(30)
      expect(run.search.trace_leakage?.refused).toBeGreaterThan(0)
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("keep copies out and have them replaced", () =>
    Effect.gen(function* () {
      const copying: SituationWriter.WriteFunction = (slots) =>
        slots.map((slot) => ({
          slot,
          text:
            slot.attempt === 0
              ? "I need to cancel my flights for reservations XEHM4B and 59XX6W!"
              : `case ${slot.scenarioId}`
        }))
      const run = yield* Simulation.simulate({ ...options, simulator: copying, budget: 10 })
      expect(run.rows).toHaveLength(10)
      expect(run.rows.every(({ prompt }) => prompt.startsWith("case"))).toBe(true)
      expect(run.search.trace_leakage?.refused).toBeGreaterThanOrEqual(10)
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
