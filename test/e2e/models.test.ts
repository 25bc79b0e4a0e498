import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as FileSystem from "@effect/platform/FileSystem"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Cache from "@sandtable/backends/Cache"
import * as Limits from "@sandtable/backends/Limits"
import * as Node from "@sandtable/backends/node"
import * as Judge from "@sandtable/core/Judge"
import * as Simulation from "@sandtable/core/Simulation"
import { describe, expect, it } from "@effect/vitest"
import type { RunEvent } from "../../packages/core/src/search/RunEvent.ts"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as FakeServer from "../backends/FakeServer.ts"
import { ids, script, spends, systemPrompt, tools } from "./scripted-models.ts"

const configured = (variables: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

/** Every model at the server, by the spec `<provider>:<role>-m@<server>`. */
const cast = (url: string) => ({
  agent: `vllm:agent-m@${url}/v1`,
  simulator: `vllm:writer-m@${url}/v1`,
  userModel: `anthropic:user-m@${url}/v1`,
  grader: Judge.layer({ model: `openai-responses:judge-m@${url}/v1`, rubric: "The agent answers what was asked." }),
  tools,
  ids,
  systemPrompt
})

describe("a run in which models play every role", () => {
  it.scopedLive("names each of them on its rows, and counts what each spent", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const data = yield* Simulation.simulate({
        ...cast(server.url),
        budget: 12,
        concurrency: 4,
        advanced: {
          prices: { "agent-m": { input: 1, output: 10, cached: 0.5 }, "vllm:writer-m": { input: 2, output: 2 } }
        }
      })
      expect(data.stoppedBecause).toBe("budget")
      expect(data.degraded).toEqual([])
      expect(data.rows).toHaveLength(12)
      expect(server.violations).toEqual([])
      for (const row of data.rows) {
        expect(row).toMatchObject({
          model_version: "agent-m",
          user_model: "user-m",
          reward: 1,
          sampling: { model: "agent-m", temperature: 0.8 }
        })
        expect(row.judge_meta).toMatchObject({ model: "judge-m" })
      }
      expect(new Set(data.rows.map(({ writer_model }) => writer_model))).toContain("writer-m")
      const { cost, models, usage } = data.report()
      expect(models).toEqual({ agent: "agent-m", writer: "writer-m", user: "user-m", judge: "judge-m" })
      const sent = (model: string) => server.received.filter(({ body }) => body["model"] === model).length
      for (const [role, model] of [
        ["agent", "agent-m"],
        ["writer", "writer-m"],
        ["user", "user-m"],
        ["judge", "judge-m"]
      ] as const) {
        const calls = sent(model)
        const { input, output } = spends[model]
        expect(calls).toBeGreaterThan(0)
        expect(usage[role]).toMatchObject({ calls, uncounted: 0, input: calls * input, output: calls * output })
      }
      expect(usage["judge"]?.reasoning).toBe(sent("judge-m") * 8)
      expect(cost["agent"]).toBeCloseTo((sent("agent-m") * (60 * 1 + 40 * 0.5 + 10 * 10)) / 1e6, 12)
      expect(cost["writer"]).toBeCloseTo((sent("writer-m") * 2 * 1100) / 1e6, 12)
      expect(cost).toMatchObject({ user: null, judge: null })
    }).pipe(Effect.provide(Node.layer), configured({ ANTHROPIC_API_KEY: "sk-ant-1", OPENAI_API_KEY: "sk-1" }))
  )
})

/** Requests for a model that a server got. */
const sentTo = (server: FakeServer.FakeServer, model: string): number =>
  server.received.filter(({ body }) => body["model"] === model).length

/** The script, with one model answered otherwise. */
const except =
  (model: string, reply: (n: number) => FakeServer.Reply | Promise<FakeServer.Reply>): FakeServer.Script =>
  (request) =>
    request.body["model"] === model ? reply(request.n) : script(request)

const plain = (url: string) => ({
  agent: `vllm:agent-m@${url}/v1`,
  simulator: `vllm:writer-m@${url}/v1`,
  userModel: `vllm:user-m@${url}/v1`,
  tools,
  ids,
  systemPrompt
})

