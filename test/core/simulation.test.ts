import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import * as Agent from "@sandtable/core/Agent"
import * as Grader from "@sandtable/core/Grader"
import * as Options from "@sandtable/core/Options"
import * as Randomness from "@sandtable/core/Randomness"
import * as Row from "@sandtable/core/Row"
import type { RunEvent } from "../../packages/core/src/search/RunEvent.ts"
import * as SameModelDetector from "../../packages/core/src/model/SameModelDetector.ts"
import * as Simulation from "@sandtable/core/Simulation"
import * as SituationWriter from "@sandtable/core/SituationWriter"
import * as World from "@sandtable/core/World"

const order = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
const tools = [
  { name: "get_order", description: "Look up an order", parameters: order },
  { name: "cancel_order", description: "Cancel an order", parameters: order }
]

/** Looks an order up, tries twice more when that fails, and says what it found. */
const agent: Agent.AgentFunction = async (message, { world }) => {
  const order_id = /A\d{4}/.exec(message)?.[0]
  if (order_id === undefined) return "Which order is it? I need its number."
  let answer = await world.call("get_order", { order_id })
  for (let tries = 0; tries < 2 && failed(answer); tries++) answer = await world.call("get_order", { order_id })
  return failed(answer) ? `I could not look up order ${order_id}.` : `Order ${order_id}: ${JSON.stringify(answer)}.`
}

const failed = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "error" in answer && "status" in answer

const base = {
  agent,
  tools,
  ids: { order_id: ["A1001", "A1002", "A1003"] },
  systemPrompt: "You are an order desk agent. Look an order up before you change it.",
  simulator: false
} as const

/** A row without what two equal runs may differ in. */
const shared = (row: Row.Row): string => {
  const { head, sharedTail } = Row.encodeParts(row)
  return head + sharedTail
}

