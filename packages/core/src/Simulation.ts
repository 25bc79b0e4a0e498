/**
 * The front door: rehearse an agent, see what a run would do, or take its rows as they land.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"
import { cast, fileSystem, providedBy } from "./internal/casting.ts"
import * as Engine from "./internal/engine.ts"
import { prepare } from "./internal/prepare.ts"
import * as Preview from "./internal/preview.ts"
import type { InvalidOptions } from "./options/InvalidOptions.ts"
import * as Options from "./options/Options.ts"
import type { AgentBackend } from "./rollout/AgentBackend.ts"
import type { Row } from "./row/Row.ts"
import * as RowFile from "./row/RowFile.ts"
import type { RowFileError } from "./row/RowFileError.ts"
import * as RunMeta from "./row/RunMeta.ts"
import type { RunEvent } from "./search/RunEvent.ts"
import type { StopReason } from "./search/Search.ts"
import type { RunSettings } from "./task/RunSettings.ts"
import * as SimulationData from "./SimulationData.ts"

export type { Preview } from "./internal/preview.ts"

/**
 * A run ended without a single row (`agent_failed`, `writer_failed`, `empty_replies`, `auth_failed`,
 * `quota_exceeded`), or its rows could not be written (`output`). What there is comes with it.
 */
export class RunFailed extends Data.TaggedError("RunFailed")<{
  readonly reason: StopReason | "output"
  readonly detail: string
  readonly data: SimulationData.SimulationData
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.detail
  }
}

export type SimulationError = InvalidOptions | RowFileError | RunFailed

/** What a run's options need of the context: the file system where they name a file, nothing otherwise. */
export type Needs<O> = NamesFile<O> extends true ? FileSystem.FileSystem : never

type NamesFile<O> = O extends
  | { readonly output: string }
  | { readonly checkpoint: string }
  | { readonly spec: string }
  | { readonly traces: string }
  | { readonly tasks: string }
  ? true
  : false

/**
 * Rehearses an agent: writes situations, plays them, grades and steers, and gives the rows. Everything wrong with the
 * options is found before anything is called or written.
 */
export const simulate = <const O extends Options.Options>(
  options: O
): Effect.Effect<SimulationData.SimulationData, SimulationError, Needs<O>> =>
  needing<O>()(Effect.scoped(Effect.flatMap(begin(options), collect)))

/** A run whose rows are taken as they land and held by nobody. */
export interface Streamed {
  /** Every row, once; ends with the run and fails as it does. Take it once. */
  readonly rows: Stream.Stream<Row, RunFailed | RowFileError>
  /** What the run was, once its rows were taken. */
  readonly summary: Effect.Effect<RunMeta.RunMeta, RunFailed | RowFileError>
}

/** As `simulate`, for runs too long to hold. Closing the scope ends the run. */
export const stream = <const O extends Options.Options>(
  options: O
): Effect.Effect<Streamed, InvalidOptions | RowFileError, Needs<O> | Scope.Scope> =>
  needing<O>()(Effect.flatMap(begin(options), streamed))

/** What a run would do, without calling an agent, a model or a world, and without writing a file. */
export const preview = <const O extends Options.Options>(
  options: O
): Effect.Effect<Preview.Preview, InvalidOptions, Needs<O>> => needing<O>()(Effect.scoped(previewed(options)))

/**
 * The typed core: settings in, roles from context. The agent is required; roles with a default of their own are swapped
 * by a layer; without a `SituationWriter` the template writer writes.
 */
export const run: (
  settings: RunSettings,
  hooks?: { readonly onEvent?: (event: RunEvent) => void; readonly stop?: Effect.Effect<void> }
) => Effect.Effect<SimulationData.SimulationData, InvalidOptions | RunFailed, AgentBackend> = Effect.fn(
  "Simulation.run"
)(function* (settings: RunSettings, hooks: { onEvent?: (event: RunEvent) => void; stop?: Effect.Effect<void> } = {}) {
  const prepared = yield* prepare(settings, { knobs: { ...settings }, notes: [] })
  return yield* collect({
    prepared,
    hooks: { onEvent: hooks.onEvent ?? ignore, stop: hooks.stop ?? Effect.never, keepMeta: () => Effect.void }
  }) as Effect.Effect<SimulationData.SimulationData, RunFailed>
})

const ignore = (): void => {}

/** A run that may begin: its services are in place, its files are open. */
interface Begun {
  readonly prepared: Engine.Prepared
  readonly hooks: Omit<Engine.Hooks, "onRow">
}

/** Says which services the options call for; they are taken from the context where they are used. */
const needing =
  <O>() =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Needs<O>> =>
    effect

