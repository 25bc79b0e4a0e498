/**
 * The record a value is made for, and what can be told of it without its fields: who it is, and where.
 */
import * as Keyed from "./keyed.ts"
import { capital } from "./texts.ts"
import * as Words from "./vocabulary.ts"

/** The record a field belongs to. */
export interface FieldContext {
  readonly key: Keyed.Key
  /** Its identifier; empty for what has none. */
  readonly id: string
  /** What it is, as a snake_case noun, and the last word of it. */
  readonly noun: string
  readonly head: string
  readonly statuses: ReadonlyArray<string>
  readonly world: Surroundings
}

/** What a record may ask of the world it is in. */
export interface Surroundings {
  /** The identifier of another record; null when the world keeps no such records. */
  readonly refer: (of: FieldContext, noun: string, key: Keyed.Key) => string | null
  /** The one record of a kind that a record belongs to or is of; null when the world keeps no such records. */
  readonly parent: (of: FieldContext, noun: string) => string | null
  readonly other: (noun: string, id: string) => FieldContext
  /** Identifiers of the records of a kind that refer to this one. */
  readonly owned: (of: FieldContext, noun: string) => ReadonlyArray<string>
  /** Its place among the records of its kind that lists know; -1 for others. */
  readonly place: (of: FieldContext) => number
}

export interface Person {
  readonly first: string
  readonly last: string
}

/** Ids such as `sara_doe_496` or `sara.doe@example.com` say who it is. */
export const personOf = (of: Pick<FieldContext, "id" | "key">): Person => {
  const match = of.id === "" ? null : /^([a-z]{2,})[._-]([a-z]{2,})[._-]?\d*(?:@.*)?$/i.exec(of.id)
  if (match !== null) return { first: capital(match[1] ?? ""), last: capital(match[2] ?? "") }
  return {
    first: Keyed.pick(Keyed.at(of.key, "first"), Words.firstNames),
    last: Keyed.pick(Keyed.at(of.key, "last"), Words.lastNames)
  }
}

export const placeOf = (of: Pick<FieldContext, "key">): Words.Place =>
  Keyed.pick(Keyed.at(of.key, "place"), Words.places)
