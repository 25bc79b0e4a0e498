/**
 * Reads tool definitions in any usual dialect: Effect Schema and `@effect/ai` tools and toolkits (by their shape), JSON
 * Schema, OpenAI's function envelope or the bare function, Anthropic's `input_schema`, MCP tool lists, Gemini and Bedrock
 * declarations, and objects keyed by tool name.
 */
import * as Either from "effect/Either"
import { describe, isObject, type SchemaProblem } from "./internal/keywords.ts"
import { isSchemaLike } from "./internal/normalise.ts"
import { readTool } from "./internal/toolDefinition.ts"
import type { Tool } from "./Tool.ts"
import type { ToolKind } from "./ToolKind.ts"

/** What could not be read: where (`tools[2] (refund)`), why, and what to do. */
export type ToolProblem = SchemaProblem

/** Every definition is either among `tools` or named by a problem. */
export interface Reading {
  readonly tools: ReadonlyArray<Tool>
  readonly problems: ReadonlyArray<ToolProblem>
}

/**
 * Reads one definition, a list of them, or an object keyed by tool name; `kinds` overrides, by tool name, what a tool is
 * taken to do. Never throws. Equal definitions of one name are one tool, different ones are refused. A result schema of
 * Effect that has no JSON form is left out.
 */
export const read = (
  input: unknown,
  kinds: Readonly<Record<string, ToolKind>> = {},
  path: string = "tools"
): Reading => {
  const byName = new Map<string, Tool>()
  const problems: Array<ToolProblem> = []
  for (const found of definitionsIn(input, path, 0)) {
    if ("problem" in found) {
      problems.push(found)
      continue
    }
    const tool = readTool(found, kinds)
    if (Either.isLeft(tool)) {
      problems.push(...tool.left)
      continue
    }
    const earlier = byName.get(tool.right.name)
    if (earlier === undefined) byName.set(tool.right.name, tool.right)
    else if (JSON.stringify(earlier) !== JSON.stringify(tool.right)) {
      problems.push({
        path: `${found.path} (${tool.right.name})`,
        problem: "has the name of an earlier tool but another definition",
        fix: "Give each tool a name of its own, or leave one of the two out."
      })
    }
  }
  return { tools: [...byName.values()], problems }
}

/** The caller's tools, then those of `others` whose name is not taken. */
export const merge = (caller: ReadonlyArray<Tool>, others: ReadonlyArray<Tool>): ReadonlyArray<Tool> => {
  const taken = new Set(caller.map((tool) => tool.name))
  return [...caller, ...others.filter((tool) => !taken.has(tool.name))]
}

/** One definition, with the name it is listed under, if any. */
interface Found {
  readonly path: string
  readonly key?: string
  readonly value: unknown
}

/** Lists inside lists (a list of MCP answers, Gemini's declarations) go no deeper. */
const maxNesting = 4

const definitionsIn = (input: unknown, path: string, depth: number): ReadonlyArray<Found | ToolProblem> => {
  if (Array.isArray(input)) {
    return input.flatMap((value: unknown, i): ReadonlyArray<Found | ToolProblem> => {
      const at = `${path}[${i}]`
      const nested = nestedList(value)
      return nested !== undefined && depth < maxNesting
        ? definitionsIn(nested.list, `${at}.${nested.key}`, depth + 1)
        : [{ path: at, value }]
    })
  }
  const nested = nestedList(input)
  if (nested !== undefined && depth < maxNesting) return definitionsIn(nested.list, `${path}.${nested.key}`, depth + 1)
  if (!isObject(input)) {
    const fix = "Give a list of { name, description, parameters }."
    return [{ path, problem: `is ${describe(input)}, not tool definitions`, fix }]
  }
  return isDefinition(input)
    ? [{ path, value: input }]
    : Object.entries(input).map(([key, value]) => ({ path: `${path}.${key}`, key, value }))
}

/** `{ tools }` of MCP and of toolkits (which are functions), `{ functionDeclarations }` of Gemini. */
const nestedList = (input: unknown): { readonly key: string; readonly list: unknown } | undefined => {
  if ((typeof input !== "object" && typeof input !== "function") || input === null) return undefined
  const own = new Map<string, unknown>(Object.entries(input))
  if (typeof own.get("name") === "string") return undefined
  for (const key of ["functionDeclarations", "function_declarations", "tools"]) {
    const list = own.get(key)
    if (Array.isArray(list)) return { key, list }
    // a tool that is itself called "tools" is a definition, not a list of them
    if (key === "tools" && isObject(list) && !isDefinition(list) && !hasParameters(list)) return { key, list }
  }
  return undefined
}

const isDefinition = (input: Readonly<Record<string, unknown>>): boolean =>
  typeof input.name === "string" ||
  (isObject(input.function) && typeof input.function.name === "string") ||
  isObject(input.toolSpec) ||
  (isSchemaLike(input) && typeof input.title === "string")

const hasParameters = (input: Readonly<Record<string, unknown>>): boolean =>
  isSchemaLike(input) || typeof input.description === "string"
