import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { AgentFunction } from "@sandtable/core/Agent"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import type * as Grader from "@sandtable/core/Grader"
import * as Graders from "@sandtable/core/Grader"
import * as Node from "@sandtable/core/node"
import type * as Options from "@sandtable/core/Options"
import type { Row } from "@sandtable/core/Row"
import * as Rows from "@sandtable/core/Row"
import type { RunEvent } from "../../packages/core/src/search/RunEvent.ts"
import * as Simulation from "@sandtable/core/Simulation"
import type { SimulationData } from "@sandtable/core/SimulationData"
import * as SimulationDatas from "@sandtable/core/SimulationData"
import type { Slot } from "@sandtable/core/SituationWriter"
import { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: order },
  { name: "cancel_order", description: "Cancel an order", parameters: order }
]

const base = {
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent. Look an order up before you change it.",
  simulator: false
} as const

/** An agent that looks orders up and keeps a list of the rollouts it was called for. */
const makeAgent = (before: (rollout: string) => Promise<void> = async () => {}) => {
  const calls: Array<string> = []
  const agent: AgentFunction = async (message, { rollout, world }) => {
    const name = `${rollout.evalRun} ${rollout.taskId} ${rollout.rolloutIndex}`
    calls.push(name)
    await before(name)
    const order_id = /A\d{4}/.exec(message)?.[0]
    if (order_id === undefined) return "Which order is it? I need its number."
    const answer = await world.call("get_order", { order_id })
    // its own sampling: what it says differs between the rollouts of one ask
    return `Order ${order_id}, ${rollout.rolloutSeed % 3 === 0 ? "in short" : "in full"}: ${JSON.stringify(answer)}.`
  }
  return { agent, calls }
}

const inFolder = <A, E>(use: (path: string) => Effect.Effect<A, E, Simulation.Files>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sandtable-checkpoint-"))),
    (folder) => Effect.provide(use(join(folder, "run.jsonl")), Node.layer),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const linesOf = (path: string): ReadonlyArray<string> =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")

const rowsOf = (path: string): ReadonlyArray<Row> => linesOf(path).map((line) => JSON.parse(line) as Row)

const nameOf = (row: Row): string => `${row.lineage?.eval_run} ${row.task_id} ${row.rollout_index}`

/** Begins a run and takes it away in the middle of the call with this number. */
const cutOff = (options: Options.Options, after: number) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    let count = 0
    const { agent, calls } = makeAgent(async () => {
      count += 1
      if (count < after) return
      Effect.runSync(Deferred.succeed(reached, undefined))
      await new Promise(() => {})
    })
    const running = yield* Effect.fork(Simulation.simulate({ ...options, agent }))
    yield* Effect.race(Deferred.await(reached), Fiber.await(running))
    yield* Fiber.interrupt(running)
    return calls
  })

/** Nothing twice, nothing lost, and the agent called exactly for what was missing. */
const expectWhole = (path: string, onDisk: ReadonlyArray<Row>, calls: ReadonlyArray<string>, data: SimulationData) => {
  const names = rowsOf(path).map(nameOf)
  expect(new Set(names).size).toBe(names.length)
  expect(data.rows.map(nameOf).sort()).toEqual([...names].sort())
  for (const row of onDisk) expect(names).toContain(nameOf(row))
  const before = new Set(onDisk.map(nameOf))
  expect(calls.filter((name) => before.has(name))).toEqual([])
  const { completed, lost, requested, resumed, rows } = data.meta.counts
  expect({ rows, resumed, requested }).toEqual({
    rows: names.length,
    resumed: onDisk.length,
    requested: completed + lost
  })
  expect(completed).toBe(names.length)
}

const orders: ReadonlyArray<readonly [string, Options.Options, boolean]> = [
  ["free running", { concurrency: 8 }, false],
  ["serial", { concurrency: 1 }, true],
  ["in batches", { concurrency: 8, reproducible: { batch: 12 } }, true],
  ["looking ahead", { concurrency: 8, reproducible: { lookahead: 20 } }, true]
]

