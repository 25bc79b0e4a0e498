/**
 * How many tasks a comparison needs, and what a set of tasks can show: the normal approximation for a paired difference.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../row/RowFileError.ts"
import { verdictOf } from "./internal/figures.ts"
import * as PassOption from "./internal/passOption.ts"
import * as Reading from "./internal/reading.ts"
import * as SideNotes from "./internal/sideNotes.ts"
import type { Table } from "./internal/table.ts"
import * as Tasks from "./internal/tasks.ts"
import * as Words from "./internal/words.ts"
import { InvalidMeasure, type InMemory, type Interval, type Note } from "./Measured.ts"
import * as Statistics from "./Statistics.ts"

/**
 * The run whose size is sought.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Expected pass rate before the change (0.6). */
  readonly base?: number
  /** Rollouts per task on each side (1). */
  readonly k?: number
  /** Chance to see an effect that is there (0.8). */
  readonly power?: number
  /** Chance to see one that is not (0.05, two-sided). */
  readonly alpha?: number
  /** Standard deviation of the tasks' differences where two graded sides told it (`Compare`: `sd`), instead of `base`. */
  readonly sd?: number
}

/**
 * Plain JSON.
 * @since 0.1.0
 * @category models
 */
export interface HoldoutSize {
  /** Tasks needed; null when no number of tasks would do. */
  readonly tasks: number | null
  readonly effect: number
  /** Standard deviation of a task's difference. */
  readonly sd: number | null
  /** `saturated`: from this base there is no room for the effect. */
  readonly status: "ok" | "saturated"
  readonly notes: ReadonlyArray<Note>
}

const defaultBase = 0.6
const defaultPower = 0.8
const defaultAlpha = 0.05

/**
 * Tasks it takes to show an effect (a difference of pass rates, such as 0.05):
 * ceil(((z_(1 - alpha/2) + z_power) sd / effect)^2), at least 2. Without `sd`, it is
 * sqrt((p (1 - p) + q (1 - q)) / k) for p = base and q = base + effect. Throws `InvalidMeasure`.
 * @since 0.1.0
 * @category functions
 */
export const holdoutSize = (options: Options & { readonly effect: number }): HoldoutSize => sized(options)

const sized = (options: Assumed & { readonly effect: number }): HoldoutSize => {
  const { effect } = options
  const { base, sd: given } = checked(options)
  if (given === undefined && base + effect > 1 + tiny) {
    const message = `A base of ${Words.percent(base)} is saturated: it has room for ${Words.size(1 - base)} of the ${Words.size(effect)} asked about. Take harder tasks.`
    return { tasks: null, effect, sd: null, status: "saturated", notes: [{ code: "saturated", message }] }
  }
  const sd = given ?? spreadOf(options, effect)
  const root = (reachOf(options) * sd) / effect
  // A size that rounding puts a hair above a whole number is that number.
  const tasks = Math.max(2, Math.ceil(root * root - tiny))
  return { tasks, effect, sd, status: "ok", notes: [] }
}

/** `alike`: how alike the rollouts of a task come out, from 0 (each is a draw of its own) to 1 (all are one). */
type Assumed = Options & { readonly alike?: number }

/** Steps of the fixed point, of which each shrinks the error to a fraction. */
const fixedPointSteps = 12

/**
 * The smallest effect that `tasks` tasks show with the power asked for: the inverse of `holdoutSize`, by fixed point since
 * the spread depends on the effect. Null when even the largest effect that the base leaves room for is too small to show.
 * @since 0.1.0
 * @category functions
 */
export const detectableEffect = (tasks: number, options: Options = {}): number | null => shownBy(tasks, options)

const shownBy = (tasks: number, options: Assumed): number | null => {
  if (!(Number.isInteger(tasks) && tasks >= 2)) {
    throw new InvalidMeasure({ option: "tasks", problem: `is ${tasks}`, fix: "Give a whole number from 2." })
  }
  const { base, sd } = checked(options)
  const reach = reachOf(options)
  const room = sd === undefined ? 1 - base : 1
  // An effect of 0 has no spread where rollouts come out alike, and would stay what it is.
  let effect = (options.alike ?? 0) === 0 ? 0 : room
  for (let step = 0; step < fixedPointSteps; step++) {
    effect = (reach * (sd ?? spreadOf(options, Math.min(effect, room)))) / Math.sqrt(tasks)
  }
  return effect <= room + tiny && effect > 0 ? effect : null
}

/**
 * The comparison whose power is sought.
 * @since 0.1.0
 * @category models
 */
export interface PowerOptions extends Omit<Options, "base" | "k" | "sd"> {
  /** The effect to size for (0.1). */
  readonly effect?: number
  /** Standard deviation of the tasks' differences, where two graded sides told it. */
  readonly sd?: number
  /** Arms whose rows are left out. */
  readonly exclude?: ReadonlyArray<string>
  /** The least reward of a pass (1). */
  readonly passAt?: number
  /** Seed of the draws (0). */
  readonly seed?: number
}

