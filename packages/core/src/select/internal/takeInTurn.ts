/**
 * Takes from several kinds in turn, so that a limit cuts the commonest kind first and no kind is crowded out.
 */

/** `items` in order of preference; each is taken while its size still fits into `limit`. */
export const takeInTurn = <A>(
  items: ReadonlyArray<A>,
  kindOf: (item: A) => string,
  sizeOf: (item: A) => number,
  limit: number
): { readonly taken: ReadonlyArray<A>; readonly left: ReadonlyArray<A> } => {
  const byKind = new Map<string, Array<A>>()
  for (const item of items) {
    const kind = kindOf(item)
    const same = byKind.get(kind)
    if (same === undefined) byKind.set(kind, [item])
    else same.push(item)
  }
  const queues = [...byKind].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, queue]) => queue)
  const longest = Math.max(0, ...queues.map((queue) => queue.length))
  const taken: Array<A> = []
  const left: Array<A> = []
  let size = 0
  for (let turn = 0; turn < longest; turn++) {
    for (const queue of queues) {
      const item = queue[turn]
      if (item === undefined) continue
      if (size + sizeOf(item) > limit) left.push(item)
      else {
        taken.push(item)
        size += sizeOf(item)
      }
    }
  }
  return { taken, left }
}