const graded: Grader.GradeFunction = (row) => (row.final_text.includes("in short") ? 0 : 1)

const runs: ReadonlyArray<readonly [string, Options.Options]> = [
  ["k of each ask", { mode: "rl", repeats: 4, repeatPolicy: "fixed", budget: 60 }],
  ["a budget that cuts the last group", { repeats: 4, repeatPolicy: "fixed", budget: 58 }],
  ["early stopping with a grader", { mode: "rl", repeats: 4, budget: 70, grader: graded }],
  ["verification where it is needed", { mode: "adaptive", budget: 70, grader: graded }],
  ["seeds and wordings", { seeds: ["Where is A1001?", "Cancel A1002."], phrasings: 2, repeats: 2, budget: 60 }],
  ["situations", { situations: 12, phrasings: 2, repeats: 2, repeatPolicy: "fixed", grade: true }],
  ["several runs", { runs: 3, repeats: 2, repeatPolicy: "fixed", budget: 20 }]
]

describe("a run taken away and gone on with", () => {
  for (const [driver, ordered, isExact] of orders) {
    it.live.each(runs)(`${driver}: %s`, ([, options]) =>
      inFolder((path) =>
        Effect.gen(function* () {
          const call = { ...base, ...ordered, ...options, checkpoint: path }
          yield* cutOff(call, 37)
          const onDisk = rowsOf(path)
          expect(onDisk.length).toBeGreaterThan(10)
          const { agent, calls } = makeAgent()
          const resumed = yield* Simulation.simulate({ ...call, agent })
          expectWhole(path, onDisk, calls, resumed)
          expect(calls.length).toBe(resumed.rows.length - onDisk.length)
          expect(resumed.degraded).toEqual([])
          const whole = yield* Simulation.simulate({
            ...base,
            ...ordered,
            ...options,
            agent: makeAgent().agent,
            output: `${path}.whole`
          })
          expect(resumed.runId).toBe(whole.runId)
          expect(resumed.stoppedBecause).toBe(whole.stoppedBecause)
          if (isExact) {
            expect(resumed.meta.rows_digest).toBe(whole.meta.rows_digest)
            expect(resumed.search).toEqual(whole.search)
            expect(resumed.rows.map(nameOf)).toEqual(whole.rows.map(nameOf))
          } else if (options.mode === undefined || options.repeatPolicy === "fixed") {
            expect(resumed.rows.length).toBe(whole.rows.length)
          }
        })
      )
    )
  }
})

describe("what changes nothing", () => {
  const call = { ...base, mode: "rl", repeats: 4, repeatPolicy: "fixed", budget: 40 } as const

  it.live("an equal call on a finished run calls nobody, and gives the same result", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const first = yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        expect(first.meta.counts.resumed).toBe(0)
        const text = readFileSync(path, "utf8")
        const { agent, calls } = makeAgent()
        const again = yield* Simulation.simulate({ ...call, agent, checkpoint: path })
        expect(calls).toEqual([])
        expect(readFileSync(path, "utf8")).toBe(text)
        expect(again.rows.map(nameOf)).toEqual(first.rows.map(nameOf))
        expect(again.stoppedBecause).toBe("budget")
        expect(again.meta.rows_digest).toBe(first.meta.rows_digest)
      })
    )
  )

  it.live("another concurrency, other timeouts and another name of the files run nothing again", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        const moved = join(path, "..", "moved.jsonl")
        for (const end of [".jsonl", ".asks.jsonl", ".meta.json"]) {
          renameSync(path.replace(".jsonl", end), moved.replace(".jsonl", end))
        }
        for (const concurrency of [1, 4, 64]) {
          const { agent, calls } = makeAgent()
          const again = yield* Simulation.simulate({ ...call, agent, concurrency, timeout: 7, checkpoint: moved })
          expect(calls).toEqual([])
          expect(again.rows).toHaveLength(40)
        }
      })
    )
  )

  it.live("a run begun with `output` is gone on with as well", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* cutOff({ ...call, output: path }, 20)
        const onDisk = rowsOf(path)
        const { agent, calls } = makeAgent()
        expectWhole(path, onDisk, calls, yield* Simulation.simulate({ ...call, agent, checkpoint: path }))
      })
    )
  )
})

