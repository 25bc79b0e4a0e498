/**
 * Identifiers that traces show to exist: arguments of calls that went well, and fields of their results.
 */
import { isCallStep, isUserStep } from "../../row/Row.ts"
import type { TraceRow } from "../../traces/TraceFormat.ts"
import type { Tool } from "../../task/Tool.ts"
import { nounOf } from "./argumentNouns.ts"
import { isPlaceholder, sameForm } from "./idShapes.ts"
import { parametersOf } from "./parameters.ts"
import { read as readCall } from "./tracedCalls.ts"

/** Kept per argument: more would not be used by one run. */
const mostPerArgument = 200

/** Names of the arguments that are identifiers, by tool. */
export type IdArguments = ReadonlyMap<string, ReadonlySet<string>>

export const idArguments = (tools: ReadonlyArray<Tool>): IdArguments =>
  new Map(
    tools.map((tool) => [tool.name, new Set(parametersOf(tool).flatMap(({ isId, name }) => (isId ? [name] : [])))])
  )

type ByArgument = Map<string, Set<string>>

/** By argument name, in the order they were met. A result's field counts when it is named, and looks, like an argument. */
export const read = (
  traces: ReadonlyArray<TraceRow>,
  names: IdArguments
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const all = new Set([...names.values()].flatMap((own) => [...own]))
  const byNoun = new Map([...all].map((argument) => [nounOf(argument, ""), argument]))
  /** Results have few field names, each many times. */
  const byField = new Map<string, string | undefined>()
  const argumentOf = (field: string): string | undefined => {
    if (!byField.has(field)) byField.set(field, all.has(field) ? field : byNoun.get(nounOf(field, "")))
    return byField.get(field)
  }
  const found: ByArgument = new Map()
  const calls = traces.flatMap(({ steps }) => steps.filter(isCallStep)).filter((call) => !readCall(call).failed)
  for (const { arguments: given, tool } of calls) {
    const own = names.get(tool)
    if (own !== undefined) visit(given, (name, value) => own.has(name) && keep(found, name, value))
  }
  for (const { result } of calls) {
    visit(result, (name, value) => {
      const argument = argumentOf(name)
      if (argument === undefined) return
      const example = found.get(argument)?.values().next().value
      if (argument === name || (example !== undefined && sameForm(value, example))) keep(found, argument, value)
    })
  }
  return record([...found].map(([argument, ids]) => [argument, [...ids]]))
}

/** Identifiers of a thread that the person themselves gave, by argument name: the first of each. */
export const factsOf = (trace: TraceRow, names: IdArguments): Readonly<Record<string, string>> => {
  const said = trace.steps.flatMap((step) => (isUserStep(step) ? [step.user] : [])).join("\n")
  const facts = new Map<string, string>()
  for (const step of trace.steps) {
    if (!isCallStep(step)) continue
    const own = names.get(step.tool)
    visit(step.arguments, (name, value) => {
      if (own?.has(name) === true && !facts.has(name) && said.includes(value)) facts.set(name, value)
    })
  }
  return record([...facts])
}

/** How deep a value is looked into. */
const deepest = 8

/** Every text and number of a value with the name of the field that holds it; lists pass their own name on. */
const visit = (value: unknown, each: (name: string, value: string) => unknown, name = "", depth = 0): void => {
  if (typeof value === "string" || typeof value === "number") each(name, String(value))
  else if (depth >= deepest || typeof value !== "object" || value === null) return
  else if (Array.isArray(value)) for (const item of value) visit(item, each, name, depth + 1)
  else for (const [key, inner] of Object.entries(value)) visit(inner, each, key, depth + 1)
}

const keep = (into: ByArgument, argument: string, id: string): void => {
  if (id.trim() === "" || isPlaceholder(id)) return
  const own = into.get(argument)
  if (own === undefined) into.set(argument, new Set([id]))
  else if (own.size < mostPerArgument) own.add(id)
}

/** Names come from tools of the caller's. */
const record = <A>(entries: ReadonlyArray<readonly [string, A]>): Readonly<Record<string, A>> => {
  const out = Object.create(null) as Record<string, A>
  for (const [name, value] of entries) out[name] = value
  return out
}
