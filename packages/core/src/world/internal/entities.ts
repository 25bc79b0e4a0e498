/**
 * The records a world knows, as an immutable collection: the newest in a chain, those before them in a map. Most rollouts
 * know a handful, which a chain holds at the cost of one object each; a long chain is folded into the map.
 */
import type { Entity } from "./universe.ts"

export interface Entities {
  readonly newest: Link | null
  readonly links: number
  readonly before: ReadonlyMap<string, Entity>
}

interface Link {
  readonly entity: Entity
  readonly next: Link | null
}

export const empty: Entities = { newest: null, links: 0, before: new Map() }

/** A chain is no longer than it takes to look through it. */
const longest = 16

export const find = ({ newest, before }: Entities, noun: string, id: string): Entity | undefined => {
  for (let link = newest; link !== null; link = link.next) {
    if (link.entity.id === id && link.entity.noun === noun) return link.entity
  }
  return before.size === 0 ? undefined : before.get(nameOf(noun, id))
}

/** With a record as it now stands. */
export const set = (entities: Entities, entity: Entity): Entities => {
  const { newest, links, before } = entities.links < longest ? entities : folded(entities)
  return { newest: { entity, next: newest }, links: links + 1, before }
}

/** In the order of their kinds and identifiers. */
export const all = (entities: Entities): ReadonlyArray<Entity> =>
  [...folded(entities).before].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entity]) => entity)

const folded = ({ newest, before }: Entities): Entities => {
  const chain: Array<Entity> = []
  for (let link = newest; link !== null; link = link.next) chain.push(link.entity)
  const together = new Map(before)
  for (const entity of chain.reverse()) together.set(nameOf(entity.noun, entity.id), entity)
  return { newest: null, links: 0, before: together }
}

const nameOf = (noun: string, id: string): string => `${noun}\u0000${id}`
