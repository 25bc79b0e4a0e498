import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as CurrentRollout from "@sandtable/core/CurrentRollout"
import * as ExactJson from "@sandtable/core/ExactJson"
import * as ExecuteWorld from "@sandtable/core/ExecuteWorld"
import type { Tool } from "@sandtable/core/Tool"
import type { Session } from "@sandtable/core/World"
import { input, key, task } from "./worlds.ts"

const open = (execute: ExecuteWorld.Execute) =>
  ExecuteWorld.kind(execute)
    .make(input())
    .open(task({ prompt: "Hi there" }), key)
const call = (session: Session, tool = "get_order_details", args: Record<string, unknown> = { order_id: "#W1" }) =>
  session.call({ tool, arguments: args })
const answerOf = (execute: ExecuteWorld.Execute) =>
  Effect.scoped(Effect.flatMap(open(execute), (session) => call(session)))

describe("arguments of more digits than a number has", () => {
  const long = "1152921504606846977"
  const decimal = "0.12345678901234567891"
  const tools: ReadonlyArray<Tool> = [
    {
      name: "get_order",
      description: "Looks an order up",
      kind: "read",
      destructive: false,
      parameters: {
        type: "object",
        properties: {
          whole: { type: "integer" },
          near: { type: ["integer", "string"] },
          text: { type: "string" },
          share: { type: "number" },
          any: {},
          list: { type: "array", items: { anyOf: [{ type: "object", properties: { id: { type: "string" } } }] } }
        }
      }
    }
  ]
  const given = (json: string, exactNumbers: boolean) =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const execute = { open: () => null, call: (_: never, __: never, args: never) => seen.push(args), exactNumbers }
      const session = yield* ExecuteWorld.kind(execute).make(input({ tools })).open(task(), key)
      const args = ExactJson.parse(json) as Readonly<Record<string, unknown>>
      return { answer: yield* session.call({ tool: "get_order", arguments: args }), seen, session }
    })

  it.scoped("come as bigints, or as text where the tool takes text", () =>
    Effect.gen(function* () {
      const json = `{"whole":${long},"near":${long},"text":${long},"any":[${long},${decimal}],"list":[{"id":${long}}],"small":7}`
      const { answer, seen } = yield* given(json, false)
      expect(answer.status).toBe("ok")
      const whole = BigInt(long)
      expect(seen).toEqual([{ whole, near: whole, text: long, any: [whole, decimal], list: [{ id: long }], small: 7 }])
    })
  )

  it.scoped("are an error of the call where neither has their digits", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* given(`{"share":${decimal}}`, false)
      expect(answer).toMatchObject({
        status: "error",
        result: { reason: expect.stringContaining(`share has more digits (${decimal})`) }
      })
      expect(seen).toEqual([])
    })
  )

  it.scoped("come as they are to a world that writes JSON", () =>
    Effect.gen(function* () {
      const json = `{"share":${decimal},"whole":${long}}`
      const { seen } = yield* given(json, true)
      expect(ExactJson.stringify(seen)).toBe(`[${json}]`)
    })
  )
})

