/**
 * How long the simulated person keeps answering the agent's questions, and how to learn it from real threads.
 */
import type * as Randomness from "../random/Randomness.ts"
import type { RolloutInfo } from "../task/CurrentRollout.ts"
import * as Language from "../language/Language.ts"

/**
 * A level, or odds of leaving at the agent's first, second, ... question; the last one holds for all that follow.
 * @since 0.1.0
 * @category models
 */
export type Patience = "normal" | "short" | "endless" | ReadonlyArray<number> | Fit

/**
 * The odds of the levels. A default, not a measurement: the first question is always tried, since a person who came with
 * a wish answers at least once. Fit them on threads of your own.
 * @since 0.1.0
 * @category constants
 */
export const levels = {
  normal: [0, 0.35, 0.6],
  short: [0, 0.6, 0.9],
  endless: [0]
} as const

/**
 * The odds a patience stands for.
 * @since 0.1.0
 * @category functions
 */
export const tableOf = (patience: Patience): ReadonlyArray<number> => {
  if (typeof patience === "string") return levels[patience]
  return "table" in patience ? patience.table : patience
}

/**
 * Odds of leaving at a question, counted from 1.
 * @since 0.1.0
 * @category functions
 */
export const oddsAt = (patience: Patience, question: number): number => {
  const table = tableOf(patience)
  return table[Math.min(question, table.length) - 1] ?? 0
}

/**
 * Odds of leaving at a question that asks for what the person cannot know. Under a level they are those of the next
 * question, so the first one can be left too; a fitted table holds such questions already.
 * @since 0.1.0
 * @category functions
 */
export const oddsWhenUnanswerable = (patience: Patience, question: number): number =>
  typeof patience === "string" ? oddsAt(patience, question + 1) : oddsAt(patience, question)

/**
 * Draws for one thread. A question has one draw, so being unanswerable adds to the odds instead of being a second
 * chance to leave.
 * @since 0.1.0
 * @category functions
 */
export const forThread = (
  patience: Patience,
  randomness: Randomness.Service,
  info: Pick<RolloutInfo, "taskId" | "rolloutIndex">
): { readonly leaves: (question: number, unanswerable: boolean) => boolean } => ({
  leaves: (question, unanswerable) => {
    const odds = unanswerable ? oddsWhenUnanswerable(patience, question) : oddsAt(patience, question)
    if (odds <= 0) return false
    return randomness.draw(["patience", info.taskId, info.rolloutIndex], question - 1) < odds
  }
})

/**
 * One thread's end as seen by its questions: left at a question, or still answering when last seen at it.
 * @since 0.1.0
 * @category models
 */
export interface Observation {
  readonly time: number
  readonly left: boolean
}

/**
 * The estimate at one time at which somebody left.
 * @since 0.1.0
 * @category models
 */
export interface Estimate {
  readonly time: number
  /** Those still there just before. */
  readonly atRisk: number
  readonly left: number
  /** Share of those at risk that left. */
  readonly hazard: number
  /** Share of all that stayed beyond this time (Kaplan and Meier 1958). */
  readonly stays: number
  /** Standard error of `stays` (Greenwood 1926). */
  readonly error: number
  /** 95% interval of `stays`, cut to [0, 1]. */
  readonly interval: readonly [number, number]
}

/** Normal quantile of a two-sided 95% interval. */
const z95 = 1.959963984540054

/**
 * Kaplan-Meier estimate with Greenwood intervals; those last seen at a time are at risk at that time.
 * @since 0.1.0
 * @category functions
 */
export const survival = (observations: ReadonlyArray<Observation>): ReadonlyArray<Estimate> => {
  const times = [...new Set(observations.filter((one) => one.left).map((one) => one.time))].sort((a, b) => a - b)
  const out: Array<Estimate> = []
  let stays = 1
  let sum = 0
  for (const time of times) {
    const atRisk = observations.filter((one) => one.time >= time).length
    const left = observations.filter((one) => one.left && one.time === time).length
    const hazard = left / atRisk
    stays *= 1 - hazard
    sum += atRisk === left ? 0 : left / (atRisk * (atRisk - left))
    const error = stays * Math.sqrt(sum)
    const interval = [Math.max(0, stays - z95 * error), Math.min(1, stays + z95 * error)] as const
    out.push({ time, atRisk, left, hazard, stays, error, interval })
  }
  return out
}

/**
 * Patience learned from threads: usable as `patience`.
 * @since 0.1.0
 * @category models
 */
export interface Fit {
  /** Odds of leaving at the first, second, ... question. */
  readonly table: ReadonlyArray<number>
  /** Per question at which somebody left, its risk set and interval. */
  readonly estimates: ReadonlyArray<Estimate>
  /** Threads in which the agent asked anything the person could have answered. */
  readonly threads: number
}

/**
 * A thread to learn from: a row, or a trace read as one.
 * @since 0.1.0
 * @category models
 */
export interface Thread {
  readonly steps: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly ended_by?: unknown
}

/**
 * Estimates the odds of leaving per question. A person left when the thread ends on a question and nothing says that it
 * ended for another reason; threads that were still answering at their end are censored there. A table that never saw a
 * question answered or left is all zero. Questions are read in English unless another language is given.
 * @since 0.1.0
 * @category functions
 */
export const fit = (threads: Iterable<Thread>, { dialogueActs }: Language.Service = Language.english): Fit => {
  const observations: Array<Observation> = []
  for (const thread of threads) {
    const seen = observe(thread, dialogueActs)
    if (seen !== null) observations.push(seen)
  }
  const estimates = survival(observations)
  const last = observations.reduce((most, one) => Math.max(most, one.time), 1)
  const hazards = new Map(estimates.map((estimate) => [estimate.time, estimate.hazard]))
  return {
    table: Array.from({ length: last }, (_, i) => hazards.get(i + 1) ?? 0),
    estimates,
    threads: observations.length
  }
}

const observe = (thread: Thread, acts: Language.DialogueActs): Observation | null => {
  let answered = 0
  let open = false
  for (const step of thread.steps) {
    if (typeof step["text"] === "string" && step["text"] !== "") open = acts.asks(step["text"])
    else if (typeof step["tool"] === "string") open = false
    else if (typeof step["user"] === "string" && open) {
      answered += 1
      open = false
    }
  }
  const left = open && (thread.ended_by === undefined || thread.ended_by === null || thread.ended_by === "user_left")
  if (left) return { time: answered + 1, left }
  return answered === 0 ? null : { time: answered, left }
}
