/**
 * A scan for paid-by-mistake features, as text.
 */
import { counted } from "../../language/counted.ts"
import type { Scan } from "../HackScan.ts"

/** Features that predict nothing and are still shown, the strongest. */
const othersShown = 3

export const renderScan = ({ asks, findings, floor, not_measured, rows, ungraded }: Scan): string => {
  const behind = `${counted(rows, "row")} of ${counted(asks, "task")} whose rewards differ${ungraded === 0 ? "" : `; ${counted(ungraded, "row")} ungraded`}`
  if (floor === null) return `NOT MEASURED: ${not_measured} (${behind}).`
  const found = findings.filter(({ predicts }) => predicts)
  const others = findings.filter(({ correlation, predicts }) => !predicts && correlation !== null).slice(0, othersShown)
  const shown = [...found, ...others]
  const width = Math.max(0, ...shown.map(({ feature }) => feature.length))
  const head =
    found.length === 0
      ? `No feature of the replies predicts the reward within a task (${behind}).`
      : `The reward within a task goes with ${found.map(({ feature }) => feature).join(", ")} (${behind}). Read rows at both ends before training on it.`
  return [
    head,
    ...shown.map(
      ({ correlation, feature, predicts }) =>
        `  ${feature.padEnd(width)}  ${(correlation ?? 0).toFixed(2).padStart(5)}${predicts ? "  above" : "  under"} chance (${floor.toFixed(2)})`
    )
  ].join("\n")
}