describe("what a killed process leaves", () => {
  const call = { ...base, repeats: 2, repeatPolicy: "fixed", budget: 30 } as const

  it.live("half a line is cut off, told, and its rollout run again", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        const lines = readFileSync(path, "utf8").split("\n")
        writeFileSync(path, `${lines.slice(0, 20).join("\n")}\n${lines[20]?.slice(0, 400)}`)
        const { agent, calls } = makeAgent()
        const resumed = yield* Simulation.simulate({ ...call, agent, checkpoint: path })
        expect(calls).toHaveLength(10)
        expect(rowsOf(path)).toHaveLength(30)
        expect(resumed.warnings).toMatchObject([{ code: "half_line", figures: { bytes: 400 } }])
      })
    )
  )

  it.live("files of a run that was killed before it began are begun", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        writeFileSync(path, "")
        const { agent, calls } = makeAgent()
        yield* Simulation.simulate({ ...call, agent, checkpoint: path })
        expect(calls).toHaveLength(30)
      })
    )
  )

  it.live("rows without their meta file are refused, and left alone", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        const text = readFileSync(path, "utf8")
        rmSync(path.replace(".jsonl", ".meta.json"))
        const { agent, calls } = makeAgent()
        const error = yield* Effect.flip(Simulation.simulate({ ...call, agent, checkpoint: path }))
        expect(error.message).toContain("run.meta.json cannot be read: there is no such file")
        expect(calls).toEqual([])
        expect(readFileSync(path, "utf8")).toBe(text)
      })
    )
  )

  it.live.each([
    ["no file of asks", (path: string) => rmSync(path.replace(".jsonl", ".asks.jsonl")), "is not there"],
    [
      "a file of asks that lacks some",
      (path: string) => writeFileSync(path.replace(".jsonl", ".asks.jsonl"), ""),
      "tasks of its rows are not in"
    ],
    [
      "rows of another run",
      (path: string) =>
        writeFileSync(path, readFileSync(path, "utf8").replaceAll(/"run_id":"\w+"/g, '"run_id":"run_b"')),
      "whose rows are of another run"
    ],
    ["no rows", (path: string) => rmSync(path), "run.jsonl, which is not there, and "],
    [
      "half a meta file",
      (path: string) => writeFileSync(path.replace(".jsonl", ".meta.json"), "{"),
      "run.meta.json cannot be read: the file is no meta file of a run."
    ]
  ] as const)("files that do not belong together are refused, and left alone: %s", ([, tear, told]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        tear(path)
        const files = () =>
          readdirSync(join(path, "..")).map((name) => [name, readFileSync(join(path, "..", name), "utf8")])
        const before = files()
        const { agent, calls } = makeAgent()
        const error = yield* Effect.flip(Simulation.simulate({ ...call, agent, checkpoint: path }))
        expect(error.message).toContain(told)
        expect(error.message).toMatch(/name another `checkpoint`|remove it to begin anew/)
        expect(calls).toEqual([])
        expect(files()).toEqual(before)
      })
    )
  )

  it.live("rows of another run and rows twice do not count, and are told", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* cutOff({ ...call, checkpoint: path }, 12)
        const [first] = readFileSync(path, "utf8").split("\n")
        const row = JSON.parse(first ?? "") as Row
        const foreign = { ...row, lineage: { ...row.lineage, run_id: "run_of_others" } }
        writeFileSync(path, `${readFileSync(path, "utf8")}${first}\n${JSON.stringify(foreign)}\n`)
        const { agent } = makeAgent()
        const resumed = yield* Simulation.simulate({ ...call, agent, checkpoint: path })
        expect(resumed.rows).toHaveLength(30)
        expect(resumed.warnings).toMatchObject([{ code: "stray_rows", figures: { doubled: 1, foreign: 1 } }])
      })
    )
  )
})

