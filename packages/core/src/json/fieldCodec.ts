/**
 * Objects of a program and the JSON objects that stand for them, field by field, as the Schema of the struct says: other
 * keys, defaults, and values written in another form. Nothing is checked, and values are handed on as they are, so it costs
 * no more than a literal. What comes from outside is decoded by the Schema itself.
 */
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

type Signatures = Readonly<Record<string, Schema.PropertySignature.All>>

/** One field: its name in programs and its key in JSON, with what they hold. */
interface Field {
  readonly name: string
  readonly key: string
  readonly encode: (value: Option.Option<unknown>) => Option.Option<unknown>
  readonly decode: (value: Option.Option<unknown>) => Option.Option<unknown>
}

export interface FieldCodec<Fields extends Signatures> {
  readonly encode: (value: Schema.Struct.Type<Fields>) => Encoded<Fields>
  /** Keys that the Schema does not name are left out. */
  readonly decode: (json: Schema.Struct.Encoded<Fields>) => Schema.Struct.Type<Fields>
}

/** As it is written: a field that every value has is there, also where its JSON may be read without it. */
export type Encoded<Fields extends Signatures> = Schema.Struct.Encoded<Fields> & {
  readonly [
    Name in keyof Fields & string as Fields[Name]["_TypeToken"] extends ":" ? KeyOf<Name, Fields[Name]> : never
  ]: EncodedOf<Fields[Name]>
}

/** Of a struct whose fields are property signatures. */
export const make = <Fields extends Signatures>(struct: Schema.Struct<Fields>): FieldCodec<Fields> => {
  const fields = Object.entries(struct.fields).map(([name, signature]) => fieldOf(name, signature))
  type Value = Readonly<Record<string, unknown>>
  return {
    encode: (value) => {
      const json: Record<string, unknown> = {}
      for (const { encode, key, name } of fields) put(json, key, encode, (value as Value)[name])
      return json as Encoded<Fields>
    },
    decode: (json) => {
      const value: Record<string, unknown> = {}
      for (const { decode, key, name } of fields) put(value, name, decode, (json as Value)[key])
      return value as Schema.Struct.Type<Fields>
    }
  }
}

const put = (into: Record<string, unknown>, key: string, by: Field["encode"], value: unknown): void => {
  if (by === identity) {
    if (value !== undefined) into[key] = value
    return
  }
  const written = by(value === undefined ? Option.none() : Option.some(value))
  if (Option.isSome(written)) into[key] = written.value
}

const fieldOf = (name: string, { ast }: Schema.PropertySignature.All): Field => {
  const { decode, encode, from, key } = endsOf(name, ast)
  if (AST.typeAST(from.type) !== from.type) throw new Error(`${name} holds a value that only its Schema can decode`)
  return { name, key, encode, decode }
}

/** The fields of a struct by their JSON keys, for objects that may hold each of them or not. */
export type Optional<Fields extends Signatures> = {
  readonly [Name in keyof Fields & string as KeyOf<Name, Fields[Name]>]: Schema.optionalWith<
    Schema.Schema<EncodedOf<Fields[Name]>>,
    { exact: true }
  >
}

type KeyOf<Name, Field extends Schema.PropertySignature.All> = [Field["_Key"]] extends [never] ? Name : Field["_Key"]
type EncodedOf<Field> = Field extends Schema.Schema.Variance<infer _A, infer I, infer _R> ? I : never

export const optional = <Fields extends Signatures>({ fields }: Schema.Struct<Fields>): Optional<Fields> => {
  const held: Record<string, Schema.PropertySignature.All> = {}
  for (const [name, { ast }] of Object.entries(fields)) {
    const { from, key, to } = endsOf(name, ast)
    const signature = Schema.optionalWith(Schema.make(from.type), { exact: true })
    held[key] = signature.annotations({ ...from.annotations, ...to.annotations })
  }
  return held as Optional<Fields>
}

/** The two ends of a field, which are one where nothing is transformed. */
const endsOf = (name: string, ast: Schema.PropertySignature.AST) =>
  ast._tag === "PropertySignatureDeclaration"
    ? { from: ast, to: ast, key: name, encode: identity, decode: identity }
    : { ...ast, key: String(ast.from.fromKey ?? name) }
