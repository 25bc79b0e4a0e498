/**
 * The numbers of a row that are measures: rewards, logarithms, counts, times. They are plain numbers, however many digits a
 * writer gave them; what tools were asked and answered, and what this version does not know, keeps its digits.
 */
import * as ExactJson from "../../json/ExactJson.ts"
import { isObject, type Json } from "../../json/foreignJson.ts"
import { Row } from "./rowSchema.ts"

/** A parsed line; the same where it has no exact number among its measures. Unknown keys of a row to be measured are measures. */
export const rounded = (value: unknown, unknown: "kept" | "measures" = "kept"): unknown =>
  isObject(value) ? fieldsOf(value, unknown === "kept" ? known : null, roundedField) : ExactJson.rounded(value)

const known: ReadonlySet<string> = new Set(Object.keys(Row.fields))
const dataOfCall: ReadonlySet<string> = new Set(["arguments", "result"])

const roundedField = (key: string, value: unknown): unknown =>
  key === "steps" || key === "world_writes" ? callsOf(value) : ExactJson.rounded(value)

const callsOf = (value: unknown): unknown => {
  if (!Array.isArray(value)) return value
  const list: ReadonlyArray<unknown> = value
  const out = list.map((one) => (isObject(one) ? fieldsOf(one, null, roundedPart) : one))
  return out.some((one, i) => one !== list[i]) ? out : value
}

const roundedPart = (key: string, value: unknown): unknown => (dataOfCall.has(key) ? value : ExactJson.rounded(value))

/** With some fields (all where null) made anew; the same object where none is another. */
const fieldsOf = (
  record: Json,
  names: ReadonlySet<string> | null,
  by: (key: string, value: unknown) => unknown
): Json => {
  let out: Record<string, unknown> | null = null
  for (const key of Object.keys(record)) {
    const held = record[key]
    if (typeof held !== "object" || held === null || names?.has(key) === false) continue
    const made = by(key, held)
    if (made !== held) (out ??= { ...record })[key] = made
  }
  return out ?? record
}
