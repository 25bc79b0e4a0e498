/**
 * What a run would do, found by playing its search without an agent.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Report from "../report/Report.ts"
import type { SearchReport } from "../report/SearchReport.ts"
import type { Warning } from "../report/Warning.ts"
import * as Rehearsal from "../search/Rehearsal.ts"
import * as Search from "../search/Search.ts"
import type { Tier } from "../task/Cell.ts"
import type { Task } from "../task/Task.ts"
import * as RunLoop from "./runLoop.ts"
import type { RunPlan } from "./runPlan.ts"

/**
 * What a run would do.
 * @since 0.1.0
 * @category models
 */
export interface Preview {
  readonly runId: string
  /** The asks in the order of the run; those a model would write are left out. */
  readonly asks: ReadonlyArray<{
    readonly prompt: string
    readonly tier: Tier | null
    readonly arm: Task["arm"]
    readonly dimensions: Task["dimensions"]
    readonly worldState: string | null
    readonly faults: Task["faults"]
    readonly rollouts: number
  }>
  readonly counts: {
    readonly situations: number
    readonly asks: number
    /** The least a run gives: groups with verdicts that differ get more. */
    readonly rollouts: number
    readonly budget: number
  }
  /** False for a run of more rollouts than a preview plays: counts and calls are then of its beginning, and the least. */
  readonly isWhole: boolean
  readonly stoppedBecause: string | null
  readonly coverage: Report.Coverage
  readonly tierMix: SearchReport["tier_mix"]
  readonly seedsDropped: ReadonlyArray<string>
  /** Calls by role; null for a role whose number of calls depends on what is said. */
  readonly calls: {
    readonly agent: number
    readonly writer: number
    readonly user: number | null
    readonly judge: number
  }
  readonly knobs: Readonly<Record<string, unknown>>
  readonly warnings: ReadonlyArray<Warning>
}

/** Rollouts that a preview plays at most: what nobody reads is not worth the time and the memory of a whole run. */
const mostRollouts = 5000

export const make = Effect.fn("Preview.make")(function* (prepared: RunPlan) {
  const { cast, settings } = prepared
  const judged = Option.isSome(cast.grader)
  const shown = cast.writer.deterministic === true
  const { isWhole, state, tasks, writes } = yield* Rehearsal.play(
    RunLoop.inputOf(prepared, RunLoop.pinnedOf(settings)),
    shown ? cast.writer : null,
    mostRollouts
  )
  const tables = Search.report([state])
  const preview: Preview = {
    runId: prepared.runId,
    asks: tasks.map(({ task, rollouts }) => ({
      prompt: task.prompt,
      tier: task.tier,
      arm: task.arm,
      dimensions: task.dimensions,
      worldState: task.worldState,
      faults: task.faults,
      rollouts
    })),
    counts: {
      situations: state.situations,
      asks: tasks.length,
      rollouts: state.requested,
      budget: settings.budget
    },
    isWhole,
    stoppedBecause: state.stopped,
    coverage: state.coverage.report(),
    tierMix: tables.tier_mix,
    seedsDropped: tables.seeds_dropped ?? [],
    calls: {
      agent: state.requested,
      writer: shown ? 0 : writes.requests,
      user: cast.user === null ? 0 : null,
      judge: judged && Option.getOrThrow(cast.grader).model !== null ? state.requested : 0
    },
    knobs: prepared.resolvedOptions,
    warnings: prepared.notes
  }
  return preview
})
