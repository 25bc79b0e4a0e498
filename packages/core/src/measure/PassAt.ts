/**
 * Pass rates of rows: one rollout (pass@1), all of k (pass^k), any of k (pass@k) and the headroom between, each with its
 * interval over tasks.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type { RowFileError } from "../row/RowFileError.ts"
import * as PassOption from "./internal/passOption.ts"
import * as PassNotes from "./internal/passNotes.ts"
import * as Reading from "./internal/reading.ts"
import type { Group, Table } from "./internal/table.ts"
import * as Tally from "./internal/tally.ts"
import * as Tasks from "./internal/tasks.ts"
import * as Words from "./internal/words.ts"
import { InvalidMeasure, type InMemory, type Interval, type Note } from "./Measured.ts"
import * as Statistics from "./Statistics.ts"

/**
 * How pass rates over k rollouts are computed.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Rollouts per ask of the k numbers, at least 2; by default the k of the run. */
  readonly k?: number
  /** Arms whose rows are left out, such as `failure_mutation`: asks the search steered to are no sample of anything. */
  readonly exclude?: ReadonlyArray<string>
  /** Continuations of forks, which are left out unless named. */
  readonly include?: ReadonlyArray<"fork">
  /** The least reward of a pass (1). */
  readonly passAt?: number
  /** Seed of the bootstrap (0). */
  readonly seed?: number
}

/**
 * Plain JSON. Rates are means over tasks; null where there is nothing to tell.
 * @since 0.1.0
 * @category models
 */
export interface PassAt {
  /** Null when the k numbers are. */
  readonly k: number | null
  /** The least reward that was read as a pass: every reward below it is none. */
  readonly pass_mark: number
  /** Tasks and groups (the rollouts of one ask in one eval run) with a reward: what the rate is over. */
  readonly tasks: number
  readonly groups: number
  /** Tasks that there are, those without a reward and those that lost every rollout among them. */
  readonly tasks_of: number
  /** Rows in the rate, of `graded.of` rows. */
  readonly rows: number
  /** Lost rollouts are left out of it. */
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
  readonly pass_hat_k: number | null
  readonly pass_hat_k_interval: Interval | null
  readonly pass_at_k: number | null
  readonly pass_at_k_interval: Interval | null
  readonly headroom: number | null
  readonly headroom_interval: Interval | null
  /**
   * `exact`: estimates. `bound`: the run stopped groups early, so pass^k is at most, pass@k and headroom are at least what
   * is told. `none`: there are no k numbers.
   */
  readonly k_reading: "exact" | "bound" | "none"
  /** Tasks and groups in the k numbers. */
  readonly k_tasks: number
  readonly k_groups: number
  /** Groups with fewer than k verdicts, which are in no k number. */
  readonly small_groups: ReadonlyArray<SmallGroup>
  /** Where `pass_at_1_interval` is null: what the rule of three leaves possible. */
  readonly pass_at_1_bound: Interval | null
  /** Mean reward, half credit as what it is: over the tasks of the rate, as the rate is. */
  readonly mean_reward: number | null
  readonly mean_reward_interval: Interval | null
  readonly graded: Graded
  readonly fractional: Fractional
  readonly lost: Lost
  /** The pass rate of each arm that proposed asks, by its name; one entry where rows name no arm. */
  readonly arms: Readonly<Record<string, ArmRate>>
  /** Arms left out by `exclude`, and their rows. */
  readonly excluded: Readonly<Record<string, number>>
  readonly notes: ReadonlyArray<Note>
}

/**
 * Graded m of n rows, and why the others are not, by reason. A row that is there twice counts once.
 * @since 0.1.0
 * @category models
 */
export interface Graded {
  readonly graded: number
  readonly of: number
  readonly ungraded_by: Readonly<Record<string, number>>
  /** Graded rows beyond the probe of groups whose length depends on verdicts: in no rate. */
  readonly beyond_probe: number
  /** Rows that are there again, later in the log, and count there. */
  readonly duplicates: number
}

/**
 * Rows with half credit, a reward between 0 and 1: a pass from the pass mark on, no pass below it.
 * @since 0.1.0
 * @category models
 */
export interface Fractional {
  readonly rows: number
  readonly tasks: number
  readonly mean: number | null
  readonly mean_interval: Interval | null
}

