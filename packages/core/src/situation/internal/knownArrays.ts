/**
 * Constructions of covering arrays with equal levels that search rarely reaches. Rows over symbols 0..v-1; -1 is open.
 * All are starting points: what a construction leaves uncovered, the search adds.
 *
 * Sources: Katona 1973 and Kleitman, Spencer 1973 (binary, pairs); Bush 1952 (orthogonal arrays); Stevens, Mendelsohn
 * 1999 and Colbourn, Martirosyan, Mullen, Shasha, Sherwood, Yucas 2006 (products); Chateauneuf, Kreher 2002 (doubling);
 * Paley 1933 (Hadamard matrices, which cover triples and, with their complements, often quadruples).
 */
import * as GaloisField from "./galoisField.ts"

type Rows = ReadonlyArray<Int32Array>

/** The smallest array we have for k factors of v levels at a lower strength or with fewer factors. */
export type Build = (factors: number, levels: number, strength: number) => Rows

export const candidates = (factors: number, levels: number, strength: number, build: Build): ReadonlyArray<Rows> => {
  if (factors <= strength || levels < 2) return []
  const out: Array<Rows> = []
  const base = bases(levels, strength)
  if (levels === 2 && strength === 2) return [binaryPairs(factors)]
  for (const rows of base) out.push(widen(rows, factors))
  if (strength === 2) {
    for (const rows of base) {
      let wide = rows
      while (wide[0]!.length < factors) {
        wide = product(wide, levels)
        out.push(widen(wide, factors))
      }
    }
  }
  if (strength === 3 && factors > levels + 1) {
    const half = Math.ceil(factors / 2)
    out.push(widen(doubled(build(half, levels, 3), build(half, levels, 2), levels), factors))
  }
  if (levels === 2 && strength >= 3) for (const rows of hadamard(factors)) out.push(widen(rows, factors))
  return out
}

/** Exactly k columns: surplus ones are cut off, missing ones open. */
const widen = (rows: Rows, factors: number): Rows =>
  rows.map((row) => Int32Array.from({ length: factors }, (_, j) => row[j] ?? -1))

/** How many rows all pairs of k binary factors take: the fewest there can be (Katona 1973). */
export const rowsOfBinaryPairs = (factors: number): number => {
  let n = 4
  while (binomial(n - 1, Math.ceil(n / 2)) < factors) n += 1
  return n
}

/** Column j marks the j-th subset of size ceil(n/2) of the rows after the first: any two meet and none holds another. */
const binaryPairs = (factors: number): Rows => {
  const n = rowsOfBinaryPairs(factors)
  const rows = Array.from({ length: n }, () => new Int32Array(factors))
  const size = Math.ceil(n / 2)
  const subset = Array.from({ length: size }, (_, i) => i)
  for (let column = 0; column < factors; column++) {
    for (const at of subset) rows[at + 1]![column] = 1
    let i = size - 1
    while (i >= 0 && subset[i] === n - 1 - size + i) i--
    if (i < 0) break
    subset[i]! += 1
    for (let j = i + 1; j < size; j++) subset[j] = subset[j - 1]! + 1
  }
  return rows
}

/** Arrays of v^t rows, or a few more when v is no prime power. */
const bases = (levels: number, strength: number): ReadonlyArray<Rows> => {
  const out: Array<Rows> = [zeroSum(levels, strength)]
  const field = GaloisField.atLeast(levels)
  if (field !== undefined) {
    out.push(
      orthogonal(field, strength)
        .map((row) => row.map((value) => (value < levels ? value : -1)))
        .filter((row) => row.filter((value) => value >= 0).length >= strength)
    )
  }
  return out
}

/** v^t rows, t+1 columns that add up to zero. */
const zeroSum = (levels: number, strength: number): Rows => {
  const rows: Array<Int32Array> = []
  const row = new Int32Array(strength + 1)
  const fill = (at: number, sum: number): void => {
    if (at === strength) {
      row[at] = (levels - (sum % levels)) % levels
      rows.push(row.slice())
      return
    }
    for (let value = 0; value < levels; value++) {
      row[at] = value
      fill(at + 1, sum + value)
    }
  }
  fill(0, 0)
  return rows
}

