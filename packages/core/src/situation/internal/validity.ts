/**
 * Which assignments can still become a whole valid row, under forbidden partial assignments. A small backtracking
 * search with forward checking: a constraint that lacks one value blocks that value, and a factor without unblocked
 * values ends the branch.
 */

/** Values that must not all occur in one row: (factor, value) pairs. */
export type Forbidden = ReadonlyArray<readonly [factor: number, value: number]>

/** Holds one partial row at a time: `assign` and `undo` move it, the rest reads it. */
export interface Validity {
  /** Whether any constraint names the factor. */
  readonly touches: (factor: number) => boolean
  /** Sets an open factor; false (and nothing changed) when that contradicts a constraint at once. */
  readonly assign: (factor: number, value: number) => boolean
  /** Takes back the last successful `assign`. */
  readonly undo: () => void
  /** Whether some valid row extends what is assigned now. */
  readonly completable: () => boolean
  /** `assign`, kept only when some valid row extends the result. */
  readonly assignSafely: (factor: number, value: number) => boolean
  readonly reset: () => void
  /** Whether a whole row that holds no forbidden assignment still holds none with one value changed. */
  readonly allows: (row: ArrayLike<number>, factor: number, value: number) => boolean
}

export const make = (levels: ReadonlyArray<number>, given: ReadonlyArray<Forbidden>): Validity => {
  const forbidden = given.flatMap(simplified)
  const start: Array<number> = []
  let total = 0
  for (const count of levels) {
    start.push(total)
    total += count
  }
  const naming: Array<Array<number>> = Array.from({ length: total }, () => [])
  const touched = new Uint8Array(levels.length)
  forbidden.forEach((literals, c) => {
    for (const [factor, value] of literals) {
      naming[start[factor]! + value]!.push(c)
      touched[factor] = 1
    }
  })
  const searched = levels.map((_, factor) => factor).filter((factor) => touched[factor] === 1)
  /** The values a completion tries, those fewest constraints name first. */
  const tries = levels.map((count, factor) =>
    Array.from({ length: count }, (_, value) => value).sort(
      (a, b) => naming[start[factor]! + a]!.length - naming[start[factor]! + b]!.length || a - b
    )
  )

  const assigned = new Int32Array(levels.length).fill(-1)
  const matched = new Int32Array(forbidden.length)
  const blocked = new Int32Array(total)
  const unblocked = Int32Array.from(levels)
  const trail: Array<number> = []

  /** The only literal of a constraint that is not matched, if its factor is open. */
  const lastOpen = (c: number): readonly [number, number] | undefined => {
    for (const literal of forbidden[c]!) {
      const held = assigned[literal[0]]!
      if (held === -1) return literal
      if (held !== literal[1]) return undefined
    }
    return undefined
  }
  const block = ([factor, value]: readonly [number, number]): void => {
    const at = start[factor]! + value
    blocked[at]! += 1
    if (blocked[at] === 1) unblocked[factor]! -= 1
  }
  const unblock = ([factor, value]: readonly [number, number]): void => {
    const at = start[factor]! + value
    blocked[at]! -= 1
    if (blocked[at] === 0) unblocked[factor]! += 1
  }

  const undo = (): void => {
    const factor = trail.pop()
    if (factor === undefined) return
    for (const c of naming[start[factor]! + assigned[factor]!]!) {
      if (matched[c] === forbidden[c]!.length - 1) {
        const last = lastOpen(c)
        if (last !== undefined) unblock(last)
      }
      matched[c]! -= 1
    }
    assigned[factor] = -1
  }

  const assign = (factor: number, value: number): boolean => {
    const at = start[factor]! + value
    if (blocked[at]! > 0) return false
    assigned[factor] = value
    trail.push(factor)
    let open = true
    for (const c of naming[at]!) {
      matched[c]! += 1
      if (matched[c] !== forbidden[c]!.length - 1) continue
      const last = lastOpen(c)
      if (last === undefined) continue
      block(last)
      if (unblocked[last[0]] === 0) open = false
    }
    if (!open) undo()
    return open
  }

  const completable = (): boolean => {
    let next = -1
    for (const factor of searched) {
      if (assigned[factor] !== -1) continue
      if (unblocked[factor] === 0) return false
      if (next === -1 || unblocked[factor]! < unblocked[next]!) next = factor
    }
    if (next === -1) return true
    for (const value of tries[next]!) {
      if (!assign(next, value)) continue
      const found = completable()
      undo()
      if (found) return true
      if (naming[start[next]! + value]!.length === 0) return false
    }
    return false
  }

  for (const literals of forbidden) if (literals.length === 1) block(literals[0]!)

  return {
    touches: (factor) => touched[factor] === 1,
    assign,
    undo,
    completable,
    assignSafely: (factor, value) => {
      if (!assign(factor, value)) return false
      if (touched[factor] === 0 || completable()) return true
      undo()
      return false
    },
    reset: () => {
      while (trail.length > 0) undo()
    },
    allows: (row, factor, value) => {
      for (const c of naming[start[factor]! + value]!) {
        let held = true
        for (const [other, forbiddenValue] of forbidden[c]!) {
          if (other !== factor && row[other] !== forbiddenValue) {
            held = false
            break
          }
        }
        if (held) return false
      }
      return true
    }
  }
}

/** A constraint without repetition; none when it names two values of one factor, which never occur together. */
const simplified = (literals: Forbidden): ReadonlyArray<Forbidden> => {
  const values = new Map<number, number>()
  for (const [factor, value] of literals) {
    if (values.has(factor) && values.get(factor) !== value) return []
    values.set(factor, value)
  }
  return [[...values]]
}