describe("ExecuteWorld", () => {
  it.effect("uses an object as it is, from a value, a Promise or an Effect", () =>
    Effect.gen(function* () {
      for (const execute of [() => ({ total: 5 }), async () => ({ total: 5 }), () => Effect.succeed({ total: 5 })]) {
        expect(yield* answerOf(execute)).toEqual({
          result: { total: 5 },
          status: "ok",
          answeredBy: "execute",
          elapsedMs: 0
        })
      }
    })
  )

  it.effect("wraps every other value", () =>
    Effect.gen(function* () {
      for (const [value, form] of [
        ["done", "done"],
        [5, 5],
        [undefined, null],
        [null, null],
        [
          [1, 2],
          [1, 2]
        ],
        [10n, 10],
        [true, true]
      ] as const) {
        expect((yield* answerOf(() => value)).result).toEqual({ status: "ok", result: form })
      }
    })
  )

  it.effect("turns a throw, a rejection and a failure into an error of that call alone", () =>
    Effect.gen(function* () {
      const bad: ReadonlyArray<ExecuteWorld.ExecuteFunction> = [
        () => {
          throw new Error("no such table")
        },
        () => Promise.reject(new Error("no such table")),
        () => Effect.fail(new Error("no such table")),
        () => Effect.fail("no such table")
      ]
      for (const execute of bad) {
        expect(yield* answerOf(execute)).toMatchObject({
          status: "error",
          result: { status: "error", reason: "no such table" }
        })
      }
      const session = yield* Effect.scoped(
        open((tool) => (tool === "calculate" ? Promise.reject(new Error("down")) : { tool }))
      )
      const [failed, fine] = yield* Effect.all([call(session, "calculate"), call(session)], {
        concurrency: "unbounded"
      })
      expect([failed.status, fine.status]).toEqual(["error", "ok"])
      expect((yield* answerOf(() => Effect.interrupt)).status).toBe("error")
    })
  )

  it.effect.each([
    [new Response('{"id":1}'), "a Response"],
    [Promise.resolve(new Response("")), "a Response"],
    [new Response("").body, "a ReadableStream"],
    [
      (async function* () {
        yield 1
      })(),
      "an AsyncGenerator"
    ],
    [(): number => 1, "a function"],
    [Symbol("x"), "a symbol"],
    [{ json: (): object => ({}), text: (): string => "" }, "an object of functions"]
  ] as const)("says that JSON can say nothing of %s: %s", ([value, name]) =>
    Effect.gen(function* () {
      const answer = yield* answerOf(() => value)
      expect(answer.status).toBe("error")
      expect(answer.result).toMatchObject({
        status: "error",
        reason: expect.stringContaining(`gave back ${name}, which has no JSON form`)
      })
    })
  )

  it.effect("dies of what an Effect of its own dies of: that is a bug, and nothing an agent should read", () =>
    Effect.gen(function* () {
      const bug = new TypeError("orders is undefined")
      const exit = yield* Effect.exit(answerOf(() => Effect.die(bug)))
      expect(exit).toEqual(Exit.die(bug))
      const opening = yield* Effect.flip(Effect.scoped(open({ open: () => Effect.die(bug), call: () => 1 })))
      expect(opening.message).toContain("orders is undefined")
      const left = Effect.scoped(open({ open: () => 1, call: () => 1, close: () => Effect.die(bug) }))
      expect(Exit.isSuccess(yield* Effect.exit(left))).toBe(true)
    })
  )

  it.effect("reads a failure from a closed list of words", () =>
    Effect.gen(function* () {
      expect((yield* answerOf(() => ({ status: "not_found", error: "no order" }))).status).toBe("not_found")
      expect((yield* answerOf(() => ({ status: "open", id: 5 }))).status).toBe("ok")
    })
  )

  it.effect("tells which rollout asks", () =>
    Effect.gen(function* () {
      const info = {
        id: "roll_1",
        prompt: "Hi",
        taskId: "task_1",
        rolloutIndex: 3,
        seed: 5,
        rolloutSeed: 9,
        evalRun: 2
      }
      const session = open((tool, args, { signal, ...rollout }) => ({ tool, args, rollout, aborted: signal.aborted }))
      const answer = yield* Effect.scoped(Effect.flatMap(session, call)).pipe(
        Effect.provideService(CurrentRollout.CurrentRollout, Option.some(info))
      )
      expect(answer.result).toEqual({
        tool: "get_order_details",
        args: { order_id: "#W1" },
        rollout: info,
        aborted: false
      })
      const inside = yield* answerOf(() => CurrentRollout.get).pipe(
        Effect.provideService(CurrentRollout.CurrentRollout, Option.some(info))
      )
      expect(inside.result).toEqual(info)
      const alone = yield* answerOf((_tool, _args, { prompt, taskId, evalRun }) => ({ prompt, taskId, evalRun }))
      expect(alone.result).toEqual({ prompt: "Hi there", taskId: "task_1", evalRun: 0 })
    })
  )

  it.effect("ends a Promise that never settles, and an Effect that cannot be interrupted, when the time is up", () =>
    Effect.gen(function* () {
      let aborted = 0
      const hang: ReadonlyArray<ExecuteWorld.ExecuteFunction> = [
        (_tool, _args, { signal }) => new Promise(() => signal.addEventListener("abort", () => (aborted += 1))),
        (_tool, _args, { signal }) => {
          signal.addEventListener("abort", () => (aborted += 1))
          return Effect.never
        },
        () => Effect.uninterruptible(Effect.never)
      ]
      for (const execute of hang) {
        const fiber = yield* Effect.fork(answerOf(execute))
        yield* TestClock.adjust("59 seconds")
        expect(Option.isNone(yield* Fiber.poll(fiber))).toBe(true)
        yield* TestClock.adjust("1 seconds")
        const answer = yield* Fiber.join(fiber)
        expect(answer).toMatchObject({ status: "timeout", answeredBy: "execute", elapsedMs: 60_000 })
        expect(answer.result).toEqual({ status: "timeout", error: "get_order_details did not answer within 60 s" })
      }
      expect(aborted).toBe(2)
    })
  )

  it.effect("aborts what runs when the rollout is interrupted", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      let aborted = false
      const fiber = yield* Effect.fork(
        answerOf((_tool, _args, { signal }) => {
          signal.addEventListener("abort", () => (aborted = true))
          Effect.runSync(Deferred.succeed(started, undefined))
          return new Promise(() => {})
        })
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect(aborted).toBe(true)
    })
  )

  it.effect("hands out copies: nobody changes anybody else's values", () =>
    Effect.gen(function* () {
      const held = { list: [1, 2] }
      const given = { order_id: "#W1" }
      const session = yield* Effect.scoped(
        open((_tool, args) => {
          ;(args as Record<string, unknown>)["order_id"] = "changed"
          return held
        })
      )
      const { result } = yield* call(session, "get_order_details", given)
      held.list.push(3)
      expect(result).toEqual({ list: [1, 2] })
      expect(given).toEqual({ order_id: "#W1" })
      expect(Object.isFrozen((result as typeof held).list)).toBe(true)
    })
  )

  it.scoped("lists writes that went well, in the order in which they were issued", () =>
    Effect.gen(function* () {
      const session = yield* open((tool, args) =>
        args["order_id"] === "#W3"
          ? { status: "error", error: "no" }
          : Effect.delay(Effect.succeed({ tool }), args["order_id"] === "#W1" ? 20 : 5)
      )
      const cancel = (order_id: string) =>
        call(session, "cancel_pending_order", { order_id, reason: "no longer needed" })
      const fiber = yield* Effect.fork(
        Effect.all([cancel("#W1"), cancel("#W2"), cancel("#W3"), call(session)], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.join(fiber)
      expect((yield* session.writes).map((write) => [write.tool, write.entity, write.id])).toEqual([
        ["cancel_pending_order", "order", "#W1"],
        ["cancel_pending_order", "order", "#W2"]
      ])
    })
  )

  describe("with a world per rollout", () => {
    const database = (log: Array<string>) =>
      ExecuteWorld.perRollout({
        open: ({ rolloutIndex }) => Promise.resolve({ name: `db${rolloutIndex}`, rows: [] as Array<string> }),
        call: (db, tool) => {
          db.rows.push(tool)
          return { db: db.name, rows: db.rows }
        },
        close: (db) => void log.push(`close ${db.name}`),
        state: (db) => ({ rows: db.rows })
      })

    it.effect("opens one for each, and closes it with the rollout", () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const service = ExecuteWorld.kind(database(log)).make(input())
        const at = (index: number) => service.open(task(), { ...key, index })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const [a, b] = yield* Effect.all([at(0), at(1)])
            yield* call(a)
            yield* call(a, "calculate")
            expect((yield* call(b)).result).toEqual({ db: "db1", rows: ["get_order_details"] })
            expect(yield* a.state).toEqual({ rows: ["get_order_details", "calculate"] })
            expect(log).toEqual([])
          })
        )
        expect(log.toSorted()).toEqual(["close db0", "close db1"])
      })
    )

    it.effect("closes it when the rollout fails, dies or is interrupted", () =>
      Effect.gen(function* () {
        for (const end of [Effect.fail("no"), Effect.die("no"), Effect.interrupt, Effect.never]) {
          const log: Array<string> = []
          const started = yield* Deferred.make<void>()
          const fiber = yield* Effect.fork(
            Effect.scoped(
              Effect.zipRight(
                Effect.tap(open(database(log)), () => Deferred.succeed(started, undefined)),
                end
              )
            )
          )
          yield* Deferred.await(started)
          yield* Fiber.interrupt(fiber)
          expect(log).toEqual(["close db0"])
        }
      })
    )

    it.effect("gives up on opening and on closing in time", () =>
      Effect.gen(function* () {
        const never = yield* Effect.fork(
          Effect.exit(Effect.scoped(open({ open: () => new Promise(() => {}), call: () => 1 })))
        )
        yield* TestClock.adjust("60 seconds")
        const exit = yield* Fiber.join(never)
        expect(Exit.isFailure(exit) && String(exit.cause)).toContain(
          "execute.open failed: open did not answer within 60 s"
        )
        const closing = yield* Effect.fork(
          Effect.scoped(open({ open: () => 1, call: () => 1, close: () => new Promise(() => {}) }))
        )
        yield* TestClock.adjust("60 seconds")
        yield* Fiber.join(closing)
      })
    )

    it.effect("closes a world that opens when the rollout is already gone", () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        let release: (name: string) => void = () => {}
        const late = {
          open: () => new Promise<string>((resolve) => (release = resolve)),
          call: () => 1,
          close: (name: string) => void log.push(name)
        }
        const fiber = yield* Effect.fork(Effect.scoped(open(late)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(fiber)
        release("late")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        expect(log).toEqual(["late"])
      })
    )

    it.effect("fails with what to look at when it cannot be opened", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Effect.scoped(
            open({
              open: () => {
                throw new Error("port in use")
              },
              call: () => 1
            })
          )
        )
        expect(error._tag).toBe("WorldFailed")
        expect(error.message).toBe("The world could not be opened: execute.open failed: port in use")
      })
    )
  })
})
