/**
 * Values of a JSON Schema: the same for the same key, and named by their properties, so that a `city` is a city.
 */
import * as English from "../../language/English.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"
import { wordsOf } from "../../task/ToolKind.ts"
import * as Fields from "./fields.ts"
import * as Keyed from "./keyed.ts"
import { get, isRecord, put } from "./records.ts"
import { number, tester, text } from "./schemaScalars.ts"
import * as SchemaShape from "./schemaShape.ts"
import type * as Subjects from "./subjects.ts"

/**
 * Makes the value for a record, of the whole schema or of a part of it. `known` gives fields the record already has (`undefined` for none); `lean` leaves out
 * all that is not required.
 */
export type Generate = (of: Subjects.FieldContext, options?: Options) => unknown

export interface Options {
  readonly known?: (name: string, schema: JsonSchema) => unknown
  readonly lean?: boolean
  /** Another try draws other values. */
  readonly attempt?: number
}

/** Optional parts are left out below this depth, so that recursion ends. */
const depth = 6
/** A list without bounds has one to three items. */
const usualItems = 3
const redraws = 20
/** A list is made no longer than this for its `minItems`: the nearest to it that still is a result to read. */
const longestList = 256
/** Items of lists inside lists, all together; inner lists share what the outer ones leave. */
const mostItems = 4096

interface ValueContext {
  readonly of: Subjects.FieldContext
  readonly key: Keyed.Key
  readonly left: number
  /** How many items of lists may still be made for their `minItems`. */
  readonly room: number
  readonly lean: boolean
  readonly known: Options["known"]
}

type Node = (at: ValueContext) => unknown

export const compile = (root: JsonSchema, part: unknown = root, name = ""): Generate => {
  const node = nodes(SchemaShape.make(root))(part, name)
  return (of, { known, lean = false, attempt = 0 } = {}) => {
    const own = attempt === 0 ? of : { ...of, key: Keyed.nth(of.key, attempt) }
    return node({ of: own, key: Keyed.at(own.key, "value"), left: depth, room: mostItems, lean, known })
  }
}

