/**
 * Random bits for millions of draws, where a hash per draw would be all of the cost: hashed draws start a generator of
 * 32-bit integer arithmetic, which is the same on every machine.
 */
import * as Randomness from "../../random/Randomness.ts"

export interface Bits {
  /** 32 random bits as an unsigned integer. */
  readonly word: () => number
  /** How many of `n` fair coins show heads. */
  readonly heads: (n: number) => number
}

/** xoshiro128** (Blackman and Vigna 2018), which passes the usual test batteries; its state is four hashed draws. */
export const make = (seed: number, path: Randomness.Path): Bits => {
  const draws = Randomness.make(seed).stream(["measure", ...path])
  const start = (): number => Math.floor(draws.next() * 4294967296) | 0
  let a = start() | 1
  let b = start()
  let c = start()
  let d = start()
  const word = (): number => {
    const five = Math.imul(b, 5)
    const out = Math.imul((five << 7) | (five >>> 25), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return out >>> 0
  }
  const heads = (n: number): number => {
    let sum = 0
    let left = n
    for (; left >= block; left -= block) sum += headsOfBlock(word() / 4294967296 + word() / 18446744073709551616)
    for (; left >= 32; left -= 32) sum += ones(word())
    return left === 0 ? sum : sum + ones(word() >>> (32 - left))
  }
  return { word, heads }
}

/** Coins that are thrown at once. */
const block = 4096

/**
 * Heads among `block` coins, from one uniform number by inversion: the distribution function, summed up from the middle
 * term by the ratios of neighbouring terms, and a table of where to begin to look.
 */
const headsOfBlock = (() => {
  let table: { readonly below: Float64Array; readonly from: Uint16Array } | undefined
  return (uniform: number): number => {
    table ??= blockTable()
    let heads = table.from[Math.floor(uniform * table.from.length)] as number
    while ((table.below[heads + 1] as number) <= uniform) heads += 1
    return heads
  }
})()

const blockTable = (): { readonly below: Float64Array; readonly from: Uint16Array } => {
  // Terms as multiples of the middle one, which overflow nothing; those that underflow have no weight.
  const terms = new Float64Array(block + 1)
  terms[block / 2] = 1
  for (let i = block / 2; i < block; i++) terms[i + 1] = ((terms[i] as number) * (block - i)) / (i + 1)
  for (let i = 0; i < block / 2; i++) terms[i] = terms[block - i] as number
  const below = new Float64Array(block + 2)
  for (let i = 0; i <= block; i++) below[i + 1] = (below[i] as number) + (terms[i] as number)
  const whole = below[block + 1] as number
  for (let i = 0; i <= block + 1; i++) below[i] = (below[i] as number) / whole
  // The end is above every uniform number, so that the search ends.
  below[block + 1] = 2
  const from = new Uint16Array(1024)
  let heads = 0
  for (let i = 0; i < from.length; i++) {
    while ((below[heads + 1] as number) <= i / from.length) heads += 1
    from[i] = heads
  }
  return { below, from }
}

/** Bits set in a 32-bit word, counted in parallel. */
export const ones = (word: number): number => {
  let x = word - ((word >>> 1) & 0x55555555)
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/**
 * Successes in `n` trials of probability `part / whole`. A trial is a random number below the probability, decided at the
 * first binary digit in which they differ, so on average two bits decide it and trials are decided 32 at a time.
 */
export const binomial = (bits: Bits, n: number, part: number, whole: number): number => {
  let successes = 0
  let undecided = n
  let rest = part
  if (part >= whole) return n
  while (undecided > 0 && rest > 0) {
    rest *= 2
    const heads = bits.heads(undecided)
    if (rest >= whole) {
      rest -= whole
      successes += undecided - heads
      undecided = heads
    } else undecided -= heads
  }
  return successes
}
