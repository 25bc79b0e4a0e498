/**
 * Plays a row again from one of its steps on: as it was, or with one thing changed there.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Hash from "../random/Hash.ts"
import type { SimulationError } from "../result/runFailed.ts"
import type { Options } from "../options/Options.ts"
import type { Row } from "../row/Row.ts"
import type * as AgentBackend from "../rollout/AgentBackend.ts"
import { Recorded } from "../rollout/internal/recorded.ts"
import type { RunSettings } from "../settings/RunSettings.ts"
import * as TaskPlayer from "../run/taskPlayer.ts"
import { FaultMode } from "../task/Plan.ts"
import * as Statistics from "../measure/Statistics.ts"
import * as PassMark from "../row/PassMark.ts"
import { upperTail } from "./internal/hypergeometric.ts"
import * as Prefix from "./internal/prefix.ts"
import { ofRows } from "./internal/playerOf.ts"
import { recordedWorld } from "./internal/recordedWorld.ts"

/**
 * What is other than in the record, at the step where the fork begins.
 *
 * - `reply`: the world answers the call at `at` so. The step has to be a call.
 * - `fault`: the call at `at` meets this failure; null: it meets none. The step has to be a call.
 * - `line`: the person says this. The step has to be theirs; the first is the ask.
 * - `agent`: another agent plays from here on.
 * - `patience`: the person's odds of leaving from here on.
 * @since 0.1.0
 * @category models
 */
export type Change =
  | { readonly reply: unknown }
  | { readonly fault: FaultMode | null }
  | { readonly line: string }
  | { readonly agent: AgentBackend.Service }
  | { readonly patience: RunSettings["conversation"]["patience"] }

/**
 * How a row is forked.
 * @since 0.1.0
 * @category models
 */
export interface ForkOptions {
  /** Index into `row.steps`. A step inside one of the agent's turns stands for the beginning of that turn. */
  readonly at: number
  readonly change?: Change
  /** Continuations; 1 when left out. The first draws as the row did. */
  readonly repeats?: number
}

/**
 * What came of a fork.
 * @since 0.1.0
 * @category models
 */
export interface Forked {
  /** Whole rows, the recorded beginning included, with the arm `fork` and `lineage.forked_from`. */
  readonly rows: ReadonlyArray<Row>
  /** Continuations that gave no row. `fork_diverged`: before `at` something was not as in the record. */
  readonly lost: ReadonlyArray<{ readonly reason: string; readonly detail: string }>
}

/**
 * A row cannot be forked so.
 * @since 0.1.0
 * @category errors
 */
export class InvalidFork extends Data.TaggedError("InvalidFork")<{
  readonly problem: string
  readonly fix: string
}> {
  override get message(): string {
    return `The row cannot be forked: ${this.problem}. ${this.fix}`
  }
}

/**
 * Plays a row again from a step on. What came before is the record: calls are answered as recorded while the world is driven
 * through them, so it stands as it stood; a chat, model or HTTP agent goes on from the messages; a function or a command is
 * run from its start, and has to do as recorded until then, else the attempt is lost as `fork_diverged`. `run` are the options
 * the row was made with: agent, tools, prompt, world, person, grader.
 * @since 0.1.0
 * @category functions
 */
export const fork = (
  row: Row,
  { run, ...options }: ForkOptions & { readonly run: Options }
): Effect.Effect<Forked, InvalidFork | SimulationError> =>
  Effect.scoped(Effect.flatMap(of([row], run), (fork) => fork(row, options)))

/**
 * Forks any of these rows; the run's roles are made once.
 * @since 0.1.0
 * @category constructors
 */
export const of = (
  rows: ReadonlyArray<Row>,
  run: Options
): Effect.Effect<
  (row: Row, options: ForkOptions) => Effect.Effect<Forked, InvalidFork>,
  SimulationError,
  Scope.Scope
> => Effect.map(ofRows(rows, run), (player) => (row: Row, options: ForkOptions) => forkWith(player, row, options))

