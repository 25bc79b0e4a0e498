/**
 * From settings and the services in context to a run that is ready to begin.
 */
import { Language } from "../language/Language.ts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import type { ToolRefusal } from "../model/ChatModel.ts"
import * as Embedder from "../model/Embedder.ts"
import { Meter } from "../model/Meter.ts"
import { ModelWatch } from "../model/ModelCall.ts"
import * as SameModelDetector from "../model/SameModelDetector.ts"
import { InvalidOptions, type OptionIssue } from "../options/InvalidOptions.ts"
import type { Traces as TracesOption } from "../options/Options.ts"
import * as Hash from "../random/Hash.ts"
import * as Randomness from "../random/Randomness.ts"
import { AgentBackend, Code, type Service as AgentService } from "../rollout/AgentBackend.ts"
import { UserSimulator } from "../rollout/UserSimulator.ts"
import type { PinnedTasks } from "../row/PinnedTasks.ts"
import * as RowSink from "../row/RowSink.ts"
import type * as RunMeta from "../report/RunMeta.ts"
import type { Imported } from "../traces/TraceFormat.ts"
import * as Warning from "../report/Warning.ts"
import * as Axes from "../situation/Axes.ts"
import * as IdPool from "../situation/IdPool.ts"
import * as Leakage from "../situation/Leakage.ts"
import * as SeedPerson from "../situation/SeedPerson.ts"
import { SituationWriter, type Kind, type RunInput } from "../situation/SituationWriter.ts"
import * as TemplateWriter from "../situation/TemplateWriter.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import { batchSize } from "../settings/settingTable.ts"
import type { Tool } from "../task/Tool.ts"
import * as ToolSet from "../task/ToolSet.ts"
import * as PolicyChecks from "../world/internal/policyChecks.ts"
import * as Census from "../world/Census.ts"
import type { Draw } from "../world/Draws.ts"
import * as FaultedWorld from "../world/FaultedWorld.ts"
import * as World from "../world/World.ts"
import type { RunPlan } from "./runPlan.ts"
import * as RunNotes from "./notes.ts"
import * as Fingerprint from "../resume/fingerprint.ts"
import * as Traces from "./traceOptions.ts"

/** What the call says beside its settings. */
export interface Notes {
  /** Options as resolved, for the report. */
  readonly resolvedOptions: Readonly<Record<string, unknown>>
  readonly notes: ReadonlyArray<Warning.Warning>
  /** Traces that were read, and what they are for. */
  readonly traces?: (Imported & { readonly strategy: TracesOption["strategy"] }) | null
  /** The earlier run that `settings.tasks` comes from. */
  readonly pinned?: PinnedTasks | null
  /** The run on disk that is to be gone on with. */
  readonly resumed?: RunMeta.RunMeta | null
  /** Nothing may be called: the plan of a preview. */
  readonly dry?: boolean
}

