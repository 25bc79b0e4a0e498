/**
 * The world an agent acts on: a session per rollout that answers tool calls.
 *
 * Faults go over any session (`FaultedWorld`), the caller's own world (`ExecuteWorld`) or a server's goes in the place of
 * the mock (`MockWorld`), which is the default.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Scope } from "effect/Scope"
import type * as Randomness from "../random/Randomness.ts"
import type { AnsweredBy, CallStatus, WorldWrite } from "../row/Row.ts"
import type { FaultMode } from "../task/Plan.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import type { Draw } from "./Draws.ts"
import type { RolloutKey, Task } from "../task/Task.ts"
import type { ToolSet } from "../task/ToolSet.ts"
import * as MockService from "./internal/mockService.ts"
import * as Responding from "./internal/responding.ts"

/**
 * A call with arguments that were already read as an object.
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/**
 * What a world answers a call.
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  /** What the agent sees: JSON, frozen. */
  readonly result: unknown
  readonly status: CallStatus
  readonly answeredBy: AnsweredBy
  readonly fault?: FaultMode
  /** Logical milliseconds the call took. */
  readonly elapsedMs: number
}

/**
 * The world of one rollout.
 * @since 0.1.0
 * @category models
 */
export interface Session {
  /** Answers a call; never fails: what goes wrong is an answer. Calls take effect in the order in which they start. */
  readonly call: (call: Call) => Effect.Effect<Answer>
  /** Writes the world accepted, in order. */
  readonly writes: Effect.Effect<ReadonlyArray<WorldWrite>>
  /** The world as it stands, as JSON; null where it cannot be told. */
  readonly state: Effect.Effect<unknown>
  /** Answers a call as the world stood when the rollout began, and changes nothing; for worlds that can. */
  readonly stale?: (call: Call) => Effect.Effect<Answer>
}

/**
 * A call that may be answered on the spot, for worlds that need not wait: the function gives the answer, or an effect that
 * has it later. It saves the fiber that any other call costs.
 * @since 0.1.0
 * @category functions
 */
export const respond: (answer: () => Answer | Effect.Effect<Answer>) => Effect.Effect<Answer> = Responding.respond

/**
 * Begins a call: its answer where that is there on the spot, else an effect to go on with.
 * @since 0.1.0
 * @category functions
 */
export const start: (call: Effect.Effect<Answer>) => Answer | Effect.Effect<Answer> = Responding.start

/**
 * Whether a call that was started is answered.
 * @since 0.1.0
 * @category functions
 */
export const isAnswer: (begun: Answer | Effect.Effect<Answer>) => begun is Answer = Responding.isAnswer

/**
 * A world that could not be opened; the rollout is lost, not failed.
 * @since 0.1.0
 * @category errors
 */
export class WorldFailed extends Schema.TaggedError<WorldFailed>()("WorldFailed", {
  detail: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return `The world could not be opened: ${this.detail}`
  }
}

/**
 * A world that is ready: it opens a session for each rollout.
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly name: string
  readonly open: (task: Task, key: RolloutKey) => Effect.Effect<Session, WorldFailed, Scope>
}

/**
 * Results of tools as somebody imagines them, by tool.
 * @since 0.1.0
 * @category models
 */
export type Payloads = ReadonlyMap<string, ReadonlyArray<unknown>>

/**
 * What a run tells its world.
 * @since 0.1.0
 * @category models
 */
export interface WorldInput {
  readonly tools: ToolSet
  readonly randomness: Randomness.Service
  /** `ids` are those the caller declared, by argument name; `timeouts.tool` is in seconds. */
  readonly settings: Pick<RunSettings, "ids" | "realDelays"> & {
    readonly timeouts: Pick<RunSettings["timeouts"], "tool">
    /** The policy: what it has an agent compare, people have. */
    readonly systemPrompt?: string
  }
  /** Every identifier known to exist, whatever it names: from seeds, traces, tool texts. */
  readonly ids?: ReadonlySet<string>
  /** Results of successful calls seen in traces or written by a model, by tool. */
  readonly payloads?: Payloads
}

/**
 * A kind of world: made into a service once per run, from what the run knows.
 * @since 0.1.0
 * @category models
 */
export interface Kind {
  readonly name: string
  /** It answers by what results look like (`payloads`): of tools that show none, the writer's model is asked for some. */
  readonly usesPayloads?: boolean
  /** Draws people and records that its worlds hold; a kind without it says nothing of either before a rollout. */
  readonly draws?: (input: WorldInput) => Draw
  /** Its reads may be called before the first task, with identifiers the caller declared, to learn who and what is there. */
  readonly shows?: true
  readonly make: (input: WorldInput) => Service
}

/**
 * What answers the agent's tool calls; the mock unless another is provided.
 * @since 0.1.0
 * @category services
 */
export class World extends Context.Reference<World>()("@sandtable/core/World", {
  defaultValue: (): Kind => MockService.kind
}) {}

/**
 * The world of a run.
 * @since 0.1.0
 * @category layers
 */
export const layer = (kind: Kind): Layer.Layer<never> => Layer.succeed(World, kind)

/**
 * A world that is the same for every run, whatever its tools.
 * @since 0.1.0
 * @category layers
 */
export const layerService = (service: Service): Layer.Layer<never> => layer({ name: service.name, make: () => service })

/**
 * A session whose missing parts hold nothing: every call is an error that says so. For tests.
 * @since 0.1.0
 * @category layers
 */
export const layerNoop = (session: Partial<Session> = {}): Layer.Layer<never> =>
  layerService({ name: "noop", open: () => Effect.succeed({ ...noop, ...session }) })

const noop: Session = {
  call: ({ tool }) =>
    Effect.succeed({
      result: { status: "error", error: `No world answers ${tool} here.` },
      status: "error",
      answeredBy: "mock",
      elapsedMs: 0
    }),
  writes: Effect.succeed([]),
  state: Effect.succeed(null)
}