/** Polynomials of degree below t at each point of the field, and their leading coefficient: q^t rows, q+1 columns. */
const orthogonal = (field: GaloisField.GaloisField, strength: number): Rows =>
  zeroSum(field.size, strength).map((coefficients) => {
    const row = new Int32Array(field.size + 1)
    for (let x = 0; x < field.size; x++) {
      let value = 0
      for (let i = 0; i < strength; i++) value = field.add(field.multiply(value, x), coefficients[i]!)
      row[x] = value
    }
    row[field.size] = coefficients[0]!
    return row
  })

/**
 * Every column of A repeated in a block, and one row per row of B that sets the columns of a block apart. Rows of B with
 * equal values everywhere are covered by A already and left out.
 */
const product = (rows: Rows, levels: number): Rows => {
  const field = GaloisField.make(levels)
  const apart = field === undefined ? latinRows(levels) : slopedRows(field)
  const width = rows[0]!.length
  const block = apart.columns
  const spare = apart.rows[0]!.length - block
  const columns = width * block + spare
  const above = rows.map((row) =>
    Int32Array.from({ length: columns }, (_, j) => (j < width * block ? row[Math.floor(j / block)]! : 0))
  )
  const below = apart.rows.map((row) =>
    Int32Array.from({ length: columns }, (_, j) => (j < width * block ? row[j % block]! : row[block]!))
  )
  return [...above, ...below]
}

interface Apart {
  readonly columns: number
  readonly rows: Rows
}

/** Lines of every slope but zero, with the slope as a spare column (zero in the rows of A). */
const slopedRows = (field: GaloisField.GaloisField): Apart => {
  const rows: Array<Int32Array> = []
  for (let slope = 1; slope < field.size; slope++) {
    for (let constant = 0; constant < field.size; constant++) {
      const row = new Int32Array(field.size + 1)
      for (let x = 0; x < field.size; x++) row[x] = field.add(field.multiply(slope, x), constant)
      row[field.size] = slope
      rows.push(row)
    }
  }
  return { columns: field.size, rows }
}

/** The cells off the diagonal of an idempotent Latin square of even order (an odd one with its transversal prolonged). */
const latinRows = (order: number): Apart => {
  const odd = order % 2 === 1 ? order : order - 1
  const half = (odd + 1) / 2
  const square = Array.from({ length: order }, () => new Int32Array(order))
  for (let x = 0; x < odd; x++) for (let y = 0; y < odd; y++) square[x]![y] = ((x + y) * half) % odd
  if (order % 2 === 0) {
    for (let x = 0; x < odd; x++) {
      const y = (x + 1) % odd
      const value = square[x]![y]!
      square[odd]![y] = value
      square[x]![odd] = value
      square[x]![y] = odd
    }
    square[odd]![odd] = odd
  }
  const rows: Array<Int32Array> = []
  for (let x = 0; x < order; x++) {
    for (let y = 0; y < order; y++) if (x !== y) rows.push(Int32Array.of(x, y, square[x]![y]!))
  }
  return { columns: 3, rows }
}

/** Twice the columns at strength 3: the array beside itself, and pairs beside each of their shifts. */
const doubled = (triples: Rows, pairs: Rows, levels: number): Rows => {
  const out = triples.map((row) => Int32Array.of(...row, ...row))
  for (let shift = 1; shift < levels; shift++) {
    for (const row of pairs) out.push(Int32Array.of(...row, ...row.map((value) => (value + shift) % levels)))
  }
  return out
}

/** Paley's Hadamard matrices of order q+1 for primes q = 3 mod 4: alone, and with their complements. */
const hadamard = (factors: number): ReadonlyArray<Rows> => {
  let q = Math.max(3, factors - 1)
  while (q % 4 !== 3 || !GaloisField.isPrime(q)) q += 1
  const residue = new Uint8Array(q)
  for (let x = 1; x < q; x++) residue[(x * x) % q] = 1
  const rows: Array<Int32Array> = [new Int32Array(q + 1).fill(1)]
  for (let i = 0; i < q; i++) {
    rows.push(Int32Array.from({ length: q + 1 }, (_, j) => (j === q ? 1 : i === j ? 0 : residue[(j - i + q) % q]!)))
  }
  const complement = rows.map((row) => row.map((value) => 1 - value))
  return [rows, [...rows, ...complement]]
}

const binomial = (n: number, k: number): number => {
  let out = 1
  for (let i = 1; i <= k; i++) out = (out * (n - k + i)) / i
  return out
}