/**
 * Plain JSON: what a set of graded tasks can show as the base of a comparison.
 * @since 0.1.0
 * @category models
 */
export interface EvalPower {
  /** `saturated` and `floored`: hardly a task can rise, or fall; `empty`: nothing is graded. */
  readonly status: "usable" | "underpowered" | "saturated" | "floored" | "empty"
  /** Tasks with a reward, of all that there are, and the rows behind them. */
  readonly tasks: number
  readonly tasks_of: number
  readonly rows: number
  /** Verdicts per task, over all its phrasings and eval runs (the mean). */
  readonly k: number | null
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
  /** Tasks with a rate in [0.2, 0.8]: they can move both ways. */
  readonly in_band: number
  /** Tasks that always pass or always fail. */
  readonly tied: number
  /** The smallest effect these tasks show with the power asked for; null when none would show. */
  readonly resolvable: number | null
  /** The effect asked about, and the tasks it needs. */
  readonly effect: number
  readonly needed: number | null
  readonly notes: ReadonlyArray<Note>
}

/** The rates between which a task can move both ways. */
const band: Interval = [0.2, 0.8]
/** A base at or past these leaves hardly a task to move. */
const saturatedFrom = 0.95
const flooredTo = 0.05
const defaultEffect = 0.1

/**
 * What rows can show as the base of a comparison; at once in memory, else as an effect that streams the file. Throws (for a
 * file: fails with) `InvalidMeasure`.
 * @since 0.1.0
 * @category functions
 */
export const evalPower: {
  (rows: InMemory, options?: PowerOptions): EvalPower
  (path: string, options?: PowerOptions): Effect.Effect<EvalPower, RowFileError | InvalidMeasure, FileSystem.FileSystem>
} = ((source: InMemory | string, options: PowerOptions = {}) => {
  const problem = problemOf(options) ?? PassOption.problemOf(options.passAt)
  if (typeof source === "string") {
    if (problem !== null) return Effect.fail(problem)
    return Effect.map(Reading.file(source, options), (loaded) => powerOf(loaded, options))
  }
  if (problem !== null) throw problem
  return powerOf(Reading.inMemory(source, options), options)
}) as typeof evalPower

/**
 * A line, then one for each thing to know.
 * @since 0.1.0
 * @category functions
 */
export const render = (power: EvalPower): string => {
  const { effect, in_band, needed, notes, pass_at_1, resolvable, rows, status, tasks, tasks_of, tied } = power
  const facts = [
    Words.of(tasks, tasks_of, "task"),
    Words.count(rows, "row"),
    ...(pass_at_1 === null ? [] : [`pass@1 ${Words.percent(pass_at_1)}`]),
    `${in_band} in band, ${tied} tied`,
    ...(resolvable === null ? [] : [`shows ${Words.size(resolvable)} or more`]),
    ...(needed === null ? [] : [`${Words.size(effect)} need ${Words.count(needed, "task")}`])
  ]
  return [`${status}: ${facts.join(" · ")}`, ...notes.map(({ message }) => `- ${message}`)].join("\n")
}

const powerOf = ({ table }: Reading.Loaded, options: PowerOptions): EvalPower => {
  table.seal()
  const { effect = defaultEffect, seed = 0 } = options
  const figureOf = (row: number): number => verdictOf(table.reward.at(row), table.passAt)
  const known = Tasks.tasksOf(table)
  const rates = Tasks.present(Tasks.taskMeans(known, table.groups, (group) => Tasks.groupMean(table, group, figureOf)))
  const { interval, mean, n } = Statistics.estimate(rates, { seed })
  const rows = verdictsIn(table, figureOf)
  const k = n === 0 ? null : rows / n
  const counts = {
    tasks: n,
    tasks_of: known.keys.length,
    rows,
    k,
    pass_at_1: mean,
    pass_at_1_interval: interval === null ? null : ([Math.max(0, interval[0]), Math.min(1, interval[1])] as const),
    in_band: rates.filter((rate) => rate >= band[0] && rate <= band[1]).length,
    tied: rates.filter((rate) => rate === 0 || rate === 1).length,
    effect
  }
  if (mean === null || k === null) {
    const message = "No row has a reward: grade the run first."
    return { ...counts, status: "empty", resolvable: null, needed: null, notes: [{ code: "empty", message }] }
  }
  const sizing = { ...options, base: mean, k, alike: alikeIn(table, figureOf, mean) }
  const needed = sized({ ...sizing, effect }).tasks
  const resolvable = n < 2 ? null : shownBy(n, sizing)
  const status =
    mean >= saturatedFrom
      ? "saturated"
      : mean <= flooredTo
        ? "floored"
        : needed === null || n < needed
          ? "underpowered"
          : "usable"
  return {
    ...counts,
    status,
    resolvable,
    needed,
    notes: [...powerNotes(status, needed, counts), ...SideNotes.unknownArms([table])]
  }
}

