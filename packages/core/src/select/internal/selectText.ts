/**
 * A selection's report as text.
 */
import { counted } from "../../language/counted.ts"
import type { Gate, GateReport, Report } from "../Select.ts"

export const renderReport = (report: Report): string => {
  const { asks, gates, groups, kept, mode, rows } = report
  const of =
    mode === "rl"
      ? `${counted(groups.after, "group")} of ${groups.before}`
      : `${counted(asks.after, "ask")} of ${asks.before}`
  const width = Math.max(...gates.map(({ gate }) => gate.length))
  const digits = String(rows).length
  const lines = gates.map((gate) =>
    `  ${gate.gate.padEnd(width)}  ${String(gate.rows).padStart(digits)}  ${wordsOf(gate, mode)}`.trimEnd()
  )
  return [
    `${counted(kept, "row")} of ${rows} kept for ${mode === "rl" ? "reinforcement learning" : "supervised training"}, from ${of}`,
    `  ${"dropped".padEnd(width)}  ${"rows".padStart(digits)}`.trimEnd(),
    ...lines,
    ...(report.penalised === 0 ? [] : [`${counted(report.penalised, "cut row")} kept with a reward of 0`]),
    ...(report.mean_reward === null ? [] : [`mean reward ${round(report.mean_reward)}; ${spreadText(report)}`]),
    ...(report.advice === null ? [] : [report.advice])
  ].join("\n")
}

const wordsOf = ({ causes, gate, groups, rows }: GateReport, mode: Report["mode"]): string => {
  if (rows === 0) return ""
  const told = Object.entries(causes).map(([cause, n]) => (n === rows ? cause : `${cause} ${n}`))
  const gone = groups === 0 ? [] : [`${counted(groups, mode === "rl" ? "group" : "ask")} gone`]
  return [...(told.length === 0 ? [meaning[gate]] : told), ...gone].join(", ")
}

const meaning: Readonly<Record<Gate, string>> = {
  leak: "hidden material in the thread",
  truncated: "cut by the length cap",
  junk: "no usable reply",
  ungraded: "no reward",
  failed: "below the pass mark",
  duplicate: "equal rollouts",
  lone: "nothing left to compare with in the group",
  unanimous: "no difference within the group",
  band: "too hard or too easy",
  best: "a better row of the ask is kept",
  target: "over the target"
}

const spreadText = ({ mode, spread }: Report): string => {
  const shown = spread.slice(0, 6).map(({ kind, rows }) => `${kind} ${rows}`)
  if (mode === "sft") return counted(spread.length, "different behaviour")
  return `faults planned: ${[...shown, ...(spread.length > 6 ? [`and ${spread.length - 6} more`] : [])].join(", ")}`
}

const round = (value: number): string => String(Math.round(value * 1000) / 1000)
