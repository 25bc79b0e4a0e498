/**
 * Who is behind words that somebody else wrote: the owner of what the words name, or anybody of the world the task has.
 */
import type { Plan } from "../task/Plan.ts"
import type { Tool } from "../task/Tool.ts"
import type { Draw } from "../world/Draws.ts"
import type { IdPool } from "./IdPool.ts"
import { parametersOf } from "./internal/parameters.ts"

export type Behind = Pick<Plan, "facts" | "person" | "unknown">

/** What the person behind a text knows, in the world of a seed; null where the world cannot be asked. */
export type SeedPerson = (text: string, worldSeed: number) => Behind | null

export const make = (draw: Draw, ids: IdPool, tools: ReadonlyArray<Tool>): SeedPerson => {
  /** The first tool that takes such an identifier. */
  const takers = new Map<string, string>()
  for (const tool of tools) {
    for (const { isId, name } of parametersOf(tool)) if (isId && !takers.has(name)) takers.set(name, tool.name)
  }
  return (text, worldSeed) => {
    const named = ids.find(text)
    const wants = named.flatMap(({ argument, id }) => {
      const tool = takers.get(argument)
      return tool === undefined ? [] : [{ tool, reference: argument, declared: [id], arguments: [] }]
    })
    const { identity, person, unknown } = draw({ worldSeed, worldState: null, visit: 0, wants })
    if (person === null) return null
    const facts: Record<string, string> = Object.create(null) as Record<string, string>
    for (const { argument, id } of named) facts[argument] ??= id
    for (const [name, value] of Object.entries(identity)) facts[name] ??= value
    const left = unknown.filter((name) => !Object.hasOwn(facts, name))
    return { facts, person: { noun: person.noun, id: person.id }, ...(left.length > 0 ? { unknown: left } : {}) }
  }
}
