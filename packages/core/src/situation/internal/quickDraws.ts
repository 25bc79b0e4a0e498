/**
 * Fast draws for array searches: a search of millions of steps cannot pay a hash for each of its draws, so one hashed
 * draw starts a 32-bit xorshift (Marsaglia 2003, shifts 13, 17, 5). Integer arithmetic only: equal on every machine.
 */
import type * as Randomness from "../../random/Randomness.ts"

/** A whole number in [0, n). */
export type QuickDraws = (n: number) => number

export const make = (random: Randomness.Service, path: Randomness.Path): QuickDraws => {
  let state = Math.floor(random.draw(path) * 4294967296) | 0 || 1
  return (n) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return Math.floor(((state >>> 0) / 4294967296) * n)
  }
}

/** Puts the numbers in a random order, in place (Fisher-Yates). */
export const shuffle = (numbers: Int32Array, draw: QuickDraws): void => {
  for (let i = numbers.length - 1; i > 0; i--) {
    const j = draw(i + 1)
    const held = numbers[i]!
    numbers[i] = numbers[j]!
    numbers[j] = held
  }
}
