import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import type { AgentFailed, Trajectory } from "@sandtable/core/AgentBackend"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { ModelFailed } from "@sandtable/core/ChatModel"
import * as CurrentRollout from "@sandtable/core/CurrentRollout"
import { Context, Deferred, Effect, Fiber, Layer, Option, TestClock } from "effect"
import * as Kit from "./kit.ts"

const play = (fn: Agent.AgentFunction<unknown, Agent.CurrentWorld>, rollout = Kit.rollout(), options = {}) =>
  Agent.fromFunction(fn, options).play(rollout)

const lost = (fn: unknown, rollout = Kit.rollout()): Effect.Effect<AgentFailed, Trajectory> =>
  Effect.flip(play(fn as Agent.AgentFunction, rollout))

describe("a function agent", () => {
  it.effect("may give back a text, a trajectory or chat messages, at once, by a Promise or by an Effect", () =>
    Effect.gen(function* () {
      const steps = [{ user: "Where is my order A1001?" }, { text: "On its way." }]
      const ways: ReadonlyArray<Agent.AgentFunction> = [
        () => "On its way.",
        async () => "On its way.",
        () => Effect.delay(Effect.succeed("On its way."), 0),
        () => ({ steps, finalText: "On its way." }),
        () => ({ finalText: "On its way." }),
        () => ({ messages: [{ role: "assistant", content: "On its way." }] }),
        () => [
          { role: "system", content: "x" },
          { role: "user", content: "Where is my order A1001?" },
          { role: "assistant", content: [{ type: "text", text: "On its way." }] }
        ]
      ]
      for (const way of ways) {
        const fiber = yield* Effect.fork(play(way))
        yield* TestClock.adjust(0)
        const trajectory = yield* Fiber.join(fiber)
        expect(trajectory.steps).toEqual(steps)
        expect(trajectory.finalText).toBe("On its way.")
        expect(trajectory).toMatchObject({
          finishReason: "stop",
          endedBy: "agent_done",
          userModel: null,
          sampling: null
        })
      }
    })
  )

  it.effect("is an agent error that names what came back when it is anything else", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [42, "the number 42"],
        [undefined, "nothing (undefined)"],
        [null, "null"],
        [{ answer: "x" }, "an object with the keys answer"],
        [{ steps: [{ txt: "x" }], finalText: "x" }, "step 0 was an object with the keys txt"],
        [{ steps: "x", finalText: "x" }, "`steps` was the text"],
        [[], "an empty list of messages"],
        [["x"], "message 0 was the text"],
        [{ finalText: "x", endedBy: "boredom" }, "`endedBy` was the text"]
      ]
      for (const [returned, named] of cases) {
        const error = yield* lost(() => returned)
        expect(error.reason).toBe("agent_error")
        expect(error.message).toContain(named)
      }
    })
  )

  it.effect("records its world calls when it gives back only a text", () =>
    Effect.gen(function* () {
      const trajectory = yield* play(async (_message, { world }) => {
        await world.call("get_order", { order_id: "A1001" })
        await world.call("list_stores")
        return "Done."
      })
      expect(trajectory.steps).toEqual([
        { user: "Where is my order A1001?" },
        {
          tool: "get_order",
          arguments: { order_id: "A1001" },
          result: { id: "A1001", status: "shipped" },
          call_id: "call_1",
          status: "ok",
          answered_by: "mock",
          at_ms: 10
        },
        {
          tool: "list_stores",
          arguments: {},
          result: { id: "A1001", status: "shipped" },
          call_id: "call_2",
          status: "ok",
          answered_by: "mock",
          at_ms: 20
        },
        { text: "Done." }
      ])
    })
  )

  it.effect("keeps issue order when calls run in parallel, and the longest sets the logical clock", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld((call, n) =>
        Effect.promise(() =>
          n === 1
            ? Promise.resolve()
                .then(() => undefined)
                .then(() => undefined)
            : Promise.resolve()
        ).pipe(Effect.as(Kit.ok(call.arguments, n * 100)))
      )
      const fn: Agent.AgentFunction = async (_message, context) => {
        await Promise.all([1, 2, 3].map((n) => context.world.call("quote", { count: n })))
        await context.world.call("list_stores")
        return "ok"
      }
      const trajectory = yield* play(fn, Kit.rollout({ world }))
      const calls = trajectory.steps.filter((step) => "tool" in step)
      expect(calls.map((step) => [step.call_id, step.arguments, step.at_ms])).toEqual([
        ["call_1", { count: 1 }, 100],
        ["call_2", { count: 2 }, 200],
        ["call_3", { count: 3 }, 300],
        ["call_4", {}, 700]
      ])
    })
  )

  it.effect("gets an error that lists the tools for a tool nobody declared, and nothing is run", () =>
    Effect.gen(function* () {
      for (const name of ["refund", "constructor", "__proto__", "toString"]) {
        const world = Kit.fakeWorld()
        let answer: unknown
        const fn: Agent.AgentFunction = async (_message, context) => {
          answer = await context.world.call(name, { order_id: "A1001" })
          return "ok"
        }
        const trajectory = yield* play(fn, Kit.rollout({ world }))
        expect(answer).toEqual({ status: "error", error: expect.stringContaining("get_order, cancel_order") })
        expect(trajectory.steps[1]).toMatchObject({ tool: name, status: "error", answered_by: "harness" })
        expect(world.reached).toEqual([])
      }
    })
  )

  it.effect("refuses arguments that are no object", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const fn: Agent.AgentFunction = async (_message, context) => {
        for (const args of ["A1001", ["A1001"], 7, true]) await context.world.call("get_order", args)
        return "ok"
      }
      const trajectory = yield* play(fn, Kit.rollout({ world }))
      expect(world.reached).toEqual([])
      expect(trajectory.steps.slice(1, 5).map((step) => "tool" in step && step.status)).toEqual(Array(4).fill("error"))
    })
  )

  it.effect("gives reported calls what the world did: status, who answered, fault", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld((call, n) =>
        n === 1
          ? Effect.succeed({
              result: { status: "timeout", error: "late" },
              status: "timeout",
              answeredBy: "fault",
              fault: "timeout",
              elapsedMs: 5
            })
          : Effect.succeed(Kit.ok(call.arguments))
      )
      const fn: Agent.AgentFunction = async (message, context) => {
        await context.world.call("get_order", { order_id: "A1" })
        await context.world.call("get_order", { order_id: "A1" })
        return {
          steps: [
            { user: message },
            { tool: "get_order", arguments: { order_id: "A1" }, result: "mine" },
            { tool: "get_order", arguments: { order_id: "A1" } },
            { tool: "get_order", arguments: { order_id: "other" }, result: { error: "no" } }
          ],
          finalText: "It is late."
        }
      }
      const { steps } = yield* play(fn, Kit.rollout({ world }))
      expect(steps[1]).toMatchObject({ result: "mine", status: "timeout", answered_by: "fault", fault: "timeout" })
      expect(steps[2]).toMatchObject({ result: { order_id: "A1" }, status: "ok", answered_by: "mock" })
      expect(steps[3]).toMatchObject({ status: "error", answered_by: "agent" })
      expect(steps[4]).toEqual({ text: "It is late." })
    })
  )

  it.effect("binds results in returned messages by id, then name, then position", () =>
    Effect.gen(function* () {
      const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } })
      const { steps } = yield* play(() => [
        { role: "user", content: "hi" },
        { role: "assistant", content: "Looking.", tool_calls: [call("a", "x"), call("b", "y"), call("c", "z")] },
        { role: "tool", content: "left over" },
        { role: "tool", name: "y", content: '"of y"' },
        { role: "tool", tool_call_id: "a", content: '{"of":"a"}' },
        { role: "assistant", content: "There." }
      ])
      const results = steps.filter((step) => "tool" in step).map((step) => [step.tool, step.result])
      expect(results).toEqual([
        ["x", { of: "a" }],
        ["y", "of y"],
        ["z", "left over"]
      ])
      expect(steps[1]).toEqual({ text: "Looking." })
    })
  )

  it.effect("gets copies: what it does to them reaches nobody else", () =>
    Effect.gen(function* () {
      const record = { id: "A1001", items: [1] }
      const world = Kit.fakeWorld(() => Effect.succeed(Kit.ok(record)))
      const settings = Kit.settings()
      const fn: Agent.AgentFunction = async (_message, context) => {
        expect(() => Object.assign(context.tools[0] ?? {}, { name: "x" })).toThrow()
        expect(() => Object.assign(context.rollout, { seed: 99 })).toThrow()
        expect(() => Object.assign(context, { systemPrompt: "x" })).toThrow()
        expect(() => (context.tools as Array<unknown>).push(1)).toThrow()
        const args = { order_id: "A1001" }
        const first = (await context.world.call("get_order", args)) as typeof record
        first.items.push(2)
        args.order_id = "changed"
        return "ok"
      }
      const { steps } = yield* play(fn, Kit.rollout({ world, settings }))
      expect(settings.tools.list[0]?.name).toBe("get_order")
      expect(record.items).toEqual([1])
      expect(steps[1]).toMatchObject({ arguments: { order_id: "A1001" }, result: { items: [1] } })
    })
  )

  it.effect("never sees the plan or the expected outcome", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      yield* play((message, context) => {
        seen.push(message, context)
        return "ok"
      })
      const text = JSON.stringify(seen)
      for (const hidden of ["world_seed", "find out where", "ana@example.com", "gold"])
        expect(text).not.toContain(hidden)
      expect(text).toContain('"rolloutIndex":0')
    })
  )

  it.effect("keeps the steps so far when it throws, rejects, fails or dies", () =>
    Effect.gen(function* () {
      const throwing: ReadonlyArray<Agent.AgentFunction<unknown>> = [
        async (_m, { world }) => {
          await world.call("list_stores")
          throw new Error("boom")
        },
        (_m, { world }) =>
          Effect.promise(() => world.call("list_stores")).pipe(Effect.zipRight(Effect.fail(new Error("boom")))),
        (_m, { world }) =>
          Effect.promise(() => world.call("list_stores")).pipe(Effect.zipRight(Effect.dieMessage("boom"))),
        async (_m, { world }) => {
          await world.call("list_stores")
          return Promise.reject("boom")
        }
      ]
      for (const fn of throwing) {
        const error = yield* Effect.flip(play(fn))
        expect(error).toMatchObject({ reason: "agent_error", detail: "boom" })
        expect(error.steps).toHaveLength(2)
      }
      const sync = yield* lost(() => {
        throw new Error("at once")
      })
      expect(sync.message).toContain("at once")
      expect(sync.steps).toEqual([{ user: "Where is my order A1001?" }])
      const self = yield* lost(() => Effect.interrupt)
      expect(self.reason).toBe("agent_error")
    })
  )

  it.effect("is lost for the reason its model gives", () =>
    Effect.gen(function* () {
      const failing = (reason: ModelFailed["reason"]) => () =>
        Effect.fail(new ModelFailed({ reason, model: "m", detail: "no" }))
      expect((yield* lost(failing("context"))).reason).toBe("context_overflow")
      expect((yield* lost(failing("auth"))).reason).toBe("auth")
      expect((yield* lost(failing("unavailable"))).reason).toBe("agent_error")
    })
  )

  it.effect("is lost when the reply is empty, unless it was cut by the length cap", () =>
    Effect.gen(function* () {
      expect((yield* lost(() => "  \n")).reason).toBe("empty_reply")
      expect((yield* lost(() => ({ finalText: "", finishReason: "content_filter" }))).reason).toBe("content_filter")
      const cut = yield* play(() => ({ finalText: "", finishReason: "length" }))
      expect(cut).toMatchObject({ finalText: "", finishReason: "length", steps: [{ user: expect.any(String) }] })
    })
  )

  it.effect("is lost when it writes a tool call instead of making it, and not when it shows ordinary JSON", () =>
    Effect.gen(function* () {
      for (const text of [
        '<tool_call>{"name": "get_order"</tool_call>',
        'Let me look.\n<function=get_order>{"order_id": 1}</function>',
        '```json\n{"name": "get_order", "arguments": {"order_id": \n```',
        '{"name": "get_order", "parameters": {}}',
        '[TOOL_CALLS] [{"name": "get_order"}]'
      ]) {
        expect((yield* lost(() => text)).reason).toBe("tool_markup")
      }
      for (const text of [
        '```json\n{"name": "Ana", "arguments": "none"}\n```',
        "Use the <tool_call> tag in your template.",
        "Your order [A1001] costs < 5 {EUR}"
      ]) {
        expect((yield* play(() => text)).finalText).toBe(text)
      }
    })
  )

  it.effect("ends by its timeout with the steps so far, its signal aborted and its calls interrupted", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      let interrupted = false
      let signal: AbortSignal | undefined
      const world = Kit.fakeWorld(() =>
        Deferred.succeed(started, void 0).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Effect.sync(() => (interrupted = true)))
        )
      )
      const settings = Kit.settings({}, { timeouts: { ...Kit.settings().timeouts, agent: 5 } })
      const fn: Agent.AgentFunction = (_message, context) => {
        signal = context.rollout.signal
        void context.world.call("list_stores")
        return new Promise<string>(() => undefined)
      }
      const fiber = yield* Effect.fork(lost(fn, Kit.rollout({ world, settings })))
      yield* Deferred.await(started)
      expect(signal?.aborted).toBe(false)
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(fiber)
      expect(error.reason).toBe("timeout")
      expect(error.message).toContain("5 s")
      expect(error.steps).toMatchObject([{ user: expect.any(String) }, { tool: "list_stores", answered_by: "harness" }])
      expect(signal?.aborted).toBe(true)
      expect(interrupted).toBe(true)
    })
  )

  it.effect("aborts its signal when the rollout is interrupted, and the record has what happened", () =>
    Effect.gen(function* () {
      const rollout = Kit.rollout()
      let signal: AbortSignal | undefined
      const fn: Agent.AgentFunction = async (_message, context) => {
        signal = context.rollout.signal
        await context.world.call("list_stores")
        return new Promise<string>(() => undefined)
      }
      const fiber = yield* Effect.fork(play(fn, rollout))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Fiber.interrupt(fiber)
      expect(signal?.aborted).toBe(true)
      expect(rollout.recorder.steps()).toHaveLength(2)
    })
  )

  it.effect("reaches nobody once its rollout is over", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const kept: { call?: Agent.AgentContext["world"]["call"] } = {}
      const trajectory = yield* play((_message, context) => {
        kept.call = context.world.call
        return "ok"
      }, Kit.rollout({ world }))
      const answer = yield* Effect.promise(async () => kept.call?.("list_stores"))
      expect(answer).toEqual({ status: "error", error: expect.stringContaining("has ended") })
      expect(world.reached).toEqual([])
      expect(trajectory.steps).toHaveLength(2)
    })
  )

  it.effect("is answered with an error when its world never answers or dies, and reaches a dead world no more", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld((_call, n) => (n === 1 ? Effect.never : Effect.dieMessage("broken")))
      const fn: Agent.AgentFunction = async (_message, context) => {
        const first = await context.world.call("list_stores")
        const second = await context.world.call("list_stores")
        return JSON.stringify([first, second, await context.world.call("list_stores")])
      }
      const rollout = Kit.rollout({ world })
      const fiber = yield* Effect.fork(play(fn, rollout))
      yield* TestClock.adjust("62 seconds")
      const trajectory = yield* Fiber.join(fiber)
      expect(JSON.parse(trajectory.finalText)).toEqual([
        { status: "timeout", error: "No answer within 60 s." },
        { status: "error", error: "The world is broken and answers nothing more." },
        { status: "error", error: "The world is broken and answers nothing more." }
      ])
      expect(trajectory.steps[1]).toMatchObject({ status: "timeout", at_ms: 60_000 })
      expect(world.reached).toHaveLength(2)
      expect(rollout.recorder.worldDefect()).toBe("it died answering list_stores: broken")
    })
  )

  it.effect("keeps odd arguments as JSON and harmless", () =>
    Effect.gen(function* () {
      const circular: Record<string, unknown> = { n: 1n, when: new Date(0), map: new Map([["a", 1]]), none: undefined }
      circular["self"] = circular
      const args = JSON.parse('{"__proto__": {"polluted": true}, "x": 1}') as unknown
      const { steps } = yield* play(async (_message, context) => {
        await context.world.call("quote", circular)
        await context.world.call("quote", args)
        return "ok"
      })
      expect(steps[1]).toMatchObject({
        arguments: { n: "1", when: "1970-01-01T00:00:00.000Z", map: { a: 1 }, self: "[circular]" }
      })
      expect(JSON.stringify(steps[2])).toContain('"__proto__":{"polluted":true}')
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
    })
  )

  it.effect("is an Effect agent: world, services of its own and the current rollout by context", () =>
    Effect.gen(function* () {
      class Tone extends Context.Tag("Tone")<Tone, string>() {}
      const agent = (message: string) =>
        Effect.gen(function* () {
          const world = yield* Agent.CurrentWorld
          const tone = yield* Tone
          const info = yield* CurrentRollout.get
          const result = yield* world.call("get_order", { order_id: "A1001" })
          return `${tone} ${info.id} ${message} ${JSON.stringify(result)}`
        })
      const layer = AgentBackend.layerFunction(agent, { name: "effectful" }).pipe(
        Layer.provide(Layer.succeed(Tone, "kindly"))
      )
      const rollout = Kit.rollout()
      const backend = yield* Effect.provide(AgentBackend.AgentBackend, layer)
      const trajectory = yield* backend
        .play(rollout)
        .pipe(Effect.provideService(CurrentRollout.CurrentRollout, Option.some(rollout.info)))
      expect(backend.identity.name).toBe("function:effectful")
      expect(trajectory.finalText).toBe('kindly roll_0 Where is my order A1001? {"id":"A1001","status":"shipped"}')
      expect(trajectory.steps).toHaveLength(3)
    })
  )

  it.effect("says how it sampled and who it is", () =>
    Effect.gen(function* () {
      const named = Agent.fromFunction(function lookup() {
        return "ok"
      })
      expect(named.identity).toEqual({ name: "function:lookup" })
      const identity = { name: "gpt-x", provider: "openai", endpoint: "https://example.com", model: "gpt-x" }
      const declared = Agent.fromFunction(() => "ok", { identity, sampling: { temperature: 0 } })
      expect(declared.identity).toEqual(identity)
      expect((yield* declared.play(Kit.rollout())).sampling).toEqual({ temperature: 0 })
      const settings = Kit.settings({}, { sampling: { temperature: 1 } })
      expect((yield* play(() => "ok", Kit.rollout({ settings }))).sampling).toEqual({ temperature: 1 })
      const noted = yield* play(() => ({
        finalText: "x",
        usage: { input: 3 },
        seeded: ["skips_check"],
        endedBy: "user_done"
      }))
      expect(noted).toMatchObject({
        usage: { agent: { input: 3, cached: null, output: null, reasoning: null } },
        seeded: ["skips_check"],
        endedBy: "user_done"
      })
    })
  )

  it.effect.each([
    [
      "OpenAI's chat completions",
      { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 2 } },
      { input: 9, cached: 2, output: 4, reasoning: null }
    ],
    [
      "OpenAI's Responses",
      { input_tokens: 9, output_tokens: 4, output_tokens_details: { reasoning_tokens: 3 } },
      { input: 9, cached: null, output: 4, reasoning: 3 }
    ],
    [
      "Anthropic, which counts the cache beside the input",
      { input_tokens: 9, output_tokens: 4, cache_read_input_tokens: 5, cache_creation_input_tokens: 1 },
      { input: 15, cached: 5, output: 4, reasoning: null }
    ],
    [
      "the AI SDK",
      { inputTokens: 9, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1, totalTokens: 13 },
      { input: 9, cached: 2, output: 4, reasoning: 1 }
    ],
    ["none of them", { total: 13, constructor: 4 }, { input: null, cached: null, output: null, reasoning: null }]
  ] as const)("counts tokens spelled by %s", ([, usage, counted]) =>
    Effect.gen(function* () {
      const { usage: told } = yield* play(() => ({ finalText: "x", usage }))
      expect(told).toEqual({ agent: counted })
    })
  )
})
