/**
 * Every t-tuple of factor values as one number. The tuples of one choice of t factors (a combination) are numbered in
 * mixed radix from its offset, so that a row's tuple is `offset + sum of stride * value`.
 */

/** The combinations a factor takes part in, laid out flat for the inner loops. */
export interface Around {
  readonly count: number
  /** Per combination: its offset, and the stride of the factor itself. */
  readonly offset: Int32Array
  readonly own: Int32Array
  /** Per combination: the t-1 other factors and their strides. */
  readonly others: Int32Array
  readonly otherStrides: Int32Array
}

export interface TupleSpace {
  readonly levels: ReadonlyArray<number>
  /** At most the number of factors. */
  readonly strength: number
  readonly combinations: number
  /** Per combination: t factors (ascending), their strides, and the number of its first tuple. */
  readonly factors: Int32Array
  readonly strides: Int32Array
  readonly offsets: Int32Array
  /** How many tuples there are, valid or not. */
  readonly size: number
  readonly around: ReadonlyArray<Around>
}

export const make = (levels: ReadonlyArray<number>, wanted: number): TupleSpace => {
  const strength = Math.min(wanted, levels.length)
  const chosen = strength === 0 ? [] : choose(levels.length, strength)
  const factors = Int32Array.from(chosen.flat())
  const strides = new Int32Array(factors.length)
  const offsets = new Int32Array(chosen.length)
  let size = 0
  for (let c = 0; c < chosen.length; c++) {
    offsets[c] = size
    let stride = 1
    for (let j = strength - 1; j >= 0; j--) {
      strides[c * strength + j] = stride
      stride *= levels[factors[c * strength + j]!]!
    }
    size += stride
  }
  const around = levels.map((_, factor) => aroundOf(factor, strength, factors, strides, offsets))
  return { levels, strength, combinations: chosen.length, factors, strides, offsets, size, around }
}

/** Which tuple of a combination a row holds; -1 when one of its cells is open (negative). */
export const tupleAt = (space: TupleSpace, combination: number, row: ArrayLike<number>): number => {
  let index = space.offsets[combination]!
  const from = combination * space.strength
  for (let j = from; j < from + space.strength; j++) {
    const value = row[space.factors[j]!]!
    if (value < 0) return -1
    index += value * space.strides[j]!
  }
  return index
}

/** The combination a tuple belongs to. */
export const combinationOf = (space: TupleSpace, tuple: number): number => {
  let low = 0
  let high = space.combinations - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (space.offsets[middle]! <= tuple) low = middle
    else high = middle - 1
  }
  return low
}

/** Writes the values of a tuple into a row. */
export const writeTuple = (space: TupleSpace, tuple: number, row: Int32Array): void => {
  const combination = combinationOf(space, tuple)
  let rest = tuple - space.offsets[combination]!
  const from = combination * space.strength
  for (let j = from; j < from + space.strength; j++) {
    const stride = space.strides[j]!
    row[space.factors[j]!] = Math.floor(rest / stride)
    rest %= stride
  }
}

/** All ascending choices of `t` out of `k`, in lexicographic order. */
export const choose = (k: number, t: number): Array<Array<number>> => {
  const out: Array<Array<number>> = []
  const current = Array.from({ length: t }, (_, i) => i)
  if (t > k) return out
  for (;;) {
    out.push([...current])
    let i = t - 1
    while (i >= 0 && current[i] === k - t + i) i--
    if (i < 0) return out
    current[i]! += 1
    for (let j = i + 1; j < t; j++) current[j] = current[j - 1]! + 1
  }
}

const aroundOf = (
  factor: number,
  strength: number,
  factors: Int32Array,
  strides: Int32Array,
  offsets: Int32Array
): Around => {
  const mine: Array<number> = []
  for (let j = 0; j < factors.length; j++) if (factors[j] === factor) mine.push(j)
  const others = new Int32Array(mine.length * (strength - 1))
  const otherStrides = new Int32Array(others.length)
  const offset = new Int32Array(mine.length)
  const own = new Int32Array(mine.length)
  mine.forEach((place, n) => {
    const combination = Math.floor(place / strength)
    offset[n] = offsets[combination]!
    own[n] = strides[place]!
    let to = n * (strength - 1)
    for (let j = combination * strength; j < (combination + 1) * strength; j++) {
      if (j === place) continue
      others[to] = factors[j]!
      otherStrides[to] = strides[j]!
      to += 1
    }
  })
  return { count: mine.length, offset, own, others, otherStrides }
}
