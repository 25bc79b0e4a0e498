/**
 * One tool definition, in whichever dialect, as a `Tool`.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import type { Tool } from "../Tool.ts"
import { classify, isDestructive, type ToolKind, toolKinds } from "../ToolKind.ts"
import * as ForeignSchema from "./foreignSchema.ts"
import { describe, isObject, json, type SchemaProblem } from "./keywords.ts"
import { isSchemaLike, normalise, normaliseParameters } from "./normalise.ts"

type Definition = Readonly<Record<string, unknown>>

/** Where dialects keep the schema of the arguments. */
const parameterKeys = [
  "parameters",
  "input_schema",
  "inputSchema",
  "parametersSchema",
  "parametersJsonSchema",
  "args_schema"
] as const

/** Where they keep the schema of a result; the last three may hold prose or an example instead. */
const outputKeys = ["outputSchema", "output_schema", "successSchema", "output", "response", "returns"] as const

/** Fails with everything that keeps the definition from being read. `key` is the name it was listed under. */
export const readTool = (
  found: { readonly path: string; readonly key?: string; readonly value: unknown },
  kinds: Readonly<Record<string, ToolKind>>
): Either.Either<Tool, ReadonlyArray<SchemaProblem>> => {
  const { key, path, value } = found
  const definition = opened(value)
  if (definition === undefined) {
    const fix = "Write { name, description, parameters }; what a tool does goes into `execute`."
    return Either.left([{ path, problem: `is ${describe(value)}, not a tool definition`, fix }])
  }
  const given = [definition.name, key, definition.title].find((each) => typeof each === "string" && each.trim() !== "")
  if (typeof given !== "string") return Either.left([{ path, problem: "has no name", fix: "Give it a `name`." }])
  const name = given.trim()
  const at = name === key ? path : `${path} (${name})`

  const parameters = readParameters(definition)
  const output = readOutput(definition)
  const problems = [...located(at, "parameters", parameters), ...located(at, "output", output)]
  if (problems.length > 0) return Either.left(problems)

  const description = typeof definition.description === "string" ? definition.description.trim() : ""
  const example = exampleOf(definition, output?.schema)
  const hints = hintsOf(definition)
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  const told = kind ?? hints.kind ?? classify(name, description)
  // A read that is taken for a write makes up a record with every call, which is more than a write that is not made.
  const guessed = told === "other" && kind === undefined && hints.kind === undefined && hints.changes !== true
  const settled = guessed ? "read" : told
  return Either.right({
    name,
    description,
    parameters: parameters.schema,
    ...(output === undefined ? {} : { output: output.schema }),
    ...(example === undefined ? {} : { example }),
    kind: settled,
    ...(guessed ? { kindGuessed: true as const } : {}),
    destructive: (kind === undefined ? hints.destructive : undefined) ?? isDestructive(settled)
  })
}

/** The object that holds name, description and parameters. */
const opened = (value: unknown): Definition | undefined => {
  if (ForeignSchema.isForeign(value)) return { parameters: value }
  if (!isObject(value)) return undefined
  if (isObject(value.function)) return value.function
  if (isObject(value.toolSpec)) return value.toolSpec
  return value
}

interface Read {
  readonly schema: JsonSchema
  readonly problems: ReadonlyArray<SchemaProblem>
}

const readParameters = (definition: Definition): Read => {
  const key = parameterKeys.find((name) => definition[name] !== undefined && definition[name] !== null)
  // a JSON Schema listed under the tool's name, or titled with it, is the schema of the arguments itself
  if (key === undefined) return normaliseParameters(isParametersItself(definition) ? definition : {})
  const given = unwrapped(definition[key])
  if (ForeignSchema.isForeign(given)) {
    return Either.match(ForeignSchema.read(given, "input"), {
      onLeft: ({ fix, problem }) => refused(problem, fix),
      onRight: normaliseParameters
    })
  }
  if (isObject(given) && Object.keys(given).length > 0 && Object.values(given).every(isMember)) {
    return normaliseParameters(ofMembers(given))
  }
  return isObject(given)
    ? normaliseParameters(given)
    : refused(`is ${describe(given)}, not an object`, "Write `parameters` as a JSON Schema of an object.")
}

