/**
 * How often variants of a task fail the same way, rolled no more often than it takes to know.
 */
import * as Effect from "effect/Effect"
import * as PassMark from "../../row/PassMark.ts"
import type { Row } from "../../row/Row.ts"
import * as TaskPlayer from "../../run/taskPlayer.ts"
import type { Count } from "../Blame.ts"
import type { Factored, TaskFactor, Variant } from "./taskFactors.ts"

/** What is looked for: the class of the row that failed; without one any row that is no pass. */
export interface Failing {
  readonly failureClass: string | undefined
  readonly passAt: number
}

export const failsSo = (row: Row, { failureClass, passAt }: Failing): boolean =>
  typeof row.reward === "number" &&
  !PassMark.isPass(row.reward, passAt) &&
  (failureClass === undefined || row.failure_class === failureClass)

/** The budget of rollouts is spent. */
export class Spent {
  readonly _tag = "Spent"
}

/** Error bounds of one decision. */
export interface Test {
  /** Share of failures of a variant that fails as the task does, and of one that does not. */
  readonly failing: number
  readonly clean: number
  /** Chance of deciding wrongly, either way. */
  readonly error: number
}

interface Tally {
  failed: number
  of: number
  played: number
  /** A row that failed so. */
  failing: Row | null
}

export class Trials {
  private readonly player: TaskPlayer.TaskPlayer
  private readonly factored: Factored
  private readonly looked: Failing
  private readonly budget: number
  private readonly tallies = new Map<string, Tally>()
  used = 0
  /** Rollouts that gave no row, and how the first ended. */
  readonly lost: { rollouts: number; first: string | null } = { rollouts: 0, first: null }

  /** Who graded the first row that was graded. */
  judge: string | null = null

  constructor(player: TaskPlayer.TaskPlayer, factored: Factored, looked: Failing, budget: number) {
    this.player = player
    this.factored = factored
    this.looked = looked
    this.budget = budget
  }

  /** Plays a variant until `n` of its rollouts are graded, those of before counted. */
  count(kept: ReadonlySet<TaskFactor>, n: number): Effect.Effect<Count, Spent> {
    return Effect.gen(this, function* () {
      const tally = this.tallyOf(kept)
      const variant = this.factored.variant(kept)
      let left = n - tally.of
      // Rollouts that are lost give no verdict: as many again may be tried.
      for (let tries = 0; left > 0 && tries < 3; tries++, left = n - tally.of) yield* this.play(variant, tally, left)
      return { failed: tally.failed, of: tally.of }
    })
  }

  /** What is known of a variant; nothing is played. */
  known(kept: ReadonlySet<TaskFactor>): Count {
    const { failed, of } = this.tallyOf(kept)
    return { failed, of }
  }

  /**
   * Whether a variant fails as the task does: Wald's sequential test (1945) of two shares, a rollout at a time.
   */
  fails(kept: ReadonlySet<TaskFactor>, { clean, error, failing }: Test): Effect.Effect<boolean, Spent> {
    return Effect.gen(this, function* () {
      const tally = this.tallyOf(kept)
      const variant = this.factored.variant(kept)
      // Odds instead of their logarithms: a product says the same.
      const bound = (1 - error) / error
      while (true) {
        const odds = (failing / clean) ** tally.failed * ((1 - failing) / (1 - clean)) ** (tally.of - tally.failed)
        if (odds >= bound) return true
        if (odds <= 1 / bound) return false
        const before = tally.of
        yield* this.play(variant, tally, 1)
        // A variant whose rollouts are lost time and again does not fail the same way.
        if (tally.of === before && tally.played - tally.of >= mostLost) return false
      }
    })
  }

  /** A row of a variant that failed so; null when none did. */
  failingRow(kept: ReadonlySet<TaskFactor>): Row | null {
    return this.tallyOf(kept).failing
  }

  private play(variant: Variant, tally: Tally, n: number): Effect.Effect<void, Spent> {
    const rest = this.budget - this.used
    if (rest < n) return Effect.fail(new Spent())
    this.used += n
    const from = tally.played
    tally.played += n
    return Effect.forEach(
      Array.from({ length: n }, (_, i) => from + i),
      (index) =>
        Effect.map(this.player.play(variant.task, index, variant.changes), (played) => {
          if (TaskPlayer.isLost(played)) {
            this.lost.rollouts += 1
            this.lost.first ??= `${played.reason}: ${played.detail}`
            return
          }
          if (typeof played.reward !== "number") return
          this.judge ??= played.judge_name ?? null
          tally.of += 1
          if (!failsSo(played, this.looked)) return
          tally.failed += 1
          tally.failing ??= played
        }),
      { concurrency: this.player.plan.settings.concurrency, discard: true }
    )
  }

  private tallyOf(kept: ReadonlySet<TaskFactor>): Tally {
    const key = this.factored.factors.map((factor) => (kept.has(factor) ? "1" : "0")).join("")
    const tally = this.tallies.get(key) ?? { failed: 0, of: 0, played: 0, failing: null }
    this.tallies.set(key, tally)
    return tally
  }
}

const mostLost = 6
