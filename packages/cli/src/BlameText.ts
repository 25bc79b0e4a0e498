/**
 * What goes with the failures of a run, for people to read.
 */
import type { Blame } from "@sandtable/core/Explain"
import type * as Row from "@sandtable/core/Row"
import * as Clauses from "@sandtable/core/unstable/Clauses"
import type * as Answer from "./Answer.ts"
import * as Style from "./Style.ts"
import * as Words from "./Words.ts"

export interface Told {
  readonly blame: Blame.Blamed
  /** Clauses of the policy by their ids. */
  readonly rules: ReadonlyMap<string, string>
}

/** What blame reads of a row: the rest of it can be let go. */
export const read = (row: Row.Row): Blame.BlameRow => {
  const { arm, failure_class, faults, lineage, prompt, reward, scenario_dimensions, task_id, texture } = row
  const fork = lineage?.forked_from === undefined ? {} : { lineage: { forked_from: lineage.forked_from } }
  const name = task_id === undefined ? { prompt } : { task_id }
  return { ...name, arm, reward, failure_class, scenario_dimensions, texture, faults, ...fork }
}

export const rulesOf = (policy: string): ReadonlyMap<string, string> =>
  new Map(Clauses.read(policy).map(({ id, text }) => [id, text]))

/** Classes, and findings of each, that are shown; the rest is counted. */
const classesShown = 4
const findingsShown = 6

export const lines = ({ blame, rules }: Told, { style, width }: Answer.Look): ReadonlyArray<string> => {
  const telling = blame.classes.filter(({ findings }) => findings.length > 0)
  const leftOut =
    blame.left_out === 0
      ? []
      : [
          `  ${style.dim(`${Words.count(blame.left_out, "row")} left out: their asks were chosen by an earlier failure`)}`
        ]
  if (telling.length === 0) {
    return [
      style.bold("What goes with it"),
      blame.tested === 0
        ? `  too few tasks to tell (${Words.whole(blame.tasks)}): a run of more asks shows it`
        : `  nothing more than chance, in ${Words.count(blame.tasks, "task")} and ${Words.count(blame.tested, "value or pair of values", "values and pairs of values")}`,
      ...leftOut
    ]
  }
  return [
    style.bold("What goes with it"),
    ...telling
      .slice(0, classesShown)
      .flatMap(({ failure_class, findings, tasks }) => [
        `  ${style.bold(failure_class)} ${style.dim(`${tasks.failed} of ${Words.count(tasks.of, "task")}`)}`,
        ...findings
          .slice(0, findingsShown)
          .flatMap((finding) => [
            `    ${Style.oneLine(worded(finding, rules), Math.max(40, width - 4))}`,
            `      ${shares(finding)}`
          ]),
        ...more(findings.length - findingsShown, "finding", style)
      ]),
    ...more(telling.length - classesShown, "class", style, "classes"),
    ...leftOut
  ]
}

const more = (n: number, one: string, style: Style.Style, many = `${one}s`): ReadonlyArray<string> =>
  n <= 0 ? [] : [`    ${style.dim(`and ${Words.count(n, `more ${one}`, `more ${many}`)}`)}`]

/** `tool refund_order with tool_condition timeout`. */
export const worded = ({ factors }: Blame.Finding, rules: ReadonlyMap<string, string>): string =>
  factors
    .map(({ axis, value }) => (axis === "fault" ? `a planned ${value}` : `${axis} ${said(value, rules)}`))
    .join(" with ")

const said = (value: string, rules: ReadonlyMap<string, string>): string => {
  const rule = rules.get(value)
  return rule === undefined ? value : `"${rule}"`
}

/** `failed 12 of 14; elsewhere 3 of 90, 25.7 times less (p 1.2e-8)`. */
export const shares = ({ adjusted, elsewhere, ratio, within }: Blame.Finding): string =>
  `failed ${within.failed} of ${within.of}; elsewhere ${elsewhere.failed} of ${elsewhere.of}` +
  `${ratio === null ? "" : `, ${ratio.toFixed(1)} times as often`} (p ${pValue(adjusted)})`

/** Enough digits to tell how sure it is. */
export const pValue = (p: number): string => (p < 0.001 ? p.toExponential(0) : p.toFixed(3))

/** What a row's task planned, in words. */
export const planOf = ({ faults, world_state: state }: Row.Row): string => {
  const planned = (faults ?? []).map(
    ({ always, count, mode, nth, tool }) =>
      `${mode} of ${tool} (${always === true ? "always" : nth === undefined ? `the first ${count === 1 ? "call" : `${count ?? 1} calls`}` : `call ${nth.join(", ")}`})`
  )
  const record = state === null || state === undefined || state === "exists" ? [] : [`the record is ${state}`]
  return [...planned, ...record].join("; ") || "no failure is planned, and the record exists"
}
