/**
 * The world as it stands in a rollout: an immutable value. Keeping one is a snapshot; two that began as one never meet.
 */
import type { WorldWrite } from "../../row/Row.ts"
import * as PersistentMap from "./persistentMap.ts"
import type { ToolPlan } from "./toolPlans.ts"
import type { Entity, TaskWorld } from "./taskWorld.ts"
import { freeze, put, type JsonObject } from "./records.ts"

export interface World {
  readonly taskWorld: TaskWorld
  /** What was read or changed. */
  readonly entities: PersistentMap.PersistentMap<Entity>
  /** Records made, in order. */
  readonly made: ReadonlyArray<Entity["id"]>
  readonly writes: ReadonlyArray<WorldWrite>
}

export const start = (taskWorld: TaskWorld): World => ({
  taskWorld,
  entities: PersistentMap.empty,
  made: none,
  writes: none
})
const none: ReadonlyArray<never> = []

/** The record as it stands; null when there is none, or no more. */
export const find = (world: World, noun: string, id: string): Entity | null => {
  const entity = PersistentMap.find(world.entities, noun, id) ?? world.taskWorld.base(noun, id)
  return entity === null || entity.removed ? null : entity
}

/** Whether the record was there and is gone. */
export const wasRemoved = (world: World, noun: string, id: string): boolean =>
  PersistentMap.find(world.entities, noun, id)?.removed === true

export const store = (world: World, entity: Entity): World => ({
  ...world,
  entities: PersistentMap.set(world.entities, entity)
})

/** Remembers that a record was seen. */
export const see = (world: World, entity: Entity): World =>
  PersistentMap.find(world.entities, entity.noun, entity.id) === undefined ? store(world, entity) : world

/** Records of a kind that this rollout made or found by a search, in the order of their identifiers. */
export const known = (world: World, noun: string): ReadonlyArray<Entity> =>
  PersistentMap.all(world.entities).filter((entity) => entity.noun === noun && !entity.removed)

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
  for (const entity of PersistentMap.all(world.entities)) {
    if (!Object.hasOwn(out, entity.noun)) put(out, entity.noun, {})
    const records = out[entity.noun]
    if (records !== undefined) put(records, entity.id, entity.removed ? null : world.taskWorld.record(entity))
  }
  return out
}
