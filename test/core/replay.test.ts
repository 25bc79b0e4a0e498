import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Agent from "@sandtable/core/Agent"
import * as Agents from "@sandtable/core/Agent"
import type * as Grader from "@sandtable/core/Grader"
import * as Node from "@sandtable/core/node"
import type { Row } from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: order },
  { name: "cancel_order", description: "Cancel an order", parameters: order }
]

const agent: Agent.AgentFunction = async (message, { world }) => {
  const order_id = /A\d{4}/.exec(message)?.[0]
  if (order_id === undefined) return "Which order is it? I need its number."
  return `Order ${order_id}: ${JSON.stringify(await world.call("get_order", { order_id }))}.`
}

const base = {
  agent,
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent.",
  simulator: false
} as const

/** What a replay must keep of a row. */
const pinnedOf = (row: Row) => ({
  task: row.task_id,
  scenario: row.scenario_id,
  index: row.rollout_index,
  prompt: row.prompt,
  dimensions: row.scenario_dimensions,
  tier: row.tier,
  faults: row.faults,
  world: row.world_state,
  plan: row.plan,
  writer: row.writer_model,
  arm: row.arm
})

const source = Simulation.simulate({ ...base, mode: "rl", repeats: 4, repeatPolicy: "fixed", budget: 40 })