export const prepare = Effect.fn("Simulation.prepare")(function* (given: RunSettings, call: Notes) {
  const randomness = yield* Randomness.Randomness
  const language = yield* Language
  const agent = yield* AgentBackend
  const kind = yield* SituationWriter
  const meter = new Meter(given)
  const drafted = yield* Effect.provideService(draftedTools(given, agent, kind, call), ModelWatch, meter)
  const untellable = agent.model?.refusals?.(drafted.tools) ?? []
  if (untellable.length > 0) return yield* InvalidOptions.of(untellable.map(toolIssue))
  const settings = settled({ ...given, tools: ToolSet.make(drafted.tools) }, randomness.seed)
  const traced = call.traces ? Traces.make(call.traces, settings.tools.list, call.traces.strategy) : null
  if (traced !== null && traced.issues.length > 0) return yield* InvalidOptions.of(traced.issues)
  const axes = Axes.make(settings, traced?.aim)
  if (Either.isLeft(axes)) return yield* InvalidOptions.of(axes.left)
  const grid = Axes.grid(axes.right, settings.strength, growthOf(settings))
  const grader = yield* Grader.Grader
  const pool = poolOf(settings, randomness, traced)
  const world = yield* World.World
  const embedder = yield* Embedder.Embedder
  const known = traced?.payloads ?? new Map<string, ReadonlyArray<unknown>>()
  const worldInput = { tools: settings.tools, ids: pool.known, settings, randomness, payloads: known }
  const shapeless = world.usesPayloads === true ? settings.tools.list.filter((tool) => isShapeless(tool, known)) : []
  const shown = world.shows === true && call.dry !== true ? yield* shownBy(world, worldInput, pool) : null
  const drawOver = (imagined: World.Payloads): Draw | null =>
    world.draws?.({ ...worldInput, payloads: new Map([...imagined, ...known]) }) ?? shown
  // What a world will answer by results that are still to be imagined, nobody can draw from yet.
  const draw = kind.model !== undefined && shapeless.length > 0 ? null : drawOver(new Map())
  const run: RunInput = {
    settings,
    clauses: axes.right.clauses,
    ids: pool,
    randomness,
    embedder,
    shapeless,
    draw,
    drawOver
  }
  const own = kind.make(run)
  const byWords = traced === null || embedder.byWords === true || call.dry === true
  const writer = byWords ? own : Leakage.measured(own, traced.leakage, embedder)
  const person = agent.turns === "multi" ? yield* UserSimulator : null
  const guarded = person === null || traced === null ? null : Leakage.guard(person, traced.leakage)
  const systemPromptSha = settings.systemPrompt === "" ? null : Hash.sha256Hex(settings.systemPrompt)
  const players: Fingerprint.Players = {
    agent: agent.identity,
    code: Fingerprint.declares(agent.identity) ? null : yield* Code,
    writer: writer.identity,
    world: world.name,
    user: person?.identity ?? null,
    grader: Option.match(grader, {
      onNone: () => null,
      onSome: ({ name, version, model }) => ({ name, version, model })
    }),
    traces: traced?.identity ?? null
  }
  const prepared: RunPlan = {
    settings,
    cast: {
      agent,
      writer,
      seedPerson: draw === null ? null : SeedPerson.make(draw, pool, settings.tools.list),
      fallback: own.deterministic === true || !settings.writerFallback ? null : TemplateWriter.kind.make(run),
      payloads: writer.payloads ?? null,
      world: (imagined) => {
        const payloads = new Map([...imagined, ...known])
        return faulted(world.make({ ...worldInput, payloads }), settings)
      },
      user: guarded?.user ?? person,
      grader,
      randomness,
      language,
      detector: yield* SameModelDetector.SameModelDetector,
      sink: yield* RowSink.RowSink
    },
    grid,
    pinned: call.pinned ?? null,
    tracing:
      traced === null
        ? null
        : {
            ...traced,
            strategy: traced.strategy === "auto" ? "trace" : traced.strategy,
            lines: guarded?.seen ?? unsaid
          },
    ahead: own.deterministic === true ? 0 : modelAhead,
    meter,
    runId: call.resumed?.run_id ?? Fingerprint.runId(settings, players),
    origin: Fingerprint.originOf(settings, players),
    resuming: null,
    systemPromptSha,
    profile: {
      tools: settings.tools.list.map((tool) => ({ ...tool })),
      tools_sha: Hash.sha256Hex(Hash.canonical(settings.tools.list)),
      policy: settings.systemPrompt,
      policy_sha: systemPromptSha,
      agent: agent.identity.name
    },
    resolvedOptions: call.resolvedOptions,
    notes: [
      ...call.notes,
      ...(traced?.notes ?? []),
      ...RunNotes.droppedSeeds(settings),
      ...RunNotes.cappedRules(axes.right),
      ...RunNotes.guessedKinds(settings),
      ...(kind.namesIds === true && pool.invented ? [RunNotes.inventedIds(pool)] : []),
      ...(kind.namesIds === true &&
      shown === null &&
      world.shows === true &&
      call.dry !== true &&
      PolicyChecks.fieldsOf(settings.systemPrompt).size > 0
        ? [RunNotes.peopleUnknown]
        : [])
    ],
    degraded: drafted.degraded
  }
  return prepared
})

