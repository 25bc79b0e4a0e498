/**
 * What a reader of pass rates should know of them.
 */
import type { PassAt } from "../PassAt.ts"
import type { Note } from "../Measured.ts"
import type { Estimate } from "../Statistics.ts"
import type { Loaded } from "./reading.ts"
import * as SideNotes from "./sideNotes.ts"
import * as Words from "./words.ts"

/** Asks made from failures: the search goes where the agent fails. */
const steeredArm = "failure_mutation"

export const notesOf = (
  result: Omit<PassAt, "notes">,
  loaded: Loaded,
  how: { readonly why: "once" | "few" | null; readonly method: Estimate["method"] }
): ReadonlyArray<Note> => [
  ...nothingMeasured(result, loaded),
  ...early(result, loaded),
  ...steered(result),
  ...interval(result, how.method),
  ...kNumbers(result, how.why),
  ...gradedOf(result),
  ...lost(result),
  ...SideNotes.missing(loaded.table),
  ...SideNotes.uneven(loaded.table),
  ...SideNotes.unknownArms([loaded.table]),
  ...hollow(loaded),
  ...reading(loaded)
]

const note = (code: string, message: string): ReadonlyArray<Note> => [{ code, message }]

const nothingMeasured = ({ graded, pass_at_1 }: Omit<PassAt, "notes">, { table }: Loaded) => {
  if (pass_at_1 !== null) return []
  if (table.rows === 0) return note("no_rows", "There are no rows to measure.")
  const fix =
    graded.ungraded_by["not_a_number"] === graded.of
      ? "Rewards are numbers, or true and false; texts and objects are not read."
      : graded.ungraded_by["not_in_0_to_1"] === graded.of
        ? "Rewards are numbers from 0 to 1: divide scores by the most they can be."
        : "Grade the run first."
  return note(
    "not_graded",
    `None of ${Words.count(graded.of, "row")} has a reward (${Words.counts(graded.ungraded_by)}). ${fix}`
  )
}

const early = ({ k_reading }: Omit<PassAt, "notes">, { table }: Loaded): ReadonlyArray<Note> =>
  [
    ...new Map([...table.policies.values()].map((policy) => [`${policy.name} ${policy.probe}`, policy])).values()
  ].flatMap(({ name, probe }) => {
    if (probe === null) return []
    const first = probe === 1 ? "the first rollout" : `the first ${probe} rollouts`
    const bounds =
      k_reading === "bound"
        ? ' The k numbers are bounds for the same reason; `repeatPolicy: "fixed"` or a replay gives exact ones.'
        : ""
    return note(
      "early_stopping",
      `Repeats were ${name}: how often an ask was rolled depends on its verdicts, so rates use ${first} of each group, which every group got.${bounds}`
    )
  })

const steered = ({ arms, graded }: Omit<PassAt, "notes">): ReadonlyArray<Note> => {
  const arm = Object.hasOwn(arms, steeredArm) ? arms[steeredArm] : undefined
  if (arm === undefined || Object.keys(arms).length === 1) return []
  return note(
    "steered",
    `${arm.rows} of ${Words.count(graded.of, "row")} are asks the search made from failures, so the rate is no estimate of what people would meet: read it per arm, or leave them out (\`exclude: ["${steeredArm}"]\`).`
  )
}

const interval = (
  { pass_at_1, pass_at_1_bound, tasks }: Omit<PassAt, "notes">,
  method: Estimate["method"]
): ReadonlyArray<Note> => {
  if (pass_at_1 === null) return []
  if (method === "too_few") {
    return note(
      "few_tasks",
      `${Words.count(tasks, "task")} cannot say how far the rate would move with other tasks: no interval.`
    )
  }
  if (method !== "all_equal") return []
  const bound =
    pass_at_1_bound === null ? "" : ` By the rule of three the true rate is in ${Words.range(pass_at_1_bound)}.`
  return note(
    "all_equal",
    `All ${tasks} tasks have the same rate, so resampling them shows no spread: no interval.${bound}`
  )
}

