/**
 * What the page tells, before it is HTML: the findings of a run, and its rows counted by task, tier, fault and cell.
 */
import * as Clauses from "@sandtable/core/unstable/Clauses"
import type { Interval } from "@sandtable/core/Measured"
import * as PassAt from "@sandtable/core/PassAt"
import type * as Facts from "./Facts.ts"
import type * as Findings from "./Findings.ts"
import * as Grid from "./Grid.ts"

export interface Model {
  readonly findings: Findings.Findings
  readonly rows: ReadonlyArray<Facts.Facts>
  /** pass^j and pass@j for every j from 1 to k; empty where they are bounds, or k is under 3. */
  readonly curve: ReadonlyArray<Reliability>
  /** Pass rates of parts of the run: by tier, by planned fault, by arm. */
  readonly parts: ReadonlyArray<Parts>
  /** The worst first. */
  readonly tasks: ReadonlyArray<PassAt.TaskRate>
  /** How many tasks pass how often, from never to always. */
  readonly spread: ReadonlyArray<{ readonly name: string; readonly tasks: number }>
  readonly failures: ReadonlyArray<Failure>
  readonly lost: ReadonlyArray<Lost>
  readonly grid: Grid.Grid | null
  /** The texts of the policy's rules by the ids that the rule axis has. */
  readonly rules: ReadonlyMap<string, string>
}

export interface Reliability {
  readonly k: number
  readonly all: number
  readonly any: number
}

export interface Parts {
  readonly key: "tier" | "fault" | "arm"
  readonly title: string
  /** What a reader has to know to read it. */
  readonly note: string
  readonly parts: ReadonlyArray<Part>
}

export interface Part extends Rate {
  readonly name: string
  /** All its rows and tasks; those in its rate are `graded` and `tasks`. */
  readonly rows: number
  readonly graded: number
  readonly tasks_of: number
  /** Rows in which a call met the fault; null for parts that are no fault. */
  readonly met: number | null
}

export interface Rate {
  readonly tasks: number
  readonly value: number | null
  readonly interval: Interval | null
  /** Where all tasks have one rate: what the rule of three leaves possible. */
  readonly bound: Interval | null
}

export interface Failure {
  /** Empty for rows of which nobody said what they lost reward for. */
  readonly name: string
  readonly rows: number
  readonly tasks: number
  readonly example: Facts.Facts
}

export interface Lost {
  readonly reason: string
  readonly rollouts: number
  /** The first causes that are not the same. */
  readonly details: ReadonlyArray<string>
}

export interface Input {
  readonly findings: Findings.Findings
  readonly rows: ReadonlyArray<Facts.Facts>
  /** Causes of lost rollouts, by reason. */
  readonly causes: ReadonlyMap<string, ReadonlyArray<string>>
  readonly exclude: ReadonlyArray<string>
}

export const make = ({ causes, exclude, findings, rows }: Input): Model => {
  const counted = rows.filter(({ arm }) => arm === null || !exclude.includes(arm))
  const { meta, pass } = findings
  const passAt = pass.pass_mark
  const tasks = PassAt.byTask(
    counted.map(({ measured }) => measured),
    { passAt }
  )
  return {
    findings,
    rows,
    curve: curveOf(counted, pass),
    parts: partsOf(counted, passAt),
    tasks,
    spread: spreadOf(tasks),
    failures: failuresOf(counted),
    lost: Object.entries(pass.lost.lost_by)
      .map(([reason, rollouts]) => ({ reason, rollouts, details: causes.get(reason) ?? [] }))
      .sort((a, b) => b.rollouts - a.rollouts || (a.reason < b.reason ? -1 : 1)),
    grid: Grid.make(counted, tasks, meta),
    rules: new Map(Clauses.read(meta?.profile.policy ?? "").map(({ id, text }) => [id, text]))
  }
}

/** Beyond this the line says no more. */
const longestCurve = 16

const curveOf = (rows: ReadonlyArray<Facts.Facts>, pass: PassAt.PassAt): ReadonlyArray<Reliability> => {
  const { k, k_reading, pass_at_1 } = pass
  if (k === null || k < 3 || k > longestCurve || k_reading !== "exact" || pass_at_1 === null) return []
  const measured = rows.map((row) => row.measured)
  const points = [{ k: 1, all: pass_at_1, any: pass_at_1 }]
  for (let j = 2; j <= k; j++) {
    const { pass_at_k, pass_hat_k } = PassAt.passAt(measured, { k: j, passAt: pass.pass_mark })
    if (pass_hat_k !== null && pass_at_k !== null) points.push({ k: j, all: pass_hat_k, any: pass_at_k })
  }
  return points
}

