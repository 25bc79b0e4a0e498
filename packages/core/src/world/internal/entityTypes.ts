/**
 * The kinds of records a run's tools speak of: what they are called, how their identifiers look, and what they hold.
 */
import * as English from "../../language/English.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import type { Tool } from "../../task/Tool.ts"
import * as Contents from "./contents.ts"
import * as FieldCheck from "./fieldCheck.ts"
import * as IdForms from "./idForms.ts"
import * as Keyed from "./keyed.ts"
import { referenceOf, type Reference } from "./nouns.ts"
import { field, refer, type Kind } from "./parts.ts"
import { isRecord, put, withFields, type JsonObject } from "./records.ts"
import * as SchemaShape from "./schemaShape.ts"
import * as SchemaValues from "./schemaValues.ts"
import * as Templates from "./templates.ts"
import * as Words from "./vocabulary.ts"

export interface EntityType {
  readonly noun: string
  readonly head: string
  readonly person: boolean
  /** Whether tools take its identifiers. */
  readonly known: boolean
  /** The field that shows its identifier. */
  readonly idField: string
  readonly numeric: boolean
  readonly form: IdForms.IdForm
  /** Identifiers declared to exist, in order. */
  readonly declared: ReadonlySet<string>
  readonly statuses: ReadonlyArray<string>
  /** Kinds of which its records name one that they belong to. */
  readonly parents: ReadonlyArray<string>
  readonly contents: Contents.Contents
}

export interface Argument {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
  readonly many: boolean
  readonly reference: Reference | null
}

/** The name by which people are known where they have no other identifier. */
export interface Login {
  readonly argument: string
  readonly noun: string
}

/** `get_user(username)`: the name is the identifier, unless something else is. */
export const loginOf = (tools: ReadonlyArray<{ readonly tool: Tool; readonly noun: string }>): Login | null => {
  for (const { noun, tool } of tools) {
    const { properties, required } = tool.parameters
    const [only, ...more] = SchemaShape.names(required)
    if (tool.kind !== "read" || only === undefined || more.length > 0 || !isRecord(properties)) continue
    const head = noun.split("_").pop() ?? noun
    if (logins.has(only) && Words.personNouns.has(head)) return { argument: only, noun }
  }
  return null
}
const logins: ReadonlySet<string> = new Set(["username", "user_name", "login", "handle", "screen_name"])

/** The arguments of a tool, in order. */
export const argumentsOf = (
  tool: Tool,
  nouns: ReadonlyArray<string>,
  login: Login | null = null
): ReadonlyArray<Argument> => {
  const shapes = SchemaShape.make(tool.parameters)
  const schema = shapes.flat(tool.parameters)
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const required = new Set(SchemaShape.names(schema["required"]))
  return Object.keys(properties).map((name) => {
    const own = shapes.flat(properties[name])
    const types = SchemaShape.typesOf(own)
    const scalar =
      types.length === 0 || types.some((type) => type === "string" || type === "integer" || type === "number")
    return {
      name,
      schema: own,
      required: required.has(name),
      many: types.includes("array"),
      reference:
        scalar || types.includes("array")
          ? name === login?.argument
            ? { noun: login.noun, incoming: false }
            : (referenceOf(name) ?? described(name, nouns, own))
          : null
    }
  })
}

/** `order` in `track_order(order)` is an identifier when its description says so. */
const described = (name: string, nouns: ReadonlyArray<string>, schema: JsonSchema): Reference | null =>
  nouns.map(English.singular).includes(name) &&
  typeof schema["description"] === "string" &&
  /\b(?:id|ids|identifier|number|code|reference)\b/i.test(schema["description"])
    ? { noun: name, incoming: false }
    : null

/** Collects what all tools say of each kind of record, then makes the kinds on demand. */
export interface Collector {
  readonly known: (noun: string) => boolean
  /** An identifier that results show exists, if tools take such identifiers. */
  readonly declare: (noun: string, id: string) => void
  readonly statuses: (noun: string, status: string) => void
  /** One of the statuses that tools list such records by: there are no others. */
  readonly listed: (noun: string, status: string) => void
  /** Such records are listed by the record of another kind that they belong to. */
  readonly belongs: (noun: string, to: string) => void
  /** Whether a declared result says what such a record holds. */
  readonly described: (noun: string) => boolean
  readonly source: (noun: string, source: Contents.Source, replacesTemplate: boolean) => void
  readonly type: (noun: string) => EntityType
}

interface Gathered {
  idField: string | null
  numeric: boolean
  samples: Array<string>
  declared: Array<string>
  statuses: Array<string>
  listed: Set<string>
  parents: Set<string>
  sources: Array<Contents.Source>
  described: boolean
}