/** One of the rows whose tasks the player has. */
const forkWith = Effect.fnUntraced(function* (
  player: TaskPlayer.TaskPlayer,
  row: Row,
  { at, change, repeats = 1 }: ForkOptions
) {
  const problem = problemOf(row, { at, change, repeats })
  if (problem !== null) return yield* new InvalidFork(problem)
  const task = Prefix.taskAt(player.plan, row, at, change)
  const prefix = Prefix.of(row, at, change)
  const agent = change !== undefined && "agent" in change ? change.agent : undefined
  const settings = Prefix.settingsAt(player.plan.settings, change)
  const indices = Array.from({ length: repeats }, (_, i) => i)
  const plays = yield* Effect.forEach(
    indices,
    (i) => {
      const recorded = new Recorded(prefix.turns, prefix.lines)
      const own = row.rollout_index ?? 0
      const index = i === 0 ? own : forkedIndex(own, at, i)
      return Effect.map(
        player.play(task, index, {
          settings,
          ...(agent === undefined ? {} : { agent }),
          world: (world) => recordedWorld(world, prefix, recorded, player.plan.settings.timeouts.tool),
          recorded
        }),
        (played) => ({ i, played, divergence: recorded.divergence })
      )
    },
    { concurrency: player.plan.settings.concurrency }
  )
  const rows: Array<Row> = []
  const lost: Array<Forked["lost"][number]> = []
  for (const { divergence, i, played } of plays) {
    if (divergence !== null) lost.push({ reason: "fork_diverged", detail: divergence })
    else if (TaskPlayer.isLost(played)) lost.push({ reason: played.reason, detail: played.detail })
    else rows.push(rowOf(row, played, at, change, i))
  }
  return { rows, lost } satisfies Forked
})

/**
 * What the rest of a row is worth from one of the agent's turns on.
 * @since 0.1.0
 * @category models
 */
export interface TurnValue {
  /** Index of the turn's first step. */
  readonly at: number
  /** Graded continuations, their passes, and the mean of their rewards; null without any. */
  readonly of: number
  readonly passes: number
  readonly mean: number | null
  /** Wilson's 95% interval of the pass share; null without continuations. */
  readonly interval: readonly [number, number] | null
}

/**
 * Where a row was lost.
 * @since 0.1.0
 * @category models
 */
export interface Values {
  /** One for each of the agent's turns, in order. */
  readonly turns: ReadonlyArray<TurnValue>
  /** The turn after which fewer continuations pass, by the largest drop that is clear of chance; null where there is none. */
  readonly turning_point: { readonly at: number; readonly from: number; readonly to: number; readonly p: number } | null
  readonly lost: Forked["lost"]
}

/**
 * Continues a row `repeats` times (8) from each of the agent's turns on. The turn with the largest drop in the pass share
 * from before it to after it is where the row was lost, where the drop is clear of chance (Fisher's exact test, one-sided,
 * at .05 over all turns by Bonferroni). After the last turn stands the row's own reward. An agent that always does the same
 * has no turning point: from anywhere on it ends as it did.
 * @since 0.1.0
 * @category functions
 */
export const values = (
  row: Row,
  { run, ...options }: { readonly repeats?: number; readonly passAt?: number; readonly run: Options }
): Effect.Effect<Values, InvalidFork | SimulationError> =>
  Effect.scoped(Effect.flatMap(ofRows([row], run), (player) => valuesWith(player, row, options)))

/**
 * How many turns of the agent a row has; of an agent without turns, its calls and its last word.
 * @since 0.1.0
 * @category functions
 */
export const turnCount = (row: Row): number => Prefix.turnStarts(row).length

