/**
 * Numbers and texts within the bounds, formats and patterns a JSON Schema sets.
 */
import type { JsonSchema } from "../../json/JsonSchema.ts"
import * as Calendar from "./calendar.ts"
import * as Fields from "./fields.ts"
import * as Keyed from "./keyed.ts"
import * as PatternText from "./patternText.ts"
import { numeric } from "./schemaShape.ts"
import * as Subjects from "./subjects.ts"

type Scalar = (at: { readonly of: Subjects.FieldContext; readonly key: Keyed.Key }) => unknown

/** Without bounds a number lies between these. */
const usual = [1, 100] as const
const tries = 24
/** A text is no longer than this, in code points: the nearest to a larger `minLength` that is fit to be read. */
const longestText = 4096

export const number = (schema: JsonSchema, name: string, integer: boolean): Scalar => {
  const step = typeof schema["multipleOf"] === "number" && schema["multipleOf"] > 0 ? schema["multipleOf"] : null
  const over = numeric(schema["exclusiveMinimum"], -Infinity)
  const under = numeric(schema["exclusiveMaximum"], Infinity)
  const least = Math.max(numeric(schema["minimum"], -Infinity), over)
  const most = Math.min(numeric(schema["maximum"], Infinity), under)
  const made = Fields.named(name)
  const allowed = (value: number): boolean =>
    value >= least &&
    value <= most &&
    value > over &&
    value < under &&
    (!integer || Number.isInteger(value)) &&
    (step === null || Number.isInteger(value / step))
  const low = least > -Infinity ? least : most < Infinity ? Math.min(usual[0], most - usual[1]) : usual[0]
  const high = most < Infinity ? most : Math.max(usual[1], low + usual[1])
  return ({ of, key }) => {
    const hinted = asNumber(made?.(of))
    if (hinted !== null && allowed(hinted)) return hinted
    for (let i = 0; i < tries; i++) {
      const value = drawn(Keyed.nth(key, i), low, high, step, integer)
      if (allowed(value)) return value
    }
    return [Math.ceil(low), Math.floor(high), low, high, (low + high) / 2].find(allowed) ?? low
  }
}

const asNumber = (value: unknown): number | null => {
  if (typeof value === "number") return value
  return typeof value === "string" && /^-?\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : null
}

const drawn = (key: Keyed.Key, low: number, high: number, step: number | null, integer: boolean): number => {
  if (step !== null)
    return Keyed.between(key, Math.ceil(low / step), Math.max(Math.ceil(low / step), Math.floor(high / step))) * step
  if (integer) return Keyed.between(key, Math.ceil(low), Math.max(Math.ceil(low), Math.floor(high)))
  const value = low + Keyed.unit(key) * (high - low)
  const rounded = Math.round(value * 100) / 100
  return rounded >= low && rounded <= high ? rounded : value
}

export const text = (schema: JsonSchema, name: string): Scalar => {
  const least = Math.min(numeric(schema["minLength"], 0), longestText)
  const most = Math.min(numeric(schema["maxLength"], Infinity), longestText)
  const format = typeof schema["format"] === "string" ? formats.get(schema["format"]) : undefined
  const made = Fields.named(name)
  const fits = (value: unknown): value is string => {
    if (typeof value !== "string") return false
    const length = [...value].length
    return length >= least && length <= most
  }
  if (typeof schema["pattern"] === "string") {
    const matches = tester(schema["pattern"])
    const write = PatternText.compile(schema["pattern"])
    return ({ of, key }) => {
      const hinted = made?.(of)
      if (fits(hinted) && matches(hinted)) return hinted
      for (let i = 0; write !== null && i < tries; i++) {
        const value = write(Keyed.nth(key, i))
        if (fits(value) && matches(value)) return value
      }
      return sized(Fields.plain(of, name), least, most)
    }
  }
  if (format !== undefined) {
    return ({ of, key }) => {
      const hinted = made?.(of)
      if (fits(hinted) && format.matches.test(hinted)) return hinted
      return format.write(key, of)
    }
  }
  return ({ of }) => {
    const value = made?.(of)
    const shown = typeof value === "string" ? value : typeof value === "number" ? String(value) : Fields.plain(of, name)
    return fits(shown) ? shown : sized(shown, least, most)
  }
}