describe("simulate", () => {
  it.effect("gives the rows of the budget, graded, with no warning on a plain run", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        ...base,
        budget: 240,
        repeats: 4,
        repeatPolicy: "fixed",
        faultRate: 1,
        grade: true
      })
      expect(data.rows).toHaveLength(240)
      expect(data.stoppedBecause).toBe("budget")
      expect(data.warnings).toEqual([])
      expect(data.degraded).toEqual([])
      for (const row of data.rows) {
        expect(row.reward).not.toBeNull()
        expect(row.label_source).toBe("conduct")
      }
      const { rollouts_requested, completed, lost, delivered } = data.report()
      expect([rollouts_requested, completed, lost]).toEqual([240, 240, 0])
      expect(Number(delivered["faults_fired"])).toBeGreaterThan(0)
      expect(Number(delivered["faults_recovered"])).toBeGreaterThan(0)
    })
  )

  it.effect("takes tools that nothing explains to read, and says so with the option that settles it", () =>
    Effect.gen(function* () {
      const order_id = { auftragsnummer: "A-77" }
      const german: Agent.AgentFunction = async (_, { world }) => {
        const found = [await world.call("auftrag_suchen", order_id), await world.call("auftrag_suchen", order_id)]
        return JSON.stringify(found)
      }
      const parameters = { type: "object", properties: { auftragsnummer: { type: "string" } } }
      const options = {
        agent: german,
        tools: [tools[0], { name: "auftrag_suchen", description: "Sucht einen Auftrag.", parameters }],
        simulator: false,
        faultRate: 0,
        budget: 4
      } as const
      const data = yield* Simulation.simulate(options)
      for (const { final_text } of data.rows) {
        const [first, second] = JSON.parse(final_text)
        expect(second).toEqual(first)
        expect(JSON.stringify(first)).not.toContain('created"')
      }
      const warning = data.warnings.find(({ code }) => code === "tool_kinds_guessed")
      expect(warning).toMatchObject({ figures: { tools: ["auftrag_suchen"] } })
      expect(warning?.message).toContain("auftrag_suchen")
      expect(warning?.fix).toContain("`advanced.toolKinds`")
      const settled = yield* Simulation.simulate({ ...options, advanced: { toolKinds: { auftrag_suchen: "read" } } })
      expect(settled.warnings.map(({ code }) => code)).not.toContain("tool_kinds_guessed")
    })
  )

  it.effect("gives no reward when nobody grades", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, budget: 10 })
      expect(data.rows.every((row) => row.reward === null && row.judge_status === undefined)).toBe(true)
    })
  )

  it.effect("gives equal rows at any concurrency when reproducible, and without the flag at concurrency 1", () =>
    Effect.gen(function* () {
      const rowsAt = (options: Simulation.InMemory) =>
        Effect.map(Simulation.simulate({ ...base, mode: "rl", budget: 90, seed: 7, ...options }), ({ rows }) =>
          rows.map(shared)
        )
      const serial = yield* rowsAt({ concurrency: 1 })
      expect(serial).toHaveLength(90)
      expect(yield* rowsAt({ concurrency: 1, reproducible: true })).toEqual(serial)
      expect(yield* rowsAt({ concurrency: 4, reproducible: true })).toEqual(serial)
      expect(yield* rowsAt({ concurrency: 32, reproducible: true })).toEqual(serial)
      expect(yield* rowsAt({ concurrency: 32, reproducible: { batch: 8 } })).not.toEqual(serial)
      expect(yield* rowsAt({ concurrency: 4, reproducible: true, seed: 8 })).not.toEqual(serial)
    })
  )

  it.effect("finds every problem of a call at once, before any call or event", () =>
    Effect.gen(function* () {
      let calls = 0
      const events: Array<RunEvent> = []
      const options = Object.assign({ ...base }, {
        agent: () => `called ${++calls}`,
        onEvent: (event: RunEvent) => events.push(event),
        sede: 1,
        repeats: 0,
        phrasings: 2,
        n: 3,
        seeds: "just one",
        output: "run.jsonl"
      } as object)
      const error = yield* Effect.flip(Simulation.simulate(options as Simulation.InMemory))
      expect(error._tag).toBe("InvalidOptions")
      for (const word of ["sede", "repeats", "phrasings", "seeds", "output"]) expect(error.message).toContain(word)
      expect([calls, events]).toEqual([0, []])
    })
  )

  it.effect("says what is missing when nothing is given", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Simulation.simulate({}))
      for (const word of ["agent", "tools", "systemPrompt", "spec"]) expect(error.message).toContain(word)
    })
  )

  it.effect("ends as a failure with its data when the agent throws on every call", () =>
    Effect.gen(function* () {
      let calls = 0
      const error = yield* Effect.flip(
        Simulation.simulate({
          ...base,
          concurrency: 4,
          agent: () => {
            calls += 1
            throw new Error("no database")
          }
        })
      )
      if (error._tag !== "RunFailed") return expect.fail(error._tag)
      expect(error.reason).toBe("agent_failed")
      expect(error.message).toContain("no database")
      expect(calls).toBeLessThanOrEqual(4 + 1)
      const { rollouts_requested, completed, lost, lost_by } = error.data.report()
      expect([completed, lost, lost_by]).toEqual([0, rollouts_requested, { agent_error: rollouts_requested }])
      expect(error.data.degraded).toEqual(["rollouts_lost", "agent_errors"])
    })
  )

  it.effect("says in whose words the agent was refused for good, also when it asks its endpoint itself", () =>
    Effect.gen(function* () {
      const refusing = {
        identity: { name: "desk" },
        kind: "http",
        turns: "single",
        play: () =>
          Effect.fail(
            new AgentBackend.AgentFailed({ agent: "desk", reason: "auth", detail: "/chat answered 401", steps: [] })
          )
      } satisfies AgentBackend.Service
      const error = yield* Effect.flip(Simulation.simulate({ ...base, budget: 5, agent: refusing }))
      if (error._tag !== "RunFailed") throw error
      expect(error.reason).toBe("auth_failed")
      expect(error.data.warnings.find(({ code }) => code === "endpoint_refused")?.message).toBe(
        "The agent was refused for good (auth): /chat answered 401"
      )
      expect(error.message).toContain("/chat answered 401")
    })
  )

  it.effect("says how replies were empty: an agent may have called tools to no end", () =>
    Effect.gen(function* () {
      const silent = Agent.chat(() => ({
        toolCalls: [{ id: "c", name: "get_order", arguments: { order_id: "A1001" } }]
      }))
      const error = yield* Effect.flip(Simulation.simulate({ ...base, userModel: false, budget: 2, agent: silent }))
      if (error._tag !== "RunFailed") throw error
      expect(error.data.warnings.find(({ code }) => code === "empty_replies")?.message).toMatch(
        /said nothing in \d+ of \d+ rollouts; in the first it called tools in 40 replies and never spoke/
      )
    })
  )

  it.effect("loses the rollout that never settles, by its timeout, and gives the other rows", () =>
    Effect.gen(function* () {
      let begun = 0
      const options = {
        ...base,
        seeds: Array.from({ length: 12 }, (_, i) => `order A10${10 + i}`),
        situations: 12,
        timeout: 30,
        concurrency: 12,
        agent: (message: string) => {
          begun += 1
          return message.includes("A1015") ? new Promise<string>(() => {}) : `I looked at ${message}.`
        }
      }
      const fiber = yield* Effect.fork(Simulation.simulate(options))
      // The hanging ask is tried three times in all.
      yield* Effect.forEach([1, 2, 3], () => TestClock.adjust("31 seconds"))
      const data = yield* Fiber.join(fiber)
      expect(data.rows).toHaveLength(11)
      expect(data.report().lost_by).toEqual({ timeout: 3 })
      expect(begun).toBe(14)
    })
  )

  it.effect("ends by the clock within the grace, and keeps what landed", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const slow = AgentBackend.layerFunction((message: string) =>
        Effect.sync(() => calls.push(message)).pipe(
          Effect.zipRight(Effect.sleep("4 seconds")),
          Effect.as(`Done: ${message}`)
        )
      )
      const fiber = yield* Effect.fork(
        Simulation.simulate({
          ...base,
          agent: slow,
          budget: 500,
          timeBudget: 10,
          concurrency: 5,
          advanced: { grace: 1 }
        })
      )
      yield* Effect.forEach(Array.from({ length: 24 }), () => TestClock.adjust("500 millis"))
      const data = yield* Fiber.join(fiber)
      expect(data.stoppedBecause).toBe("time_budget")
      expect(data.rows).toHaveLength(10)
      expect(data.report()).toMatchObject({
        rollouts_requested: 15,
        completed: 10,
        lost: 5,
        lost_by: { interrupted: 5 }
      })
      const after = calls.length
      yield* TestClock.adjust("1 minute")
      expect(calls.length).toBe(after)
    })
  )

  it.effect("ends as interrupted when the caller's stop completes, with its rows", () =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      let rows = 0
      const data = yield* Simulation.simulate({
        ...base,
        budget: 10_000,
        concurrency: 4,
        stop: Deferred.await(stop),
        agent: async (message: string) => {
          await new Promise((resolve) => setImmediate(resolve))
          return `Done: ${message}`
        },
        onEvent: (event) => {
          if (event._tag === "RowLanded" && ++rows === 20) Deferred.unsafeDone(stop, Exit.void)
        }
      })
      expect(data.stoppedBecause).toBe("interrupted")
      expect(data.rows.length).toBeGreaterThanOrEqual(20)
      expect(data.rows.length).toBeLessThan(100)
      expect(data.meta.status).toBe("interrupted")
      expect(data.degraded).toContain("interrupted")
      const { rollouts_requested, completed, lost } = data.report()
      expect(completed + lost).toBe(rollouts_requested)
    })
  )

  it.live("gives timers and signals their turn while an agent never waits for anything", () =>
    Effect.gen(function* () {
      const options = { ...base, agent: () => "Done.", budget: 50_000, concurrency: 4 }
      const byClock = yield* Simulation.simulate({ ...options, timeBudget: 0.2 })
      expect(byClock.stoppedBecause).toBe("time_budget")
      const bySignal = yield* Simulation.simulate({ ...options, signal: AbortSignal.timeout(200) })
      expect(bySignal.stoppedBecause).toBe("interrupted")
      const between = yield* Simulation.simulate({
        ...options,
        budget: 1,
        runs: 5000,
        signal: AbortSignal.timeout(200)
      })
      expect(between.stoppedBecause).toBe("interrupted")
    })
  )

  it.effect("begins nothing when its signal is aborted before it starts", () =>
    Effect.gen(function* () {
      let calls = 0
      const data = yield* Simulation.simulate({
        ...base,
        agent: () => `called ${++calls}`,
        budget: 100,
        signal: AbortSignal.abort()
      })
      expect([calls, data.rows.length, data.stoppedBecause]).toEqual([0, 0, "interrupted"])
    })
  )

  it.effect("never runs more rollouts at once than `concurrency`, and reaches it", () =>
    Effect.gen(function* () {
      let now = 0
      let most = 0
      yield* Simulation.simulate({
        ...base,
        budget: 120,
        concurrency: 6,
        agent: async (message: string) => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => setImmediate(resolve))
          now -= 1
          return `Done: ${message}`
        }
      })
      expect(most).toBe(6)
    })
  )
})