const isMember = (value: unknown): boolean => ForeignSchema.isForeign(value) || Schema.isPropertySignature(value)

/** Arguments given as a map of schemas: those of Effect are one struct, of others each says whether it may be missing. */
const ofMembers = (members: Definition): unknown => {
  if (Object.values(members).every((one) => Schema.isSchema(one) || Schema.isPropertySignature(one))) {
    const struct = ForeignSchema.read(Schema.Struct(members as Schema.Struct.Fields), "input")
    if (Either.isRight(struct)) return struct.right
  }
  const required = Object.keys(members).filter((name) => !ForeignSchema.isOptional(members[name]))
  return { type: "object", properties: members, required }
}

const refused = (problem: string, fix: string): Read => ({ schema: {}, problems: [{ path: "", problem, fix }] })

const isParametersItself = (definition: Definition): boolean =>
  isObject(definition.properties) || (typeof definition.type === "string" && /^(object|dict)$/i.test(definition.type))

/**
 * Bedrock wraps a schema as `{ json }`, the AI SDK as `{ jsonSchema }`, or gives a function that makes one when it is first
 * needed.
 */
const unwrapped = (given: unknown): unknown => {
  if (ForeignSchema.isForeign(given)) return given
  if (typeof given === "function" && given.length === 0) {
    return Either.getOrElse(
      Either.try(() => unwrapped(given())),
      () => given
    )
  }
  if (!isObject(given) || isSchemaLike(given)) return given
  return isObject(given.json) ? given.json : isObject(given.jsonSchema) ? given.jsonSchema : given
}

const readOutput = (definition: Definition): Read | undefined => {
  for (const key of outputKeys) {
    const given = unwrapped(definition[key])
    if (ForeignSchema.isForeign(given)) {
      if (Schema.isSchema(given) && given.ast._tag === "VoidKeyword") return undefined
      const schema = Either.getOrUndefined(ForeignSchema.read(given, "output"))
      return schema === undefined ? undefined : normalise(schema)
    }
    if (isSchemaLike(given)) return normalise(given)
  }
  return undefined
}

const located = (path: string, part: string, read: Read | undefined): ReadonlyArray<SchemaProblem> =>
  (read?.problems ?? []).map((each) => ({ ...each, path: `${path} ${part}${each.path}` }))

/** A declared example of a result: `example`, the first of `examples`, or one that the result's schema gives. */
const exampleOf = (definition: Definition, output: JsonSchema | undefined): unknown => {
  const [example] = [definition.example, ...listOf(definition.examples), ...listOf(output?.examples)].filter(
    (each) => each !== undefined
  )
  const pair = isObject(example) && Object.hasOwn(example, "input") && Object.hasOwn(example, "output")
  return json(pair ? example.output : example)
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** What the definition itself says of the kind: a `kind` of ours, MCP's or `@effect/ai`'s annotations. */
const hintsOf = (
  definition: Definition
): { readonly kind?: ToolKind; readonly destructive?: boolean; readonly changes?: boolean } => {
  const kind = toolKinds.find((each) => each === definition.kind)
  const readOnly = hint(definition.annotations, "readOnlyHint", "@effect/ai/Tool/Readonly")
  const destructive =
    typeof definition.destructive === "boolean"
      ? definition.destructive
      : hint(definition.annotations, "destructiveHint", "@effect/ai/Tool/Destructive")
  return {
    ...(kind !== undefined ? { kind } : readOnly === true ? { kind: "read" as const } : {}),
    ...(destructive === undefined || readOnly === true ? {} : { destructive }),
    ...(readOnly === false || destructive === true ? { changes: true } : {})
  }
}

const hint = (annotations: unknown, mcp: string, tag: string): boolean | undefined => {
  if (!isObject(annotations)) return undefined
  const value = annotations.unsafeMap instanceof Map ? annotations.unsafeMap.get(tag) : annotations[mcp]
  return typeof value === "boolean" ? value : undefined
}
