/**
 * The smallest task that still fails the same way.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Options } from "../options/Options.ts"
import type { SimulationError } from "../result/runFailed.ts"
import * as PassMark from "../row/PassMark.ts"
import type { Row } from "../row/Row.ts"
import type * as TaskPlayer from "../run/taskPlayer.ts"
import type { Count, Flip } from "./Blame.ts"
import { ofRows } from "./internal/playerOf.ts"
import { factored, type TaskFactor } from "./internal/taskFactors.ts"
import { flipRepeats, flipsOf } from "./internal/flips.ts"
import { Trials, type Test } from "./internal/trials.ts"

export type { TaskFactor } from "./internal/taskFactors.ts"

/**
 * How far a task is made smaller.
 * @since 0.1.0
 * @category models
 */
export interface MinimiseOptions {
  /** Rollouts that may be played, at most; 200 when left out. */
  readonly budget?: number
  /** Chance that the result is wrong; .05 when left out. It is shared among the decisions that are made. */
  readonly error?: number
  /** The least reward of a pass (1). */
  readonly passAt?: number
}

/**
 * How it ended.
 *
 * - `minimal`: leaving out any of the needed factors lets the task pass (1-minimal).
 * - `budget`: the rollouts ended first; what is left may be smaller still.
 * - `not_reproduced`: the task did not fail that way again.
 * - `fails_without_all`: it fails with every factor left out, so none of them is its cause.
 * @since 0.1.0
 * @category models
 */
export type Outcome = "minimal" | "budget" | "not_reproduced" | "fails_without_all"

/**
 * A task made smaller, and what its failure needs.
 * @since 0.1.0
 * @category models
 */
export interface Minimised {
  readonly outcome: Outcome
  /** The class it fails by; null where the row has none. */
  readonly failure_class: string | null
  /** A row of the minimal task that failed: `tasks` and `sandtable replay` take it. Null when none failed. */
  readonly row: Row | null
  readonly needed: ReadonlyArray<TaskFactor>
  readonly unneeded: ReadonlyArray<TaskFactor>
  /** The task as it was: failed of graded rollouts. */
  readonly whole: Count
  /** With every factor left out. */
  readonly neutral: Count
  /** The minimal task. */
  readonly minimal: Count
  /** Of the minimal task, one needed factor left out at a time. */
  readonly flips: ReadonlyArray<Flip>
  /** Who graded the rollouts; null where nobody did. */
  readonly judge_name: string | null
  /** Rollouts that were played. */
  readonly rollouts: number
  /** Those of them that gave no row, and how the first ended: `agent_error: ...`. */
  readonly lost: { readonly rollouts: number; readonly first: string | null }
}

/**
 * Finds the smallest task that fails as this row did: its class, or any failure where it has none. Sets of factors are
 * searched by QuickXplain (Junker 2004), which needs fewer plays than delta debugging where few factors matter; whether a
 * set still fails is decided by a sequential test between the failure shares of the task and of the task without all its
 * factors. `run` are the options the row was made with.
 * @since 0.1.0
 * @category functions
 */
export const minimise = (
  row: Row,
  { run, ...options }: MinimiseOptions & { readonly run: Options }
): Effect.Effect<Minimised, SimulationError> =>
  Effect.scoped(Effect.flatMap(ofRows([row], run), (player) => minimiseWith(player, row, options)))

/** Rollouts of the task as it was, and of the task without its factors: what the shares of the test come from. */
const baseline = 8
/** Where some of them passed, the shares are worth knowing better. */
const longBaseline = 16
/** Decisions that a search makes, generously: the error is shared among so many. */
const decisions = 40

