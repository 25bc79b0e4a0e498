/**
 * Arithmetic of the finite fields with q elements, by tables: q a prime or a small prime power.
 */
export interface GaloisField {
  readonly size: number
  readonly add: (a: number, b: number) => number
  readonly multiply: (a: number, b: number) => number
}

/** Irreducible monic polynomials over GF(p), constant term first, by field size. */
const polynomials: ReadonlyMap<number, { readonly p: number; readonly coefficients: ReadonlyArray<number> }> = new Map([
  [4, { p: 2, coefficients: [1, 1, 1] }],
  [8, { p: 2, coefficients: [1, 1, 0, 1] }],
  [9, { p: 3, coefficients: [1, 0, 1] }],
  [16, { p: 2, coefficients: [1, 1, 0, 0, 1] }],
  [25, { p: 5, coefficients: [2, 0, 1] }],
  [27, { p: 3, coefficients: [1, 2, 0, 1] }]
])

/** The field of a size, when there is one among those we know. */
export const make = (size: number): GaloisField | undefined => {
  if (isPrime(size)) {
    return { size, add: (a, b) => (a + b) % size, multiply: (a, b) => (a * b) % size }
  }
  const known = polynomials.get(size)
  if (known === undefined) return undefined
  const { coefficients, p } = known
  const degree = coefficients.length - 1
  const digits = (a: number): Array<number> => {
    const out: Array<number> = []
    for (let i = 0, rest = a; i < degree; i++, rest = Math.floor(rest / p)) out.push(rest % p)
    return out
  }
  const number = (parts: ReadonlyArray<number>): number => parts.reduceRight((sum, digit) => sum * p + digit, 0)
  const sum = new Int32Array(size * size)
  const product = new Int32Array(size * size)
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) {
      const x = digits(a)
      const y = digits(b)
      sum[a * size + b] = number(x.map((digit, i) => (digit + y[i]!) % p))
      const long: Array<number> = Array.from({ length: 2 * degree - 1 }, () => 0)
      x.forEach((digit, i) => y.forEach((other, j) => (long[i + j] = (long[i + j]! + digit * other) % p)))
      for (let top = long.length - 1; top >= degree; top--) {
        const lead = long[top]!
        for (let i = 0; i <= degree; i++) {
          const at = top - degree + i
          long[at] = (((long[at]! - lead * coefficients[i]!) % p) + p) % p
        }
      }
      product[a * size + b] = number(long.slice(0, degree))
    }
  }
  return { size, add: (a, b) => sum[a * size + b]!, multiply: (a, b) => product[a * size + b]! }
}

/** The smallest field with at least that many elements. */
export const atLeast = (size: number): GaloisField | undefined => {
  for (let q = Math.max(2, size); q <= 2 * size; q++) {
    const field = make(q)
    if (field !== undefined) return field
  }
  return undefined
}

export const isPrime = (n: number): boolean => {
  if (n < 2) return false
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return true
}
