/**
 * An evaluation as a table for people.
 */
import { counted } from "../language/counted.ts"
import type { AskResult, Totals } from "./evaluating.ts"

/** Longest words of an ask in a line. */
const askWidth = 44

interface Column {
  readonly head: string
  readonly align: "left" | "right"
  readonly cell: (result: AskResult) => string
}

const columns: ReadonlyArray<Column> = [
  { head: "#", align: "right", cell: ({ n }) => String(n) },
  { head: "ask", align: "left", cell: ({ ask, id }) => clipped(id === null ? ask : `[${id}] ${ask}`) },
  { head: "ran", align: "right", cell: ({ missing, of, ran }) => (missing ? "missing" : `${ran}/${of}`) },
  { head: "pass", align: "right", cell: ({ pass_share }) => figure(pass_share) },
  { head: "mean", align: "right", cell: ({ mean_reward }) => figure(mean_reward) },
  { head: "lost", align: "right", cell: ({ lost }) => (lost === 0 ? "" : String(lost)) },
  {
    head: "worst row",
    align: "left",
    cell: ({ graded, lost, lost_by, passes, worst_row }) =>
      worst_row === null || passes === graded
        ? lossesIn(lost_by, lost)
        : `${clipped(worst_row.row_id)} (${figure(worst_row.reward)})${worst_row.reason === null ? "" : ` ${clipped(worst_row.reason, 60)}`}`
  }
]

/** A line per ask in the order of the list, and what they come to. */
export const tableOf = (asks: ReadonlyArray<AskResult>, totals: Totals, grader: string): string => {
  const lines = asks.map((result) => columns.map(({ cell }) => cell(result)))
  const heads = columns.map(({ head }) => head)
  const widths = columns.map((_, i) => Math.max(...[heads, ...lines].map((line) => [...(line[i] ?? "")].length)))
  const row = (cells: ReadonlyArray<string>): string =>
    cells
      .map((cell, i) => {
        const space = " ".repeat((widths[i] ?? 0) - [...cell].length)
        return columns[i]?.align === "right" ? space + cell : cell + space
      })
      .join("  ")
      .trimEnd()
  return [
    row(heads),
    row(widths.map((width) => "-".repeat(width))),
    ...lines.map(row),
    "",
    ...summary(totals, grader)
  ].join("\n")
}

const summary = (totals: Totals, grader: string): ReadonlyArray<string> => [
  `${totals.asks_ran} of ${counted(totals.asks, "ask")} ran (${totals.ran} of ${counted(totals.of, "rollout")}${totals.lost === 0 ? "" : `, ${totals.lost} lost`}); graded ${totals.graded} of ${counted(totals.ran, "row")} by ${clipped(grader)}.`,
  `Pass share ${figure(totals.pass_share)}, mean reward ${figure(totals.mean_reward)}, as means over ${partOf(totals.asks_graded, totals.asks, "ask")}; ${totals.passes} of ${counted(totals.graded, "graded row")} ${totals.passes === 1 ? "passes" : "pass"}.`,
  ...(totals.partials === 0
    ? []
    : [
        totals.partials === 1
          ? "1 row with half credit is no pass; it counts in the mean."
          : `${totals.partials} rows with half credit are no passes; they count in the mean.`
      ]),
  ...(totals.other_rows === 0
    ? []
    : [
        totals.other_rows === 1
          ? "1 row belongs to no ask of the list."
          : `${totals.other_rows} rows belong to no ask of the list.`
      ])
]

const partOf = (n: number, all: number, one: string): string =>
  n === all ? counted(n, one) : `${n} of ${counted(all, one)}`

/** A lost rollout is tried again, so that there may be more tries than rollouts that were lost. */
const lossesIn = (by: AskResult["lost_by"], lost: number): string => {
  const tries = Object.values(by).reduce((sum, count) => sum + count, 0)
  return Object.entries(by)
    .map(
      ([reason, count]) => `lost: ${reason} ${tries > lost ? `in ${count} ${count === 1 ? "try" : "tries"}` : count}`
    )
    .join(", ")
}

const figure = (value: number | null): string => (value === null ? "-" : value.toFixed(2))

/** One line, without control codes. */
const clipped = (text: string, width = askWidth): string => {
  const characters = [...text.replace(/[\s\p{Cc}]+/gu, " ").trim()]
  return characters.length <= width ? characters.join("") : `${characters.slice(0, width - 3).join("")}...`
}