/** Cut or repeated to a length counted in code points. */
const sized = (value: string, least: number, most: number): string => {
  const part = value === "" ? "x" : value
  const length = [...part].length
  const out = part + ` ${part}`.repeat(Math.max(0, Math.ceil((least - length) / (length + 1))))
  const target = Math.min(most, Math.max(least, [...out].length))
  return [...out].slice(0, target).join("")
}

/** Whether a text matches; a pattern that is none matches everything. */
export const tester = (pattern: string): ((value: string) => boolean) => {
  try {
    const compiled = new RegExp(pattern, "u")
    return (value) => compiled.test(value)
  } catch {
    return () => true
  }
}

const hex = (key: Keyed.Key, count: number): string => {
  let out = ""
  for (let i = 0; i < count; i++) out += "0123456789abcdef"[Keyed.int(Keyed.nth(key, i), 16)]
  return out
}

export const uuid = (key: Keyed.Key): string =>
  `${hex(key, 8)}-${hex(Keyed.nth(key, 20), 4)}-4${hex(Keyed.nth(key, 21), 3)}-a${hex(Keyed.nth(key, 22), 3)}-${hex(Keyed.nth(key, 23), 12)}`

interface Format {
  readonly matches: RegExp
  readonly write: (key: Keyed.Key, of: Subjects.FieldContext) => string
}

const days = (key: Keyed.Key): number => Keyed.between(key, -60, 60)
const none = /^(?!)/
const always = (matches: RegExp, write: Format["write"]): Format => ({ matches, write })

const formats: ReadonlyMap<string, Format> = new Map([
  [
    "date-time",
    always(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, (key) => Calendar.instant(days(key), Keyed.between(key, 0, 100) * 5))
  ],
  ["iso-date-time", always(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, (key) => Calendar.instant(days(key)))],
  ["date", always(/^\d{4}-\d\d-\d\d$/, (key) => Calendar.date(days(key)))],
  ["time", always(none, (key) => `${Calendar.instant(0, Keyed.between(key, 0, 160) * 5).slice(11)}`)],
  ["iso-time", always(none, (key) => `${Calendar.instant(0, Keyed.between(key, 0, 160) * 5).slice(11)}`)],
  ["duration", always(none, (key) => `PT${Keyed.between(key, 1, 12)}H`)],
  ["email", always(/^[\w.]+@example\.com$/, (key, of) => emailOf(key, of))],
  ["idn-email", always(/^[\w.]+@example\.com$/, (key, of) => emailOf(key, of))],
  ["hostname", always(none, (key) => `host-${Keyed.between(key, 1, 40)}.example.com`)],
  ["idn-hostname", always(none, (key) => `host-${Keyed.between(key, 1, 40)}.example.com`)],
  ["ipv4", always(none, (key) => `192.0.2.${Keyed.between(key, 1, 254)}`)],
  ["ipv6", always(none, (key) => `2001:db8::${Keyed.between(key, 1, 9999).toString(16)}`)],
  ["uri", always(/^https:\/\/[\w./-]+$/, (key) => `https://www.example.com/${Keyed.between(key, 1000, 9999)}`)],
  ["url", always(/^https:\/\/[\w./-]+$/, (key) => `https://www.example.com/${Keyed.between(key, 1000, 9999)}`)],
  ["iri", always(/^https:\/\/[\w./-]+$/, (key) => `https://www.example.com/${Keyed.between(key, 1000, 9999)}`)],
  ["uri-reference", always(/^https:\/\/[\w./-]+$/, (key) => `/records/${Keyed.between(key, 1000, 9999)}`)],
  ["uri-template", always(none, () => "/records/{id}")],
  ["uuid", always(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/, (key) => uuid(key))],
  ["json-pointer", always(none, (key) => `/items/${Keyed.int(key, 9)}`)],
  ["relative-json-pointer", always(none, (key) => `${Keyed.int(key, 3)}/items`)],
  ["json-pointer-uri-fragment", always(none, (key) => `#/items/${Keyed.int(key, 9)}`)],
  ["regex", always(none, () => "^[a-z]+$")],
  ["byte", always(none, (key) => hex(key, 8))]
])

const emailOf = (key: Keyed.Key, of: Subjects.FieldContext): string => {
  const { first, last } = Subjects.personOf(of)
  return `${first}.${last}${Keyed.between(key, 10, 99)}@example.com`.toLowerCase()
}
