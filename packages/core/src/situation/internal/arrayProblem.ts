/**
 * What an array search works on: the factors, their tuples, which rows are valid and which tuples must occur.
 */
import * as TupleSpace from "./tupleSpace.ts"
import * as Validity from "./validity.ts"

export interface Problem {
  readonly levels: ReadonlyArray<number>
  readonly space: TupleSpace.TupleSpace
  readonly validity: Validity.Validity
  /** The tuples that some valid row holds, ascending. */
  readonly required: Int32Array
}

export const make = (
  levels: ReadonlyArray<number>,
  strength: number,
  forbidden: ReadonlyArray<Validity.Forbidden>
): Problem => {
  const space = TupleSpace.make(levels, strength)
  const validity = Validity.make(levels, forbidden)
  return { levels, space, validity, required: requiredTuples(space, validity) }
}

const requiredTuples = (space: TupleSpace.TupleSpace, validity: Validity.Validity): Int32Array => {
  if (!validity.completable()) return new Int32Array(0)
  const out = new Int32Array(space.size)
  let count = 0
  for (let c = 0; c < space.combinations; c++) {
    const from = c * space.strength
    let free = true
    for (let j = from; j < from + space.strength; j++) if (validity.touches(space.factors[j]!)) free = false
    const end = c + 1 < space.combinations ? space.offsets[c + 1]! : space.size
    for (let tuple = space.offsets[c]!; tuple < end; tuple++) {
      if (free || holds(space, validity, c, tuple)) out[count++] = tuple
    }
  }
  return out.slice(0, count)
}

const holds = (
  space: TupleSpace.TupleSpace,
  validity: Validity.Validity,
  combination: number,
  tuple: number
): boolean => {
  let rest = tuple - space.offsets[combination]!
  let valid = true
  const from = combination * space.strength
  for (let j = from; valid && j < from + space.strength; j++) {
    const stride = space.strides[j]!
    valid = validity.assign(space.factors[j]!, Math.floor(rest / stride))
    rest %= stride
  }
  valid &&= validity.completable()
  validity.reset()
  return valid
}
