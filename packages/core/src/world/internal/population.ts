/**
 * The records of a kind that lists and other records know, and what can be told of an identifier by its looks.
 */
import type { IdForm } from "./idForms.ts"
import * as Keyed from "./keyed.ts"

/** A kind of record with fewer identifiers that surely exist is filled up to so many. */
const populated = 8
/** Kinds that others have several of. */
const plentiful: ReadonlyMap<string, number> = new Map([
  ["item", 24],
  ["variant", 24],
  ...(
    "order reservation booking account card ticket appointment prescription subscription shipment invoice policy pull_request " +
    "repository issue document vehicle claim loan auftrag"
  )
    .split(" ")
    .map((noun) => [noun, 16] as const),
  ["transaction", 32],
  ["slot", 24],
  ["method", 16]
])

/**
 * Identifiers that surely exist, filled up with others of their form, written as they are asked for. What a task adds
 * comes behind them and moves nothing: who belongs to whom is the same whatever a task is about.
 */
export class Population {
  /** How many there are without what the task adds. */
  readonly size: number
  private readonly form: IdForm
  private readonly key: Keyed.Key
  private readonly ids: Array<string | undefined>
  private readonly places = new Map<string, number>()
  private readonly added: Array<string> = []
  private missing: string | null = null
  private normals: ReadonlySet<string> | undefined

  constructor(head: string, sure: ReadonlyArray<string>, form: IdForm, key: Keyed.Key) {
    this.size = Math.max(sure.length, plentiful.get(head) ?? populated)
    this.form = form
    this.key = key
    this.ids = [...sure]
    for (let i = 0; i < sure.length; i++) this.places.set(sure[i] ?? "", i)
  }

  /** One that the task speaks of; it stays where it is when it is there. */
  add(id: string): void {
    if (this.place(id) >= 0) return
    this.places.set(id, this.size + this.added.length)
    this.added.push(id)
  }

  /** One that the task says is not there. */
  leaveOut(id: string): void {
    this.missing = id
  }

  at(place: number): string {
    const known = this.ids[place]
    if (known !== undefined) return known
    const id = this.form.write(Keyed.nth(this.key, place))
    this.ids[place] = id
    if (!this.places.has(id)) this.places.set(id, place)
    return id
  }

  all(): ReadonlyArray<string> {
    const out = new Set<string>()
    for (let place = 0; place < this.size; place++) out.add(this.at(place))
    for (const id of this.added) out.add(id)
    if (this.missing !== null) out.delete(this.missing)
    return [...out]
  }

  /** -1 for what is not in it. */
  place(id: string): number {
    if (!this.places.has(id)) for (let place = 0; place < this.size; place++) this.at(place)
    return this.places.get(id) ?? -1
  }

  /** Whether it is sure, or some record already spoke of it. */
  spoken(id: string): boolean {
    return this.places.has(id)
  }

  /** Whether some identifier in it is this one but for case and signs. */
  resembles(id: string): boolean {
    this.normals ??= new Set(this.all().map(normal))
    return this.normals.has(normal(id))
  }
}

const normal = (id: string): string => id.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

/** Whether a text speaks of the identifier as a word of its own. */
export const mentions = (text: string, id: string): boolean => {
  if (id.length < 3 || !/[\d@]/.test(id)) return false
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = `${text[at - 1] ?? " "}${text[at + id.length] ?? " "}`
    if (!/[\p{L}\p{N}_#-]/u.test(around)) return true
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
