import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import type { Trajectory } from "@sandtable/core/AgentBackend"
import * as AgentBackend from "@sandtable/core/AgentBackend"
import { ModelFailed } from "@sandtable/core/ChatModel"
import * as Conversation from "@sandtable/core/Conversation"
import * as Deadline from "../../../packages/core/src/time/Deadline.ts"
import type { ToolCall } from "../../../packages/core/src/model/Message.ts"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import * as World from "@sandtable/core/World"
import { ScriptedChatModel, ScriptedUser } from "@sandtable/core/testing"
import { Effect, Fiber, TestClock } from "effect"
import * as Kit from "./kit.ts"
import { expectValid } from "./validThread.ts"

const call = (name: string, args: unknown, id = ""): ToolCall => ({ id, name, arguments: args })

const play = (
  script: ScriptedChatModel.Script | ScriptedChatModel.Scripted,
  rollout = Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }) })
) => Conversation.fromModel("complete" in script ? script : ScriptedChatModel.make(script)).play(rollout)

const calls = (trajectory: Trajectory) => trajectory.steps.filter((step) => "tool" in step)

describe("a model-backed agent", () => {
  it.effect("is asked with policy, scaffold, tools and sampling, and answered under its own call ids", () =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make([
        { text: "Let me look.", toolCalls: [call("get_order", '{"order_id":"A1001"}', "call_x")] },
        { text: "It has shipped.", sampling: { temperature: 0.5, model: "m" } }
      ])
      const settings = Kit.settings({ maxTurns: 1, temperature: 0.5, agentMaxTokens: 99 }, { scaffold: "Be brief." })
      const trajectory = yield* play(model, Kit.rollout({ settings }))
      const [first, second] = model.requests()
      expect(first?.messages).toEqual([
        { role: "system", content: "Help with orders.\n\nBe brief." },
        { role: "user", content: "Where is my order A1001?" }
      ])
      expect(first?.tools?.map((tool) => tool.name)).toEqual(["get_order", "cancel_order", "list_stores", "quote"])
      expect(first?.sampling).toEqual({ temperature: 0.5, maxTokens: 99 })
      expect(first?.key).toEqual(["agent", "task_1", 0, 0, 0])
      expect(second?.messages.slice(2)).toEqual([
        {
          role: "assistant",
          content: "Let me look.",
          toolCalls: [{ id: "call_x", name: "get_order", arguments: { order_id: "A1001" } }]
        },
        { role: "tool", callId: "call_x", name: "get_order", content: '{"id":"A1001","status":"shipped"}' }
      ])
      expect(trajectory.steps).toMatchObject([
        { user: "Where is my order A1001?" },
        { text: "Let me look.", turn: 0 },
        { tool: "get_order", call_id: "call_x", answered_by: "mock", turn: 0 },
        { text: "It has shipped.", turn: 1 }
      ])
      expect(trajectory).toMatchObject({
        finalText: "It has shipped.",
        finishReason: "stop",
        endedBy: "max_turns",
        sampling: { temperature: 0.5, model: "m" },
        malformedToolCalls: 0
      })
    })
  )

  it.effect("runs its calls whatever the finish reason says", () =>
    Effect.gen(function* () {
      const trajectory = yield* play([
        { toolCalls: [call("list_stores", "{}")], finishReason: "stop" },
        { text: "Done.", finishReason: "tool" }
      ])
      expect(calls(trajectory)).toHaveLength(1)
      expect(trajectory.finishReason).toBe("stop")
    })
  )

  it.effect("keeps parallel calls in issue order, each answered under its id, however long they take", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld((asked, n) =>
        Effect.delay(Effect.succeed(Kit.ok({ n, asked: asked.arguments })), `${4 - n} seconds`)
      )
      const model = ScriptedChatModel.make([
        { toolCalls: [1, 2, 3].map((n) => call("quote", `{"count":${n}}`, `id_${n}`)) },
        "Done."
      ])
      const settings = Kit.settings({ maxTurns: 1 })
      const fiber = yield* Effect.fork(play(model, Kit.rollout({ settings, world })))
      yield* TestClock.adjust("3 seconds")
      const trajectory = yield* Fiber.join(fiber)
      expect(world.reached.map((asked) => asked.arguments)).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }])
      expect(calls(trajectory).map((step) => [step.call_id, step.result])).toEqual([
        ["id_1", { n: 1, asked: { count: 1 } }],
        ["id_2", { n: 2, asked: { count: 2 } }],
        ["id_3", { n: 3, asked: { count: 3 } }]
      ])
      const sent = model.requests()[1]?.messages.filter((message) => message.role === "tool")
      expect(sent?.map((message) => message.callId)).toEqual(["id_1", "id_2", "id_3"])
    })
  )

  it.effect("answers calls of which some are answered on the spot, some later and some not at all", () =>
    Effect.gen(function* () {
      const count = 150
      let running = 0
      let most = 0
      const later = (n: number) =>
        Effect.suspend(() => {
          most = Math.max(most, (running += 1))
          return Effect.delay(Effect.succeed(Kit.ok({ n })), "1 seconds")
        }).pipe(Effect.ensuring(Effect.sync(() => (running -= 1))))
      const world: World.Session = {
        ...Kit.fakeWorld(),
        call: ({ arguments: { count: n } }) =>
          Number(n) % 3 === 0 ? World.respond(() => Kit.ok({ n })) : later(Number(n))
      }
      const asked = Array.from({ length: count }, (_, n) =>
        call(n % 50 === 7 ? "no_such" : "quote", { count: n }, `id_${n}`)
      )
      const model = ScriptedChatModel.make([{ toolCalls: asked }, "Done."])
      const fiber = yield* Effect.fork(play(model, Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }), world })))
      yield* TestClock.adjust("3 seconds")
      const trajectory = yield* Fiber.join(fiber)
      expect(calls(trajectory).map((step) => step.call_id)).toEqual(asked.map(({ id }) => id))
      for (const [n, { result }] of calls(trajectory).entries()) {
        expect(JSON.stringify(result)).toContain(n % 50 === 7 ? "There is no tool" : `{"n":${n}}`)
      }
      const sent = model.requests()[1]?.messages.filter((message) => message.role === "tool")
      expect(sent?.map((message) => message.callId)).toEqual(asked.map(({ id }) => id))
      expect(most).toBe(64)
    })
  )

  it.effect("runs a tool without required fields with an empty object when there are no arguments", () =>
    Effect.gen(function* () {
      for (const args of ["", "  ", null, undefined, "null", "{}", {}]) {
        const world = Kit.fakeWorld()
        const settings = Kit.settings({ maxTurns: 1 })
        const trajectory = yield* play(
          [{ toolCalls: [call("list_stores", args)] }, "Done."],
          Kit.rollout({ world, settings })
        )
        expect(world.reached).toEqual([{ tool: "list_stores", arguments: {} }])
        expect(trajectory.malformedToolCalls).toBe(0)
      }
    })
  )

  it.effect("gets an error that says what was wrong, siblings run, and the thread stays valid", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [unknown, string]> = [
        ["", "order_id is required"],
        [null, "order_id is required"],
        ["{}", "order_id is required"],
        ['{"order_id": "A1', "not valid JSON"],
        ["[1]", "must be an object, not an array"],
        ['"A1001"', "must be an object, not the text"],
        [7, "must be an object, not the number 7"],
        ['{"order_id": 7}', "order_id must be a string"],
        ['{}{"order_id":"A1"}', "hold 2 objects"],
        [`{"order_id":${"[".repeat(200)}${"]".repeat(200)}}`, "nested too deeply"]
      ]
      for (const [args, said] of wrong) {
        const world = Kit.fakeWorld()
        const model = ScriptedChatModel.make([
          { toolCalls: [call("get_order", args, "bad"), call("list_stores", "{}", "good")] },
          "Sorry."
        ])
        const settings = Kit.settings({ maxTurns: 1 })
        const trajectory = yield* play(model, Kit.rollout({ world, settings }))
        expect(world.reached.map((asked) => asked.tool)).toEqual(["list_stores"])
        const [bad, good] = calls(trajectory)
        expect(bad).toMatchObject({ call_id: "bad", status: "error", answered_by: "harness" })
        expect(JSON.stringify(bad?.result)).toContain(said.replaceAll('"', '\\"'))
        expect(good).toMatchObject({ call_id: "good", status: "ok" })
        expect(trajectory.malformedToolCalls).toBe(1)
        expectValid(model.requests()[1]?.messages ?? [])
      }
    })
  )

  it.effect(
    "runs what it wrote or nothing: text that is not one whole object is told back, and none of it is run",
    () =>
      Effect.gen(function* () {
        const parts: ReadonlyArray<readonly [string, string]> = [
          ['{}{"size":"small"}', "hold 2 objects"],
          ['{"size":"small"}{}', "hold 2 objects"],
          ['{"size":"small"}\n{"size":"large"}\n{"size":"}\\""}', "hold 3 objects"],
          ['{"size":"small"} and then the others', "not valid JSON"],
          ['{"size":"small"}]', "not valid JSON"],
          ['null{"size":"small"}', "not valid JSON"],
          ['"{\\"size\\":\\"small\\"}"', "must be an object, not the text"]
        ]
        for (const [args, said] of parts) {
          const world = Kit.fakeWorld()
          const settings = Kit.settings({ maxTurns: 1 })
          const trajectory = yield* play(
            [{ toolCalls: [call("list_stores", args, "one")] }, "Done."],
            Kit.rollout({ world, settings })
          )
          expect(world.reached, args).toEqual([])
          expect(calls(trajectory)).toMatchObject([{ call_id: "one", arguments: args, status: "error" }])
          expect(JSON.stringify(calls(trajectory)[0]?.result)).toContain(said)
          expect(trajectory.malformedToolCalls).toBe(1)
        }
      })
  )

  it.effect("gets ids of its own where it gave none, or the same twice", () =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make([
        { toolCalls: [call("list_stores", "{}", "a"), call("list_stores", "{}", "a"), call("list_stores", "{}")] },
        { toolCalls: [call("list_stores", "{}", "a")] },
        "Done."
      ])
      const trajectory = yield* play(model)
      expect(new Set(calls(trajectory).map((step) => step.call_id)).size).toBe(4)
      expectValid(model.requests()[2]?.messages ?? [])
    })
  )

  it.effect("gets the list of tools for one that nobody declared", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const settings = Kit.settings({ maxTurns: 1 })
      const trajectory = yield* play(
        [{ toolCalls: [call("constructor", "{}"), call("no such/tool", "{}"), call("", "{}")] }, "Done."],
        Kit.rollout({ world, settings })
      )
      expect(world.reached).toEqual([])
      expect(trajectory.malformedToolCalls).toBe(3)
      for (const step of calls(trajectory)) expect(JSON.stringify(step.result)).toContain("get_order, cancel_order")
      expect(calls(trajectory)[2]?.result).toMatchObject({ error: expect.stringContaining("The call names no tool") })
    })
  )

  it.effect("has the answers to calls beside one of which the world dies", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld((_asked, n) => (n === 1 ? Effect.dieMessage("boom") : Effect.succeed(Kit.ok("fine"))))
      const settings = Kit.settings({ maxTurns: 1 })
      const trajectory = yield* play(
        [{ toolCalls: [call("list_stores", "{}"), call("list_stores", "{}")] }, "Done."],
        Kit.rollout({ world, settings })
      )
      expect(calls(trajectory).map((step) => [step.status, step.result])).toEqual([
        ["error", { status: "error", error: "The world is broken and answers nothing more." }],
        ["ok", "fine"]
      ])
    })
  )

  it.effect("keeps thinking apart from speech, also where it is written into the text", () =>
    Effect.gen(function* () {
      const seen: Array<UserSimulator.Turn> = []
      const user = UserSimulator.layer({
        identity: { name: "u" },
        react: (turn) => Effect.sync(() => (seen.push(turn), { _tag: "Says", text: "Go on.", last: false }))
      })
      const trajectory = yield* play(
        [
          { text: "<think>They want a date.</think>Which one?", reasoning: "Ask." },
          "secret plan</think>It ships on Friday."
        ],
        Kit.rollout({ settings: Kit.settings({ maxTurns: 2, patience: "endless" }) })
      ).pipe(Effect.provide(user))
      expect(trajectory.finalText).toBe("It ships on Friday.")
      expect(trajectory.steps).toMatchObject([
        {},
        { text: "Which one?", reasoning: "Ask.\n\nThey want a date." },
        {},
        { text: "It ships on Friday.", reasoning: "secret plan" }
      ])
      expect(JSON.stringify(seen)).not.toContain("They want a date")
    })
  )

  it.effect("is a row when the length cap cut it, even to nothing", () =>
    Effect.gen(function* () {
      const settings = Kit.settings({ patience: "endless" })
      const cut = yield* play([{ text: "<think>so much", finishReason: "length" }], Kit.rollout({ settings }))
      expect(cut).toMatchObject({ finalText: "", finishReason: "length", endedBy: "agent_done" })
      expect(cut.steps[1]).toMatchObject({ text: "", reasoning: "so much", truncated: true })
    })
  )

  it.effect("is lost when empty, filtered, out of context or written as markup, with the steps so far", () =>
    Effect.gen(function* () {
      const fail = (reason: ModelFailed["reason"]) => new ModelFailed({ reason, model: "m", detail: "no" })
      const cases: ReadonlyArray<readonly [ScriptedChatModel.Reply, string]> = [
        ["", "empty_reply"],
        [{ text: "", finishReason: "content_filter" }, "content_filter"],
        [fail("context"), "context_overflow"],
        [fail("content_filter"), "content_filter"],
        [fail("auth"), "auth"],
        [fail("quota"), "quota"],
        [fail("unavailable"), "agent_error"],
        ['<tool_call>{"name": "get_order", broken}</tool_call>', "tool_markup"]
      ]
      for (const [reply, reason] of cases) {
        const error = yield* Effect.flip(play([{ toolCalls: [call("list_stores", "{}")] }, reply]))
        expect(error.reason).toBe(reason)
        expect(error.role).toBe("agent")
        expect(error.steps.slice(0, 2)).toMatchObject([{ user: "Where is my order A1001?" }, { tool: "list_stores" }])
      }
    })
  )

  it.effect("has calls run that it wrote as text, where they can be read", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const settings = Kit.settings({ maxTurns: 1 })
      yield* play(
        ['Looking.\n<tool_call>\n{"name": "get_order", "arguments": {"order_id": "A1"}}\n</tool_call>', "Done."],
        Kit.rollout({ world, settings })
      )
      expect(world.reached).toEqual([{ tool: "get_order", arguments: { order_id: "A1" } }])
    })
  )

  it.effect("ends by its timeout, and waiting for a rate limit is not charged", () =>
    Effect.gen(function* () {
      const settings = Kit.settings({ maxTurns: 1 }, { timeouts: { ...Kit.settings().timeouts, agent: 5 } })
      const slow = yield* Effect.fork(Effect.flip(play(() => Effect.never, Kit.rollout({ settings }))))
      const limited = yield* Effect.fork(
        play(() => Deadline.suspend(Effect.as(Effect.sleep("60 seconds"), "Done.")), Kit.rollout({ settings }))
      )
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(slow)).reason).toBe("timeout")
      yield* TestClock.adjust("55 seconds")
      expect((yield* Fiber.join(limited)).finalText).toBe("Done.")
    })
  )

  it.effect("that only ever calls tools comes to an end", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(play([{ toolCalls: [call("list_stores", "{}")] }]))
      expect(error.reason).toBe("empty_reply")
      const spoke = yield* play([{ text: "Looking.", toolCalls: [call("list_stores", "{}")] }])
      expect(spoke).toMatchObject({ finalText: "Looking.", finishReason: "tool", endedBy: "max_turns" })
    })
  )

  it.effect("records usage, logprobs and turns", () =>
    Effect.gen(function* () {
      const usage = { input: 10, cached: null, output: 2, reasoning: null }
      const trajectory = yield* play([
        { toolCalls: [call("list_stores", "{}")], usage, logprobs: { total: -1, tokens: 2 } },
        { text: "Done.", usage, logprobs: { total: -2, tokens: 3, each: [{ token: "D", logprob: -2 }] } }
      ])
      expect(trajectory).toMatchObject({
        logprob: -3,
        tokens: 5,
        usage: { agent: { input: 20, cached: null, output: 4 } }
      })
      expect(trajectory.steps[1]).toMatchObject({ tool: "list_stores", logprob: -1, n_tokens: 2, usage, turn: 0 })
      expect(trajectory.steps[2]).toMatchObject({ logprob: -2, token_logprobs: [{ token: "D", logprob: -2 }], turn: 1 })
    })
  )
})

