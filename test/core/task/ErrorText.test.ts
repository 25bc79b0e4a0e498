import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Agent from "@sandtable/core/Agent"
import * as ErrorText from "../../../packages/core/src/task/ErrorText.ts"
import * as ExecuteWorld from "@sandtable/core/ExecuteWorld"
import * as Grader from "@sandtable/core/Grader"
import * as SituationWriter from "@sandtable/core/SituationWriter"
import { context, row } from "../grade/fixture.ts"
import * as Kit from "../rollout/kit.ts"
import { input, key, task } from "../world/worlds.ts"

const refuse = (): never => {
  throw new Error("no")
}
const unreadable = () => Object.defineProperty(new Error("x"), "message", { get: refuse })
const closed = () => new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse })
/** A Promise lets this one through: only its `then` can be asked for. */
const shut = () =>
  new Proxy({}, { get: (_, name) => (name === "then" ? undefined : refuse()), has: refuse, getPrototypeOf: refuse })

const hostile: ReadonlyArray<readonly [string, () => unknown]> = [
  ["an object without a prototype", () => Object.create(null) as unknown],
  ["an object whose toString throws", () => ({ toString: refuse })],
  ["an object whose toJSON throws", () => ({ toJSON: refuse })],
  ["an Error whose message throws", unreadable],
  ["a Proxy that throws", closed],
  ["a Proxy that only promises may read", shut],
  ["a symbol", () => Symbol("x")],
  ["nothing", () => undefined]
]

describe("the text of an error", () => {
  it("is its message, its name, or what it is", () => {
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    expect(
      [
        new Error("boom"),
        new TypeError(""),
        "boom",
        { message: "m" },
        { _tag: "Gone" },
        { code: 4, stack: "at /x" }
      ].map(ErrorText.of)
    ).toEqual(["boom", "TypeError", "boom", "m", "Gone", '{"code":4}'])
    expect([undefined, null, 3n, "", circle].map(ErrorText.of)).toEqual([
      "undefined",
      "null",
      "3",
      "an empty text",
      "an object (Object)"
    ])
  })

  it("says where it was cut", () => {
    const text = ErrorText.of(new Error("x".repeat(5000)))
    expect(text).toHaveLength(ErrorText.longest)
    expect(text).toMatch(/x\.\.\. \[cut: 5000 characters\]$/)
  })

  it.each(hostile)("can be had of %s", (_, make) => {
    expect(ErrorText.of(make())).toMatch(/\S/)
  })
})

describe.each(hostile)("%s", (_, make) => {
  it.live("loses the rollout of the agent that rejects with it, throws it or fails with it", () =>
    Effect.gen(function* () {
      const ways = [
        () => Promise.reject(make()),
        () => {
          throw make()
        },
        () => Effect.fail(make()),
        () => Effect.die(make())
      ]
      for (const way of ways) {
        const error = yield* Effect.flip(Agent.fromFunction(way as Agent.AgentFunction).play(Kit.rollout()))
        expect(error).toMatchObject({ reason: "agent_error" })
        expect(error.detail).toMatch(/\S/)
      }
    })
  )

  it.live("is an error of the grader, and as an answer an invalid one", () =>
    Effect.gen(function* () {
      for (const grade of [
        () => Promise.reject(make()),
        () => {
          throw make()
        },
        () => Effect.fail(make())
      ]) {
        const verdict = yield* Grader.make({ name: "test", grade }).grade(row(), context)
        expect(verdict).toMatchObject({ reward: null, status: "error" })
      }
      for (const grade of [() => make() as Grader.Given, async () => make(), () => Effect.sync(make)]) {
        expect(yield* Grader.make({ name: "test", grade }).grade(row(), context)).toMatchObject({ reward: null })
      }
    })
  )

  it.live("is an error that the world answers", () =>
    Effect.gen(function* () {
      for (const execute of [
        () => Promise.reject(make()),
        () => {
          throw make()
        },
        () => Effect.fail(make())
      ]) {
        const session = yield* ExecuteWorld.kind(execute as ExecuteWorld.Execute)
          .make(input())
          .open(task({ prompt: "Hi there" }), key)
        expect(yield* session.call({ tool: "get_order_details", arguments: { order_id: "#W1" } })).toMatchObject({
          status: "error"
        })
      }
    }).pipe(Effect.scoped)
  )

  it.live("is a failure of the writer", () =>
    Effect.gen(function* () {
      for (const write of [
        () => Promise.reject(make()),
        () => Effect.fail(make()),
        () => make(),
        () => [make()],
        () => {
          throw make()
        }
      ]) {
        const writer = SituationWriter.fromFunction(write as SituationWriter.WriteFunction)
        expect(yield* Effect.flip(writer.write([]))).toMatchObject({ _tag: "WriterFailed" })
      }
    })
  )
})
