/**
 * Tool schemas in the form a backend takes, always on a copy: references and unions written out, lists of types and enums
 * in the spelling it reads. What it cannot be told is named by tool and path, before the first call.
 */
import type { ToolRefusal, ToolSpec } from "@sandtable/core/ChatModel"
import { write, type Written } from "./internal/schemaForm.ts"

/**
 * What a family of backends takes.
 * @since 0.1.0
 * @category models
 */
export interface Dialect {
  readonly name: string
  /** Whether a schema may refer to itself; written out it is cut where it repeats. */
  readonly recursion: "kept" | "cut"
  /** Whether a type may be a list (`["string", "null"]`); chat templates of open models often read one name only. */
  readonly typeLists: boolean
  readonly toolName: RegExp
  /** What argument names have to look like; null for any. */
  readonly propertyName: RegExp | null
  readonly mostTools: number
}

/**
 * OpenAI and what stays close to it.
 * @since 0.1.0
 * @category constants
 */
export const openAi: Dialect = {
  name: "OpenAI",
  recursion: "kept",
  typeLists: true,
  toolName: /^[\w-]{1,64}$/,
  propertyName: null,
  mostTools: 128
}

/**
 * Anthropic's Messages API.
 * @since 0.1.0
 * @category constants
 */
export const anthropic: Dialect = {
  name: "Anthropic",
  recursion: "kept",
  typeLists: true,
  toolName: /^[\w-]{1,128}$/,
  propertyName: /^[\w.-]{1,64}$/,
  mostTools: Number.POSITIVE_INFINITY
}

/**
 * Servers of open models, whose templates and grammars read the plainest form.
 * @since 0.1.0
 * @category constants
 */
export const open: Dialect = {
  name: "servers of open models",
  recursion: "cut",
  typeLists: false,
  toolName: /^[\w.-]{1,64}$/,
  propertyName: null,
  mostTools: Number.POSITIVE_INFINITY
}

/**
 * Tools as the endpoint takes them, and those it would refuse.
 * @since 0.1.0
 * @category models
 */
export interface Normalised {
  readonly tools: ReadonlyArray<ToolSpec>
  readonly refusals: ReadonlyArray<ToolRefusal>
}

/**
 * The tools in a dialect, and what of them it has no form for. The same list, and the same schema, is written once.
 * @since 0.1.0
 * @category functions
 */
export const normalise = (tools: ReadonlyArray<ToolSpec>, dialect: Dialect): Normalised =>
  once(lists, dialect, tools, () => listed(tools, dialect))

const listed = (tools: ReadonlyArray<ToolSpec>, dialect: Dialect): Normalised => {
  const refusals: Array<ToolRefusal> = []
  const out = tools.map((tool, i) => {
    const { problems, schema } = once(schemas, dialect, tool.parameters, () => write(tool.parameters, dialect))
    for (const problem of problems) refusals.push({ tool: tool.name, ...problem })
    if (!dialect.toolName.test(tool.name)) {
      refusals.push({
        tool: tool.name,
        path: "name",
        problem: `is ${JSON.stringify(tool.name)}, which ${dialect.name} does not take`,
        fix: `Give it a name that matches ${dialect.toolName.source}.`
      })
    }
    if (i === dialect.mostTools) {
      refusals.push({
        tool: tool.name,
        path: `tools[${i}]`,
        problem: `is beyond the ${dialect.mostTools} tools that ${dialect.name} takes`,
        fix: "Give fewer tools."
      })
    }
    return { name: tool.name, description: tool.description, parameters: schema }
  })
  return { tools: out, refusals }
}

/**
 * One sentence for each refusal.
 * @since 0.1.0
 * @category functions
 */
export const sentence = ({ fix, path, problem, tool }: ToolRefusal): string =>
  `the tool ${JSON.stringify(tool)} cannot be told: ${path} ${problem}. ${fix}`

/**
 * Whether a schema meets what strict modes ask: every object closed, every property required.
 * @since 0.1.0
 * @category functions
 */
export const isStrict = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (typeof schema !== "object" || schema === null) return true
  const { additionalProperties, properties, required } = schema as Readonly<Record<string, unknown>>
  if (typeof properties === "object" && properties !== null) {
    const names = Object.keys(properties)
    const all = Array.isArray(required) ? new Set<unknown>(required) : new Set()
    if (additionalProperties !== false || !names.every((name) => all.has(name))) return false
    if (!Object.values(properties).every(isStrict)) return false
  } else if ((schema as { readonly type?: unknown }).type === "object") return false
  return Object.entries(schema).every(([key, value]) => key === "properties" || key === "enum" || isStrict(value))
}

type Known<A> = WeakMap<Dialect, WeakMap<object, A>>

const lists: Known<Normalised> = new WeakMap()
const schemas: Known<Written> = new WeakMap()

/** A value made once per dialect and object. */
const once = <A>(all: Known<A>, dialect: Dialect, key: object, make: () => A): A => {
  let known = all.get(dialect)
  if (known === undefined) all.set(dialect, (known = new WeakMap()))
  let value = known.get(key)
  if (value === undefined) known.set(key, (value = make()))
  return value
}