describe("caps on spending", () => {
  it.scopedLive("stops at the tokens of all roles together, over by no more than what was under way", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const concurrency = 4
      const tokenBudget = 20_000
      const data = yield* Simulation.simulate({ ...plain(server.url), budget: 1000, concurrency, tokenBudget })
      expect(data.stoppedBecause).toBe("token_budget")
      const spent = Object.values(data.report().usage).reduce(
        (sum, { input, output }) => sum + (input ?? 0) + (output ?? 0),
        0
      )
      // rollouts make one call at a time; the writer some at once
      const underWay = concurrency * 110 + 8 * 1100
      expect(spent).toBeGreaterThanOrEqual(tokenBudget)
      expect(spent).toBeLessThan(tokenBudget + underWay)
      expect(data.rows.length).toBeGreaterThan(0)
      expect(data.degraded).not.toContain("generator_fallback")
      expect(data.warnings.find(({ code }) => code === "cap_reached")?.fix).toContain("tokenBudget")
    }).pipe(Effect.provide(Node.layer))
  )

  it.scopedLive("stops at the cost of all roles together", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const price = { input: 1000, output: 1000 }
      const data = yield* Simulation.simulate({
        ...plain(server.url),
        budget: 1000,
        concurrency: 2,
        costBudget: 15,
        advanced: { prices: { "agent-m": price, "writer-m": price, "user-m": price } }
      })
      expect(data.stoppedBecause).toBe("cost_budget")
      const cost = Object.values(data.report().cost).reduce<number>((sum, dollars) => sum + (dollars ?? 0), 0)
      expect(cost).toBeGreaterThanOrEqual(15)
    }).pipe(Effect.provide(Node.layer))
  )

  it.scopedLive("refuses a cap on cost for a model without a price, before any call", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const error = yield* Effect.flip(
        Simulation.simulate({
          ...plain(server.url),
          costBudget: 15,
          advanced: { prices: { "agent-m": { input: 1, output: 1 } } }
        })
      )
      expect(error.message).toContain("no price of writer-m")
      expect(error.message).toContain("no price of user-m")
      expect(error.message).not.toContain("agent-m")
      expect(server.received).toEqual([])
    }).pipe(Effect.provide(Node.layer))
  )
})

describe("an endpoint that refuses for good", () => {
  const refusals: ReadonlyArray<readonly [string, string, "auth_failed" | "quota_exceeded", FakeServer.Reply]> = [
    ["agent", "agent-m", "auth_failed", FakeServer.refusal(401, "Incorrect API key provided")],
    [
      "user",
      "user-m",
      "quota_exceeded",
      FakeServer.refusal(429, { message: "You exceeded your current quota", code: "insufficient_quota" })
    ],
    ["writer", "writer-m", "auth_failed", FakeServer.refusal(403, "The key may not use this model")]
  ]
  for (const [role, model, stop, reply] of refusals) {
    it.scopedLive(`ends the run at once and names the ${role}`, () =>
      Effect.gen(function* () {
        const server = yield* FakeServer.make(except(model, () => reply))
        const concurrency = 6
        const ended = yield* Effect.either(
          Simulation.simulate({ ...plain(server.url), budget: 200, concurrency, runs: 2 })
        )
        const data = Either.isRight(ended) ? ended.right : ended.left._tag === "RunFailed" ? ended.left.data : null
        expect(data?.stoppedBecause).toBe(stop)
        expect(sentTo(server, model)).toBeGreaterThan(0)
        expect(sentTo(server, model)).toBeLessThanOrEqual(concurrency)
        const told = data?.warnings.find(({ code }) => code === "endpoint_refused")
        expect(told).toMatchObject({ figures: { role, model } })
      }).pipe(Effect.provide(Node.layer))
    )
  }

  it.scopedLive("ends it for a judge too, and keeps the rows", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(except("judge-m", () => FakeServer.refusal(401, "no")))
      const data = yield* Simulation.simulate({
        ...plain(server.url),
        grader: Judge.layer({ model: `vllm:judge-m@${server.url}/v1`, rubric: "It answers." }),
        budget: 100,
        concurrency: 3
      })
      expect(data.stoppedBecause).toBe("auth_failed")
      expect(sentTo(server, "judge-m")).toBeLessThanOrEqual(3)
      expect(data.rows.length).toBeGreaterThan(0)
      expect(data.warnings).toContainEqual(
        expect.objectContaining({ code: "endpoint_refused", figures: expect.objectContaining({ role: "judge" }) })
      )
    }).pipe(Effect.provide(Node.layer))
  )
})

