/**
 * Makes a covering array smaller: a row is taken out and the rest is repaired by tabu search, again and again, until
 * the budget is spent. A step takes an uncovered tuple and makes, of all single changes that cover it, the one that
 * uncovers least (after Nurmela 2004, and TCA of Lin, Luo, Cai, Su, Hao, Zhang 2015 for constraints).
 */
import type { Problem } from "./arrayProblem.ts"
import type { QuickDraws } from "./quickDraws.ts"
import * as TupleSpace from "./tupleSpace.ts"
import * as Uncovered from "./uncovered.ts"

export interface Limits {
  /** The first rows, which stay as they are. */
  readonly kept: number
  /** No array can have fewer rows. */
  readonly floor: number
  /** How many tuples the search may look at in all. */
  readonly looks: number
}

/** Steps during which a changed cell is not changed again: this and up to as many more. */
const tenure = 4

export const shrink = (
  problem: Problem,
  given: ReadonlyArray<Int32Array>,
  limits: Limits,
  draw: QuickDraws
): Array<Int32Array> => {
  const { levels, space, validity } = problem
  const rows = given.map((row) => row.slice())
  const counts = new Int32Array(space.size)
  const uncovered = Uncovered.make(space.size, new Int32Array(0), problem.required.length)
  const target = new Int32Array(levels.length)
  let tabu = new Int32Array(0)
  let looks = limits.looks

  const uncount = (row: Int32Array): void => {
    for (let c = 0; c < space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(space, c, row)
      counts[tuple]! -= 1
      if (counts[tuple] === 0) Uncovered.add(uncovered, tuple)
    }
  }
  const count = (row: Int32Array): void => {
    for (let c = 0; c < space.combinations; c++) {
      const tuple = TupleSpace.tupleAt(space, c, row)
      if (counts[tuple] === 0) Uncovered.remove(uncovered, tuple)
      counts[tuple]! += 1
    }
  }

  /** The row that alone covers the fewest tuples. */
  const leastNeeded = (): number => {
    let best = -1
    let fewest = Infinity
    for (let at = limits.kept; at < rows.length; at++) {
      let alone = 0
      for (let c = 0; c < space.combinations; c++) {
        if (counts[TupleSpace.tupleAt(space, c, rows[at]!)] === 1) alone += 1
      }
      if (alone < fewest) {
        fewest = alone
        best = at
      }
    }
    return best
  }

  /** How many more tuples are uncovered after one cell changes; with `apply` the change is made. */
  const change = (row: Int32Array, factor: number, value: number, apply: boolean): number => {
    const { count: combinations, offset, others, otherStrides, own } = space.around[factor]!
    const width = space.strength - 1
    const held = row[factor]!
    let cost = 0
    for (let c = 0, from = 0; c < combinations; c++, from += width) {
      let index = offset[c]!
      for (let j = from; j < from + width; j++) index += row[others[j]!]! * otherStrides[j]!
      const before = index + held * own[c]!
      const after = index + value * own[c]!
      if (counts[before] === 1) cost += 1
      if (counts[after] === 0) cost -= 1
      if (!apply) continue
      counts[before]! -= 1
      if (counts[before] === 0) Uncovered.add(uncovered, before)
      if (counts[after] === 0) Uncovered.remove(uncovered, after)
      counts[after]! += 1
    }
    looks -= combinations
    if (apply) row[factor] = value
    return cost
  }

  /** Rewrites a row so that it holds the target's values, and its own elsewhere as far as constraints let it. */
  const force = (row: Int32Array): void => {
    uncount(row)
    for (let factor = 0; factor < levels.length; factor++) {
      if (target[factor]! >= 0) validity.assign(factor, target[factor]!)
    }
    for (let factor = 0; factor < levels.length; factor++) {
      let value = target[factor]!
      if (value < 0) {
        value = row[factor]!
        while (!validity.assignSafely(factor, value)) value = (value + 1) % levels[factor]!
      }
      row[factor] = value
    }
    validity.reset()
    count(row)
    looks -= 2 * space.combinations
  }

  const repair = (): void => {
    let fewest = uncovered.count
    if (rows.length === limits.kept) return
    for (let step = 1; uncovered.count > 0 && looks > 0; step++) {
      const tuple = uncovered.list[draw(uncovered.count)]!
      target.fill(-1)
      TupleSpace.writeTuple(space, tuple, target)
      const from = TupleSpace.combinationOf(space, tuple) * space.strength
      let best = Infinity
      let bestRow = -1
      let bestFactor = -1
      let ties = 0
      for (let at = limits.kept; at < rows.length; at++) {
        const row = rows[at]!
        let factor = -1
        let apart = 0
        for (let j = from; j < from + space.strength && apart < 2; j++) {
          if (row[space.factors[j]!] !== target[space.factors[j]!]) {
            factor = space.factors[j]!
            apart += 1
          }
        }
        looks -= 1
        if (apart !== 1 || !validity.allows(row, factor, target[factor]!)) continue
        const cost = change(row, factor, target[factor]!, false)
        if (cost > best) continue
        if (tabu[at * levels.length + factor]! > step && uncovered.count + cost >= fewest) continue
        ties = cost < best ? 1 : ties + 1
        if (draw(ties) !== 0) continue
        best = cost
        bestRow = at
        bestFactor = factor
      }
      if (bestRow === -1) {
        force(rows[limits.kept + draw(rows.length - limits.kept)]!)
      } else {
        change(rows[bestRow]!, bestFactor, target[bestFactor]!, true)
        tabu[bestRow * levels.length + bestFactor] = step + tenure + draw(tenure)
      }
      if (uncovered.count < fewest) fewest = uncovered.count
    }
  }

  rows.forEach(count)
  let best = rows.map((row) => row.slice())
  while (rows.length > Math.max(limits.floor, limits.kept) && looks > 0) {
    const [removed] = rows.splice(leastNeeded(), 1)
    if (removed !== undefined) uncount(removed)
    looks -= rows.length * space.combinations
    tabu = new Int32Array(rows.length * levels.length)
    repair()
    if (uncovered.count > 0) break
    best = rows.map((row) => row.slice())
  }
  return best
}