describe("tasks", () => {
  it.effect("rolls a run's tasks again as they were, k inherited, and generates nothing", () =>
    Effect.gen(function* () {
      const before = yield* source
      const after = yield* Simulation.simulate({ ...base, tasks: before, mode: "rl" })
      expect(after.stoppedBecause).toBe("tasks_done")
      expect(after.rows.map(pinnedOf)).toEqual(before.rows.map(pinnedOf))
      expect(after.report().knobs).toMatchObject({ rollouts_per_request: 4, repeat_policy: "fixed" })
      expect(after.search.pinned_tasks).toEqual({ tasks: 10, k: 4, source: before.runId, skipped: 0 })
      expect(after.search.tier_mix).toBeNull()
      for (const row of after.rows) {
        expect(row.lineage).toMatchObject({ replayed_from: before.runId, changed: [], eval_run: 0 })
      }
      // The same agent in the same worlds does the same.
      expect(after.rows.map(({ final_text }) => final_text)).toEqual(before.rows.map(({ final_text }) => final_text))
    })
  )

  it.effect("takes another k on purpose, and keeps worlds and faults under another seed", () =>
    Effect.gen(function* () {
      const before = yield* source
      const after = yield* Simulation.simulate({ ...base, tasks: before.rows, repeats: 2, seed: 99 })
      expect(after.rows).toHaveLength(20)
      const plans = new Map(before.rows.map((row) => [row.task_id, pinnedOf(row).plan]))
      for (const row of after.rows) expect(row.plan).toEqual(plans.get(row.task_id))
    })
  )

  it.effect("keeps every pair when the prompt is edited, and says what changed", () =>
    Effect.gen(function* () {
      const before = yield* source
      const after = yield* Simulation.simulate({ ...base, tasks: before, systemPrompt: "You are curt." })
      expect(new Set(after.rows.map((row) => row.task_id))).toEqual(new Set(before.rows.map((row) => row.task_id)))
      for (const row of after.rows) expect(row.lineage?.changed).toEqual(["prompt"])
    })
  )

  it.effect("says that another person plays, and another temperature, and nothing of what stayed", () =>
    Effect.gen(function* () {
      const chat = Agents.chat(async () => "Which order is it?", { name: "chat" })
      const person = (name: string) => ({ ...UserSimulator.scripted([]), identity: { name } })
      const before = yield* Simulation.simulate({
        ...base,
        agent: chat,
        userModel: person("first"),
        sampling: { temperature: 0.8, max_tokens: 100 },
        budget: 4
      })
      const replay = (more: object) =>
        Effect.map(
          Simulation.simulate({ ...base, agent: chat, tasks: before, userModel: person("first"), ...more }),
          ({ rows }) => rows[0]?.lineage?.changed
        )
      expect(yield* replay({ sampling: { temperature: 0.8, max_tokens: 200 } })).toEqual([])
      expect(yield* replay({ sampling: { temperature: 0.2 } })).toEqual(["temperature"])
      expect(yield* replay({ sampling: { temperature: 0.8 }, userModel: person("second") })).toEqual(["user"])
    })
  )

  it("keeps gold answers for graders of a replay in memory, and writes them nowhere", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandtable-"))
    try {
      const path = join(folder, "base.jsonl")
      const seeds = [
        { prompt: "Where is A1001?", reference: "gold one" },
        { prompt: "Where is A1002?", reference: "gold two" }
      ]
      const seen: Array<readonly [string, unknown]> = []
      const grader: Grader.GradeFunction = (row, { privileged }) => {
        seen.push([row.prompt, privileged.reference])
        return 1
      }
      const golds = [
        ["Where is A1001?", "gold one"],
        ["Where is A1002?", "gold two"]
      ]
      const before = await Node.simulate({ ...base, seeds, situations: 2, grader, output: path })
      expect(seen.splice(0).sort()).toEqual(golds)
      const again = await Node.simulate({ ...base, tasks: before, grader })
      expect(seen.splice(0).sort()).toEqual(golds)
      // a replay of the replay, of some of its rows, and of the run graded anew
      await Node.simulate({ ...base, tasks: again, grader })
      expect(seen.splice(0).sort()).toEqual(golds)
      const { goldAnswers } = again
      const some = again.rows.filter(({ prompt }) => prompt === "Where is A1002?")
      await Node.simulate({ ...base, tasks: { rows: some, goldAnswers }, grader })
      expect(seen.splice(0)).toEqual(some.map(() => golds[1]))
      await Node.simulate({ ...base, tasks: again.rows, grader })
      expect(seen.splice(0).map(([, gold]) => gold)).toEqual(again.rows.map(() => undefined))
      await Node.simulate({ ...base, tasks: await Node.gradeRun(before, () => 0), grader })
      expect(seen.splice(0).sort()).toEqual(golds)
      await Node.simulate({ ...base, tasks: path, grader })
      expect(seen.map(([, gold]) => gold)).toEqual([undefined, undefined])
      expect(JSON.stringify([before, again, before.rows, before.meta])).not.toContain("gold one")
      for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), "utf8")).not.toContain("gold one")
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("gives equal rows from a run, its rows and its file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandtable-"))
    try {
      const path = join(folder, "base.jsonl")
      const before = await Effect.runPromise(source)
      await Node.save(before, path)
      const replays = [
        await Node.simulate({ ...base, tasks: before }),
        await Node.simulate({ ...base, tasks: before.rows }),
        await Node.simulate({ ...base, tasks: path })
      ]
      const rows = replays.map((replay) => replay.rows.map(({ timings: _timings, ...row }) => row))
      expect(rows[1]).toEqual(rows[0])
      expect(rows[2]).toEqual(rows[0])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("takes the run's own order from a file in which rows stand as they landed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandtable-"))
    try {
      const output = join(folder, "run.jsonl")
      const slow: Agent.AgentFunction = async (message) => {
        await new Promise((resolve) => setTimeout(resolve, message.length % 7))
        return `Heard: ${message}`
      }
      const before = await Node.simulate({
        ...base,
        agent: slow,
        repeats: 2,
        repeatPolicy: "fixed",
        budget: 40,
        output
      })
      const replays = [
        await Node.simulate({ ...base, tasks: before }),
        await Node.simulate({ ...base, tasks: output }),
        await Node.simulate({ ...base, tasks: await Node.load(output) })
      ]
      expect(replays.map(({ runId }) => runId)).toEqual(Array.from({ length: 3 }, () => replays[0]?.runId))
      expect(replays[1]?.rows.map(({ row_id }) => row_id)).toEqual(replays[0]?.rows.map(({ row_id }) => row_id))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.effect("names the tasks the budget did not pay for", () =>
    Effect.gen(function* () {
      const before = yield* source
      const after = yield* Simulation.simulate({ ...base, tasks: before, budget: 12 })
      expect(after.stoppedBecause).toBe("budget")
      expect(after.rows).toHaveLength(12)
      const missing = after.warnings.find(({ code }) => code === "tasks_missing")
      expect(missing?.figures["missing"]).toHaveLength(7)
    })
  )

  it.effect("rolls each distinct prompt of rows that name no task", () =>
    Effect.gen(function* () {
      const rows = [{ prompt: "one" }, { prompt: "two" }, { prompt: "one" }]
      const after = yield* Simulation.simulate({ ...base, tasks: rows })
      expect(after.rows.map((row) => row.prompt)).toEqual(["one", "one", "two", "two"])
    })
  )

  it.effect("takes k from one run, though rows of several are mixed or stand there twice", () =>
    Effect.gen(function* () {
      const options = { ...base, seeds: ["Where is A1001?"], situations: 1, repeats: 3, repeatPolicy: "fixed" } as const
      const before = yield* Simulation.simulate(options)
      const after = yield* Simulation.simulate({ ...base, tasks: before, seed: 5 })
      for (const rows of [
        [...before.rows, ...before.rows],
        [...before.rows, ...after.rows]
      ]) {
        expect((yield* Simulation.simulate({ ...base, tasks: rows })).rows).toHaveLength(3)
      }
    })
  )

  it.effect("is refused with seeds, and when no row has a prompt", () =>
    Effect.gen(function* () {
      const both = yield* Effect.flip(Simulation.simulate({ ...base, tasks: [{ prompt: "x" }], seeds: ["y"] }))
      expect(both.message).toContain("seeds")
      const none = yield* Effect.flip(Simulation.simulate({ ...base, tasks: [{ text: "x" }] }))
      expect(none.message).toContain("without a prompt")
      const missing = yield* Effect.tryPromise({
        try: () => Node.simulate({ ...base, tasks: "nowhere.jsonl" }),
        catch: String
      }).pipe(Effect.flip)
      expect(missing).toContain("nowhere.jsonl")
    })
  )
})

