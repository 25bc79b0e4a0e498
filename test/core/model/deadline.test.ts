import { describe, expect, it } from "@effect/vitest"
import * as Deadline from "../../../packages/core/src/time/Deadline.ts"
import { type Clock, Deferred, Duration, Effect, Exit, Fiber, Ref, TestClock, TestServices } from "effect"

describe("Deadline", () => {
  it.effect("lets what is done in time through", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.delay(Effect.succeed("done"), "4 seconds").pipe(Deadline.within(5)))
      yield* TestClock.adjust("4 seconds")
      expect(yield* Fiber.join(fiber)).toBe("done")
      const failed = yield* Effect.exit(Deadline.within(Effect.fail("no"), 5))
      expect(failed).toEqual(Exit.fail("no"))
    })
  )

  it.effect("fails with the limit and really interrupts", () =>
    Effect.gen(function* () {
      const interrupted = yield* Ref.make(false)
      const fiber = yield* Effect.never.pipe(
        Effect.onInterrupt(() => Ref.set(interrupted, true)),
        Deadline.within(0.05),
        Effect.flip,
        Effect.fork
      )
      yield* TestClock.adjust("50 millis")
      const error = yield* Fiber.join(fiber)
      expect(error).toBeInstanceOf(Deadline.DeadlineExceeded)
      expect(error.seconds).toBe(0.05)
      expect(yield* Ref.get(interrupted)).toBe(true)
    })
  )

  it.effect("does not hold the caller when the effect cannot be interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.never.pipe(Effect.uninterruptible, Deadline.within(5), Effect.flip, Effect.fork)
      yield* TestClock.adjust("5 seconds")
      expect((yield* Fiber.join(fiber))._tag).toBe("DeadlineExceeded")
    })
  )

  it.effect("is not charged for what is suspended, also in an outer limit", () =>
    Effect.gen(function* () {
      const waiting = Deadline.suspend(Effect.sleep("60 seconds"))
      const work = Effect.sleep("3 seconds").pipe(Effect.zipRight(waiting), Effect.zipRight(Effect.sleep("1 second")))
      const fine = yield* Effect.fork(work.pipe(Deadline.within(5), Deadline.within(6), Effect.exit))
      const slow = yield* Effect.fork(
        work.pipe(Effect.zipRight(Effect.sleep("2 seconds")), Deadline.within(5), Effect.exit)
      )
      yield* TestClock.adjust("3 seconds")
      yield* TestClock.adjust("60 seconds")
      yield* TestClock.adjust("1 second")
      expect(Exit.isSuccess(yield* Fiber.join(fine))).toBe(true)
      yield* TestClock.adjust("1 second")
      expect(Exit.isFailure(yield* Fiber.join(slow))).toBe(true)
    })
  )

  it.effect("ends every one of many limits in one step of the clock", () =>
    Effect.gen(function* () {
      const late = yield* Ref.make(0)
      const fiber = yield* Effect.forEach(
        Array.from({ length: 500 }, (_, i) => i),
        (i) =>
          Effect.never.pipe(
            Deadline.within(i % 2 === 0 ? 5 : 8),
            Effect.catchAll(() => Ref.update(late, (n) => n + 1))
          ),
        { concurrency: "unbounded", discard: true }
      ).pipe(Effect.fork)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      expect(yield* Ref.get(late)).toBe(500)
    })
  )

  it.effect("passes an interruption of the caller on", () =>
    Effect.gen(function* () {
      const interrupted = yield* Ref.make(false)
      const started = yield* Deferred.make<void>()
      const fiber = yield* Deferred.succeed(started, void 0).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() => Ref.set(interrupted, true)),
        Deadline.within(5),
        Effect.fork
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(interrupted)).toBe(true)
    })
  )

  it.effect("limits each of several stretches, and nothing between them", () =>
    Effect.gen(function* () {
      const between = yield* Ref.make(0)
      const work = Deadline.stretches(5, (stretch) =>
        Effect.gen(function* () {
          const first = yield* stretch(Effect.as(Effect.sleep("4 seconds"), "first"))
          yield* Effect.sleep("60 seconds")
          yield* Ref.set(between, 1)
          const failed = yield* Effect.flip(stretch(Effect.zipRight(Effect.sleep("4 seconds"), Effect.fail("second"))))
          yield* Effect.sleep("60 seconds")
          // What is limited by itself is so between stretches too.
          const third = yield* Effect.flip(Deadline.within(Effect.never, 2))
          return [first, failed, third._tag]
        })
      )
      const fiber = yield* Effect.fork(work)
      yield* TestClock.adjust("64 seconds")
      expect(yield* Ref.get(between)).toBe(1)
      yield* TestClock.adjust("66 seconds")
      expect(yield* Fiber.join(fiber)).toEqual(["first", "second", "DeadlineExceeded"])
    })
  )

  it.effect("ends all stretches with the first late one, also where that cannot be interrupted", () =>
    Effect.gen(function* () {
      const ended = yield* Ref.make<ReadonlyArray<string>>([])
      const run = (late: Effect.Effect<never>) =>
        Deadline.stretches(5, (stretch) =>
          stretch(Effect.sleep("4 seconds")).pipe(
            Effect.zipRight(stretch(late)),
            Effect.onInterrupt(() => Ref.update(ended, (all) => [...all, "interrupted"]))
          )
        ).pipe(Effect.flip)
      const fiber = yield* Effect.fork(run(Effect.never))
      const held = yield* Effect.fork(run(Effect.uninterruptible(Effect.never)))
      yield* TestClock.adjust("8 seconds")
      expect([fiber.unsafePoll(), held.unsafePoll()]).toEqual([null, null])
      yield* TestClock.adjust("1 seconds")
      const error = yield* Fiber.join(fiber)
      expect([error._tag, error.seconds]).toEqual(["DeadlineExceeded", 5])
      expect((yield* Fiber.join(held))._tag).toBe("DeadlineExceeded")
      expect(yield* Ref.get(ended)).toEqual(["interrupted"])
    })
  )

  it.effect("charges no stretch, nor a limit around it, for what is suspended", () =>
    Effect.gen(function* () {
      const waiting = Deadline.suspend(Effect.sleep("60 seconds"))
      const work = Deadline.stretches(5, (stretch) =>
        stretch(Effect.zipRight(Effect.sleep("3 seconds"), waiting)).pipe(
          Effect.zipRight(waiting),
          Effect.zipRight(stretch(Effect.zipRight(waiting, Effect.sleep("4 seconds"))))
        )
      )
      const fine = yield* Effect.fork(Effect.exit(Deadline.within(work, 8)))
      const slow = yield* Effect.fork(Effect.exit(Deadline.within(work, 6)))
      yield* TestClock.adjust("3 seconds")
      yield* TestClock.adjust("60 seconds")
      yield* TestClock.adjust("60 seconds")
      yield* TestClock.adjust("60 seconds")
      yield* TestClock.adjust("4 seconds")
      expect(Exit.isSuccess(yield* Fiber.join(fine))).toBe(true)
      expect(Exit.isFailure(yield* Fiber.join(slow))).toBe(true)
    })
  )

  it.effect.each([0, -900, 900, 3_600_000])("asks a clock that shows now %s ms of the machine's", (off) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now() + off)
      const fiber = yield* Effect.fork(Effect.exit(Deadline.within(Effect.never, 5)))
      yield* TestClock.adjust("4999 millis")
      expect(fiber.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      expect(Exit.isFailure(yield* Fiber.join(fiber))).toBe(true)
    })
  )

  it.effect("is not charged by a test's clock for what the machine took meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const fiber = yield* Effect.fork(Effect.exit(Deadline.within(Effect.sleep("50 millis"), 0.1)))
      yield* TestClock.adjust("10 millis")
      yield* TestServices.provideLive(Effect.sleep("250 millis"))
      yield* TestClock.adjust("40 millis")
      expect(Exit.isSuccess(yield* Fiber.join(fiber))).toBe(true)
    })
  )

  it.live("asks a clock of the program's own", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      // ten times as fast
      const fast: Clock.Clock = {
        ...clock,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() * 10n,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() * 10,
        sleep: (duration) => clock.sleep(Duration.times(duration, 0.1))
      }
      const before = clock.unsafeCurrentTimeMillis()
      yield* Effect.flip(Deadline.within(Effect.never, 3)).pipe(Effect.withClock(fast))
      const took = clock.unsafeCurrentTimeMillis() - before
      expect(took).toBeGreaterThanOrEqual(250)
      expect(took).toBeLessThan(2500)
    })
  )

  it.live("does not charge a blocked event loop, and gives the last turn", () =>
    Effect.gen(function* () {
      const block = Effect.sync(() => {
        const until = performance.now() + 700
        while (performance.now() < until);
      })
      // By the wall clock the limit has passed twice when the loop comes round; the work has had 60 of its 110 ms.
      const answer = Effect.sleep(Duration.millis(60)).pipe(
        Effect.zipRight(Effect.sleep(Duration.millis(50))),
        Effect.as("answer")
      )
      const fiber = yield* Effect.fork(Deadline.within(answer, 0.3))
      yield* Effect.yieldNow()
      yield* block
      expect(yield* Fiber.join(fiber)).toBe("answer")
    })
  )
})
