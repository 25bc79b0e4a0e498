/**
 * The values options take. Every schema says in words what it expects, so that a refusal can tell what to write.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"

/** Annotation: what to give, as the rest of "Give ...". */
export const Expects = Symbol.for("@sandtable/core/Options/Expects")

const expecting = <A>(schema: Schema.Schema<A>, expects: string): Schema.Schema<A> =>
  schema.annotations({ [Expects]: expects })

/** A value told by a guard alone, such as a function or a service. */
export const of = <A>(guard: (value: unknown) => value is A, expects: string): Schema.Schema<A> =>
  Schema.declare(guard).annotations({ [Expects]: expects })

export const flag = expecting(Schema.Boolean, "true or false")

/** Counts: rows, repeats, turns. */
export const count = expecting(Schema.Int.pipe(Schema.positive()), "a whole number of at least 1")

/** `seed`: any whole number that a double holds exactly, 0 and negatives included. */
export const seed = expecting(Schema.Int, "a whole number (0 is a valid seed)")

export const share = expecting(Schema.Number.pipe(Schema.between(0, 1)), "a number from 0 to 1")

export const finite = (least: number, expects: string): Schema.Schema<number> =>
  expecting(Schema.Finite.pipe(Schema.greaterThanOrEqualTo(least)), expects)

export const wholeBetween = (low: number, high: number): Schema.Schema<number> =>
  expecting(Schema.Int.pipe(Schema.between(low, high)), `a whole number from ${low} to ${high}`)

/** Text that says something. */
export const text = expecting(
  Schema.String.pipe(Schema.filter((value) => value.trim() !== "")),
  "text that is not empty"
)

/** Text that may be empty, such as a prompt. */
export const prose = expecting(Schema.String, "text")

/** One of some words. */
export const choice = <const Words extends readonly [string, ...Array<string>]>(
  ...words: Words
): Schema.Schema<Words[number]> => expecting(Schema.Literal(...words), orList(words))

/** `a`, `b` or `c`, each in quotes. */
export const orList = (words: ReadonlyArray<unknown>): string => {
  const quoted = words.map((word) => JSON.stringify(word))
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

export const oneOf = <A>(expects: string, ...members: ReadonlyArray<Schema.Schema<A>>): Schema.Schema<A> =>
  expecting(Schema.Union(...members), expects)

export const listOf = <A>(item: Schema.Schema<A>, expects: string): Schema.Schema<ReadonlyArray<A>> =>
  expecting(Schema.Array(item), expects)

export const filledListOf = <A>(item: Schema.Schema<A>, expects: string): Schema.Schema<ReadonlyArray<A>> =>
  expecting(Schema.Array(item).pipe(Schema.filter((items) => items.length > 0)), expects)

export const recordOf = <A>(value: Schema.Schema<A>, expects: string): Schema.Schema<{ readonly [key: string]: A }> =>
  expecting(Schema.Record({ key: Schema.String, value }), expects)

/** What JSON can say: it is written to rows or files. */
export const json = of((value): value is unknown => isJson(value, 0), "a JSON value")

const isJson = (value: unknown, depth: number): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  // deeper than anything meant: circular
  return typeof value === "object" && depth < 64 && Object.values(value).every((each) => isJson(each, depth + 1))
}

/** An object with keys of its own, such as a seed. */
export const struct = <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  expects: string
): Schema.Schema<Types.Simplify<Schema.Struct.Type<Fields>>> =>
  // no option is written otherwise than it is meant, so what is encoded is the type itself
  expecting(Schema.Struct(fields) as unknown as Schema.Schema<Types.Simplify<Schema.Struct.Type<Fields>>>, expects)

/** A span of time: a number is seconds. */
export type Seconds = number | Duration.Duration | Extract<Duration.DurationInput, string>

export const seconds = of(
  (value): value is Seconds => (secondsOf(value) ?? 0) > 0,
  'seconds above 0, such as 30, or a span such as "10 seconds"'
)

/** As `seconds`; 0 is a span too. */
export const secondsOrNone = of(
  (value): value is Seconds => secondsOf(value) !== undefined,
  'seconds, such as 5, or a span such as "5 seconds"'
)

const span = /^\d+(\.\d+)?\s+(nano|micro|milli|second|minute|hour|day|week)s?$/

/** The span in seconds; undefined when it is none, or endless. */
export const secondsOf = (value: unknown): number | undefined => {
  const n =
    typeof value === "number"
      ? value
      : Duration.isDuration(value)
        ? Duration.toSeconds(value)
        : typeof value === "string" && span.test(value)
          ? Duration.toSeconds(Duration.decode(value as Extract<Duration.DurationInput, string>))
          : Number.NaN
  return Number.isFinite(n) && n >= 0 ? n : undefined
}
