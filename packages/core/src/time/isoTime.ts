/**
 * Moments as ISO 8601 text in UTC. The moment is always given: nothing here reads a clock.
 */

let second = Number.NaN
let toTheSecond = ""

/** Milliseconds since 1970 as `2025-03-14T09:00:00.000Z`. Moments of the same second share most of their text. */
export const isoTime = (millis: number): string => {
  const whole = Math.floor(millis / 1000)
  if (whole !== second) {
    second = whole
    // @effect-diagnostics-next-line globalDate:off
    toTheSecond = new Date(whole * 1000).toISOString().slice(0, -4)
  }
  return `${toTheSecond}${String(Math.floor(millis) - whole * 1000).padStart(3, "0")}Z`
}

/** The day of a moment as `2025-03-14`. */
export const isoDay = (millis: number): string => isoTime(millis).slice(0, 10)