/** Tools for a model that was given a prompt alone, as its writer imagines them. */
const draftedTools = (
  { systemPrompt, tasks, tools: { list: tools } }: RunSettings,
  agent: AgentService,
  kind: Kind,
  { dry, resumed }: Notes
): Effect.Effect<{ readonly tools: ReadonlyArray<Tool>; readonly degraded: ReadonlyArray<Warning.Warning> }> => {
  const wanted = tools.length === 0 && systemPrompt !== "" && tasks === null && agent.kind === "model"
  if (wanted && resumed) return Effect.succeed({ tools: resumed.profile.tools.map(keptTool), degraded: [] })
  if (!wanted || dry === true || kind.draftTools === undefined) return Effect.succeed({ tools, degraded: [] })
  return Effect.match(kind.draftTools(systemPrompt), {
    onFailure: ({ detail }) => ({ tools, degraded: [Warning.degraded.tool_draft_unavailable({ detail })] }),
    onSuccess: (drafts) => ({ tools: drafts, degraded: [] })
  })
}

/** A tool of the profile: it was a tool when it was written there. */
const keptTool = (tool: RunMeta.Profile["tools"][number]): Tool => tool as unknown as Tool

/** A tool that the agent's model cannot be told of. */
const toolIssue = ({ fix, path, problem, tool }: ToolRefusal): OptionIssue => ({
  option: `tools (${tool}) ${path}`,
  problem: `cannot be told to the agent's model: it ${problem}`,
  fix
})

/** Cells that the budget can use where each situation gets one rollout; a replay places nothing. */
const growthOf = ({ budget, hardShare, seed, situations, tasks }: RunSettings): Axes.Growth => {
  const wanted = tasks === null ? Math.min(budget, situations ?? budget, mostCells) : 0
  const hard = Math.ceil((wanted * hardShare) / 3)
  return {
    seed,
    wanted: { ordinary: Math.ceil(wanted * (1 - hardShare)), ambiguous: hard, boundary: hard, adversarial: hard }
  }
}

/** Beyond so many cells, those there are come up again: finding more costs more than it brings. */
const mostCells = 4096

/** People and records of a world of the caller's, where identifiers that exist let it be asked; null where they do not. */
const shownBy = (
  world: World.Kind,
  input: World.WorldInput & { readonly settings: RunSettings },
  pool: IdPool.IdPool
): Effect.Effect<Draw | null> => {
  const declared: Record<string, Array<string>> = {}
  const add = (argument: string, id: string): void => void (declared[argument] ??= []).push(id)
  for (const [argument, ids] of Object.entries(input.settings.ids)) for (const id of ids) add(argument, id)
  for (const { prompt } of input.settings.seeds) for (const { argument, id } of pool.find(prompt)) add(argument, id)
  if (Object.keys(declared).length === 0) return Effect.succeed(null)
  return Census.read(world.make(input), input, declared).pipe(
    Effect.scoped,
    // A world that cannot be opened says so in its first rollout.
    Effect.catchAll(() => Effect.succeed(null))
  )
}

/** Nothing says what its results look like. */
const isShapeless = (tool: Tool, payloads: ReadonlyMap<string, unknown>): boolean =>
  tool.output === undefined && tool.example === undefined && !payloads.has(tool.name)

const unsaid = () => ({ refused: 0, highest: 0 })

/** The run's world with each task's faults over it. */
const faulted = (world: World.Service, settings: RunSettings): World.Service => ({
  name: world.name,
  open: (task, key) => Effect.map(world.open(task, key), (session) => FaultedWorld.wrap(session, task, settings))
})

/** Situations asked of a writer that takes time before they are needed. */
const modelAhead = 8

/** At concurrency 1 the batch order costs nothing, so a plain serial run gives the same rows as a reproducible one. */
const settled = (settings: RunSettings, seed: number): RunSettings => ({
  ...settings,
  seed,
  order:
    settings.order._tag === "Free" && settings.concurrency === 1 ? { _tag: "Batch", size: batchSize } : settings.order
})

const poolOf = (settings: RunSettings, random: Randomness.Service, traced: Traces.Traced | null): IdPool.IdPool =>
  IdPool.make({
    tools: settings.tools.list,
    ids: settings.ids,
    mined: traced?.ids ?? {},
    texts: [...settings.seeds.flatMap(({ plan, prompt }) => [prompt, plan?.need ?? ""]), ...(traced?.texts ?? [])],
    systemPrompt: settings.systemPrompt,
    random
  })
