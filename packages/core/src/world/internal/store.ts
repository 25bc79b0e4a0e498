/**
 * The world as it stands in a rollout: an immutable value. Keeping one is a snapshot; two that began as one never meet.
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type { WorldWrite } from "../../row/Row.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity, Universe } from "./universe.ts"
import { freeze, put, type JsonObject } from "./records.ts"

export interface World {
  readonly universe: Universe
  /** What was read or changed, by kind and identifier. */
  readonly entities: HashMap.HashMap<string, Entity>
  /** Records made, in order. */
  readonly made: ReadonlyArray<Entity["id"]>
  readonly writes: ReadonlyArray<WorldWrite>
}

export const start = (universe: Universe): World => ({ universe, entities: HashMap.empty(), made: [], writes: [] })

const nameOf = (noun: string, id: string): string => `${noun}\u0000${id}`

/** The record as it stands; null when there is none, or no more. */
export const find = (world: World, noun: string, id: string): Entity | null => {
  const stored = HashMap.get(world.entities, nameOf(noun, id))
  const entity = Option.isSome(stored) ? stored.value : world.universe.base(noun, id)
  return entity === null || entity.removed ? null : entity
}

/** Whether the record was there and is gone. */
export const wasRemoved = (world: World, noun: string, id: string): boolean => {
  const stored = HashMap.get(world.entities, nameOf(noun, id))
  return Option.isSome(stored) && stored.value.removed
}

export const store = (world: World, entity: Entity): World => ({
  ...world,
  entities: HashMap.set(world.entities, nameOf(entity.noun, entity.id), entity)
})

/** Remembers that a record was seen. */
export const see = (world: World, entity: Entity): World =>
  HashMap.has(world.entities, nameOf(entity.noun, entity.id)) ? world : store(world, entity)

/** Records of a kind that this rollout made or found by a search, in the order of their identifiers. */
export const known = (world: World, noun: string): ReadonlyArray<Entity> =>
  HashMap.toValues(world.entities)
    .filter((entity) => entity.noun === noun && !entity.removed)
    .sort((a, b) => (a.id < b.id ? -1 : 1))

export const written = (world: World, plan: ToolPlan, args: JsonObject, entity: Entity | null): World => ({
  ...world,
  writes: [
    ...world.writes,
    freeze({
      tool: plan.tool.name,
      arguments: args,
      ...(entity === null ? {} : { entity: entity.noun, id: entity.id })
    })
  ]
})

/** Every record seen or changed, by kind and identifier, as JSON. What was removed is null. */
export const toJson = (world: World): JsonObject => {
  const out: Record<string, Record<string, unknown>> = {}
  const all = HashMap.toValues(world.entities).sort((a, b) => (nameOf(a.noun, a.id) < nameOf(b.noun, b.id) ? -1 : 1))
  for (const entity of all) {
    if (!Object.hasOwn(out, entity.noun)) put(out, entity.noun, {})
    const records = out[entity.noun]
    if (records !== undefined) put(records, entity.id, entity.removed ? null : world.universe.record(entity))
  }
  return out
}
