/**
 * What identifiers of a kind of record look like: as declared ones do, as a description's example does, or by a prefix.
 */
import { personOf } from "./subjects.ts"
import { capital, code, digits, prefix } from "./texts.ts"
import * as Keyed from "./keyed.ts"
import { uuid } from "./schemaScalars.ts"

export interface IdForm {
  readonly write: (key: Keyed.Key) => string
  /** An identifier that names a person, where the form does. */
  readonly ofPerson: ((first: string, last: string, key: Keyed.Key) => string) | null
}

/** `such as '#W0000000'`, `e.g. "A1001"`, `like 'x'`, `e.g. INC-4821`: what is not in quotes has a digit in it. */
export const samplesIn = (description: string): ReadonlyArray<string> => {
  const quoted = [...description.matchAll(new RegExp(`${shown}\\s+['"‘“\`]([^'"’”\`\\s]{2,60})['"’”\`]`, "gi"))]
  const found =
    quoted.length > 0 ? quoted : [...description.matchAll(new RegExp(`${shown}\\s+(${bare})(?![\\w-])`, "gi"))]
  return found.map((match) => match[1] ?? "")
}
const shown =
  "(?:such as|e\\.g\\.,?|for example,?|like|example:?|format:?|z\\. ?B\\.,?|por ejemplo,?|p\\. ?ej\\.,?|par exemple,?)"
const bare = "#?(?=[\\w-]*\\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*"

const uuidLike = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const personal = /^[a-z]{2,}([._-])[a-z]{2,}[._-]?(\d*)$/

/** Digits become other digits; the letters of a code that mixes both become other letters; the rest stays. */
export const ofSample = (sample: string, person: boolean): IdForm => {
  const named = person ? personal.exec(sample) : null
  if (named !== null) {
    const separator = named[1] ?? "_"
    const count = Math.max(3, (named[2] ?? "").length)
    const written = (first: string, last: string, number: string): string =>
      `${first}${separator}${last}${separator}${number}`.toLowerCase()
    return {
      // Longer, so that two people of one name are two.
      ofPerson: (first, last, key) => written(first, last, digits(key, count + 2)),
      write: (key) => {
        const { first, last } = personOf({ id: "", key })
        return written(first, last, digits(key, count))
      }
    }
  }
  if (uuidLike.test(sample)) return { ofPerson: null, write: uuid }
  const mixed = /\d[A-Z]/.test(sample) || /^[A-Z]{5,}$/.test(sample)
  const parts = (sample.match(mixed ? /\d+|[A-Z]+|[^\dA-Z]+/g : /\d+|\D+/g) ?? []).map((part, i) => {
    if (/\d/.test(part)) return (key: Keyed.Key) => digits(Keyed.nth(key, i), part.length)
    return mixed && /[A-Z]/.test(part)
      ? (key: Keyed.Key) => code(Keyed.nth(key, i), part.length).replace(/\d/g, "K")
      : () => part
  })
  return {
    ofPerson: null,
    write: (key) => {
      let out = ""
      for (const part of parts) out += part(key)
      return out
    }
  }
}

export const ofNoun = (noun: string, numeric: boolean): IdForm => ({
  ofPerson: null,
  write:
    noun === "room" || noun.endsWith("_room")
      ? roomNumber
      : numeric
        ? (key) => digits(key, 5)
        : (key) => `${prefix(noun)}-${digits(key, 5)}`
})

/** `204`: the floor, and the door on it. */
const roomNumber = (key: Keyed.Key): string =>
  `${Keyed.between(Keyed.nth(key, 0), 1, 5)}${String(Keyed.between(Keyed.nth(key, 1), 1, 18)).padStart(2, "0")}`

/** `doe` and `sara` of an e-mail or a name, for an identifier that shows them. */
export const nameIn = (text: string): readonly [string, string] | null => {
  const match = /^([a-z]{2,})[._ -]([a-z]{2,})\d*(?:@|$)/i.exec(text)
  return match === null ? null : [capital(match[1] ?? ""), capital(match[2] ?? "")]
}