describe("the conversation", () => {
  const talk = (
    agent: ScriptedChatModel.Script,
    user: ScriptedUser.Script,
    conversation: Parameters<typeof Kit.settings>[0] = {},
    index = 0
  ) =>
    Effect.gen(function* () {
      const model = ScriptedChatModel.make(agent)
      const settings = Kit.settings({ patience: "endless", ...conversation })
      const trajectory = yield* play(model, Kit.rollout({ settings, index }))
      return { trajectory, turns: yield* ScriptedUser.turns, requests: model.requests() }
    }).pipe(Effect.provide(ScriptedUser.layer(user)))

  const users = (trajectory: Trajectory) => trajectory.steps.flatMap((step) => ("user" in step ? [step.user] : []))

  it.effect("is exact about its turns: one means one line of each", () =>
    Effect.gen(function* () {
      for (const maxTurns of [1, 2, 5]) {
        const { trajectory } = yield* talk(
          (_request, n) => `And what else, number ${n}?`,
          (turn) => `Line ${turn.thread.length}.`,
          { maxTurns }
        )
        expect(users(trajectory)).toHaveLength(maxTurns)
        expect(trajectory.steps.filter((step) => "text" in step)).toHaveLength(maxTurns)
        expect(trajectory).toMatchObject({ endedBy: "max_turns", endedOnQuestion: true, userTurns: maxTurns })
        expect(trajectory.userModel).toBe(maxTurns === 1 ? null : "scripted")
      }
    })
  )

  it.effect("is as deep on average as was asked for", () =>
    Effect.gen(function* () {
      for (const avgTurns of [2, 4.5, 12]) {
        let total = 0
        const depths = new Set<number>()
        for (let index = 0; index < 200; index++) {
          const { trajectory } = yield* talk(
            (_request, n) => `Fact number ${n}.`,
            (turn) => `Line ${turn.thread.length}.`,
            { avgTurns },
            index
          )
          total += users(trajectory).length
          depths.add(users(trajectory).length)
        }
        expect(depths.size).toBeGreaterThan(2)
        expect(Math.abs(total / 200 - avgTurns)).toBeLessThan(avgTurns * 0.08)
      }
    })
  )

  it.effect("has the least number of lines of the person that was asked for", () =>
    Effect.gen(function* () {
      const { trajectory } = yield* talk(
        (_r, n) => `Fact ${n}.`,
        (turn) => `Line ${turn.thread.length}.`,
        {
          avgTurns: 1,
          minUserTurns: 4
        }
      )
      expect(users(trajectory).length).toBeGreaterThanOrEqual(4)
    })
  )

  it.effect("has questions and refusals answered past the length it aims at", () =>
    Effect.gen(function* () {
      const lines = ["Which order do you mean?", "I'm afraid I cannot do that.", "It is done."]
      const { trajectory, turns } = yield* talk(lines, ["A1001.", "Why not?"], { avgTurns: 1 })
      expect(users(trajectory).slice(1)).toEqual(["A1001.", "Why not?"])
      expect(turns.map((turn) => [turn.question, turn.more])).toEqual([
        [true, false],
        [false, false]
      ])
      expect(trajectory.endedBy).toBe("user_done")
    })
  )

  it.effect("ends on the agent's question when the person leaves, never at the first they can answer", () =>
    Effect.gen(function* () {
      const ends: Array<number> = []
      for (let index = 0; index < 60; index++) {
        const { trajectory } = yield* talk(
          (_r, n) => `Question number ${n}?`,
          (turn) => `Line ${turn.thread.length}.`,
          { patience: "short", maxTurns: 8 },
          index
        )
        expect(trajectory).toMatchObject({ endedBy: "user_left", endedOnQuestion: true })
        expect(trajectory.steps.at(-1)).toMatchObject({ text: trajectory.finalText })
        ends.push(users(trajectory).length)
      }
      expect(Math.min(...ends)).toBe(2)
      expect(new Set(ends).size).toBeGreaterThan(1)
    })
  )

  it.effect("may be left at the first question when it asks for what the person cannot know", () =>
    Effect.gen(function* () {
      const ended = new Set<string | undefined>()
      for (let index = 0; index < 20; index++) {
        const { trajectory } = yield* talk(
          ["What is your serial number?", "Then that is all."],
          [{ _tag: "CannotAnswer", text: "I don't know." }],
          { patience: "normal", avgTurns: 1 },
          index
        )
        ended.add(trajectory.endedBy)
        if (trajectory.endedBy === "user_left") expect(users(trajectory)).toHaveLength(1)
        else expect(users(trajectory)).toEqual(["Where is my order A1001?", "I don't know."])
      }
      expect(ended).toEqual(new Set(["user_left", "user_done"]))
    })
  )

  it.effect("gives the agent its turn after the person's last words", () =>
    Effect.gen(function* () {
      const { trajectory } = yield* talk(
        ["Shall I cancel it?", "Cancelled. Anything else?"],
        [{ _tag: "Says", text: "Yes, please.", last: true }, "And one more thing."]
      )
      expect(trajectory).toMatchObject({ finalText: "Cancelled. Anything else?", endedBy: "user_done" })
      expect(users(trajectory)).toHaveLength(2)
    })
  )

  it.effect("counts a followup that did not come, and ends", () =>
    Effect.gen(function* () {
      const missed = yield* talk(["Which one?"], [{ _tag: "Missed", repeated: false }])
      expect(missed.trajectory).toMatchObject({ followupMisses: 1, endedBy: "agent_done" })
      const looped = yield* talk(["Which one?"], [{ _tag: "Missed", repeated: true }])
      expect(looped.trajectory).toMatchObject({ followupMisses: 1, endedBy: "repeated" })
      const blank = yield* talk(["Which one?"], ["  "])
      expect(blank.trajectory.followupMisses).toBe(1)
    })
  )

  it.effect("ends when the agent goes round in circles, or both only thank each other", () =>
    Effect.gen(function* () {
      const circling = yield* talk(["Please tell me your name."], (turn) => `Ana ${turn.thread.length}.`, {
        maxTurns: 30
      })
      expect(circling.trajectory.endedBy).toBe("repeated")
      expect(users(circling.trajectory)).toHaveLength(3)
      const polite = yield* talk(
        (_r, n) => (n === 0 ? "Done, it ships on Friday." : `You're welcome${"!".repeat(n)}`),
        (turn) => `Thank you${"!".repeat(turn.thread.length)}`,
        { maxTurns: 30, avgTurns: 25 }
      )
      expect(polite.trajectory.endedBy).toBe("user_done")
      expect(users(polite.trajectory)).toHaveLength(2)
    })
  )

  it.effect("ends for good when the person's model is refused, and goes without a line when it is slow or down", () =>
    Effect.gen(function* () {
      const withUser = (react: UserSimulator.Service["react"]) =>
        play(["Which one?"], Kit.rollout({ settings: Kit.settings({ patience: "endless" }) })).pipe(
          Effect.provide(UserSimulator.layer({ identity: { name: "user-model" }, react }))
        )
      const failing = (reason: ModelFailed["reason"]) => () =>
        Effect.fail(new ModelFailed({ reason, model: "user-model", detail: "no" }))
      const refused = yield* Effect.flip(withUser(failing("quota")))
      expect(refused).toMatchObject({ role: "user", agent: "user-model", reason: "quota" })
      expect((yield* withUser(failing("unavailable"))).followupMisses).toBe(1)
      const fiber = yield* Effect.fork(withUser(() => Effect.never))
      yield* TestClock.adjust("60 seconds")
      expect((yield* Fiber.join(fiber)).followupMisses).toBe(1)
    })
  )

  it.effect("may be opened by the agent, in every thread or in a share of them", () =>
    Effect.gen(function* () {
      const { trajectory, requests } = yield* talk(["Hello, how can I help?", "It ships today."], [], {
        agentOpens: 1,
        maxTurns: 1
      })
      expect(trajectory.opener).toBe("Hello, how can I help?")
      expect(trajectory.steps[0]).toEqual({ user: "Where is my order A1001?" })
      expect(requests[1]?.messages.slice(1)).toEqual([
        { role: "assistant", content: "Hello, how can I help?" },
        { role: "user", content: "Where is my order A1001?" }
      ])
      let opened = 0
      for (let index = 0; index < 100; index++) {
        const one = yield* talk(["Hello!", "It ships."], [], { agentOpens: 0.3, maxTurns: 1 }, index)
        if (one.trajectory.opener !== undefined) opened += 1
      }
      expect(opened).toBeGreaterThan(15)
      expect(opened).toBeLessThan(45)
    })
  )

  it.effect("is the same again under the same seed", () =>
    Effect.gen(function* () {
      const once = () =>
        talk(
          (_r, n) => `Question ${n}?`,
          (turn) => `Line ${turn.thread.length}.`,
          { patience: "normal" },
          3
        )
      expect((yield* once()).trajectory).toEqual((yield* once()).trajectory)
    })
  )
})