/** One of the rows whose tasks the player has. */
const valuesWith = Effect.fnUntraced(function* (
  player: TaskPlayer.TaskPlayer,
  row: Row,
  { passAt = PassMark.passMark, repeats = 8 }: { readonly repeats?: number; readonly passAt?: number } = {}
) {
  const lost: Array<Forked["lost"][number]> = []
  const turns = yield* Effect.forEach(Prefix.turnStarts(row), (at) =>
    Effect.map(forkWith(player, row, { at, repeats }), (forked): TurnValue => {
      lost.push(...forked.lost)
      const rewards = forked.rows.flatMap(({ reward }) => (typeof reward === "number" ? [reward] : []))
      const passes = rewards.filter((reward) => PassMark.isPass(reward, passAt)).length
      const mean = rewards.length === 0 ? null : rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
      return { at, of: rewards.length, passes, mean, interval: Statistics.wilson(passes, rewards.length) }
    })
  )
  const own = typeof row.reward === "number" && PassMark.isPass(row.reward, passAt) ? repeats : 0
  const after = [...turns.slice(1), { passes: own, of: repeats }]
  let turningPoint: Values["turning_point"] = null
  for (const [i, turn] of turns.entries()) {
    const next = after[i]
    if (next === undefined || turn.of === 0 || next.of === 0) continue
    const [from, to] = [turn.passes / turn.of, next.passes / next.of]
    const failed = turn.of - turn.passes + next.of - next.passes
    const p = upperTail([{ tasks: turn.of + next.of, failed, having: next.of, both: next.of - next.passes }])
    const largest = turningPoint === null || from - to > turningPoint.from - turningPoint.to
    if (largest && p <= 0.05 / turns.length) turningPoint = { at: turn.at, from, to, p }
  }
  return { turns, turning_point: turningPoint, lost } satisfies Values
})

/** A place of its own for the draws of each further continuation: no rollout of a group has it. */
const forkedIndex = (index: number, at: number, i: number): number =>
  forkedFrom + Number.parseInt(Hash.sha256Hex(Hash.canonical(["fork", index, at, i])).slice(0, 7), 16)
const forkedFrom = 0x10000000

const rowOf = (row: Row, played: Row, at: number, change: Change | undefined, i: number): Row => {
  const said = change === undefined ? null : saidOf(change)
  return {
    ...played,
    row_id: Hash.id("row", "fork", row.row_id, at, said, i),
    task_id: row.task_id,
    arm: "fork",
    rollout_index: i,
    lineage: {
      ...(played.lineage ?? row.lineage),
      forked_from: { row_id: row.row_id, at, change: said }
    } as NonNullable<Row["lineage"]>
  }
}

/** A change in a few words, as rows tell it. */
const saidOf = (change: Change): string => {
  if ("reply" in change) return "reply"
  if ("fault" in change) return `fault: ${change.fault ?? "none"}`
  if ("line" in change) return `line: ${change.line}`
  return "agent" in change ? `agent: ${change.agent.identity.name}` : "patience"
}

const isFaultMode = Schema.is(FaultMode)

const problemOf = (
  { steps }: Row,
  { at, change, repeats }: { readonly at: number; readonly change: Change | undefined; readonly repeats: number }
): { readonly problem: string; readonly fix: string } | null => {
  if (!Number.isInteger(repeats) || repeats < 1) {
    return { problem: `\`repeats\` is ${repeats}`, fix: "Give a whole number from 1 up." }
  }
  const step = steps[at]
  if (step === undefined) {
    return {
      problem: `it has steps 0 to ${steps.length - 1}, and \`at\` is ${at}`,
      fix: "Give the index of one of its steps."
    }
  }
  if (change === undefined) return null
  if (("reply" in change || "fault" in change) && !("tool" in step)) {
    return { problem: `step ${at} is no call that could be answered otherwise`, fix: "Give the index of a call." }
  }
  if ("fault" in change && change.fault !== null && !isFaultMode(change.fault)) {
    return {
      problem: `there is no failure ${JSON.stringify(change.fault)}`,
      fix: `Give one of ${FaultMode.literals.join(", ")}, or null.`
    }
  }
  if ("agent" in change && typeof change.agent?.play !== "function") {
    return {
      problem: "its `agent` is no agent",
      fix: "Make one of a function with `Agent.fromFunction` or `Agent.chat`."
    }
  }
  if (("reply" in change || "fault" in change) && "tool" in step && !Prefix.reachedWorld(step)) {
    return {
      problem: `the call at step ${at} was refused before it came to the world`,
      fix: "Give the index of a call that the world answered."
    }
  }
  if ("line" in change && !("user" in step)) {
    return { problem: `step ${at} is no line of the person`, fix: "Give the index of one of their lines." }
  }
  return null
}