describe("a grader in the loop", () => {
  it.effect("gives every row its verdict, and an unusable one no reward", () =>
    Effect.gen(function* () {
      let graded = 0
      const data = yield* Simulation.simulate({
        ...base,
        budget: 40,
        grader: () => {
          graded += 1
          if (graded % 4 === 0) throw new Error("the judge is down")
          return graded % 2 === 0
        }
      })
      const { grader } = data.search
      expect(grader).toMatchObject({ judged_in_loop: 40, scored: 30, unjudged: 10, errors: 10 })
      expect(data.rows.filter((row) => row.reward === null)).toHaveLength(10)
      expect(data.degraded).toContain("judge_errors")
      expect(new Set(data.rows.map((row) => row.lineage?.scoring_run_id)).size).toBe(1)
    })
  )

  it.effect("ends the run when the judge's endpoint refuses for good, and keeps the rows without a reward", () =>
    Effect.gen(function* () {
      let asked = 0
      const judge = Grader.layerNoop({
        name: "judge",
        kind: "model",
        grade: () =>
          Effect.sync(() => {
            asked += 1
            return { reward: null, status: "error", reason: "the key is not valid", refused: "auth", meta: {} }
          })
      })
      const data = yield* Simulation.simulate({ ...base, budget: 500, concurrency: 4, grader: judge })
      expect(data.stoppedBecause).toBe("auth_failed")
      expect(data.rows.length).toBe(asked)
      expect(asked).toBeLessThan(40)
      expect(data.rows.every((row) => row.reward === null)).toBe(true)
    })
  )

  it.effect("keeps the conduct grade as a marker beside the grader's reward", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, budget: 10, grade: true, grader: () => 0.75 })
      for (const row of data.rows) {
        expect(row.reward).toBe(0.75)
        expect(typeof row.markers?.["conduct"]).toBe("number")
      }
    })
  )

  it.effect("hands the reference of a seed to the grader and to nobody else", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const data = yield* Simulation.simulate({
        ...base,
        seeds: [{ prompt: "How many days are in a leap year?", reference: "366-gold" }],
        budget: 1,
        grader: (_row, { privileged }) => {
          seen.push(privileged.reference)
          return 1
        }
      })
      expect(seen).toEqual(["366-gold"])
      expect(JSON.stringify([data.rows, data.meta])).not.toContain("366-gold")
    })
  )
})

