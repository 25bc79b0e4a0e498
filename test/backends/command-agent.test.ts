import { describe, expect, it } from "@effect/vitest"
import * as CommandAgent from "@sandtable/backends/CommandAgent"
import type * as AgentBackend from "@sandtable/core/AgentBackend"
import * as FaultedWorld from "../../packages/core/src/world/FaultedWorld.ts"
import { ScriptedUser } from "@sandtable/core/testing"
import { Effect, Fiber, Layer } from "effect"
import { execFile } from "node:child_process"
import process from "node:process"
import * as LineProcess from "../../packages/backends/src/internal/lineProcess.ts"
import * as Kit from "../core/rollout/kit.ts"
import { Fork } from "@sandtable/core/Explain"
import type * as Row from "@sandtable/core/Row"
import * as Simulation from "@sandtable/core/Simulation"
import { gone, runs, speaking } from "./program.ts"

const oneTurn = Kit.settings({ maxTurns: 1 })

const play = (
  body: string,
  given: Parameters<typeof Kit.rollout>[0] = {},
  options: Partial<CommandAgent.Options> = {}
) =>
  Effect.flatMap(Effect.orDie(CommandAgent.make({ command: speaking(body), ...options })), (agent) =>
    agent.play(Kit.rollout({ settings: oneTurn, ...given }))
  ).pipe(Effect.scoped)

const lost = (body: string, given?: Parameters<typeof Kit.rollout>[0]) => Effect.flip(play(body, given))

const callSteps = (trajectory: AgentBackend.Trajectory) =>
  trajectory.steps.flatMap((step) => ("tool" in step ? [step] : []))

/** Calls a tool with its process ids, and is not heard of again. */
const stubborn = `
  const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])
  process.on("SIGTERM", () => {})
  await said()
  say({ type: "call", id: 1, tool: "quote", arguments: { count: process.pid, tags: [String(child.pid)] } })
  setInterval(() => {}, 1000)
`

const pidsOf = (world: Kit.FakeWorld): ReadonlyArray<number> =>
  world.reached.flatMap(({ arguments: { count, tags } }) => [Number(count), Number((tags as ReadonlyArray<string>)[0])])

