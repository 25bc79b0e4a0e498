/**
 * Checks of JSON values, generated from a Schema: the answer of `Schema.is` at a fraction of its cost, for values that are
 * read by the ten thousand. Only shapes that JSON has are generated; anything else is left to Effect's own check.
 */
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

type Check = (value: unknown) => boolean

/** The check of what a Schema has as its type. It is made when it is first used. */
export const checkOf = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => value is A) => {
  let check: Check | null = null
  return (value): value is A => (check ??= compiled(AST.typeAST(schema.ast)))(value)
}

const compiled = (ast: AST.AST): Check => {
  switch (ast._tag) {
    case "StringKeyword":
      return (value) => typeof value === "string"
    case "NumberKeyword":
      return (value) => typeof value === "number"
    case "BooleanKeyword":
      return (value) => typeof value === "boolean"
    case "UnknownKeyword":
      return () => true
    case "Literal": {
      const { literal } = ast
      return (value) => value === literal
    }
    case "Refinement": {
      const holds = compiled(ast.from)
      return (value) => holds(value) && Option.isNone(ast.filter(value, AST.defaultParseOption, ast))
    }
    case "Union":
      return unionOf(ast.types)
    case "TupleType":
      return listOf(ast)
    case "TypeLiteral":
      return ast.indexSignatures.length === 0 ? structOf(ast.propertySignatures) : recordOf(ast)
    default:
      return asEffectDoes(ast)
  }
}

const asEffectDoes = (ast: AST.AST): Check => ParseResult.is(Schema.make(ast))

const unionOf = (types: ReadonlyArray<AST.AST>): Check => {
  const literals = new Set<unknown>(types.flatMap((type) => (AST.isLiteral(type) ? [type.literal] : [])))
  const others = types.filter((type) => !AST.isLiteral(type)).map(compiled)
  return (value) => {
    if (literals.has(value)) return true
    for (const check of others) if (check(value)) return true
    return false
  }
}

const listOf = (ast: AST.TupleType): Check => {
  const [item, ...more] = ast.rest
  if (item === undefined || more.length > 0 || ast.elements.length > 0) return asEffectDoes(ast)
  const check = compiled(item.type)
  return (value) => Array.isArray(value) && value.every(check)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const recordOf = (ast: AST.TypeLiteral): Check => {
  const [signature] = ast.indexSignatures
  const plain = ast.indexSignatures.length === 1 && ast.propertySignatures.length === 0
  if (!plain || signature === undefined || !AST.isStringKeyword(signature.parameter)) return asEffectDoes(ast)
  const check = compiled(signature.type)
  return (value) => {
    if (!isRecord(value)) return false
    for (const key of Object.keys(value)) if (!check(value[key])) return false
    return true
  }
}

/** Keys that have to be there, and keys that hold where they are there; others are not looked at. */
const structOf = (properties: ReadonlyArray<AST.PropertySignature>): Check => {
  const required = properties
    .filter(({ isOptional }) => !isOptional)
    .map(({ name, type }) => ({ name, check: compiled(type) }))
  const optional = new Map(
    properties.flatMap(({ isOptional, name, type }) => (isOptional ? [[name, compiled(type)] as const] : []))
  )
  return (value) => {
    if (!isRecord(value)) return false
    for (const { check, name } of required) {
      if (!Object.hasOwn(value, name) || !check(value[name as string])) return false
    }
    if (optional.size === 0) return true
    for (const key of Object.keys(value)) {
      const check = optional.get(key)
      if (check !== undefined && !check(value[key])) return false
    }
    return true
  }
}
