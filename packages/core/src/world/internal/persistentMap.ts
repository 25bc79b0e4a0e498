/**
 * An immutable collection by kind and identifier: the newest in a chain, those before them in a map. Most rollouts know a
 * handful of records, which a chain holds at the cost of one object each; a long chain is folded into the map.
 */
export interface PersistentMap<A extends Named> {
  readonly newest: Link<A> | null
  readonly links: number
  readonly before: ReadonlyMap<string, A>
}

export interface Named {
  readonly noun: string
  readonly id: string
}

interface Link<A> {
  readonly value: A
  readonly next: Link<A> | null
}

export const empty: PersistentMap<never> = { newest: null, links: 0, before: new Map<string, never>() }

/** A chain is no longer than it takes to look through it. */
const longest = 16

export const find = <A extends Named>(
  { newest, before }: PersistentMap<A>,
  noun: string,
  id: string
): A | undefined => {
  for (let link = newest; link !== null; link = link.next) {
    if (link.value.id === id && link.value.noun === noun) return link.value
  }
  return before.size === 0 ? undefined : before.get(nameOf(noun, id))
}

/** With this in the place of what had its name. */
export const set = <A extends Named>(map: PersistentMap<A>, value: A): PersistentMap<A> => {
  const { newest, links, before } = map.links < longest ? map : folded(map)
  return { newest: { value, next: newest }, links: links + 1, before }
}

/** In the order of kinds and identifiers. */
export const all = <A extends Named>(map: PersistentMap<A>): ReadonlyArray<A> =>
  [...folded(map).before].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)

const folded = <A extends Named>({ newest, before }: PersistentMap<A>): PersistentMap<A> => {
  const chain: Array<A> = []
  for (let link = newest; link !== null; link = link.next) chain.push(link.value)
  const together = new Map(before)
  for (const value of chain.reverse()) together.set(nameOf(value.noun, value.id), value)
  return { newest: null, links: 0, before: together }
}

const nameOf = (noun: string, id: string): string => `${noun}\u0000${id}`