describe("a command agent", () => {
  it.live("is told what a rollout is, calls tools and ends with its last line", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const trajectory = yield* play(
        `const start = await said()
         say({ type: "call", id: "a", tool: "get_order", arguments: { order_id: "A1001" }, text: "Let me look." })
         const answer = await said()
         say({ type: "final", text: Buffer.from(JSON.stringify({ start, answer })).toString("hex"), usage: { input: 5 } })`,
        { world, index: 3 }
      )
      const { answer, start } = JSON.parse(Buffer.from(trajectory.finalText, "hex").toString())
      expect(start).toMatchObject({
        type: "start",
        prompt: "Where is my order A1001?",
        system_prompt: "Help with orders.",
        rollout: { id: "roll_3", task_id: "task_1", rollout_index: 3, eval_run: 0, seed: 7 }
      })
      expect(start.tools[0]).toEqual({
        name: "get_order",
        description: "get_order.",
        parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] }
      })
      expect(answer).toEqual({ type: "result", id: "a", result: { id: "A1001", status: "shipped" } })
      expect(trajectory).toMatchObject({ endedBy: "agent_done", usage: { agent: { input: 5, output: null } } })
      expect(trajectory.steps).toMatchObject([
        { user: "Where is my order A1001?" },
        { text: "Let me look." },
        { tool: "get_order", call_id: "a", status: "ok", answered_by: "mock" },
        { text: trajectory.finalText }
      ])
    })
  )

  it.live("talks with the person, who answers what it says", () =>
    Effect.gen(function* () {
      const trajectory = yield* play(
        `await said()
         say({ type: "say", text: "Which one do you mean?" })
         const user = await said()
         say({ type: "final", text: "So: " + user.text })`,
        { settings: Kit.settings({ patience: "endless", maxTurns: 6 }) }
      ).pipe(Effect.provide(ScriptedUser.layer(["The blue one."])))
      expect(trajectory.finalText).toBe("So: The blue one.")
      expect(trajectory.userTurns).toBe(2)
    })
  )

  it.live("meets planned faults, and the world only where they let it through", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const faults = [{ tool: "get_order", mode: "timeout", nth: [1] } as const]
      const trajectory = yield* play(
        `await said()
         const ask = { type: "call", id: "1", tool: "get_order", arguments: { order_id: "A1001" } }
         say(ask); const first = await said()
         say(ask); const second = await said()
         say({ type: "final", text: first.result.status + ", " + second.result.status })`,
        { world: FaultedWorld.wrap(world, { faults }, { realDelays: false }) }
      )
      expect(trajectory.finalText).toBe("timeout, shipped")
      expect(world.reached).toHaveLength(1)
      expect(callSteps(trajectory).map(({ answered_by, fault }) => [answered_by, fault])).toEqual([
        ["fault", "timeout"],
        ["mock", undefined]
      ])
    })
  )

  it.live("makes calls that come together at once, and hears each under its own id", () =>
    Effect.gen(function* () {
      let under = 0
      let most = 0
      const world = Kit.fakeWorld(({ arguments: args }) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (most = Math.max(most, (under += 1)))),
          () => Effect.as(Effect.yieldNow(), Kit.ok(args)),
          () => Effect.sync(() => (under -= 1))
        )
      )
      const trajectory = yield* play(
        `await said()
         const one = (n) => ({ id: n, tool: "quote", arguments: { count: n } })
         say({ type: "calls", calls: [one(1), one(2), one(3)] })
         const heard = [await said(), await said(), await said()]
         say({ type: "final", text: JSON.stringify(heard.map(({ id, result }) => [id, result.count])) })`,
        { world }
      )
      expect(JSON.parse(trajectory.finalText)).toEqual([
        [1, 1],
        [2, 2],
        [3, 3]
      ])
      expect(most).toBe(3)
    })
  )

  it.live("gets an answer to every odd call, and the world none of them", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const trajectory = yield* play(
        `await said()
         const odd = [["get_order", "{broken"], ["get_order", undefined], ["get_order", [1]], ["constructor", {}],
           ["get_order", { order_id: 7 }], ["list_stores", ""]]
         const heard = []
         for (const [tool, args] of odd) {
           say({ type: "call", id: "same", tool, arguments: args })
           heard.push((await said()).result.error ?? "answered")
         }
         say({ type: "final", text: JSON.stringify(heard) })`,
        { world }
      )
      expect(JSON.parse(trajectory.finalText)).toEqual([
        expect.stringContaining("not valid JSON"),
        expect.stringContaining("order_id"),
        expect.stringContaining("must be an object"),
        expect.stringContaining('There is no tool "constructor"'),
        expect.stringContaining("order_id"),
        "answered"
      ])
      expect(world.reached).toEqual([{ tool: "list_stores", arguments: {} }])
      expect(trajectory.malformedToolCalls).toBe(5)
    })
  )

  it.live("reads lines however they arrive", () =>
    Effect.gen(function* () {
      const trajectory = yield* play(
        `await said()
         const bytes = Buffer.from("\\n\\r\\n" + JSON.stringify({ type: "final", text: "Größe 🙂" }) + "\\r\\n")
         for (const byte of bytes) { process.stdout.write(Buffer.from([byte])); await new Promise(setImmediate) }`
      )
      expect(trajectory.finalText).toBe("Größe 🙂")
    })
  )
})

