/**
 * Checks a covering array by brute force: on purpose it shares no code with what makes arrays, so that a mistake there
 * cannot hide here.
 */
type Cells = ReadonlyArray<readonly [factor: number, value: number]>

export interface Faults {
  /** Tuples that some valid row holds and no given row does. */
  readonly missing: ReadonlyArray<Cells>
  /** Rows that hold a forbidden assignment, by index, with the place of the constraint. */
  readonly broken: ReadonlyArray<{ readonly row: number; readonly constraint: number }>
  /** Rows of the wrong length, or with values that are none of their factor's. */
  readonly malformed: ReadonlyArray<number>
}

export const faults = (
  levels: ReadonlyArray<number>,
  strength: number,
  forbidden: ReadonlyArray<Cells>,
  rows: ReadonlyArray<ReadonlyArray<number>>
): Faults => {
  const malformed = rows.flatMap((row, index) =>
    row.length === levels.length && row.every((value, f) => Number.isInteger(value) && value >= 0 && value < levels[f]!)
      ? []
      : [index]
  )
  const broken = rows.flatMap((values, row) =>
    forbidden.flatMap((cells, constraint) => (cells.every(([f, v]) => values[f] === v) ? [{ row, constraint }] : []))
  )
  const wellFormed = rows.filter((_, index) => !malformed.includes(index))
  const missing: Array<Cells> = []
  for (const factors of subsets(levels.length, Math.min(strength, levels.length))) {
    const seen = new Set<number>()
    for (const row of wellFormed) {
      let code = 0
      for (const f of factors) code = code * levels[f]! + row[f]!
      seen.add(code)
    }
    const total = factors.reduce((product, f) => product * levels[f]!, 1)
    for (let code = 0; code < total; code++) {
      if (seen.has(code)) continue
      const cells: Array<readonly [number, number]> = []
      for (let rest = code, i = factors.length - 1; i >= 0; i--) {
        const f = factors[i]!
        cells.unshift([f, rest % levels[f]!])
        rest = Math.floor(rest / levels[f]!)
      }
      if (canOccur(levels, forbidden, cells)) missing.push(cells)
    }
  }
  return { missing, broken, malformed }
}

/** Whether a whole row without a forbidden assignment holds the cells: tries them, the most restricted factor first. */
const canOccur = (levels: ReadonlyArray<number>, forbidden: ReadonlyArray<Cells>, cells: Cells): boolean => {
  const row: Array<number> = levels.map(() => -1)
  for (const [f, v] of cells) row[f] = v
  if (forbidden.some((literals) => literals.every(([f, v]) => row[f] === v))) return false
  const allowed = (f: number): ReadonlyArray<number> => {
    const near = forbidden.filter((literals) => literals.some(([g]) => g === f))
    return Array.from({ length: levels[f]! }, (_, v) => v).filter(
      (v) => !near.some((literals) => literals.every(([g, w]) => (g === f ? w === v : row[g] === w)))
    )
  }
  const named = new Set(forbidden.flatMap((literals) => literals.map(([f]) => f)))
  const search = (): boolean => {
    const open = [...named].filter((f) => row[f] === -1).map((f) => ({ f, values: allowed(f) }))
    if (open.length === 0) return true
    const next = open.reduce((least, other) => (other.values.length < least.values.length ? other : least))
    for (const value of next.values) {
      row[next.f] = value
      if (search()) return true
    }
    row[next.f] = -1
    return false
  }
  return search()
}

const subsets = (n: number, size: number): ReadonlyArray<ReadonlyArray<number>> => {
  if (size === 0) return [[]]
  const out: Array<ReadonlyArray<number>> = []
  const extend = (chosen: ReadonlyArray<number>, from: number): void => {
    if (chosen.length === size) {
      out.push(chosen)
      return
    }
    for (let next = from; next < n; next++) extend([...chosen, next], next + 1)
  }
  extend([], 0)
  return out
}
