import { describe, expect, it } from "@effect/vitest"
import * as Randomness from "@sandtable/core/Randomness"
import { Effect, Exit, Fiber } from "effect"
import * as Handing from "../../../packages/core/src/search/internal/handing.ts"
import * as Immediate from "../../../packages/core/src/task/internal/immediate.ts"

/** Lets everything that is ready have its turn. */
const turn = Effect.async<void>((done) => void setImmediate(() => done(Effect.void)))

const workers = <A>(work: Handing.Work<A>, count: number, act: (one: A, restore: Restore) => Effect.Effect<void>) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.fork(Effect.uninterruptibleMask((restore) => work.worker(restore, (one) => act(one, restore))))
  )

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

describe("workers", () => {
  it.effect("do each work once and no more at a time than they are, whatever each takes", () =>
    Effect.gen(function* () {
      const draws = Randomness.make(3).stream(["work"])
      const work = Handing.work<number>()
      const done: Array<number> = []
      let busy = 0
      let most = 0
      const ways: ReadonlyArray<() => Effect.Effect<void>> = [
        () => Effect.void,
        () => Immediate.make<void>(() => undefined),
        () => Immediate.telling<void>((told) => told(Effect.void)),
        () => Immediate.telling<void>((told) => void setImmediate(() => told(Effect.void))),
        () => Immediate.telling<void>((told) => void queueMicrotask(() => told(turn))),
        () => Immediate.flatMap(turn, () => Immediate.make<void>(() => undefined)),
        () => Effect.yieldNow()
      ]
      const fibers = yield* workers(work, 4, (one) => {
        most = Math.max(most, (busy += 1))
        const way = ways[draws.int(ways.length)] as () => Effect.Effect<void>
        return Immediate.flatMap(way(), () => {
          busy -= 1
          done.push(one)
          return Effect.void
        })
      })
      for (let i = 0; i < 3000; i++) {
        work.offer(i)
        if (draws.int(40) === 0) yield* turn
      }
      for (let left = 1000; left > 0 && done.length < 3000; left--) yield* turn
      expect(new Set(done).size).toBe(3000)
      expect(done).toHaveLength(3000)
      expect(most).toBe(4)
      yield* Fiber.interruptAll(fibers)
    })
  )

  it.effect("interrupted, cut short what may be and see all of it to its end", () =>
    Effect.gen(function* () {
      const work = Handing.work<"plain" | "landing" | "fiber" | "idle">()
      const ended: Array<string> = []
      let land = (): void => undefined
      const fibers = yield* workers(work, 4, (one, restore) => {
        const never = Immediate.telling<void>(() => undefined)
        const landing = Immediate.telling<void>((told) => {
          land = () => told(Effect.void)
        })
        const began =
          one === "landing" ? landing : Immediate.interruptible(one === "plain" ? never : Effect.never, restore)
        return Immediate.match(began, ({ _tag }) => Effect.map(turn, () => void ended.push(`${one} ${_tag}`)))
      })
      yield* turn
      for (const one of ["plain", "landing", "fiber"] as const) work.offer(one)
      yield* turn
      work.close()
      work.offer("idle")
      const ending = yield* Effect.fork(Fiber.interruptAll(fibers))
      yield* Effect.repeatN(turn, 5)
      expect(ended.toSorted()).toEqual(["fiber Failure", "plain Failure"])
      expect(ending.unsafePoll()).toBeNull()
      land()
      yield* Fiber.join(ending)
      expect(ended.at(-1)).toBe("landing Success")
      expect(work.takeBack()).toEqual(["idle"])
    })
  )

  it.effect("die of what throws or dies, whether by a plain call or in their fiber", () =>
    Effect.gen(function* () {
      const throwing = (): never => {
        throw new Error("broken")
      }
      for (const way of [throwing, () => Immediate.make<void>(throwing), () => Immediate.telling<void>(throwing)]) {
        for (const later of [false, true]) {
          const work = Handing.work<number>()
          const act = (): Effect.Effect<void> => (later ? Immediate.flatMap(turn, way) : way())
          const [fiber] = yield* workers(work, 1, act)
          yield* turn
          work.offer(1)
          const exit = yield* Fiber.await(fiber as Fiber.Fiber<never>)
          expect(exit).toEqual(Exit.die(new Error("broken")))
        }
      }
    })
  )
})