/**
 * Rollouts that gave no row, read as failures of their asks.
 * @since 0.1.0
 * @category models
 */
export interface Lost {
  readonly rollouts: number
  readonly lost_by: Readonly<Record<string, number>>
  /** Tasks in that rate: those that lost every rollout are in it. */
  readonly tasks: number
  /** The pass rate with each of them as a failure; equal to `pass_at_1` when none was lost. */
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
  /** pass^k with each of them as a failure, so that no group is left out for what it lost; null where pass^k is a bound. */
  readonly pass_hat_k: number | null
  readonly pass_hat_k_interval: Interval | null
}

/**
 * Asks with fewer than k rollouts.
 * @since 0.1.0
 * @category models
 */
export interface SmallGroup {
  readonly task: string
  readonly ask: string
  readonly eval_run: number
  readonly rollouts: number
}

/**
 * The pass rate of one arm of the search.
 * @since 0.1.0
 * @category models
 */
export interface ArmRate {
  /** Rows of the arm, and of them those in its rate. */
  readonly rows: number
  readonly graded: number
  /** Tasks with a reward, of all that the arm asked. */
  readonly tasks: number
  readonly tasks_of: number
  readonly pass_at_1: number | null
  readonly pass_at_1_interval: Interval | null
}

/**
 * The pass rates of rows in memory or, as an effect that streams it, of a file. A row needs a prompt or an id, and a
 * reward. Throws (for a file: fails with) `InvalidMeasure` when an option makes no sense.
 * @since 0.1.0
 * @category functions
 */
export const passAt: {
  (rows: InMemory, options?: Options): PassAt
  (path: string, options?: Options): Effect.Effect<PassAt, RowFileError | InvalidMeasure, FileSystem.FileSystem>
} = ((source: InMemory | string, options: Options = {}) => {
  if (typeof source === "string") return ofFile(source, options)
  const problem = problemOf(options)
  if (problem !== null) throw problem
  return ofLoaded(Reading.inMemory(source, options), options)
}) as typeof passAt

/**
 * How one task did.
 * @since 0.1.0
 * @category models
 */
export interface TaskRate {
  readonly task: string
  /** The words of one of its asks. */
  readonly ask: string
  /** Mean over its groups of the share of passes. */
  readonly pass_at_1: number
  readonly passes: number
  readonly verdicts: number
}

/**
 * Every task with a verdict, the worst first.
 * @since 0.1.0
 * @category functions
 */
export const byTask = (rows: InMemory, options: Pick<Options, "exclude" | "passAt"> = {}): ReadonlyArray<TaskRate> => {
  const table = Reading.inMemory(rows, options).table.seal()
  const tasks = Tasks.tasksOf(table)
  const tally = Tally.of(table)
  const rates = Tasks.taskMeans(
    tasks,
    table.groups,
    ({ number }) => (tally.passes[number] as number) / (tally.verdicts[number] as number)
  )
  const found = tasks.keys.map((task, i) => ({ task, ask: "", pass_at_1: rates[i] as number, passes: 0, verdicts: 0 }))
  for (const { ask, number } of table.groups) {
    const task = found[tasks.of[ask.number] as number]
    if (task === undefined) continue
    const words = ask.prompt ?? ask.task ?? ""
    if (task.ask === "" || words < task.ask) task.ask = words
    task.passes += tally.passes[number] as number
    task.verdicts += tally.verdicts[number] as number
  }
  return found
    .filter(({ verdicts }) => verdicts > 0)
    .sort((a, b) => a.pass_at_1 - b.pass_at_1 || b.verdicts - a.verdicts || (a.task < b.task ? -1 : 1))
}

/**
 * One line of figures, then a line for each thing to know of them.
 * @since 0.1.0
 * @category functions
 */