describe("what is more than before", () => {
  const call = { ...base, repeatPolicy: "fixed", seeds: ["Where is A1001?", "Where is A1002?"] } as const
  const counts = (rows: ReadonlyArray<Row>) => {
    const groups = new Map<string, number>()
    for (const { task_id } of rows) groups.set(task_id, (groups.get(task_id) ?? 0) + 1)
    return [...groups.values()]
  }

  for (const [driver, ordered] of orders) {
    it.live(`${driver}: a larger budget tops up 1 of 4 and goes on`, () =>
      inFolder((path) =>
        Effect.gen(function* () {
          const sized = { ...call, ...ordered, repeats: 4, checkpoint: path }
          const first = yield* Simulation.simulate({ ...sized, budget: 5, agent: makeAgent().agent })
          expect(counts(first.rows)).toEqual([4, 1])
          const { agent, calls } = makeAgent()
          const more = yield* Simulation.simulate({ ...sized, budget: 22, agent })
          expect(counts(more.rows)).toEqual([4, 4, 4, 4, 4, 2])
          expect(calls).toHaveLength(17)
          expectWhole(path, first.rows, calls, more)
        })
      )
    )

    it.live(`${driver}: more rollouts of each ask fill the groups`, () =>
      inFolder((path) =>
        Effect.gen(function* () {
          const sized = { ...call, ...ordered, situations: 4, checkpoint: path }
          const first = yield* Simulation.simulate({ ...sized, repeats: 1, agent: makeAgent().agent })
          expect(counts(first.rows)).toEqual([1, 1, 1, 1])
          const { agent, calls } = makeAgent()
          const more = yield* Simulation.simulate({ ...sized, repeats: 4, agent })
          expect(counts(more.rows)).toEqual([4, 4, 4, 4])
          expectWhole(path, first.rows, calls, more)
        })
      )
    )
  }

  it.live("more runs and more situations are added", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const first = yield* Simulation.simulate({ ...call, situations: 4, agent: makeAgent().agent, checkpoint: path })
        const { agent, calls } = makeAgent()
        const more = yield* Simulation.simulate({ ...call, situations: 6, runs: 3, agent, checkpoint: path })
        expect(first.rows).toHaveLength(4)
        expect(more.rows).toHaveLength(18)
        expect(new Set(more.rows.slice(0, 6).map(({ scenario_id }) => scenario_id)).size).toBe(6)
        expectWhole(path, first.rows, calls, more)
      })
    )
  )

  it.live.each([
    ["budget", { budget: 10 }],
    ["rolloutsPerRequest", { repeats: 1 }],
    ["runs", { runs: 1 }],
    ["situations", { situations: 3 }]
  ] as ReadonlyArray<readonly [string, Options.Options]>)("less is refused by name: %s", ([name, less]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const sized = { ...call, repeats: 2, runs: 2, situations: 5, budget: 20, checkpoint: path }
        yield* Simulation.simulate({ ...sized, agent: makeAgent().agent })
        const error = yield* Effect.flip(Simulation.simulate({ ...sized, ...less, agent: makeAgent().agent }))
        expect(error.message).toContain(`${name}: is `)
        expect(error.message).toContain("can get more, not less")
      })
    )
  )
})

