/**
 * The shape of a tool's result, where something declares it: an output schema, an example, or payloads seen before.
 */
import * as English from "../../language/English.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import type { Tool } from "../../task/Tool.ts"
import type * as Contents from "./contents.ts"
import * as EntityTypes from "./entityTypes.ts"
import * as Keyed from "./keyed.ts"
import { referenceOf } from "./nouns.ts"
import { get, isRecord, withFields, type JsonObject } from "./records.ts"
import * as SchemaShape from "./schemaShape.ts"
import * as SchemaValues from "./schemaValues.ts"

export type ResultShape =
  | { readonly _tag: "None"; readonly sources: ReadonlyArray<Contents.Source> }
  | {
      readonly _tag: "Schema"
      readonly schema: JsonSchema
      readonly place: Place
      readonly whole: SchemaValues.Generate
      /** One record as the schema has it. */
      readonly record: SchemaValues.Generate
      readonly sources: ReadonlyArray<Contents.Source>
    }
  | {
      readonly _tag: "Examples"
      /** What stands around the record in an answer. */
      readonly pick: (key: Keyed.Key) => unknown
      readonly place: Place
      readonly sources: ReadonlyArray<Contents.Source>
    }

/** Where in a result the record is, or the list of records. */
export interface Place {
  readonly path: ReadonlyArray<string>
  readonly many: boolean
  /** False when the result is not made of records: a number, a text. */
  readonly found: boolean
}

export const none: ResultShape = { _tag: "None", sources: [] }

export const compile = (tool: Tool, payloads: ReadonlyArray<unknown>, noun: string, many: boolean): ResultShape => {
  if (tool.output !== undefined) return ofSchema(tool.output, noun, many)
  const examples = tool.example === undefined ? payloads : [tool.example]
  return examples.length === 0 ? none : ofExamples(examples, noun, many)
}

const ofSchema = (schema: JsonSchema, noun: string, many: boolean): ResultShape => {
  const shapes = SchemaShape.make(schema)
  const plain = (given: unknown): JsonSchema =>
    shapes.alternatives(shapes.flat(given)).find((one) => SchemaShape.typesOf(one)[0] !== "null") ?? {}
  const isObject = (given: unknown): boolean => SchemaShape.typesOf(plain(given)).includes("object")
  const root = plain(schema)
  const within = (given: JsonSchema): JsonObject => (isRecord(given["properties"]) ? given["properties"] : {})
  const place = placeIn(
    noun,
    many,
    SchemaShape.typesOf(root).includes("array") ? "array" : isObject(root) ? "object" : "other",
    Object.keys(within(root)),
    (name) => {
      const one = get(within(root), name)
      return SchemaShape.typesOf(plain(one)).includes("array")
        ? isObject(plain(one)["items"] ?? {})
          ? "array"
          : "other"
        : isObject(one)
          ? "object"
          : "other"
    }
  )
  let node: unknown = root
  for (const step of place.path) node = get(within(plain(node)), step)
  if (place.many) node = plain(node)["items"] ?? true
  return {
    _tag: "Schema",
    schema,
    place,
    whole: SchemaValues.compile(schema),
    record: SchemaValues.compile(schema, node),
    sources: place.found && isObject(node) ? [EntityTypes.ofSchema(schema, node)] : []
  }
}

const ofExamples = (examples: ReadonlyArray<unknown>, noun: string, many: boolean): ResultShape => {
  const [first] = examples
  const kind = (value: unknown): "array" | "object" | "other" =>
    Array.isArray(value)
      ? value.length === 0 || isRecord(value[0])
        ? "array"
        : "other"
      : isRecord(value)
        ? "object"
        : "other"
  const place = placeIn(noun, many, kind(first), isRecord(first) ? Object.keys(first) : [], (name) =>
    kind(isRecord(first) ? get(first, name) : undefined)
  )
  const records = examples.flatMap((example) => {
    let at: unknown = example
    for (const step of place.path) at = isRecord(at) ? get(at, step) : undefined
    return (place.many ? (Array.isArray(at) ? at : []) : [at]).filter(isRecord)
  })
  return {
    _tag: "Examples",
    pick: (key) => Keyed.pick(Keyed.at(key, "example"), examples),
    place,
    sources: place.found && records.length > 0 ? [EntityTypes.ofExamples(records, `${noun}_id`)] : []
  }
}

const wrappers = ["data", "result", "record", "response", "item"]

const placeIn = (
  noun: string,
  many: boolean,
  root: "array" | "object" | "other",
  names: ReadonlyArray<string>,
  kindOf: (name: string) => "array" | "object" | "other"
): Place => {
  if (root === "array") return { path: [], many: true, found: true }
  if (root === "other") return { path: [], many: false, found: false }
  const head = noun.split("_").pop() ?? noun
  if (many) {
    const lists = names.filter((name) => kindOf(name) === "array")
    const list = lists.find((name) => name === English.plural(noun) || name === English.plural(head)) ?? lists[0]
    return list === undefined ? { path: [], many: false, found: true } : { path: [list], many: true, found: true }
  }
  if (names.includes("id") || names.includes(`${noun}_id`)) return { path: [], many: false, found: true }
  const inner = [noun, head, ...wrappers].find((name) => names.includes(name) && kindOf(name) === "object")
  return { path: inner === undefined ? [] : [inner], many: false, found: true }
}

/** A result with the record, or the records, put where they belong. */
export const put = (whole: unknown, place: Place, records: unknown): unknown => {
  const [step] = place.path
  if (step === undefined) return records
  return isRecord(whole) ? withFields(whole, [[step, records]]) : whole
}

/** Says how many there are, where a result has a field for it. */
export const counted = (whole: unknown, count: number): unknown => {
  if (!isRecord(whole)) return whole
  const fields = ["total", "count", "total_count", "total_results", "num_results"].filter(
    (name) => typeof get(whole, name) === "number"
  )
  return fields.length === 0
    ? whole
    : withFields(
        whole,
        fields.map((name) => [name, count])
      )
}

/** So many identifiers of one example are noted. */
const mostIdentifiers = 200

/** Identifiers that an example shows, each with what it names: they have to exist once an answer has shown them. */
export const identifiersIn = (example: unknown): ReadonlyArray<readonly [string, string]> => {
  const found: Array<readonly [string, string]> = []
  const walk = (value: unknown, name: string): void => {
    if (found.length >= mostIdentifiers) return
    if (Array.isArray(value)) for (const one of value) walk(one, name)
    else if (isRecord(value)) for (const key of Object.keys(value)) walk(value[key], key)
    else if (typeof value === "string" || typeof value === "number") {
      const noun = referenceOf(name)?.noun ?? ""
      if (noun !== "") found.push([noun, String(value)])
    }
  }
  walk(example, "")
  return found
}