describe("a chat agent", () => {
  it.effect("is answered by the person, and its world calls stand where it made them", () =>
    Effect.gen(function* () {
      const agent: Agent.ChatFunction = async (messages, context) => {
        if (messages.length === 1) return "Which order?"
        await context.world.call("get_order", { order_id: "A1001" })
        return { text: "It has shipped.", usage: { output: 4 }, final: true }
      }
      const rollout = Kit.rollout({ settings: Kit.settings({ patience: "endless" }, { scaffold: "Not for you." }) })
      const backend = yield* Effect.provide(AgentBackend.AgentBackend, AgentBackend.layerChat(agent, { name: "mine" }))
      const trajectory = yield* backend.play(rollout).pipe(Effect.provide(UserSimulator.layerScripted("A1001.")))
      expect(backend).toMatchObject({ kind: "chat", turns: "multi", identity: { name: "function:mine" } })
      expect(trajectory.steps).toMatchObject([
        { user: "Where is my order A1001?" },
        { text: "Which order?" },
        { user: "A1001." },
        { tool: "get_order", status: "ok" },
        { text: "It has shipped." }
      ])
      expect(trajectory).toMatchObject({ endedBy: "agent_done", sampling: null, usage: { agent: { output: 4 } } })
    })
  )

  it.effect("may leave its calls to the harness", () =>
    Effect.gen(function* () {
      const agent = Agent.chat((messages) =>
        messages.at(-1)?.role === "tool"
          ? `Found ${messages.at(-1)?.content}`
          : { toolCalls: [{ id: "c", name: "list_stores", arguments: {} }], text: "" }
      )
      const trajectory = yield* agent.play(Kit.rollout({ settings: Kit.settings({ maxTurns: 1 }) }))
      expect(trajectory.finalText).toBe('Found {"id":"A1001","status":"shipped"}')
    })
  )

  it.effect("cannot change the thread it is given, and is an agent error when it answers nonsense or throws", () =>
    Effect.gen(function* () {
      const meddling = Agent.chat((messages) => {
        ;(messages as Array<unknown>).push("x")
        return "ok"
      })
      const settings = Kit.settings({ maxTurns: 1 })
      expect((yield* Effect.flip(meddling.play(Kit.rollout({ settings })))).reason).toBe("agent_error")
      const odd = Agent.chat((() => ({ answer: 1 })) as unknown as Agent.ChatFunction)
      const error = yield* Effect.flip(odd.play(Kit.rollout({ settings })))
      expect(error.message).toContain("an object with the keys answer")
    })
  )
})