describe("what is another run", () => {
  const call = { ...base, budget: 6, grader: graded } as const
  const different: ReadonlyArray<readonly [string, Options.Options]> = [
    [
      "agent",
      {
        agent: function other() {
          return "Hello."
        }
      }
    ],
    ["tools", { tools: tools.slice(1) }],
    ["systemPrompt", { systemPrompt: "Be curt." }],
    ["seed", { seed: 1 }],
    ["hardShare", { hardShare: 0.9 }],
    ["seeds", { seeds: ["Where is A1001?"] }],
    ["ids", { ids: { order_id: ["A1001"] } }],
    ["faultRate", { faultRate: 1 }],
    ["grade", { grade: true }],
    [
      "grader",
      {
        grader: function strict() {
          return 0
        }
      }
    ],
    ["reproducible", { reproducible: true }],
    ["simulator", { simulator: () => [] }],
    ["requestsPerSituation", { phrasings: 2 }],
    ["repeatPolicy", { repeatPolicy: "fixed" }],
    ["execute", { execute: () => ({}) }],
    ["dimensions", { dimensions: { stance: ["ambiguous"] } }],
    ["advanced.locale", { advanced: { locale: "de" } }],
    ["advanced.probe", { advanced: { probe: 3 } }],
    ["sampling", { sampling: { temperature: 1 } }]
  ]

  it.live.each(different)("is refused by name: another %s", ([name, other]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        const text = readFileSync(path, "utf8")
        const { agent, calls } = makeAgent()
        const error = yield* Effect.flip(Simulation.simulate({ ...call, agent, ...other, checkpoint: path }))
        expect(error).toMatchObject({ _tag: "InvalidOptions" })
        expect((error as { issues: ReadonlyArray<{ option: string }> }).issues.map(({ option }) => option)).toEqual([
          name
        ])
        expect(calls).toEqual([])
        expect(readFileSync(path, "utf8")).toBe(text)
      })
    )
  )

  it.live("names what it was and what it is, all of it at once", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        yield* Simulation.simulate({ ...call, agent: makeAgent().agent, checkpoint: path })
        const other = { ...call, agent: makeAgent().agent, checkpoint: path, seed: 3, systemPrompt: "Be curt." }
        const error = yield* Effect.flip(Simulation.simulate(other))
        expect(error.message).toContain("seed: is 3 and was 0")
        expect(error.message).toContain("systemPrompt: differs")
        expect(error.message).not.toContain("curt")
        yield* Effect.flip(Simulation.preview(other))
      })
    )
  )
})