describe("layers", () => {
  it.effect("swap the world", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({ ...base, budget: 30, faultRate: 0 })
      const results = data.rows.flatMap((row) => row.steps.filter(Row.isCallStep).map((step) => step.result))
      expect(results.length).toBeGreaterThan(0)
      for (const result of results) expect(result).toEqual({ answer: "from the layer" })
    }).pipe(
      Effect.provide(
        World.layerService({
          name: "constant",
          open: () =>
            Effect.succeed({
              call: () =>
                Effect.succeed({
                  result: { answer: "from the layer" },
                  status: "ok",
                  answeredBy: "mock",
                  elapsedMs: 1
                }),
              writes: Effect.succeed([]),
              state: Effect.succeed(null)
            })
        })
      )
    )
  )

  it.effect("swap the same-model detector", () => {
    const identity = { name: "m", provider: "p", endpoint: "e", model: "m" }
    const run = Simulation.simulate({
      ...base,
      agent: Agent.fromFunction(agent, { identity }),
      simulator: { identity, write: (slots) => Effect.succeed(slots.map((slot) => written(slot))) },
      budget: 5
    })
    return Effect.gen(function* () {
      const flagged = yield* run
      expect(flagged.degraded).toContain("same_model")
      expect(flagged.warnings[0]?.fix).toContain("simulator")
      const quiet = yield* Effect.provide(run, SameModelDetector.layerNone)
      expect(quiet.degraded).not.toContain("same_model")
    })
  })

  const written = (slot: SituationWriter.Slot): SituationWriter.Ask => ({
    slot,
    text: `ask ${slot.scenarioId} ${slot.phrasing}`,
    shown: {},
    need: null,
    facts: {},
    entity: null,
    writer: "m"
  })

  it.effect("hold every role in the typed core", () =>
    Effect.gen(function* () {
      const { settings } = yield* Options.resolve({ ...base, budget: 8 })
      const data = yield* Simulation.run(settings)
      expect(data.rows.map((row) => [row.writer_model, row.model_version, row.final_text])).toEqual(
        Array.from({ length: 8 }, () => ["mine", "function:fixed", "fixed"])
      )
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          AgentBackend.layerFunction(() => "fixed", { name: "fixed" }),
          SituationWriter.layer((slots) => slots.map((slot) => ({ slot, text: `ask ${slot.scenarioId}` })), {
            name: "mine"
          }),
          Randomness.layer(11)
        )
      )
    )
  )

  it.effect("fall back to the template writer when the caller's writer fails, and say so", () =>
    Effect.gen(function* () {
      const data = yield* Simulation.simulate({
        ...base,
        budget: 6,
        simulator: () => {
          throw new Error("out of ideas")
        }
      })
      expect(data.rows).toHaveLength(6)
      expect(data.rows.every((row) => row.writer_model === "template")).toBe(true)
      expect(data.degraded).toEqual(["generator_fallback"])
    })
  )
})

