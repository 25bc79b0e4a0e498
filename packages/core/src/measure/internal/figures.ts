/**
 * Reading a row that may come from anywhere: a field of the wrong type is a field that is not there.
 */
import * as PassMark from "../../row/PassMark.ts"
import * as RowSource from "../../traces/RowSource.ts"
import type { MeasuredRow, Metric } from "../Measured.ts"

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An id: a text, or a number that stands for one. */
export const nameOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value === "" ? undefined : value
  return typeof value === "number" && Number.isFinite(value) ? String(value) : undefined
}

export const wholeOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined

/** A figure as a number; NaN for none. */
export const numberOf = (value: unknown): number => {
  if (typeof value === "number") return Number.isFinite(value) ? value : Number.NaN
  return value === true ? 1 : value === false ? 0 : Number.NaN
}

/** A reward in [0, 1]; NaN for none. */
export const rewardOf = (row: MeasuredRow): number => RowSource.rewardOf(row) ?? Number.NaN

/** A reward as a verdict: 1 for a pass, 0 for no pass, NaN without a reward. */
export const verdictOf = (reward: number, passAt: number): number =>
  Number.isNaN(reward) ? reward : PassMark.isPass(reward, passAt) ? 1 : 0

/** Whether a row is a pass. */
export const passMetric = "pass_at_1"

export const nameOfMetric = (metric: Metric): string => (typeof metric === "string" ? metric : metric.name)

/** What a metric reads off a row, NaN for nothing. */
export const readerOf = (metric: Metric, passAt: number): ((row: MeasuredRow) => number) => {
  if (typeof metric !== "string") return (row) => numberOf(metric.of(row))
  if (metric === passMetric) return (row) => verdictOf(rewardOf(row), passAt)
  if (metric === "reward") return ({ reward }) => numberOf(reward)
  const name = metric.startsWith("markers.") ? metric.slice("markers.".length) : metric
  const path = metric.split(".")
  return (row) => {
    if (isObject(row.markers) && Object.hasOwn(row.markers, name)) return numberOf(row.markers[name])
    let value: unknown = row
    for (const key of path) {
      if (!isObject(value) || !Object.hasOwn(value, key)) return Number.NaN
      value = value[key]
    }
    return numberOf(value)
  }
}

/** Why a row has no reward. */
export const ungradedReason = (row: MeasuredRow): string => {
  const { finish_reason, judge_status } = row
  if (!Number.isNaN(numberOf(row.reward))) return "not_in_0_to_1"
  if (row.reward !== undefined && row.reward !== null) return "not_a_number"
  if (finish_reason === "length") return "length"
  return typeof judge_status === "string" && judge_status !== "ok" ? judge_status : "no_reward"
}

/** Whether the agent answered: a text that no length cap cut. */
export const isAnswered = (row: MeasuredRow): boolean => {
  return row.finish_reason !== "length" && !(typeof row.final_text === "string" && row.final_text.trim() === "")
}
