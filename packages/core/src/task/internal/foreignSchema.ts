/**
 * Schemas of other libraries as JSON Schema: Effect Schema, whatever offers its JSON Schema by the Standard Schema
 * interface (Zod 4.2 and later, ArkType, Valibot by `toStandardJsonSchema`), and Zod 3 and Valibot by what they say of
 * themselves.
 */
import * as Either from "effect/Either"
import * as EffectJsonSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import * as ErrorText from "../ErrorText.ts"
import { isObject } from "./keywords.ts"
import * as Valibot from "./valibot.ts"
import * as Zod3 from "./zod3.ts"

/** Arguments are what goes into a schema, results what comes out. */
export type Side = "input" | "output"

/** Why a schema has no JSON form, and what to do; completes the sentence "The schema ...". */
export interface Unreadable {
  readonly problem: string
  readonly fix: string
}

export const isForeign = (value: unknown): boolean =>
  Schema.isSchema(value) || isZod4(value) || isZodLike(value) || standardOf(value) !== undefined || isLater(value)

/** Of what is foreign. */
export const read = (value: unknown, side: Side): Either.Either<JsonSchema, Unreadable> => {
  if (Schema.isSchema(value)) return ofEffect(value)
  if (isLater(value)) return refused("is there only later (a promise)", "Await it before it is given.")
  const standard = standardOf(value)
  if (standard?.write !== undefined) return ofStandard(standard.write, side)
  if (isZod4(value)) {
    return refused(
      "is of a Zod before 4.2, which offers no JSON Schema",
      "Update zod to 4.2 or later, or give `z.toJSONSchema(schema)`."
    )
  }
  if (Zod3.isZod3(value)) return attempted(() => Zod3.read(value))
  if (Valibot.isValibot(value)) return attempted(() => Valibot.read(value))
  return refused(
    `is of ${standard?.vendor ?? "another library"}, which offers no JSON Schema`,
    "Give its JSON Schema, or a schema that offers one (https://standardschema.dev)."
  )
}

/** Whether a value may be left out, as the schema itself answers. */
export const isOptional = (value: unknown): boolean => {
  const validate = standardOf(value)?.validate
  if (validate === undefined) return false
  const result = Either.getOrUndefined(Either.try(() => validate(undefined)))
  return isObject(result) && !(result instanceof Promise) && result.issues === undefined
}

const ofEffect = (schema: Schema.Schema.Any): Either.Either<JsonSchema, Unreadable> =>
  Either.mapLeft(
    Either.try(() => ({ ...EffectJsonSchema.make(schema, { target: "jsonSchema2020-12" }) }) satisfies JsonSchema),
    () => ({
      problem: "is an Effect Schema without a JSON form",
      fix: "Use a schema of JSON values, or annotate it with `jsonSchema`."
    })
  )

type Write = (options: { readonly target: string; readonly libraryOptions?: object }) => unknown

interface Standard {
  readonly vendor: string
  readonly validate?: (value: unknown) => unknown
  /** Its JSON Schema, by side. */
  readonly write?: Readonly<Record<Side, Write>>
}

/** The Standard Schema side of a schema. JSON Schema that a library wrote may carry one, too, and is none of it. */
const standardOf = (value: unknown): Standard | undefined => {
  if ((!isObject(value) && typeof value !== "function") || isPlainJson(value)) return undefined
  const standard: unknown = Reflect.get(value, "~standard")
  if (!isObject(standard) || typeof standard.vendor !== "string") return undefined
  const { jsonSchema, validate, vendor } = standard
  return {
    vendor,
    ...(typeof validate === "function" ? { validate: (given) => Reflect.apply(validate, standard, [given]) } : {}),
    ...(isObject(jsonSchema) && typeof jsonSchema.input === "function" && typeof jsonSchema.output === "function"
      ? { write: { input: calling(jsonSchema, jsonSchema.input), output: calling(jsonSchema, jsonSchema.output) } }
      : {})
  }
}

const calling =
  (of: object, write: NonNullable<unknown>): Write =>
  (options) =>
    typeof write === "function" ? Reflect.apply(write, of, [options]) : undefined

/** Written JSON Schema: a plain object, unlike the schemas of libraries, which have a prototype or functions in them. */
const isPlainJson = (value: object): boolean =>
  typeof value !== "function" &&
  !isZod4(value) &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null) &&
  !Object.keys(value).includes("~standard") &&
  Object.values(value).every((held) => typeof held !== "function")

const isZod4 = (value: unknown): boolean => isObject(value) && "_zod" in value

const isZodLike = (value: unknown): boolean => isObject(value) && "_def" in value

const isLater = (value: unknown): boolean => isObject(value) && typeof value.then === "function"

/** What a library cannot say in JSON Schema is anything; each has a word of its own for that. */
const leniently = { unrepresentable: "any", fallback: ({ base }: { readonly base: unknown }) => base }

const ofStandard = (write: NonNullable<Standard["write"]>, side: Side): Either.Either<JsonSchema, Unreadable> => {
  const target = "draft-2020-12"
  return Either.orElse(
    attempted(() => write[side]({ target })),
    () => attempted(() => write[side]({ target, libraryOptions: leniently }))
  )
}

const attempted = (read: () => unknown): Either.Either<JsonSchema, Unreadable> =>
  Either.flatMap(
    Either.try({
      try: read,
      catch: (error) => ({
        problem: `has no JSON Schema (${ErrorText.of(error)})`,
        fix: "Use a schema of JSON values, or give its JSON Schema."
      })
    }),
    (schema) =>
      isObject(schema) ? Either.right(schema) : refused("has a JSON Schema that is no object", "Give its JSON Schema.")
  )

const refused = (problem: string, fix: string): Either.Either<never, Unreadable> => Either.left({ problem, fix })