describe("before the first call", () => {
  const refusedOf = (options: object, variables: Readonly<Record<string, string>> = {}) =>
    Simulation.preview({ tools, ids, ...options }).pipe(
      Effect.flip,
      Effect.map(({ issues }) => issues),
      Effect.provide(Node.layer),
      configured(variables)
    )

  it.effect("every name that cannot be is told, with everything else that is wrong", () =>
    Effect.gen(function* () {
      const issues = yield* refusedOf({
        agent: "opnai:gpt-4.1-mini",
        simulator: "anthropic:claude-haiku-4-5",
        userModel: "gpt-4.1-mini",
        budget: 0
      })
      expect(issues).toMatchObject([
        { option: "budget" },
        { option: "agent", fix: expect.stringContaining("The nearest is `openai`") },
        { option: "simulator", problem: expect.stringContaining("ANTHROPIC_API_KEY is not set") },
        { option: "userModel", problem: expect.stringContaining("names no provider") }
      ])
    })
  )

  it.effect("a model of the environment is told once, by the variable that lacks", () =>
    Effect.gen(function* () {
      const issues = yield* refusedOf({}, { SANDTABLE_BASE_URL: "http://127.0.0.1:1/v1" })
      expect(issues).toMatchObject([{ problem: expect.stringContaining("SANDTABLE_MODEL is not set") }])
    })
  )

  it.effect("a key that is given beats one of the configuration, and neither is sought where no key is needed", () =>
    Effect.gen(function* () {
      const given = yield* Simulation.preview({ agent: "openai:m", simulator: false, tools, budget: 1 }).pipe(
        Effect.provide(Node.layerWith({ keys: { openai: Redacted.make("sk-given") } })),
        configured({}),
        Effect.map(({ knobs }) => knobs["agent"])
      )
      expect(given).toBe("openai:m")
      yield* Simulation.preview({ agent: "ollama:llama3.2", simulator: false, tools, budget: 1 }).pipe(
        Effect.provide(Node.layer),
        configured({})
      )
    })
  )

  it.effect("without the backends it says what to provide", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Simulation.preview({ agent: "openai:m", simulator: false, tools }))
      expect(message).toContain("@sandtable/backends/node")
    })
  )
})

describe("who plays with whom", () => {
  const sameModel = (options: object) =>
    Effect.map(Simulation.simulate({ tools, ids, systemPrompt, budget: 4, ...options }), ({ warnings }) =>
      warnings.find(({ code }) => code === "same_model")
    )

  it.scopedLive("the same model at the same endpoint is flagged, by whichever names it goes", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const both = yield* sameModel({
        agent: `vllm:agent-m@${server.url}/v1`,
        simulator: `vllm:writer-m@${server.url}/v1`,
        userModel: `openai:agent-m@${server.url}/v1/`
      })
      expect(both).toMatchObject({ figures: { roles: ["user"] }, fix: expect.stringContaining("userModel") })
    }).pipe(Effect.provide(Node.layer), configured({ OPENAI_API_KEY: "sk-1" }))
  )

  it.scopedLive("the same name at another endpoint is not", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const other = yield* FakeServer.make(script)
      const apart = yield* sameModel({
        agent: `vllm:agent-m@${server.url}/v1`,
        simulator: `vllm:writer-m@${server.url}/v1`,
        userModel: `vllm:agent-m@${other.url}/v1`
      })
      expect(apart).toBeUndefined()
      expect(other.received.length).toBeGreaterThan(0)
    }).pipe(Effect.provide(Node.layer))
  )

  it.scopedLive("an agent's own model writes and plays the person where nobody else is named", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make((request) =>
        script({ ...request, body: { ...request.body, model: isTalk(request.body) ? "agent-m" : "writer-m" } })
      )
      const data = yield* Simulation.simulate({
        agent: `vllm:one@${server.url}/v1`,
        tools,
        ids,
        systemPrompt,
        maxTurns: 1,
        budget: 4
      })
      expect(data.report().models).toMatchObject({ agent: "one", writer: "one" })
      expect(data.warnings.find(({ code }) => code === "same_model")).toMatchObject({
        figures: { options: expect.arrayContaining(["simulator"]) }
      })
    }).pipe(Effect.provide(Node.layer))
  )

  it.scopedLive("the endpoint of the environment plays whoever is not named", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make((request) =>
        script({ ...request, body: { ...request.body, model: isTalk(request.body) ? "agent-m" : "writer-m" } })
      )
      const data = yield* Simulation.simulate({ tools, ids, systemPrompt, maxTurns: 1, budget: 3 }).pipe(
        configured({
          SANDTABLE_BASE_URL: `${server.url}/v1`,
          SANDTABLE_MODEL: "house-model",
          SANDTABLE_API_KEY: "sk-house"
        })
      )
      expect(data.report().models).toMatchObject({ agent: "house-model", writer: "house-model" })
      expect(server.received.every(({ headers }) => headers.authorization === "Bearer sk-house")).toBe(true)
    }).pipe(Effect.provide(Node.layer))
  )

  it.scopedLive("a prompt alone gets the tools that its writer drafts for it", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const { tools: _, ...rest } = plain(server.url)
      const data = yield* Simulation.simulate({ ...rest, ids: {}, budget: 12 })
      expect(data.meta.profile.tools.map(({ name }) => name)).toEqual(["get_order", "cancel_order"])
      expect(data.rows.some(({ tools_used }) => tools_used?.includes("get_order"))).toBe(true)
      // the call that drafted them counts
      expect(data.report().usage["writer"]?.calls).toBe(sentTo(server, "writer-m"))
    }).pipe(Effect.provide(Node.layer))
  )
})

