/**
 * A call of the front door from its options to its end.
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { provideRoles, providedBy } from "./provideRoles.ts"
import * as Checkpoint from "../resume/checkpoint.ts"
import * as RunLoop from "./runLoop.ts"
import * as Listeners from "./listeners.ts"
import * as ResolveModels from "./resolveModels.ts"
import { prepare } from "./planRun.ts"
import * as Pinned from "./pinnedTasks.ts"
import * as OutputFile from "./outputFile.ts"
import type { RunPlan } from "./runPlan.ts"
import * as Preview from "./preview.ts"
import * as Traces from "./traceOptions.ts"
import { InvalidOptions } from "../options/InvalidOptions.ts"
import * as Options from "../options/Options.ts"
import { AgentBackend } from "../rollout/AgentBackend.ts"
import * as Platform from "../row/internal/platform.ts"
import type { PinnedTasks } from "../row/PinnedTasks.ts"
import type { Row } from "../row/Row.ts"
import * as Rows from "../row/Row.ts"
import * as RowFile from "../row/RowFile.ts"
import type { RowFileError } from "../row/RowFileError.ts"
import * as RunMeta from "../report/RunMeta.ts"
import type { Imported } from "../traces/TraceFormat.ts"
import type { RunEvent } from "../search/RunEvent.ts"
import * as SimulationData from "../result/SimulationData.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import { RunFailed } from "../result/runFailed.ts"

/**
 * A run whose rows are taken as they land and held by nobody.
 * @since 0.1.0
 * @category models
 */
export interface Streamed {
  /** Every row, once; ends with the run and fails as it does. Take it once. */
  readonly rows: Stream.Stream<Row, RunFailed | RowFileError>
  /** What the run was, once its rows were taken. */
  readonly summary: Effect.Effect<RunMeta.RunMeta, RunFailed | RowFileError>
}

const ignore = (): void => {}

/**
 * What the caller of `Simulation.run` hears, and how it ends the run.
 * @since 0.1.0
 * @category models
 */
export interface RunHooks {
  /** What it throws or rejects with is a warning of the run. */
  readonly onEvent?: (event: RunEvent) => unknown
  readonly stop?: Effect.Effect<void>
}

export const run = Effect.fnUntraced(function* (settings: RunSettings, hooks: RunHooks = {}) {
  const prepared = yield* prepare(settings, { resolvedOptions: { ...settings, tools: settings.tools.list }, notes: [] })
  const listener = yield* Listeners.make(hooks.onEvent ?? ignore)
  return yield* collect({
    prepared,
    hooks: {
      onEvent: listener.hear,
      heard: listener.notes,
      stop: hooks.stop ?? Effect.never,
      isStopped: () => false,
      keepMeta: () => Effect.void
    }
    // it opens no file
  }) as Effect.Effect<SimulationData.SimulationData, RunFailed>
})

/** A run that may begin: its services are in place, its files are open. */
export interface Begun {
  readonly prepared: RunPlan
  readonly hooks: Omit<RunLoop.Hooks, "onRow">
}

const resolved = Effect.fnUntraced(function* (options: unknown) {
  const context = yield* Effect.context<never>()
  const endpoint = yield* Effect.option(
    Config.orElse(Config.nonEmptyString("SANDTABLE_BASE_URL"), () => Config.nonEmptyString("SANDTABLE_MODEL"))
  )
  const environment = { endpoint: Option.isSome(endpoint), ...providedBy(context) }
  const call = yield* Effect.either(Options.load(options, environment))
  const limits = Either.isRight(call) ? call.right.limits : {}
  const named = yield* ResolveModels.make(Options.rolesOf(options, environment), limits, options)
  const traces = yield* Traces.read(options)
  const { issues: taskIssues, pinned } = yield* Pinned.read(options)
  const issues = [
    ...(Either.isLeft(call) ? call.left.issues : []),
    ...named.issues,
    ...traces.issues,
    ...taskIssues,
    ...(yield* OutputFile.issuesOf(options))
  ]
  if (issues.length > 0) return yield* InvalidOptions.of(issues)
  return { ...pinnedTo(yield* call, pinned), read: traces.traces, pinned, made: named.made }
})

/** A call's options as resolved, and its traces as read. */
interface Call extends Options.Resolved {
  readonly read: Imported | null
  readonly pinned: PinnedTasks | null
  /** Whom the call names by a spec, an address or a command. */
  readonly made: ResolveModels.Made
}

/** The call on the tasks of an earlier run: k comes from this call when it names one, else from that run. */
const pinnedTo = (call: Options.Resolved, pinned: PinnedTasks | null): Options.Resolved => {
  if (pinned === null) return call
  const repeats = call.settings.repeatsGiven ? call.settings.repeats : pinned.repeats
  return {
    ...call,
    settings: { ...call.settings, repeats, phrasings: 1, situations: null, tasks: pinned.tasks },
    resolvedOptions: {
      ...call.resolvedOptions,
      rollouts_per_request: repeats,
      requests_per_situation: 1,
      situations: null
    }
  }
}