const kNumbers = (
  { k, pass_at_1, small_groups }: Omit<PassAt, "notes">,
  why: "once" | "few" | null
): ReadonlyArray<Note> => {
  if (pass_at_1 === null) return []
  if (why === "once")
    return note("no_k", "Asks were rolled once each, so there are no k numbers; they need `repeats` of 2 or more.")
  if (why === "few")
    return note(
      "no_k",
      "Groups have fewer than 4 rollouts and nothing names a k: give `k` to get the k numbers of so few."
    )
  if (small_groups.length === 0) return []
  const named = Words.some([...new Set(small_groups.map(({ ask }) => JSON.stringify(short(ask))))])
  const than = k === null ? "k" : `${k} verdicts`
  return note(
    "small_groups",
    `${Words.count(small_groups.length, "group")} with fewer than ${than} left out of the k numbers: ${named}.`
  )
}

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text)

const gradedOf = ({
  fractional,
  graded,
  mean_reward,
  mean_reward_interval,
  pass_at_1,
  pass_mark
}: Omit<PassAt, "notes">): ReadonlyArray<Note> => {
  const notes: Array<Note> = []
  if (pass_at_1 !== null && graded.graded < graded.of) {
    const reasons = Words.counts(graded.ungraded_by)
    notes.push(
      ...note("ungraded", `Graded ${graded.graded} of ${Words.count(graded.of, "row")}; without a reward: ${reasons}.`)
    )
  }
  if (fractional.rows > 0 && mean_reward !== null) {
    const { rows } = fractional
    const range = mean_reward_interval === null ? "" : ` ${interval3(mean_reward_interval)}`
    const read =
      pass_mark === 1
        ? `${rows === 1 ? "is no pass" : "are no passes"}: a pass is a reward of 1 (\`passAt\`)`
        : `${rows === 1 ? "is a pass" : "are passes"} from ${pass_mark} on (\`passAt\`)`
    notes.push(
      ...note(
        "fractional",
        `${Words.count(rows, "reward")} between 0 and 1 ${read}. With half credit the mean reward is ${Words.plain(mean_reward)}${range}.`
      )
    )
  }
  return notes
}

const interval3 = ([low, high]: readonly [number, number]): string => `[${Words.plain(low)}, ${Words.plain(high)}]`

const lost = ({ k, lost, pass_at_1, pass_hat_k }: Omit<PassAt, "notes">): ReadonlyArray<Note> => {
  if (lost.rollouts === 0) return []
  const all =
    lost.pass_hat_k === null || lost.pass_hat_k === pass_hat_k ? "" : `, pass^${k} ${Words.percent(lost.pass_hat_k)}`
  const read =
    lost.pass_at_1 === null
      ? ""
      : ` Read as failures they make pass@1 ${Words.percent(lost.pass_at_1)}${lost.pass_at_1_interval === null ? "" : ` ${Words.range(lost.pass_at_1_interval)}`}${all}.`
  const out = pass_at_1 === null ? "" : " and left out above"
  return note("lost", `${Words.count(lost.rollouts, "rollout")} lost (${Words.counts(lost.lost_by)})${out}.${read}`)
}

/** A fine rate of an agent that did nothing. */
const hollow = ({ degraded, table }: Loaded): ReadonlyArray<Note> => {
  const none =
    degraded.includes("no_tool_calls") || (table.rows > 0 && table.toldOfTools === table.rows && !table.anyTool)
  return none
    ? note(
        "no_tool_calls",
        "The agent never called a tool in these rows: a pass rate says nothing of what it would do with them."
      )
    : []
}

const reading = ({ broken, table }: Loaded): ReadonlyArray<Note> => {
  const notes: Array<Note> = []
  if (table.duplicates > 0) {
    const other = table.regraded > 0 ? `, ${table.regraded} of them with another reward: the last one counts` : ""
    notes.push(
      ...note("duplicates", `${Words.count(table.duplicates, "row")} there more than once, counted once${other}.`)
    )
  }
  if (table.unusable > 0) {
    notes.push(
      ...note("unusable", `${Words.count(table.unusable, "record")} left out: no task id, scenario id or prompt.`)
    )
  }
  if (broken.lines > 0) {
    notes.push(
      ...note(
        "broken_lines",
        `${Words.count(broken.lines, "line")} left out (${(broken.first ?? "").replace(/\.$/, "")}).`
      )
    )
  }
  if (table.runs.names.length > 1) {
    notes.push(
      ...note(
        "several_runs",
        `Rows of ${table.runs.names.length} runs are measured as one: each task's rate is the mean over them.`
      )
    )
  }
  return notes
}
