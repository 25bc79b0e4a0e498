/**
 * Which rows cover most: the greedy choice behind the order of an array and the price of what it lacks.
 */
import * as TupleSpace from "./tupleSpace.ts"

/**
 * Indices of rows that together cover every open tuple some row holds, the row that covers most of the rest always
 * next. `open` marks tuples with 1, and those covered are cleared. Open cells of a row cover nothing.
 */
export const choose = (
  space: TupleSpace.TupleSpace,
  rows: ReadonlyArray<ArrayLike<number>>,
  open: Uint8Array
): Array<number> => {
  const gain = (row: ArrayLike<number>): number => {
    let fresh = 0
    for (let c = 0; c < space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(space, c, row)
      if (tuple >= 0) fresh += open[tuple]!
    }
    return fresh
  }
  // A gain only falls as rows are chosen, so an old one is a bound and most rows need no new look.
  const bounds = rows.map(() => Infinity)
  const chosen: Array<number> = []
  for (;;) {
    let best = -1
    let bestGain = 0
    for (let at = 0; at < rows.length; at++) {
      if (bounds[at]! <= bestGain) continue
      bounds[at] = gain(rows[at]!)
      if (bounds[at]! > bestGain) {
        best = at
        bestGain = bounds[at]!
      }
    }
    if (best === -1) return chosen
    bounds[best] = 0
    clear(space, rows[best]!, open)
    chosen.push(best)
  }
}

/** The rows so that any prefix covers most. The first `kept` stay first; rows that add nothing come last. */
export const order = <Row extends ArrayLike<number>>(
  space: TupleSpace.TupleSpace,
  rows: ReadonlyArray<Row>,
  kept: number
): Array<number> => {
  const open = new Uint8Array(space.size).fill(1)
  for (let at = 0; at < kept; at++) clear(space, rows[at]!, open)
  const useful = choose(space, rows.slice(kept), open).map((at) => at + kept)
  const placed = new Set(useful)
  const first = Array.from({ length: kept }, (_, at) => at)
  const last = rows.flatMap((_, at) => (at < kept || placed.has(at) ? [] : [at]))
  return [...first, ...useful, ...last]
}

const clear = (space: TupleSpace.TupleSpace, row: ArrayLike<number>, open: Uint8Array): void => {
  for (let c = 0; c < space.combinations; c++) {
    const tuple = TupleSpace.tupleAt(space, c, row)
    if (tuple >= 0) open[tuple] = 0
  }
}
