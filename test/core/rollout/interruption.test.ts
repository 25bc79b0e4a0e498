import { describe, expect, it } from "@effect/vitest"
import * as Agent from "@sandtable/core/Agent"
import * as Conversation from "@sandtable/core/Conversation"
import * as Randomness from "@sandtable/core/Randomness"
import * as UserSimulator from "@sandtable/core/UserSimulator"
import { ScriptedChatModel } from "@sandtable/core/testing"
import { Effect, Fiber } from "effect"
import * as Kit from "./kit.ts"

/** Lets everything that is ready have its turn. */
const turn = Effect.async<void>((done) => void setImmediate(() => done(Effect.void)))

describe("a rollout interrupted anywhere", () => {
  it.effect("gives back every permit, leaves nothing running, and has its record", () =>
    Effect.gen(function* () {
      const permits = yield* Effect.makeSemaphore(3)
      let running = 0
      const slow = <A>(value: A, turns: number): Effect.Effect<A> =>
        permits.withPermits(1)(
          Effect.acquireUseRelease(
            Effect.sync(() => (running += 1)),
            () => Effect.as(Effect.repeatN(turn, turns), value),
            () => Effect.sync(() => (running -= 1))
          )
        )
      const draws = Randomness.make(5).stream(["interruption"])
      const world = Kit.fakeWorld(() => slow(Kit.ok("fine"), draws.int(3)))
      const user = UserSimulator.layer({
        identity: { name: "u" },
        react: (asked) =>
          slow({ _tag: "Says" as const, text: `Line ${asked.thread.length}.`, last: false }, draws.int(3))
      })
      const model = ScriptedChatModel.make((_request, n) =>
        slow(
          n % 2 === 0
            ? { toolCalls: [1, 2].map(() => ({ id: "", name: "list_stores", arguments: "{}" })) }
            : `Fact ${n}.`,
          draws.int(3)
        )
      )
      const fn = Agent.fromFunction(async (_message, context) => {
        for (let i = 0; i < 4; i++) {
          await Promise.all([context.world.call("list_stores"), context.world.call("list_stores")])
        }
        return "Done."
      })
      for (let i = 0; i < 120; i++) {
        const settings = Kit.settings({ patience: "endless", maxTurns: 4 })
        const rollout = Kit.rollout({ settings, world, index: i })
        const agent = i % 2 === 0 ? fn : Conversation.fromModel(model)
        const fiber = yield* Effect.fork(agent.play(rollout).pipe(Effect.provide(user)))
        yield* Effect.repeatN(turn, draws.int(20))
        yield* Fiber.interrupt(fiber)
        expect(running).toBe(0)
        const before = world.reached.length
        yield* turn
        expect(world.reached.length).toBe(before)
        expect(rollout.recorder.steps()[0]).toEqual({ user: "Where is my order A1001?" })
      }
      yield* permits.withPermits(3)(Effect.void)
    })
  )
})