/** Whether a request is a turn of the agent: only it has tools. */
const isTalk = (body: FakeServer.Received["body"]): boolean => Array.isArray(body["tools"])

describe("limits", () => {
  it.scopedLive("hold a role back to so many calls at once, over two runs that share one", () =>
    Effect.gen(function* () {
      let release: () => void = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      let inFlight = 0
      let most = 0
      const server = yield* FakeServer.make(async (request) => {
        if (request.body["model"] === "agent-m") {
          inFlight += 1
          most = Math.max(most, inFlight)
          await released
          inFlight -= 1
        }
        return script(request)
      })
      const agent = Limits.limit("agent", { max: 3 })
      const run = Simulation.simulate({
        ...plain(server.url),
        simulator: false,
        budget: 8,
        concurrency: 8,
        advanced: { limits: { agent } }
      })
      const both = yield* Effect.fork(Effect.all([run, run], { concurrency: 2 }))
      yield* Effect.promise(() => server.reached(3))
      release()
      const runs = yield* Fiber.join(both)
      expect(runs.map(({ rows }) => rows.length)).toEqual([8, 8])
      expect(most).toBe(3)
    }).pipe(Effect.provide(Node.layer))
  )

  it.scopedLive("a number is the most at once; a thing that is no limit is refused", () =>
    Effect.gen(function* () {
      let inFlight = 0
      let most = 0
      const server = yield* FakeServer.make(async (request) => {
        inFlight += 1
        most = Math.max(most, inFlight)
        await new Promise((resolve) => setImmediate(resolve))
        inFlight -= 1
        return script(request)
      })
      const options = { ...plain(server.url), simulator: false as const, userModel: false as const, budget: 12 }
      yield* Simulation.simulate({ ...options, advanced: { limits: { agent: 1 } } })
      expect(most).toBe(1)
      const error = yield* Effect.flip(Simulation.simulate({ ...options, advanced: { limits: { agent: {} } } }))
      expect(error.message).toContain("advanced.limits.agent")
    }).pipe(Effect.provide(Node.layer))
  )
})

describe("what a run tells", () => {
  it.scopedLive("who waits for an endpoint, and what was spent so far", () =>
    Effect.gen(function* () {
      let refused = false
      const server = yield* FakeServer.make((request) => {
        if (refused || request.body["model"] !== "agent-m") return script(request)
        refused = true
        return FakeServer.refusal(429, "slow down", { "retry-after-ms": "20" })
      })
      const events: Array<RunEvent> = []
      const data = yield* Simulation.simulate({
        ...plain(server.url),
        budget: 3,
        concurrency: 1,
        onEvent: (event) => events.push(event)
      })
      const waits = events.filter((event) => event._tag === "Waiting")
      expect(waits).toMatchObject([
        { role: "agent", who: "agent-m", until: expect.any(Number) },
        { role: "agent", who: "agent-m", until: null }
      ])
      const { usage } = data.report()
      expect(usage["agent"]).toMatchObject({ calls: sentTo(server, "agent-m"), uncounted: 1 })
      const total = (key: "input" | "output") => Object.values(usage).reduce((sum, spent) => sum + (spent[key] ?? 0), 0)
      expect(events.filter((event) => event._tag === "Spent").at(-1)).toMatchObject({
        input: total("input"),
        output: total("output"),
        cost: null
      })
    }).pipe(Effect.provide(Node.layer))
  )
})

