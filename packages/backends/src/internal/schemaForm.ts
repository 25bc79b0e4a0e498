/**
 * One tool's schema in the form of a dialect.
 */
import type { Dialect } from "../ToolSchemas.ts"
import { isRecord, listOf, type Json } from "./json.ts"

export interface Problem {
  readonly path: string
  readonly problem: string
  readonly fix: string
}

export interface Written {
  readonly schema: Json
  readonly problems: ReadonlyArray<Problem>
}

type Mutable = Record<string, unknown>

/** Most schemas one tool may have once its references are written out. */
const mostNodes = 5_000
/** Deepest nesting: no arguments of a tool go deeper. */
const deepest = 64
/** How often a schema may stand within itself where it cannot refer to itself. */
const mostRepeats = 2

/** Keywords that name or explain a document, and definitions that are written where they are used. */
const dropped = new Set(["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "nullable", "$ref"])
const typeNames = new Set(["object", "array", "string", "number", "integer", "boolean", "null"])
/** Keywords that hold one schema, and those that hold schemas by name. */
const single = ["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"]
const named = ["properties", "patternProperties", "dependentSchemas"]

export const write = (root: Json, dialect: Dialect): Written => {
  const writer = new Writer(root, dialect)
  const schema = writer.top()
  return { schema, problems: writer.problems }
}

class Writer {
  readonly problems: Array<Problem> = []
  private readonly root: Json
  private readonly dialect: Dialect
  /** Schemas that refer to themselves, by pointer: they are kept as definitions. */
  private readonly kept = new Map<string, string>()
  private readonly definitions: Mutable = {}
  private nodes = 0

  constructor(root: Json, dialect: Dialect) {
    this.root = root
    this.dialect = dialect
  }

  top(): Json {
    const schema = asObject(this.schema(this.root, "parameters", ["#"]))
    const type = schema["type"]
    const takesObject = type === undefined || type === "object" || listOf(type).includes("object")
    if (!takesObject) {
      const fix = "Give the arguments as one object with properties."
      this.say("parameters", `has the type ${JSON.stringify(type)}, and arguments are an object`, fix)
    }
    const flat = withoutUnion(schema)
    const out: Mutable = { ...flat, type: "object", properties: flat["properties"] ?? {} }
    if (Object.keys(this.definitions).length > 0) out["$defs"] = this.definitions
    return out
  }

  private say(path: string, problem: string, fix: string): void {
    this.problems.push({ path, problem, fix })
  }

  /** `within` holds the pointers of the references that are being written out. */
  private schema(given: unknown, path: string, within: ReadonlyArray<string>): unknown {
    if (given === true || given === undefined) return {}
    if (given === false) return false
    if (!isRecord(given)) {
      this.say(path, "is no schema", "Give an object of JSON Schema.")
      return {}
    }
    this.nodes += 1
    if (this.nodes > mostNodes || path.split(".").length > deepest) {
      if (this.nodes <= mostNodes + 1) {
        this.say(path, "grows without end once its references are written out", "Make the schema smaller or flatter.")
      }
      this.nodes = mostNodes + 1
      return {}
    }
    if (typeof given["$ref"] === "string") return this.reference(given["$ref"], given, path, within)
    return this.plain(given, path, within)
  }

  private reference(pointer: string, given: Json, path: string, within: ReadonlyArray<string>): unknown {
    const target = resolve(this.root, pointer)
    if (target === undefined) {
      const what = pointer.startsWith("#") ? "which the schema does not hold" : "which is another document"
      this.say(
        `${path}.$ref`,
        `points at ${JSON.stringify(pointer)}, ${what}`,
        "Put the schema where it is used, or into $defs."
      )
      return {}
    }
    const repeats = within.filter((each) => each === pointer).length
    if (repeats > 0 && this.dialect.recursion === "kept") return { $ref: this.definition(pointer, target, path) }
    if (repeats >= mostRepeats) return this.cut(target)
    const written = this.schema(target, path, [...within, pointer])
    const beside = this.plain(Object.fromEntries(Object.entries(given).filter(([key]) => key !== "$ref")), path, within)
    return isRecord(written) && Object.keys(beside).length > 0 ? merge(written, beside) : written
  }

  /** A schema that refers to itself, once, under a name. */
  private definition(pointer: string, target: unknown, path: string): string {
    const known = this.kept.get(pointer)
    if (known !== undefined) return known
    if (pointer === "#") {
      this.kept.set(pointer, "#")
      return "#"
    }
    const wanted = (pointer.split("/").at(-1) ?? "").replace(/[^\w.-]/g, "_") || "schema"
    let name = wanted
    for (let n = 2; Object.hasOwn(this.definitions, name); n++) name = `${wanted}_${n}`
    const at = `#/$defs/${name}`
    this.kept.set(pointer, at)
    this.definitions[name] = {}
    this.definitions[name] = this.schema(target, path, [pointer])
    return at
  }

  /** What is left of a schema that would repeat itself: its kind, open. */
  private cut(target: unknown): unknown {
    if (!isRecord(target)) return {}
    const { description, type } = target
    return {
      ...(typeof type === "string" ? { type } : {}),
      ...(type === "array" ? { items: {} } : {}),
      ...(typeof description === "string" ? { description } : {})
    }
  }

  private plain(given: Json, path: string, within: ReadonlyArray<string>): Mutable {
    const out: Mutable = {}
    for (const [key, value] of Object.entries(given)) if (!dropped.has(key)) set(out, key, value)
    for (const key of single) {
      if (isRecord(given[key]) || given[key] === true) out[key] = this.schema(given[key], `${path}.${key}`, within)
    }
    for (const key of named) if (isRecord(given[key])) out[key] = this.byName(key, given[key], path, within)
    for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
      if (!Array.isArray(given[key])) continue
      out[key] = listOf(given[key]).map((each, i) => this.schema(each, `${path}.${key}[${i}]`, within))
    }
    if (Array.isArray(given["items"])) {
      // Lists of positions were spelt so before 2020.
      out["prefixItems"] = listOf(given["items"]).map((each, i) => this.schema(each, `${path}.items[${i}]`, within))
      out["items"] = isRecord(given["additionalItems"]) ? this.schema(given["additionalItems"], path, within) : {}
      delete out["additionalItems"]
    }
    if (Array.isArray(given["required"])) {
      out["required"] = [...new Set(listOf(given["required"]).filter((name) => typeof name === "string"))]
    } else delete out["required"]
    this.type(given, out, path)
    return this.unions(out)
  }

  private byName(key: string, given: Json, path: string, within: ReadonlyArray<string>): Mutable {
    const out: Mutable = {}
    for (const [name, value] of Object.entries(given)) {
      const at = `${path}.${key}.${name}`
      const pattern = this.dialect.propertyName
      if (key === "properties" && pattern !== null && !pattern.test(name)) {
        const fix = `Name the argument so that it matches ${pattern.source}.`
        this.say(at, `is a name that ${this.dialect.name} does not take`, fix)
      }
      const schema = this.schema(value, at, within)
      if (schema !== false) set(out, name, schema)
    }
    return out
  }

  /** The type, told or seen from the values, in the dialect's spelling. */
  private type(given: Json, out: Mutable, path: string): void {
    const told = Array.isArray(given["type"])
      ? listOf(given["type"])
      : given["type"] === undefined
        ? []
        : [given["type"]]
    const types = new Set<string>()
    for (const type of told) {
      if (typeof type === "string" && typeNames.has(type)) types.add(type)
      else
        this.say(`${path}.type`, `is ${JSON.stringify(type)}, which JSON Schema does not have`, "Use one of its types.")
    }
    const values = Object.hasOwn(given, "const") ? [given["const"]] : listOf(given["enum"])
    if (types.size === 0) for (const value of values) types.add(typeOf(value))
    if (types.size === 0 && isRecord(out["properties"])) types.add("object")
    if (types.size === 0 && out["items"] !== undefined) types.add("array")
    if (types.has("number")) types.delete("integer")
    const nullable = given["nullable"] === true || types.has("null")
    if (nullable && types.size > 0) types.add("null")
    if (types.size === 0) {
      delete out["type"]
      return
    }
    if (nullable && Array.isArray(out["enum"]) && !listOf(out["enum"]).includes(null)) {
      out["enum"] = [...listOf(out["enum"]), null]
    }
    this.spell([...types], out)
    if (types.has("array") && out["items"] === undefined) out["items"] = {}
  }

  private spell(types: ReadonlyArray<string>, out: Mutable): void {
    if (types.length === 1 || this.dialect.typeLists) {
      out["type"] = types.length === 1 ? types[0] : types
      return
    }
    const rest = types.filter((type) => type !== "null")
    if (rest.length > 1) {
      delete out["type"]
      out["anyOf"] = [
        ...rest.map((type) => ({ type, ...(type === "array" && { items: {} }) })),
        ...listOf(out["anyOf"])
      ]
      return
    }
    out["type"] = rest[0]
    if (Array.isArray(out["enum"])) out["enum"] = listOf(out["enum"]).filter((value) => value !== null)
    const description = typeof out["description"] === "string" ? out["description"] : ""
    if (!/\bnull\b/i.test(description)) out["description"] = `${description} (may be left out)`.trim()
  }

  /** `allOf` is one schema; `oneOf` reads as `anyOf`; a choice between something and null is a nullable something. */
  private unions(given: Mutable): Mutable {
    let out = given
    if (Array.isArray(out["allOf"])) {
      const { allOf, ...rest } = out
      out = listOf(allOf).reduce<Mutable>((all, each) => (isRecord(each) ? merge(all, each) : all), rest)
    }
    if (Array.isArray(out["oneOf"])) {
      const { oneOf, ...rest } = out
      out = { ...rest, anyOf: [...listOf(rest["anyOf"]), ...listOf(oneOf)] }
    }
    const choices = listOf(out["anyOf"])
    if (!Array.isArray(out["anyOf"])) return out
    const solid = choices.filter((each) => each !== false && !(isRecord(each) && each["type"] === "null"))
    const nullable = choices.some((each) => isRecord(each) && each["type"] === "null")
    const one = solid[0]
    if (solid.length === 1 && isRecord(one) && one["$ref"] === undefined) {
      const { anyOf: _, ...rest } = out
      const merged = merge(one, rest)
      const type = merged["type"]
      if (nullable && type !== undefined && !listOf(type).includes("null")) {
        const types = typeof type === "string" ? [type] : listOf(type).map(String)
        if (Array.isArray(merged["enum"]) && this.dialect.typeLists) merged["enum"] = [...listOf(merged["enum"]), null]
        this.spell([...types, "null"], merged)
      }
      return merged
    }
    return { ...out, anyOf: this.dialect.typeLists ? choices.filter((each) => each !== false) : solid }
  }
}

/** Providers take no choice between whole sets of arguments: all that may be given may, and what all need is required. */
const withoutUnion = (schema: Json): Json => {
  if (!Array.isArray(schema["anyOf"])) return schema
  const { anyOf, ...rest } = schema
  const branches = listOf(anyOf).filter(isRecord)
  const needed = branches.map((branch) => new Set(listOf(branch["required"])))
  const properties: Mutable = isRecord(rest["properties"]) ? { ...rest["properties"] } : {}
  for (const branch of branches) {
    if (!isRecord(branch["properties"])) continue
    for (const [name, property] of Object.entries(branch["properties"])) {
      const held = Object.hasOwn(properties, name) ? properties[name] : undefined
      const same = held === undefined || JSON.stringify(held) === JSON.stringify(property)
      const choices = isRecord(held) && isUnion(held) ? listOf(held["anyOf"]) : [held]
      set(properties, name, same ? property : { anyOf: [...choices, property] })
    }
  }
  const shared = [...(needed[0] ?? [])].filter((name) => needed.every((each) => each.has(name)))
  const required = [...new Set([...listOf(rest["required"]), ...shared])]
  return { ...rest, properties, ...(required.length > 0 && { required }) }
}

const isUnion = (schema: Json): boolean => Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1

/** Both at once: properties and requirements of either, and of two values of one keyword the second. */
const merge = (a: Json, b: Json): Mutable => {
  const out: Mutable = { ...a, ...b }
  if (isRecord(a["properties"]) && isRecord(b["properties"]))
    out["properties"] = { ...a["properties"], ...b["properties"] }
  if (Array.isArray(a["required"]) && Array.isArray(b["required"])) {
    out["required"] = [...new Set([...listOf(a["required"]), ...listOf(b["required"])])]
  }
  if (Array.isArray(a["anyOf"]) && Array.isArray(b["anyOf"])) {
    // A choice of each: nothing plainer says so.
    const { anyOf: _, ...rest } = out
    return { ...rest, allOf: [{ anyOf: a["anyOf"] }, { anyOf: b["anyOf"] }] }
  }
  return out
}

const asObject = (schema: unknown): Json => (isRecord(schema) ? schema : {})

/** A property whatever its name, `__proto__` too. */
const set = (target: Mutable, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value === "string" || typeof value === "boolean" ? typeof value : "object"
}

const resolve = (root: Json, pointer: string): unknown => {
  if (pointer === "#") return root
  if (!pointer.startsWith("#/")) return undefined
  let found: unknown = root
  for (const part of pointer.slice(2).split("/")) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(found)) found = (found as ReadonlyArray<unknown>)[Number(key)]
    else if (isRecord(found) && Object.hasOwn(found, key)) found = found[key]
    else return undefined
  }
  return found
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
