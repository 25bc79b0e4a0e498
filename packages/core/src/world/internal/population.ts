/**
 * The records of a kind that lists and other records know, and what can be told of an identifier by its looks.
 */
import type { IdForm } from "./idForms.ts"
import * as Keyed from "./keyed.ts"

/** A kind of record with fewer identifiers that surely exist is filled up to so many. */
const populated = 8

export interface Population {
  readonly size: number
  readonly at: (place: number) => string
  /** -1 for what is not in it. */
  readonly place: (id: string) => number
  readonly all: () => ReadonlyArray<string>
  /** Whether it is sure, or some record already spoke of it. */
  readonly spoken: (id: string) => boolean
  /** Whether some identifier in it is this one but for case and signs. */
  readonly resembles: (id: string) => boolean
}

/** Identifiers that surely exist, filled up with others of their form, written as they are asked for. */
export const make = (sure: ReadonlyArray<string>, form: IdForm, key: Keyed.Key): Population => {
  const size = Math.max(sure.length, populated)
  const ids: Array<string | undefined> = [...sure]
  const places = new Map<string, number>()
  for (let i = 0; i < sure.length; i++) places.set(sure[i] ?? "", i)
  let normals: ReadonlySet<string> | undefined
  const at = (place: number): string => {
    const known = ids[place]
    if (known !== undefined) return known
    const id = form.write(Keyed.nth(key, place))
    ids[place] = id
    if (!places.has(id)) places.set(id, place)
    return id
  }
  const all = (): ReadonlyArray<string> => {
    const out = new Set<string>()
    for (let place = 0; place < size; place++) out.add(at(place))
    return [...out]
  }
  return {
    size,
    at,
    all,
    spoken: (id) => places.has(id),
    place: (id) => {
      if (!places.has(id)) all()
      return places.get(id) ?? -1
    },
    resembles: (id) => (normals ??= new Set(all().map(normal))).has(normal(id))
  }
}

const normal = (id: string): string => id.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

/** Whether a text speaks of the identifier as a word of its own. */
export const mentions = (text: string, id: string): boolean => {
  if (id.length < 3 || !/[\d@]/.test(id)) return false
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + id.length] ?? " "}`
    if (!/[\p{L}\p{N}_]/u.test(around)) return true
  }
  return false
}

const counted = /^(.*?)(\d{3,12})(\D*)$/s

/** The n-th identifier after the first: its last run of digits, counted up. Null for what has none. */
export const numbered = (first: string, n: number): string | null => {
  const match = first.length > 32 ? null : counted.exec(first)
  if (match === null) return null
  const digits = match[2] ?? ""
  const next = String((Number(digits) + n) % Number(`1${"0".repeat(digits.length)}`)).padStart(digits.length, "0")
  return `${match[1] ?? ""}${next}${match[3] ?? ""}`
}

/** So many identifiers from the first issued one on exist only once they are issued. */
const reserved = 1000

/** Whether an identifier is one that the world gives out when a record is made. */
export const isIssued = (first: string, id: string): boolean => {
  const a = counted.exec(first)
  const b = counted.exec(id)
  if (a === null || b === null) return first === id
  const ahead = Number(b[2]) - Number(a[2])
  const room = (a[2] ?? "").length > 4 ? reserved : 20
  return a[1] === b[1] && a[3] === b[3] && a[2]?.length === b[2]?.length && ahead >= 0 && ahead < room
}