export const render = (result: PassAt): string => {
  const { graded, groups, k, k_reading, notes } = result
  const rate = (name: string, value: number | null, interval: Interval | null, bound = ""): ReadonlyArray<string> =>
    value === null
      ? []
      : [`${name} ${bound}${Words.percent(value)}${interval === null ? "" : ` ${Words.range(interval)}`}`]
  const [most, least] = k_reading === "bound" ? ["at most ", "at least "] : ["", ""]
  const figures = [
    ...rate("pass@1", result.pass_at_1, result.pass_at_1_interval),
    ...rate(`pass^${k}`, result.pass_hat_k, result.pass_hat_k_interval, most),
    ...rate(`pass@${k}`, result.pass_at_k, result.pass_at_k_interval, least),
    ...rate("headroom", result.headroom, result.headroom_interval, least)
  ]
  const rows = Words.of(result.rows, graded.of, "row")
  const size = `${Words.of(result.tasks, result.tasks_of, "task")}, ${rows}, ${Words.count(groups, "group")}${k === null ? "" : `, k=${k}`}`
  const line = figures.length === 0 ? "no pass rate" : `${figures.join(" · ")} · ${size}`
  return [line, ...notes.map(({ message }) => `- ${message}`)].join("\n")
}

const ofFile = Effect.fn("PassAt.passAt")(function* (path: string, options: Options) {
  const problem = problemOf(options)
  if (problem !== null) return yield* problem
  return ofLoaded(yield* Reading.file(path, options), options)
})

const problemOf = ({ k, passAt }: Options): InvalidMeasure | null =>
  k === undefined || (Number.isInteger(k) && k >= 2)
    ? PassOption.problemOf(passAt)
    : new InvalidMeasure({
        option: "k",
        problem: `is ${k}`,
        fix: "Give a whole number from 2; pass@1 is told without it."
      })

/** Under this many rollouts a k that nobody named says little. */
const fewestForK = 4

const ofLoaded = (loaded: Reading.Loaded, options: Options): PassAt => {
  const table = loaded.table.seal()
  const { groups } = table
  const tasks = Tasks.tasksOf(table)
  const seed = options.seed ?? 0
  const tally = Tally.of(table)
  const rateOver = (groups: ReadonlyArray<Group>, valueOf: (group: Group) => number): Rate =>
    rateOf(Tasks.taskMeans(tasks, groups, valueOf), seed)
  const passes = ({ number }: Group): number => tally.passes[number] as number
  const verdicts = ({ number }: Group): number => tally.verdicts[number] as number

  const once = rateOver(groups, (group) => passes(group) / verdicts(group))
  const { k, why } = kOf(options.k, loaded, table, verdicts)
  const ways = Tally.waysOf(table, tally, k)
  const all = rateOver(groups, ({ number }) => ways.all[number] as number)
  const any = rateOver(groups, ({ number }) => ways.any[number] as number)
  const headroom = rateOver(groups, (group) => (ways.any[group.number] as number) - passes(group) / verdicts(group))
  const fractions = sumOf(tally.fractions)
  const reward = fractions === 0 ? once : rateOver(groups, ({ number }) => tally.means[number] as number)
  const fraction = rateOver(groups, ({ number }) => tally.fractionMeans[number] as number)
  const withLost = groups.some(({ lost }) => lost > 0)
    ? rateOver(groups, (group) => passes(group) / (verdicts(group) + group.lost))
    : once
  const allWithLost =
    withLost === once || k === null || ways.bound
      ? { value: ways.bound ? null : all.value, interval: ways.bound ? null : all.interval }
      : rateOver(groups, (group) => Statistics.passHatK(verdicts(group) + group.lost, passes(group), k) ?? Number.NaN)

  const ungraded = sumOf(table.ungradedBy.values())
  const result: Omit<PassAt, "notes"> = {
    k: ways.groups === 0 ? null : k,
    pass_mark: table.passAt,
    tasks: once.n,
    groups: tally.verdicts.reduce((sum, verdicts) => (verdicts > 0 ? sum + 1 : sum), 0),
    tasks_of: tasks.keys.length,
    rows: sumOf(tally.verdicts),
    pass_at_1: once.value,
    pass_at_1_interval: once.interval,
    pass_hat_k: all.value,
    pass_hat_k_interval: all.interval,
    pass_at_k: any.value,
    pass_at_k_interval: any.interval,
    headroom: headroom.value,
    headroom_interval: headroom.interval,
    k_reading: ways.groups === 0 ? "none" : ways.bound ? "bound" : "exact",
    k_tasks: all.n,
    k_groups: ways.groups,
    small_groups: smallGroups(table, k === null ? [] : groups.filter(ways.isSmall), verdicts),
    pass_at_1_bound: once.bound,
    mean_reward: reward.value,
    mean_reward_interval: reward.interval,
    graded: {
      graded: table.distinct - ungraded,
      of: table.distinct,
      ungraded_by: sortedRecord(table.ungradedBy),
      beyond_probe: table.beyondProbe,
      duplicates: table.duplicates
    },
    fractional: {
      rows: fractions,
      tasks: fraction.n,
      mean: fraction.value,
      mean_interval: fraction.interval
    },
    lost: {
      rollouts: sumOf(table.lostBy.values()),
      lost_by: sortedRecord(table.lostBy),
      tasks: withLost.n,
      pass_at_1: withLost.value,
      pass_at_1_interval: withLost.interval,
      pass_hat_k: allWithLost.value,
      pass_hat_k_interval: allWithLost.interval
    },
    arms: armsOf(table, tasks, { tally, overall: once }, (groups) =>
      rateOver(groups, (group) => passes(group) / verdicts(group))
    ),
    excluded: sortedRecord(table.excluded)
  }
  return { ...result, notes: PassNotes.notesOf(result, loaded, { why, method: once.method }) }
}

