/**
 * Dates and times for fields, by what their names say: when something began, changed, begins and ends.
 */
import * as Calendar from "./calendar.ts"
import * as Keyed from "./keyed.ts"
import type { FieldContext } from "./subjects.ts"
import * as Words from "./vocabulary.ts"

/** Records begin some weeks ago and changed since. */
const made = (of: FieldContext): number =>
  Words.personNouns.has(of.head)
    ? -Keyed.between(Keyed.at(of.key, "made"), 320, 1500)
    : -Keyed.between(Keyed.at(of.key, "made"), 20, 300)
const changed = (of: FieldContext): number => -Keyed.between(Keyed.at(of.key, "changed"), 1, 19)
const begins = (of: FieldContext): number => Keyed.between(Keyed.at(of.key, "begins"), 3, 60)
const ends = (of: FieldContext): number => begins(of) + Keyed.between(Keyed.at(of.key, "lasts"), 1, 7)
const departs = (of: FieldContext): number => Keyed.between(Keyed.at(of.key, "departs"), 72, 240) * 5
const lasts = (of: FieldContext): number => Keyed.between(Keyed.at(of.key, "takes"), 12, 72) * 5
/** Minutes after nine in the morning, to five minutes. */
export const minuteOfDay = (of: FieldContext, name: string): number => Keyed.between(Keyed.at(of.key, name), 0, 100) * 5

const born = (of: FieldContext): number => -Keyed.between(Keyed.at(of.key, "born"), 20 * 365, 70 * 365)

/** Days from the present, by the words of a date's name. */
const dayOf = (words: ReadonlyArray<string>): ((of: FieldContext) => number) => {
  const says = (meaning: ReadonlySet<string>): boolean => words.some((word) => meaning.has(word))
  if (says(birthWords)) return born
  if (says(changeWords)) return changed
  if (says(endWords)) return ends
  if (says(futureWords)) return begins
  return says(pastWords) || words.length === 1 || words[0] === "order" ? made : begins
}
const birthWords = new Set(["birth", "birthday", "dob", "born"])
const changeWords = new Set([
  "updated",
  "modified",
  "changed",
  "last",
  "edited",
  "closed",
  "completed",
  "delivered",
  "paid",
  "resolved",
  "shipped"
])
const endWords = new Set([
  "end",
  "ends",
  "until",
  "out",
  "return",
  "expiry",
  "expires",
  "expiration",
  "expired",
  "deadline",
  "due",
  "to",
  "arrival",
  "checkout",
  "valid"
])
const futureWords = new Set([
  "start",
  "starts",
  "begin",
  "from",
  "in",
  "departure",
  "scheduled",
  "due",
  "estimated",
  "next",
  "renews",
  "renewal",
  "event",
  "checkin",
  "appointment",
  "delivery",
  "pickup",
  "eta"
])
const pastWords = new Set([
  "created",
  "placed",
  "opened",
  "ordered",
  "registered",
  "joined",
  "since",
  "sent",
  "issued",
  "posted",
  "published",
  "release",
  "released",
  "transaction",
  "payment",
  "purchase",
  "purchased",
  "founded",
  "hire",
  "hired",
  "built",
  "uploaded",
  "submitted",
  "filed",
  "booked",
  "signed",
  "date"
])

/** A date for a field of these words. */
export const dated = (words: ReadonlyArray<string>): ((of: FieldContext) => string) => {
  const day = dayOf(words)
  return (of) => Calendar.date(day(of))
}
/** An instant for a field of these words. */
export const timed = (words: ReadonlyArray<string>): ((of: FieldContext) => string) => {
  if (words.includes("departure") || words.includes("depart"))
    return (of) => Calendar.instant(begins(of), departs(of) - 540)
  if (words.includes("arrival") || words.includes("arrive"))
    return (of) => Calendar.instant(begins(of), departs(of) + lasts(of) - 540)
  const day = dayOf(words)
  const field = words.join("_")
  return (of) => Calendar.instant(day(of), minuteOfDay(of, field))
}