describe("a key", () => {
  it.scopedLive("that the server echoes is in no row, no meta, no error and nothing that is printed", () =>
    Effect.gen(function* () {
      const key = "hunter2-hunter2-hunter2"
      const echo = (n: number): FakeServer.Reply =>
        n % 3 === 0
          ? FakeServer.refusal(400, `bad request with key ${key}`)
          : { text: `Your key is ${key}, and Bearer ${key}.`, usage: { input: 1, output: 1 } }
      const server = yield* FakeServer.make(except("agent-m", echo))
      const printed: Array<unknown> = []
      const ended = yield* Effect.either(
        Simulation.simulate({
          ...plain(server.url),
          agent: `openai:agent-m@${server.url}/v1`,
          simulator: false,
          userModel: false,
          maxTurns: 1,
          budget: 6,
          onEvent: (event) => printed.push(event)
        }).pipe(
          Effect.provide(
            Logger.replace(
              Logger.defaultLogger,
              Logger.map(Logger.stringLogger, (line) => printed.push(line))
            )
          ),
          Logger.withMinimumLogLevel(LogLevel.All)
        )
      )
      const seen = [ended, printed]
        .flatMap((value) => [inspect(value, { depth: 12 }), JSON.stringify(value)])
        .join("\n")
      expect(server.received[0]?.headers.authorization).toBe(`Bearer ${key}`)
      expect(seen.includes(key)).toBe(false)
    }).pipe(Effect.provide(Node.layer), configured({ OPENAI_API_KEY: "hunter2-hunter2-hunter2" }))
  )
})

describe("a run that a cap stopped", () => {
  it.scopedLive("goes on from its checkpoint under a higher cap, and counts all that was spent", () =>
    Effect.gen(function* () {
      const server = yield* FakeServer.make(script)
      const fs = yield* FileSystem.FileSystem
      const checkpoint = `${yield* fs.makeTempDirectoryScoped()}/run.jsonl`
      const run = (tokenBudget: number) =>
        Simulation.simulate({ ...plain(server.url), budget: 12, concurrency: 2, tokenBudget, checkpoint })
      const first = yield* run(5_000)
      expect(first.stoppedBecause).toBe("token_budget")
      const again = yield* run(1_000_000)
      expect(again.stoppedBecause).toBe("budget")
      expect(again.rows).toHaveLength(12)
      expect(again.report().usage["agent"]).toMatchObject({
        calls: sentTo(server, "agent-m"),
        input: sentTo(server, "agent-m") * spends["agent-m"].input
      })
      expect(again.report().usage["writer"]?.calls).toBe(sentTo(server, "writer-m"))
    }).pipe(Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)), Effect.provide(Node.layer))
  )
})

describe("the same again", () => {
  it.scopedLive("rows are the same at any concurrency when replies are kept, and asking again costs nothing", () =>
    Effect.gen(function* () {
      // what a model says twice differs
      let n = 0
      const server = yield* FakeServer.make((request) => {
        n += 1
        const reply = script(request)
        return request.body["model"] === "agent-m" && "text" in reply
          ? { ...reply, text: `${reply.text} (${n})` }
          : reply
      })
      const store = yield* KeyValueStore.KeyValueStore
      const run = (concurrency: number) =>
        Simulation.simulate({
          ...plain(server.url),
          budget: 8,
          concurrency,
          reproducible: { batch: 4 },
          runs: 2,
          tokenBudget: 1_000_000
        }).pipe(Effect.provide(Node.layerWith({ wrap: (model) => Cache.wrap(model, store) })))
      const first = yield* run(1)
      const sent = server.received.length
      const again = yield* run(4)
      expect(server.received).toHaveLength(sent)
      expect(again.meta.rows_digest).toBe(first.meta.rows_digest)
      expect(again.report().usage["agent"]).toMatchObject({ calls: 0, input: null })
      // two runs of a call are two replies
      const texts = (evalRun: number) =>
        first.rows.filter(({ lineage }) => lineage?.eval_run === evalRun).map(({ final_text }) => final_text)
      expect(texts(0)).not.toEqual(texts(1))
    }).pipe(Effect.provide(KeyValueStore.layerMemory))
  )
})