/** The run, not yet begun: roles are cast, no file is made. What it goes on with was held against it. */
const prepared = Effect.fnUntraced(function* (call: Call, found: Checkpoint.Found, dry: boolean) {
  const services = yield* provideRoles(call, call.made)
  const told =
    call.roles.agent._tag === "Service" ? [] : yield* Options.checkAgent(call, Context.get(services, AgentBackend))
  const traces = call.read === null ? null : { ...call.read, strategy: call.traces?.strategy ?? "auto" }
  const plan = prepare(call.settings, {
    resolvedOptions: call.resolvedOptions,
    notes: [...call.notes, ...told],
    traces,
    pinned: call.pinned,
    resumed: found._tag === "Run" ? found.meta : null,
    dry
  })
  const begun = yield* Effect.provide(plan, services)
  const fs = yield* Effect.serviceOption(Platform.FileSystem)
  if (found._tag !== "Run" || Option.isNone(fs)) return begun
  const resuming = Checkpoint.resume(found, begun.origin)
  return { ...begun, resuming: yield* Effect.provideService(resuming, Platform.FileSystem, fs.value) }
})

export const begin = Effect.fn("Simulation.begin")(function* (options: unknown) {
  const call = yield* resolved(options)
  const { hooks, files } = call
  const found = yield* Checkpoint.find(files.checkpoint)
  const plan = yield* prepared(call, found, false)
  const sink = yield* OutputFile.sinkOf(files, found._tag)
  const fs = yield* Effect.serviceOption(Platform.FileSystem)
  const listener = yield* Listeners.make(hooks.onEvent ?? ignore)
  const begun: Begun = {
    prepared: { ...plan, cast: { ...plan.cast, sink } },
    hooks: {
      onEvent: listener.hear,
      heard: listener.notes,
      stop: Effect.race(
        hooks.signal === null ? Effect.never : aborted(hooks.signal),
        hooks.stop === null ? Effect.never : Effect.exit(hooks.stop)
      ),
      isStopped: () => hooks.signal?.aborted ?? false,
      keepMeta: (record) =>
        files.output === null || Option.isNone(fs)
          ? Effect.void
          : Effect.provideService(
              Effect.flatMap(RowFile.around(files.output), ({ meta }) => RunMeta.write(meta, record)),
              Platform.FileSystem,
              fs.value
            )
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

export const collect = Effect.fnUntraced(function* ({ prepared, hooks }: Begun) {
  const landed: Array<Row> = []
  const order = new Map<string, number>()
  const onRow = (row: Row, place: number): Effect.Effect<void> =>
    Effect.sync(() => {
      landed.push(row)
      order.set(row.task_id, place)
    })
  const losses = Listeners.lostRollouts()
  const onEvent = (event: RunEvent): void => {
    losses.hear(event)
    hooks.onEvent(event)
  }
  const ended = yield* RunLoop.play(prepared, { ...hooks, onRow, onEvent })
  landed.sort(Rows.compare(order))
  const data = SimulationData.make(landed, ended.meta, losses.lost, ended.goldAnswers)
  return yield* Effect.as(failureOf(ended, data), data)
})

/** Fails where a run that ended is a failure. */
const failureOf = (ended: RunLoop.Ended, data: SimulationData.SimulationData): Effect.Effect<void, RunFailed> => {
  if (ended.unwritten !== null) {
    return Effect.fail(
      new RunFailed({
        reason: "output_failed",
        detail: `Rows could not be written: ${ended.unwritten.message} All ${ended.rows} finished rows are in this error's \`data\`.`,
        data,
        cause: ended.unwritten
      })
    )
  }
  if (ended.rows > 0 || !RunLoop.failedStops.has(ended.stopped)) return Effect.void
  const causes = ended.meta.warnings.map(({ message, fix }) => `${message}${/[.!?]$/.test(message) ? "" : "."} ${fix}`)
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

export const streamed = Effect.fnUntraced(function* ({ prepared, hooks }: Begun) {
  // Loaded here with Effect's streams: most programs take none, and they are much of what a start costs.
  const Mailbox = yield* Effect.promise(() => import("effect/Mailbox"))
  const rows = yield* Mailbox.make<Row, RunFailed | RowFileError>({ capacity: readerBehind })
  const summary = yield* Deferred.make<RunMeta.RunMeta, RunFailed | RowFileError>()
  const playing = Effect.gen(function* () {
    const ended = yield* RunLoop.play(prepared, { ...hooks, onRow: (row) => Effect.asVoid(rows.offer(row)) })
    yield* failureOf(ended, SimulationData.make([], ended.meta))
    return ended.meta
  })
  yield* Effect.forkScoped(
    Effect.flatMap(Effect.exit(playing), (exit) =>
      Effect.zipRight(Deferred.done(summary, exit), rows.done(Exit.asVoid(exit)))
    )
  )
  // Before the run is interrupted: rows that land wait for no reader then.
  yield* Effect.addFinalizer(() => rows.shutdown)
  return { rows: Mailbox.toStream(rows), summary: Deferred.await(summary) } satisfies Streamed
})

export const previewed = Effect.fn("Simulation.preview")(function* (options: unknown) {
  const call = yield* resolved(options)
  const found = yield* Checkpoint.find(call.files.checkpoint)
  // No file is opened for writing and none is made.
  return yield* Preview.make(yield* prepared(call, found, true))
})
