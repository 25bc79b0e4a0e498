/**
 * What goes with a failure: the values of a situation, and the pairs of values, under which tasks fail more often than
 * elsewhere. Reads rows that are there and plays nothing.
 */
import { normalise } from "../language/NearCopies.ts"
import { isFork } from "../row/internal/forks.ts"
import * as PassMark from "../row/PassMark.ts"
import { type Factor, Incidence, type Member } from "./internal/incidence.ts"
import type { TaskFactor } from "./internal/taskFactors.ts"
import { causesOf } from "./internal/causes.ts"
import { upperTail, type Stratum } from "./internal/hypergeometric.ts"

export { ofTask, type TaskBlame } from "./internal/ofTask.ts"
export type { Factor } from "./internal/incidence.ts"

/**
 * What is read of a row. Rows without a task id are told apart by their prompt.
 * @since 0.1.0
 * @category models
 */
export interface BlameRow {
  readonly task_id?: string | undefined
  readonly prompt?: string | undefined
  readonly arm?: string | undefined
  readonly lineage?: unknown
  readonly reward?: number | boolean | null | undefined
  readonly failure_class?: string | undefined
  /** Values by axis. */
  readonly scenario_dimensions?: Readonly<Record<string, string>> | undefined
  readonly texture?: string | null | undefined
  readonly faults?: ReadonlyArray<{ readonly tool: string; readonly mode: string }> | null | undefined
}

/**
 * Tasks that failed, of tasks.
 * @since 0.1.0
 * @category models
 */
export interface Count {
  readonly failed: number
  readonly of: number
}

/**
 * A value, or a pair of values, that goes with a failure class more than chance.
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  /** One, or two where the pair says more than either of them. */
  readonly factors: readonly [Factor] | readonly [Factor, Factor]
  /** Tasks that have them, and tasks that do not. */
  readonly within: Count
  readonly elsewhere: Count
  /** Share within over share elsewhere; null where none fails elsewhere. */
  readonly ratio: number | null
  /** One-sided, by permutation of tasks within arms, among tasks that no other finding of the class explains. */
  readonly p: number
  /** The same, controlled over all values, pairs and classes (Benjamini-Yekutieli). */
  readonly adjusted: number
}

/**
 * A failure class with what goes with it, the surest first.
 * @since 0.1.0
 * @category models
 */
export interface ClassBlame {
  /** The row's `failure_class`; `failed` for rows that name none. */
  readonly failure_class: string
  readonly tasks: Count
  readonly findings: ReadonlyArray<Finding>
}

/**
 * What goes with each failure class.
 * @since 0.1.0
 * @category models
 */
export interface Blamed {
  /** The commonest first. */
  readonly classes: ReadonlyArray<ClassBlame>
  /** Tasks that were read. */
  readonly tasks: number
  /** Values and pairs that were tried, over all classes. */
  readonly tested: number
  /** Graded rows left out because their ask was chosen by an earlier failure. */
  readonly left_out: number
}

/**
 * What leaving out one factor of a task does: failed of the graded rollouts without it.
 * @since 0.1.0
 * @category models
 */
export interface Flip extends Count {
  readonly factor: TaskFactor
}

/**
 * How sure a finding has to be.
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Bound on the false discovery rate; .05 when left out. */
  readonly alpha?: number
  /** The least reward of a pass (1). */
  readonly passAt?: number
}

/**
 * Arms whose asks were chosen by what failed before: their failures say nothing of how often a value fails.
 * @since 0.1.0
 * @category constants
 */
export const chosenByFailing: ReadonlySet<string> = new Set(["failure_mutation", "fork"])

/** A value that this few tasks have cannot be told from chance, and is not tried. */
const fewestTasks = 3

/**
 * Which values, and which pairs of values, go with each failure class more than chance. A task fails by a class when at
 * least half of its graded rollouts do. Values overlap, so they are weighed together: a set of causes is found of which each
 * can make a task fail by itself (noisy-or, forward and backward by likelihood), and each of them is then held against the
 * tasks that no other explains. A pair stays only where it fails more often than either of its values without the other
 * (p at most .05 each). p values are exact, by permutation of tasks within arms, and controlled over all values, pairs and
 * classes by Benjamini and Yekutieli (2001).
 * @since 0.1.0
 * @category functions
 */
export const ofRows = (
  rows: Iterable<BlameRow>,
  { alpha = 0.05, passAt = PassMark.passMark }: Options = {}
): Blamed => {
  const { leftOut, tasks } = tasksOf(rows, passAt)
  const incidence = new Incidence(
    tasks.map(({ arm }) => arm),
    tasks.map(({ factors }) => factors),
    fewestTasks
  )
  const counts = new Map<string, number>()
  for (const { failedBy } of tasks) if (failedBy !== null) counts.set(failedBy, (counts.get(failedBy) ?? 0) + 1)
  const classes = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1))
  const tested = incidence.members.length * classes.length
  return {
    classes: classes.map((name) => ({
      failure_class: name,
      tasks: { failed: counts.get(name) ?? 0, of: tasks.length },
      findings: findingsOf(
        incidence,
        incidence.setOf((task) => tasks[task]?.failedBy === name),
        { alpha, tested }
      )
    })),
    tasks: tasks.length,
    tested,
    left_out: leftOut
  }
}

interface TaskRead {
  readonly arm: string
  readonly factors: ReadonlyArray<Factor>
  /** The class most of its rollouts failed by; null where most passed, or no class has half of them. */
  readonly failedBy: string | null
}