describe("losses", () => {
  const call = { ...base, repeats: 2, repeatPolicy: "fixed", budget: 40 } as const

  /** Fails the first time it is asked for every third rollout, as a flaky endpoint does. */
  const flaky = (asked = new Map<string, number>(), stop?: () => void, after = Infinity) => {
    const calls: Array<string> = []
    const agent: AgentFunction = async (_, { rollout }) => {
      const name = `${rollout.evalRun} ${rollout.taskId} ${rollout.rolloutIndex}`
      calls.push(name)
      if (calls.length >= after) {
        stop?.()
        await new Promise(() => {})
      }
      asked.set(name, (asked.get(name) ?? 0) + 1)
      if (asked.get(name) === 1 && Number.parseInt(rollout.taskId.slice(-1), 16) % 3 === 0) throw new Error("flaky")
      return "Hello."
    }
    return { agent, calls }
  }

  for (const [driver, ordered, isExact] of orders) {
    it.live(`${driver}: count once, and are in the sum of the whole run`, () =>
      inFolder((path) =>
        Effect.gen(function* () {
          const sized = { ...call, ...ordered, checkpoint: path }
          const whole = yield* Simulation.simulate({ ...call, ...ordered, agent: flaky().agent })
          expect(whole.meta.counts.lost).toBeGreaterThan(5)
          const stopped = yield* Deferred.make<void>()
          const asked = new Map<string, number>()
          const cut = flaky(asked, () => Effect.runSync(Deferred.succeed(stopped, undefined)), 31)
          const running = yield* Effect.fork(Simulation.simulate({ ...sized, agent: cut.agent }))
          yield* Deferred.await(stopped)
          yield* Fiber.interrupt(running)
          const onDisk = rowsOf(path)
          const lostBefore = linesOf(path.replace(/\.jsonl$/, ".lost.jsonl")).filter(
            (line) => (JSON.parse(line) as { reason: string }).reason !== "interrupted"
          )
          const rest = flaky(asked)
          const resumed = yield* Simulation.simulate({ ...sized, agent: rest.agent })
          expectWhole(path, onDisk, rest.calls, resumed)
          expect(rest.calls.length).toBe(resumed.rows.length - onDisk.length + lossesOf(rest.calls))
          expect(resumed.meta.report?.lost_by).toEqual({ agent_error: resumed.meta.counts.lost })
          expect(resumed.degraded).toContain("rollouts_lost")
          expect(lostBefore.length).toBeGreaterThan(0)
          expect(resumed.meta.counts.lost).toBe(lostBefore.length + lossesOf(rest.calls))
          if (isExact) expect(Rows.digest(resumed.rows)).toBe(Rows.digest(whole.rows))
          expect(resumed.lost?.length).toBe(resumed.meta.counts.lost)
          expect(resumed.lost?.every(({ prompt }) => prompt !== undefined)).toBe(true)
        })
      )
    )
  }

  const lossesOf = (calls: ReadonlyArray<string>): number => calls.length - new Set(calls).size

  it.live.each(orders)(
    "%s: a rollout that was given up stays so where its loss is part of the order",
    ([, ordered, isExact]) =>
      inFolder((path) =>
        Effect.gen(function* () {
          const sized = { ...call, ...ordered, budget: 12, repeats: 1, checkpoint: path }
          let broken = true
          const calls: Array<string> = []
          const [first] = (yield* Simulation.preview({ ...sized, agent: () => "" })).asks
          const agent: AgentFunction = async (message) => {
            calls.push(message)
            if (broken && message === first?.prompt) throw new Error("no")
            return "Hello."
          }
          const before = yield* Simulation.simulate({ ...sized, agent })
          expect(before.meta.counts).toMatchObject({ rows: 12, lost: 3 })
          broken = false
          calls.length = 0
          const after = yield* Simulation.simulate({ ...sized, budget: isExact ? 12 : 14, agent })
          expect(calls.filter((message) => message === first?.prompt)).toHaveLength(isExact ? 0 : 1)
          expect(after.meta.counts.lost).toBe(3)
          expect(after.meta.counts.rows).toBe(isExact ? 12 : 14)
        })
      )
  )

  it.live.each(orders)("%s: a run that an agent's failures ended goes on when it works again", ([, ordered]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const sized = { ...call, ...ordered, checkpoint: path }
        let count = 0
        let down = true
        const agent: AgentFunction = async () => {
          count += 1
          if (down && count > 15) throw new Error("the server is down")
          return "Hello."
        }
        const failed = yield* Simulation.simulate({ ...sized, agent })
        expect(failed.stoppedBecause).toBe("agent_failed")
        down = false
        count = 0
        const resumed = yield* Simulation.simulate({ ...sized, agent })
        expect(resumed.stoppedBecause).toBe("budget")
        expect(resumed.rows).toHaveLength(40)
        expect(count).toBe(40 - failed.rows.length)
        expect(resumed.meta.counts.lost).toBe(failed.meta.counts.lost)
      })
    )
  )

  it.live.each(orders)("%s: a run whose key was refused goes on with another key", ([, ordered]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const sized = { ...call, ...ordered, checkpoint: path }
        let refuses = true
        let count = 0
        const agent = {
          identity: { name: "hosted", model: "hosted", provider: "p", endpoint: "e" },
          kind: "command",
          turns: "single",
          play: () =>
            Effect.suspend(() => {
              count += 1
              return refuses && count > 13
                ? Effect.fail(
                    new AgentBackend.AgentFailed({ agent: "hosted", reason: "auth", detail: "401", steps: [] })
                  )
                : Effect.succeed({ steps: [{ text: "Hello." }], finalText: "Hello." })
            })
        } satisfies AgentBackend.Service
        const failed = yield* Simulation.simulate({ ...sized, agent })
        expect(failed.stoppedBecause).toBe("auth_failed")
        refuses = false
        count = 0
        const resumed = yield* Simulation.simulate({ ...sized, agent })
        expect(resumed.rows).toHaveLength(40)
        expect(count).toBe(40 - failed.rows.length)
        expect(resumed.meta.counts.lost).toBe(0)
        expect(resumed.degraded).not.toContain("rollouts_lost")
      })
    )
  )
})

