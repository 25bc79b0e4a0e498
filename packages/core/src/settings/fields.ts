/**
 * The values options take. Every schema says in words what it expects, so that a refusal can tell what to write.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"

/**
 * What an option takes. It is built when a value is first held against it: most programs give a handful of options, and
 * all of them together are a good part of what a program would wait for before it begins.
 */
export interface Field<A> {
  (): Schema.Schema<A>
  readonly kind: Kind
}

/**
 * How a value is written: `switch` is true or false, `words` is one of some words or a switch, `choice` one of some words,
 * `prose` is text that may be long, `path` a file, `spec` a path or prose, `rows` a file of rows or the rows, `value` is
 * JSON or else a word, `json` is JSON or a file of it, `code` can only come from a module.
 * @since 0.1.0
 * @category models
 */
export type Kind =
  | "switch"
  | "words"
  | "choice"
  | "count"
  | "number"
  | "seconds"
  | "text"
  | "prose"
  | "path"
  | "spec"
  | "rows"
  | "value"
  | "json"
  | "code"

export type Fields = Readonly<Record<string, () => Schema.Schema.Any>>
export type ValueOf<F extends Fields[string]> = Schema.Schema.Type<ReturnType<F>>

/** Annotation: what to give, as the rest of "Give ...". */
export const Expects = Symbol.for("@sandtable/core/Options/Expects")

const expecting = <A>(kind: Kind, expects: string, build: () => Schema.Schema<A>): Field<A> => {
  let built: Schema.Schema<A> | undefined
  return Object.assign(() => (built ??= build().annotations({ [Expects]: expects })), { kind })
}

/** A value told by a guard alone, such as a function or a service. */
export const of = <A>(guard: (value: unknown) => value is A, expects: string, kind: Kind = "value"): Field<A> =>
  expecting(kind, expects, () => Schema.declare(guard))

export const flag = expecting("switch", "true or false", () => Schema.Boolean)

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
export const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1

/** Counts: rows, repeats, turns. */
export const count = expecting("count", "a whole number of at least 1", () => Schema.Int.pipe(Schema.positive()))

/** `seed`: any whole number that a double holds exactly, 0 and negatives included. */
export const seed = expecting("number", "a whole number (0 is a valid seed)", () => Schema.Int)

export const share = expecting("number", "a number from 0 to 1", () => Schema.Number.pipe(Schema.between(0, 1)))

export const finite = (least: number, expects: string): Field<number> =>
  expecting("number", expects, () => Schema.Finite.pipe(Schema.greaterThanOrEqualTo(least)))

export const wholeBetween = (low: number, high: number): Field<number> =>
  expecting("count", `a whole number from ${low} to ${high}`, () => Schema.Int.pipe(Schema.between(low, high)))

/** Text that says something. */
export const text = expecting("text", "text that is not empty", () =>
  Schema.String.pipe(Schema.filter((value) => value.trim() !== ""))
)

/** Text that may be empty, such as a prompt. */
export const prose = expecting("prose", "text", () => Schema.String)

/** Nothing but `true`, where leaving it out says the rest. */
export const yes = expecting<true>("switch", "true, or leave it out", () => Schema.Literal(true))

export const anything = expecting<unknown>("value", "a value", () => Schema.Unknown)

/** One of some words. */
export const choice = <const Words extends readonly [string, ...Array<string>]>(
  ...words: Words
): Field<Words[number]> => expecting("choice", orList(words), () => Schema.Literal(...words))

/** `a`, `b` or `c`, each in quotes. */
export const orList = (words: ReadonlyArray<unknown>): string => {
  const quoted = words.map((word) => JSON.stringify(word))
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

export const oneOf = <A, B>(expects: string, first: Field<A>, second: Field<B>): Field<A | B> =>
  expecting<A | B>("words", expects, () => Schema.Union(first(), second()))

export const listOf = <A>(item: Field<A>, expects: string): Field<ReadonlyArray<A>> =>
  expecting("json", expects, () => Schema.Array(item()))

export const filledListOf = <A>(item: Field<A>, expects: string): Field<ReadonlyArray<A>> =>
  expecting("json", expects, () => Schema.Array(item()).pipe(Schema.filter((items) => items.length > 0)))

export const recordOf = <A>(value: Field<A>, expects: string): Field<{ readonly [key: string]: A }> =>
  expecting("json", expects, () => Schema.Record({ key: Schema.String, value: value() }))

/** As `recordOf`, of at least one key. */
export const filledRecordOf = <A>(value: Field<A>, expects: string): Field<{ readonly [key: string]: A }> =>
  expecting("json", expects, () =>
    Schema.Record({ key: Schema.String, value: value() }).pipe(
      Schema.filter((values) => Object.keys(values).length > 0)
    )
  )

/** What JSON can say: it is written to rows or files. */
export const json = of((value): value is unknown => isJson(value, 0), "a JSON value", "json")

const isJson = (value: unknown, depth: number): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  // deeper than anything meant: circular
  return typeof value === "object" && depth < 64 && Object.values(value).every((each) => isJson(each, depth + 1))
}

/** The values of keys that have to be there, and of others that need not. */
export type Struct<Required extends Fields, Optional extends Fields> = Types.Simplify<
  { readonly [K in keyof Required]: ValueOf<Required[K]> } & {
    readonly [K in keyof Optional]?: ValueOf<Optional[K]> | undefined
  }
>

/** An object with keys of its own, such as a seed. */
export const struct = <Required extends Fields, Optional extends Fields>(
  required: Required,
  optional: Optional,
  expects: string
): Field<Struct<Required, Optional>> => expecting("json", expects, () => structOf(required, optional))

/** As `struct`, built at once and without words of its own. */
export const structOf = <Required extends Fields, Optional extends Fields>(required: Required, optional: Optional) => {
  const fields: Record<string, Schema.Struct.Field> = {}
  for (const [key, field] of Object.entries(required)) fields[key] = field()
  for (const [key, field] of Object.entries(optional)) fields[key] = Schema.optional(field())
  // no option is written otherwise than it is meant, so what is encoded is the type itself
  return Schema.Struct(fields) as unknown as Schema.Schema<Struct<Required, Optional>>
}

/**
 * A span of time: a number is seconds.
 * @since 0.1.0
 * @category models
 */
export type Seconds = number | Duration.Duration | Extract<Duration.DurationInput, string>

export const seconds = of(
  (value): value is Seconds => (secondsOf(value) ?? 0) > 0,
  'seconds above 0, such as 30, or a span such as "10 seconds"',
  "seconds"
)

/** As `seconds`; 0 is a span too. */
export const secondsOrNone = of(
  (value): value is Seconds => secondsOf(value) !== undefined,
  'seconds, such as 5, or a span such as "5 seconds"',
  "seconds"
)

const span = /^\d+(\.\d+)?\s+(nano|micro|milli|second|minute|hour|day|week)s?$/

/** The seconds of a span that was checked. */
export const inSeconds = (value: Seconds): number => secondsOf(value) ?? 0

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
