/**
 * Members of a value taken out.
 */
import { stepsOf } from "../../task/internal/pointer.ts"
import { isRecord, put } from "./records.ts"

/** A copy without the members that the pointers lead to; items of lists stay. */
export const without = (value: unknown, pointers: ReadonlyArray<string>): unknown =>
  pointers.reduce((rest, pointer) => leftOut(rest, stepsOf(pointer)), value)

const leftOut = (value: unknown, [step, ...further]: ReadonlyArray<string>): unknown => {
  if (step === undefined) return value
  if (Array.isArray(value)) {
    return value.map((one: unknown, i) => (String(i) === step && further.length > 0 ? leftOut(one, further) : one))
  }
  if (!isRecord(value)) return value
  const out: Record<string, unknown> = {}
  for (const [name, held] of Object.entries(value)) {
    if (name !== step) put(out, name, held)
    else if (further.length > 0) put(out, name, leftOut(held, further))
  }
  return out
}

/** A copy without members that are undefined: JSON has none. */
export const defined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(defined)
  if (!isRecord(value)) return value
  const out: Record<string, unknown> = {}
  for (const [name, held] of Object.entries(value)) if (held !== undefined) put(out, name, defined(held))
  return out
}