describe("a command agent that goes wrong is a lost rollout", () => {
  it.live.each([
    ["what is no JSON", `say("Loading the model...\\n")`, "it wrote a line that is no JSON: Loading the model..."],
    ["a type of its own", `say({ type: "answer" })`, "not call, calls, say, final or error"],
    ["a call without a tool", `say({ type: "call", id: 1 })`, "a call without `tool`"],
    ["a line without text", `say({ type: "say" })`, "a `say` without `text`"],
    ["that it gives up", `say({ type: "error", message: "no credit left" })`, "gave up: no credit left"]
  ] as const)("when it writes %s", ([, body, detail]) =>
    Effect.gen(function* () {
      const failure = yield* lost(`await said(); ${body}; await said()`)
      expect(failure.reason).toBe("agent_error")
      expect(failure.detail).toContain(detail.replace("it wrote", "the program wrote"))
      expect(failure.steps).toEqual([{ user: "Where is my order A1001?" }])
    })
  )

  it.live("when it crashes mid-rollout, with its exit status, its last words and what it did", () =>
    Effect.gen(function* () {
      const failure = yield* lost(
        `await said()
         say({ type: "call", id: "1", tool: "list_stores", arguments: {} })
         await said()
         process.stderr.write("x".repeat(100000) + "KeyError: 'order'", () => process.exit(3))`
      )
      expect(failure.reason).toBe("agent_error")
      expect(failure.detail).toMatch(/the program ended with exit status 3 .*KeyError: 'order'/)
      expect(failure.detail.length).toBeLessThan(700)
      expect(failure.steps).toMatchObject([{}, { tool: "list_stores", status: "ok" }])
    })
  )

  it.live("when it is killed", () =>
    Effect.gen(function* () {
      const failure = yield* lost(`await said(); process.kill(process.pid, "SIGKILL")`)
      expect(failure.detail).toContain("was killed by SIGKILL")
    })
  )

  it.live("when a program it started holds its output open", () =>
    Effect.gen(function* () {
      const failure = yield* lost(
        `require("node:child_process").spawn("sleep", ["1000"], { stdio: ["ignore", "inherit", "inherit"] })
         await said(); process.exit(4)`
      )
      expect(failure.detail).toContain("exit status 4")
    })
  )

  it.live("when it writes without end", () =>
    Effect.gen(function* () {
      const failure = yield* lost(`await said(); for (;;) if (!process.stdout.write("x".repeat(65536)))
        await new Promise((go) => process.stdout.once("drain", go))`)
      expect(failure.detail).toContain("wrote a line of more than 8000000 characters")
    })
  )

  it.live("when it does not answer in time: it and all it started are gone", () =>
    Effect.gen(function* () {
      const world = Kit.fakeWorld()
      const settings = { ...oneTurn, timeouts: { ...oneTurn.timeouts, agent: 1 } }
      const failure = yield* lost(stubborn, { world, settings })
      expect(failure.reason).toBe("timeout")
      const pids = pidsOf(world)
      expect(pids).toHaveLength(2)
      yield* Effect.forEach(pids, gone)
    })
  )
})

describe("no process outlives its rollout", () => {
  it.live("that is interrupted", () =>
    Effect.gen(function* () {
      const called = yield* Effect.makeLatch()
      const world = Kit.fakeWorld(() => Effect.as(called.open, Kit.ok("fine")))
      const fiber = yield* Effect.fork(play(stubborn, { world }))
      yield* called.await
      yield* Fiber.interrupt(fiber)
      yield* Effect.forEach(pidsOf(world), gone)
    })
  )

  it.live("that ends well: it may finish by itself, and what it leaves behind is stopped", () =>
    Effect.gen(function* () {
      const trajectory = yield* play(
        `const child = require("node:child_process").spawn("sleep", ["1000"], { stdio: "ignore" })
         await said(); say({ type: "final", text: String(child.pid) }); await said()`
      )
      expect(Number(trajectory.finalText)).toBeGreaterThan(0)
      yield* gone(Number(trajectory.finalText))
    })
  )

  it.live("that ends well while it does not stop", () =>
    Effect.gen(function* () {
      const trajectory = yield* play(
        `process.stdin.resume(); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)
         await said(); say({ type: "final", text: String(process.pid) })`,
        {},
        { grace: 0.1 }
      )
      expect(runs(Number(trajectory.finalText))).toBe(false)
    })
  )
})