const resolved = Effect.fnUntraced(function* (options: unknown) {
  const context = yield* Effect.context<never>()
  const endpoint = yield* Effect.option(
    Effect.all([Config.nonEmptyString("SANDTABLE_BASE_URL"), Config.nonEmptyString("SANDTABLE_MODEL")])
  )
  return yield* Options.load(options, { endpoint: Option.isSome(endpoint), provided: providedBy(context) })
})

const prepared = Effect.fnUntraced(function* (call: Options.Resolved) {
  const services = yield* cast(call)
  return yield* Effect.mapInputContext(
    prepare(call.settings, { knobs: call.knobs, notes: call.notes }),
    (own: Context.Context<never>) => Context.merge(own, services) as Context.Context<AgentBackend>
  )
})

const begin = Effect.fn("Simulation.begin")(function* (options: unknown) {
  const call = yield* resolved(options)
  const { hooks, files } = call
  const meta = files.output === null ? null : { path: files.output, fs: yield* fileSystem("output") }
  const begun: Begun = {
    prepared: yield* prepared(call),
    hooks: {
      onEvent: hooks.onEvent ?? ignore,
      stop: Effect.race(
        hooks.signal === null ? Effect.never : aborted(hooks.signal),
        hooks.stop === null ? Effect.never : Effect.exit(hooks.stop)
      ),
      keepMeta: (record) =>
        meta === null
          ? Effect.void
          : Effect.provideService(RunMeta.write(RowFile.beside(meta.path).meta, record), FileSystem.FileSystem, meta.fs)
    }
  }
  return begun
})

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.async((resume) => {
    const done = (): void => resume(Effect.void)
    if (signal.aborted) return done()
    signal.addEventListener("abort", done, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", done))
  })

const collect = Effect.fnUntraced(function* ({ prepared, hooks }: Begun) {
  const landed: Array<{ readonly order: number; readonly row: Row }> = []
  const onRow = (row: Row, order: number): Effect.Effect<void> => Effect.sync(() => void landed.push({ order, row }))
  const ended = yield* Engine.play(prepared, { ...hooks, onRow })
  landed.sort((a, b) => a.order - b.order || (a.row.rollout_index ?? 0) - (b.row.rollout_index ?? 0))
  const data = SimulationData.make(
    landed.map(({ row }) => row),
    ended.meta
  )
  return yield* Effect.as(failureOf(ended, data), data)
})

/** Fails where a run that ended is a failure. */
const failureOf = (ended: Engine.Ended, data: SimulationData.SimulationData): Effect.Effect<void, RunFailed> => {
  if (ended.unwritten !== null) {
    return Effect.fail(
      new RunFailed({
        reason: "output",
        detail: `Rows could not be written: ${ended.unwritten.message} All ${ended.rows} finished rows are in this error's \`data\`.`,
        data,
        cause: ended.unwritten
      })
    )
  }
  if (ended.rows > 0 || !Engine.failedStops.has(ended.stopped)) return Effect.void
  const causes = ended.meta.warnings.map(({ message, fix }) => `${message} ${fix}`)
  return Effect.fail(
    new RunFailed({
      reason: ended.stopped,
      detail: [`The run ended with no row (${ended.stopped}).`, ...causes].join(" "),
      data
    })
  )
}

/** Rows a slow reader may be behind before the run waits for it. */
const readerBehind = 64

const streamed = Effect.fnUntraced(function* ({ prepared, hooks }: Begun) {
  const queue = yield* Queue.bounded<Take.Take<Row, RunFailed | RowFileError>>(readerBehind)
  const summary = yield* Deferred.make<RunMeta.RunMeta, RunFailed | RowFileError>()
  const onRow = (row: Row): Effect.Effect<void> => Effect.asVoid(Queue.offer(queue, Take.of(row)))
  const playing = Effect.gen(function* () {
    const ended = yield* Engine.play(prepared, { ...hooks, onRow })
    yield* failureOf(ended, SimulationData.make([], ended.meta))
    return ended.meta
  })
  const last = Exit.match({ onSuccess: () => Take.end, onFailure: Take.failCause })
  yield* Effect.forkScoped(
    Effect.flatMap(Effect.exit(playing), (exit) =>
      Effect.zipRight(Deferred.done(summary, exit), Queue.offer(queue, last(exit)))
    )
  )
  return { rows: Stream.flattenTake(Stream.fromQueue(queue)), summary: Deferred.await(summary) } satisfies Streamed
})

const previewed = Effect.fn("Simulation.preview")(function* (options: unknown) {
  const call = yield* resolved(options)
  // No file is opened and none is made.
  const plan = yield* prepared({ ...call, files: { ...call.files, output: null, checkpoint: null } })
  return yield* Preview.make(plan)
})
