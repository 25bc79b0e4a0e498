/**
 * How the demo agent understands a message: which tool it asks for and what it says of the tool's arguments. It knows
 * the message and the tools, nothing else.
 */
import * as English from "../../language/English.ts"
import * as References from "../../task/References.ts"
import type { Tool } from "../../task/Tool.ts"
import * as ToolKind from "../../task/ToolKind.ts"
import type { JsonSchema } from "../../json/JsonSchema.ts"

export interface Reading {
  readonly tool: Tool
  readonly arguments: Readonly<Record<string, unknown>>
  /** The first required argument the message does not give. */
  readonly missing: string | null
  /** The reference the message names, as the person would know it again; null when it names none. */
  readonly reference: string | null
}

/** The tool a message asks for, with its arguments; null when no tool's words are in it. */
export const read = (message: string, tools: ReadonlyArray<Tool>): Reading | null => {
  const words = new Set(ToolKind.wordsOf(message).map(English.stem))
  let best: { readonly tool: Tool; readonly score: number } | null = null
  for (const tool of tools) {
    const score = scoreOf(tool, words)
    if (score >= enough && (best === null || score > best.score)) best = { tool, score }
  }
  return best === null ? null : fill(best.tool, message)
}

/** A lookup whose arguments a call already has, for looking before writing. */
export const lookupFor = (
  { tool, arguments: args }: Reading,
  tools: ReadonlyArray<Tool>
): { readonly tool: Tool; readonly arguments: Readonly<Record<string, unknown>> } | null => {
  const known = new Set(References.referencesOf(tool).map(({ argument }) => argument))
  for (const other of tools) {
    const needed = requiredOf(other.parameters)
    if (other.kind !== "read" || needed.length === 0) continue
    if (needed.every((name) => known.has(name) && Object.hasOwn(args, name))) {
      return { tool: other, arguments: Object.fromEntries(needed.map((name) => [name, args[name]])) }
    }
  }
  return null
}

/** `cancel pending order` of `cancel_pending_order`. */
export const phraseOf = (tool: Tool): string => ToolKind.wordsOf(tool.name).join(" ")

/** The required argument of a tool that names a record, when it takes any text. */
export const recordArgumentOf = (tool: Tool): string | null =>
  References.referencesOf(tool).find(
    ({ path, required, why }) =>
      required && path.length === 1 && why === "id" && isFreeText(propertiesOf(tool.parameters)[path[0] ?? ""])
  )?.argument ?? null

/** Fills the required arguments of a tool from a message. */
export const fill = (tool: Tool, message: string): Reading => {
  const args: Record<string, unknown> = {}
  const left = new Left(message)
  const references = new Set(
    References.referencesOf(tool)
      .filter(({ path }) => path.length === 1)
      .map(({ argument }) => argument)
  )
  let missing: string | null = null
  let reference: string | null = null
  const properties = propertiesOf(tool.parameters)
  for (const name of requiredOf(tool.parameters)) {
    const schema = properties[name] ?? {}
    const value = references.has(name) ? left.reference(name, schema) : left.value(schema)
    if (value === undefined) missing ??= name
    else args[name] = value
    if (references.has(name) && value !== undefined) reference ??= String(value)
  }
  return { tool, arguments: args, missing, reference }
}

/** Weight of the verb, of another word of the name, and what a tool needs to be chosen. */
const verbWeight = 3
const wordWeight = 2
const enough = 2

/** Reads win a tie by a little: looking is the smaller step. */
const scoreOf = (tool: Tool, words: ReadonlySet<string>): number => {
  const name = ToolKind.wordsOf(tool.name)
  let score = tool.kind === "read" ? 0.1 : 0
  for (const [i, word] of name.entries()) if (words.has(English.stem(word))) score += i === 0 ? verbWeight : wordWeight
  return score
}

/** What of a message is not yet used for an argument. */
class Left {
  readonly #message: string
  readonly #references: Array<string>
  readonly #numbers: Array<number>

  constructor(message: string) {
    this.#message = message
    this.#references = [...(message.match(/#?[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*|#?\d{3,}/g) ?? [])].filter(
      (word) => /\d/.test(word) && word.length >= 3
    )
    this.#numbers = [...message.matchAll(/(?<![\w#-])\$?(\d+(?:\.\d+)?)(?![\w-])/g)].map((match) => Number(match[1]))
  }

  reference(name: string, schema: JsonSchema): unknown {
    if (name.toLowerCase().includes("email")) return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(this.#message)?.[0]
    const choice = choiceOf(schema, this.#message)
    if (choice !== undefined) return choice
    const found = this.#references.shift()
    if (found === undefined || schema["type"] === "string" || schema["type"] === undefined) return found
    if (schema["type"] === "array") return [found]
    const digits = found.replace(/\D/g, "")
    return digits === "" ? undefined : Number(digits)
  }

  value(schema: JsonSchema): unknown {
    const choice = choiceOf(schema, this.#message)
    if (choice !== undefined) return choice
    switch (schema["type"]) {
      case "integer":
      case "number": {
        const number = this.#numbers.shift() ?? (typeof schema["minimum"] === "number" ? schema["minimum"] : 1)
        return schema["type"] === "integer" ? Math.trunc(number) : number
      }
      case "boolean":
        return true
      case "array": {
        const item = this.value(isObject(schema["items"]) ? schema["items"] : {})
        return item === undefined ? [] : [item]
      }
      case "object": {
        const out: Record<string, unknown> = {}
        for (const name of requiredOf(schema)) out[name] = this.value(propertiesOf(schema)[name] ?? {})
        return out
      }
      default:
        return this.#message.slice(0, 200)
    }
  }
}

/** The enum value a message names, else the first. */
const choiceOf = (schema: JsonSchema, message: string): unknown => {
  if ("const" in schema) return schema["const"]
  const values: unknown = schema["enum"]
  if (!Array.isArray(values)) return undefined
  const lower = message.toLowerCase()
  return values.find((value) => typeof value === "string" && lower.includes(value.toLowerCase())) ?? values[0]
}

const isFreeText = (schema: JsonSchema | undefined): boolean =>
  schema !== undefined &&
  (schema["type"] === "string" || schema["type"] === undefined) &&
  !("enum" in schema) &&
  !("const" in schema)

const requiredOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const required: unknown = schema["required"]
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : []
}

const propertiesOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> => {
  const out: Record<string, JsonSchema> = Object.create(null) as Record<string, JsonSchema>
  if (!isObject(schema["properties"])) return out
  for (const [name, property] of Object.entries(schema["properties"])) if (isObject(property)) out[name] = property
  return out
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