describe("stream", () => {
  it.scoped("gives every row once and then the summary", () =>
    Effect.gen(function* () {
      const { rows, summary } = yield* Simulation.stream({ ...base, budget: 200 })
      const ids = yield* Stream.runFold(rows, new Set<string>(), (seen, row) => seen.add(row.row_id))
      expect(ids.size).toBe(200)
      const meta = yield* summary
      expect(meta).toMatchObject({ stopped_because: "budget", counts: { rows: 200 } })
    })
  )

  it.scoped("fails as the run does", () =>
    Effect.gen(function* () {
      const { rows } = yield* Simulation.stream({ ...base, budget: 5, agent: () => "" })
      const error = yield* Effect.flip(Stream.runDrain(rows))
      expect(error).toMatchObject({ _tag: "RunFailed", reason: "empty_replies" })
    })
  )
})

describe("preview", () => {
  it.effect("of a run beyond all bounds looks at its beginning, and says so", () =>
    Effect.gen(function* () {
      const { asks, counts, isWhole, stoppedBecause } = yield* Simulation.preview({
        ...base,
        agent: () => "ok",
        budget: 1_000_000_000
      })
      expect([isWhole, stoppedBecause]).toEqual([false, null])
      expect(counts).toMatchObject({ asks: asks.length, budget: 1_000_000_000 })
      expect(counts.rollouts).toBeGreaterThanOrEqual(5000)
      expect(counts.rollouts).toBeLessThan(6000)
      const small = yield* Simulation.preview({ ...base, agent: () => "ok", budget: 64 })
      expect([small.isWhole, small.stoppedBecause, small.counts.rollouts]).toEqual([true, "budget", 64])
      expect(asks.slice(0, 20).map(({ prompt }) => prompt)).toEqual(small.asks.slice(0, 20).map(({ prompt }) => prompt))
    })
  )

  it.effect("shows the asks a run would use, and calls nobody", () =>
    Effect.gen(function* () {
      let calls = 0
      const options = {
        ...base,
        agent: () => `called ${++calls}`,
        budget: 48,
        repeats: 4,
        repeatPolicy: "fixed"
      } as const
      const preview = yield* Simulation.preview(options)
      expect(calls).toBe(0)
      expect(preview.counts).toMatchObject({ situations: 12, asks: 12, rollouts: 48 })
      expect(preview.calls).toEqual({ agent: 48, writer: 0, user: 0, judge: 0 })
      const data = yield* Simulation.simulate({ ...options, agent: () => "ok", reproducible: true })
      const asked = new Set(data.rows.map((row) => row.prompt))
      expect(preview.asks.filter(({ prompt }) => asked.has(prompt)).length).toBeGreaterThanOrEqual(8)
    })
  )

  it.effect("names the seeds that the budget drops", () =>
    Effect.gen(function* () {
      const preview = yield* Simulation.preview({
        ...base,
        seeds: ["a", "b", "c"],
        repeats: 2,
        repeatPolicy: "fixed",
        budget: 4
      })
      expect(preview.seedsDropped).toEqual(["c"])
    })
  )
})