const rateOf = (rows: ReadonlyArray<Facts.Facts>, passAt: number): Rate & Pick<Part, "graded" | "tasks_of"> => {
  const found = PassAt.passAt(
    rows.map(({ measured }) => measured),
    { passAt }
  )
  const { pass_at_1: value, pass_at_1_bound: bound, pass_at_1_interval: interval, tasks, tasks_of } = found
  return { tasks, tasks_of, graded: found.rows, value, interval, bound }
}

const tierOrder = ["ordinary", "ambiguous", "boundary", "adversarial"]

const partsOf = (rows: ReadonlyArray<Facts.Facts>, passAt: number): ReadonlyArray<Parts> => {
  const tiers = split(rows, ({ tier }) => (tier === null ? [] : [tier]), tierOrder)
  const faults = split(rows, ({ planned }) => (planned.length === 0 ? [noFault] : planned), [noFault])
  const arms = split(rows, ({ arm }) => (arm === null ? [] : [arm]), [])
  const all: ReadonlyArray<Parts> = [
    {
      key: "tier",
      title: "By tier",
      note: "How hard an ask is meant to be. Lost rollouts are left out.",
      parts: tiers.map(([name, of]) => ({ name, rows: of.length, met: null, ...rateOf(of, passAt) }))
    },
    {
      key: "fault",
      title: "By planned fault",
      note: "A row counts under each kind of fault that was planned for it, whether or not a call met it.",
      parts: faults.map(([name, of]) => ({
        name,
        rows: of.length,
        met: name === noFault ? null : of.filter(({ met }) => met.includes(name)).length,
        ...rateOf(of, passAt)
      }))
    },
    {
      key: "arm",
      title: "By arm",
      note: "Where asks came from. What failure_mutation aimed at is no sample of what people ask.",
      parts: arms.map(([name, of]) => ({ name, rows: of.length, met: null, ...rateOf(of, passAt) }))
    }
  ]
  // One part alone says what the headline says.
  return all.filter(({ parts }) => parts.length > 1 && parts.some(({ value }) => value !== null))
}

export const noFault = "none"

/** Rows under each of their names: names in the order given, others after them, most rows first. */
const split = (
  rows: ReadonlyArray<Facts.Facts>,
  namesOf: (row: Facts.Facts) => ReadonlyArray<string>,
  order: ReadonlyArray<string>
): ReadonlyArray<readonly [string, ReadonlyArray<Facts.Facts>]> => {
  const found = new Map<string, Array<Facts.Facts>>()
  for (const row of rows) {
    for (const name of namesOf(row)) {
      const held = found.get(name)
      if (held === undefined) found.set(name, [row])
      else held.push(row)
    }
  }
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)
  return [...found].sort(
    ([a, left], [b, right]) => place(a) - place(b) || right.length - left.length || (a < b ? -1 : 1)
  )
}

const spreadOf = (tasks: ReadonlyArray<PassAt.TaskRate>): Model["spread"] => {
  const counts = { never: 0, "under half": 0, "half or more": 0, always: 0 }
  for (const { pass_at_1: rate } of tasks) {
    if (rate === 0) counts.never += 1
    else if (rate === 1) counts.always += 1
    else if (rate < 0.5) counts["under half"] += 1
    else counts["half or more"] += 1
  }
  return Object.entries(counts).map(([name, tasks]) => ({ name, tasks }))
}

const failuresOf = (rows: ReadonlyArray<Facts.Facts>): ReadonlyArray<Failure> => {
  const found = new Map<string, { rows: number; readonly tasks: Set<string>; readonly example: Facts.Facts }>()
  for (const row of rows) {
    if (row.failure === null) continue
    const held = found.get(row.failure)
    if (held === undefined) found.set(row.failure, { rows: 1, tasks: new Set([row.task]), example: row })
    else {
      held.rows += 1
      held.tasks.add(row.task)
    }
  }
  return [...found]
    .map(([name, { example, rows, tasks }]) => ({ name, rows, tasks: tasks.size, example }))
    .sort((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1))
}
