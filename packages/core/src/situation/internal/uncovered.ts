/**
 * The tuples still to cover, as a set that is listed, drawn from and shrunk in constant time.
 */
export interface Uncovered {
  /** 1 per tuple of the space that is to cover and not covered. */
  readonly open: Uint8Array
  /** The open tuples are `list[0 .. count)`. */
  readonly list: Int32Array
  count: number
  /** Place of each open tuple in `list`. */
  readonly place: Int32Array
}

export const make = (size: number, tuples: Int32Array, room: number = tuples.length): Uncovered => {
  const uncovered: Uncovered = {
    open: new Uint8Array(size),
    list: new Int32Array(room),
    count: 0,
    place: new Int32Array(size)
  }
  for (const tuple of tuples) add(uncovered, tuple)
  return uncovered
}

export const add = (uncovered: Uncovered, tuple: number): void => {
  if (uncovered.open[tuple] === 1) return
  uncovered.open[tuple] = 1
  uncovered.place[tuple] = uncovered.count
  uncovered.list[uncovered.count] = tuple
  uncovered.count += 1
}

export const remove = (uncovered: Uncovered, tuple: number): void => {
  if (uncovered.open[tuple] === 0) return
  uncovered.open[tuple] = 0
  uncovered.count -= 1
  const last = uncovered.list[uncovered.count]!
  const place = uncovered.place[tuple]!
  uncovered.list[place] = last
  uncovered.place[last] = place
}
