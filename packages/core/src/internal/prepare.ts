/**
 * From settings and the services in context to a run that is ready to begin.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Grader from "../grade/Grader.ts"
import * as SameModelDetector from "../model/SameModelDetector.ts"
import { InvalidOptions } from "../options/InvalidOptions.ts"
import * as Hash from "../random/Hash.ts"
import * as Randomness from "../random/Randomness.ts"
import { AgentBackend } from "../rollout/AgentBackend.ts"
import { UserSimulator } from "../rollout/UserSimulator.ts"
import * as RowSink from "../row/RowSink.ts"
import * as Warning from "../row/Warning.ts"
import * as Search from "../search/Search.ts"
import * as Axes from "../situation/Axes.ts"
import * as IdPool from "../situation/IdPool.ts"
import { SituationWriter } from "../situation/SituationWriter.ts"
import * as TemplateWriter from "../situation/TemplateWriter.ts"
import type { RunSettings } from "../task/RunSettings.ts"
import * as FaultedWorld from "../world/FaultedWorld.ts"
import * as World from "../world/World.ts"
import type { Prepared } from "./engine.ts"

/** What the call says beside its settings. */
export interface Notes {
  /** Options as resolved, for the report. */
  readonly knobs: Readonly<Record<string, unknown>>
  readonly notes: ReadonlyArray<Warning.Warning>
}

/** Raised when equal inputs give other rows than before. */
const resultsVersion = 1

export const prepare = Effect.fn("Simulation.prepare")(function* (given: RunSettings, { knobs, notes }: Notes) {
  const randomness = yield* Randomness.Randomness
  const agent = yield* AgentBackend
  const settings = settled(given, randomness.seed)
  const axes = Axes.make(settings)
  if (Either.isLeft(axes)) return yield* InvalidOptions.of(axes.left)
  const grid = Axes.grid(axes.right, settings.strength)
  const grader = yield* Grader.Grader
  const pool = poolOf(settings, randomness)
  const template = TemplateWriter.make({
    tools: settings.tools,
    clauses: axes.right.clauses,
    ids: pool,
    random: randomness
  })
  const writer = Option.getOrElse(yield* Effect.serviceOption(SituationWriter), () => template)
  const world = yield* World.World
  const user = agent.turns === "multi" ? (yield* UserSimulator).identity : null
  const written = writer === template
  const systemPromptSha = settings.systemPrompt === "" ? null : Hash.sha256Hex(settings.systemPrompt)
  const runId = Hash.id(
    "run",
    resultsVersion,
    identityOf(settings),
    agent.identity,
    writer.identity,
    world.name,
    user,
    [Option.match(grader, { onNone: () => null, onSome: ({ name, version, model }) => ({ name, version, model }) })]
  )
  const prepared: Prepared = {
    settings,
    cast: {
      agent,
      writer,
      fallback: written || !settings.writerFallback ? null : template,
      world: faulted(world.make({ tools: settings.tools, ids: pool.known, settings, randomness }), settings),
      user,
      grader,
      randomness,
      detector: yield* SameModelDetector.SameModelDetector,
      sink: yield* RowSink.RowSink
    },
    grid,
    leakage: null,
    ahead: written ? 0 : modelAhead,
    runId,
    systemPromptSha,
    profile: {
      tools: settings.tools.map((tool) => ({ ...tool })),
      tools_sha: Hash.sha256Hex(Hash.canonical(settings.tools)),
      policy: settings.systemPrompt,
      policy_sha: systemPromptSha,
      agent: agent.identity.name
    },
    knobs,
    notes: [
      ...notes,
      ...droppedSeeds(settings),
      ...axisNotes(axes.right),
      ...(written && pool.invented ? [inventedIds(pool)] : [])
    ]
  }
  return prepared
})

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

/** Rollouts of a batch when the caller did not say. */
export const batchSize = 32

const poolOf = (settings: RunSettings, random: Randomness.Service): IdPool.IdPool =>
  IdPool.make({
    tools: settings.tools,
    ids: settings.ids,
    texts: settings.seeds.map(({ prompt }) => prompt),
    systemPrompt: settings.systemPrompt,
    random
  })

/** What of the settings changes results: not how many run at once, how long they may take, or what was given. */
const identityOf = ({
  concurrency: _c,
  timeouts: _t,
  timeBudget: _b,
  given: _g,
  runs: _r,
  ...settings
}: RunSettings): unknown => settings

const droppedSeeds = (settings: RunSettings): ReadonlyArray<Warning.Warning> => {
  const dropped = settings.seeds.slice(Search.seedsKept(settings)).map(({ prompt }) => prompt)
  if (dropped.length === 0) return []
  const needed = settings.seeds.length * settings.repeats
  return [
    Warning.make(
      "seeds_dropped",
      `A budget of ${settings.budget} does not pay for ${settings.repeats} rows of each of ${settings.seeds.length} seeds; ` +
        `these are not run: ${dropped.map((prompt) => JSON.stringify(prompt)).join(", ")}.`,
      `Raise \`budget\` to ${needed}, or lower \`repeats\`.`,
      { dropped, needed }
    )
  ]
}

const axisNotes = ({ rules: { used, found } }: Axes.Axes): ReadonlyArray<Warning.Warning> =>
  used < found
    ? [
        Warning.make(
          "rules_capped",
          `The policy has ${found} clauses, and ${used} of ${found} are on the rule axis.`,
          "Raise `advanced.ruleCap` to cover the others too.",
          { used, found }
        )
      ]
    : []

const inventedIds = (pool: IdPool.IdPool): Warning.Warning =>
  Warning.make(
    "ids_invented",
    `Asks name invented identifiers (${pool.inventedArguments.join(", ")}): nothing says which exist.`,
    "Name identifiers that exist in the agent's world with `ids`, or put them in `seeds`.",
    { arguments: [...pool.inventedArguments] }
  )
