/**
 * A run ready to begin: who plays, on what grid, under which id, and what it goes on with.
 */
import type * as Language from "../language/Language.ts"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Grader from "../grade/Grader.ts"
import type * as Meter from "../model/Meter.ts"
import type * as SameModelDetector from "../model/SameModelDetector.ts"
import type * as Randomness from "../random/Randomness.ts"
import type * as AgentBackend from "../rollout/AgentBackend.ts"
import type * as UserSimulator from "../rollout/UserSimulator.ts"
import type * as PinnedTasks from "../row/PinnedTasks.ts"
import type * as RowSink from "../row/RowSink.ts"
import type * as RunMeta from "../report/RunMeta.ts"
import type { TraceMining } from "../report/SearchReport.ts"
import type { Warning } from "../report/Warning.ts"
import type * as Search from "../search/Search.ts"
import type { Grid } from "../situation/Axes.ts"
import type { SeedPerson } from "../situation/SeedPerson.ts"
import type { Service as Writer } from "../situation/SituationWriter.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import type * as World from "../world/World.ts"
import type { Resuming } from "../resume/resumeState.ts"

/** Who plays, resolved. */
export interface RunRoles {
  readonly agent: AgentBackend.Service
  readonly writer: Writer
  /** Who is behind the words of a seed; null where the world cannot be asked. */
  readonly seedPerson: SeedPerson | null
  /** Writes what `writer` could not; null to stop instead. */
  readonly fallback: Writer | null
  /** What results look like, where the writer has to be asked: once, as the run begins. */
  readonly payloads: Effect.Effect<World.Payloads> | null
  readonly world: (imagined: World.Payloads) => World.Service
  /** Null for an agent that talks to nobody. */
  readonly user: UserSimulator.Service | null
  readonly grader: Option.Option<Grader.Service>
  readonly randomness: Randomness.Service
  readonly language: Language.Service
  readonly detector: SameModelDetector.Service
  readonly sink: RowSink.Service
}

export interface RunPlan {
  readonly settings: RunSettings
  readonly cast: RunRoles
  readonly grid: Grid
  /** The earlier run whose tasks are rolled again; null for tasks of this run's own. */
  readonly pinned: PinnedTasks.PinnedTasks | null
  /** What traces aimed at; null without any. */
  readonly tracing: Tracing | null
  readonly ahead: number
  /** What the run's models spend, from the preparation on. */
  readonly meter: Meter.Meter
  readonly runId: string
  /** What makes it the run it is, kept for whoever wants to go on with it. */
  readonly origin: RunMeta.Origin
  /** The run on disk that is gone on with; null for a run that begins. */
  readonly resuming: Resuming | null
  readonly systemPromptSha: string | null
  readonly profile: RunMeta.Profile
  readonly resolvedOptions: Readonly<Record<string, unknown>>
  readonly notes: ReadonlyArray<Warning>
  /** What the preparation had to do without. */
  readonly degraded: ReadonlyArray<Warning>
}

export interface Tracing {
  readonly strategy: string
  readonly report: TraceMining
  readonly leakage: NonNullable<Search.Input["leakage"]>
  readonly failing: NonNullable<Search.Input["traced"]>
  /** What later lines of people came to. */
  readonly lines: () => { readonly refused: number; readonly highest: number }
}
