/**
 * Rows one at a time, each the best of several candidates (after AETG: Cohen, Dalal, Fredman, Patton 1997). A candidate
 * starts from an uncovered tuple, gives the other factors their best value in random order, and is then improved one
 * value at a time until no change covers more.
 */
import type { Problem } from "./arrayProblem.ts"
import * as QuickDraws from "./quickDraws.ts"
import * as TupleSpace from "./tupleSpace.ts"
import * as Uncovered from "./uncovered.ts"

export interface Start {
  /** Rows to complete and keep first, whatever they cover. */
  readonly kept: ReadonlyArray<Int32Array>
  /** Rows to complete (-1 is open) and keep while they cover something; cells that break a constraint are opened. */
  readonly templates: ReadonlyArray<Int32Array>
  /** Candidates per row. */
  readonly candidates: number
  /** No more rows than this are of use: the search gives up beyond it. */
  readonly atMost: number
}

/** Rows that cover every required tuple; undefined when they would be more than `atMost`. */
export const cover = (problem: Problem, start: Start, draw: QuickDraws.QuickDraws): Array<Int32Array> | undefined => {
  const { space, required } = problem
  const uncovered = Uncovered.make(space.size, required)
  const rows: Array<Int32Array> = []
  const builder = rowBuilder(problem, uncovered, draw)
  const keep = (row: Int32Array): void => {
    for (let c = 0; c < space.combinations; c++) Uncovered.remove(uncovered, TupleSpace.tupleAt(space, c, row))
    rows.push(row)
  }
  for (const template of start.kept) keep(builder.best(template, start.candidates).row)
  for (const template of start.templates) {
    if (uncovered.count === 0) return rows
    const { gain, row } = builder.best(template, template.includes(-1) ? start.candidates : 1)
    if (gain === 0) continue
    if (rows.length >= start.atMost) return undefined
    keep(row)
  }
  while (uncovered.count > 0) {
    if (rows.length >= start.atMost) return undefined
    keep(builder.best(undefined, start.candidates).row)
  }
  return rows
}

interface Candidate {
  readonly row: Int32Array
  readonly gain: number
}

const sweeps = 3

const rowBuilder = (problem: Problem, uncovered: Uncovered.Uncovered, draw: QuickDraws.QuickDraws) => {
  const { levels, space, validity } = problem
  const order = Int32Array.from(levels, (_, factor) => factor)
  const gains = new Int32Array(Math.max(1, ...levels))

  /** For each value of a factor, how many uncovered tuples it completes with the cells that are set. */
  const gainsAt = (row: Int32Array, factor: number): void => {
    const count = levels[factor]!
    gains.fill(0, 0, count)
    const { count: combinations, offset, others, otherStrides, own } = space.around[factor]!
    const width = space.strength - 1
    const open = uncovered.open
    for (let c = 0, from = 0; c < combinations; c++, from += width) {
      let index = offset[c]!
      let whole = true
      for (let j = from; j < from + width; j++) {
        const value = row[others[j]!]!
        if (value < 0) {
          whole = false
          break
        }
        index += value * otherStrides[j]!
      }
      if (!whole) continue
      const stride = own[c]!
      for (let value = 0; value < count; value++, index += stride) gains[value]! += open[index]!
    }
  }

  /** The value with the highest gain among those `fits` lets through, ties by draw; -1 when there is none. */
  const bestValue = (factor: number, fits: (value: number) => boolean): number => {
    let best = -1
    let ties = 0
    for (let value = 0; value < levels[factor]!; value++) {
      if (best !== -1 && gains[value]! < gains[best]!) continue
      if (!fits(value)) continue
      if (best === -1 || gains[value]! > gains[best]!) {
        best = value
        ties = 1
      } else {
        ties += 1
        if (draw(ties) === 0) best = value
      }
    }
    return best
  }

  const candidate = (template: Int32Array | undefined): Candidate => {
    const row = new Int32Array(levels.length).fill(-1)
    const locked = new Uint8Array(levels.length)
    const set = (factor: number, value: number): boolean => {
      if (!validity.assignSafely(factor, value)) return false
      row[factor] = value
      return true
    }
    if (template !== undefined) {
      for (let factor = 0; factor < levels.length; factor++) {
        const value = template[factor]!
        if (value >= 0 && value < levels[factor]! && set(factor, value)) locked[factor] = 1
      }
    } else {
      const seed = new Int32Array(levels.length).fill(-1)
      TupleSpace.writeTuple(space, uncovered.list[draw(uncovered.count)]!, seed)
      for (let factor = 0; factor < levels.length; factor++) if (seed[factor]! >= 0) set(factor, seed[factor]!)
    }
    QuickDraws.shuffle(order, draw)
    for (const factor of order) {
      if (row[factor]! >= 0) continue
      gainsAt(row, factor)
      for (;;) {
        const value = bestValue(factor, (candidateValue) => gains[candidateValue]! >= 0)
        if (set(factor, value)) break
        gains[value] = -1
      }
    }
    validity.reset()
    for (let sweep = 0, changed = true; sweep < sweeps && changed; sweep++) {
      changed = false
      for (const factor of order) {
        if (locked[factor] === 1) continue
        gainsAt(row, factor)
        const held = row[factor]!
        const value = bestValue(factor, (other) => other === held || validity.allows(row, factor, other))
        if (gains[value]! > gains[held]!) changed = true
        row[factor] = value
      }
    }
    let gain = 0
    for (let c = 0; c < space.combinations; c++) gain += uncovered.open[TupleSpace.tupleAt(space, c, row)]!
    return { row, gain }
  }

  return {
    best: (template: Int32Array | undefined, candidates: number): Candidate => {
      let best = candidate(template)
      for (let n = 1; n < candidates && best.gain < space.combinations; n++) {
        const next = candidate(template)
        if (next.gain > best.gain) best = next
      }
      return best
    }
  }
}
