/**
 * Whether a run passes often enough, as a test asks it: the outcome, and a failure text that says what to look at.
 */
import { InvalidMeasure, type InMemory, type Interval } from "../Measured.ts"
import * as PassAt from "../PassAt.ts"
import * as Words from "./words.ts"

export interface PassOptions extends PassAt.Options {
  /**
   * What is held against the threshold: `rate` (the default), the pass rate itself; `lower`, the lower end of its 95%
   * interval, so that a lucky small run does not pass.
   */
  readonly hold?: "rate" | "lower"
  /** Lost rollouts count as failures unless this is `leave_out`. */
  readonly lost?: "fail" | "leave_out"
}

/** How many of the worst asks a failure names. */
const named = 5

/** Throws `InvalidMeasure` for what cannot be measured or makes no sense. */
export const passAtLeast = (
  received: unknown,
  threshold: number,
  options: PassOptions = {}
): { readonly pass: boolean; readonly message: () => string } => {
  if (!(threshold >= 0 && threshold <= 1)) {
    throw new InvalidMeasure({ option: "threshold", problem: `is ${threshold}`, fix: "Give a pass rate in [0, 1]." })
  }
  if (!isMeasurable(received)) {
    const problem = `is ${received === null ? "null" : typeof received}`
    throw new InvalidMeasure({ option: "expect(...)", problem, fix: "Give a run (SimulationData) or its rows." })
  }
  // Rows may come from something that can be read once.
  const run = Symbol.iterator in received ? [...received] : received
  const result = PassAt.passAt(run, options)
  const reading = readingOf(result, options)
  const held = options.hold === "lower" ? (reading.interval?.[0] ?? null) : reading.rate
  return {
    pass: held !== null && held >= threshold,
    message: () => messageOf(run, result, reading, held, threshold, options)
  }
}

interface Reading {
  readonly rate: number | null
  readonly tasks: number
  readonly interval: Interval | null
}

const readingOf = (
  { lost, pass_at_1, pass_at_1_bound, pass_at_1_interval, tasks }: PassAt.PassAt,
  options: PassOptions
): Reading =>
  options.lost === "leave_out" || lost.pass_at_1 === pass_at_1
    ? { rate: pass_at_1, tasks, interval: pass_at_1_interval ?? pass_at_1_bound }
    : { rate: lost.pass_at_1, tasks: lost.tasks, interval: lost.pass_at_1_interval }

const isMeasurable = (received: unknown): received is InMemory =>
  typeof received === "object" && received !== null && (Symbol.iterator in received || "rows" in received)

const messageOf = (
  run: InMemory,
  result: PassAt.PassAt,
  { interval, rate, tasks }: Reading,
  held: number | null,
  threshold: number,
  options: PassOptions
): string => {
  const { graded, lost, notes, rows, tasks_of } = result
  const wanted = Words.percent(threshold)
  const over = held !== null && held >= threshold
  const what = options.hold === "lower" ? "the lower end of its interval" : "it"
  const range = interval === null ? "no interval" : Words.range(interval)
  const rateText =
    rate === null
      ? "it has no pass rate"
      : `it passed ${Words.percent(rate)} ${range} over ${Words.of(tasks, tasks_of, "task")}, ${Words.of(rows, graded.of, "row")}`
  const lostText =
    lost.rollouts === 0
      ? ""
      : `, ${Words.count(lost.rollouts, "lost rollout")} ${options.lost === "leave_out" ? "left out" : "read as failures"}`
  const worst = over
    ? []
    : PassAt.byTask(run, options)
        .filter(({ pass_at_1 }) => pass_at_1 < 1)
        .slice(0, named)
  return [
    `expected ${what === "it" ? "the run" : what} to pass ${over ? "less than" : "at least"} ${wanted}, but ${rateText}${lostText}`,
    ...(worst.length === 0 ? [] : ["", "worst asks:"]),
    ...worst.map(
      ({ ask, passes, verdicts }) =>
        `  ${passes} of ${verdicts}  ${JSON.stringify(ask.length > 100 ? `${ask.slice(0, 97)}...` : ask)}`
    ),
    ...(notes.length === 0 ? [] : ["", ...notes.map(({ message }) => `- ${message}`)])
  ].join("\n")
}
