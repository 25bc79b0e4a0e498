/**
 * What the checks of a judge mean, in sentences.
 */
import type { Check, CheckName, Trust } from "../JudgeTrust.ts"
import { wilson } from "../Statistics.ts"

export const renderTrust = (trust: Trust): string => {
  const width = Math.max(...trust.checks.map(({ name }) => name.length))
  const state = Math.max(...trust.checks.map(({ status }) => status.length))
  return [
    headline(trust),
    ...trust.checks.map(
      (check) => `  ${check.name.padEnd(width)}  ${check.status.replace("_", " ").padEnd(state)}  ${sentence(check)}`
    ),
    ...asides(trust)
  ].join("\n")
}

const headline = ({ checks, labels, rows, verdict }: Trust): string => {
  const behind = `${labels.used} labelled of ${rows} rows`
  switch (verdict) {
    case "trusted":
      return `The judge is TRUSTED (${behind}).`
    case "degenerate":
      return `DEGENERATE: all ${labels.used} labels are of one kind, so agreement proves nothing. Label good and bad rows.`
    case "not_measured":
      return `NOT MEASURED: no row has a label that counts. Have people label rows, good ones and bad ones: 16 are the least.`
    case "not_trusted": {
      const failed = checks.filter(({ status }) => status === "failed").map(({ name }) => name)
      const why = failed.length > 0 ? `failed: ${failed.join(", ")}` : "too few labels to tell"
      return `The judge is NOT TRUSTED (${behind}; ${why}).`
    }
  }
}

const sentence = (check: Check): string => {
  const { interval, limit, n, value } = check.figure
  if (value === null) return missing[check.name]
  const range = interval === null ? "" : `, 95% ${percent(interval[0])} to ${percent(interval[1])}`
  switch (check.name) {
    case "agreement": {
      const more = check.status === "low_power" ? `; about ${labelsNeeded(value)} labels at this rate would do` : ""
      return `${percent(value)} of ${n} labels${range}; the lower end must reach ${percent(limit)}${more}`
    }
    case "kappa":
      return `${round(value)} beyond chance; ${limit} is the least${check.status === "degenerate" ? " (labels of one kind)" : ""}`
    case "leak":
      return `${percent(value)} of ${n} bad rows pass${range}; at most ${percent(limit)}`
    case "miss":
      return `${percent(value)} of ${n} good rows are refused${range}; at most ${percent(limit)}`
    case "split_halves":
      return `agreement differs by ${percent(value)} between two halves; chance reaches ${percent(limit)}`
    case "length_bias":
      return `${round(value)} between verdict and length where labels are equal; chance reaches ${round(limit)}`
    case "repeat_flip":
      return `${percent(value)} of ${n} verdicts changed when asked again${range}; at most ${percent(limit)}`
    case "filler_flip":
      return `${percent(value)} of ${n} refused rows pass with empty words added${range}; at most ${percent(limit)}`
  }
}

const missing: Readonly<Record<CheckName, string>> = {
  agreement: "no labels",
  kappa: "no labels",
  leak: "no row with a bad label",
  miss: "no row with a good label",
  split_halves: "too few labels",
  length_bias: "no labels",
  repeat_flip: "judge the rows a second time and give them as `repeat`",
  filler_flip: "judge the rows with words added that say nothing and give them as `filler`"
}

const asides = ({ labels }: Trust): ReadonlyArray<string> => {
  const told: ReadonlyArray<readonly [number, string]> = [
    [labels.by_model, "labels made by a model do not count"],
    [labels.unmatched, "labels are of no row here"],
    [labels.unjudged, "labelled rows have no verdict"],
    [labels.contradictory, "rows have as many good labels as bad ones"],
    [labels.invalid, "labels are neither yes nor no, or name no row"]
  ]
  return told.filter(([n]) => n > 0).map(([n, what]) => `  ${n} ${what}`)
}

/** Labels at which Wilson's lower bound would reach 80% if the rate stayed; 16 for a judge that never errs. */
const labelsNeeded = (rate: number): number => {
  let n = 16
  while (n < 10_000 && (wilson(Math.round(rate * n), n)?.[0] ?? 0) < 0.8) n += 1
  return n
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`

const round = (value: number): string => String(Math.round(value * 1000) / 1000)