export const collect = (
  tools: ReadonlyArray<{ readonly noun: string; readonly arguments: ReadonlyArray<Argument> }>,
  ids: Readonly<Record<string, ReadonlyArray<string>>>,
  existing: ReadonlySet<string>,
  checks: ReadonlySet<string>
): Collector => {
  const all = new Map<string, Gathered>()
  const built = new Map<string, EntityType>()
  const argumentNames = new Set<string>()
  const of = (noun: string): Gathered => {
    const known = all.get(noun)
    if (known !== undefined) return known
    const fresh: Gathered = {
      idField: null,
      numeric: false,
      samples: [],
      declared: [],
      statuses: [],
      listed: new Set(),
      parents: new Set(),
      sources: [],
      described: false
    }
    all.set(noun, fresh)
    return fresh
  }
  for (const tool of tools) {
    for (const argument of tool.arguments) {
      argumentNames.add(argument.name)
      if (argument.reference === null) continue
      const gathered = of(argument.reference.noun === "" ? tool.noun : argument.reference.noun)
      if (!argument.many && !argument.reference.incoming) gathered.idField ??= argument.name
      gathered.numeric ||= SchemaShape.typesOf(argument.schema)[0] === "integer"
      gathered.samples.push(...samplesOf(argument.schema))
    }
  }
  for (const argument of Object.keys(ids)) {
    const reference = referenceOf(argument)
    const noun = reference === null || reference.noun === "" ? English.singular(argument) : reference.noun
    const gathered = of(noun)
    gathered.idField ??= argument
    gathered.declared.push(...(ids[argument] ?? []))
  }
  const known = (noun: string): boolean => all.get(noun)?.idField != null || (all.get(noun)?.samples.length ?? 0) > 0
  const argument = (name: string): boolean => argumentNames.has(name)
  return {
    known,
    declare: (noun, id) => {
      const gathered = all.get(noun)
      if (gathered !== undefined && !gathered.declared.includes(id)) gathered.declared.push(id)
    },
    statuses: (noun, status) => void (of(noun).statuses.includes(status) || of(noun).statuses.push(status)),
    listed: (noun, status) => void of(noun).listed.add(status),
    belongs: (noun, to) => void of(noun).parents.add(to),
    described: (noun) => of(noun).described,
    source: (noun, source, replacesTemplate) => {
      of(noun).sources.push(source)
      of(noun).described ||= replacesTemplate
    },
    type: (noun) => {
      const before = built.get(noun)
      if (before !== undefined) return before
      const type = make(
        { noun, head: noun.split("_").pop() ?? noun, has: known, argument, checked: (field) => checks.has(field) },
        of(noun),
        existing,
        (other) => all.get(other)?.idField ?? `${other}_id`
      )
      built.set(noun, type)
      return type
    }
  }
}

const make = (
  kind: Kind,
  gathered: Gathered,
  existing: ReadonlySet<string>,
  idFieldOf: (noun: string) => string
): EntityType => {
  const { noun, head } = kind
  const person = Words.personNouns.has(head)
  const sample = gathered.declared[0] ?? gathered.samples[0]
  const usual = Words.statusesByNoun.get(head) ?? Words.commonStatuses
  const shown = {
    known: kind.has(noun),
    idField: gathered.idField ?? (head === "request" ? "request_id" : `${noun}_id`),
    numeric: gathered.numeric
  }
  const template = Templates.of(kind)
  const belonging = [...gathered.parents]
    .filter((parent) => !template.some(({ name }) => referenceOf(name)?.noun === parent))
    .map((parent) => field(idFieldOf(parent), (of) => refer(of, parent)))
  const fields = gathered.described ? [] : [...belonging, ...template]
  return {
    ...shown,
    noun,
    parents: fields.flatMap(({ name }) => {
      const parent = referenceOf(name)?.noun ?? ""
      return parent !== "" && parent !== noun && kind.has(parent) ? [parent] : []
    }),
    head,
    person,
    form:
      sample === undefined || (gathered.numeric && !/^\d+$/.test(sample))
        ? IdForms.ofNoun(noun, gathered.numeric)
        : IdForms.ofSample(sample, person),
    // Identifiers that came without their kind belong to the kind whose identifiers look like them.
    declared: new Set([
      ...gathered.declared,
      ...(sample === undefined ? [] : [...existing].filter((id) => formOf(id) === formOf(sample)))
    ]),
    statuses: [
      ...new Set([
        ...gathered.statuses,
        ...gathered.listed,
        ...usual.filter((one) => gathered.listed.size === 0 && (gathered.statuses.length === 0 || one !== "processed"))
      ])
    ],
    contents: Contents.compile(shown, gathered.sources, fields)
  }
}

const formOf = (id: string): string => id.replace(/\d/g, "9").replace(/[a-z]+/g, "a")

const samplesOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const declared = [schema["examples"], schema["example"]].flat().filter((one) => typeof one === "string")
  const described = typeof schema["description"] === "string" ? IdForms.samplesIn(schema["description"]) : []
  const items = isRecord(schema["items"]) ? samplesOf(schema["items"]) : []
  return [...declared, ...described, ...items]
}

/** Fields by a declared schema of the record. */
export const ofSchema = (root: JsonSchema, node: unknown): Contents.Source => {
  const generate = SchemaValues.compile(root, node)
  return (subject) => {
    const value = generate(subject)
    return isRecord(value) ? value : {}
  }
}

/** Fields of one of some example records; the example's own identifier becomes the record's. */
export const ofExamples =
  (examples: ReadonlyArray<JsonObject>, idField: string): Contents.Source =>
  (subject) => {
    const example = Keyed.pick(Keyed.at(subject.key, "example"), examples)
    const own = example[idField] ?? example["id"]
    return withFields(
      example,
      Object.entries(example)
        .filter(([, value]) => value === own && own !== undefined)
        .map(([name]) => [name, subject.id])
    )
  }

/** Fields that an argument's own schema describes: an enumerated priority, the threshold of a sensor. */
export const ofArguments = (args: ReadonlyArray<Argument>): Contents.Source => {
  const made = args.map(({ name, schema }) => ({
    name,
    generate: SchemaValues.compile(schema, schema, name),
    fits: FieldCheck.of(schema)
  }))
  return (subject) => {
    const out: Record<string, unknown> = {}
    for (const { name, generate, fits } of made) {
      const value = generate(subject)
      if (fits(value)) put(out, name, value)
    }
    return out
  }
}