describe("no process outlives this one", () => {
  it.live("when it ends in the middle of a rollout", () =>
    Effect.gen(function* () {
      const script = `
        import * as CommandAgent from "@sandtable/backends/CommandAgent"
        import { simulate } from "@sandtable/core/node"
        await simulate({
          agent: CommandAgent.layer({ command: ${JSON.stringify(speaking(stubborn))} }),
          tools: [{ name: "quote", description: "Quote", parameters: {} }],
          execute: (_tool, { count, tags }) => {
            process.stdout.write(count + " " + tags, () => process.exit(0))
            return new Promise(() => undefined)
          },
          simulator: false,
          concurrency: 1,
          budget: 1,
          faultRate: 0
        })`
      const printed = yield* Effect.async<string>((done) => {
        const args = ["--conditions=@sandtable/source", "--import", "tsx", "--input-type=module", "-e", script]
        execFile(process.execPath, args, (_error, out) => done(Effect.succeed(out)))
      })
      const pids = printed.split(" ").map(Number)
      expect(pids).toEqual([expect.any(Number), expect.any(Number)])
      yield* Effect.forEach(pids, gone)
    })
  )
})

describe("several rollouts", () => {
  const echo = `for (;;) {
    const start = await said()
    if (start.type === "end") { say({ type: "ready" }); continue }
    if (start.type !== "start") continue
    say({ type: "call", id: 1, tool: "quote", arguments: { count: start.rollout.rollout_index } })
    const { result } = await said()
    say({ type: "final", text: start.rollout.rollout_index + ":" + result.count + ":" + process.pid })
  }`
  const played = (options: Partial<CommandAgent.Options>, concurrency: number) =>
    Effect.gen(function* () {
      const agent = yield* CommandAgent.make({ command: speaking(echo), ...options })
      const world = Kit.fakeWorld(({ arguments: args }) => Effect.as(Effect.yieldNow(), Kit.ok(args)))
      const one = (index: number) =>
        Effect.map(agent.play(Kit.rollout({ settings: oneTurn, index, world })), ({ finalText }) => finalText)
      const texts = yield* Effect.forEach([0, 1, 2, 3, 4, 5], one, { concurrency })
      const pids = texts.map((text) => Number(text.split(":")[2]))
      return { told: texts.map((text) => text.split(":").slice(0, 2).join(":")), pids }
    })

  it.live("at once are never mixed up, each with a process of its own", () =>
    Effect.gen(function* () {
      const { pids, told } = yield* Effect.scoped(played({}, 3))
      expect(told).toEqual(["0:0", "1:1", "2:2", "3:3", "4:4", "5:5"])
      expect(new Set(pids).size).toBe(6)
      expect(pids.filter(runs)).toEqual([])
    })
  )

  it.live("share processes that may be used again, until the agent is done with", () =>
    Effect.gen(function* () {
      const { pids, told } = yield* Effect.scoped(
        Effect.tap(played({ reuse: true }, 2), ({ pids }) => {
          expect(pids.every(runs)).toBe(true)
        })
      )
      expect(told).toEqual(["0:0", "1:1", "2:2", "3:3", "4:4", "5:5"])
      expect(new Set(pids).size).toBe(2)
      expect(pids.filter(runs)).toEqual([])
    })
  )

  it.live("take a new process where the last one went wrong, or does not say that it is ready", () =>
    Effect.gen(function* () {
      const command = speaking(
        `const start = await said()
         if (start.rollout.rollout_index === 0) process.exit(1)
         say({ type: "final", text: String(process.pid) }); for (;;) await said()`
      )
      const agent = yield* CommandAgent.make({ command, reuse: true, grace: 0.1 })
      const one = (index: number) => agent.play(Kit.rollout({ settings: oneTurn, index }))
      expect((yield* Effect.flip(one(0))).detail).toContain("exit status 1")
      const first = yield* one(1)
      const second = yield* one(2)
      expect(second.finalText).not.toBe(first.finalText)
      expect(runs(Number(first.finalText))).toBe(false)
    }).pipe(Effect.scoped)
  )
})

