import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ExecuteWorld from "@sandtable/core/ExecuteWorld"
import * as MockWorld from "@sandtable/core/MockWorld"
import * as World from "@sandtable/core/World"
import { RecordingWorld } from "@sandtable/core/testing"
import { input, key, task } from "./worlds.ts"

const get = { tool: "get_order_details", arguments: { order_id: "#W2611340" } }
const of = task({ prompt: "Where is #W2611340?" })

const program = Effect.gen(function* () {
  const kind = yield* World.World
  const session = yield* kind.make(input()).open(of, key)
  const answer = yield* session.call(get)
  return { name: kind.name, answeredBy: answer.answeredBy, status: answer.status }
})

describe("World", () => {
  it.scoped("is the mock when nothing else is provided", () =>
    Effect.gen(function* () {
      expect(yield* program).toEqual({ name: "mock", answeredBy: "mock", status: "ok" })
      expect(yield* Effect.provide(program, MockWorld.layer)).toEqual(yield* program)
    })
  )

  it.scoped("is another by one layer, and the program is the same", () =>
    Effect.gen(function* () {
      expect(
        yield* Effect.provide(
          program,
          ExecuteWorld.layer(() => ({ total: 1 }))
        )
      ).toEqual({ name: "execute", answeredBy: "execute", status: "ok" })
      expect(yield* Effect.provide(program, World.layerNoop())).toEqual({
        name: "noop",
        answeredBy: "mock",
        status: "error"
      })
      const answer = { result: {}, status: "timeout", answeredBy: "mcp", elapsedMs: 1 } as const
      expect(yield* Effect.provide(program, World.layerNoop({ call: () => Effect.succeed(answer) }))).toMatchObject({
        answeredBy: "mcp",
        status: "timeout"
      })
    })
  )

  it("says what could not be opened", () => {
    expect(new World.WorldFailed({ detail: "no disk" }).message).toBe("The world could not be opened: no disk")
  })
})

describe("RecordingWorld", () => {
  it.scoped("records every call with its answer, in the order in which they were issued", () =>
    Effect.gen(function* () {
      yield* program
      const calls = yield* RecordingWorld.calls
      expect(calls).toMatchObject([{ key, call: get, answer: { status: "ok" } }])
    }).pipe(Effect.provide(RecordingWorld.layer()))
  )

  it.scoped("records over any other world", () =>
    Effect.gen(function* () {
      const counted = Effect.zipRight(Effect.zipRight(program, program), RecordingWorld.calls)
      const calls = yield* Effect.provide(counted, Layer.fresh(RecordingWorld.layer(ExecuteWorld.kind(() => 5))))
      expect(calls.map((one) => one.answer?.answeredBy)).toEqual(["execute", "execute"])
    })
  )

  it.scoped("begins anew when it is reset; what was under way then is recorded nowhere", () =>
    Effect.gen(function* () {
      yield* program
      const before = yield* RecordingWorld.calls
      yield* RecordingWorld.reset
      expect(yield* RecordingWorld.calls).toEqual([])
      const kind = yield* World.World
      const session = yield* kind.make(input()).open(of, key)
      const gate = yield* Deferred.make<void>()
      const waiting = yield* Effect.fork(session.call({ tool: "list_all_product_types", arguments: { gate } }))
      yield* Effect.yieldNow()
      yield* RecordingWorld.reset
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(waiting)
      yield* program
      expect(yield* RecordingWorld.calls).toHaveLength(1)
      expect(before).toHaveLength(1)
    }).pipe(
      Effect.provide(
        RecordingWorld.layer({
          name: "gated",
          make: () => ({
            name: "gated",
            open: () =>
              Effect.succeed({
                writes: Effect.succeed([]),
                state: Effect.succeed(null),
                call: ({ arguments: { gate } }) =>
                  Effect.as(gate === undefined ? Effect.void : Deferred.await(gate as Deferred.Deferred<void>), {
                    result: null,
                    status: "ok",
                    answeredBy: "execute",
                    elapsedMs: 0
                  })
              })
          })
        })
      )
    )
  )
})
