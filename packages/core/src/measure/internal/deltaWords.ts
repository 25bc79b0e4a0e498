/**
 * A delta report in words.
 */
import { line } from "../Compare.ts"
import type { DeltaReport, MetricDelta, Verdict } from "../DeltaReport.ts"
import * as Words from "./words.ts"

/** The verdict in a sentence or two, with what to do where it decides nothing. */
export const because = (report: Omit<DeltaReport, "because">): string => {
  const { target, verdict } = report
  const name = Words.metric(target.metric)
  switch (verdict) {
    case "not_comparable":
      return `The sides cannot be held against each other: ${report.causes.map(({ code }) => causes[code] ?? code).join("; ")}.`
    case "target_not_measured":
      return `${target.a === null && target.b === null && target.tasks === 0 ? `No task has ${name} on both sides` : `A side has no ${name}`}. Grade both sides, or name another target.`
    case "insufficient_data":
      return `${Words.count(target.tasks, "shared task")} with ${name} decide nothing; it takes at least 5, and ${need(target)}.`
    case "no_change_detected":
      return `${moved(target)}, which chance alone can do.${smallest(target)}`
    case "within_noise":
      return `${moved(target)}, which is inside what re-running the same agent gives (${band(target)}).`
    default:
      return decided(report, verdict)
  }
}

const causes: Readonly<Record<string, string>> = {
  unpaired: "most tasks have no pair",
  writer_differs: "the writer differs",
  user_differs: "the user model differs",
  grader_differs: "the grader differs",
  prompt_differs: "the system prompt differs and is not declared as changed",
  graded_share: "other shares of the rows were graded",
  answered_share: "other shares of the rows were answered"
}

const decided = ({ must_not_regress, target }: Omit<DeltaReport, "because">, verdict: Verdict): string => {
  // A guard may have decided.
  const of =
    target.verdict === verdict ? target : (must_not_regress.find((guard) => guard.verdict === verdict) ?? target)
  const guard =
    of === target ? "" : `, which must not regress, while ${Words.metric(target.metric)} reads ${target.verdict}`
  if (of.band === null) {
    return `${moved(of)}${guard}: its interval over tasks is clear of 0. With ${runs(of)} nobody knows how much a re-run alone moves it: run both sides with \`runs: 3\`.`
  }
  return `${moved(of)}${guard}: its interval over tasks is clear of 0, and it is past re-run noise (${band(of)}).`
}

const moved = (delta: MetricDelta): string => {
  const { a, b, difference, metric } = delta
  const show = Words.figure(metric)
  if (a === null || b === null || difference === null) return Words.metric(metric)
  return `${Words.metric(metric)} went from ${show.value(a)} to ${show.value(b)} (${show.change(difference)}${show.unit})`
}

const band = (delta: MetricDelta): string =>
  delta.band === 0
    ? `none seen in ${runs(delta)}`
    : `${Words.figure(delta.metric).size(delta.band ?? 0)}, from ${runs(delta)}`

const runs = ({ runs: [a, b] }: MetricDelta): string => `${a} + ${b} eval runs`

const smallest = ({ detectable, metric }: MetricDelta): string =>
  detectable === null
    ? ""
    : ` The smallest change these tasks would have shown four times in five is ${Words.figure(metric).size(detectable)}.`

const need = ({ metric }: MetricDelta): string =>
  metric === "pass_at_1" ? "`Sizing.holdoutSize` says how many an effect needs" : "more make it sharper"

export const render = (report: DeltaReport): string => {
  const { causes, changed, must_not_regress, notes, target, tasks, verdict } = report
  return [
    `verdict: ${verdict}`,
    report.because,
    ...causes.map(({ message }) => `  ${message}`),
    "",
    `under test: ${changed.length === 0 ? "nothing was declared" : changed.join(", ")}`,
    `tasks: ${tasks} on both sides, ${report.only_before} only before, ${report.only_after} only after`,
    `target: ${metricLine(target)}`,
    ...must_not_regress.map((guard) => `must not regress: ${metricLine(guard)}`),
    ...notes.map(({ message }) => `- ${message}`)
  ].join("\n")
}

const metricLine = (delta: MetricDelta): string => {
  const noise =
    delta.band === null ? "no noise floor known" : `re-run noise ${delta.band === 0 ? "" : "within "}${band(delta)}`
  const better = delta.better === "lower" ? ", less is better" : ""
  return delta.difference === null ? line(delta) : `${line(delta)} (${noise}${better})`
}
