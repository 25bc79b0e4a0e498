/**
 * What a record holds before anything is laid over it: its identifier first, then what its kind makes of it. Decided once
 * for each kind, so that a record costs the drawing of its values.
 */
import { write, type Field } from "./parts.ts"
import { put, type JsonObject } from "./records.ts"
import type * as Subjects from "./subjects.ts"

/** Where some of a record's fields come from; the first source that has a field gives it. */
export type Source = (of: Subjects.FieldContext) => JsonObject

export interface Contents {
  /** What the world has it hold. */
  readonly found: Source
  /** What a service adds by itself to a record made in a rollout. */
  readonly made: Source
}

interface Kind {
  /** Whether its records show their identifier, in which field, and as a number. */
  readonly known: boolean
  readonly idField: string
  readonly numeric: boolean
}

/** `template` gives what no source does. */
export const compile = (
  { known, idField, numeric }: Kind,
  sources: ReadonlyArray<Source>,
  template: ReadonlyArray<Field>
): Contents => {
  const fields = distinct(template)
  const identified = (id: string): Record<string, unknown> => {
    const out: Record<string, unknown> = {}
    put(out, idField, numeric && /^\d{1,15}$/.test(id) ? Number(id) : id)
    return out
  }
  const all: ReadonlyArray<Source> = [...sources, (of) => write(fields, of)]
  const gathered = (
    of: Subjects.FieldContext,
    shown: boolean,
    accepts: (name: string, value: unknown) => boolean
  ): JsonObject => {
    const out: Record<string, unknown> = shown ? identified(of.id) : {}
    const taken = new Set(Object.keys(out).map(spelling))
    for (const source of all) {
      const given = source(of)
      for (const name of Object.keys(given)) {
        const spelled = spelling(name)
        if (taken.has(spelled) || !accepts(name, given[name])) continue
        taken.add(spelled)
        put(out, name, given[name])
      }
    }
    return out
  }
  // With nothing to choose between, a template writes the record itself.
  const alone = sources.length === 0 && fields.every(({ name }) => spelling(name) !== spelling(idField))
  return {
    found: alone ? (of) => write(fields, of, known ? identified(of.id) : {}) : (of) => gathered(of, known, () => true),
    made: (of) => gathered(of, true, (name, value) => known && isOwnWork(name, value))
  }
}

/** The first of the fields that are one but for their spelling. */
const distinct = (fields: ReadonlyArray<Field>): ReadonlyArray<Field> => {
  const names = fields.map(({ name }) => spelling(name))
  return fields.filter((_, i) => names.indexOf(names[i] ?? "") === i)
}

/** `startTime` and `start_time` are one field. */
const spelling = (name: string): string => (/[A-Z_]/.test(name) ? name.toLowerCase().replaceAll("_", "") : name)

/** What a service adds by itself to what it was given: prices. */
const isOwnWork = (name: string, value: unknown): boolean =>
  typeof value === "number" && /(?:^|_)(?:price|total|cost|fee)(?:_|$)/.test(name)
