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
    for (; left >= 32; left -= 32) sum += ones(word())
    return left === 0 ? sum : sum + ones(word() >>> (32 - left))
  }
  return { word, heads }
}

/** Bits set in a 32-bit word, counted in parallel. */
const ones = (word: number): number => {
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
