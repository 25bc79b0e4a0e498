/**
 * The mock world: an entity store that answers tool calls from what their names and schemas say.
 *
 * Its world is an immutable value and an answer is a step from one world to the next, so a snapshot costs nothing, a
 * rollout can be gone on with from any step, and rollouts of one task never see each other's writes.
 *
 * ```ts
 * const mock = yield* MockWorld.load(input)
 * const [afterCancel, answer] = MockWorld.step(mock.begin(task), { tool: "cancel_order", arguments: { order_id: "A1001" } })
 * ```
 */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { WorldWrite } from "../row/Row.ts"
import type { Task } from "../task/Task.ts"
import * as MockStep from "./internal/mock.ts"
import * as MockService from "./internal/mockService.ts"
import * as Store from "./internal/store.ts"
import * as World from "./World.ts"

/**
 * A world as it stands. Keep it as it is; what is inside may change between versions.
 * @since 0.1.0
 * @category models
 */
export type State = Store.World

/**
 * The mock of a run.
 * @since 0.1.0
 * @category models
 */
export interface Mock {
  /** The world of a task before any call: the same for every rollout of it. */
  readonly begin: (task: Task) => State
}

/**
 * A session of the mock, with its state at hand.
 * @since 0.1.0
 * @category models
 */
export type MockSession = MockService.MockSession

/**
 * Reads the tools of a run once.
 * @since 0.1.0
 * @category functions
 */
export const load: (input: World.WorldInput) => Effect.Effect<Mock> = MockService.engine

/**
 * Answers one call: the next world, and the answer. The given world is as before.
 * @since 0.1.0
 * @category functions
 */
export const step: (state: State, call: World.Call) => readonly [State, World.Answer] = MockStep.step

/**
 * A session that begins with a stored world. With `realDelays` its latencies really pass.
 * @since 0.1.0
 * @category functions
 */
export const resume = (state: State, { realDelays = false }: { readonly realDelays?: boolean } = {}): MockSession =>
  MockService.session(state, realDelays)

/**
 * Writes accepted so far, in order.
 * @since 0.1.0
 * @category functions
 */
export const writes = (state: State): ReadonlyArray<WorldWrite> => state.writes

/**
 * Every record seen or changed, by kind and identifier; null for what was removed.
 * @since 0.1.0
 * @category functions
 */
export const toJson: (state: State) => unknown = Store.toJson

/**
 * The mock as a kind of world.
 * @since 0.1.0
 * @category constants
 */
export const kind: World.Kind = MockService.kind

/**
 * The mock world; it is what runs without any layer, too.
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never> = World.layer(kind)
