/**
 * What a definition of an option says. There is one definition for each option; everything that depends on options is
 * derived from it: types, checks, defaults, the report's `knobs`, what a resumed run has to have in common with the run on
 * disk, flags, help and the tables of the options page.
 */
import type * as Schema from "effect/Schema"
import type { Field, Kind, ValueOf } from "./fields.ts"
import type { Mode, RepeatPolicy } from "./RunSettings.ts"

/**
 * Sections of the options page and of the help page, from 1.
 * @since 0.1.0
 * @category constants
 */
export const sections = [
  "The agent",
  "How many",
  "Who plays",
  "Size, clock, stopping",
  "What to look for",
  "Conversation (agents that talk in turns)",
  "Again, and the same again",
  "Advanced",
  "Events"
] as const

/** What is told of an option beside its values, its help and its default. */
export interface About {
  /** How its value is written, where that of its field does not fit. */
  readonly kind?: Kind
  /** As `kind`, on a command line alone. */
  readonly flag?: Kind
  /** What is shown as the default, where the default is no plain value. */
  readonly unset?: string
  /** The agents it is for: without it, for all. It is told when it is set for another. */
  readonly only?: "conversation" | "model"
  /** It says which asks there are: it has no place where the asks are given. */
  readonly choosesAsks?: true
  /**
   * Whether a run on disk can be resumed with another value: `same` refuses it, `grows` takes more but not less, `any` takes
   * all. `same` for settings, `any` for others.
   */
  readonly resume?: "same" | "grows" | "any"
  /** Its value is kept as a hash: it may hold gold answers, or what stays out of a profile. */
  readonly secret?: true
  /** It changes no row, so it is no part of a run's id. */
  readonly changesRows?: false
}

/** A definition of some option: a field of any type. */
export interface Definition<Alias extends string = string> extends About {
  /** One sentence, without its full stop: the default follows in brackets. */
  readonly help: string
  readonly value: { (): Schema.Schema.Any; readonly kind: Kind }
  readonly aliases?: ReadonlyArray<Alias>
}

/** What else of the call settings and their defaults depend on. */
export interface Call {
  readonly mode: Mode
  /** `uniqueSituations` and `repeatPolicy`, where they are given. */
  readonly unique?: boolean | undefined
  readonly repeatPolicy?: RepeatPolicy | undefined
  readonly concurrency?: number | undefined
  /** The tasks of an earlier run are given. */
  readonly replay: boolean
  /** A grader has been given, by option or by layer. */
  readonly graded: boolean
  /** The prompt of the spec. */
  readonly prompt?: string | undefined
  /** Openers given by `seeds`, `advanced.seedPrompts` or the spec. */
  readonly openers: number
}

/** An option that is a setting of the run: it always has a value. Without parameters: some setting. */
export interface Setting<
  A = unknown,
  B = unknown,
  Place extends string = string,
  Alias extends string = string
> extends Definition<Alias> {
  readonly default: B | ((call: Call) => B)
  /** From the caller's value to the setting; the value itself when left out. */
  settle?(value: A, call: Call): B
  /** Where it stands in `RunSettings`, as `timeouts.agent`; under its own name when left out. */
  readonly place?: Place
  /** What the report shows; the setting itself when left out. */
  report?(setting: B, value: A | undefined): unknown
  /** What is kept to compare a resumed run with; the setting itself when left out. */
  kept?(setting: B, isGiven: boolean): unknown
}

/** A definition whose field is known. */
export type Typed<A, D extends Definition> = Omit<D, "value"> & { readonly value: Field<A> }

/** The type of a setting is that of what `settle` gives, if there is one. */
type Settling<A, B, Place extends string, Alias extends string> = Omit<
  Setting<A, NoInfer<B>, Place, Alias>,
  "value" | "help" | "settle"
> & { readonly settle?: (value: A, call: Call) => B }

/** Defines a setting with a default. */
export const setting = <A, B = A, const Place extends string = "", const Alias extends string = never>(
  value: Field<A>,
  help: string,
  definition: Settling<A, B, Place, Alias>
) => ({ ...definition, value, help }) as Typed<A, Setting<A, B, Place, Alias>>

/** Defines a setting that is null unless it is set. */
export const optional = <A, B = A, const Place extends string = "", const Alias extends string = never>(
  value: Field<A>,
  help: string,
  definition: Omit<Settling<A, B, Place, Alias>, "default"> = {}
) => ({ ...definition, value, help, default: null }) as Typed<A, Setting<A, B | null, Place, Alias>>

/** Puts definitions into a section. */
export const section = <T extends Table>(section: number, table: T) =>
  Object.fromEntries(Object.entries(table).map(([name, definition]) => [name, { ...definition, section }])) as {
    readonly [Name in keyof T]: T[Name] & InSection
  }
export interface InSection {
  readonly section: number
}

/** Options by name. */
export type Table = Readonly<Record<string, Definition>>

/** What callers give: every option under its name and its aliases. */
export type ValuesOf<T extends Table> = {
  readonly [Name in keyof T as Name | AliasOf<T[Name]>]?: ValueOf<T[Name]["value"]> | undefined
}
// a definition without aliases is inferred with `string`
type AliasOf<O> = O extends { readonly aliases?: ReadonlyArray<infer Alias extends string> }
  ? string extends Alias
    ? never
    : Alias
  : never

/** What a run takes: every setting at its place. */
export type SettingsOf<T> = Merged<
  Intersection<
    {
      [Name in keyof T & string]: T[Name] extends Setting<infer _A, infer B, infer Place, infer _L>
        ? At<"" extends Place ? Name : Place, B>
        : never
    }[keyof T & string]
  >
>
type At<Place extends string, B> = Place extends `${infer Group}.${infer Name}`
  ? { readonly [G in Group]: { readonly [N in Name]: B } }
  : { readonly [P in Place]: B }
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never
type Merged<T> = { readonly [K in keyof T]: T[K] }
