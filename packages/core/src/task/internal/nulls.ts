/**
 * Members of a value taken out.
 */
import { isRecord } from "../../json/jsonCopy.ts"
import { stepsOf } from "./pointer.ts"

/** A copy without the members that the pointers lead to; items of lists stay. */
export const without = (value: unknown, pointers: ReadonlyArray<string>): unknown =>
  pointers.reduce((rest, pointer) => leftOut(rest, stepsOf(pointer)), value)

const leftOut = (value: unknown, [step, ...further]: ReadonlyArray<string>): unknown => {
  if (step === undefined) return value
  if (Array.isArray(value)) {
    return value.map((one: unknown, i) => (String(i) === step && further.length > 0 ? leftOut(one, further) : one))
  }
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, held]) => {
      if (name !== step) return [[name, held]]
      return further.length > 0 ? [[name, leftOut(held, further)]] : []
    })
  )
}

/** A copy without members that are undefined: JSON has none. */
export const defined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(defined)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, held]) => (held === undefined ? [] : [[name, defined(held)]]))
  )
}