describe("a command that can never be started is refused before anything runs", () => {
  it.effect.each([
    [["pyhton-of-nobody", "agent.py"], {}, 'there is no program "pyhton-of-nobody" on the PATH'],
    [["./no-such-agent.sh"], {}, "there is no file"],
    [["./package.json"], {}, "is not executable"],
    [[process.execPath], { cwd: "/no/such/folder" }, "does not exist"],
    [[], {}, "there is no program in it"],
    [[process.execPath], { grace: -1 }, "grace"]
  ] as const)("%j", ([command, options, problem]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(CommandAgent.make({ command, ...options }))
      expect(refused._tag).toBe("CommandRefused")
      expect(refused.message).toContain(problem)
    }).pipe(Effect.scoped)
  )

  it.effect("and none of its arguments are shown", () =>
    Effect.gen(function* () {
      const agent = yield* CommandAgent.make({ command: [process.execPath, "agent.mjs", "--api-key", "abc"] })
      expect(agent.identity.name).toBe("command:node agent.mjs")
      expect(JSON.stringify(agent.identity)).not.toContain("abc")
    }).pipe(Effect.scoped)
  )

  it.effect("as a layer", () =>
    Effect.gen(function* () {
      const layer = CommandAgent.layer({ command: ["pyhton-of-nobody"] })
      expect((yield* Effect.flip(Layer.build(layer)))._tag).toBe("CommandRefused")
    }).pipe(Effect.scoped)
  )
})

describe("a busy process", () => {
  it.live("reads what programs said last before they are known to have ended", () =>
    Effect.gen(function* () {
      // told of each program's end before its output is read, and then kept from reading for longer than the wait for it
      const busy = (): void => {
        const until = performance.now() + 600
        while (performance.now() < until);
      }
      process.on("SIGCHLD", busy)
      const said = Effect.scoped(
        Effect.flatMap(
          LineProcess.open(process.execPath, {
            command: [process.execPath, "-e", "process.stdout.write('final\\n')"]
          }),
          ({ next }) => next
        )
      )
      const lines = yield* Effect.all(
        Array.from({ length: 8 }, () => said),
        { concurrency: 8 }
      ).pipe(Effect.ensuring(Effect.sync(() => process.off("SIGCHLD", busy))))
      expect(lines).toEqual(Array.from({ length: 8 }, () => "final"))
    })
  )
})

describe("a fork", () => {
  it.live("of a command's rollout gives the rest again from every step, and answers a call otherwise", () =>
    Effect.gen(function* () {
      const agent = yield* CommandAgent.make({
        command: speaking(`
          const { prompt } = await said()
          const order_id = /A\\d{4}/.exec(prompt)?.[0]
          let asked = order_id
          if (asked === undefined) {
            say({ type: "say", text: "Which order is it?" })
            asked = /A\\d{4}/.exec((await said()).text)?.[0] ?? "A1001"
          }
          say({ type: "call", id: "a", tool: "get_order", arguments: { order_id: asked } })
          const { result } = await said()
          say({ type: "final", text: "It is " + JSON.stringify(result) })`)
      })
      const run = {
        agent,
        tools: [Kit.tool("get_order")],
        ids: { order_id: ["A1001", "A1002"] },
        simulator: false,
        grade: true,
        seed: 3
      } as const satisfies Simulation.InMemory
      const { rows } = yield* Simulation.simulate({ ...run, budget: 8 })
      const fork = yield* Fork.of(rows, run)
      const rest = ({ arm: _a, lineage: _l, rollout_index: _i, row_id: _r, timings: _t, ...row }: Row.Row) => row
      let spoken = 0
      for (const row of rows) {
        for (const [at, step] of row.steps.entries()) {
          const again = yield* fork(row, { at })
          expect(again.lost).toEqual([])
          expect(again.rows.map(rest)).toEqual([rest(row)])
          if ("user" in step && at > 0) spoken += 1
          if (!("tool" in step) || step.fault !== undefined) continue
          const other = yield* fork(row, { at, change: { reply: { weather: "fine" } } })
          expect(other.rows[0]?.steps.slice(0, at)).toEqual(row.steps.slice(0, at))
          expect(other.rows[0]?.final_text).toContain("fine")
        }
      }
      expect(spoken).toBeGreaterThan(0)
    }).pipe(Effect.scoped)
  )
})
