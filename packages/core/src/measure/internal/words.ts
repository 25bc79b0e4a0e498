/**
 * Figures in the words of a person.
 */
import { counted as count } from "../../language/counted.ts"
import type { Interval } from "../Measured.ts"

/** A share as `81.2%`. */
export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`

/** `[76.0%, 85.5%]`. */
export const range = ([low, high]: Interval): string => `[${percent(low)}, ${percent(high)}]`

/** A difference of shares as `+6.2 points`. */
export const points = (difference: number): string => `${signed(difference * 100, 1)} points`

/** `6.2 points`, for sizes that have no sign. */
export const size = (share: number): string =>
  share > 0 && share < 0.0005 ? "under 0.1 points" : `${(share * 100).toFixed(1)} points`

export const signed = (value: number, digits: number): string => {
  const text = Math.abs(value).toFixed(digits)
  return Number(text) === 0 ? text : `${value < 0 ? "-" : "+"}${text}`
}

/** A number of any size with three or more figures. */
export const plain = (value: number): string =>
  Number.isInteger(value)
    ? String(value)
    : Math.abs(value) >= 100
      ? value.toFixed(1)
      : String(Number(value.toPrecision(3)))

export { count }

/** `12 tasks`, or `6 of 50 tasks` where there are more of them. */
export const of = (n: number, all: number, one: string): string =>
  n === all ? count(n, one) : `${n} of ${count(all, one)}`

/** `timeout 2, agent_error 1`, most first. */
export const counts = (by: Readonly<Record<string, number>>): string =>
  Object.entries(by)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([name, n]) => `${name} ${n}`)
    .join(", ")

/** Some names of many. */
export const some = (names: ReadonlyArray<string>, most = 3): string =>
  names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "")

/** A p-value: `0.0004`, or `under 0.0001`. */
export const probability = (p: number): string => (p < 0.0001 ? "under 0.0001" : String(Number(p.toPrecision(2))))

/** What a metric is called. */
export const metric = (name: string): string => (name === "pass_at_1" ? "pass@1" : name)

/** How the values of a metric and their changes are shown: pass rates in percent. */
export const figure = (
  name: string
): {
  readonly value: (value: number) => string
  readonly change: (change: number) => string
  readonly size: (size: number) => string
  readonly unit: string
} =>
  name === "pass_at_1"
    ? { value: percent, change: (change) => signed(change * 100, 1), size, unit: " points" }
    : { value: plain, change: (change) => (change > 0 ? `+${plain(change)}` : plain(change)), size: plain, unit: "" }