/** One of the rows whose tasks the player has. */
const minimiseWith = Effect.fnUntraced(function* (
  player: TaskPlayer.TaskPlayer,
  row: Row,
  { budget = 200, error = 0.05, passAt = PassMark.passMark }: MinimiseOptions = {}
) {
  const task = player.plan.pinned?.tasks.find(({ id }) => id === row.task_id) ?? player.plan.pinned?.tasks[0]
  if (task === undefined) throw new Error("a player of rows has their tasks")
  const parts = factored(task, player.plan.settings, player.plan.cast.agent.turns === "multi")
  const trials = new Trials(player, parts, { failureClass: row.failure_class, passAt }, budget)
  const all = new Set(parts.factors)
  const none: ReadonlySet<TaskFactor> = new Set()
  const found = { kept: all as ReadonlySet<TaskFactor> }

  const search = Effect.gen(function* () {
    const whole = yield* share(trials, all)
    if (whole.failed === 0) return "not_reproduced" as const
    const neutral = yield* share(trials, none)
    const test: Test = {
      failing: rate(whole),
      clean: Math.min(rate(neutral), rate(whole) / 2),
      error: error / decisions
    }
    const fails = (kept: ReadonlyArray<TaskFactor>) =>
      Effect.tap(trials.fails(new Set(kept), test), (failed) => {
        if (failed && kept.length < found.kept.size) found.kept = new Set(kept)
      })
    if (parts.factors.length === 0 || (yield* fails([]))) return "fails_without_all" as const
    let kept = yield* quickXplain(parts.factors, fails)
    // A set that is not monotone can hide a smaller one: each factor is left out once more.
    for (let smaller = true; smaller;) {
      smaller = false
      for (const factor of kept) {
        const others = kept.filter((one) => one !== factor)
        if (!(yield* fails(others))) continue
        kept = others
        smaller = true
        break
      }
    }
    found.kept = new Set(kept)
    if (!(yield* fails(kept))) return "not_reproduced" as const
    return "minimal" as const
  })
  const ended = yield* Effect.either(search)
  const outcome: Outcome = Either.isRight(ended) ? ended.right : "budget"
  const needed = parts.factors.filter((factor) => found.kept.has(factor))
  const each = Math.min(flipRepeats, Math.floor((budget - trials.used) / (needed.length + 1)))
  const flips =
    outcome === "minimal"
      ? yield* Effect.orElseSucceed(flipsOf(trials, needed, each), (): ReadonlyArray<Flip> => [])
      : []
  const failing = trials.failingRow(found.kept)
  return {
    outcome,
    failure_class: row.failure_class ?? null,
    // chosen by failing, also where it is the task as it was
    row: failing === null ? null : { ...failing, arm: "fork" },
    needed: outcome === "not_reproduced" ? [] : needed,
    unneeded: parts.factors.filter((factor) => !found.kept.has(factor)),
    whole: trials.known(all),
    neutral: trials.known(none),
    minimal: trials.known(found.kept),
    flips,
    judge_name: trials.judge,
    rollouts: trials.used,
    lost: { ...trials.lost }
  } satisfies Minimised
})

const share = (trials: Trials, kept: ReadonlySet<TaskFactor>) =>
  Effect.flatMap(trials.count(kept, baseline), (count) =>
    count.failed === 0 || count.failed === count.of ? Effect.succeed(count) : trials.count(kept, longBaseline)
  )

/** A share that is never 0 or 1 (Jeffreys). */
const rate = ({ failed, of }: Count): number => (failed + 0.5) / (of + 1)

/** A minimal set of factors with which the task fails, where it fails with all of them and not with none. */
const quickXplain = <E>(
  factors: ReadonlyArray<TaskFactor>,
  fails: (kept: ReadonlyArray<TaskFactor>) => Effect.Effect<boolean, E>
): Effect.Effect<ReadonlyArray<TaskFactor>, E> => {
  const within = (
    background: ReadonlyArray<TaskFactor>,
    added: boolean,
    open: ReadonlyArray<TaskFactor>
  ): Effect.Effect<ReadonlyArray<TaskFactor>, E> =>
    Effect.gen(function* () {
      if (added && (yield* fails(background))) return []
      if (open.length <= 1) return open
      const half = Math.floor(open.length / 2)
      const [left, right] = [open.slice(0, half), open.slice(half)]
      const ofRight = yield* within([...background, ...left], left.length > 0, right)
      const ofLeft = yield* within([...background, ...ofRight], ofRight.length > 0, left)
      return [...ofLeft, ...ofRight]
    })
  return within([], false, factors)
}