const tasksOf = (
  rows: Iterable<BlameRow>,
  passAt: number
): { readonly tasks: ReadonlyArray<TaskRead>; readonly leftOut: number } => {
  interface Group {
    readonly row: BlameRow
    graded: number
    readonly failures: Map<string, number>
  }
  const groups = new Map<string, Group>()
  let leftOut = 0
  for (const row of rows) {
    const reward = typeof row.reward === "boolean" ? Number(row.reward) : row.reward
    if (typeof reward !== "number") continue
    if (isFork(row) || (row.arm !== undefined && chosenByFailing.has(row.arm))) {
      leftOut += 1
      continue
    }
    const key = row.task_id ?? normalise(row.prompt ?? "")
    const group = groups.get(key) ?? { row, graded: 0, failures: new Map<string, number>() }
    groups.set(key, group)
    group.graded += 1
    if (PassMark.isPass(reward, passAt)) continue
    const name = row.failure_class ?? "failed"
    group.failures.set(name, (group.failures.get(name) ?? 0) + 1)
  }
  const tasks = [...groups.values()].map(({ failures, graded, row }): TaskRead => {
    const [commonest] = [...failures].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    const failedBy = commonest !== undefined && commonest[1] * 2 >= graded ? commonest[0] : null
    return { arm: row.arm ?? "", factors: factorsOf(row), failedBy }
  })
  return { tasks, leftOut }
}

const factorsOf = (row: BlameRow): ReadonlyArray<Factor> => {
  const dimensions = Object.entries(row.scenario_dimensions ?? {}).map(([axis, value]) => ({
    axis,
    value: String(value)
  }))
  const texture = typeof row.texture === "string" ? [{ axis: "texture", value: row.texture }] : []
  const faults = (row.faults ?? []).map(({ mode, tool }) => ({ axis: "fault", value: `${mode} of ${tool}` }))
  return [...dimensions, ...texture, ...faults]
}

/** A value or pair that goes with failing, and how surely. */
interface Candidate {
  readonly member: Member
  readonly p: number
  readonly adjusted: number
}

/** Explains one class. `failed` are the tasks that fail by it. */
const findingsOf = (
  incidence: Incidence,
  failed: Uint32Array,
  { alpha, tested }: { readonly alpha: number; readonly tested: number }
): ReadonlyArray<Finding> => {
  const likely = causesOf(
    incidence.members.map(({ set }) => incidence.tasksOf(set)),
    incidence.flags(failed)
  )
  let causes = likely.flatMap((at) => incidence.members[at] ?? [])
  while (true) {
    // Each among the tasks that none of the others explains.
    const ranked = causes
      .map((member) => {
        const open = incidence.without(causes.filter((one) => one !== member))
        return {
          member,
          p: upperTail(incidence.strata(member.set, failed, open)),
          more: saysMore(incidence, member, failed, open)
        }
      })
      .sort((a, b) => a.p - b.p)
    const adjusted = benjaminiYekutieli(
      ranked.map(({ p }) => p),
      tested
    )
    const kept = ranked.filter(({ more, p }, i) => more && p < 1 && (adjusted[i] ?? 1) <= alpha)
    if (kept.length === ranked.length) {
      return ranked.map(({ member, p }, i) => findingOf(incidence, failed, { member, p, adjusted: adjusted[i] ?? 1 }))
    }
    // One at a time, the least sure first: what it took from the others is theirs again.
    const [weakest] = ranked.filter((one) => !kept.includes(one)).slice(-1)
    causes = causes.filter((member) => member !== weakest?.member)
  }
}

/** Whether a pair fails more often than each of its values does without the other; a value always says what it says. */
const saysMore = (incidence: Incidence, { of, set }: Member, failed: Uint32Array, open: Uint32Array): boolean =>
  of.length === 1 ||
  of.every((value) => {
    const among = incidence.valueSet(value).map((word, i) => word & (open[i] ?? 0))
    return upperTail(incidence.strata(set, failed, among)) <= 0.05
  })

const findingOf = (
  incidence: Incidence,
  failed: Uint32Array,
  { adjusted, member: { of, set }, p }: Candidate
): Finding => {
  const strata = incidence.strata(
    set,
    failed,
    incidence.setOf(() => true)
  )
  const total = (read: (stratum: Stratum) => number): number => strata.reduce((sum, stratum) => sum + read(stratum), 0)
  const within = { failed: total(({ both }) => both), of: total(({ having }) => having) }
  const elsewhere = {
    failed: total(({ both, failed }) => failed - both),
    of: total(({ having, tasks }) => tasks - having)
  }
  return {
    factors: of.map((value) => incidence.factor(value)) as unknown as Finding["factors"],
    within,
    elsewhere,
    ratio: elsewhere.failed === 0 ? null : within.failed / within.of / (elsewhere.failed / elsewhere.of),
    p,
    adjusted
  }
}

/** Adjusted p values of the smallest of `tested` tests, in rising order. */
const benjaminiYekutieli = (rising: ReadonlyArray<number>, tested: number): ReadonlyArray<number> => {
  let harmonic = 0
  for (let i = 1; i <= tested; i++) harmonic += 1 / i
  const adjusted = rising.map((p, i) => Math.min(1, (p * tested * harmonic) / (i + 1)))
  for (let i = adjusted.length - 2; i >= 0; i--) adjusted[i] = Math.min(adjusted[i] ?? 1, adjusted[i + 1] ?? 1)
  return adjusted
}
