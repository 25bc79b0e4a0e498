/**
 * Dates in searches: what is found on a day happens on it, and what is found in a range lies within.
 */
import { isoDay } from "../../time/isoTime.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import * as Keyed from "./keyed.ts"
import { get, type JsonObject } from "./records.ts"

type Keys = ReadonlyArray<readonly [string, unknown]>

const day = /^(\d{4}-\d\d-\d\d)/
const dayMs = 86_400_000
const starting = new Set(["start", "from", "after", "since", "begin", "earliest"])
const ending = new Set(["end", "to", "until", "before", "through", "latest"])
const timeWords = new Set(["date", "day", "time", "datetime", "at", "on"])

/** Which end of a range an argument gives, if it gives one. */
export const endOf = (name: string): "start" | "end" | null => {
  const words = wordsOf(name)
  if (!words.some((word) => timeWords.has(word))) return null
  return words.some((word) => starting.has(word)) ? "start" : words.some((word) => ending.has(word)) ? "end" : null
}

/** The days asked for, each as days since 1970. */
export const rangeOf = (args: JsonObject, names: Iterable<string>): readonly [number, number] | null => {
  let first: number | null = null
  let last: number | null = null
  for (const name of names) {
    const end = endOf(name)
    const at = end === null ? null : dayOf(get(args, name))
    if (at === null) continue
    if (end === "start") first = at
    else last = at
  }
  if (first === null && last === null) return null
  return [first ?? (last ?? 0) - 30, Math.max(first ?? 0, last ?? (first ?? 0) + 30)]
}

const dayOf = (value: unknown): number | null => {
  const match = typeof value === "string" ? day.exec(value) : null
  const at = match === null ? Number.NaN : Date.parse(`${match[1] ?? ""}T00:00:00Z`)
  return Number.isNaN(at) ? null : Math.round(at / dayMs)
}

const dateOf = (at: number): string => isoDay(at * dayMs)

/** When a record happens: not when it was made or changed. */
const happening = (record: JsonObject): ReadonlyArray<string> =>
  Object.keys(record).filter(
    (name) => dayOf(record[name]) !== null && !/created|updated|opened|issued|joined/.test(name)
  )

const moved = (record: JsonObject, to: number): Keys => {
  const fields = happening(record)
  const from = dayOf(record[fields[0] ?? ""])
  if (from === null) return []
  return fields.map((name) => {
    const text = String(record[name])
    return [name, `${dateOf((dayOf(text) ?? from) - from + to)}${text.slice(10)}`]
  })
}

/** The record's own dates, on the day it was searched for. */
export const onDay = (record: JsonObject, keys: Keys): Keys => {
  const asked = keys.find(
    ([name, value]) =>
      endOf(name) === null && wordsOf(name).some((word) => word === "date" || word === "day") && dayOf(value) !== null
  )
  const to = asked === undefined ? null : dayOf(asked[1])
  return to === null ? [] : moved(record, to).filter(([name]) => !keys.some(([key]) => key === name))
}

/** The record's own dates, within the range it was searched for. */
export const inRange = (record: JsonObject, [first, last]: readonly [number, number], key: Keyed.Key): Keys =>
  moved(record, Keyed.between(key, first, last))

/** Whether the record happens within the range; what has no date does not say. */
export const isWithin = (record: JsonObject, [first, last]: readonly [number, number]): boolean => {
  const at = dayOf(record[happening(record)[0] ?? ""])
  return at === null || (at >= first && at <= last)
}
