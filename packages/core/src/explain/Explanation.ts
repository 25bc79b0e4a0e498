/**
 * A run's commonest failure explained: what goes with it, the smallest task that still fails, what that hangs on, and the
 * turn at which it was lost.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Options } from "../options/Options.ts"
import type { SimulationError } from "../result/runFailed.ts"
import * as PassMark from "../row/PassMark.ts"
import { isFork } from "../row/internal/forks.ts"
import type { Row } from "../row/Row.ts"
import type * as Blame from "./Blame.ts"
import * as Fork from "./Fork.ts"
import * as Minimise from "./Minimise.ts"

/**
 * Which failure is explained.
 * @since 0.1.0
 * @category models
 */
export interface Wanted {
  /** The row to explain; by default the shortest of the class. */
  readonly row?: string | undefined
  /** The failure class; by default the commonest. */
  readonly class?: string | undefined
  /** The least reward of a pass (1). */
  readonly passAt?: number | undefined
}

/**
 * What was found out about a row.
 * @since 0.1.0
 * @category models
 */
export interface Explanation {
  /** In one sentence. */
  readonly sentence: string
  readonly failure_class: string | null
  /** The row that was explained. */
  readonly row_id: string
  readonly minimised: Minimise.Minimised
  /** Of the minimal task's row; null where too little of the budget was left, or nothing failed again. */
  readonly values: Fork.Values | null
  /** Rollouts that were played. */
  readonly rollouts: number
}

/**
 * There is nothing to explain.
 * @since 0.1.0
 * @category errors
 */
export class NothingToExplain extends Data.TaggedError("NothingToExplain")<{
  readonly problem: string
  readonly fix: string
}> {
  override get message(): string {
    return `${this.problem}. ${this.fix}`
  }
}

/**
 * Looks through rows for the one that explains a failure best: the one named, else the shortest that failed by the class, of
 * equals the first. Holds one row of each class, however many are added.
 * @since 0.1.0
 * @category constructors
 */
export const candidates = ({ class: wanted, passAt = PassMark.passMark, row: id }: Wanted = {}): {
  readonly add: (row: Row) => void
  readonly choose: Effect.Effect<Row, NothingToExplain>
} => {
  const classes = new Map<string, { shortest: Row; rows: number }>()
  let named = null as Row | null
  const nothing = (problem: string, fix: string) => Effect.fail(new NothingToExplain({ problem, fix }))
  return {
    add: (row) => {
      if (isFork(row)) return
      if (row.row_id === id) named = row
      if (typeof row.reward !== "number" || PassMark.isPass(row.reward, passAt)) return
      const name = row.failure_class ?? "failed"
      const known = classes.get(name)
      if (known === undefined) classes.set(name, { shortest: row, rows: 1 })
      else {
        known.rows += 1
        if (lengthOf(row) < lengthOf(known.shortest)) known.shortest = row
      }
    },
    choose: Effect.suspend(() => {
      if (named !== null) {
        const { reward } = named
        if (typeof reward !== "number") return nothing(`the row ${id} has no reward`, "Grade the rows first.")
        return PassMark.isPass(reward, passAt)
          ? nothing(`the row ${id} passed`, "Give the row_id of a row that lost reward.")
          : Effect.succeed(named)
      }
      if (id !== undefined) return nothing(`no row has the id ${id}`, "Give the row_id of one of the run's rows.")
      const ordered = [...classes].sort(([a, x], [b, y]) => y.rows - x.rows || (a < b ? -1 : 1))
      const [commonest] = ordered
      if (commonest === undefined)
        return nothing("no row lost reward", "Grade the rows first, or explain a run with failures.")
      const found = wanted === undefined ? commonest[1] : classes.get(wanted)
      if (found !== undefined) return Effect.succeed(found.shortest)
      return nothing(
        `no row failed by ${wanted}`,
        `Classes that failed are: ${ordered.map(([name]) => name).join(", ")}.`
      )
    })
  }
}

const lengthOf = ({ prompt, steps }: Row): number => steps.length * 10_000 + prompt.length

/** Continuations of each turn; fewer show no drop that is clear of chance. */
const continuations = 8

/**
 * Explains why a row failed by playing: minimises its task, leaves out each part the failure needs, and continues the
 * minimal row from each of the agent's turns on. Plays `budget` (200) rollouts at most. `run` are the options the row was
 * made with.
 * @since 0.1.0
 * @category functions
 */
export const explain = (
  row: Row,
  {
    budget = 200,
    passAt = PassMark.passMark,
    run
  }: { readonly budget?: number; readonly passAt?: number } & {
    readonly run: Options
  }
): Effect.Effect<Explanation, SimulationError> =>
  Effect.gen(function* () {
    const minimised = yield* Minimise.minimise(row, { run, budget, passAt })
    const lost = minimised.row
    const turns = lost === null ? 0 : Fork.turnCount(lost)
    const left = budget - minimised.rollouts
    const values =
      lost === null || minimised.outcome === "not_reproduced" || turns * continuations > left
        ? null
        : yield* Effect.catchTag(Fork.values(lost, { run, repeats: continuations, passAt }), "InvalidFork", Effect.die)
    return {
      sentence: sentenceOf(minimised),
      failure_class: minimised.failure_class,
      row_id: row.row_id,
      minimised,
      values,
      rollouts: minimised.rollouts + (values === null ? 0 : turns * continuations)
    }
  })

/**
 * What a minimised task says, in one sentence.
 * @since 0.1.0
 * @category functions
 */
export const sentenceOf = (found: Minimise.Minimised): string => {
  const failed = (count: Blame.Count): string => `${count.failed} of ${count.of}`
  const by = found.failure_class === null ? "fails" : `fails by ${found.failure_class}`
  switch (found.outcome) {
    case "not_reproduced":
      if (found.whole.of === 0) {
        const why =
          found.lost.first === null ? "nobody graded" : `the first was lost by ${found.lost.first.replace(/\.$/, "")}`
        return `None of ${found.rollouts} rollouts of the row's task gave a row with a reward: ${why}.`
      }
      return `The row did not fail again: ${failed(found.whole)} rollouts of its task ${by.replace("fails", "failed")}. The agent fails there by chance, or the run was made with other options.`
    case "fails_without_all":
      return `The request of this task alone is enough: the agent ${by} in ${failed(found.neutral)} rollouts with every other part of the task left out.`
    case "budget":
      return `The budget ended before the task was minimal: it ${by} with ${listed(found)} (${failed(found.minimal)} rollouts).`
    case "minimal": {
      const without = found.flips.map((flip) => `without ${flip.factor.without} ${failed(flip)}`)
      return `In this task the agent ${by} with ${listed(found)}: ${failed(found.minimal)} rollouts${without.length === 0 ? "" : `, ${without.join(", ")}`}.`
    }
  }
}

const listed = ({ needed }: Minimise.Minimised): string => {
  const parts = needed.map(({ without }) => without)
  if (parts.length <= 1) return parts[0] ?? "the request alone"
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
}