describe("verdicts", () => {
  const call = { ...base, repeats: 2, repeatPolicy: "fixed", budget: 30, advanced: { grace: 0.05 } } as const

  it.live.each(orders)("%s: are not given again, and those the end of a run cut off are given then", ([, ordered]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const sized = { ...call, ...ordered, checkpoint: path }
        const stop = yield* Deferred.make<void>()
        let judged = 0
        const slow: Grader.GradeFunction = async () => {
          judged += 1
          if (judged < 12) return 1
          Effect.runSync(Deferred.succeed(stop, undefined))
          return new Promise(() => {})
        }
        const cut = yield* Simulation.simulate({
          ...sized,
          agent: makeAgent().agent,
          grader: named(slow),
          stop: Deferred.await(stop)
        })
        expect(cut.stoppedBecause).toBe("interrupted")
        const owed = cut.rows.filter(({ reward }) => reward === null)
        expect(owed.length).toBeGreaterThan(0)
        for (const row of owed) expect(row).toMatchObject({ judge_status: "timeout", judge_meta: { owed: true } })
        const graded: Array<string> = []
        const { agent, calls } = makeAgent()
        const grader = named((row) => {
          graded.push(row.row_id)
          return row.final_text.includes("in short") ? 0 : 1
        })
        const resumed = yield* Simulation.simulate({ ...sized, agent, grader })
        expect(calls).toHaveLength(30 - cut.rows.length)
        expect([...graded].sort()).toEqual(
          resumed.rows
            .filter(({ row_id }) => !cut.rows.some((row) => row.row_id === row_id && row.reward !== null))
            .map(({ row_id }) => row_id)
            .sort()
        )
        expect(resumed.rows.every(({ reward }) => typeof reward === "number")).toBe(true)
        expect(resumed.degraded).toEqual([])
        // a pass that gave no verdict leaves no trace: the rows are those of a run that nobody stopped
        expect(resumed.rows.filter(({ lineage }) => lineage?.prior_scoring_run_id !== undefined)).toEqual([])
        const file = yield* SimulationDatas.load(path)
        expect(file.rows.map(({ row_id, reward }) => [row_id, reward])).toEqual(
          resumed.rows.map(({ row_id, reward }) => [row_id, reward])
        )
        expect(resumed.meta.rows_digest).toBe(Rows.digest(file.rows))
      })
    )
  )

  const named = (grade: Grader.GradeFunction) => Graders.make({ name: "grader", grade })

  it.live("graders see gold answers of seeds after a resume too", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const seeds = Array.from({ length: 10 }, (_, i) => ({
          prompt: `Where is order A${1001 + i}?`,
          reference: `gold ${i}`
        }))
        const sized = { ...base, seeds, situations: 10, checkpoint: path } as const
        const golds: Array<unknown> = []
        const grader = named((_, { privileged }) => {
          golds.push(privileged.reference)
          return 1
        })
        yield* cutOff({ ...sized, concurrency: 2, grader }, 5)
        yield* Simulation.simulate({ ...sized, grader, agent: makeAgent().agent })
        expect(new Set(golds).size).toBe(10)
        expect(golds).toHaveLength(10)
        for (const end of [".jsonl", ".asks.jsonl", ".meta.json"]) {
          expect(readFileSync(path.replace(".jsonl", end), "utf8")).not.toContain("gold")
        }
      })
    )
  )
})

