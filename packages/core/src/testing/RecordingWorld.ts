/**
 * A world that records every call it is asked, with its answer: for tests of what an agent did, and in what order.
 *
 * ```ts
 * const calls = yield* RecordingWorld.calls
 * // with RecordingWorld.layer() or RecordingWorld.layer(ExecuteWorld.kind(execute))
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RolloutKey } from "../task/Task.ts"
import * as MockWorld from "../world/MockWorld.ts"
import * as World from "../world/World.ts"

/** A call in the order in which it was issued; `answer` is null while it runs, and stays so when it was interrupted. */
export interface Recorded {
  readonly key: RolloutKey
  readonly call: World.Call
  readonly answer: World.Answer | null
}

export class RecordingWorld extends Context.Tag("@sandtable/core/RecordingWorld")<
  RecordingWorld,
  { readonly calls: Effect.Effect<ReadonlyArray<Recorded>> }
>() {}

/** The calls so far. */
export const calls: Effect.Effect<ReadonlyArray<Recorded>, never, RecordingWorld> = Effect.flatMap(
  RecordingWorld,
  (recording) => recording.calls
)

/** Records what a kind of world is asked; the mock unless another is given. */
export const layer = (kind: World.Kind = MockWorld.kind): Layer.Layer<RecordingWorld> =>
  Layer.unwrapEffect(
    Effect.sync(() => {
      const recorded: Array<Recorded> = []
      return Layer.merge(
        World.layer({ name: kind.name, make: (input) => recordingService(kind.make(input), recorded) }),
        Layer.succeed(RecordingWorld, { calls: Effect.sync(() => [...recorded]) })
      )
    })
  )

const recordingService = (service: World.Service, recorded: Array<Recorded>): World.Service => ({
  name: service.name,
  open: (task, key) =>
    Effect.map(service.open(task, key), (session) => ({
      ...session,
      call: (call) =>
        Effect.suspend(() => {
          const place = recorded.push({ key, call, answer: null }) - 1
          return Effect.tap(session.call(call), (answer) => {
            recorded[place] = { key, call, answer }
          })
        })
    }))
})