describe("tasks of a file", () => {
  it.live("are asked again too where no rollout of them gave a row: a crash does not leave the set", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "replay-"))
      const output = join(folder, "run.jsonl")
      const crashing: Agent.AgentFunction = (message, context) => {
        if (message.length % 4 === 0) throw new Error("It fell over.")
        return agent(message, context)
      }
      const before = yield* Effect.promise(() =>
        Node.simulate({ ...base, agent: crashing, budget: 40, output, reproducible: true })
      )
      const lost = new Set(before.lost.map(({ task_id }) => task_id))
      for (const { task_id } of before.rows) lost.delete(task_id)
      expect(lost.size).toBeGreaterThan(2)
      const after = yield* Effect.promise(() => Node.simulate({ ...base, tasks: output }))
      expect(new Set(after.rows.map(({ task_id }) => task_id))).toEqual(
        new Set([...before.rows.map(({ task_id }) => task_id), ...lost])
      )
      const again = yield* Effect.promise(() => Node.simulate({ ...base, agent: crashing, tasks: output }))
      expect(new Set(again.lost.map(({ task_id }) => task_id))).toEqual(lost)
      const named = join(folder, "run.lost.jsonl")
      const mended = yield* Effect.promise(() => Node.simulate({ ...base, tasks: named }))
      expect(new Set(mended.rows.map(({ task_id }) => task_id))).toEqual(
        new Set(before.lost.map(({ task_id }) => task_id))
      )
      const planned = readFileSync(join(folder, "run.asks.jsonl"), "utf8")
      for (const { plan } of mended.rows) expect(planned).toContain(JSON.stringify(plan))
      rmSync(folder, { recursive: true })
    })
  )
})

describe("runs", () => {
  it.effect("replays the first run's tasks exactly as often, and a deterministic agent gives equal runs", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        ...base,
        runs: 3,
        mode: "rl",
        budget: 30,
        grader: (row) => row.final_text.length % 2
      })
      const runs = [0, 1, 2].map((run) => data.rows.filter((row) => row.lineage?.eval_run === run))
      expect(runs.map(({ length }) => length)).toEqual([30, 30, 30])
      const told = runs.map((rows) =>
        rows.map((row) => ({ ...pinnedOf(row), text: row.final_text, reward: row.reward }))
      )
      expect(told[1]).toEqual(told[0])
      expect(told[2]).toEqual(told[0])
      expect(new Set(data.rows.map((row) => row.row_id)).size).toBe(90)
      expect(
        data.search.eval_runs.map(({ eval_run, rows, stopped_because }) => [eval_run, rows, stopped_because])
      ).toEqual([
        [0, 30, "budget"],
        [1, 30, "tasks_done"],
        [2, 30, "tasks_done"]
      ])
      expect(data.search.grader?.judged_in_loop).toBe(90)
      expect(data.report()).toMatchObject({ rows: 90, budget_per_run: 30, rollouts_requested: 90, completed: 90 })
      expect(runs[1]?.[0]?.lineage?.replayed_from_run).toBe(0)
      expect(runs[0]?.[0]?.lineage?.replayed_from_run).toBeUndefined()
    })
  )

  it.effect("replays pinned tasks several times", () =>
    Effect.gen(function* () {
      const before = yield* source
      const data = yield* Simulation.simulate({ ...base, tasks: before, runs: 2 })
      expect(data.rows).toHaveLength(80)
      expect(data.stoppedBecause).toBe("tasks_done")
      expect(data.rows.at(-1)?.lineage).toMatchObject({
        eval_run: 1,
        replayed_from_run: 0,
        replayed_from: before.runId
      })
    })
  )
})