const nodes = (shapes: SchemaShape.Shapes): ((schema: unknown, name: string) => Node) => {
  const compiled = new Map<object, Map<string, Node>>()

  const node = (given: unknown, name: string): Node => {
    const schema = shapes.flat(given)
    const byName = compiled.get(schema) ?? new Map<string, Node>()
    compiled.set(schema, byName)
    const known = byName.get(name)
    if (known !== undefined) return known
    let built: Node | undefined
    const lazily: Node = (at) => {
      built ??= union(schema, name)
      return built(at)
    }
    byName.set(name, lazily)
    return lazily
  }

  const union = (schema: JsonSchema, name: string): Node => {
    const all = shapes.alternatives(schema)
    if (all.length === 1) return typed(all[0] ?? schema, name)
    const options = all.map((one) => ({ one, make: typed(one, name), empty: SchemaShape.typesOf(one)[0] === "null" }))
    return (at) => {
      const fitting = options.filter((option) => shapes.fits(option.one, at.left))
      const filled = fitting.filter((option) => !option.empty)
      const from = filled.length > 0 ? filled : fitting.length > 0 ? fitting : options
      return Keyed.pick(Keyed.at(at.key, "branch"), from).make(at)
    }
  }

  const typed = (schema: JsonSchema, name: string): Node => {
    if (schema["const"] !== undefined) return () => schema["const"]
    const values = schema["enum"]
    if (Array.isArray(values) && values.length > 0) return listed(values, name)
    const types = SchemaShape.typesOf(schema)
    const present = types.filter((type) => type !== "null")
    const type = present.includes("string") ? "string" : (present[0] ?? types[0])
    switch (type) {
      case "object":
        return object(schema, name)
      case "array":
        return array(schema, name)
      case "string":
        return text(schema, name)
      case "integer":
      case "number":
        return number(schema, name, type === "integer")
      case "boolean": {
        const made = Fields.named(name)
        return ({ of, key }) => {
          const value = made?.(of)
          return typeof value === "boolean" ? value : Keyed.chance(key, 0.5)
        }
      }
      case "null":
        return () => null
      default: {
        const made = Fields.named(name)
        return ({ of }) => made?.(of) ?? Fields.plain(of, name)
      }
    }
  }

  const object = (schema: JsonSchema, name: string): Node => {
    const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
    const required = new Set(SchemaShape.names(schema["required"]))
    const patterns = isRecord(schema["patternProperties"]) ? Object.entries(schema["patternProperties"]) : []
    const others = schema["additionalProperties"]
    const members = Object.keys(properties)
      .filter((property) => properties[property] !== false)
      .map((property) => ({ property, schema: properties[property], make: node(properties[property], property) }))
    for (const property of required) {
      if (Object.hasOwn(properties, property)) continue
      const matching = patterns.find(([pattern]) => tester(pattern)(property))?.[1]
      members.push({ property, schema: matching ?? others ?? true, make: node(matching ?? others ?? true, property) })
    }
    const [least, most] = [
      SchemaShape.numeric(schema["minProperties"], 0),
      SchemaShape.numeric(schema["maxProperties"], Infinity)
    ]
    const extra = entry(schema, others, patterns)
    const together = isRecord(schema["dependentRequired"]) ? schema["dependentRequired"] : {}
    const inner = within(name)
    return (at) => {
      const of = inner(at)
      const out: Record<string, unknown> = {}
      let count = 0
      let optional = most - required.size
      for (const { property, schema: own, make } of members) {
        const needed = required.has(property)
        if (!needed && (at.lean || optional <= 0 || !shapes.fits(own, at.left - 1))) continue
        if (!needed && SchemaShape.names(get(together, property)).some((one) => !Object.hasOwn(properties, one)))
          continue
        if (!needed) optional -= 1
        const fact = at.known?.(property, shapes.flat(own))
        const key = Keyed.at(at.key, property)
        put(out, property, fact ?? make({ of, key, left: at.left - 1, room: at.room, lean: at.lean, known: undefined }))
        count += 1
      }
      const wanted = Math.max(
        least,
        members.length === 0 && extra.typed && !at.lean && shapes.fits(others, at.left - 1) ? 2 : 0
      )
      for (let i = 0; count < Math.min(wanted, most) && i < redraws; i++) {
        const key = Keyed.nth(at.key, i)
        const property = extra.name(of, key, i)
        if (Object.hasOwn(out, property)) continue
        put(out, property, extra.make({ of, key, left: at.left - 1, room: at.room, lean: at.lean, known: undefined }))
        count += 1
      }
      return out
    }
  }

  /** Entries of an open object. */
  const entry = (schema: JsonSchema, others: unknown, patterns: ReadonlyArray<readonly [string, unknown]>) => {
    const [pattern, patterned] = patterns[0] ?? [undefined, undefined]
    const byPattern = pattern !== undefined && (others === false || others === undefined)
    const nameSchema = byPattern
      ? { type: "string", pattern }
      : isRecord(schema["propertyNames"])
        ? schema["propertyNames"]
        : null
    const nameNode = nameSchema === null ? null : node({ type: "string", ...nameSchema }, "")
    const values = byPattern ? patterned : (others ?? true)
    const make = node(values, "value")
    return {
      typed: isRecord(values) && Object.keys(values).length > 0,
      make,
      name: (of: Subjects.FieldContext, key: Keyed.Key, i: number): string =>
        nameNode === null
          ? (["primary", "secondary", "other"][i] ?? `entry_${i}`)
          : String(nameNode({ of: { ...of, id: "", key }, key, left: 1, room: 1, lean: false, known: undefined }))
    }
  }

  const array = (schema: JsonSchema, name: string): Node => {
    const fixed = Array.isArray(schema["prefixItems"])
      ? schema["prefixItems"]
      : Array.isArray(schema["items"])
        ? schema["items"]
        : []
    const rest = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"]
    const item = English.singular(wordsOf(name).join("_"))
    const first = fixed.map((one: unknown) => node(one, item))
    const others = node(rest ?? true, item)
    const contained = schema["contains"] === undefined ? null : node(schema["contains"], item)
    const least = Math.max(
      SchemaShape.numeric(schema["minItems"], 0),
      contained === null ? 0 : SchemaShape.numeric(schema["minContains"], 1)
    )
    const most = SchemaShape.numeric(schema["maxItems"], Infinity)
    const unique = schema["uniqueItems"] === true
    const open = rest !== false
    return (at) => {
      const usual = Keyed.between(
        Keyed.at(at.key, "length"),
        Math.max(1, first.length),
        Math.max(usualItems, first.length)
      )
      const more = !at.lean && (first.length > 0 || shapes.fits(rest ?? true, at.left - 1))
      const owed = Math.min(least, longestList, at.room)
      const length = Math.min(Math.max(owed, more ? usual : first.length), open ? most : Math.min(most, first.length))
      const out: Array<unknown> = []
      const room = Math.floor(at.room / Math.max(1, length))
      const seen = new Set<string>()
      for (let i = 0, tries = 0; i < length && tries < redraws * (length + 1); tries++) {
        const key = Keyed.nth(at.key, tries)
        const of = { ...at.of, key, id: "", noun: item, head: item.split("_").pop() ?? item }
        const make = first[i] ?? (i === first.length && contained !== null ? contained : others)
        const value = make({ of, key, left: at.left - 1, room, lean: at.lean, known: undefined })
        if (unique) {
          const shown = JSON.stringify(value)
          if (seen.has(shown)) continue
          seen.add(shown)
        }
        out.push(value)
        i += 1
      }
      return out
    }
  }

  return node
}

/** Enumerated values; a status keeps to what is usual at the beginning of a life. */
const listed = (values: ReadonlyArray<unknown>, name: string): Node => {
  const present = values.filter((value) => value !== null)
  const from = present.length > 0 ? present : values
  const field = name === "" ? "value" : name
  return ({ of, key }) => Keyed.pick(name === "" ? key : Keyed.at(of.key, field), from)
}

/** Parts of one record draw as the record does; an object inside it that is a thing of its own draws for itself. */
const within = (name: string): ((at: ValueContext) => Subjects.FieldContext) => {
  const words = wordsOf(name)
  const head = words[words.length - 1] ?? ""
  if (name === "" || parts.has(head)) return (at) => at.of
  return (at) => ({ ...at.of, key: at.key, id: "", noun: words.join("_"), head })
}
const parts = new Set(
  "address location name details detail info information data result results response metadata coordinates dates schedule contact properties attributes record summary value".split(
    " "
  )
)
