/**
 * A world that records every call it is asked, with its answer: for tests of what an agent did, and in what order.
 *
 * ```ts
 * const calls = yield* RecordingWorld.calls
 * // with RecordingWorld.layer() or RecordingWorld.layer(ExecuteWorld.kindEffect(execute))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RolloutKey } from "../task/Task.ts"
import * as MockWorld from "../world/MockWorld.ts"
import * as World from "../world/World.ts"

/**
 * A call in the order in which it was issued; `answer` is null while it runs, and stays so when it was interrupted.
 * @since 0.1.0
 * @category models
 */
export interface Recorded {
  readonly key: RolloutKey
  readonly call: World.Call
  readonly answer: World.Answer | null
}

/**
 * The calls that a recording world was asked.
 * @since 0.1.0
 * @category services
 */
export class RecordingWorld extends Context.Tag("@sandtable/core/RecordingWorld")<
  RecordingWorld,
  {
    readonly calls: Effect.Effect<ReadonlyArray<Recorded>>
    readonly reset: Effect.Effect<void>
  }
>() {}

/**
 * The calls so far.
 * @since 0.1.0
 * @category functions
 */
export const calls: Effect.Effect<ReadonlyArray<Recorded>, never, RecordingWorld> = Effect.flatMap(
  RecordingWorld,
  (recording) => recording.calls
)

/**
 * Forgets the calls so far, for a layer that several tests share. What is still under way then is recorded nowhere.
 * @since 0.1.0
 * @category functions
 */
export const reset: Effect.Effect<void, never, RecordingWorld> = Effect.flatMap(
  RecordingWorld,
  (recording) => recording.reset
)

/**
 * Records what a kind of world is asked; the mock unless another is given, as a value or as an Effect that makes it.
 * @since 0.1.0
 * @category layers
 */
export const layer = <E = never, R = never>(
  kind: World.Kind | Effect.Effect<World.Kind, E, R> = MockWorld.kind
): Layer.Layer<RecordingWorld, E, R> =>
  Layer.unwrapEffect(
    Effect.map(Effect.isEffect(kind) ? kind : Effect.succeed(kind), ({ make, name }) => {
      let recorded: Array<Recorded> = []
      return Layer.merge(
        World.layer({ name, make: (input) => recordingService(make(input), () => recorded) }),
        Layer.succeed(RecordingWorld, {
          calls: Effect.sync(() => [...recorded]),
          reset: Effect.sync(() => void (recorded = []))
        })
      )
    })
  )

const recordingService = (service: World.Service, current: () => Array<Recorded>): World.Service => ({
  name: service.name,
  open: (task, key) =>
    Effect.map(service.open(task, key), (session) => ({
      ...session,
      call: (call) =>
        Effect.suspend(() => {
          const recorded = current()
          const place = recorded.push({ key, call, answer: null }) - 1
          return Effect.tap(session.call(call), (answer) => {
            recorded[place] = { key, call, answer }
          })
        })
    }))
})
