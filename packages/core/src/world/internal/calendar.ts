/**
 * The mock world's calendar, around the present that asks know too.
 */
import * as Present from "../../time/Present.ts"

/** What a stale answer shows is a day old. */
export const yesterday = "2025-03-13T09:00:00Z"

const minutesOfDay = 1440
/** The present is nine in the morning. */
const nine = 540

/** `2025-03-14`, some days from the present. */
export const date = (days: number): string => {
  const known = dates.get(days)
  if (known !== undefined) return known
  const text = Present.date(days)
  if (dates.size >= remembered) dates.clear()
  dates.set(days, text)
  return text
}

/** Records share a few years' days. */
const dates = new Map<number, string>()
const remembered = 4096

/** `2025-03-14T09:00:00Z`, some days and minutes from the present. */
export const instant = (days: number, minutes = 0): string => {
  const at = nine + minutes
  const over = Math.floor(at / minutesOfDay)
  return `${date(days + over)}T${clock(at - over * minutesOfDay)}:00Z`
}

/** `09:05`, from the minutes of a day. */
export const clock = (minutes: number): string => `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`

const two = (n: number): string => (n < 10 ? `0${n}` : String(n))