describe("writers", () => {
  it.live.each(orders)("%s: what a model wrote is not asked for again", ([, ordered, isExact]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const makeWriter = (salt: string) => {
          const slots: Array<string> = []
          const write = (asked: ReadonlyArray<Slot>) =>
            asked.map((slot) => {
              slots.push(`${slot.scenarioId}/${slot.phrasing}/${slot.attempt}`)
              // every tenth is like another: refused, and asked for again
              const n = slots.length
              return {
                slot,
                text: n % 10 === 9 ? "The same again." : `Ask ${salt}${n} about A1001, ${slot.scenarioId}.`
              }
            })
          return { slots, write }
        }
        const before = makeWriter("x")
        const sized = { ...base, ...ordered, repeats: 2, repeatPolicy: "fixed", budget: 60, checkpoint: path } as const
        yield* cutOff({ ...sized, simulator: before.write }, 31)
        const onDisk = rowsOf(path)
        const kept = new Set(
          readFileSync(path.replace(".jsonl", ".asks.jsonl"), "utf8")
            .split("\n")
            .flatMap((line) => (line.includes('"slots"') ? (JSON.parse(line) as { slots: Array<string> }).slots : []))
        )
        expect(kept.size).toBeGreaterThan(15)
        const after = makeWriter("y")
        const { agent, calls } = makeAgent()
        const resumed = yield* Simulation.simulate({ ...sized, simulator: after.write, agent })
        expectWhole(path, onDisk, calls, resumed)
        expect(after.slots.filter((slot) => kept.has(slot))).toEqual([])
        expect(resumed.rows).toHaveLength(60)
        if (isExact) expect(new Set(resumed.rows.map(({ prompt }) => prompt)).size).toBe(30)
      })
    )
  )
})

describe("many interruptions", () => {
  it.live.each(orders)("%s: end in the rows of none", ([, ordered, isExact]) =>
    inFolder((path) =>
      Effect.gen(function* () {
        const sized = {
          ...base,
          ...ordered,
          mode: "rl",
          repeats: 4,
          budget: 90,
          grader: graded,
          checkpoint: path
        } as const
        for (const after of [3, 9, 1, 14, 22, 2, 11]) {
          yield* cutOff(sized, after)
          expect(new Set(rowsOf(path).map(nameOf)).size).toBe(rowsOf(path).length)
        }
        const onDisk = rowsOf(path)
        const { agent, calls } = makeAgent()
        const resumed = yield* Simulation.simulate({ ...sized, agent })
        expectWhole(path, onDisk, calls, resumed)
        if (!isExact) return
        const whole = yield* Simulation.simulate({ ...sized, checkpoint: undefined, agent: makeAgent().agent })
        expect(Rows.digest(resumed.rows)).toBe(Rows.digest(whole.rows))
      })
    )
  )
})

describe("whoever watches", () => {
  it.live("is told of rows on disk before any rollout, and a stream gives them too", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const sized = { ...base, budget: 30, checkpoint: path } as const
        yield* cutOff(sized, 15)
        const onDisk = rowsOf(path)
        const events: Array<RunEvent["_tag"]> = []
        const onEvent = (event: RunEvent) => void events.push(event._tag)
        const [rows, meta] = yield* Effect.scoped(
          Effect.gen(function* () {
            const streamed = yield* Simulation.stream({ ...sized, agent: makeAgent().agent, onEvent })
            const rows = yield* Stream.runCollect(streamed.rows)
            return [[...rows], yield* streamed.summary] as const
          })
        )
        expect(rows.map(nameOf).sort()).toEqual(rowsOf(path).map(nameOf).sort())
        expect(meta.counts).toMatchObject({ rows: 30, resumed: onDisk.length })
        const resumed = events.filter((tag) => tag === "RowResumed")
        expect(events[0]).toBe("Started")
        expect(events.lastIndexOf("RowResumed")).toBeLessThan(events.indexOf("RolloutStarted"))
        expect(resumed).toHaveLength(onDisk.length)
        expect(events.filter((tag) => tag === "RowLanded")).toHaveLength(30 - onDisk.length)
      })
    )
  )
})