/** The k asked for, else the run's, else what most groups have; and why there is none. */
const kOf = (
  given: number | undefined,
  { k: known }: Reading.Loaded,
  { groups }: Table,
  verdicts: (group: Group) => number
): { readonly k: number | null; readonly why: "once" | "few" | null } => {
  if (given !== undefined) return { k: given, why: null }
  if (known !== null) return known >= 2 ? { k: known, why: null } : { k: null, why: "once" }
  const sizes = groups
    .map((group) => (group.policy.probe === null ? verdicts(group) : group.total - group.start))
    .filter((size) => size > 0)
    .sort((a, b) => a - b)
  const early = groups.some(({ policy }) => policy.probe !== null)
  // Groups stopped early say nothing of k; the longest one does.
  const size = sizes[early ? sizes.length - 1 : Math.floor((sizes.length - 1) / 2)] ?? 0
  return size >= fewestForK ? { k: size, why: null } : { k: null, why: size <= 1 ? "once" : "few" }
}

/** A mean over tasks of figures in [0, 1]. */
interface Rate {
  readonly n: number
  readonly value: number | null
  readonly interval: Interval | null
  readonly bound: Interval | null
  readonly method: Statistics.Estimate["method"]
}

const rateOf = (means: Float64Array, seed: number): Rate => {
  const { interval, mean, method, n } = Statistics.estimate(Tasks.present(means), { seed })
  return {
    n,
    value: mean,
    interval: interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])],
    bound: method === "all_equal" && mean !== null ? Statistics.ruleOfThree(mean, n) : null,
    method
  }
}

const armsOf = (
  { arms: { names }, groups }: Table,
  tasks: Tasks.Tasks,
  { overall, tally: { verdicts } }: { readonly tally: Tally.Tally; readonly overall: Rate },
  rateOver: (groups: ReadonlyArray<Group>) => Rate
): PassAt["arms"] => {
  const found = names
    .map((name, arm) => ({ name, groups: groups.filter(({ ask, rows }) => ask.arm === arm && rows > 0) }))
    .filter((arm) => arm.groups.length > 0)
  return Object.fromEntries(
    found
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ groups, name }) => {
        const rate = found.length === 1 ? overall : rateOver(groups)
        return [
          name,
          {
            rows: sumOf(groups.map((group) => group.rows - group.copies)),
            graded: sumOf(groups.map(({ number }) => verdicts[number] as number)),
            tasks: rate.n,
            tasks_of: new Set(groups.map(({ ask }) => tasks.of[ask.number])).size,
            pass_at_1: rate.value,
            pass_at_1_interval: rate.interval
          }
        ]
      })
  )
}

const smallGroups = (
  table: Table,
  groups: ReadonlyArray<Group>,
  verdicts: (group: Group) => number
): ReadonlyArray<SmallGroup> =>
  groups
    .map((group) => ({
      task: Tasks.keyOf(table, group.ask),
      ask: group.ask.prompt ?? group.ask.task ?? "",
      eval_run: group.evalRun,
      rollouts: verdicts(group)
    }))
    .sort((a, b) =>
      a.task < b.task ? -1 : a.task > b.task ? 1 : a.ask < b.ask ? -1 : a.ask > b.ask ? 1 : a.eval_run - b.eval_run
    )

const sortedRecord = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))

const sumOf = (values: Iterable<number>): number => {
  let sum = 0
  for (const value of values) sum += value
  return sum
}