describe("events", () => {
  for (const tag of ["Started", "TaskChosen", "RolloutStarted", "RowLanded", "Judged", "Stopping"] as const) {
    it.live(`a listener that throws or rejects is told, and the run is what it would be: ${tag}`, () =>
      Effect.gen(function* () {
        const broken = new Error("the progress bar broke")
        const logged: Array<string> = []
        const logger = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void logged.push(String(message)))
        )
        const plain = yield* Simulation.simulate({ ...base, budget: 6, grader: () => 1 })
        const ways: ReadonlyArray<() => unknown> = [
          () => {
            throw broken
          },
          () => Promise.reject(broken),
          () => Effect.fail(broken)
        ]
        for (const way of ways) {
          let heard = 0
          const onEvent = (event: RunEvent): unknown => (event._tag === tag ? (heard++, way()) : undefined)
          const data = yield* Simulation.simulate({ ...base, budget: 6, grader: () => 1, onEvent }).pipe(
            Effect.provide(logger)
          )
          expect(data.rows.map(shared)).toEqual(plain.rows.map(shared))
          expect(data.warnings.filter(({ code }) => code === "listener_failed")).toMatchObject([
            { figures: { failed: heard }, message: expect.stringContaining(`events so far. ${tag}: `) }
          ])
        }
        expect(logged).toHaveLength(ways.length)
        for (const line of logged.slice(0, 2)) expect(line).toContain("the progress bar broke")
        expect(logged[2]).toContain("an Effect, which nobody runs")
      })
    )
  }

  it.live("a listener that fails after the summary is told in the log", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void logged.push(String(message)))
      )
      const onEvent = (event: RunEvent): void => {
        if (event._tag === "Stopped") throw new Error("too late")
      }
      const data = yield* Effect.provide(Simulation.simulate({ ...base, budget: 6, onEvent }), logger)
      expect(data.rows).toHaveLength(6)
      expect(logged).toEqual(["onEvent failed, and the run goes on. Stopped: too late"])
    })
  )

  it.effect("tell a run from its start to its stop", () =>
    Effect.gen(function* () {
      const events: Array<RunEvent> = []
      yield* Simulation.simulate({ ...base, budget: 6, grader: () => 1, onEvent: (event) => void events.push(event) })
      expect(events[0]?._tag).toBe("Started")
      expect(events.slice(-2).map(({ _tag }) => _tag)).toEqual(["Stopping", "Stopped"])
      const count = (tag: RunEvent["_tag"]) => events.filter(({ _tag }) => _tag === tag).length
      expect([count("TaskChosen"), count("RolloutStarted"), count("Judged"), count("RowLanded")]).toEqual([6, 6, 6, 6])
    })
  )

  it.effect("name dropped seeds before the first rollout", () =>
    Effect.gen(function* () {
      const events: Array<RunEvent> = []
      const data = yield* Simulation.simulate({
        ...base,
        seeds: ["one", "two", "three"],
        budget: 2,
        onEvent: (event) => void events.push(event)
      })
      const [started] = events
      if (started?._tag !== "Started") return expect.fail("no start")
      expect(started.warnings.some(({ message }) => message.includes("three"))).toBe(true)
      const many = Array.from({ length: 200 }, (_, i) => `Ask ${i}: ${"where is it? ".repeat(30)}`)
      const { warnings } = yield* Simulation.simulate({ agent, simulator: false, seeds: many, budget: 2 })
      const dropped = warnings.find(({ code }) => code === "seeds_dropped")?.message ?? ""
      expect(dropped).toContain('198 are not run, from "Ask 2: ')
      expect(dropped.length).toBeLessThan(300)
      expect(data.search.seeds_dropped).toEqual(["three"])
    })
  )
})