const verdictsIn = ({ groups, order }: Table, figureOf: (row: number) => number): number => {
  let verdicts = 0
  for (const { end, start } of groups) {
    for (let i = start; i < end; i++) if (!Number.isNaN(figureOf(order[i] as number))) verdicts += 1
  }
  return verdicts
}

/**
 * How alike the rollouts of a task come out: the share of the variance of verdicts that lies between tasks, 1 less the mean
 * of c/n (1 - c/n) n/(n - 1) within them over p (1 - p) of all. 0 where no task has two verdicts.
 */
const alikeIn = (table: Table, figureOf: (row: number) => number, mean: number): number => {
  const verdicts = Tasks.tasksOf(table)
  const passed = new Map<number, [passes: number, n: number]>()
  for (const { ask, end, start } of table.groups) {
    const task = verdicts.of[ask.number] ?? -1
    const held = passed.get(task) ?? [0, 0]
    for (let i = start; i < end; i++) {
      const figure = figureOf(table.order[i] as number)
      if (Number.isNaN(figure)) continue
      held[0] += figure
      held[1] += 1
    }
    passed.set(task, held)
  }
  const within = [...passed.values()].flatMap(([c, n]) => (n < 2 ? [] : [((c / n) * (n - c)) / (n - 1)]))
  const all = mean * (1 - mean)
  if (within.length === 0 || all === 0) return 0
  return Math.min(1, Math.max(0, 1 - Tasks.meanOf(Float64Array.from(within)) / all))
}

const powerNotes = (
  status: EvalPower["status"],
  needed: number | null,
  { effect, pass_at_1, tasks, tied }: Pick<EvalPower, "effect" | "pass_at_1" | "tasks" | "tied">
): ReadonlyArray<Note> => {
  const rate = Words.percent(pass_at_1 ?? 0)
  switch (status) {
    case "saturated":
      return [
        { code: status, message: `At ${rate} hardly a task is left to improve: take harder ones before you compare.` }
      ]
    case "floored":
      return [
        {
          code: status,
          message: `At ${rate} hardly a task is ever passed: take easier ones, or see what breaks all of them.`
        }
      ]
    case "underpowered":
      return [
        {
          code: status,
          message:
            needed === null
              ? `From ${rate} there is no room for ${Words.size(effect)}.`
              : `${Words.count(tasks, "task")} would miss a change of ${Words.size(effect)} more often than asked for: it takes ${needed}, or more rollouts of each.`
        }
      ]
    default:
      return tied * 2 > tasks
        ? [
            {
              code: "tied",
              message: `${tied} of ${tasks} tasks always pass or always fail, so a change moves few of them, and those whole.`
            }
          ]
        : []
  }
}

const tiny = 1e-9

const checked = (
  options: Options & { readonly effect?: number }
): { readonly base: number; readonly sd: number | undefined } => {
  const problem = problemOf(options)
  if (problem !== null) throw problem
  return { base: options.base ?? defaultBase, sd: options.sd }
}

const problemOf = (options: Options & { readonly effect?: number }): InvalidMeasure | null => {
  const {
    alpha = defaultAlpha,
    base = defaultBase,
    effect = defaultEffect,
    k = 1,
    power = defaultPower,
    sd = 1
  } = options
  const checks: ReadonlyArray<readonly [option: string, value: number, fine: boolean, fix: string]> = [
    ["effect", effect, effect > 0 && effect <= 1, "Give a difference of rates in (0, 1]."],
    ["alpha", alpha, alpha > 0 && alpha < 1, "Give a probability between 0 and 1."],
    ["power", power, power > 0 && power < 1, "Give a probability between 0 and 1."],
    ["base", base, base >= 0 && base <= 1, "Give a pass rate in [0, 1]."],
    ["k", k, k >= 1 && k < Infinity, "Give rollouts per task, at least 1."],
    ["sd", sd, sd > 0 && sd < Infinity, "Give a standard deviation above 0."]
  ]
  const [wrong] = checks.filter(([, , fine]) => !fine)
  if (wrong === undefined) return null
  const [option, value, , fix] = wrong
  return new InvalidMeasure({ option, problem: `is ${value}`, fix })
}

/** z_(1 - alpha/2) + z_power. */
const reachOf = ({ alpha = defaultAlpha, power = defaultPower }: Options): number =>
  Statistics.normalQuantile(1 - alpha / 2) + Statistics.normalQuantile(power)

/**
 * Rollouts that are draws of their own even out over k; those that come out alike do not, and a task of such rollouts moves
 * only by flipping whole: a change of `effect` then flips that share of tasks, with the variance of a yes or no.
 */
const spreadOf = ({ alike = 0, base = defaultBase, k = 1 }: Assumed, effect: number): number => {
  const after = Math.min(1, base + effect)
  const drawn = (base * (1 - base) + after * (1 - after)) / k
  return Math.sqrt((1 - alike) * drawn + alike * effect * (1 - effect))
}
