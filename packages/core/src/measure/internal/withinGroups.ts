/**
 * Correlations within groups (tasks, classes of labels): what differs between groups shows in none of them. What chance
 * would show is measured by shuffling the target within each group.
 */
import * as Bits from "./bits.ts"

/** One number a row, rows of a group side by side. */
export interface Columns {
  /** Each by itself is held against the target. */
  readonly features: ReadonlyArray<Float64Array>
  readonly target: Float64Array
  /** Rows of each group, in the order of the columns. */
  readonly sizes: ReadonlyArray<number>
}

export interface Correlations {
  /** From -1 to 1 for each feature; null where it, or the target, never varies within a group. */
  readonly values: ReadonlyArray<number | null>
  /**
   * The 95% point of the strongest of all correlations under shuffles: looking at many features finds no more by chance
   * than looking at one. Null where none can be told.
   */
  readonly floor: number | null
}

export interface Shuffling {
  readonly shuffles: number
  readonly seed: number
  readonly path: ReadonlyArray<string>
}

/** What rounding leaves of a sum of squares that is zero, for numbers of the size of one. */
const tiny = 1e-12

export const correlate = ({ features, sizes, target }: Columns, { path, seed, shuffles }: Shuffling): Correlations => {
  const y = unit(centred(target, sizes))
  const xs = features.map((feature) => unit(centred(feature, sizes)))
  if (y === null || xs.every((x) => x === null)) return { values: features.map(() => null), floor: null }
  const bits = Bits.make(seed, path)
  const shuffled = y.slice()
  const strongest = Float64Array.from({ length: shuffles }, () => {
    shuffleWithin(shuffled, sizes, bits)
    return xs.reduce((most, x) => (x === null ? most : Math.max(most, Math.abs(dot(x, shuffled)))), 0)
  }).sort()
  return {
    values: xs.map((x) => (x === null ? null : dot(x, y))),
    floor: strongest[Math.ceil(0.95 * shuffles) - 1] ?? null
  }
}

const dot = (x: Float64Array, y: Float64Array): number => {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += (x[i] as number) * (y[i] as number)
  return sum
}

const centred = (values: Float64Array, sizes: ReadonlyArray<number>): Float64Array => {
  const out = values.slice()
  let from = 0
  for (const size of sizes) {
    const part = out.subarray(from, from + size)
    let sum = 0
    for (const value of part) sum += value
    const mean = sum / size
    for (let i = 0; i < size; i++) part[i] = (part[i] as number) - mean
    from += size
  }
  return out
}

const unit = (values: Float64Array): Float64Array | null => {
  const squares = dot(values, values)
  if (!(squares > tiny)) return null
  const length = Math.sqrt(squares)
  return values.map((value) => value / length)
}

const shuffleWithin = (values: Float64Array, sizes: ReadonlyArray<number>, bits: Bits.Bits): void => {
  let from = 0
  for (const size of sizes) {
    for (let i = size - 1; i > 0; i--) {
      const j = Math.floor((bits.word() / 4294967296) * (i + 1))
      const held = values[from + i] as number
      values[from + i] = values[from + j] as number
      values[from + j] = held
    }
    from += size
  }
}
